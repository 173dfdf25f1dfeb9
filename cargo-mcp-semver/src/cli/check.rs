//! `check`: whether the declared version covers what changed since the lockfile.

use std::collections::BTreeSet;
use std::mem::ManuallyDrop;

use crate::cli::args::Check;
use crate::cli::baseline::BaselineArgs;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::servers::{Found, Judging, Pinned, Reading};
use crate::cli::shell::Shell;
use crate::cli::{output, served};
use crate::compare;
use crate::gate::Gate;
use crate::metadata::Settings;
use crate::report::{Failure, Run};
use crate::verdict::Outcome;

/// Checks every selected package, whatever came of the one before.
pub(super) fn run(args: &Check, shell: Shell) -> Result<Exit, CommandError> {
    if args.compare_build {
        return served::run(args, shell);
    }
    let Check { build, source, identity, lockfile, baseline, gate, .. } = args;
    // What is read is never dropped: the process ends with the report, and to free a big catalogue
    // piece by piece takes a tenth of the time.
    let reading = Reading { build, source, identity, lockfile, baseline, gate: gate.gate };
    let subjects = match reading.read(shell)? {
        Found::Packages(pinned, failed) => ManuallyDrop::new(pinned)
            .iter()
            .map(|pinned| pinned.subject(measure(pinned, baseline, gate.gate, shell)))
            .chain(failed)
            .collect(),
        Found::Loose(loose) => {
            let loose = ManuallyDrop::new(loose);
            vec![loose.subject(loose.check(baseline, shell))]
        }
    };
    output::report(&Run { subjects }, args.format.format, shell)
}

/// Compares a package with what the flags name, else with its lockfile, and decides; `gate` goes
/// before what the package's settings say.
pub(super) fn measure(
    pinned: &Pinned,
    against: &BaselineArgs,
    gate: Option<Gate>,
    shell: Shell,
) -> Result<Outcome, Failure> {
    measure_by(&pinned.settings(shell)?, pinned, against, gate, shell)
}

/// As [`measure`], for settings that were read before.
pub(super) fn measure_by(
    settings: &Settings,
    pinned: &Pinned,
    against: &BaselineArgs,
    gate: Option<Gate>,
    shell: Shell,
) -> Result<Outcome, Failure> {
    let checking =
        |name: &str| shell.status("Checking", &format!("{} against {name}", pinned.tools()));
    let gate = gate.unwrap_or(settings.gate);
    if gate == Gate::Always {
        against.require_release(settings.gate)?;
    }
    let judging = |confirmed| Judging { settings, gate, confirmed };
    let Some(chosen) = against.read(pinned)? else {
        let lockfile = pinned.own_lockfile(settings)?;
        checking(&pinned.lockfile.display().to_string());
        let mut outcome = pinned.compare(&lockfile, judging(BTreeSet::new()));
        if gate == Gate::Release {
            outcome.require_fresh(pinned.stale(&lockfile));
        }
        return Ok(outcome);
    };
    checking(&chosen.name);
    let must_be_fresh = against.is_past() || gate == Gate::Release;
    let locked = match pinned.own_lockfile(settings) {
        Ok(locked) => Some(locked),
        Err(_) if !must_be_fresh => None,
        Err(failure) => return Err(failure),
    };
    let confirmed = locked.as_ref().map(|locked| compare::confirmed(locked, &pinned.side()));
    let mut outcome = pinned.compare(&chosen.baseline, judging(confirmed.unwrap_or_default()));
    outcome.notes.extend(chosen.note);
    if let Some(locked) = locked.filter(|_| must_be_fresh) {
        outcome.require_fresh(pinned.stale(&locked));
    }
    Ok(outcome)
}
