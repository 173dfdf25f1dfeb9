use std::fs;

use serde_json::json;

use super::*;
use crate::cli::lock::lock;
use crate::cli::testing::{package, quiet};

fn against_lockfile() -> BaselineArgs {
    BaselineArgs::default()
}

fn locked(directory: &Path) {
    let pinned = package(directory, "1.4.0", "search", "Searches.");
    lock(&pinned, &against_lockfile(), false, quiet()).unwrap();
}

fn wanted_version(pinned: &Pinned) -> Option<String> {
    Some(want(pinned, &against_lockfile(), quiet()).unwrap().package?.to_string())
}

#[test]
fn the_smallest_covering_version_is_wanted_where_the_present_one_does_not_cover() {
    let directory = tempfile::tempdir().unwrap();
    locked(directory.path());
    for (version, tool, description, expected) in [
        ("1.4.0", "search", "Searches.", None),
        ("1.4.0", "search", "Searches fast.", Some("1.4.1")),
        ("1.4.1", "search", "Searches fast.", None),
        ("1.4.1", "find", "Finds.", Some("2.0.0")),
        ("1.9.0", "find", "Finds.", Some("2.0.0")),
        ("2.0.0-rc.1", "find", "Finds.", None),
        ("1.3.0", "search", "Searches.", Some("1.4.0")),
        ("1.3.0", "search", "Searches fast.", Some("1.4.1")),
    ] {
        let pinned = package(directory.path(), version, tool, description);
        assert_eq!(wanted_version(&pinned).as_deref(), expected, "{version} {tool} {description}");
    }
}

#[test]
fn versions_of_tools_are_wanted_beside_the_package_s() {
    let directory = tempfile::tempdir().unwrap();
    let pinned = |description: &str, declared: serde_json::Value| {
        let mut pinned = package(directory.path(), "1.4.0", "search", description);
        pinned.server.metadata = json!({"mcp-semver": {"versions": declared}});
        pinned
    };
    let first = pinned("Searches.", json!({"search": "3.1.0"}));
    lock(&first, &against_lockfile(), false, quiet()).unwrap();
    for (declared, expected) in [
        (json!({"search": "3.1.0"}), Some("3.1.1")),
        (json!({}), Some("3.1.1")),
        (json!({"search": "3.2.0"}), None),
    ] {
        let wants =
            want(&pinned("Searches fast.", declared), &against_lockfile(), quiet()).unwrap();
        assert_eq!(wants.package.map(|version| version.to_string()).as_deref(), Some("1.4.1"));
        let found = wants.tools.get("search").map(ToString::to_string);
        assert_eq!(found.as_deref(), expected);
    }
}

#[test]
fn without_a_baseline_that_counts_nothing_is_wanted() {
    let directory = tempfile::tempdir().unwrap();
    let mut pinned = package(directory.path(), "1.4.0", "search", "Searches.");
    let failure = want(&pinned, &against_lockfile(), quiet()).unwrap_err();
    assert!(failure.messages[0].contains("there is no lockfile"), "{failure:?}");
    locked(directory.path());
    pinned.server.metadata = json!({"mcp-semver": {"gate": "release"}});
    let failure = want(&pinned, &against_lockfile(), quiet()).unwrap_err();
    assert!(failure.messages[0].contains("follows every change"), "{failure:?}");

    let dump = directory.path().join("dump.json");
    fs::write(&dump, r#"[{"name": "find"}]"#).unwrap();
    let against = BaselineArgs { baseline: Some(dump), ..BaselineArgs::default() };
    let failure = want(&pinned, &against, quiet()).unwrap_err();
    assert!(failure.messages[0].contains("does not say for which version"), "{failure:?}");
}
