//! Servers that are no package here: their tools are compared and locked without a version that
//! gates them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use mcp_semver_build::lockfile::{FILE_NAME, LockfileError};
use semver::Version;

use crate::baseline::Baseline;
use crate::cli::args::Lockfile as LockfileArgs;
use crate::cli::baseline::BaselineArgs;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::lock::{Locking, refuses, tell, warn};
use crate::cli::locked;
use crate::cli::review::{Review, Reviewed};
use crate::cli::shell::Shell;
use crate::cli::source::{IdentityArgs, SourceArgs};
use crate::cli::versions;
use crate::compare;
use crate::gate::{self, Declared};
use crate::lock::{self, Pin, Written};
use crate::report::{Failure, Remedy, Subject, quoted};
use crate::source::Sourced;
use crate::verdict::Outcome;

/// A server with what a comparing command needs beside it.
pub(super) struct Loose {
    name: String,
    sourced: Sourced,
    /// See [`Subject::directory`].
    directory: PathBuf,
    lockfile: PathBuf,
    /// The command that records its tools.
    lock_command: String,
    generated_for: Option<String>,
    declared: Option<BTreeMap<String, Version>>,
}

impl Loose {
    /// A server whose tools were read from `source`, or from a package in a directory.
    pub(super) fn new(
        sourced: Sourced,
        directory: PathBuf,
        source: &SourceArgs,
        identity: &IdentityArgs,
        lockfile: &LockfileArgs,
    ) -> Result<Self, CommandError> {
        let declared = identity.declared.as_deref().map(versions::read).transpose()?;
        let path = lockfile.path.clone().unwrap_or_else(|| FILE_NAME.into());
        let mut lock_command = "cargo mcp-semver lock".to_owned();
        let mut flag = |name: &str, value: &str| {
            lock_command += &format!(" {name} {}", quoted(value));
        };
        if let Some(path) = &lockfile.path {
            flag("--lockfile", &path.to_string_lossy());
        }
        if let Some(path) = &identity.declared {
            flag("--declared", &path.to_string_lossy());
        }
        if let Some(name) = &identity.generated_for {
            flag("--generated-for", name);
        }
        lock_command += &source.flags();
        let named = identity.generated_for.clone().or_else(|| sourced.server_name.clone());
        Ok(Self {
            name: named.or_else(|| source.name()).unwrap_or_default(),
            lockfile: path,
            lock_command,
            generated_for: identity.generated_for.clone(),
            declared,
            sourced,
            directory,
        })
    }

    /// Whether its tools are covered by the versions declared for them.
    pub(super) fn check(&self, against: &BaselineArgs, shell: Shell) -> Result<Outcome, Failure> {
        let lockfile = self.lockfile.display().to_string();
        let checking =
            |name: &str| shell.status("Checking", &format!("{} against {name}", self.tools()));
        let side = self.side();
        let Some((baseline, name)) = self.chosen(against)? else {
            let locked = self.locked()?;
            checking(&lockfile);
            return Ok(self.compare(&locked, &side, BTreeSet::new()));
        };
        checking(&name);
        let locked = match self.locked() {
            Ok(locked) => Some(locked),
            Err(_) if !against.is_past() => None,
            Err(failure) => return Err(failure),
        };
        let confirmed = locked.as_ref().map(|locked| compare::confirmed(locked, &side));
        let mut outcome = self.compare(&baseline, &side, confirmed.unwrap_or_default());
        if let Some(locked) = locked.filter(|_| against.is_past()) {
            outcome.require_fresh(locked::stale(&locked, &side));
        }
        Ok(outcome)
    }

    /// The lockfile as it lies there.
    fn locked(&self) -> Result<Baseline, Failure> {
        let locked = locked::read(&self.lockfile, &self.sourced.catalogue)?;
        locked.map(Baseline::from).ok_or_else(|| self.missing())
    }

    /// Records its tools; the outcome asks for 2 when the versions declared do not cover what
    /// changed, and nothing was written.
    pub(super) fn lock(
        &self,
        against: &BaselineArgs,
        locking: Locking<'_>,
        shell: Shell,
    ) -> Result<Outcome, Failure> {
        let previous = locked::read(&self.lockfile, &self.sourced.catalogue)?;
        let locked = previous.clone().map(Baseline::from).unwrap_or_default();
        let chosen = self.chosen(against)?;
        let mut known = compare::confirmed(&locked, &self.side());
        known.extend(locking.confirmed.iter().cloned());
        let since_locked = self.compare(&locked, &self.side(), known.clone());
        let reviewed = Reviewed {
            name: &self.name,
            directory: self.directory.clone(),
            outcome: &since_locked,
            sources: shell.sources(),
        };
        let decided = Review::of(&reviewed, locking.review)?;
        known.extend(decided.confirmed.iter().cloned());
        let first = || previous.is_none().then(|| self.name.clone());
        let pin = Pin {
            generated_for: self.generated_for.clone().or_else(first),
            tools: self.declared.clone().unwrap_or_default(),
            ..Pin::default()
        };
        let mut next = lock::plan(previous.as_ref(), &self.sourced.catalogue, &pin);
        decided.put_back(previous.as_ref(), &mut next);
        let new = Baseline::from(next.clone());
        let baseline = chosen.as_ref().map_or(&locked, |(baseline, _)| baseline);
        let mut outcome = self.compare(baseline, &new, known);
        if refuses(&outcome, locking.force) {
            return Ok(outcome);
        }
        let written = lock::write(&self.lockfile, &next).map_err(|error| Failure::of(&error))?;
        let gained = since_locked.tools.iter().filter(|tool| decided.accepts(&tool.name));
        tell(gained.clone(), previous.as_ref(), &next, shell);
        warn(gained, shell);
        let verb = match written {
            Written::Written => "Locked",
            Written::Unchanged => "Unchanged",
        };
        shell.status(verb, &format!("{} in {}", self.tools(), self.lockfile.display()));
        outcome.exit_code = Exit::Ok as u8;
        if let Some(left) = decided.left() {
            shell.failure(&left);
            outcome.require_fresh(locked::stale(&new, &self.side()));
        }
        Ok(outcome)
    }

    /// What is said when `lock` refused; the report says what to do.
    pub(super) fn refusal(&self) -> Failure {
        Failure {
            messages: vec![format!("{} was not written", self.lockfile.display())],
            causes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// The names of its tools.
    pub(super) fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.sourced.catalogue.names()
    }

    /// The same as one subject of a report.
    pub(super) fn subject(&self, result: Result<Outcome, Failure>) -> Subject {
        Subject {
            name: self.name.clone(),
            version: None,
            directory: self.directory.clone(),
            result,
            remedy: Some(Remedy {
                manifest: None,
                shared_version: false,
                lock_command: self.lock_command.clone(),
            }),
        }
    }

    fn side(&self) -> Baseline {
        Baseline::from(&self.sourced.catalogue)
    }

    fn compare(&self, baseline: &Baseline, new: &Baseline, confirmed: BTreeSet<String>) -> Outcome {
        let declared = Declared { tools: self.declared.clone(), confirmed, ..Declared::default() };
        let changes = compare::compare(baseline, new);
        let mut outcome = gate::decide(baseline, &declared, changes);
        outcome.notes.extend(self.sourced.notes.iter().cloned());
        self.sourced.locate(&mut outcome.tools);
        outcome
    }

    fn missing(&self) -> Failure {
        let mut failure = Failure::of(&LockfileError::Missing { path: self.lockfile.clone() });
        let command = &self.lock_command;
        failure.help.push(format!("record the tools as they are now with `{command}`"));
        failure
    }

    /// What the flags name in place of the lockfile.
    fn chosen(&self, against: &BaselineArgs) -> Result<Option<(Baseline, String)>, Failure> {
        if against.baseline_version.is_some() {
            return Err(Failure {
                messages: vec![format!("{} is no package, so none of it is published", self.name)],
                causes: Vec::new(),
                help: vec![
                    "compare with a file or a git revision: `--baseline FILE`, `--baseline-rev REV`"
                        .to_owned(),
                ],
            });
        }
        let Some(revision) = &against.baseline_rev else { return against.file() };
        let locked = Baseline::file_at_revision(&self.lockfile, revision);
        let baseline = locked.map_err(|error| Failure {
            help: error.help().into_iter().collect(),
            ..Failure::of(&error)
        })?;
        Ok(Some((baseline, format!("{} at {revision}", self.lockfile.display()))))
    }

    fn tools(&self) -> String {
        let count = self.sourced.catalogue.len();
        let tools = if count == 1 { "tool" } else { "tools" };
        format!("{count} {tools} of {}", self.name)
    }
}
