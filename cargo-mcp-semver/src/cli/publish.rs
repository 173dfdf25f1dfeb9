//! `publish`: `cargo publish`, once nothing about the tools is left open.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use clap::Args;
use mcp_semver_build::lockfile::FILE_NAME;

use crate::cli::args::Build;
use crate::cli::baseline::BaselineArgs;
use crate::cli::check;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::format::Format;
use crate::cli::output;
use crate::cli::remedy::near;
use crate::cli::servers::{self, Pinned};
use crate::cli::shell::Shell;
use crate::gate::Gate;
use crate::published::Release;
use crate::report::{Failure, Run, Subject};
use crate::source::build::cargo_program;
use crate::verdict::Outcome;

/// Arguments of `publish`.
#[derive(Debug, Args)]
pub struct Publish {
    /// What the versions must cover the changes since.
    #[command(flatten)]
    pub baseline: BaselineArgs,
    /// What to build and to publish.
    #[command(flatten)]
    pub build: Build,
    /// Arguments for `cargo publish`, such as --dry-run
    #[arg(last = true, value_name = "ARGS")]
    pub cargo: Vec<OsString>,
}

/// Flags that choose what is published, and so what is checked.
const CHOOSING: [&str; 13] = [
    "--all",
    "--all-features",
    "--config",
    "--exclude",
    "--features",
    "--manifest-path",
    "--no-default-features",
    "--package",
    "--target",
    "--workspace",
    "-F",
    "-Z",
    "-p",
];

/// Checks every selected package as strictly as a release needs, then hands over to cargo.
pub(super) fn run(args: &Publish, shell: Shell) -> Result<Exit, CommandError> {
    if let Some(flag) = args.cargo.iter().find_map(|argument| choosing(argument)) {
        return Err(CommandError::AfterDashes { flag });
    }
    let (pinned, failed) = servers::packages(&args.build, &args.baseline, shell)?;
    let subjects: Vec<Subject> = pinned
        .iter()
        .map(|pinned| pinned.subject(ready(pinned, args, shell)))
        .chain(failed)
        .collect();
    // A tool that came or went is no open question once it is locked and covered.
    let is_ready = subjects.iter().all(|subject| subject.exit_code() < Exit::Violation as u8);
    let exit = output::report(&Run { subjects }, Format::Human, shell)?;
    if !is_ready {
        return Ok(exit);
    }
    let status = cargo("publish", args)
        .args(&args.cargo)
        .status()
        .map_err(|source| CommandError::Cargo { command: "publish", source })?;
    Ok(if status.success() { Exit::Ok } else { Exit::NotChecked })
}

/// The choosing flag that an argument is, if it is one.
fn choosing(argument: &OsStr) -> Option<&'static str> {
    let text = argument.to_string_lossy();
    CHOOSING.into_iter().find(|flag| match flag.strip_prefix("--") {
        Some(_) => text.split('=').next() == Some(flag),
        None => text.starts_with(flag),
    })
}

/// The version covers what changed, a person has confirmed what needs it, and the lockfile says
/// what the tools are, was written for this version, and is in the package.
fn ready(pinned: &Pinned, args: &Publish, shell: Shell) -> Result<Outcome, Failure> {
    let settings = pinned.settings(shell)?;
    let locked = pinned.own_lockfile(&settings)?;
    // A lockfile that follows every change does not tell what changed since the last release.
    let latest =
        BaselineArgs { baseline_version: Some(Release::Latest), ..BaselineArgs::default() };
    let follows = settings.gate == Gate::Release && args.baseline.is_lockfile();
    let against = if follows { &latest } else { &args.baseline };
    let mut outcome = check::measure_by(&settings, pinned, against, Some(Gate::Always), shell)?;
    outcome.require_fresh(pinned.stale(&locked));
    if outcome.exit_code < Exit::Violation as u8 {
        require_this_version(pinned, locked.package.map(|(_, version)| version))?;
        require_packaged(pinned, args)?;
    }
    Ok(outcome)
}

/// Whoever measures the next release takes the version from the lockfile in this one.
fn require_this_version(pinned: &Pinned, locked: Option<semver::Version>) -> Result<(), Failure> {
    let version = &pinned.server.version;
    if locked.as_ref() == Some(version) {
        return Ok(());
    }
    let path = pinned.lockfile.display();
    let locked = locked.map_or("no version".to_owned(), |locked| format!("version {locked}"));
    Err(Failure {
        messages: vec![format!(
            "{path} was written for {locked}, and {version} is to be published"
        )],
        causes: Vec::new(),
        help: vec![format!("lock again: `{}`", pinned.remedy.lock_command)],
    })
}

/// The lockfile goes to the registry with the crate, and so does the build script with the hook:
/// where it does not, cargo verifies the package without its guard.
fn require_packaged(pinned: &Pinned, args: &Publish) -> Result<(), Failure> {
    let server = &pinned.server;
    let listed = cargo("package", args)
        .args(["--list", "--allow-dirty", "--quiet", "-p"])
        .arg(format!("{}@{}", server.name, server.version))
        .output();
    let failed = |source| CommandError::Cargo { command: "package", source };
    let listed = listed.map_err(|error| Failure::from(failed(error)))?;
    if !listed.status.success() {
        return Err(Failure {
            messages: vec![format!("`cargo package --list` failed for {}", server.name)],
            causes: vec![String::from_utf8_lossy(&listed.stderr).trim().to_owned()],
            help: Vec::new(),
        });
    }
    let listed = String::from_utf8_lossy(&listed.stdout);
    let lockfile = Path::new(FILE_NAME);
    let mut needed = std::iter::once(lockfile).chain(server.hooked_script.as_deref());
    let is_left_out = |needed: &&Path| listed.lines().all(|line| Path::new(line) != *needed);
    let Some(left_out) = needed.find(is_left_out) else { return Ok(()) };
    let left_out = left_out.display();
    Err(Failure {
        messages: vec![format!("{left_out} is not in the package that would be published")],
        causes: Vec::new(),
        help: vec![format!(
            "let `include` or `exclude` in {} keep it, and .gitignore too",
            near(&server.manifest_path).display()
        )],
    })
}

/// A cargo command on the selected packages, with their features.
fn cargo(subcommand: &str, args: &Publish) -> Command {
    let mut command = Command::new(cargo_program());
    command.arg(subcommand).args(args.build.packaging_flags(subcommand == "publish"));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_chooses_packages_stands_before_the_dashes() {
        for (argument, expected) in [
            ("-p", Some("-p")),
            ("-pother", Some("-p")),
            ("--package=other", Some("--package")),
            ("--workspace", Some("--workspace")),
            ("--dry-run", None),
            ("--no-verify", None),
            ("--allow-dirty", None),
            ("--registry", None),
            ("--target-dir", None),
        ] {
            assert_eq!(choosing(OsStr::new(argument)), expected, "{argument}");
        }
    }
}
