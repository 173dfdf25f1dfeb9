//! Dumps in `check`, `lock` and `list`, as a gateway's CI uses them.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use crate::support::Said;
use crate::{command, names, run};

const OLD: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[
  {"name":"search","description":"Searches.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}},
  {"name":"ping","inputSchema":{"type":"object"}}]}}"#;

/// Runs with something on standard input.
fn piped(directory: &Path, arguments: &[&str], input: &str) -> Said {
    let mut command = command(directory, arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_gateway_snapshots_and_checks_what_it_serves() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let lockfile = ["--tools", "-", "--lockfile", "locked.yaml"];
    let lock =
        |flags: &[&str], input: &str| piped(at, &[&["lock"], &lockfile[..], flags].concat(), input);
    let check = |flags: &[&str], input: &str| {
        piped(at, &[&["check"], &lockfile[..], flags].concat(), input)
    };
    let missing = check(&[], OLD).expect(101);
    assert!(
        missing.stderr.contains("`cargo mcp-semver lock --lockfile locked.yaml --tools -`"),
        "{}",
        missing.stderr
    );
    lock(&["--generated-for", "my-gateway"], OLD).expect(0);
    let locked = fs::read_to_string(at.join("locked.yaml")).unwrap();
    assert!(locked.contains("generated_for: my-gateway\n"), "{locked}");
    assert!(!locked.contains("package:"), "{locked}");
    check(&[], OLD).expect(0);
    lock(&[], OLD).expect(0);
    assert_eq!(fs::read_to_string(at.join("locked.yaml")).unwrap(), locked, "to the byte");

    let new = OLD.replace("Searches.", "Searches fast.");
    let report = check(&[], &new).expect(2).stdout;
    let lock_command = "`cargo mcp-semver lock --lockfile locked.yaml --tools - --force`";
    for says in ["`--declared versions.yaml`", lock_command] {
        assert!(report.contains(says), "{report}");
    }
    let refused = lock(&[], &new).expect(2);
    assert!(refused.stderr.contains("locked.yaml was not written"), "{}", refused.stderr);
    fs::write(at.join("versions.yaml"), "search: 1.0.1\n").unwrap();
    let declared = ["--declared", "versions.yaml"];
    check(&declared, &new).expect(0);
    lock(&declared, &new).expect(0);
    let locked = fs::read_to_string(at.join("locked.yaml")).unwrap();
    assert!(locked.contains("semver: \"1.0.1\""), "{locked}");
    check(&[], &new).expect(0);
    // A version that covers a patch covers no more.
    check(&declared, &new.replace("\"q\"", "\"query\"")).expect(2);
    // A tool of another name is one removed, which none of these versions covers.
    check(&[], &new.replace("\"ping\"", "\"pong\"")).expect(2);
}

#[test]
fn pages_sessions_and_event_streams_are_listed() {
    let directory = tempfile::tempdir().unwrap();
    let list = |input: &str| {
        piped(directory.path(), &["list", "--message-format", "json", "--tools", "-"], input)
    };
    let pages = r#"{"tools":[{"name":"b"}],"nextCursor":""}{"tools":[{"name":"a"}]}"#;
    assert_eq!(names(&list(pages).expect(0).json()), ["a", "b"]);
    let session = format!(
        "{}\n{}\n{}\n",
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        OLD.replace('\n', "")
    );
    assert_eq!(names(&list(&session).expect(0).json()), ["ping", "search"]);
    let curl = format!("event: message\ndata: {}\n\n", OLD.replace('\n', ""));
    assert_eq!(names(&list(&curl).expect(0).json()), ["ping", "search"]);
    let half = list(&pages[..40]).expect(101);
    assert!(half.stderr.contains("the catalogue is incomplete"), "{}", half.stderr);
    let none = list(r#"{"tools":[]}"#).expect(101);
    assert!(none.stderr.contains("standard input has no tools"), "{}", none.stderr);
}

#[test]
fn a_package_around_gates_the_dump_of_its_server() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let manifest = |version: &str| {
        let text =
            format!("[package]\nname = \"my-server\"\nversion = \"{version}\"\n[workspace]\n");
        fs::write(at.join("Cargo.toml"), text).unwrap();
    };
    fs::create_dir(at.join("src")).unwrap();
    fs::write(at.join("src/main.rs"), "fn main() {}").unwrap();
    fs::write(at.join("tools.json"), OLD).unwrap();
    manifest("1.4.0");
    run(at, &["lock", "--tools", "tools.json"]).expect(0);
    let locked = fs::read_to_string(at.join("tool-versions.lock.yaml")).unwrap();
    assert!(locked.contains("name: my-server"), "{locked}");
    fs::write(at.join("tools.json"), OLD.replace("Searches.", "Searches fast.")).unwrap();
    let json = ["check", "--tools", "tools.json", "--message-format", "json"];
    let report = run(at, &json).expect(2).json();
    assert_eq!(report["package"]["required"], "patch");
    manifest("1.4.1");
    run(at, &json).expect(0);

    // Another server's lockfile, and one that is said to be another's.
    let other = ["--lockfile", "other.yaml", "--tools", "tools.json"];
    run(at, &[&["lock", "--generated-for", "other"], &other[..]].concat()).expect(0);
    fs::write(at.join("tools.json"), OLD).unwrap();
    let report = run(at, &[&json[..1], &other[..], &json[3..]].concat()).expect(2).json();
    assert_eq!(report.get("package"), None, "{report}");
}

#[test]
fn what_cannot_go_together_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    for arguments in [
        &["check", "--tools", "a", "--serve"][..],
        &["check", "--tools", "a", "--url", "http://localhost"],
        &["check", "--serve", "--url", "http://localhost"],
        &["check", "--header", "A: b"],
        &["check", "--", "server"],
        &["check", "--compare-build"],
        &["check", "--serve", "--compare-build", "--lockfile", "x"],
        &["check", "--tools", "-", "--baseline", "-"],
        &["check", "--serve", "--limit", "hours=1", "--", "server"],
        &["check", "--tools", "missing.json"],
        &["lock", "--tools", "missing.json", "--declared", "missing.yaml"],
    ] {
        let refused = run(directory.path(), arguments).expect(101);
        assert_ne!(refused.stderr, "", "{arguments:?}");
        assert_eq!(refused.stdout, "", "{arguments:?}");
    }
}
