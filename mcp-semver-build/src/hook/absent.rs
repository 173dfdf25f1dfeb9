//! Files that are not there, for cargo to see them come.

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The directory of links, in `OUT_DIR`.
const DIRECTORY: &str = "mcp-semver-absent";

/// Makes a directory that cargo takes for changed once one of `paths` is there; `None` where links
/// cannot be made, or where there is nothing to wait for.
///
/// A path that does not exist would run the script in every build. Of a directory cargo looks at
/// all that is inside, follows links, and passes over those that lead nowhere (The Cargo Book,
/// "rerun-if-changed"); a link that leads somewhere is younger than this run.
///
/// # Errors
/// The directory cannot be made.
pub(super) fn watched(out_dir: &Path, paths: &BTreeSet<PathBuf>) -> io::Result<Option<PathBuf>> {
    let directory = out_dir.join(DIRECTORY);
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    if !cfg!(unix) || paths.is_empty() {
        return Ok(None);
    }
    fs::create_dir(&directory)?;
    for (index, path) in paths.iter().enumerate() {
        link(path, &directory.join(index.to_string()))?;
    }
    // The directory itself has not changed since the script was started.
    File::open(&directory)?.set_times(FileTimes::new().set_modified(SystemTime::UNIX_EPOCH))?;
    Ok(Some(directory))
}

#[cfg(unix)]
fn link(path: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(path, at)
}

/// Elsewhere links take a right that few have.
#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
