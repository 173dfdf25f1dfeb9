//! What a probe build leaves alone, and what it must notice.
#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use support::{Copy, Said};

fn listed(copy: &Copy) -> Said {
    copy.run(&["list", "--message-format", "json"]).expect(0)
}

#[test]
fn the_users_files_and_builds_stay_as_they_are() {
    let copy = Copy::with_own_build("untouched", &["workspace-member-library"]);
    let binary = copy.build_binary("workspace-member-library");
    let bytes = fs::read(&binary).unwrap();
    let modified = fs::metadata(&binary).unwrap().modified().unwrap();
    let tree = copy.tree();

    listed(&copy);

    assert_eq!(copy.tree(), tree);
    assert!(fs::read(&binary).unwrap() == bytes, "the binary was rewritten");
    assert_eq!(fs::metadata(&binary).unwrap().modified().unwrap(), modified);
    let build = copy.said(copy.cargo(&["build", "-v"]).output().unwrap()).expect(0);
    assert!(build.stderr.contains("Fresh workspace-member-library"), "{}", build.stderr);
    assert!(!build.stderr.contains("Running"), "{}", build.stderr);
}

#[test]
fn a_c_library_stays_as_it_is() {
    let copy = Copy::new("untouched-cdylib", &["cdylib"]);
    copy.cargo(&["build", "-q"]).status().unwrap();
    let library = copy.root().join("target/debug/libcdylib.so");
    let bytes = fs::read(&library).unwrap();
    assert_eq!(listed(&copy).json(), support::served("cdylib"));
    assert!(fs::read(&library).unwrap() == bytes, "the library was rewritten");
    let build = copy.said(copy.cargo(&["build", "-v"]).output().unwrap()).expect(0);
    assert!(!build.stderr.contains("Running"), "{}", build.stderr);
}

#[test]
fn main_does_not_run() {
    let copy = Copy::new("main-does-not-run", &["needs-credentials"]);
    let mark = copy.root().join("target/mark");
    let mut command = copy.command(&["list"]);
    // A token, so that only the probe keeps `main` from leaving its mark.
    command.env("MAIL_TOKEN", "secret").env("MAIL_MARK", &mark);
    copy.said(command.output().unwrap()).expect(0);
    assert!(!mark.exists());
}

/// A compiler wrapper that logs the crates it is asked to compile.
fn wrapper(copy: &Copy, name: &str) -> (PathBuf, PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    let (script, log) = (copy.root().join(name), copy.root().join("target").join(name));
    let text = format!("#!/bin/sh\necho \"$@\" >> '{}'\nexec \"$@\"\n", log.display());
    copy.write(name, &text);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let _ = fs::remove_file(&log);
    (script, log)
}

#[test]
fn wrappers_of_the_user_still_wrap() {
    let copy = Copy::new("wrappers", &["strict-lints"]);
    let (outer, outer_log) = wrapper(&copy, "outer");
    let (inner, inner_log) = wrapper(&copy, "inner");
    let mut command = copy.command(&["list", "--message-format", "json"]);
    command.env("RUSTC_WRAPPER", outer).env("RUSTC_WORKSPACE_WRAPPER", inner);
    let said = copy.said(command.output().unwrap()).expect(0);
    assert_eq!(said.json(), support::served("strict-lints"));
    for log in [outer_log, inner_log] {
        let text = fs::read_to_string(&log).unwrap_or_default();
        assert!(text.contains("--crate-name strict_lints"), "{log:?}: {text}");
    }
}

/// Runs `list` after each edit and requires it to see the edit.
#[test]
fn every_edit_is_seen() {
    let copy = Copy::new("every-edit", &["texts"]);
    let source = "texts/src/main.rs";
    let sees = |text: &str| listed(&copy).stdout.contains(text);
    assert!(sees("letter by letter."));

    copy.edit(source, " letter by letter.", " sign by sign.");
    assert!(sees("sign by sign."), "text of an attribute");

    copy.edit(source, "Numbers count as words", "Numbers do not count");
    assert!(sees("Numbers do not count"), "doc comment of a tool");

    copy.edit(source, "BCP 47 tag, such as de-CH", "BCP 47 tag");
    assert!(!sees("such as de-CH"), "text of an argument");

    copy.edit(source, "in.\";", "in, with a guess.\";");
    assert!(sees("with a guess"), "text of a constant");

    copy.edit("wording.txt", "Proper names stay", "Names stay");
    assert!(sees("Names stay as they are"), "text of a file outside the package");

    copy.write("texts/wording/spell.txt", "Spell it.");
    assert!(sees("Spell it."), "text of a file by its absolute path");

    copy.edit("texts/wording/languages.md", "most spoken first", "sorted");
    assert!(sees("sorted."), "included doc comment");

    let module = "\n#[path = \"more.rs\"]\nmod more;\n";
    copy.write("texts/src/more.rs", MORE);
    copy.edit(source, "\nconst DETECT", &format!("{module}\nconst DETECT"));
    copy.edit(source, "#[tool_router(server_handler)]", "#[tool_router]");
    copy.edit(source, "#[derive(Clone)]", HANDLER);
    assert!(sees("divide"), "new module");

    copy.edit("texts/src/more.rs", "Divide a word", "Break a word");
    assert!(sees("Break a word"), "text in a new module");

    copy.edit(source, module, "");
    copy.edit(source, " + Self::more()", "");
    fs::remove_file(copy.root().join("texts/src/more.rs")).unwrap();
    assert!(!sees("divide"), "module that went");
}

const MORE: &str = r#"//! Another router.

use rmcp::{tool, tool_router};

use super::Translator;

#[tool_router(router = more, vis = "pub(super)")]
impl Translator {
    /// Divide a word.
    #[tool]
    fn divide(&self) -> String {
        String::new()
    }
}
"#;

const HANDLER: &str = r#"#[rmcp::tool_handler(router = (Self::tool_router() + Self::more()))]
impl rmcp::ServerHandler for Translator {}

#[derive(Clone)]"#;

#[test]
fn nothing_changed_compiles_nothing() {
    let copy = Copy::new("nothing-changed", &["article"]);
    let first = listed(&copy);
    let second = listed(&copy);
    assert_eq!(first.stdout, second.stdout);
    assert!(!second.stderr.contains("Compiling"), "{}", second.stderr);
}

#[test]
fn two_runs_at_once_do_not_meet() {
    let copy = Copy::new("two-at-once", &["article", "strict-lints"]);
    let source = "strict-lints/src/main.rs";
    for round in 0..3 {
        copy.write(source, &copy.read(source).replace(" up.", " more up."));
        let list = |package: &str| {
            copy.command(&["list", "-p", package, "--message-format", "json"])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let running = [list("strict-lints"), list("article"), list("strict-lints")];
        let [one, other, same] =
            running.map(|run| copy.said(run.wait_with_output().unwrap()).expect(0).json());
        assert_eq!(one, same);
        assert_eq!(other, support::served("article"));
        let text = format!("Count one {}up.", "more ".repeat(round + 1));
        assert_eq!(one["tools"][0]["description"], text);
    }
}

#[test]
fn target_directory_of_the_users_choice() {
    let copy = Copy::new("target-dir", &["strict-lints"]);
    let chosen = copy.root().join("target/chosen");
    let _ = fs::remove_dir_all(&chosen);
    copy.run(&["list", "--target-dir", "target/chosen"]).expect(0);
    assert!(chosen.join("mcp-semver").is_dir());
}

#[test]
fn without_cargo_lock_locked_fails_as_in_cargo() {
    let copy = Copy::new("locked", &["strict-lints"]);
    fs::remove_file(copy.root().join("Cargo.lock")).unwrap();
    let said = copy.run(&["list", "--locked"]).expect(101);
    assert!(said.stderr.contains("--locked"), "{}", said.stderr);
    assert!(!copy.root().join("Cargo.lock").exists());
}
