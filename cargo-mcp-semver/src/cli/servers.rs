//! The servers of a workspace and their lockfiles: the one place where a command meets the `build`
//! source.

use std::path::{Path, PathBuf};

use mcp_semver_build::lockfile::FILE_NAME;

use crate::baseline::Baseline;
use crate::cli::args::{Build, Lockfile};
use crate::cli::baseline::BaselineArgs;
use crate::cli::error::CommandError;
use crate::cli::remedy::{self, near};
use crate::cli::shell::Shell;
use crate::compare::compare;
use crate::gate::{self, Declared, Gate};
use crate::metadata::{RuntimeRouter, Settings};
use crate::report::{Failure, Remedy, Subject};
use crate::source::Sourced;
use crate::source::build::{self, Server};
use crate::verdict::{Outcome, Status};

/// Builds and reads what the flags select. What was passed over is said on standard error.
pub(super) fn read(build: &Build, shell: Shell) -> Result<Vec<Server>, CommandError> {
    let servers = build::read(&build.request(shell.talk()))?;
    for skipped in &servers.skipped {
        shell.note(skipped);
    }
    Ok(servers.servers)
}

/// One server with what a comparing command needs beside it.
pub(super) struct Pinned {
    /// The server.
    pub(super) server: Server,
    /// Where its lockfile is or will be, as a person in the current directory would write it.
    pub(super) lockfile: PathBuf,
    /// How its author goes on.
    pub(super) remedy: Remedy,
}

/// Reads what the flags select, each server with the lockfile beside its Cargo.toml.
pub(super) fn read_pinned(
    build: &Build,
    lockfile: &Lockfile,
    baseline: &BaselineArgs,
    shell: Shell,
) -> Result<Vec<Pinned>, CommandError> {
    let servers = read(build, shell)?;
    let several = servers.len() > 1;
    let one = [("--lockfile", &lockfile.path), ("--baseline", &baseline.baseline)];
    if let Some((flag, _)) = one.into_iter().find(|(_, path)| several && path.is_some()) {
        let packages = servers.into_iter().map(|server| server.name).collect();
        return Err(CommandError::OneFile { flag, packages });
    }
    let pinned = servers.into_iter().map(|server| Pinned {
        remedy: remedy::remedy(&server, several, build, lockfile, baseline),
        lockfile: match &lockfile.path {
            Some(path) => path.clone(),
            None => near(&server.manifest_path.with_file_name(FILE_NAME)),
        },
        server,
    });
    Ok(pinned.collect())
}

impl Pinned {
    /// What the package's Cargo.toml says to this tool.
    ///
    /// # Errors
    /// A setting that is not understood, or tools that could not be read and that the settings do
    /// not accept as they are declared.
    pub(super) fn settings(&self, shell: Shell) -> Result<Settings, Failure> {
        let server = &self.server;
        let settings = Settings::new(
            (&server.metadata, &server.manifest_path),
            (&server.workspace_metadata, &server.workspace_manifest_path),
        )
        .map_err(|error| Failure::of(&error))?;
        let Sourced { unread, run_time, .. } = &server.sourced;
        let accepted = settings.runtime_router == RuntimeRouter::Declared;
        if accepted {
            run_time
                .iter()
                .for_each(|sentence| shell.warning(&format!("{}: {sentence}", server.name)));
        }
        let open = if accepted { &[] } else { run_time.as_slice() };
        let help = "to check what such a router declares all the same, set \
            `runtime-router = \"declared\"` in [package.metadata.mcp-semver]";
        let name = |sentence: &String| format!("{}: {sentence}", server.name);
        let messages: Vec<String> = unread.iter().chain(open).map(name).collect();
        if !messages.is_empty() {
            let help = if open.is_empty() { Vec::new() } else { vec![help.into()] };
            return Err(Failure { messages, causes: Vec::new(), help });
        }
        Ok(settings)
    }

    /// Compares with `baseline` and decides, `gate` saying when versions must cover changes.
    pub(super) fn compare(&self, baseline: &Baseline, settings: &Settings, gate: Gate) -> Outcome {
        let Server { name, version, sourced, .. } = &self.server;
        let declared = Declared {
            package: Some((name.clone(), version.clone())),
            tools: settings.versions.clone(),
            sdk: sourced.sdk.clone(),
            gate,
        };
        let changes = compare(baseline, &Baseline::from(&sourced.catalogue));
        let mut outcome = gate::decide(baseline, &declared, changes);
        outcome.notes.extend(sourced.notes.iter().cloned());
        for tool in &mut outcome.tools {
            tool.span = sourced.spans.get(&tool.name).cloned();
            for finding in &mut tool.findings {
                finding.span = finding.span.take().or_else(|| tool.span.clone());
            }
        }
        outcome
    }

    /// The tools whose contract is not the one in the lockfile, sorted.
    pub(super) fn stale(&self, lockfile: &Baseline) -> Vec<String> {
        compare(lockfile, &Baseline::from(&self.server.sourced.catalogue))
            .into_iter()
            .filter(|change| change.status != Status::Unchanged)
            .map(|change| change.name)
            .collect()
    }

    /// The same as one subject of a report.
    pub(super) fn subject(&self, result: Result<Outcome, Failure>) -> Subject {
        Subject {
            name: self.server.name.clone(),
            version: Some(self.server.version.clone()),
            directory: near(self.server.manifest_path.parent().unwrap_or(Path::new(""))),
            result,
            remedy: Some(self.remedy.clone()),
        }
    }

    /// `2 tools of my-server v1.4.0`, for progress.
    pub(super) fn tools(&self) -> String {
        let Server { name, version, sourced, .. } = &self.server;
        let count = sourced.catalogue.len();
        let tools = if count == 1 { "tool" } else { "tools" };
        format!("{count} {tools} of {name} v{version}")
    }
}
