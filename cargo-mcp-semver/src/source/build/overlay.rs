//! A mirror of the user's source tree in which some files are instrumented.
//!
//! The mirror of `/home/me/server/src/main.rs` in the overlay at `O` is
//! `O/home/me/server/src/main.rs`. Only the directories on the way to an instrumented file are
//! real; everything beside the way is a link to the original, so that `include_str!("../../x")`
//! finds what it names. The user's tree is never written to.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Above the workspace a directory with more entries than this (`/tmp`, `/nix/store`) is not
/// mirrored: nothing but the way is laid there.
const CROWDED: usize = 1024;

/// One overlay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Overlay {
    root: PathBuf,
    workspace: PathBuf,
}

/// What could not be done, and where.
#[derive(Debug)]
pub(super) struct OverlayError {
    pub(super) path: PathBuf,
    pub(super) source: io::Error,
}

/// What stands in one real directory of an overlay.
#[derive(Debug, Default)]
struct Place {
    /// Directories of the way.
    dirs: BTreeSet<OsString>,
    /// Instrumented files.
    files: BTreeSet<OsString>,
}

impl Overlay {
    /// The overlay whose top directory is `root`; it mirrors a tree around `workspace`. Both are
    /// absolute.
    pub(super) fn new(root: PathBuf, workspace: PathBuf) -> Self {
        Self { root, workspace }
    }

    /// The top directory.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Where the mirror of an absolute path is.
    pub(super) fn mirror(&self, original: &Path) -> PathBuf {
        let mut mirror = self.root.clone();
        for component in original.components() {
            match component {
                Component::Normal(name) => mirror.push(name),
                // `C:` cannot be a directory's name.
                Component::Prefix(prefix) => {
                    let text = prefix.as_os_str().to_string_lossy();
                    mirror.push(text.replace(|c: char| !c.is_alphanumeric(), "_"));
                }
                Component::RootDir | Component::CurDir => {}
                Component::ParentDir => {
                    mirror.pop();
                }
            }
        }
        mirror
    }

    /// Makes the overlay hold exactly these instrumented files, by absolute original path, and
    /// links to everything beside them. What stands right already is not touched.
    pub(super) fn lay(&self, files: &BTreeMap<PathBuf, String>) -> Result<(), OverlayError> {
        let mut places: BTreeMap<&Path, Place> = BTreeMap::new();
        for file in files.keys() {
            let mut child = file.as_path();
            while let (Some(parent), Some(name)) = (child.parent(), child.file_name()) {
                let place = places.entry(parent).or_default();
                if child == file { &mut place.files } else { &mut place.dirs }
                    .insert(name.to_owned());
                child = parent;
            }
        }
        // Sorted by path, so every directory comes after its parent.
        for (original, place) in &places {
            let mirror = self.mirror(original);
            let existing = entries_for(&mirror).map_err(|source| at(&mirror, source))?;
            self.lay_links(original, &mirror, place, &existing)?;
        }
        for (original, text) in files {
            let mirror = self.mirror(original);
            write_if_changed(&mirror, text).map_err(|source| at(&mirror, source))?;
        }
        Ok(())
    }

    /// Brings one directory up to date: real directories on the way, links for the rest, nothing
    /// else.
    fn lay_links(
        &self,
        original: &Path,
        mirror: &Path,
        place: &Place,
        existing: &BTreeMap<OsString, Kind>,
    ) -> Result<(), OverlayError> {
        let wanted = self.wanted(original, place);
        for (name, kind) in existing {
            let keep = match kind {
                // Where it points to follows from where it stands.
                Kind::Link => wanted.contains(name),
                Kind::Dir => place.dirs.contains(name),
                Kind::File => place.files.contains(name),
            };
            if !keep {
                let path = mirror.join(name);
                remove(&path, *kind).map_err(|source| at(&path, source))?;
            }
        }
        for name in &place.dirs {
            let path = mirror.join(name);
            tolerate(fs::create_dir(&path), io::ErrorKind::AlreadyExists)
                .map_err(|source| at(&path, source))?;
        }
        for name in wanted.iter().filter(|name| existing.get(*name) != Some(&Kind::Link)) {
            let path = mirror.join(name);
            tolerate(link(&original.join(name), &path), io::ErrorKind::AlreadyExists)
                .map_err(|source| at(&path, source))?;
        }
        Ok(())
    }

    /// The entries of an original directory that are linked to. An unreadable directory has none.
    fn wanted(&self, original: &Path, place: &Place) -> BTreeSet<OsString> {
        let Ok(entries) = fs::read_dir(original) else { return BTreeSet::new() };
        let limit = if original.starts_with(&self.workspace) { usize::MAX } else { CROWDED };
        let entries = entries.filter_map(Result::ok).map(|entry| entry.file_name());
        let mut names: BTreeSet<OsString> = entries.take(limit.saturating_add(1)).collect();
        if names.len() > limit {
            return BTreeSet::new();
        }
        names.retain(|name| {
            !place.dirs.contains(name)
                && !place.files.contains(name)
                // Never a link to what the overlay itself is in.
                && !self.root.starts_with(original.join(name))
        });
        names
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Link,
    Dir,
    File,
}

/// What a directory of the overlay holds; makes the directory where it is missing.
fn entries_for(dir: &Path) -> io::Result<BTreeMap<OsString, Kind>> {
    fs::create_dir_all(dir)?;
    let mut entries = BTreeMap::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let kind = if kind.is_symlink() {
            Kind::Link
        } else if kind.is_dir() {
            Kind::Dir
        } else {
            Kind::File
        };
        entries.insert(entry.file_name(), kind);
    }
    Ok(entries)
}

fn remove(path: &Path, kind: Kind) -> io::Result<()> {
    let removed = match kind {
        Kind::Dir => fs::remove_dir_all(path),
        // A link to a directory is a directory to Windows.
        Kind::Link if cfg!(windows) && path.is_dir() => fs::remove_dir(path),
        Kind::Link | Kind::File => fs::remove_file(path),
    };
    tolerate(removed, io::ErrorKind::NotFound)
}

/// Treats one kind of error as success: another process did what was to be done.
fn tolerate(result: io::Result<()>, kind: io::ErrorKind) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == kind => Ok(()),
        other => other,
    }
}

/// Writes a file at one stroke, unless it says the same already: cargo looks at modification times.
pub(super) fn write_if_changed(path: &Path, text: &str) -> io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    let dir = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    io::Write::write_all(&mut file, text.as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(unix)]
fn link(original: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(original, link)
}

#[cfg(windows)]
fn link(original: &Path, link: &Path) -> io::Result<()> {
    let made = if original.is_dir() {
        std::os::windows::fs::symlink_dir(original, link)
    } else {
        std::os::windows::fs::symlink_file(original, link)
    };
    made.map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("{error}; turn on Windows' developer mode, which allows symbolic links"),
        )
    })
}

fn at(path: &Path, source: io::Error) -> OverlayError {
    OverlayError { path: path.to_owned(), source }
}

#[cfg(test)]
#[path = "tests/overlay.rs"]
mod tests;
