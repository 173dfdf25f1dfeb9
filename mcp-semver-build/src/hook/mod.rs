//! The build-script hook: the contracts of a server, known to its own build.
//!
//! ```no_run
//! // In the `main` of build.rs:
//! mcp_semver_build::snapshot();
//! ```
//!
//! Each build evaluates the source (see [`evaluate`](crate::evaluate)), and writes into `OUT_DIR`
//! a [`Snapshot`] for `cargo mcp-semver` and a Rust module with the version and digest of each
//! tool, which the server includes:
//!
//! ```ignore
//! mod tool_versions {
//!     include!(concat!(env!("OUT_DIR"), "/mcp_semver_tools.rs"));
//! }
//! // tool_versions::TOOLS: &[(name, version, digest)], tool_versions::tool(name)
//! ```
//!
//! Where a contract is not what the lockfile says, or none is known, the build warns. It never
//! fails, with one exception: when `cargo publish` or `cargo package` verifies the package and its
//! lockfile is not in it, was written for another package or version, or says something else than the source.
//! What the source does not tell is a warning there.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use crate::lockfile::{FILE_NAME, Lockfile, LockfileError};

mod absent;
mod environment;
mod guard;
mod manifest;
mod module;
mod snapshot;
mod units;
mod versions;

use environment::Environment;
use manifest::Manifest;
pub use snapshot::{SNAPSHOT_FILE, Snapshot, SnapshotError};

/// The generated module, in `OUT_DIR`; it makes no tools.
pub(crate) const MODULE_FILE: &str = "mcp_semver_tools.rs";

/// What a build script does, see the [module](self).
///
/// Outside of a build script it does nothing. What cannot be done is a warning of the build.
pub fn snapshot() {
    let Some(environment) = Environment::of_build_script() else {
        say("warning", "mcp_semver_build::snapshot() works in a build script only");
        return;
    };
    // A panic must not fail the build; a thread that panics can be waited for.
    let environment = &environment;
    let done = std::thread::scope(|scope| {
        let work = || run(environment);
        Ok::<_, io::Error>(std::thread::Builder::new().spawn_scoped(scope, work)?.join())
    });
    let faults = match done {
        Ok(Ok(Ok(faults))) => faults,
        Ok(Ok(Err(error))) | Err(error) => {
            unrecorded(environment, format!("the tool contracts could not be recorded: {error}"))
        }
        Ok(Err(_)) => {
            let what = "the evaluation of the tool contracts panicked; please report it";
            unrecorded(environment, what.to_owned())
        }
    };
    ensure_module(environment);
    if !faults.is_empty() {
        faults.iter().for_each(|fault| say("error", &line(fault)));
        std::process::exit(1);
    }
}

/// What keeps a package that was not checked from being published is a warning of other builds.
fn unrecorded(environment: &Environment, what: String) -> Vec<String> {
    if environment.is_verification() {
        return vec![what];
    }
    warn(&what);
    Vec::new()
}

/// Why the package must not be published, each one sentence; none in any other build.
fn run(environment: &Environment) -> io::Result<Vec<String>> {
    let manifest = Manifest::read(&environment.directory)?;
    let lock = environment.cargo_lock(&manifest.workspace);
    let evaluation =
        units::evaluate(environment, &manifest, lock.as_ref().map(|(_, text)| &**text));
    let snapshot = Snapshot::new(environment, evaluation);
    let path = environment.directory.join(FILE_NAME);
    let lockfile = match Lockfile::read(&path) {
        Ok(lockfile) => Some(lockfile),
        Err(LockfileError::Missing { .. }) => None,
        Err(error) if environment.is_verification() => return Ok(vec![error.to_string()]),
        Err(error) => {
            warn(&error.to_string());
            None
        }
    };
    let mut read = snapshot.evaluation.files.clone();
    read.insert(manifest.path.clone());
    read.extend(lock.map(|(path, _)| path));
    let mut absent = snapshot.evaluation.absent.clone();
    // The lockfile, and where cargo finds targets that the manifest does not name.
    let found = ["src/bin", "src/lib.rs", "src/main.rs"].map(|it| environment.directory.join(it));
    for path in std::iter::once(path).chain(found) {
        let known = if path.exists() { &mut read } else { &mut absent };
        known.insert(path);
    }
    read.iter().for_each(|path| rerun_if_changed(path));
    match absent::watched(&environment.out_dir, &absent) {
        Ok(directory) => directory.iter().for_each(|path| rerun_if_changed(path)),
        Err(error) => warn(&format!("files that appear will not be noticed: {error}")),
    }
    let tools = versions::of(&snapshot, lockfile.as_ref(), &manifest.versions);
    write_if_changed(&environment.out_dir.join(MODULE_FILE), &module::text(&tools))?;
    write_if_changed(&environment.out_dir.join(SNAPSHOT_FILE), &snapshot.to_json()?)?;
    if environment.is_verification() {
        guard::unchecked(&snapshot, &environment.directory).iter().for_each(|what| warn(what));
        return Ok(guard::faults(&snapshot, lockfile.as_ref()));
    }
    if !environment.is_dependency() {
        guard::nothing_known(&snapshot, &environment.directory).iter().for_each(|why| warn(why));
        let drift = lockfile.map(|lockfile| guard::drift(&snapshot, &lockfile));
        drift.iter().flatten().for_each(|moved| warn(moved));
    }
    Ok(Vec::new())
}

/// The server includes the module whatever happened.
fn ensure_module(environment: &Environment) {
    let path = environment.out_dir.join(MODULE_FILE);
    if !path.exists()
        && let Err(error) = fs::write(&path, module::text(&[]))
    {
        warn(&format!("cannot write {}: {error}", path.display()));
    }
}

/// Cargo and rustc go by the time of change.
fn write_if_changed(path: &Path, text: &str) -> io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        Ok(())
    } else {
        fs::write(path, text)
    }
}

fn rerun_if_changed(path: &Path) {
    say("rerun-if-changed", &path.display().to_string());
}

fn warn(message: &str) {
    say("warning", &line(message));
}

/// Tells cargo; where nobody listens, nothing is lost.
fn say(key: &str, value: &str) {
    let _ = writeln!(io::stdout(), "cargo::{key}={value}");
}

/// A message on one line, as cargo reads it.
fn line(message: &str) -> String {
    message.lines().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
