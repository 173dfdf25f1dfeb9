//! Running the probe.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use mcp_semver_build::probe::OUTPUT_VAR;

use crate::source::process::Group;

/// More than this is no catalogue.
const OUTPUT_LIMIT: u64 = 256 * 1024 * 1024;
/// How much of the end of standard error is shown.
const TAIL: u64 = 4096;

/// A probe that is ready to run.
#[derive(Debug)]
pub(super) struct Run<'a> {
    /// The executable.
    pub(super) executable: &'a Path,
    /// Its working directory: the package's, as for a test.
    pub(super) cwd: &'a Path,
    /// Where native libraries are that it may load.
    pub(super) libraries: &'a [PathBuf],
    /// A file of our own for its records; one beside it takes its standard error.
    pub(super) output: PathBuf,
    /// How long it may run.
    pub(super) limit: Duration,
}

/// How a run ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// What it wrote as records.
    pub(super) output: String,
    /// The end of its standard error.
    pub(super) stderr: String,
    /// How.
    pub(super) how: How,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// By itself.
    Exited(ExitStatus),
    /// It took too long.
    TimedOut,
    /// It wrote too much.
    TooMuch,
}

impl Run<'_> {
    /// Runs the probe to its end, or stops it at a limit.
    pub(super) fn run(&self) -> io::Result<Ended> {
        let errors = self.output.with_extension("stderr");
        // Nothing that an earlier run wrote may be taken for this one's.
        File::create(&self.output)?;
        let mut command = Command::new(self.executable);
        command
            .current_dir(self.cwd)
            .env(OUTPUT_VAR, &self.output)
            // Coverage flags in RUSTFLAGS make every program write a profile, here into the
            // user's source.
            .env("LLVM_PROFILE_FILE", self.output.with_extension("profraw"))
            .env(LIBRARY_PATH, self.library_path()?)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&errors)?);
        let mut group = Group::start(&mut command)?;
        let how = match self.stopped(&mut group, &errors)? {
            Some(how) => how,
            None => How::Exited(group.end(Duration::ZERO).ok_or(io::ErrorKind::Other)?),
        };
        drop(group);
        let output = if how == How::TooMuch { Vec::new() } else { std::fs::read(&self.output)? };
        Ok(Ended {
            output: String::from_utf8_lossy(&output).into_owned(),
            stderr: tail(&errors)?,
            how,
        })
    }

    /// Why it has to be stopped; `None` once it has ended by itself.
    fn stopped(&self, group: &mut Group, errors: &Path) -> io::Result<Option<How>> {
        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            if group.has_ended() {
                return Ok(None);
            }
            if started.elapsed() > self.limit {
                return Ok(Some(How::TimedOut));
            }
            for file in [&self.output, errors] {
                if std::fs::metadata(file)?.len() > OUTPUT_LIMIT {
                    return Ok(Some(How::TooMuch));
                }
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// The search path for shared libraries, as `cargo run` extends it.
    fn library_path(&self) -> io::Result<OsString> {
        let inherited = std::env::var_os(LIBRARY_PATH).unwrap_or_default();
        let inherited = std::env::split_paths(&inherited).filter(|dir| !dir.as_os_str().is_empty());
        std::env::join_paths(self.libraries.iter().cloned().chain(inherited))
            .map_err(io::Error::other)
    }
}

/// The variable that names where shared libraries are looked for.
const LIBRARY_PATH: &str = if cfg!(windows) {
    "PATH"
} else if cfg!(target_os = "macos") {
    "DYLD_FALLBACK_LIBRARY_PATH"
} else {
    "LD_LIBRARY_PATH"
};

fn tail(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
#[path = "tests/run.rs"]
mod tests;
