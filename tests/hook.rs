//! The build-script hook in servers that use it.
#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use std::process::Output;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use support::{Copy, Said, ask, repository};

const SOURCE: &str = "versioned/src/main.rs";
const LOCKFILE: &str = "versioned/tool-versions.lock.yaml";

/// A copy of `versioned` that is alone until the guard goes: cargo takes a package at the same place
/// in two workspaces for one, and they build in one directory.
fn versioned(test: &str) -> (Copy, MutexGuard<'static, ()>) {
    static BUILDING: Mutex<()> = Mutex::new(());
    let alone = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    (Copy::new(test, &["versioned"]), alone)
}

/// Builds `versioned` with plain cargo: whether its build script ran, and what cargo said.
fn build(copy: &Copy) -> (bool, Said) {
    let output = copy.cargo(&["build", "-p", "versioned", "-vv"]).output().unwrap();
    let said = copy.said(output).expect(0);
    // Scripts of the dependencies run in the directory that all copies share, at any time.
    let is_own = |line: &str| {
        line.contains("CARGO_PKG_NAME=versioned ") && line.contains("/build-script-build`")
    };
    (said.stderr.lines().any(is_own), said)
}

/// Requires that a build runs no build script again; cargo says why it did.
#[track_caller]
fn stays(copy: &Copy) {
    let (ran, said) = build(copy);
    let why: Vec<&str> = said.stderr.lines().filter(|line| line.contains("Dirty")).collect();
    assert!(!ran, "{why:#?}");
}

/// `_meta` of a tool that the built server serves.
fn meta(copy: &Copy, tool: &str) -> Value {
    let mut server = std::process::Command::new(copy.root().join("target/debug/versioned"));
    let answer = ask(&mut server);
    let tools = answer["tools"].as_array().unwrap();
    tools.iter().find(|it| it["name"] == tool).unwrap()["_meta"].clone()
}

#[test]
fn a_server_tells_the_version_at_which_each_tool_was_locked() {
    let (copy, _alone) = versioned("hook");
    build(&copy);
    assert_eq!(meta(&copy, "convert")["mcp-semver/version"], "1.4.0");

    copy.run(&["lock"]).expect(0);
    copy.set_version("versioned", "1.5.0");
    copy.edit(SOURCE, "The stations that report.", "All stations that report.");
    let (_, said) = build(&copy);
    assert_eq!(meta(&copy, "convert")["mcp-semver/version"], "1.4.0");
    assert_eq!(meta(&copy, "stations")["mcp-semver/version"], "1.5.0");
    let warning = "warning: versioned@1.5.0: tool `stations` is not what \
                   tool-versions.lock.yaml says; see `cargo mcp-semver check`";
    assert!(said.stderr.contains(warning), "{}", said.stderr);
    assert!(!said.stderr.contains("tool `convert`"), "{}", said.stderr);

    copy.run(&["lock"]).expect(0);
    let locked: Value = serde_saphyr::from_str(&copy.read(LOCKFILE)).unwrap();
    let (_, said) = build(&copy);
    assert!(!said.stderr.contains("warning: versioned"), "{}", said.stderr);
    for tool in ["convert", "stations"] {
        let meta = meta(&copy, tool);
        assert_eq!(meta["mcp-semver/version"], locked["tools"][tool]["semver"]);
        assert_eq!(meta["mcp-semver/digest"], locked["tools"][tool]["contract_digest"]);
    }
}

#[test]
fn it_runs_again_when_what_it_read_has_changed_and_only_then() {
    let (copy, _alone) = versioned("hook-fresh");
    // A lockfile that is not there must not count as changed.
    copy.edit(SOURCE, "Degrees Celsius.", "Degrees of Celsius.");
    assert!(build(&copy).0);
    stays(&copy);
    copy.run(&["lock"]).expect(0);
    assert!(build(&copy).0, "the lockfile appeared");
    stays(&copy);
    std::fs::rename(copy.root().join(LOCKFILE), copy.root().join("lock")).unwrap();
    assert!(build(&copy).0, "the lockfile is gone");
    stays(&copy);
    std::fs::rename(copy.root().join("lock"), copy.root().join(LOCKFILE)).unwrap();
    assert!(build(&copy).0, "an older lockfile appeared");
    stays(&copy);
    copy.write("versioned/README.md", "Nothing that is read.");
    stays(&copy);
    copy.edit(SOURCE, "#[derive(Clone)]", "mod more;\n\n#[derive(Clone)]");
    copy.said(copy.cargo(&["build", "-p", "versioned"]).output().unwrap()).expect(101);
    copy.write("versioned/src/more.rs", "");
    assert!(build(&copy).0);
    stays(&copy);
    copy.write("versioned/src/more.rs", "// Changed.");
    assert!(build(&copy).0);
    copy.edit(LOCKFILE, "generated_for: versioned", "generated_for: other");
    assert!(build(&copy).0);
}

/// For packages that name a version of the library that may not be published yet.
fn patch() -> String {
    let library = repository().join("mcp-semver-build").display().to_string();
    format!("patch.crates-io.mcp-semver-build.path={library:?}")
}

/// Packs `versioned` and verifies the package, as publishing does.
fn package(copy: &Copy) -> Output {
    let patch = patch();
    // With the profile of the other builds, so that their dependencies serve here too.
    let arguments = ["package", "-p", "versioned", "--allow-dirty", "--config", &patch];
    copy.cargo(&arguments).args(["--config", "profile.dev.debug=false"]).output().unwrap()
}

#[test]
fn what_is_not_locked_is_not_published() {
    let (copy, _alone) = versioned("hook-publish");
    let refused = |says: &str| {
        let said = copy.said(package(&copy)).expect(101);
        assert!(said.stderr.contains(says), "no `{says}` in\n{}", said.stderr);
    };
    refused("tool-versions.lock.yaml is not in the package");
    copy.run(&["lock"]).expect(0);
    copy.said(package(&copy)).expect(0);
    copy.set_version("versioned", "1.4.1");
    refused("was written for versioned 1.4.0, and versioned 1.4.1 is to be published");
    copy.edit(SOURCE, "The stations that report.", "All stations that report.");
    refused("tool `stations` is not what tool-versions.lock.yaml says");
    copy.run(&["lock"]).expect(0);
    copy.edit(LOCKFILE, "package: {name: versioned,", "package: {name: before,");
    refused("was written for before 1.4.1, and versioned 1.4.1 is to be published");
    copy.edit(LOCKFILE, "package: {name: before,", "package: {name: versioned,");
    copy.said(package(&copy)).expect(0);
    copy.edit("versioned/Cargo.toml", "[dependencies]", "[package.metadata]\n\n[dependencies]");
    copy.edit("versioned/Cargo.toml", "edition", "exclude = [\"*.yaml\"]\nedition");
    refused("tool-versions.lock.yaml is not in the package");
}

#[test]
fn no_build_fails_for_it() {
    let (copy, _alone) = versioned("hook-broken");
    copy.write(LOCKFILE, "<<<<<<< HEAD\n");
    let (_, said) = build(&copy);
    assert!(said.stderr.contains("warning: versioned@1.4.0"), "{}", said.stderr);
    assert_eq!(meta(&copy, "convert")["mcp-semver/version"], "1.4.0");
}

#[test]
fn a_server_is_set_up_by_one_command() {
    let copy = Copy::new("init", &["article"]);
    let said = copy.run(&["init", "--hook"]).expect(0);
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    assert!(readme.contains(&said.stdout), "the README shows what is printed\n{}", said.stdout);
    for written in ["article/tool-versions.lock.yaml", "article/Cargo.toml", "article/build.rs"] {
        assert!(said.stderr.contains(written), "{}", said.stderr);
    }
    copy.said(copy.cargo(&["build", "--config", &patch()]).output().unwrap()).expect(0);
    copy.run(&["check", "--config", &patch()]).expect(0);
    let before = copy.tree();
    let said = copy.run(&["init", "--hook", "--config", &patch()]).expect(0);
    assert!(said.stderr.contains("is there already"), "{}", said.stderr);
    assert_eq!(copy.tree(), before);
}

#[test]
fn a_check_takes_what_the_build_knows_of_itself() {
    let (copy, _alone) = versioned("hook-check");
    // Which instructions there are is known to the build alone.
    let cfg = "#[cfg(any(target_feature = \"sse2\", target_feature = \"neon\"))]\n    #[tool(meta";
    copy.edit(
        SOURCE,
        "#[tool(meta = version_of(\"convert\"))]",
        &format!("{cfg} = version_of(\"convert\"))]"),
    );
    copy.run(&["lock"]).expect(0);
    copy.edit(SOURCE, "/// Degrees Celsius.", "/// Degrees of Celsius.");
    let lines = copy.read(SOURCE);
    let line = 1 + lines.lines().position(|line| line.contains("Degrees of")).unwrap();
    let report = copy.run(&["check", "--message-format", "json"]).expect(2).json();
    let finding = &report["tools"][0]["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["path"]),
        (&"description_changed".into(), &"degrees".into())
    );
    assert_eq!(finding["span"]["line"], line);
}
