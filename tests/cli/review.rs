//! `lock --review` at a terminal.
#![allow(clippy::unwrap_used)] // a panic is how a test fails

use std::process::Stdio;

use rexpect::session::{PtySession, spawn_command};

use crate::Place;

/// How long a prompt may take on a busy machine, in milliseconds.
const PATIENCE: u64 = 60_000;

/// The exit code of a review that left something out.
const LEFT: u8 = 2;

/// A package whose tools are given, with two of them changed since they were locked.
fn place() -> Place {
    let place = Place::new();
    place.file(
        "Cargo.toml",
        "[package]\nname = \"server\"\nversion = \"1.4.0\"\nedition = \"2021\"\n",
    );
    std::fs::create_dir(place.path().join("src")).unwrap();
    place.file("src/lib.rs", "");
    place.file("tools.json", r#"[{"name": "ask", "description": "Asks."}, {"name": "tell"}]"#);
    let done = place.run(&["lock", "--tools", "tools.json"]);
    assert_eq!(done.code, Some(0), "{done}");
    place.file(
        "Cargo.toml",
        "[package]\nname = \"server\"\nversion = \"2.0.0\"\nedition = \"2021\"\n",
    );
    let changed = r#"[{"name": "ask", "description": "Asks \u001b[2Jtwice."}, {"name": "say"}]"#;
    place.file("tools.json", changed);
    place
}

fn review(place: &Place) -> PtySession {
    let mut command =
        place.command(&["lock", "--review", "--tools", "tools.json", "--color", "never"]);
    // The session gives it the terminal.
    command.stdin(Stdio::inherit());
    let mut session = spawn_command(command, Some(PATIENCE)).unwrap();
    session.exp_string("change 1 of").unwrap();
    session
}

/// Answers until the command ends; whether it says by its exit code that something is
/// left, and what it said after the last answer.
fn answer(mut session: PtySession, answers: &[&str]) -> (bool, String) {
    for (index, answer) in answers.iter().enumerate() {
        if index > 0 {
            session.exp_string(&format!("change {} of", index + 1)).unwrap();
        }
        session.exp_string("[a/r/s/all/q] ").unwrap();
        session.send_line(answer).unwrap();
    }
    let rest = session.exp_eof().unwrap();
    // Its type is not exported.
    let status = format!("{:?}", session.process().wait().unwrap());
    (status.ends_with(&format!(", {LEFT})")), rest)
}

#[test]
fn each_change_is_answered_at_the_terminal() {
    let place = place();
    let lockfile =
        || std::fs::read_to_string(place.path().join("tool-versions.lock.yaml")).unwrap();
    let before = lockfile();
    let (is_left, said) = answer(review(&place), &["q"]);
    assert!(is_left, "{said}");
    assert!(!said.contains('\u{1b}'), "a text of a contract drives the terminal: {said:?}");
    assert_eq!(lockfile(), before, "nothing was accepted");

    // `say` is new, `tell` is gone.
    let (is_left, said) = answer(review(&place), &["a", "r", "a"]);
    assert!(is_left, "{said}");
    assert!(said.contains("say: rejected"), "{said}");
    let after = lockfile();
    assert!(
        after.contains("twice") && !after.contains("say:") && !after.contains("tell:"),
        "{after}"
    );
}

#[test]
fn whom_to_ask_is_not_what_to_read() {
    for flag in ["--tools", "--baseline"] {
        let place = place();
        let mut command = place.command(&["lock", "--review", flag, "-", "--color", "never"]);
        command.stdin(Stdio::inherit());
        let session = spawn_command(command, Some(PATIENCE)).unwrap();
        let (_, said) = answer(session, &[]);
        let says = format!("so `{flag} -` cannot be read from there");
        assert!(said.contains(&says), "{said}");
    }
}

#[test]
fn a_server_that_is_no_package_is_reviewed_alike() {
    let place = place();
    std::fs::remove_file(place.path().join("Cargo.toml")).unwrap();
    std::fs::remove_file(place.path().join("tool-versions.lock.yaml")).unwrap();
    let (is_left, said) = answer(review(&place), &["r", "a"]);
    assert!(is_left && said.contains("ask: rejected"), "{said}");
    let after = std::fs::read_to_string(place.path().join("tool-versions.lock.yaml")).unwrap();
    assert!(after.contains("say:") && !after.contains("ask:"), "{after}");
}
