//! Servers that cannot be read, and what the command says then: never a pass.
#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use support::Copy;

/// Requires `lock` to fail without a lockfile, saying all of `parts` on standard error, and
/// returns what it said.
#[track_caller]
fn refused(fixture: &str, parts: &[&str]) -> String {
    let copy = Copy::new(&format!("lock-{fixture}"), &[fixture]);
    let said = copy.run(&["lock", "-p", fixture]).expect(101);
    for part in parts {
        assert!(said.stderr.contains(part), "no `{part}` in\n{}", said.stderr);
    }
    assert!(!copy.root().join(fixture).join("tool-versions.lock.yaml").exists());
    said.stderr
}

#[test]
fn does_not_compile() {
    let said =
        refused("does-not-compile", &["mismatched types", "does-not-compile/src/main.rs:13"]);
    assert!(!said.contains("target/mcp-semver"), "a path of the instrumented copy\n{said}");
    assert!(!said.contains("instrumented build only"), "it is the server's own error\n{said}");
}

#[test]
fn two_tools_of_one_name() {
    refused(
        "duplicate-names",
        &["two tools are named `search`", "src/main.rs:12", "src/main.rs:18"],
    );
}

#[test]
fn schema_that_panics() {
    refused("schema-panics", &["plan", "no plan without a date"]);
}

#[test]
fn main_symbol_of_its_own() {
    refused("own-main-symbol", &["`main`", "src/main.rs:20", "serve"]);
}

#[test]
fn no_tools() {
    refused("no-tools", &["no tool"]);
}

#[test]
fn router_edited_at_run_time() {
    refused("router-run-time", &["run time", "serve"]);
}

#[test]
fn no_cargo_and_no_rustc() {
    let copy = Copy::new("no-cargo", &["strict-lints"]);
    for (variable, says) in [("CARGO", "cannot run `/nowhere/tool`"), ("RUSTC", "cannot run rustc")]
    {
        let output = copy.command(&["list"]).env(variable, "/nowhere/tool").output().unwrap();
        let said = copy.said(output).expect(101);
        assert!(said.stderr.contains(says), "{variable}\n{}", said.stderr);
        assert!(said.stderr.contains("rustup.rs"), "{variable}\n{}", said.stderr);
    }
}
