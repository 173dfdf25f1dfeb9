//! The lockfile as it was at an earlier revision.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mcp_semver_build::{Lockfile, LockfileError};
use toml_edit::DocumentMut;

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
        /// What was then at another place or had another name.
        then: Then,
    },
    /// There is no such lockfile, whosever it is.
    #[error("the revision `{revision}` has no {}", lockfile.display())]
    NoFile {
        /// What was asked for.
        revision: String,
        /// The file, as it was asked for.
        lockfile: PathBuf,
    },
    /// Several packages may have been this one, none of them where it is now.
    #[error(
        "the revision `{revision}` has no {lockfile} for {package}, and several packages that may \
         have been it: {}", manifests.join(", ")
    )]
    Ambiguous {
        /// What was asked for.
        revision: String,
        /// The file's name.
        lockfile: String,
        /// The package's name.
        package: String,
        /// Their manifests, from the repository's root.
        manifests: Vec<String>,
    },
}

/// How a package differs from what it is now, apart from its contents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Then {
    /// Its Cargo.toml from the repository's root, where that lay elsewhere.
    pub manifest: Option<String>,
    /// The name that the package at its place had.
    pub name: Option<String>,
}

impl RevisionError {
    /// What to do about it, where the message does not say it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Vcs(error) => error.help(),
            Self::NoLockfile { .. } | Self::NoFile { .. } | Self::Ambiguous { .. } => Some(
                "name a revision in which the lockfile was committed; for the change that adds it, \
                 check without --baseline-rev"
                    .to_owned(),
            ),
            Self::Lockfile(_) => None,
        }
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

impl Baseline {
    /// Reads a lockfile that is no package's as it was at `revision`.
    ///
    /// # Errors
    /// [`RevisionError`] when the revision cannot be read, or has no such sound lockfile.
    pub fn file_at_revision(lockfile: &Path, revision: &str) -> Result<Self, RevisionError> {
        let there = Revision::find(parent(lockfile), revision)?;
        let Some(bytes) = there.read(&name(lockfile))? else {
            let (revision, lockfile) = (revision.to_owned(), lockfile.to_owned());
            return Err(RevisionError::NoFile { revision, lockfile });
        };
        let origin = format!("{} at {revision}", lockfile.display());
        Ok(Lockfile::from_bytes(bytes, Path::new(&origin))?.into())
    }

    /// Reads the lockfile of a package as it was at `revision`; `None` where the package did not
    /// exist then. Where the package moved since, it is found by its name; where none of its name
    /// was there, the one at its place is the same that was renamed; where none was there either,
    /// the one that is gone and whose files now lie here is the same that was moved and renamed.
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
        let file = name(lockfile);
        let there = Revision::find(parent(lockfile), revision)?;
        let origin = format!("{} at {revision}", lockfile.display());
        let locked = there.read(&file)?;
        let locked = locked.map(|bytes| Lockfile::from_bytes(bytes, Path::new(&origin)));
        let names_another = |locked: &Lockfile| {
            locked.package.as_ref().is_some_and(|locked| locked.name != package)
        };
        // Another's is that of the same package, if ours was not elsewhere: it was renamed.
        let locked = match locked.transpose()? {
            Some(ours) if !names_another(&ours) => Some(ours),
            other => moved(&there, &file, package)?.or(other),
        };
        if let Some(locked) = locked {
            return Ok(Some(locked.into()));
        }
        let here = Revision::find(parent(manifest), revision)?.read(&name(manifest))?;
        // What cannot be read is no reason to take the package for new.
        let is_package =
            |manifest: &Vec<u8>| parsed(manifest).is_none_or(|it| it.contains_key("package"));
        let here = here.filter(is_package);
        let mut then_name = here.as_deref().and_then(package_name).filter(|name| name != package);
        let mut manifests = match here {
            Some(_) if then_name.is_none() => Vec::new(),
            _ => manifests(&there, package)?,
        };
        if !manifests.is_empty() {
            then_name = None;
        } else if here.is_none() {
            manifests = gone(&there)?;
            if let [manifest] = &manifests[..] {
                then_name = package_name(&there.read_from_root(manifest)?);
            }
            let locked = then_name.as_ref().map(|name| moved(&there, &file, name)).transpose()?;
            if let Some(locked) = locked.flatten() {
                return Ok(Some(locked.into()));
            }
        }
        let (revision, package, lockfile) = (revision.to_owned(), package.to_owned(), file);
        if manifests.len() > 1 {
            return Err(RevisionError::Ambiguous { revision, lockfile, package, manifests });
        }
        let then = Then { manifest: manifests.pop(), name: then_name };
        if here.is_none() && then == Then::default() {
            return Ok(None);
        }
        Err(RevisionError::NoLockfile { revision, lockfile, package, then })
    }
}

/// The manifests of packages that are gone and whose files have moved to where ours is now.
fn gone(there: &Revision) -> Result<Vec<String>, VcsError> {
    let manifests = there.named("Cargo.toml")?;
    let holding = |file: String| {
        let holds = |manifest: &&String| file.starts_with(manifest.trim_end_matches("Cargo.toml"));
        manifests.iter().filter(holds).max_by_key(|it| it.len())
    };
    let from: BTreeSet<&String> = there.moved_here()?.into_iter().filter_map(holding).collect();
    let root = there.root()?;
    Ok(from.into_iter().filter(|manifest| !root.join(manifest).exists()).cloned().collect())
}

/// The manifests of the packages of a name, from the repository's root.
fn manifests(there: &Revision, package: &str) -> Result<Vec<String>, VcsError> {
    let mut found = Vec::new();
    for path in there.named("Cargo.toml")? {
        if package_name(&there.read_from_root(&path)?).as_deref() == Some(package) {
            found.push(path);
        }
    }
    Ok(found)
}

/// The name in a manifest. What is no TOML is no package of cargo's: a template, a test's input.
fn package_name(manifest: &[u8]) -> Option<String> {
    Some(parsed(manifest)?.get("package")?.get("name")?.as_str()?.to_owned())
}

fn parsed(manifest: &[u8]) -> Option<DocumentMut> {
    str::from_utf8(manifest).ok()?.parse().ok()
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

    /// Commits everything, with these files, under a tag.
    fn commit(root: &Path, files: &[(&str, &str)], tag: &str) {
        for (file, text) in files {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "--allow-empty", "-m", tag]);
        git(root, &["tag", tag]);
    }

    #[test]
    fn a_package_that_moved_without_a_lockfile_is_not_new() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        git(root, &["init", "-q", "-b", "main"]);
        let manifest = |name: &str| format!("[package]\nname = \"{name}\"\n");
        let (srv, other) = (manifest("srv"), manifest("other"));
        let template = [("template/Cargo.toml", "[package]\nname = {{name}}\n")];
        commit(root, &[("other/Cargo.toml", &other), template[0]], "before");
        commit(root, &[("srv/Cargo.toml", &srv)], "there");
        commit(root, &[("copy/Cargo.toml", &srv)], "twice");
        git(root, &["rm", "-r", "-q", "srv", "copy"]);
        commit(root, &[("crates/srv/Cargo.toml", &srv)], "moved");
        let at = |revision: &str| {
            let package = root.join("crates/srv");
            let (manifest, lockfile) = (package.join("Cargo.toml"), package.join("lock.yaml"));
            Baseline::at_revision("srv", &manifest, &lockfile, revision)
        };
        assert_eq!(at("before").unwrap(), None);
        commit(root, &[("crates/srv/Cargo.toml", &manifest("service"))], "renamed");
        commit(root, &[("crates/srv/Cargo.toml", "[workspace]")], "virtual");
        assert_eq!(at("virtual").unwrap(), None);
        for (revision, manifest, name) in [
            ("there", Some("srv/Cargo.toml"), None),
            ("moved", None, None),
            ("renamed", None, Some("service")),
        ] {
            match at(revision).unwrap_err() {
                RevisionError::NoLockfile { then, .. } => {
                    assert_eq!((then.manifest.as_deref(), then.name.as_deref()), (manifest, name));
                }
                error => panic!("{revision}: {error}"),
            }
        }
        let twice = at("twice").unwrap_err().to_string();
        assert!(twice.ends_with("may have been it: copy/Cargo.toml, srv/Cargo.toml"), "{twice}");
    }

    #[test]
    fn a_package_that_moved_under_another_name_is_told_by_its_files() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        git(root, &["init", "-q", "-b", "main"]);
        let manifest = |name: &str| format!("[package]\nname = \"{name}\"\n");
        let main = |name: &str| format!("fn main() {{\n    {name}::serve();\n}}\n");
        for name in ["old", "other"] {
            let files = [format!("{name}/Cargo.toml"), format!("{name}/src/main.rs")];
            commit(root, &[(&files[0], &manifest(name)), (&files[1], &main(name))], name);
        }
        commit(root, &[("old/lock.yaml", &lockfile("old"))], "locked");
        let at = |revision: &str| {
            let package = root.join("crates/new");
            let (manifest, lockfile) = (package.join("Cargo.toml"), package.join("lock.yaml"));
            Baseline::at_revision("new", &manifest, &lockfile, revision)
        };
        fs::create_dir_all(root.join("crates/new/src")).unwrap();
        // A module that a package gave away does not make the new one the same.
        fs::rename(root.join("old/src/main.rs"), root.join("crates/new/src/main.rs")).unwrap();
        fs::write(root.join("crates/new/Cargo.toml"), manifest("new")).unwrap();
        assert_eq!(at("other").unwrap(), None);

        // Whatever git was told of it, and however it is set up to speak.
        git(root, &["config", "diff.relative", "true"]);
        fs::remove_dir_all(root.join("old")).unwrap();
        assert_eq!(at("locked").unwrap().unwrap().package.unwrap().0, "old");
        git(root, &["rm", "-q", "-r", "--cached", "old"]);
        assert_eq!(at("locked").unwrap().unwrap().package.unwrap().0, "old");
        commit(root, &[], "told");
        assert_eq!(at("locked").unwrap().unwrap().package.unwrap().0, "old");
        match at("other").unwrap_err() {
            RevisionError::NoLockfile { then, .. } => assert_eq!(
                then,
                Then { manifest: Some("old/Cargo.toml".into()), name: Some("old".into()) }
            ),
            error => panic!("{error}"),
        }
        git(root, &["mv", "other/src/main.rs", "crates/new/src/other.rs"]);
        git(root, &["rm", "-q", "-r", "other"]);
        let two = at("locked").unwrap_err().to_string();
        assert!(two.ends_with("may have been it: old/Cargo.toml, other/Cargo.toml"), "{two}");
    }

    #[test]
    fn the_lockfile_of_a_revision_is_found_where_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        git(root, &["init", "-q", "-b", "main"]);
        let commit = |files: &[(&str, &str)], tag: &str| commit(root, files, tag);
        commit(&[("README.md", "")], "empty");
        commit(&[("srv/Cargo.toml", "[package]")], "lockless");
        let (ours, others) = (lockfile("srv"), lockfile("other"));
        commit(&[("srv/lock.yaml", &ours), ("other/lock.yaml", &others)], "locked");
        fs::create_dir(root.join("crates")).unwrap();
        git(root, &["mv", "srv", "crates/srv"]);
        commit(&[], "moved");
        git(root, &["mv", "crates/srv", "old"]);
        commit(&[("crates/srv/lock.yaml", &lockfile("another"))], "swapped");
        git(root, &["rm", "-q", "old/lock.yaml"]);
        commit(&[], "renamed");
        commit(&[("crates/srv/lock.yaml", "version: 2\ntools: {}\n")], "broken");

        let at = |revision: &str| {
            let package = root.join("crates/srv");
            let (manifest, lockfile) = (package.join("Cargo.toml"), package.join("lock.yaml"));
            Baseline::at_revision("srv", &manifest, &lockfile, revision)
        };
        assert_eq!(at("empty").unwrap(), None);
        for (revision, name) in
            [("moved", "srv"), ("locked", "srv"), ("swapped", "srv"), ("renamed", "another")]
        {
            assert_eq!(at(revision).unwrap().unwrap().package.unwrap().0, name, "{revision}");
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
