//! Files that are no dump and no lockfile: each is an error that says where and what, never a
//! comparison.

use crate::Place;

const GOOD: &str = r#"{"tools": [{"name": "ping", "inputSchema": {"type": "object"}}]}"#;

/// The v2 digest of `{name: ping, inputSchema: {type: object}}`.
const LOCKFILE: &str = r#"version: 1
generated_for: my-server
tools:
  ping:
    semver: "1.0.0"
    contract_digest: "mcp-contract-v2-sha256:DIGEST"
    contract: { name: ping, inputSchema: { type: object } }
"#;

/// A name for each, the file's name, and its bytes.
fn bad_dumps() -> Vec<(&'static str, Vec<u8>)> {
    let tool = |json: &str| format!(r#"{{"tools": [{json}]}}"#).into_bytes();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_schema = format!(
        r#"[{{"name": "ping", "inputSchema": {}{}}}]"#,
        r#"{"items":"#.repeat(100_000) + "{}",
        "}".repeat(100_000)
    );
    vec![
        ("empty", Vec::new()),
        ("blank", b" \n\n".to_vec()),
        ("half", GOOD.as_bytes()[..40].to_vec()),
        ("binary", vec![0x7f, b'E', b'L', b'F', 0, 0xff, 0xfe, 0]),
        ("binary_in_json", b"{\"tools\": [\xff\xfe]}".to_vec()),
        ("deep", deep.into_bytes()),
        ("deep_schema", deep_schema.into_bytes()),
        ("duplicate", tool(r#"{"name": "ping"}, {"name": "ping"}"#)),
        ("nameless", tool(r#"{"description": "does things"}"#)),
        ("name_is_empty", tool(r#"{"name": ""}"#)),
        ("name_is_a_number", tool(r#"{"name": 7}"#)),
        ("schema_is_text", tool(r#"{"name": "ping", "inputSchema": "object"}"#)),
        ("tool_is_text", tool(r#""ping""#)),
        ("no_tools", br#"{"resources": []}"#.to_vec()),
        (
            "error_response",
            br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#.to_vec(),
        ),
        ("number", b"7".to_vec()),
        ("html", b"<!doctype html><title>502</title>".to_vec()),
    ]
}

fn bad_lockfiles() -> Vec<(&'static str, String)> {
    let zeros = "0".repeat(64);
    let good = LOCKFILE.replace("DIGEST", &zeros);
    let conflict = good.replace(
        "    semver: \"1.0.0\"\n",
        "<<<<<<< HEAD\n    semver: \"1.0.0\"\n=======\n    semver: \"1.1.0\"\n>>>>>>> theirs\n",
    );
    let twice = format!("{good}{}", good.split_once("tools:\n").map_or("", |(_, tools)| tools));
    vec![
        ("digest_of_something_else", good.clone()),
        ("conflict_markers", conflict),
        ("duplicate_tool", twice),
        ("duplicate_key", good.replace("version: 1\n", "version: 1\nversion: 1\n")),
        ("future_version", good.replace("version: 1\n", "version: 2\n")),
        ("unknown_scheme", good.replace("mcp-contract-v2-sha256", "mcp-contract-v3-blake3")),
        ("bad_semver", good.replace("1.0.0", "1.0")),
        ("half", good[..good.len() / 2].to_owned()),
        ("no_tools", "version: 1\ngenerated_for: my-server\n".to_owned()),
    ]
}

#[test]
fn a_bad_dump_is_an_error_that_says_what_to_do() {
    for (name, content) in bad_dumps() {
        let place = Place::new();
        place.file("good.json", GOOD).file("bad.json", content);
        for sides in [["good.json", "bad.json"], ["bad.json", "good.json"]] {
            let done = place.run(&["diff", sides[0], sides[1]]);
            assert_eq!((done.code, done.stdout.as_str()), (Some(101), ""), "{name}: {done}");
            insta::assert_snapshot!(format!("dump_{name}"), done.stderr);
        }
    }
}

#[test]
fn a_bad_dump_on_standard_input_is_named_so() {
    let place = Place::new();
    place.file("good.json", GOOD);
    let done = place.run_with_stdin(&["diff", "good.json", "-"], "{");
    assert_eq!(done.code, Some(101), "{done}");
    insta::assert_snapshot!(done.stderr);
}

#[test]
fn a_bad_lockfile_is_an_error_with_its_line() {
    for (name, content) in bad_lockfiles() {
        let place = Place::new();
        place.file("good.json", GOOD).file("tool-versions.lock.yaml", content);
        let done = place.run(&["diff", "tool-versions.lock.yaml", "good.json"]);
        assert_eq!((done.code, done.stdout.as_str()), (Some(101), ""), "{name}: {done}");
        insta::assert_snapshot!(format!("lockfile_{name}"), done.stderr);
    }
}

#[test]
fn a_missing_file_and_a_directory_are_named() {
    let place = Place::new();
    place.file("good.json", GOOD);
    std::fs::create_dir(place.path().join("directory")).unwrap();
    for name in ["missing.json", "directory"] {
        let done = place.run(&["diff", "good.json", name]);
        assert_eq!((done.code, done.stdout.as_str()), (Some(101), ""), "{done}");
        assert!(done.stderr.contains(name), "{done}");
        insta::assert_snapshot!(format!("path_{name}"), done.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.file("good.json", GOOD).file("secret.json", GOOD);
    let secret = place.path().join("secret.json");
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&secret).is_ok() {
        // Root may read everything; there is nothing to see then.
        return;
    }
    let done = place.run(&["diff", "good.json", "secret.json"]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(101), ""), "{done}");
    insta::assert_snapshot!(done.stderr);
}

#[test]
fn the_json_report_says_so_too() {
    let place = Place::new();
    place.file("good.json", GOOD).file("bad.json", "{");
    let done = place.run(&["diff", "good.json", "bad.json", "--message-format", "json"]);
    assert_eq!(done.code, Some(101), "{done}");
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(report["exit_code"], 101);
    assert_eq!(report["errors"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_manifest_without_a_package_is_an_error() {
    for (manifest, expected) in [
        ("[workspace]\n", "contains no package"),
        ("[dependencies]\n", "virtual manifest"),
        ("[[[", "Cargo.toml:1"),
        ("", "missing either"),
    ] {
        let place = Place::new();
        place.file("Cargo.toml", manifest);
        for command in ["check", "lock", "list"] {
            let done = place.run(&[command]);
            assert_eq!((done.code, done.stdout.as_str()), (Some(101), ""), "{done}");
            assert!(done.stderr.starts_with("error: `cargo metadata` failed"), "{done}");
            assert!(done.stderr.contains(expected), "{command} {manifest}: {done}");
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_in_the_place_of_a_lockfile_is_named() {
    let place = Place::new();
    place.file("dump.json", GOOD);
    let pipe = place.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::os::unix::fs::symlink("nowhere", place.path().join("link")).unwrap();
    for (lockfile, says) in [
        ("pipe", "error: cannot read pipe: it is not a regular file\n"),
        ("link", "error: cannot read link: it is a symbolic link to nothing\n"),
    ] {
        for command in ["check", "lock"] {
            let done = place.run(&[command, "--tools", "dump.json", "--lockfile", lockfile]);
            assert_eq!((done.code, done.stderr.as_str()), (Some(101), says), "{command}");
        }
    }
    let done = place.run(&["lock", "--tools", "dump.json", "--lockfile", "no/lock.yaml"]);
    let says = "error: cannot write no/lock.yaml: no file can be made in no: entity not found; \
                no file was written\n";
    assert_eq!((done.code, done.stderr.as_str()), (Some(101), says));
}
