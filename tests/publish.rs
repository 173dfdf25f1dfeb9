//! `publish`: what keeps a release back, and what cargo is handed.
#![cfg(unix)] // the stand-in for cargo is a shell script
#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use std::os::unix::fs::PermissionsExt as _;

use support::{Copy, Said};

const LOCKFILE: &str = "article/tool-versions.lock.yaml";

/// Runs `publish` with a cargo that only says what it would have published.
fn publish(copy: &Copy, arguments: &[&str]) -> Said {
    let stand_in = copy.root().join("cargo.sh");
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = publish ]; then echo \"cargo $*\"; else exec '{}' \"$@\"; fi\n",
        env!("CARGO")
    );
    copy.write("cargo.sh", &script);
    std::fs::set_permissions(&stand_in, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = copy.command(&["publish", "-p", "article"]);
    copy.said(command.args(arguments).env("CARGO", stand_in).output().unwrap())
}

#[track_caller]
fn held_back(copy: &Copy, arguments: &[&str], code: i32, says: &str) {
    let said = publish(copy, arguments).expect(code);
    assert!(said.stdout.contains(says) || said.stderr.contains(says), "{said:?}");
    assert!(!said.stdout.contains("cargo publish"), "{said:?}");
}

#[test]
fn only_what_is_locked_covered_and_packaged_reaches_cargo() {
    let copy = Copy::new("publish", &["article"]);
    held_back(&copy, &[], 101, "there is no lockfile");
    copy.run(&["lock"]).expect(0);
    let arguments = ["--features", "x", "--offline", "--", "--dry-run"];
    copy.edit("article/Cargo.toml", "[dependencies]", "[features]\nx = []\n\n[dependencies]");
    let said = publish(&copy, &arguments).expect(0);
    let handed = "cargo publish --offline -p article --features x --dry-run\n";
    assert!(said.stdout.ends_with(handed), "{said:?}");

    held_back(&copy, &["--", "-p", "other"], 101, "put it before `--`");

    // The tools are the same, but the next release would be measured from 1.4.0.
    copy.set_version("article", "1.4.1");
    held_back(&copy, &[], 101, "was written for version 1.4.0, and 1.4.1 is to be published");
    copy.run(&["lock"]).expect(0);
    publish(&copy, &[]).expect(0);

    // Covered is not enough: what is published must be what is locked.
    copy.set_version("article", "2.0.0");
    copy.edit("article/src/main.rs", "/// List your articles,", "/// List all articles,");
    held_back(&copy, &[], 2, "description_changed");
    copy.run(&["lock"]).expect(0);
    publish(&copy, &[]).expect(0);

    copy.edit("article/Cargo.toml", "edition", "include = [\"src\"]\nedition");
    held_back(&copy, &[], 101, "tool-versions.lock.yaml is not in the package");
    assert!(copy.root().join(LOCKFILE).exists());

    // Without it cargo verifies the package unguarded.
    copy.edit("article/Cargo.toml", "[\"src\"]", "[\"src\", \"*.yaml\"]");
    publish(&copy, &[]).expect(0);
    let hook = "[build-dependencies]\nmcp-semver-build.workspace = true\n\n[dependencies]";
    copy.edit("article/Cargo.toml", "[dependencies]", hook);
    copy.write("article/build.rs", "fn main() {\n    mcp_semver_build::snapshot();\n}\n");
    held_back(&copy, &[], 101, "build.rs is not in the package");
    copy.edit("article/Cargo.toml", "\"*.yaml\"", "\"*.yaml\", \"build.rs\"");
    publish(&copy, &[]).expect(0);
}

#[test]
fn a_lockfile_that_follows_every_change_is_measured_from_the_last_release() {
    let copy = Copy::new("publish-gate", &["article"]);
    let metadata = "[package.metadata.mcp-semver]\ngate = \"release\"\n\n[dependencies]";
    copy.edit("article/Cargo.toml", "[dependencies]", metadata);
    copy.run(&["lock"]).expect(0);
    // It names a registry, which `publish = false` leaves out.
    held_back(&copy, &[], 101, "publish = false");
    let base = copy.read(LOCKFILE);
    copy.write("release.yaml", &base);
    publish(&copy, &["--baseline", "release.yaml"]).expect(0);
    copy.edit("article/src/main.rs", "body_markdown: String", "body: String");
    copy.run(&["lock"]).expect(0);
    held_back(&copy, &["--baseline", "release.yaml"], 2, "2.0.0 is needed");
}
