//! `lock`: recording the tools and their versions.

use std::io::{self, BufRead};

use mcp_semver_build::lockfile::{LockedPackage, Lockfile};

use crate::baseline::Baseline;
use crate::cli::args::Lock;
use crate::cli::baseline::BaselineArgs;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::format::Format;
use crate::cli::review::{self, Review, Reviewed};
use crate::cli::servers::{Found, Judging, Pinned, Reading};
use crate::cli::shell::Shell;
use crate::cli::{locked, output};
use crate::compare;
use crate::gate::Gate;
use crate::lock::{self, Pin, Written};
use crate::metadata::Settings;
use crate::report::visible::visible;
use crate::report::{Failure, Run, Subject};
use crate::suggest::nearest;
use crate::verdict::{Outcome, PackageReport, Status, ToolReport, Verdict};

/// Locks every selected package, whatever came of the one before.
pub(super) fn run(args: &Lock, shell: Shell) -> Result<Exit, CommandError> {
    if args.review {
        let is_stdin =
            [("--tools", args.source.is_stdin()), ("--baseline", args.baseline.is_stdin())];
        if let Some((flag, _)) = is_stdin.into_iter().find(|(_, is_stdin)| *is_stdin) {
            return Err(CommandError::StdinForReview { flag });
        }
        review::require_terminal()?;
    }
    let found = find(args, shell)?;
    let confirmed = confirmed(&args.confirm, &found)?;
    let mut subjects = Vec::new();
    let mut refused = Vec::new();
    let wants_all = !matches!(args.format.format, Format::Human | Format::Github);
    let mut add = |subject: Subject, refusal: &dyn Fn(&Outcome) -> Failure| {
        // After a review the file is written and lags behind what was not accepted.
        match &subject.result {
            Ok(outcome)
                if outcome.exit_code == Exit::Violation as u8 && outcome.stale.is_none() =>
            {
                refused.push(refusal(outcome));
            }
            _ => {}
        }
        // What was locked is told by the progress already; a program wants it all the same.
        if wants_all || subject.exit_code() != 0 {
            subjects.push(subject);
        }
    };
    let mut input = io::stdin().lock();
    match &found {
        Found::Packages(pinned, failed) => {
            for pinned in pinned {
                let locked =
                    lock_with(pinned, &args.baseline, locking(args, &confirmed, &mut input), shell);
                add(pinned.subject(locked), &|outcome| refusal(pinned, outcome));
            }
            subjects.extend_from_slice(failed);
        }
        Found::Loose(loose) => {
            let locked = loose.lock(&args.baseline, locking(args, &confirmed, &mut input), shell);
            add(loose.subject(locked), &|_| loose.refusal());
        }
    }
    if subjects.is_empty() {
        return Ok(Exit::Ok);
    }
    let exit = output::report(&Run { subjects }, args.format.format, shell)?;
    refused.iter().for_each(|refusal| shell.failure(refusal));
    Ok(exit)
}

fn find(args: &Lock, shell: Shell) -> Result<Found, CommandError> {
    let Lock { build, source, identity, lockfile, baseline, gate, .. } = args;
    Reading { build, source, identity, lockfile, baseline, gate: gate.gate }.read(shell)
}

/// The tools that `--confirm` names; a name may be written as reports show it.
fn confirmed(names: &[String], found: &Found) -> Result<Vec<String>, CommandError> {
    let tools: Vec<&str> = match found {
        Found::Packages(pinned, _) => pinned.iter().flat_map(Pinned::tool_names).collect(),
        Found::Loose(loose) => loose.tool_names().collect(),
    };
    let tool = |name: &String| {
        let is_meant = |tool: &&&str| **tool == name || visible(tool).to_string() == *name;
        let known = || nearest(name, tools.iter().copied()).map(str::to_owned);
        let unknown = || CommandError::NoTool { name: name.clone(), nearest: known() };
        tools.iter().find(is_meant).map(|tool| (*tool).to_owned()).ok_or_else(unknown)
    };
    names.iter().map(tool).collect()
}

fn refusal(pinned: &Pinned, outcome: &Outcome) -> Failure {
    let version = &pinned.server.version;
    let command = pinned.remedy.force_command();
    let help = format!(
        "raise the version first, or record the changes under {version} all the same with \
         `{command}`"
    );
    Failure {
        messages: vec![format!("{} was not written", pinned.lockfile.display())],
        causes: Vec::new(),
        help: uncovered(outcome).then_some(help).into_iter().collect(),
    }
}

/// Whether a version does not cover what changed, besides what a person has to confirm.
pub(super) fn uncovered(outcome: &Outcome) -> bool {
    let tools = outcome.tools.iter().map(|tool| tool.verdict);
    let package = outcome.package.iter().map(|package| package.verdict);
    tools.chain(package).any(|verdict| verdict == Verdict::Violation)
}

/// How to lock.
pub(super) struct Locking<'a> {
    /// Also where the version does not cover the changes.
    pub(super) force: bool,
    /// Tools of which a person confirms the texts.
    pub(super) confirmed: &'a [String],
    /// When versions must cover changes, where that is not as the settings say.
    pub(super) gate: Option<Gate>,
    /// Where a person's decisions come from, if each change is decided about.
    pub(super) review: Option<&'a mut dyn BufRead>,
}

/// As the flags say; `input` answers a review.
fn locking<'a>(args: &Lock, confirmed: &'a [String], input: &'a mut dyn BufRead) -> Locking<'a> {
    let (force, gate) = (args.force, args.gate.gate);
    Locking { force, confirmed, gate, review: args.review.then_some(input) }
}

/// Locks without a review.
#[cfg(test)]
pub(super) fn lock(
    pinned: &Pinned,
    against: &BaselineArgs,
    force: bool,
    shell: Shell,
) -> Result<Outcome, Failure> {
    lock_with(pinned, against, Locking { force, confirmed: &[], gate: None, review: None }, shell)
}

/// The outcome asks for 0 when the file says what the tools are, for 2 when it was not written
/// because the version does not cover the changes, or when changes were not accepted.
pub(super) fn lock_with(
    pinned: &Pinned,
    against: &BaselineArgs,
    locking: Locking<'_>,
    shell: Shell,
) -> Result<Outcome, Failure> {
    let settings = pinned.settings(shell)?;
    let path = &pinned.lockfile;
    let previous = locked::read(path, &pinned.server.sourced.catalogue)?;
    if let Some(previous) = previous.as_ref().filter(|_| !locking.force) {
        pinned.require_possible_versions(previous, &settings)?;
    }
    let locked = previous.clone().map(Baseline::from).unwrap_or_default();
    let chosen = against.read(pinned)?;
    let baseline = chosen.as_ref().map_or(&locked, |chosen| &chosen.baseline);
    let gate = locking.gate.unwrap_or(settings.gate);
    let judging = |confirmed| Judging { settings: &settings, gate, confirmed };
    let mut confirmed = compare::confirmed(&locked, &pinned.side());
    confirmed.extend(locking.confirmed.iter().cloned());
    let since_locked = pinned.compare(&locked, judging(confirmed.clone()));
    let reviewed = Reviewed {
        name: &pinned.server.name,
        directory: pinned.directory(),
        outcome: &since_locked,
        sources: shell.sources(),
    };
    let decided = Review::of(&reviewed, locking.review)?;
    confirmed.extend(decided.confirmed.iter().cloned());
    let next = planned(pinned, previous.as_ref(), &settings, &decided);
    let new = Baseline::from(next.clone());
    let mut outcome = pinned.compare_sides(baseline, &new, judging(confirmed));
    outcome.notes.extend(chosen.as_ref().and_then(|chosen| chosen.note.clone()));
    if refuses(&outcome, locking.force) {
        return Ok(outcome);
    }
    let written = lock::write(path, &next).map_err(|error| Failure::of(&error))?;
    outcome.exit_code = Exit::Ok as u8;
    // What the file gains is not what changed since another baseline.
    let gained = since_locked.tools.iter().filter(|tool| decided.accepts(&tool.name));
    tell(gained.clone(), previous.as_ref(), &next, shell);
    warn(gained, shell);
    if let Some(package) = outcome.package.as_ref().filter(|package| package.deferred) {
        let PackageReport { required, required_version, .. } = package;
        shell.note(&format!(
            "the next release needs {required_version}: this is a {required} change"
        ));
    }
    let verb = match written {
        Written::Written => "Locked",
        Written::Unchanged => "Unchanged",
    };
    shell.status(verb, &format!("{} in {}", pinned.tools(), path.display()));
    if let Some(left) = decided.left() {
        shell.failure(&left);
        outcome.require_fresh(pinned.stale(&new));
    }
    Ok(outcome)
}

/// Whether nothing is written: `--force` says that versions need not cover the changes, and not
/// that somebody has read what the texts tell a model.
pub(super) fn refuses(outcome: &Outcome, force: bool) -> bool {
    let unconfirmed = outcome.tools.iter().any(ToolReport::needs_confirmation);
    unconfirmed || outcome.exit_code == Exit::Violation as u8 && !force
}

/// The next lockfile, in which what was not accepted stays what it is.
fn planned(
    pinned: &Pinned,
    previous: Option<&Lockfile>,
    settings: &Settings,
    decided: &Review,
) -> Lockfile {
    let pin = Pin {
        package: Some(LockedPackage {
            name: pinned.server.name.clone(),
            version: pinned.server.version.clone(),
            reviewed: None,
        }),
        sdk: pinned.server.sourced.sdk.clone(),
        tools: settings.versions.clone().unwrap_or_default(),
        ..Pin::default()
    };
    let mut next = lock::plan(previous, &pinned.server.sourced.catalogue, &pin);
    decided.put_back(previous, &mut next);
    for tool in &pinned.server.sourced.unchecked {
        if let Some(before) = previous.and_then(|previous| previous.tools.get(tool)) {
            next.tools.insert(tool.clone(), before.clone());
        }
    }
    // What is left is still measured from the version, and explained by the SDK, under which its
    // entry was written.
    if let Some(previous) = previous.filter(|_| decided.left().is_some()) {
        next.sdk.clone_from(&previous.sdk);
        let pinned = next.tools.values().map(|tool| tool.semver.clone()).max();
        let pinned = pinned.filter(|_| settings.versions.is_none());
        next.package = previous.package.clone().map(|package| LockedPackage {
            reviewed: pinned.filter(|version| *version > package.version),
            ..package
        });
    }
    next
}

/// Says what may mislead an agent and is locked all the same: a report of what is covered is not
/// shown.
pub(super) fn warn<'a>(tools: impl IntoIterator<Item = &'a ToolReport>, shell: Shell) {
    for finding in tools.into_iter().flat_map(|tool| &tool.findings) {
        if finding.rule.security {
            let allowed = if finding.is_allowed() { " (allowed)" } else { "" };
            shell.warning(&format!("{}: {}{allowed}", finding.rule.id, finding.message));
        }
    }
}

/// Says which tools moved from which version to which, as `cargo update` does.
pub(super) fn tell<'a>(
    tools: impl IntoIterator<Item = &'a ToolReport>,
    previous: Option<&Lockfile>,
    next: &Lockfile,
    shell: Shell,
) {
    let version = |lockfile: &Lockfile, name: &str| {
        lockfile.tools.get(name).map(|tool| format!(" v{}", tool.semver)).unwrap_or_default()
    };
    for tool in tools {
        let name = tool.name.as_str();
        let before = previous.map(|previous| version(previous, name)).unwrap_or_default();
        let after = version(next, name);
        match tool.status {
            Status::Added => shell.status("Adding", &format!("{name}{after}")),
            Status::Removed => shell.status("Removing", &format!("{name}{before}")),
            Status::Changed if before == after => {
                shell.status("Updating", &format!("{name}{after} ({})", tool.grade));
            }
            Status::Changed => {
                shell.status("Updating", &format!("{name}{before} ->{after} ({})", tool.grade));
            }
            Status::Unchanged => {}
        }
    }
}

#[cfg(test)]
mod tests;
