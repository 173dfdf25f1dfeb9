//! Help, usage errors, streams.

use std::process::Stdio;

use crate::Place;

#[test]
fn help_is_for_people() {
    let place = Place::new();
    insta::assert_snapshot!(place.run(&["--help"]));
    for command in [
        "init",
        "check",
        "lock",
        "bump",
        "publish",
        "list",
        "diff",
        "rules",
        "explain",
        "schema",
        "completions",
        "man",
    ] {
        insta::assert_snapshot!(format!("help_{command}"), place.run(&[command, "--help"]));
    }
}

#[test]
fn cargo_passes_its_own_name_for_us() {
    let place = Place::new();
    assert_eq!(place.run(&["mcp-semver", "--version"]).stdout, place.run(&["--version"]).stdout,);
    let version = concat!("cargo-mcp-semver ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(place.run(&["--version"]).stdout, version);
}

#[test]
fn usage_errors_exit_with_101() {
    let place = Place::new();
    let wrong: &[&[&str]] = &[
        &[],
        &["mcp-semver"],
        &["chekc"],
        &["check", "--no-such-flag"],
        &["check", "--message-format", "xml"],
        &["list", "--message-format", "sarif"],
        &["completions"],
        &["check", "--lib", "--bin", "server"],
        &["check", "--release", "--profile", "dev"],
        &["check", "-q", "-v"],
        &["check", "--color", "sometimes"],
        &["diff"],
        &["diff", "old.json"],
        &["diff", "-", "-"],
    ];
    for arguments in wrong {
        let done = place.run(arguments);
        assert_eq!(done.code, Some(101), "{arguments:?}: {done}");
        assert_eq!(done.stdout, "", "{arguments:?}");
        assert_ne!(done.stderr, "", "{arguments:?}");
    }
    insta::assert_snapshot!(place.run(&["check", "--lib", "--bin", "server"]));
    insta::assert_snapshot!(place.run(&["diff", "-", "-"]));
    let done = place.run(&["check", "--bins"]);
    assert!(done.stderr.contains("'--bin'") && !done.stderr.contains("-- --bins"), "{done}");
}

#[test]
fn a_review_without_a_terminal_names_the_command_that_asks_nothing() {
    let place = Place::new();
    let done = place.run(&["mcp-semver", "lock", "--review", "--lockfile", "a b.yaml"]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(101), ""), "{done}");
    let expected = "error: --review asks at a terminal, and this is none; to accept every change: \
                    `cargo mcp-semver lock --lockfile 'a b.yaml'`\n";
    assert_eq!(done.stderr, expected);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    place.file("a.json", r#"[{"name": "a"}]"#).file("b.json", r#"[{"name": "b"}]"#);
    let mut command = place.command(&["diff", "a.json", "b.json"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_could_not_be_written_is_no_pass() {
    let place = Place::new();
    place.file("a.json", r#"[{"name": "a"}]"#);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    for format in ["human", "json"] {
        let mut command = place.command(&["diff", "a.json", "a.json", "--message-format", format]);
        let output = command.stdout(full.try_clone().unwrap()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(101), "{stderr}");
        assert!(stderr.starts_with("error: cannot write to standard output"), "{stderr}");
    }
}

#[test]
fn colours_follow_cargo() {
    let place = Place::new();
    place.file("a.json", r#"[{"name": "a"}]"#).file("b.json", r#"[{"name": "b"}]"#);
    let coloured = |arguments: &[&str], environment: &[(&str, &str)]| {
        let mut command = place.command(&["diff", "a.json", "b.json"]);
        let output = command.args(arguments).envs(environment.iter().copied()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        output.stdout.contains(&0x1b)
    };
    assert!(!coloured(&[], &[]), "a pipe is no terminal");
    assert!(coloured(&["--color", "always"], &[]));
    assert!(coloured(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(coloured(&[], &[("CARGO_TERM_COLOR", "always")]));
    assert!(!coloured(&["--color", "never"], &[("CARGO_TERM_COLOR", "always")]));
    assert!(!coloured(&["--color", "auto"], &[("CARGO_TERM_COLOR", "always")]));
    assert!(!coloured(&["--color", "always", "--message-format", "json"], &[]));
}
