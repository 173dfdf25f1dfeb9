//! `bump`: raising versions to the smallest ones that cover what changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::MetadataCommand;
use clap::Args;
use semver::Version;

use crate::bump::{self, Edit, Plan, Wanted, What};
use crate::cli::args::{Build, Lockfile};
use crate::cli::baseline::BaselineArgs;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::servers::{Found, Pinned, Reading};
use crate::cli::shell::Shell;
use crate::cli::source::{IdentityArgs, SourceArgs};
use crate::cli::{check, remedy, versions};
use crate::gate::Gate;
use crate::grade::Grade;
use crate::lock;
use crate::report::Failure;
use crate::source::build::cargo_program;
use crate::verdict::{Outcome, Verdict};

/// Arguments of `bump`.
#[derive(Debug, Args)]
pub struct Bump {
    /// Say what would be edited, and edit nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Where the tools come from.
    #[command(flatten)]
    pub source: SourceArgs,
    /// What they are.
    #[command(flatten)]
    pub identity: IdentityArgs,
    /// The lockfile.
    #[command(flatten)]
    pub lockfile: Lockfile,
    /// What the versions must cover the changes since.
    #[command(flatten)]
    pub baseline: BaselineArgs,
    /// What to build.
    #[command(flatten)]
    pub build: Build,
}

/// Bumps every selected package, or none where one of them cannot be compared.
pub(super) fn run(args: &Bump, shell: Shell) -> Result<Exit, CommandError> {
    let Bump { build, source, identity, lockfile, baseline, .. } = args;
    let (pinned, failed) =
        match (Reading { build, source, identity, lockfile, baseline, gate: None }).read(shell)? {
            Found::Packages(pinned, failed) => (pinned, failed),
            Found::Loose(_) => return Err(CommandError::NoPackage),
        };
    let mut wanted = Vec::new();
    let mut failures: Vec<Failure> =
        failed.into_iter().filter_map(|subject| subject.result.err()).collect();
    for pinned in &pinned {
        match want(pinned, &args.baseline, shell) {
            Ok(wants) => wanted.push(wants),
            Err(failure) => failures.push(failure),
        }
    }
    let Some(first) = pinned.first().filter(|_| failures.is_empty()) else {
        failures.iter().for_each(|failure| shell.failure(failure));
        return Ok(Exit::NotChecked);
    };
    let root = &first.server.workspace_manifest_path;
    let declared = identity.declared.as_deref().map(|path| declared(path, &mut wanted));
    let mut plan = bump::plan(root, &members(root)?, &wanted)?;
    if let Some((edits, file)) = declared.transpose()?.flatten() {
        plan.edits.extend(edits);
        plan.files.extend([file]);
    }
    shell.print(&told(&plan))?;
    if plan.edits.is_empty() {
        shell.status("Unchanged", "every version covers what changed");
    } else if args.dry_run {
        shell.note("nothing was edited, because of --dry-run");
    } else {
        write(&plan)?;
        update_lock_file(root, args, shell);
        for pinned in &pinned {
            shell.note(&format!(
                "record the tools with their versions: `{}`",
                pinned.remedy.lock_command
            ));
        }
    }
    Ok(Exit::Ok)
}

/// What a package must have so that a check of it passes.
fn want(pinned: &Pinned, against: &BaselineArgs, shell: Shell) -> Result<Wanted, Failure> {
    let outcome = check::measure(pinned, against, Some(Gate::Always), shell)?;
    if outcome.package.is_none() && outcome.grade != Grade::None && has_baseline(&outcome) {
        return Err(Failure {
            messages: vec![format!(
                "cannot tell which version of {} would cover the changes, because the baseline \
                 does not say for which version it was written",
                pinned.server.name
            )],
            causes: Vec::new(),
            help: vec![format!("record it: `{} --force`", pinned.remedy.lock_command)],
        });
    }
    let violation = |verdict| verdict == Verdict::Violation;
    let package = outcome.package.filter(|package| violation(package.verdict));
    let tools = outcome.tools.into_iter().filter(|tool| violation(tool.verdict));
    Ok(Wanted {
        manifest: pinned.server.manifest_path.clone(),
        package: package.map(|package| package.required_version),
        tools: tools.filter_map(|tool| Some((tool.name, tool.versions?.required))).collect(),
    })
}

/// Whether there was anything to compare with.
fn has_baseline(outcome: &Outcome) -> bool {
    outcome.tools.iter().any(|tool| tool.verdict != Verdict::Unlocked)
}

/// Takes the tools out of what is wanted of Cargo.toml: their versions stand in a file of its own.
fn declared(path: &Path, wanted: &mut [Wanted]) -> Result<Option<Declared>, CommandError> {
    let raised: BTreeMap<String, Version> =
        wanted.iter_mut().flat_map(|wanted| std::mem::take(&mut wanted.tools)).collect();
    if raised.is_empty() {
        return Ok(None);
    }
    let before = versions::read(path)?;
    let edit = |(tool, to): (&String, &Version)| Edit {
        what: What::Tool(tool.clone()),
        from: before.get(tool).map(Version::to_string),
        to: to.to_string(),
        manifest: path.to_owned(),
    };
    let edits = raised.iter().map(edit).collect();
    Ok(Some((edits, (path.to_owned(), versions::with(path, &raised)?))))
}

/// Edits of a file beside Cargo.toml, and its path with its new text.
type Declared = (Vec<Edit>, (PathBuf, String));

/// The manifests of the workspace's members.
fn members(root: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let metadata = MetadataCommand::new()
        .manifest_path(root)
        .no_deps()
        .exec()
        .map_err(CommandError::Members)?;
    Ok(metadata.packages.into_iter().map(|package| package.manifest_path.into()).collect())
}

/// One line an edit.
fn told(plan: &Plan) -> String {
    let line = |Edit { what, from, to, manifest }: &Edit| {
        let what = match what {
            What::Package(name) => name.clone(),
            What::Workspace => "[workspace.package]".to_owned(),
            What::Tool(name) => format!("tool `{name}`"),
            What::Requirement(name) => format!("dependency `{name}`"),
        };
        let from = from.as_deref().unwrap_or("none");
        format!("{what}: {from} -> {to} in {}\n", remedy::near(manifest).display())
    };
    plan.edits.iter().map(line).collect()
}

fn write(plan: &Plan) -> Result<(), CommandError> {
    for (path, text) in &plan.files {
        lock::write_text(path, text)
            .map_err(|source| CommandError::Manifest { path: path.clone(), source })?;
    }
    Ok(())
}

/// Has cargo enter the new versions into Cargo.lock, where there is one: a later `--locked` would
/// fail otherwise.
fn update_lock_file(root: &Path, args: &Bump, shell: Shell) {
    if args.build.locked || args.build.frozen || !root.with_file_name("Cargo.lock").exists() {
        return;
    }
    let mut command = Command::new(cargo_program());
    command.args(["update", "--workspace", "--offline", "--quiet", "--manifest-path"]).arg(root);
    command.args(args.build.config.iter().flat_map(|value| ["--config", value]));
    let updated = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    if !updated.is_ok_and(|status| status.success()) {
        shell.warning("Cargo.lock does not have the new versions yet: `cargo update --workspace`");
    }
}

#[cfg(test)]
mod tests;
