//! Running servers, in Rust and other languages, over stdio and HTTP.
//!
//! The Python and npm servers are installed under `target/` when they are not there yet. Where that
//! cannot be done, the test says so on standard error and passes.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use support::{Said, repository};

mod serve {
    mod compare_build;
    mod dumps;
    mod http;
    mod npm;
    mod over_http;
    mod own_binary;
    mod python;
    mod rmcp_client;
}

/// `cargo mcp-semver` in a directory.
fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-mcp-semver"));
    command.args(arguments).current_dir(directory).stdin(Stdio::null());
    command.env_remove("MCP_SEMVER_HEADERS");
    command
}

fn run(directory: &Path, arguments: &[&str]) -> Said {
    said(&mut command(directory, arguments))
}

fn said(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    Said {
        code: output.status.code().expect("ended by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The rules that fired for the tools of a JSON report, sorted.
fn rules(report: &Value) -> Vec<String> {
    let tools = report["tools"].as_array().unwrap();
    let findings = tools.iter().flat_map(|tool| tool["findings"].as_array().unwrap());
    let mut rules: Vec<String> =
        findings.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect();
    rules.sort();
    rules.dedup();
    rules
}

/// The names of the tools of a listing.
fn names(listed: &Value) -> Vec<&str> {
    let tools = listed["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// Where servers of other ecosystems are installed.
fn installed(name: &str) -> PathBuf {
    repository().join("target").join("servers").join(name)
}

/// Runs an installer's steps; says loudly when one fails, and that what needs it was skipped.
fn install(what: &str, steps: &mut [Command]) -> bool {
    for step in steps {
        let why = match step.stdin(Stdio::null()).output() {
            Ok(output) if output.status.success() => continue,
            Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
            Err(error) => error.to_string(),
        };
        // Around the capture of the test harness, so that it is seen.
        let text = format!(
            "\nSKIPPED: {what} cannot be installed, so nothing is tested with it:\n{why}\n"
        );
        let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
        return false;
    }
    true
}
