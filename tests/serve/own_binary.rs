//! `--serve` without a command: the package's own binary.

use crate::support::Copy;

#[test]
fn what_is_built_is_what_is_served() {
    let copy = Copy::new("serve-own", &["article"]);
    copy.run(&["lock", "-p", "article"]).expect(0);
    let built = copy.read("article/tool-versions.lock.yaml");
    copy.run(&["check", "-p", "article", "--serve"]).expect(0);
    copy.run(&["lock", "-p", "article", "--serve"]).expect(0);
    assert_eq!(copy.read("article/tool-versions.lock.yaml"), built, "to the byte");

    copy.edit("article/src/main.rs", "at most 128 characters", "at most 64 characters");
    let report = copy.run(&["check", "-p", "article", "--serve", "--message-format", "json"]);
    let report = report.expect(2).json();
    assert_eq!(report["package"]["verdict"], "violation");
    assert_eq!(crate::rules(&report), ["description_changed"]);
}

#[test]
fn a_binary_that_cannot_be_told_is_asked_for() {
    let copy = Copy::new("serve-own-two", &["two-binaries"]);
    let asked = copy.run(&["check", "-p", "two-binaries", "--serve"]).expect(101);
    assert!(
        asked.stderr.contains("say with --bin which of them is the server"),
        "{}",
        asked.stderr
    );
}
