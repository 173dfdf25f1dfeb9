//! How an author goes on after a failed check: what to edit and what to run.

use std::path::{Path, PathBuf};

use crate::bump;
use crate::cli::args::{Build, Lockfile};
use crate::cli::baseline::BaselineArgs;
use crate::report::{Remedy, quoted};
use crate::source::build::Server;

/// The remedy for one package of a run in which `several` packages were read.
pub(super) fn remedy(
    server: &Server,
    several: bool,
    build: &Build,
    lockfile: &Lockfile,
    baseline: &BaselineArgs,
) -> Remedy {
    let shared_version = bump::inherits_version(&server.manifest_path);
    let manifest =
        if shared_version { &server.workspace_manifest_path } else { &server.manifest_path };
    Remedy {
        manifest: Some(near(manifest)),
        shared_version,
        lock_command: lock_command(&server.name, several, build, lockfile, baseline),
    }
}

/// A path as a person in the current directory would write it; empty for the directory itself.
pub(super) fn near(path: &Path) -> PathBuf {
    std::env::current_dir()
        .ok()
        .and_then(|here| Some(path.strip_prefix(here).ok()?.to_owned()))
        .unwrap_or_else(|| path.to_owned())
}

/// `cargo mcp-semver lock` with the flags that decide which tools there are, as they were given.
fn lock_command(
    package: &str,
    several: bool,
    build: &Build,
    lockfile: &Lockfile,
    baseline: &BaselineArgs,
) -> String {
    let mut command = vec!["cargo mcp-semver lock".to_owned()];
    let mut flag = |name: &str, value: Option<&str>| {
        command.push(name.to_owned());
        command.extend(value.map(quoted));
    };
    if several || !build.workspace.package.is_empty() {
        flag("-p", Some(package));
    }
    if let Some(path) = &build.manifest.manifest_path {
        flag("--manifest-path", Some(&path.to_string_lossy()));
    }
    if build.lib {
        flag("--lib", None);
    }
    if let Some(name) = &build.bin {
        flag("--bin", Some(name));
    }
    for features in &build.features.features {
        flag("--features", Some(features));
    }
    if build.features.all_features {
        flag("--all-features", None);
    }
    if build.features.no_default_features {
        flag("--no-default-features", None);
    }
    if build.release {
        flag("--release", None);
    }
    if let Some(profile) = &build.profile {
        flag("--profile", Some(profile));
    }
    for config in &build.config {
        flag("--config", Some(config));
    }
    if let Some(path) = &lockfile.path {
        flag("--lockfile", Some(&path.to_string_lossy()));
    }
    for (name, value) in baseline.flags() {
        flag(name, Some(&value));
    }
    command.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Cli, Command};
    use clap::Parser as _;

    fn command_for(arguments: &[&str], several: bool) -> String {
        let arguments = ["cargo-mcp-semver", "check"].iter().chain(arguments);
        let Command::Check(check) = Cli::try_parse_from(arguments).unwrap().command else {
            unreachable!("`check` was given")
        };
        lock_command("my-server", several, &check.build, &check.lockfile, &check.baseline)
    }

    #[test]
    fn the_lock_command_reads_the_same_tools_as_the_check() {
        assert_eq!(command_for(&[], false), "cargo mcp-semver lock");
        assert_eq!(command_for(&[], true), "cargo mcp-semver lock -p my-server");
        assert_eq!(
            command_for(&["--baseline-rev", "origin/main~1"], false),
            "cargo mcp-semver lock --baseline-rev 'origin/main~1'"
        );
        assert_eq!(
            command_for(&["--offline", "-p", "my-*"], false),
            "cargo mcp-semver lock -p my-server"
        );
        assert_eq!(
            command_for(
                &[
                    "--bin",
                    "srv",
                    "-F",
                    "a,b",
                    "--no-default-features",
                    "-r",
                    "--lockfile",
                    "it's here"
                ],
                false
            ),
            r"cargo mcp-semver lock --bin srv --features a,b --no-default-features --release --lockfile 'it'\''s here'"
        );
    }
}
