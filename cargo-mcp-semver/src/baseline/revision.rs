//! The lockfile as it was at an earlier revision.

use std::path::Path;

use mcp_semver_build::{Lockfile, LockfileError};

use super::Baseline;
use crate::vcs::{Revision, VcsError};

/// Why a revision gives no baseline.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// The revision cannot be read.
    #[error(transparent)]
    Vcs(#[from] VcsError),
    /// Its lockfile is not sound.
    #[error(transparent)]
    Lockfile(#[from] LockfileError),
    /// The package is there, its lockfile is not.
    #[error(
        "the revision `{revision}` has no {lockfile} for {package}, so nothing tells what its \
         tools were then"
    )]
    NoLockfile {
        /// What was asked for.
        revision: String,
        /// The file's name.
        lockfile: String,
        /// The package's name.
        package: String,
    },
}

impl RevisionError {
    /// What to do about it, where the message does not say it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Vcs(error) => error.help(),
            Self::NoLockfile { .. } => Some(
                "name a revision in which the lockfile was committed; for the change that adds it, \
                 check without --baseline-rev"
                    .to_owned(),
            ),
            Self::Lockfile(_) => None,
        }
    }
}

impl Baseline {
    /// Reads the lockfile of a package as it was at `revision`; `None` where the package did not
    /// exist then. Where the lockfile moved since, it is found by the package's name.
    ///
    /// # Errors
    /// [`RevisionError`] when the revision cannot be read, or has the package without a sound
    /// lockfile.
    pub fn at_revision(
        package: &str,
        manifest: &Path,
        lockfile: &Path,
        revision: &str,
    ) -> Result<Option<Self>, RevisionError> {
        let parent = |path: &Path| path.parent().unwrap_or(Path::new("")).to_owned();
        let name = |path: &Path| {
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let file = name(lockfile);
        let there = Revision::find(&parent(lockfile), revision)?;
        if let Some(bytes) = there.read(&file)? {
            let origin = format!("{} at {revision}", lockfile.display());
            return Ok(Some(Lockfile::from_bytes(bytes, Path::new(&origin))?.into()));
        }
        if let Some(moved) = moved(&there, &file, package)? {
            return Ok(Some(moved.into()));
        }
        let manifest_then = Revision::find(&parent(manifest), revision)?.read(&name(manifest))?;
        match manifest_then {
            None => Ok(None),
            Some(_) => Err(RevisionError::NoLockfile {
                revision: revision.to_owned(),
                lockfile: file,
                package: package.to_owned(),
            }),
        }
    }
}

/// The one lockfile that names the package, wherever it lay.
fn moved(there: &Revision, file: &str, package: &str) -> Result<Option<Lockfile>, VcsError> {
    let mut found = Vec::new();
    for path in there.named(file)? {
        let origin = format!("{path} at {}", there.name());
        // What cannot be read is another package's or cannot be told to be ours.
        if let Ok(lockfile) = Lockfile::from_bytes(there.read_from_root(&path)?, Path::new(&origin))
            && lockfile.package.as_ref().is_some_and(|locked| locked.name == package)
        {
            found.push(lockfile);
        }
    }
    Ok(if found.len() == 1 { found.pop() } else { None })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::vcs::tests::git;

    fn lockfile(package: &str) -> String {
        format!(
            "version: 1\ngenerated_for: {package}\npackage: {{name: {package}, version: 1.2.3}}\n\
             tools: {{}}\n"
        )
    }

    #[test]
    fn the_lockfile_of_a_revision_is_found_where_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        git(root, &["init", "-q", "-b", "main"]);
        let commit = |files: &[(&str, &str)], tag: &str| {
            for (file, text) in files {
                let file = root.join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, text).unwrap();
            }
            git(root, &["add", "-A"]);
            git(root, &["commit", "-q", "--allow-empty", "-m", tag]);
            git(root, &["tag", tag]);
        };
        commit(&[("README.md", "")], "empty");
        commit(&[("srv/Cargo.toml", "[package]")], "lockless");
        let (ours, others) = (lockfile("srv"), lockfile("other"));
        commit(&[("srv/lock.yaml", &ours), ("other/lock.yaml", &others)], "locked");
        fs::create_dir(root.join("crates")).unwrap();
        git(root, &["mv", "srv", "crates/srv"]);
        commit(&[], "moved");
        commit(&[("crates/srv/lock.yaml", "version: 2\ntools: {}\n")], "broken");

        let at = |revision: &str| {
            let package = root.join("crates/srv");
            let (manifest, lockfile) = (package.join("Cargo.toml"), package.join("lock.yaml"));
            Baseline::at_revision("srv", &manifest, &lockfile, revision)
        };
        assert_eq!(at("empty").unwrap(), None);
        for revision in ["moved", "locked"] {
            assert_eq!(at(revision).unwrap().unwrap().package.unwrap().0, "srv", "{revision}");
        }
        let broken = at("broken").unwrap_err().to_string();
        assert!(broken.contains("lock.yaml at broken:1: lockfile format version 2"), "{broken}");
        git(root, &["mv", "crates/srv", "srv"]);
        let (manifest, lockfile) = (root.join("srv/Cargo.toml"), root.join("srv/lock.yaml"));
        let error = Baseline::at_revision("srv", &manifest, &lockfile, "lockless").unwrap_err();
        assert!(matches!(error, RevisionError::NoLockfile { .. }), "{error}");
        assert!(error.help().unwrap().contains("--baseline-rev"));
        // A lockfile that names another package is not ours.
        let error = Baseline::at_revision("new", &manifest, &root.join("srv/x.yaml"), "locked");
        assert!(matches!(error, Err(RevisionError::NoLockfile { .. })), "{error:?}");
    }
}
