//! Where things lie in the repository: reports that leave the machine name files from its root.

use std::path::{Component, Path, PathBuf};

use crate::finding::Span;
use crate::report::{Subject, slashes};

/// The repository that the current directory belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    root: PathBuf,
    here: PathBuf,
}

/// A file for a reader elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// In the repository, from its root, with `/` between the parts.
    Inside(String),
    /// Somewhere else; an absolute path.
    Outside(PathBuf),
}

impl Repository {
    /// The repository around the absolute path `here`: `workspace`, which is what a CI system calls
    /// its checkout, if `here` is inside and it is the root of a checkout; else the nearest
    /// directory upwards that git made; else `workspace` again, or `here` itself.
    pub fn around(here: &Path, workspace: Option<&Path>) -> Self {
        let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let here = canonical(here);
        let workspace = workspace.map(canonical).filter(|root| here.starts_with(root));
        let is_checkout = |directory: &Path| directory.join(".git").exists();
        let root = workspace
            .clone()
            .filter(|root| is_checkout(root))
            .or_else(|| here.ancestors().find(|at| is_checkout(at)).map(Path::to_owned))
            .or(workspace)
            .unwrap_or_else(|| here.clone());
        Self { root, here }
    }

    /// Where a file is that a person in the current directory would call `path`.
    pub(super) fn place(&self, path: &Path) -> Place {
        let path = lexically_normal(&self.here.join(path));
        let inside = |path: &Path| Some(slashes(path.strip_prefix(&self.root).ok()?));
        // An absolute path may lead through a link to what the root is called without it.
        match inside(&path).or_else(|| inside(&path.canonicalize().ok()?)) {
            Some(inside) => Place::Inside(inside),
            None => Place::Outside(path),
        }
    }

    /// Where the source of one of a subject's findings is.
    pub(super) fn place_of(&self, subject: &Subject, span: &Span) -> Place {
        self.place(&subject.directory.join(&span.file))
    }

    /// Where the version is that would have to be raised, where there is one.
    pub(super) fn manifest_of(&self, subject: &Subject) -> Option<Place> {
        Some(self.place(subject.remedy.as_ref()?.manifest.as_ref()?))
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Inside(path) => f.write_str(path),
            Self::Outside(path) => f.write_str(&slashes(path)),
        }
    }
}

/// Without `.` and `..`, whatever exists.
fn lexically_normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_start_at_the_root_of_the_checkout() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let here = root.join("repo/crates/server");
        std::fs::create_dir_all(&here).unwrap();
        let place = |workspace: Option<&Path>, path: &str| {
            Repository::around(&here, workspace).place(Path::new(path)).to_string()
        };
        assert_eq!(place(None, "src/lib.rs"), "src/lib.rs", "no repository at all");
        assert_eq!(place(Some(root), "src/lib.rs"), "repo/crates/server/src/lib.rs");
        std::fs::create_dir(root.join("repo/.git")).unwrap();
        assert_eq!(place(None, "src/lib.rs"), "crates/server/src/lib.rs");
        assert_eq!(place(None, "../other/./src/lib.rs"), "crates/other/src/lib.rs");
        assert_eq!(
            place(Some(root), "src/lib.rs"),
            "crates/server/src/lib.rs",
            "a checkout below the CI system's directory"
        );
        std::fs::create_dir(root.join(".git")).unwrap();
        assert_eq!(place(Some(root), "a.rs"), "repo/crates/server/a.rs", "a submodule");
        let elsewhere = root.join("elsewhere");
        assert_eq!(place(Some(&elsewhere), "a.rs"), "crates/server/a.rs");
        let absolute = here.join("src/main.rs").display().to_string();
        assert_eq!(place(None, &absolute), "crates/server/src/main.rs");
    }

    #[test]
    fn a_file_elsewhere_stays_absolute() {
        let directory = tempfile::tempdir().unwrap();
        let repository = Repository::around(directory.path(), None);
        let Place::Outside(path) = repository.place(Path::new("../../generated.rs")) else {
            panic!("it is not inside")
        };
        assert!(path.is_absolute() && path.ends_with("generated.rs"));
    }
}
