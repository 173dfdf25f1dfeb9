//! `served.json` of every fixture is what its server really answers to `tools/list`.
//!
//! `MCP_SEMVER_RECORD=1` records instead of comparing.
#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use std::fs;
use std::process::Command;

use support::{Copy, ask, fixtures, served};

/// Every server that starts, with the environment it needs.
const SERVERS: &[(&str, &[(&str, &str)])] = &[
    ("article", &[]),
    ("cdylib", &[]),
    ("derives", &[]),
    ("derives-0-8", &[]),
    ("duplicate-names", &[]),
    ("generated", &[]),
    ("generic", &[]),
    ("library-and-binary", &[]),
    ("macro-inside", &[]),
    ("macro-made", &[]),
    ("needs-credentials", &[("MAIL_TOKEN", "secret")]),
    ("on-mcp-attr", &[]),
    ("on-pmcp", &[]),
    ("on-poem-mcpserver", &[]),
    ("on-rust-mcp-sdk", &[]),
    ("on-turbomcp", &[]),
    ("own-main-symbol", &[]),
    ("private-modules", &[]),
    ("redeclared", &[]),
    ("rmcp-0-1", &[]),
    ("rmcp-0-3", &[]),
    ("rmcp-0-8", &[]),
    ("rmcp-1", &[]),
    ("rmcp-2", &[]),
    ("router-edited", &[]),
    ("router-run-time", &[]),
    ("schemas", &[]),
    ("strict-lints", &[]),
    ("texts", &[]),
    ("unserved", &[]),
    ("versioned", &[]),
    ("workspace-member-library", &[]),
];

#[test]
fn every_server_answers_what_was_recorded() {
    let names: Vec<_> = SERVERS.iter().map(|(name, _)| *name).collect();
    let copy = Copy::new("served", &names);
    let output = copy.cargo(&["build", "-q", "--workspace"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (name, environment) in SERVERS {
        let mut server = Command::new(copy.root().join("target/debug").join(name));
        let answer = ask(server.envs(environment.iter().copied()));
        if std::env::var_os("MCP_SEMVER_RECORD").is_some() {
            let text = serde_json::to_string_pretty(&answer).unwrap() + "\n";
            fs::write(fixtures().join(name).join("served.json"), text).unwrap();
        }
        assert_eq!(answer, served(name), "{name}");
    }
}

#[test]
fn every_fixture_is_named_here() {
    // These have nothing to answer, or no single server.
    let silent = [
        "article-next",
        "chaos",
        "does-not-compile",
        "no-tools",
        "over-http",
        "rmcp-client",
        "schema-panics",
        "two-binaries",
    ];
    let mut directories: Vec<_> = fs::read_dir(fixtures())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("Cargo.toml").exists())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .filter(|name| !silent.contains(&name.as_str()))
        .collect();
    directories.sort();
    assert_eq!(directories, SERVERS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}
