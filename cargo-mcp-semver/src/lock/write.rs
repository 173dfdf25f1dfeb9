//! The lockfile's way to disk: all of it or nothing.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use mcp_semver_build::{Lockfile, LockfileError};

/// What [`write()`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The file holds these contents now.
    Written,
    /// It held them already and was left alone.
    Unchanged,
}

/// Why a lockfile was not written; what was there before is still there.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The contents have no text.
    #[error(transparent)]
    Contents(#[from] LockfileError),
    /// The system refused.
    #[error("cannot write {}: {source}; {}", path.display(), if *existed { "the old file is unchanged" } else { "no file was written" })]
    Io {
        /// The file.
        path: PathBuf,
        /// Whether there was a file before.
        existed: bool,
        /// What the system said.
        source: io::Error,
    },
}

/// Writes a lockfile so that whoever reads the path finds the old file or the new one, also when
/// the process is killed on the way. A symbolic link stays one, and the file keeps its permissions.
///
/// # Errors
/// [`WriteError`]; a file marked read-only is not replaced.
pub fn write(path: &Path, lockfile: &Lockfile) -> Result<Written, WriteError> {
    let text = lockfile.to_yaml()?;
    write_text(path, &text).map_err(|source| WriteError::Io {
        path: path.to_owned(),
        existed: behind_links(path).is_file(),
        source,
    })
}

/// As [`write`], any text.
pub(crate) fn write_text(path: &Path, text: &str) -> io::Result<Written> {
    replace(&behind_links(path), text)
}

fn replace(file: &Path, text: &str) -> io::Result<Written> {
    let permissions = match fs::metadata(file) {
        Ok(old) if old.is_dir() => {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
        }
        Ok(old) => {
            if is_text(&fs::read(file)?, text) {
                return Ok(Written::Unchanged);
            }
            // A rename would not ask.
            if old.permissions().readonly() {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
            }
            Some(old.permissions())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let directory = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // The error itself names a path that nobody knows.
    let mut temporary = builder(permissions.is_none()).tempfile_in(directory).map_err(|error| {
        let kind = error.kind();
        io::Error::new(kind, format!("no file can be made in {}: {kind}", directory.display()))
    })?;
    temporary.write_all(text.as_bytes())?;
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions)?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(file).map_err(|error| error.error)?;
    // The rename itself reaches the disk with the directory; where directories cannot be opened
    // there is no way to ask for it, and the file is whole either way.
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
    Ok(Written::Written)
}

/// Whether a file holds the text, line ends aside: git may have given them Windows' form.
fn is_text(bytes: &[u8], text: &str) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|old| old == text || old.replace("\r\n", "\n") == text)
}

/// A temporary file beside the old one; for a new one with the permissions any new file has.
fn builder(is_new: bool) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".mcp-semver.").suffix(".tmp");
    #[cfg(unix)]
    if is_new {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

/// The path that symbolic links lead to, also where nothing is there yet.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many as systems follow; beyond that the write says what is wrong.
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}
