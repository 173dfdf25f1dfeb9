//! Preparing the source of a server's units for a probe build.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use mcp_semver_build::probe::{self, ProbeTarget, Role};
use mcp_semver_build::scan::CrateScan;
use semver::Version;
use sha2::{Digest as _, Sha256};

use super::BuildError;
use super::expand::Expansion;
use super::overlay::{Overlay, OverlayError};
use super::target::Unit;
use super::workspace::{Workspace, crate_name};
use super::wrapper::{PlannedUnit, Stamp};

/// A unit whose instrumented copy is laid, or will be by the wrapper.
#[derive(Debug)]
pub(super) struct Prepared<'w> {
    unit: Unit<'w>,
    version: Option<Version>,
    hash_var: String,
    hash: String,
    overlay: Overlay,
    expansion: Option<Expansion>,
    stamp: PathBuf,
    siblings: Vec<&'w CrateScan>,
}

impl<'w> Prepared<'w> {
    /// Instruments a unit into an overlay of its own below `base`; `siblings` are the scans of the
    /// other units in the build.
    ///
    /// The overlay and the name of the variable follow from the target and its role, never from
    /// their content, so that they are the same in every run.
    pub(super) fn new(
        workspace: &'w Workspace,
        unit: &Unit<'w>,
        siblings: Vec<&'w CrateScan>,
        base: &Path,
    ) -> Result<Self, BuildError> {
        let key = key(unit);
        let root = workspace.metadata().workspace_root.as_std_path();
        let overlay = Overlay::new(base.join("overlay").join(&key), root.to_owned());
        let mut prepared = Self {
            version: unit.framework(workspace).map(|(_, found)| found.version.clone()),
            hash_var: format!("MCP_SEMVER_PROBE_{}", key.to_uppercase()),
            hash: String::new(),
            overlay,
            expansion: None,
            stamp: base.join("stamp").join(&key),
            unit: unit.clone(),
            siblings,
        };
        let instrumented = probe::instrument(&prepared.target(unit.scan))
            .map_err(|source| file("read", &unit.scan.root, source))?;
        prepared.hash = instrumented.hash.clone();
        if unit.scan.needs_expansion {
            // The wrapper lays the overlay, and it runs when cargo sees that something changed:
            // any file may hold a macro that makes a tool.
            prepared.hash = hash_files(&instrumented.hash, &unit.scan.files)?;
            prepared.expansion = Some(Expansion {
                entry: unit.role == Role::Entry,
                edition: unit.edition(),
                renamed: unit.scan.renamed.clone(),
                siblings: prepared
                    .siblings
                    .iter()
                    .map(|scan| (scan.root.clone(), scan.renamed.clone()))
                    .collect(),
                version: prepared.version.clone(),
                hash_var: prepared.hash_var.clone(),
                overlay: prepared.overlay.root().to_owned(),
                workspace: root.to_owned(),
                output: base.join("expanded").join(key).with_extension("rs"),
            });
        } else {
            prepared.lay(&instrumented.files)?;
        }
        Ok(prepared)
    }

    fn lay(&self, files: &BTreeMap<PathBuf, String>) -> Result<(), BuildError> {
        self.overlay
            .lay(files)
            .map_err(|OverlayError { path, source }| file("write", &path, source))
    }

    /// What cargo must have in its environment to see whether this unit's probe changed.
    pub(super) fn variable(&self) -> (&str, &str) {
        (&self.hash_var, &self.hash)
    }

    /// The name of the unit's package.
    pub(super) fn package(&self) -> &str {
        self.unit.package.name.as_str()
    }

    pub(super) fn overlay(&self) -> &Overlay {
        &self.overlay
    }

    /// What the wrapper does with the unit.
    pub(super) fn planned(&self) -> PlannedUnit {
        PlannedUnit {
            root: self.unit.scan.root.clone(),
            crate_name: crate_name(self.unit.target),
            bin: self.unit.role == Role::Entry,
            swapped: self.overlay.mirror(&self.unit.scan.root),
            libraries: self.unit.libraries.clone(),
            expansion: self.expansion.clone(),
            stamp: self.stamp(),
        }
    }

    /// The proof that what cargo built is this probe.
    pub(super) fn stamp(&self) -> Stamp {
        Stamp { path: self.stamp.clone(), text: self.hash.clone() }
    }

    /// The scan that the probe was made from, and a remark when that is less than there may be.
    pub(super) fn scan(&self) -> (CrateScan, Option<String>) {
        let scan = self.unit.scan;
        let why = match self.expansion.as_ref().map(|expansion| expansion.expanded(scan)) {
            None => return (scan.clone(), None),
            Some(Some(Ok(scan))) => return (scan, None),
            Some(Some(Err(error))) => error.to_string(),
            Some(None) => "rustc did not expand it".to_owned(),
        };
        let remark = format!(
            "macros in `{}` may make tools, and those could not be looked for: {why}",
            self.unit.target.name
        );
        (scan.clone(), Some(remark))
    }

    /// The unit as the probe knows it, with a scan from [`Prepared::scan`].
    pub(super) fn target<'a>(&self, scan: &'a CrateScan) -> ProbeTarget<'a>
    where
        'w: 'a,
    {
        ProbeTarget {
            scan,
            siblings: self.siblings.clone(),
            role: self.unit.role,
            edition: self.unit.edition(),
            version: self.version.clone(),
            libraries: self.unit.libraries.clone(),
            hash_var: self.hash_var.clone(),
        }
    }

    /// Makes cargo compile the unit anew.
    pub(super) fn touch(&self) -> Result<(), BuildError> {
        let root = self.overlay.mirror(&self.unit.scan.root);
        let touched = std::fs::File::options()
            .append(true)
            .open(&root)
            .and_then(|open| open.set_modified(std::time::SystemTime::now()));
        match touched {
            // Where it is missing, cargo compiles anew in any case.
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(file("touch", &root, source))
            }
            _ => Ok(()),
        }
    }
}

/// Identifies a target in a role, in 16 hexadecimal digits.
fn key(unit: &Unit<'_>) -> String {
    let role = match unit.role {
        Role::Entry => "entry",
        Role::Library => "library",
    };
    let parts = [role, unit.target.name.as_str(), unit.target.src_path.as_str()];
    hex(Sha256::digest(parts.join("\0")).iter().take(8))
}

fn hash_files(start: &str, files: &[PathBuf]) -> Result<String, BuildError> {
    let mut hasher = Sha256::new();
    hasher.update(start);
    for path in files {
        let text = std::fs::read(path).map_err(|source| file("read", path, source))?;
        hasher.update(path.to_string_lossy().as_bytes());
        hasher.update([0]);
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(&text);
    }
    Ok(hex(hasher.finalize().iter()))
}

fn hex<'b>(bytes: impl Iterator<Item = &'b u8>) -> String {
    bytes.fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn file(action: &'static str, path: &Path, source: std::io::Error) -> BuildError {
    BuildError::File { action, path: path.to_owned(), source }
}
