//! Room for what goes down one call after the other.

use std::{io, panic, thread};

/// Runs `work` on a stack of so many bytes, of which only what is used is taken; a panic of it goes
/// on here.
///
/// # Errors
/// The system gave no thread.
pub(crate) fn of<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work)?;
        Ok(worker.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked)))
    })
}
