//! `lock`: recording the tools and their versions.

use mcp_semver_build::lockfile::{self, LockedPackage, LockfileError};

use crate::baseline::Baseline;
use crate::cli::args::{Format, Lock};
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::servers::{Pinned, read_pinned};
use crate::cli::shell::Shell;
use crate::lock::{self, Pin, Written};
use crate::report::{Failure, Run};
use crate::verdict::{Outcome, Status};

/// Locks every selected package, whatever came of the one before.
pub(super) fn run(args: &Lock, shell: Shell) -> Result<Exit, CommandError> {
    let pinned = read_pinned(&args.build, &args.lockfile, shell)?;
    let mut subjects = Vec::new();
    for pinned in &pinned {
        let subject = pinned.subject(lock(pinned, args.force, shell));
        // What was locked is told by the progress already; a program wants it all the same.
        if args.format.format == Format::Json || subject.exit_code() != 0 {
            subjects.push(subject);
        }
    }
    if subjects.is_empty() {
        return Ok(Exit::Ok);
    }
    let exit = output::report(&Run { subjects }, args.format.format, shell)?;
    Ok(exit)
}

/// The outcome asks for 0 when the file was written, for 2 when it was not because the version
/// does not cover the changes.
fn lock(pinned: &Pinned, force: bool, shell: Shell) -> Result<Outcome, Failure> {
    let settings = pinned.settings(shell)?;
    let path = &pinned.lockfile;
    let previous = match lockfile::Lockfile::read(path) {
        Ok(lockfile) => Some(lockfile),
        Err(LockfileError::Missing { .. }) => None,
        Err(error) => return Err(Failure::of(&error)),
    };
    let mut outcome = match &previous {
        Some(previous) => pinned.compare(&Baseline::from(previous.clone()), &settings),
        None => pinned.compare(&Baseline::default(), &settings),
    };
    if outcome.exit_code == 2 && !force {
        return Ok(outcome);
    }
    let pin = Pin {
        package: Some(LockedPackage {
            name: pinned.server.name.clone(),
            version: pinned.server.version.clone(),
        }),
        sdk: pinned.server.sourced.sdk.clone(),
        tools: settings.versions.unwrap_or_default(),
        ..Pin::default()
    };
    let next = lock::plan(previous.as_ref(), &pinned.server.sourced.catalogue, &pin);
    let written = lock::write(path, &next).map_err(|error| Failure::of(&error))?;
    outcome.exit_code = 0;
    tell(pinned, &outcome, written, shell);
    Ok(outcome)
}

/// Says what was written, as `cargo update` does.
fn tell(pinned: &Pinned, outcome: &Outcome, written: Written, shell: Shell) {
    for tool in &outcome.tools {
        match tool.status {
            Status::Added => shell.status("Adding", &tool.name),
            Status::Removed => shell.status("Removing", &tool.name),
            Status::Changed => {
                shell.status("Updating", &format!("{} ({})", tool.name, tool.grade));
            }
            Status::Unchanged => {}
        }
    }
    let verb = match written {
        Written::Written => "Locked",
        Written::Unchanged => "Unchanged",
    };
    let count = pinned.server.sourced.catalogue.len();
    let tools = if count == 1 { "tool" } else { "tools" };
    let path = pinned.lockfile.display();
    shell.status(verb, &format!("{count} {tools} of {} in {path}", pinned.title()));
}
