//! Measuring against something else than the lockfile, and raising versions, on a real server.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use std::path::Path;
use std::process::Command;

use support::Copy;

const SOURCE: &str = "article/src/main.rs";
const MANIFEST: &str = "article/Cargo.toml";

fn git(directory: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository whose commit `base` has `article` 1.4.0, locked.
fn repository(test: &str) -> Copy {
    let copy = Copy::new(test, &["article"]);
    copy.run(&["lock"]).expect(0);
    // The workspace takes every directory at its root for a member, `.git` too.
    let package = copy.root().join("article");
    git(&package, &["init", "-q", "-b", "main"]);
    git(&package, &["add", "."]);
    git(&package, &["commit", "-q", "-m", "base"]);
    git(&package, &["tag", "base"]);
    copy
}

#[test]
fn a_breaking_change_is_bumped_locked_and_measured_from_its_base() {
    let copy = repository("bump");
    copy.edit(SOURCE, "body_markdown", "body");
    let said = copy.run(&["bump", "--dry-run"]).expect(0);
    assert_eq!(said.stdout, "article: 1.4.0 -> 2.0.0 in article/Cargo.toml\n");
    assert!(said.stderr.contains("--dry-run"), "{}", said.stderr);
    assert!(copy.read(MANIFEST).contains("version = \"1.4.0\""));
    copy.run(&["check"]).expect(2);

    let before = copy.read(MANIFEST);
    copy.run(&["bump"]).expect(0);
    assert_eq!(copy.read(MANIFEST), before.replace("\"1.4.0\"", "\"2.0.0\""));
    copy.run(&["check", "--locked"]).expect(0);
    let said = copy.run(&["bump"]).expect(0);
    assert_eq!(said.stdout, "");
    copy.run(&["lock"]).expect(0);

    // More of the same pull request: nothing from the lockfile covers it, the step from the base
    // does.
    copy.edit(
        SOURCE,
        "A published article is mailed to all followers and cannot be unpublished.",
        "",
    );
    copy.run(&["check"]).expect(2);
    let said = copy.run(&["check", "--baseline-rev", "base"]).expect(2);
    assert!(said.stdout.contains("the lockfile is out of date"), "{}", said.stdout);
    let lock = "`cargo mcp-semver lock --baseline-rev base`";
    assert!(said.stdout.contains(lock), "{}", said.stdout);
    copy.run(&["lock", "--baseline-rev", "base"]).expect(0);
    copy.run(&["check", "--baseline-rev", "base"]).expect(0);
    let said = copy.run(&["check", "--baseline-rev", "HEAD~1"]).expect(101);
    assert!(said.stderr.contains("no revision `HEAD~1`"), "{}", said.stderr);
}

#[test]
fn a_revision_without_a_lockfile_is_read_from_its_source() {
    let copy = Copy::new("unlocked-base", &["article"]);
    copy.edit("Cargo.toml", "members = [\"*\"]", "members = [\"article\"]");
    copy.write(".gitignore", "/target\n");
    git(copy.root(), &["init", "-q", "-b", "main"]);
    git(copy.root(), &["add", "."]);
    git(copy.root(), &["commit", "-q", "-m", "base"]);
    git(copy.root(), &["tag", "base"]);
    copy.edit(SOURCE, "body_markdown", "body");
    copy.run(&["lock"]).expect(0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let hook = copy.root().join(".git/hooks/post-index-change");
        std::fs::write(&hook, "#!/bin/sh\ntouch \"$GIT_DIR/hook-ran\"\n").unwrap();
        std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let before = copy.tree();
    let said = copy.run(&["check", "--baseline-rev", "base"]).expect(2);
    assert!(said.stderr.contains("the source of article at base"), "{}", said.stderr);
    assert!(said.stdout.contains("`body_markdown`"), "{}", said.stdout);
    assert!(said.stdout.contains("2.0.0 is needed"), "{}", said.stdout);
    assert_eq!(copy.tree(), before, "index, work tree and history are left alone");

    // Where the package lies by now does not matter.
    git(copy.root(), &["mv", "article", "crate"]);
    copy.edit("Cargo.toml", "\"article\"", "\"crate\"");
    let said = copy.run(&["check", "--source", "scan", "--baseline-rev", "base"]).expect(2);
    assert!(said.stdout.contains("2.0.0 is needed"), "{}", said.stdout);
    copy.edit("Cargo.toml", "\"crate\"", "\"article\"");
    git(copy.root(), &["mv", "crate", "article"]);

    // Nor how the package is called.
    copy.edit(MANIFEST, "name = \"article\"", "name = \"post\"");
    copy.run(&["lock", "--source", "scan", "--force"]).expect(0);
    let said = copy.run(&["check", "--source", "scan", "--baseline-rev", "base"]).expect(2);
    assert!(said.stderr.contains("the source of article at base"), "{}", said.stderr);
    assert!(said.stdout.contains("2.0.0 is needed"), "{}", said.stdout);
    copy.edit(MANIFEST, "name = \"post\"", "name = \"article\"");
    copy.run(&["lock", "--source", "scan", "--force"]).expect(0);

    // What cargo refuses is named as git names it.
    copy.edit(MANIFEST, "edition = \"2024\"", "edition = \"2042\"");
    git(copy.root(), &["commit", "-q", "-m", "broken", MANIFEST]);
    git(copy.root(), &["tag", "broken"]);
    copy.edit(MANIFEST, "edition = \"2042\"", "edition = \"2024\"");
    let said = copy.run(&["check", "--baseline-rev", "broken"]).expect(101);
    assert!(said.stderr.contains("broken:article/Cargo.toml"), "{}", said.stderr);
    assert!(!said.stderr.contains("/tree/"), "{}", said.stderr);
    git(copy.root(), &["commit", "-q", "-m", "mended", MANIFEST]);

    // What the source does not tell is no smaller catalogue.
    copy.edit(SOURCE, "    tags: Vec", "    #[schemars(schema_with = \"tags\")]\n    tags: Vec");
    let function = "fn tags(_: &mut schemars::SchemaGenerator) -> schemars::Schema {\n    \
                    let kind = [\"array\"][std::process::id() as usize % 1];\n    \
                    schemars::json_schema!({\"type\": kind})\n}\n\nfn thirty";
    copy.edit(SOURCE, "fn thirty", function);
    git(copy.root(), &["commit", "-q", "-m", "unresolved", "article/src"]);
    copy.run(&["lock", "--force"]).expect(0);
    let said = copy.run(&["check", "--baseline-rev", "HEAD"]).expect(101);
    let says = "has no lockfile for article, and its source alone does not tell all of its tools";
    assert!(said.stderr.contains(says), "{}", said.stderr);
    assert!(said.stderr.contains("`create_article` is not resolved"), "{}", said.stderr);
}

#[test]
fn a_lockfile_that_is_no_packages_has_a_past_too() {
    let copy = Copy::new("gateway", &[]);
    let directory = copy.root().join("gateway");
    std::fs::create_dir(&directory).unwrap();
    let dump = |argument: &str| {
        let schema = format!(
            r#"{{"type": "object", "properties": {{"{argument}": {{"type": "string"}}}}}}"#
        );
        copy.write("gateway/tools.json", &format!(r#"[{{"name": "a", "inputSchema": {schema}}}]"#));
    };
    let run = |command: &[&str]| {
        let source = ["--tools", "gateway/tools.json", "--lockfile", "gateway/lock.yaml"];
        copy.run(&[command, &source, &["--generated-for", "gateway"]].concat())
    };
    dump("q");
    git(&directory, &["init", "-q", "-b", "main"]);
    git(&directory, &["commit", "-q", "--allow-empty", "-m", "before"]);
    run(&["lock"]).expect(0);
    git(&directory, &["add", "."]);
    git(&directory, &["commit", "-q", "-m", "base"]);
    git(&directory, &["tag", "base"]);
    run(&["check", "--baseline-rev", "base"]).expect(0);
    dump("query");
    let said = run(&["check", "--baseline-rev", "base"]).expect(2);
    assert!(said.stdout.contains("the lockfile is out of date"), "{}", said.stdout);
    run(&["lock", "--force"]).expect(0);
    let said = run(&["check", "--baseline-rev", "base"]).expect(2);
    assert!(said.stdout.contains("nothing covers a change"), "{}", said.stdout);
    let said = run(&["check", "--baseline-rev", "base~1"]).expect(101);
    assert!(said.stderr.contains("`base~1` has no gateway/lock.yaml"), "{}", said.stderr);
    let said = run(&["check", "--baseline-version", "latest"]).expect(101);
    assert!(said.stderr.contains("gateway is no package"), "{}", said.stderr);
}

#[cfg(unix)]
#[test]
fn an_interruption_leaves_no_temporary_directory_behind() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};

    use rustix::process::{Pid, Signal, kill_process, kill_process_group};

    let copy = Copy::new("interrupted-base", &["article"]);
    copy.edit("Cargo.toml", "members = [\"*\"]", "members = [\"article\"]");
    copy.edit(MANIFEST, "publish = false", "publish = true");
    copy.run(&["lock", "--source", "scan"]).expect(0);
    let temporary = copy.root().join("temporary");
    fs::create_dir(&temporary).unwrap();
    // Stands for a registry that never answers.
    let cargo = copy.root().join("slow-cargo");
    let script = "#!/bin/sh\n[ \"$1\" != vendor ] || exec sleep 600\nexec cargo \"$@\"\n";
    fs::write(&cargo, script).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let mut child = copy
        .command(&["check", "--source", "scan", "--baseline-version", "1.0.0"])
        .env("CARGO", &cargo)
        .env("TMPDIR", &temporary)
        .process_group(0)
        .spawn()
        .unwrap();
    let holds = || fs::read_dir(&temporary).unwrap().count();
    while holds() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it waits for the registry");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // Not to cargo as well, of which it would only say that it failed.
    let group = Pid::from_child(&child);
    kill_process(group, Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    assert_eq!(holds(), 0);
    // Where it has got so far as to start cargo.
    let _ = kill_process_group(group, Signal::KILL);
}
