//! `check`: whether the declared version covers what changed since the lockfile.

use mcp_semver_build::lockfile::{self, LockfileError};

use crate::baseline::Baseline;
use crate::cli::args::Check;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::servers::{Pinned, read_pinned};
use crate::cli::shell::Shell;
use crate::report::{Failure, Run};
use crate::verdict::Outcome;

/// Checks every selected package, whatever came of the one before.
pub(super) fn run(args: &Check, shell: Shell) -> Result<Exit, CommandError> {
    let pinned = read_pinned(&args.build, &args.lockfile, shell)?;
    let subjects = pinned
        .iter()
        .map(|pinned| {
            let lockfile = pinned.lockfile.display();
            shell.status("Checking", &format!("{} against {lockfile}", pinned.tools()));
            pinned.subject(check(pinned, shell))
        })
        .collect();
    output::report(&Run { subjects }, args.format.format, shell)
}

pub(super) fn check(pinned: &Pinned, shell: Shell) -> Result<Outcome, Failure> {
    let settings = pinned.settings(shell)?;
    let lockfile = lockfile::Lockfile::read(&pinned.lockfile).map_err(|error| {
        let mut failure = Failure::of(&error);
        if matches!(error, LockfileError::Missing { .. }) {
            let command = &pinned.remedy.lock_command;
            failure.help.push(format!(
                "record the tools as they are now with `{command}`, and commit the file"
            ));
        }
        failure
    })?;
    Ok(pinned.compare(&Baseline::from(lockfile), &settings))
}
