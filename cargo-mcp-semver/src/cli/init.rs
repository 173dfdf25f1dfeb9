//! `init`: the first lockfile, the hook where it is wanted, and how to go on.

use clap::Args;

use crate::cli::args::Build;
use crate::cli::baseline::BaselineArgs;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::lock::{Locking, lock_with};
use crate::cli::remedy::near;
use crate::cli::servers::{self, Pinned};
use crate::cli::shell::Shell;
use crate::hook::{self, Edits};
use crate::lock;
use crate::report::Failure;

/// A workflow that checks pull requests.
const WORKFLOW: &str = include_str!("init/workflow.yml");

/// Arguments of `init`.
#[derive(Debug, Args)]
pub struct Init {
    /// Also call the build-script hook in build.rs, and depend on mcp-semver-build there
    #[arg(long)]
    pub hook: bool,
    /// What to build.
    #[command(flatten)]
    pub build: Build,
}

/// Locks every selected package that has no lockfile yet, and prints a workflow for CI.
pub(super) fn run(args: &Init, shell: Shell) -> Result<Exit, CommandError> {
    let (pinned, failed) = servers::packages(&args.build, &BaselineArgs::default(), shell)?;
    let mut failures: Vec<Failure> =
        failed.into_iter().filter_map(|subject| subject.result.err()).collect();
    for pinned in &pinned {
        if let Err(failure) = start(pinned, args, shell) {
            failures.push(failure);
        }
    }
    failures.iter().for_each(|failure| shell.failure(failure));
    if !failures.is_empty() {
        return Ok(Exit::NotChecked);
    }
    shell.note("commit what was written; this workflow checks pull requests:");
    shell.print(WORKFLOW)?;
    Ok(Exit::Ok)
}

/// Writes the lockfile of one package, and the hook where it is wanted.
fn start(pinned: &Pinned, args: &Init, shell: Shell) -> Result<(), Failure> {
    let directory = pinned.server.manifest_path.parent().unwrap_or(&pinned.server.manifest_path);
    // What cannot be edited is told before anything is written.
    let edits: Edits = if args.hook {
        hook::edits(directory).map_err(|error| Failure::of(&error))?
    } else {
        Edits::new()
    };
    let path = pinned.lockfile.display();
    if pinned.lockfile.exists() {
        shell.note(&format!("{path} is there already and was left alone"));
    } else {
        let locking = Locking { force: false, confirmed: &[], gate: None, review: None };
        let outcome = lock_with(pinned, &BaselineArgs::default(), locking, shell)?;
        if outcome.exit_code != Exit::Ok as u8 {
            return Err(Failure {
                messages: vec![format!("{path} was not written: a person has to confirm a text")],
                causes: Vec::new(),
                help: vec![format!("see which with `{}`", pinned.remedy.lock_command)],
            });
        }
    }
    for (path, text) in edits {
        let shown = near(&path);
        lock::write_text(&path, &text).map_err(|source| {
            Failure::of(&CommandError::Manifest { path: shown.clone(), source })
        })?;
        shell.status("Hooked", &shown.display().to_string());
    }
    Ok(())
}
