//! Servers that misbehave: whatever they do, reading them ends in a result or a named error, soon,
//! within bounded memory, and with nothing left running.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use support::Copy;

/// How long a server may take to one answer here.
const ANSWER: u64 = 2;
/// How long reading any of them may take, on a machine that does other things as well.
const BOUND: Duration = Duration::from_secs(30);
/// How much memory any of it may take, in KiB of address space, the server's own included.
const MEMORY: u32 = 600 << 10;

fn chaos() -> &'static Path {
    static CHAOS: OnceLock<PathBuf> = OnceLock::new();
    CHAOS.get_or_init(|| Copy::new("chaos", &["chaos"]).build_binary("chaos"))
}

/// `list --serve` of the server in a mode, in a shell that bounds its memory. The server's
/// environment holds the name of the test, by which what is left of it is found.
fn command(mode: &str, mark: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    let script = format!(r#"ulimit -v {MEMORY}; exec "$0" "$@""#);
    command
        .args(["-c", &script, env!("CARGO_BIN_EXE_cargo-mcp-semver")])
        .args(["list", "--message-format", "json", "--serve", "--limit"])
        .arg(format!("answer-seconds={ANSWER}"))
        .arg("--")
        .arg(chaos())
        .arg(mode)
        .current_dir(std::env::temp_dir())
        .env("CHAOS_TEST", mark)
        .stdin(Stdio::null());
    command
}

/// Runs it, and requires that it ends soon and leaves nothing.
fn run(mode: &str) -> Output {
    let mark = format!("{}-{mode}", std::process::id());
    let started = Instant::now();
    let output = command(mode, &mark).output().unwrap();
    assert!(started.elapsed() < BOUND, "{mode} took {:?}", started.elapsed());
    assert_nothing_left(&mark);
    output
}

/// The commands of the processes that carry the mark in their environment.
fn running(mark: &str) -> Vec<String> {
    let variable = format!("CHAOS_TEST={mark}");
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|entry| {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes())
        })
        .map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default())
        .collect()
}

#[track_caller]
fn assert_nothing_left(mark: &str) {
    assert_eq!(running(mark), [""; 0], "still running");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace(&chaos().display().to_string(), "chaos")
}

#[test]
fn what_can_be_borne_is_borne() {
    let expected = serde_json::json!({"tools": [
        {"name": "first", "inputSchema": {"type": "object"},
         "execution": {"taskSupport": "optional"}, "_meta": {"x": 1}},
        {"name": "second", "inputSchema": {"type": "object"}},
    ]});
    for mode in [
        "good",
        "noise",
        "asks-back",
        "batch",
        "carriage-returns",
        "changes-once",
        "empty-cursor",
        "stateless",
        "only-the-oldest",
        "of-another-revision",
        "hang-at-end",
        "flood-of-errors",
        "grandchild",
    ] {
        let output = run(mode);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{mode}: {errors}");
        let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(listed, expected, "{mode}");
        assert_eq!(errors.contains("note: "), mode == "of-another-revision", "{mode}: {errors}");
    }
}

#[test]
fn what_cannot_be_borne_has_a_name() {
    let mut said = String::new();
    for mode in [
        "dies-at-start",
        "hang-at-start",
        "hang-at-initialize",
        "half-a-line",
        "error-without-id",
        "refuses",
        "flood",
        "never-reads",
        "hang-at-list",
        "half-an-answer",
        "cut-line",
        "wrong-id",
        "text-id",
        "answers-twice",
        "answers-twice-at-the-end",
        "not-utf8",
        "repeating-cursor",
        "endless-pages",
        "number-as-cursor",
        "dies-between-pages",
        "hangs-between-pages",
        "keeps-changing",
        "changes-late",
        "error",
        "no-tools",
        "empty",
        "no-list",
        "no-result",
        "two-of-one-name",
        "key-twice",
        "changes-in-a-batch",
        "answers-twice-in-a-batch",
        "refuses-in-a-batch",
        "answers-before-the-question",
        "snake-case",
        "snake-case-cursor",
    ] {
        let output = run(mode);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(101), 0), "{mode}");
        let errors = text(&output.stderr);
        let errors = errors.strip_prefix("    Starting chaos\n").unwrap();
        said += &format!("-- {mode}\n{errors}");
    }
    insta::assert_snapshot!(said);
}

/// A flood is cut off by the amount or by the time, whichever comes first.
#[test]
fn floods_end() {
    for mode in ["flood-of-lines", "flood-of-messages"] {
        let output = run(mode);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(101), "{mode}: {errors}");
        let is_named = ["of output; if that is right", "no answer within"];
        assert!(is_named.iter().any(|name| errors.contains(name)), "{mode}: {errors}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_ends_as_well() {
    if Command::new("setsid").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no `setsid` on this machine");
        return;
    }
    let output = run("daemon");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-mcp-semver"))
        .args(["list", "--serve", "--", "/nonexistent/server"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(101));
    insta::assert_snapshot!(text(&output.stderr));
}

/// Ctrl-C reaches this process and not the server, which is in a group of its own.
#[cfg(target_os = "linux")]
#[test]
fn an_interruption_ends_the_server_too() {
    for signal in ["INT", "TERM", "HUP", "QUIT"] {
        let mark = format!("{}-interrupted-{signal}", std::process::id());
        let mut child = command("hang-at-list", &mark)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started = Instant::now();
        // Ours and the server's.
        while running(&mark).len() < 2 {
            assert!(started.elapsed() < BOUND, "the server never started");
            std::thread::sleep(Duration::from_millis(5));
        }
        let kill = format!("kill -{signal} {}", child.id());
        assert!(Command::new("/bin/sh").args(["-c", &kill]).status().unwrap().success());
        let status = child.wait().unwrap();
        assert_eq!(
            status.code(),
            None,
            "{signal}: ended by the signal itself, as without a server"
        );
        assert_nothing_left(&mark);
    }
}
