//! The lines of source that findings point at.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

/// No source that somebody wrote is longer, in bytes.
const MAX_FILE: u64 = 8 << 20;

/// Source files, read when a report needs them, each once.
#[derive(Debug)]
pub struct Sources {
    before: SystemTime,
    files: RefCell<HashMap<PathBuf, Option<Rc<str>>>>,
}

impl Sources {
    /// The files that were not written since `before`, which is when the tools were read or
    /// earlier: in a file that has changed the places of the findings hold something else.
    pub fn written_before(before: SystemTime) -> Self {
        Self { before, files: RefCell::default() }
    }

    /// No files at all.
    pub fn none() -> Self {
        Self::written_before(SystemTime::UNIX_EPOCH)
    }

    /// The text of a file; `None` where it cannot be read, is too long or has changed.
    pub(super) fn text(&self, path: &Path) -> Option<Rc<str>> {
        let mut files = self.files.borrow_mut();
        files.entry(path.to_owned()).or_insert_with(|| self.read(path)).clone()
    }

    fn read(&self, path: &Path) -> Option<Rc<str>> {
        let about = fs::metadata(path).ok()?;
        let is_read = about.is_file() && about.len() <= MAX_FILE;
        // Where the system does not say when it was written, nothing says that it is the same.
        let is_same = about.modified().is_ok_and(|written| written <= self.before);
        if is_read && is_same { fs::read_to_string(path).ok().map(Rc::from) } else { None }
    }
}
