//! Tools that only macro expansion shows: rustc expands the crate inside the wrapper, where every
//! dependency is at hand, and the instrumented copy is laid then.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mcp_semver_build::framework::Renamed;
use mcp_semver_build::probe::{self, Instrumented, ProbeTarget, Role};
use mcp_semver_build::scan::{self, CrateScan, ExpandedError};
use semver::Version;
use serde::{Deserialize, Serialize};

use super::overlay::Overlay;
use super::wrapper::PlannedUnit;

/// What the wrapper has to know to instrument a unit by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Expansion {
    /// Whether the unit is the entry.
    pub(super) entry: bool,
    /// Its edition.
    pub(super) edition: u16,
    /// What its code calls frameworks.
    pub(super) renamed: Renamed,
    /// Root files of the other units in the build, for [`ProbeTarget::siblings`], and what their
    /// code calls frameworks.
    pub(super) siblings: Vec<(PathBuf, Renamed)>,
    /// See [`ProbeTarget::version`].
    pub(super) version: Option<Version>,
    /// See [`ProbeTarget::hash_var`].
    pub(super) hash_var: String,
    /// The overlay's top directory.
    pub(super) overlay: PathBuf,
    /// The workspace's root directory.
    pub(super) workspace: PathBuf,
    /// Where the expanded source is kept. Missing after a build in which rustc could not expand.
    pub(super) output: PathBuf,
}

impl Expansion {
    /// Runs `command`, which prints the expanded source of `unit`, and lays the overlay that
    /// follows from it.
    pub(super) fn expand(&self, unit: &PlannedUnit, command: &mut Command) -> Result<(), String> {
        let at = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        remove(&self.output).map_err(|error| at(&self.output, error))?;
        let mut scan =
            scan::scan_renamed(&unit.root, &self.renamed).map_err(|error| error.to_string())?;
        // Without this variable only nightly compilers expand. What rustc complains about here, it
        // will say again when it compiles.
        let expanded = command
            .env("RUSTC_BOOTSTRAP", "1")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .map_err(|error| at(Path::new(command.get_program()), error))?;
        if expanded.status.success() {
            let text = String::from_utf8_lossy(&expanded.stdout);
            std::fs::write(&self.output, &*text).map_err(|error| at(&self.output, error))?;
            // Where it does not parse, whoever concludes says so.
            scan = scan::scan_expanded(&scan, &text).unwrap_or(scan);
        }
        let siblings = self.siblings.iter();
        let siblings = siblings.map(|(root, renamed)| scan::scan_renamed(root, renamed));
        let siblings: Vec<CrateScan> =
            siblings.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        let target = ProbeTarget {
            scan: &scan,
            siblings: siblings.iter().collect(),
            role: if self.entry { Role::Entry } else { Role::Library },
            edition: self.edition,
            version: self.version.clone(),
            libraries: unit.libraries.clone(),
            hash_var: self.hash_var.clone(),
        };
        let Instrumented { files, .. } =
            probe::instrument(&target).map_err(|error| at(&unit.root, error))?;
        let overlay = Overlay::new(self.overlay.clone(), self.workspace.clone());
        overlay.lay(&files).map_err(|error| at(&error.path, error.source))
    }

    /// The scan with what the last expansion showed; `None` when rustc could not expand.
    pub(super) fn expanded(&self, scan: &CrateScan) -> Option<Result<CrateScan, ExpandedError>> {
        let text = std::fs::read_to_string(&self.output).ok()?;
        Some(scan::scan_expanded(scan, &text))
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
