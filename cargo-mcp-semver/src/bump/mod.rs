//! Raising versions: what has to be edited so that the gate passes, and the edits.
//!
//! All manifests of a workspace are read and edited in memory first; nothing is written before
//! every edit is known to be possible.

mod manifest;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use semver::Version;

use manifest::Manifest;
pub(crate) use manifest::written_as;

/// Versions one package must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Absolute path of its Cargo.toml.
    pub manifest: PathBuf,
    /// What the package must have; absent where its version will do.
    pub package: Option<Version>,
    /// What tools must have that are versioned one by one and whose version will not do.
    pub tools: BTreeMap<String, Version>,
}

/// Edits of a workspace's manifests, and of a file that declares versions of tools.
#[derive(Debug)]
pub struct Plan {
    /// Files that change, with their new text, sorted by path.
    pub files: BTreeMap<PathBuf, String>,
    /// What changes in them, in the order it was found necessary.
    pub edits: Vec<Edit>,
}

/// One version that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What has the version.
    pub what: What,
    /// What stands there now; absent for a tool without an entry.
    pub from: Option<String>,
    /// What will stand there.
    pub to: String,
    /// The file it stands in.
    pub manifest: PathBuf,
}

/// What has a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A package, by name.
    Package(String),
    /// `[workspace.package]`, for all packages that take their version from there.
    Workspace,
    /// A tool, by name.
    Tool(String),
    /// The version that a manifest asks of a package of the same workspace, by name.
    Requirement(String),
}

/// Why versions cannot be raised; nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum BumpError {
    /// A manifest could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A manifest is no TOML.
    #[error("{}: {source}", path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: toml_edit::TomlError,
    },
    /// There is no version where one should stand.
    #[error("{}: there is no `version` to raise in {table}", path.display())]
    NoVersion {
        /// The file.
        path: PathBuf,
        /// Where it was looked for.
        table: &'static str,
    },
}

/// Plans the edits for `wanted`. `members` are the manifests of all members of the workspace, whose
/// requirements on each other are kept satisfiable, and `root` is the workspace's own.
///
/// # Errors
/// [`BumpError`] for a manifest that cannot be read or has no version.
pub fn plan(root: &Path, members: &[PathBuf], wanted: &[Wanted]) -> Result<Plan, BumpError> {
    let mut manifests = BTreeMap::new();
    for path in members.iter().map(PathBuf::as_path).chain([root]) {
        if !manifests.contains_key(path) {
            manifests.insert(path.to_owned(), Manifest::read(path)?);
        }
    }
    let mut edits = Vec::new();
    let mut raised: BTreeMap<PathBuf, Version> = BTreeMap::new();
    let mut shared: Option<Version> = None;
    for Wanted { manifest: path, package, tools } in wanted {
        let manifest = get(&mut manifests, path)?;
        match package {
            Some(version) if manifest.inherits_version() => {
                shared = shared.max(Some(version.clone()));
            }
            Some(version) => {
                edits.push(manifest.set_package_version(version)?);
                raised.insert(manifest.directory(), version.clone());
            }
            None => {}
        }
        edits.extend(tools.iter().filter_map(|(tool, to)| manifest.set_tool_version(tool, to)));
    }
    if let Some(version) = shared {
        edits.push(get(&mut manifests, root)?.set_workspace_version(&version)?);
        let heirs = manifests.values().filter(|manifest| manifest.inherits_version());
        raised.extend(heirs.map(|manifest| (manifest.directory(), version.clone())));
    }
    for manifest in manifests.values_mut() {
        edits.extend(manifest.raise_requirements(&raised));
    }
    let files =
        manifests.into_iter().filter_map(|(path, manifest)| Some((path, manifest.edited()?)));
    Ok(Plan { files: files.collect(), edits })
}

/// Whether a package takes its version from `[workspace.package]`.
pub fn inherits_version(manifest: &Path) -> bool {
    Manifest::read(manifest).is_ok_and(|manifest| manifest.inherits_version())
}

/// The manifest at a path, read if it was not yet.
fn get<'m>(
    manifests: &'m mut BTreeMap<PathBuf, Manifest>,
    path: &Path,
) -> Result<&'m mut Manifest, BumpError> {
    use std::collections::btree_map::Entry;
    Ok(match manifests.entry(path.to_owned()) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(Manifest::read(path)?),
    })
}
