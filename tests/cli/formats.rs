//! Formats for programs, and what is generated for packagers.

use crate::Place;

const OLD: &str = r#"[{"name": "a", "description": "Says, @you: 50%."}]"#;
const NEW: &str = r#"[{"name": "a", "description": "Says, @you: 60%."}, {"name": "b"}]"#;

fn place() -> Place {
    let place = Place::new();
    place.file("old.json", OLD).file("new.json", NEW);
    place
}

#[test]
fn github_has_annotations_and_a_summary() {
    let place = place();
    let arguments = ["diff", "old.json", "new.json", "--message-format", "github"];
    place.file("summary.md", "Of the step before.\n");
    let summary = place.path().join("summary.md");
    let output = place.command(&arguments).env("GITHUB_STEP_SUMMARY", &summary).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!("github", String::from_utf8(output.stdout).unwrap());
    let markdown = place.run(&["diff", "old.json", "new.json", "--message-format", "markdown"]);
    let written = std::fs::read_to_string(&summary).unwrap();
    assert_eq!(written, format!("Of the step before.\n{}", markdown.stdout));
    insta::assert_snapshot!("markdown", markdown.stdout);
}

#[test]
fn a_summary_that_cannot_be_written_is_told_and_changes_nothing_else() {
    let place = place();
    let arguments = ["diff", "old.json", "new.json", "--message-format", "github"];
    let output = place.command(&arguments).env("GITHUB_STEP_SUMMARY", place.path()).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("::"));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("warning: cannot write the job"));
}

#[test]
fn what_could_not_be_checked_is_in_every_format() {
    let place = place();
    for format in ["json", "github", "sarif", "markdown"] {
        let done = place.run(&["diff", "old.json", "gone.json", "--message-format", format]);
        assert_eq!(done.code, Some(101), "{done}");
        assert!(done.stdout.contains("gone.json") && done.stderr.contains("gone.json"), "{done}");
    }
}

#[test]
fn sarif_is_json_and_names_the_rules() {
    let done = place().run(&["diff", "old.json", "new.json", "--message-format", "sarif"]);
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let rules = report["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["description_changed", "tool_added"]);
}

#[test]
fn the_json_schema_is_that_of_the_json_report() {
    let place = place();
    let schema = serde_json::from_str(&place.run(&["schema"]).stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let report = place.run(&["diff", "old.json", "new.json", "--message-format", "json"]).stdout;
    let mut report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(validator.is_valid(&report), "{report:#}");
    report["grade"] = "huge".into();
    assert!(!validator.is_valid(&report));
}

#[test]
fn shells_and_man_know_the_commands() {
    let place = Place::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.run(&["completions", shell]);
        assert_eq!(script.code, Some(0), "{script}");
        for word in ["cargo-mcp-semver", "check", "message-format", "sarif"] {
            assert!(script.stdout.contains(word), "{shell}: {word}");
        }
    }
    let page = place.run(&["man"]).stdout;
    assert!(page.contains(".TH cargo-mcp-semver") && page.contains("check"), "{page}");
    let done = place.run(&["man", "--out-dir", "man/man1"]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), ""), "{done}");
    for name in ["cargo-mcp-semver.1", "cargo-mcp-semver-check.1", "cargo-mcp-semver-diff.1"] {
        assert!(place.path().join("man/man1").join(name).is_file(), "{name}");
    }
    place.file("file", "");
    let done = place.run(&["man", "--out-dir", "file"]);
    assert_eq!(done.code, Some(101));
    assert!(done.stderr.starts_with("error: cannot write manual pages to file"), "{done}");
}

#[test]
fn the_action_and_the_hook_use_flags_that_there_are() {
    let help = Place::new().run(&["check", "--help"]).stdout;
    let action = include_str!("../../action.yml");
    for flag in ["--message-format", "--baseline-rev"] {
        assert!(action.contains(&format!("{flag}=")) && help.contains(flag), "{flag}");
    }
    let hook = include_str!("../../.pre-commit-hooks.yaml");
    assert!(hook.contains("entry: cargo mcp-semver check\n"));
}

#[cfg(unix)]
#[test]
fn the_action_says_what_it_was_told_and_no_shell_reads_it() {
    use std::os::unix::fs::PermissionsExt as _;

    let action: serde_json::Value =
        serde_saphyr::from_str(include_str!("../../action.yml")).unwrap();
    let script = action["runs"]["steps"][1]["run"].as_str().unwrap();
    let place = Place::new();
    place.file("cargo", "#!/bin/sh\nprintf '%s\\n' \"$@\" > arguments\nexit 1\n");
    let cargo = place.path().join("cargo");
    std::fs::set_permissions(cargo, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", place.path().display());
    let arguments = |given: &str, revision: &str| {
        let status = std::process::Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(place.path())
            .envs([("PATH", path.as_str()), ("ARGS", given), ("BASELINE_REV", revision)])
            .env("GITHUB_OUTPUT", "output")
            .status()
            .unwrap();
        assert!(status.success(), "1 is no failure");
        std::fs::read_to_string(place.path().join("arguments")).unwrap()
    };
    let own = "mcp-semver\ncheck\n--message-format=github\n";
    assert_eq!(arguments("", ""), own);
    // What stands behind `--` starts the server.
    assert_eq!(
        arguments("--serve --\n  run $(x) *", "main; x"),
        format!("{own}--baseline-rev=main; x\n--serve\n--\nrun\n$(x)\n*\n")
    );
    let output = std::fs::read_to_string(place.path().join("output")).unwrap();
    assert_eq!(output, "exit-code=1\n".repeat(2));
}

#[test]
fn binaries_are_found_by_version_and_target() {
    let manifest: toml_edit::DocumentMut =
        include_str!("../../cargo-mcp-semver/Cargo.toml").parse().unwrap();
    let url = manifest["package"]["metadata"]["binstall"]["pkg-url"].as_str().unwrap();
    for part in ["{ repo }/", "v{ version }", "{ target }", "{ archive-suffix }"] {
        assert!(url.contains(part), "{url}");
    }
}
