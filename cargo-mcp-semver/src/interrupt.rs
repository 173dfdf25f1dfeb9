//! What has to be put in order when this process ends, also when it is told to end meanwhile.
//!
//! On Windows, what is told to end leaves its temporary directories behind.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};

/// How something is put in order.
pub(crate) type Undo = Box<dyn Fn() + Send>;

/// Something that is put in order when this is dropped, or when the process is told to end before.
#[derive(Debug)]
pub(crate) struct Guard(u64);

impl Drop for Guard {
    fn drop(&mut self) {
        let mut pending = Pending::lock();
        if let Some(undo) = pending.undo.remove(&self.0) {
            undo();
        }
    }
}

/// Does what has to be undone, and learns how; no interruption falls between the two.
///
/// # Errors
/// Those of `begin`, or the system allows no watching of signals; nothing was begun then.
pub(crate) fn begin<T>(begin: impl FnOnce() -> io::Result<(T, Undo)>) -> io::Result<(T, Guard)> {
    let mut pending = Pending::lock();
    #[cfg(unix)]
    pending.watch()?;
    let (begun, undo) = begin()?;
    let id = pending.begun;
    pending.begun += 1;
    pending.undo.insert(id, undo);
    Ok((begun, Guard(id)))
}

/// What is begun and not yet put in order, in the order it was begun.
struct Pending {
    #[cfg(unix)]
    is_watched: bool,
    begun: u64,
    undo: BTreeMap<u64, Undo>,
}

static PENDING: Mutex<Pending> = Mutex::new(Pending {
    #[cfg(unix)]
    is_watched: false,
    begun: 0,
    undo: BTreeMap::new(),
});

impl Pending {
    fn lock() -> MutexGuard<'static, Self> {
        PENDING.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on puts everything in order, and then ends this process as it would have ended
    /// anyway, when this process is told to end. One thread watches for good, since a signal that
    /// was once asked for never again ends a process by itself.
    #[cfg(unix)]
    fn watch(&mut self) -> io::Result<()> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

        if self.is_watched {
            return Ok(());
        }
        let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
        std::thread::Builder::new().name("interrupt".to_owned()).spawn(move || {
            for received in signals.forever() {
                let pending = Self::lock();
                // A process before the directory that it works in.
                pending.undo.values().rev().for_each(|undo| undo());
                let _ = signal_hook::low_level::emulate_default_handler(received);
            }
        })?;
        self.is_watched = true;
        Ok(())
    }
}

/// How often the removal of a directory is tried.
const TRIES: usize = 100;

/// A temporary directory.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    _guard: Guard,
}

impl Scratch {
    /// Makes an empty one.
    ///
    /// # Errors
    /// The system's, where it cannot be made.
    pub(crate) fn new() -> io::Result<Self> {
        let (path, _guard) = begin(|| {
            let path = tempfile::tempdir()?.keep();
            let made = path.clone();
            // Who is interrupted may be writing into it.
            let is_gone = move |_| fs::remove_dir_all(&made).is_ok() || !made.exists();
            let remove = move || {
                let _ = (0..TRIES).any(&is_gone);
            };
            Ok((path, Box::new(remove)))
        })?;
        Ok(Self { path, _guard })
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_directory_goes_with_what_lies_in_it() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.path().to_owned();
        fs::write(path.join("file"), "").unwrap();
        drop(scratch);
        assert!(!path.exists());
    }
}
