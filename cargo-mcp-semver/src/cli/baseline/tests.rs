//! `check` and `lock` against something else than the lockfile of the work tree, and `gate`.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::*;
use crate::cli::testing::{package, quiet};
use crate::cli::{check, lock};
use crate::published::tests::registry;
use crate::report::human::{self, Detail};
use crate::report::sources::Sources;
use crate::report::{Run, json as report_json};
use crate::vcs::tests::git;
use crate::verdict::Outcome;

fn revision(name: &str) -> BaselineArgs {
    BaselineArgs { baseline_rev: Some(name.into()), ..BaselineArgs::default() }
}

fn file(path: &Path) -> BaselineArgs {
    BaselineArgs { baseline: Some(path.into()), ..BaselineArgs::default() }
}

fn check_with(
    pinned: &Pinned,
    against: &BaselineArgs,
    gate: Option<Gate>,
) -> Result<Outcome, Failure> {
    check::measure(pinned, against, gate, quiet())
}

/// Exit code and result line of a check.
fn said(pinned: &Pinned, against: &BaselineArgs, gate: Option<Gate>) -> (u8, String) {
    let subject = pinned.subject(check_with(pinned, against, gate));
    let code = subject.exit_code();
    let text = human::render(&Run { subjects: vec![subject] }, Detail::Quiet, &Sources::none());
    (code, anstream::adapter::strip_str(&text).to_string())
}

fn lock_with(pinned: &Pinned, against: &BaselineArgs) -> u8 {
    pinned.subject(lock::lock(pinned, against, false, quiet())).exit_code()
}

fn lock(pinned: &Pinned) -> u8 {
    lock_with(pinned, &BaselineArgs::default())
}

/// A repository in which version 1.4.0 of the package is locked and tagged `base`.
fn repository(directory: &Path) {
    git(directory, &["init", "-q", "-b", "main"]);
    fs::write(directory.join("Cargo.toml"), "[package]").unwrap();
    git(directory, &["add", "."]);
    git(directory, &["commit", "-q", "-m", "before any lockfile"]);
    git(directory, &["tag", "lockless"]);
    lock(&package(directory, "1.4.0", "search", "Searches."));
    git(directory, &["add", "."]);
    git(directory, &["commit", "-q", "-m", "locked"]);
    git(directory, &["tag", "base"]);
}

#[test]
fn a_pull_request_is_measured_against_its_base_however_often_it_locks() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    repository(directory);
    let base = revision("base");

    let first = package(directory, "1.4.1", "search", "Searches fast.");
    assert_eq!(lock_with(&first, &base), 0);
    assert_eq!(said(&first, &base, None).0, 0);
    // A second change under the same version is covered from the base and not from the lockfile.
    let second = package(directory, "1.4.1", "search", "Searches faster.");
    let (code, text) = said(&second, &base, None);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("covered by 1.4.0 -> 1.4.1"), "{text}");
    assert!(text.contains("the lockfile is out of date: 1 tool"), "{text}");
    assert_eq!(lock(&second), 2);
    assert_eq!(lock_with(&second, &base), 0);
    let (code, text) = said(&second, &base, None);
    assert_eq!((code, text.contains("record it")), (0, false), "{text}");

    // What was locked with force is still measured from the base.
    let breaking = package(directory, "1.4.1", "find", "Finds.");
    assert_eq!(lock_with(&breaking, &base), 2);
    lock::lock(&breaking, &base, true, quiet()).unwrap();
    assert_eq!(said(&breaking, &BaselineArgs::default(), None).0, 0);
    let (code, text) = said(&breaking, &base, None);
    assert!(code == 2 && text.contains("2.0.0 is needed"), "{text}");
}

#[test]
fn a_revision_that_tells_nothing_is_no_pass() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    repository(directory);
    let pinned = package(directory, "1.4.0", "search", "Searches.");
    for (name, expected) in [("lockless", "has no lockfile for my-server"), ("v9", "no revision")] {
        let failure = check_with(&pinned, &revision(name), None).unwrap_err();
        assert!(failure.messages[0].contains(expected), "{failure:?}");
        assert_eq!(failure.help.len(), 1, "{failure:?}");
        assert_eq!(said(&pinned, &revision(name), Some(Gate::Release)).0, 101);
    }
    fs::remove_file(&pinned.lockfile).unwrap();
    let failure = check_with(&pinned, &revision("base"), None).unwrap_err();
    assert!(failure.messages[0].contains("there is no lockfile"), "{failure:?}");
}

#[test]
fn a_package_that_is_new_has_nothing_to_cover() {
    let directory = tempfile::tempdir().unwrap();
    repository(directory.path());
    let new = directory.path().join("new");
    fs::create_dir(&new).unwrap();
    fs::write(new.join("Cargo.toml"), "[package]").unwrap();
    let pinned = package(&new, "0.1.0", "plan", "Plans.");
    let named = Pinned {
        server: crate::source::build::Server { name: "new".into(), ..pinned.server },
        ..pinned
    };
    assert_eq!(lock_with(&named, &revision("base")), 0);
    let outcome = check_with(&named, &revision("base"), None).unwrap();
    assert_eq!(outcome.exit_code, 1);
    assert_eq!(outcome.notes, ["new is new since base: there is nothing to compare it with"]);
}

#[test]
fn a_file_takes_the_place_of_the_lockfile() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let released = directory.join("released.yaml");
    let pinned = package(directory, "1.4.0", "search", "Searches.");
    lock(&pinned);
    fs::rename(&pinned.lockfile, &released).unwrap();
    let changed = package(directory, "1.4.0", "search", "Searches fast.");
    assert_eq!(said(&changed, &file(&released), None).0, 2);
    let bumped = package(directory, "1.4.1", "search", "Searches fast.");
    assert_eq!(said(&bumped, &file(&released), None).0, 0, "no lockfile is needed");
    // A dump has no version that a step could start from.
    let dump = directory.join("dump.json");
    fs::write(&dump, r#"[{"name": "search", "description": "Searches."}]"#).unwrap();
    assert_eq!(said(&pinned, &file(&dump), None).0, 0);
    let (code, text) = said(&bumped, &file(&dump), None);
    assert_eq!(code, 2, "{text}");
}

#[test]
fn gated_at_releases_a_change_needs_a_fresh_lockfile_and_is_told_its_bump() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    repository(directory);
    let with_gate = |mut pinned: Pinned| {
        pinned.server.metadata = json!({"mcp-semver": {"gate": "release"}});
        pinned
    };
    let lockfile = BaselineArgs::default();
    let breaking = with_gate(package(directory, "1.4.0", "find", "Finds."));
    let (code, text) = said(&breaking, &lockfile, None);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("the next release needs 2.0.0"), "{text}");
    assert!(text.contains("the lockfile is out of date: 2 tools"), "{text}");
    assert!(text.contains("`cargo mcp-semver lock`"), "{text}");
    let report = pinned_json(&breaking, &lockfile);
    assert_eq!(report["stale"], json!(["find", "search"]));
    assert_eq!(report["package"]["deferred"], true);
    assert_eq!(report["package"]["verdict"], "covered");

    assert_eq!(lock(&breaking), 0, "not refused");
    assert_eq!(said(&breaking, &lockfile, None).0, 0);
    let (code, text) = said(&breaking, &revision("base"), None);
    assert!(code == 1 && text.contains("the next release needs 2.0.0"), "{text}");

    // At a release the version counts, and only an earlier release tells what changed.
    let always = Some(Gate::Always);
    let failure = check_with(&breaking, &lockfile, always).unwrap_err();
    assert!(failure.help[0].contains("--baseline-rev"), "{failure:?}");
    assert_eq!(said(&breaking, &revision("base"), always).0, 2);
    let released = with_gate(package(directory, "2.0.0", "find", "Finds."));
    assert_eq!(said(&released, &revision("base"), always).0, 1);
}

#[test]
fn gated_at_releases_the_versions_of_tools_wait_too() {
    let directory = tempfile::tempdir().unwrap();
    let settings = json!({"mcp-semver": {"gate": "release", "versions": {"search": "1.0.0"}}});
    let mut pinned = package(directory.path(), "1.4.0", "search", "Searches.");
    pinned.server.metadata = settings.clone();
    lock(&pinned);
    let mut changed = package(directory.path(), "1.4.0", "search", "Searches fast.");
    changed.server.metadata = settings;
    assert_eq!(lock(&changed), 0);
    assert_eq!(said(&changed, &BaselineArgs::default(), None).0, 0);
}

fn pinned_json(pinned: &Pinned, against: &BaselineArgs) -> serde_json::Value {
    let subject = pinned.subject(check_with(pinned, against, None));
    serde_json::from_str(&report_json::render(&Run { subjects: vec![subject] })).unwrap()
}

#[test]
fn a_release_is_measured_by_what_was_published() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::create_dir(directory.join("src")).unwrap();
    fs::write(directory.join("src/main.rs"), "fn main() {}").unwrap();
    let manifest = |publish: &str| {
        let text = format!(
            "[package]\nname = \"my-server\"\nversion = \"1.4.0\"\nedition = \"2024\"\n{publish}\n"
        );
        fs::write(directory.join("Cargo.toml"), text).unwrap();
    };
    manifest("");
    let old = package(directory, "1.4.0", "search", "Searches.");
    lock(&old);
    let lockfile = fs::read_to_string(&old.lockfile).unwrap();
    let files = [("tool-versions.lock.yaml", lockfile.as_str())];
    let released = directory.join("released");
    let flags = registry(&released, &[("my-server@1.4.0", &files), ("my-server@1.3.0", &[])]);
    let at = |version: &str| BaselineArgs {
        baseline_version: Some(version.parse().unwrap()),
        ..BaselineArgs::default()
    };
    let with_flags = |pinned: Pinned| Pinned { cargo_flags: flags.clone(), ..pinned };

    let changed = with_flags(package(directory, "1.4.0", "find", "Finds."));
    lock::lock(&changed, &BaselineArgs::default(), true, quiet()).unwrap();
    for version in ["1.4.0", "latest"] {
        let (code, text) = said(&changed, &at(version), Some(Gate::Always));
        assert!(code == 2 && text.contains("2.0.0 is needed"), "{text}");
    }
    let bumped = with_flags(package(directory, "2.0.0", "find", "Finds."));
    assert_eq!(said(&bumped, &at("latest"), None).0, 1);
    for (version, expected) in [("1.3.0", "has no tool-versions"), ("1.2.0", "cannot be had")] {
        let failure = check_with(&bumped, &at(version), None).unwrap_err();
        assert!(failure.messages[0].contains(expected), "{failure:?}");
    }
    manifest("publish = false");
    let failure = check_with(&bumped, &at("latest"), None).unwrap_err();
    assert!(failure.messages[0].contains("`publish = false`"), "{failure:?}");
}
