//! Servers that cannot be read, and what the command says then: never a pass.
#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use support::Copy;

/// Requires `lock` to fail without a lockfile, saying all of `parts` on standard error, and
/// returns what it said.
#[track_caller]
fn refused(fixture: &str, parts: &[&str]) -> String {
    let copy = Copy::new(&format!("lock-{fixture}"), &[fixture]);
    let dump = copy.run(&["list", "-p", fixture, "--message-format", "json"]).expect(101);
    assert_eq!(dump.stdout, "", "a dump that may not be whole");
    let said = copy.run(&["lock", "-p", fixture]).expect(101);
    for part in parts {
        assert!(said.stderr.contains(part), "no `{part}` in\n{}", said.stderr);
    }
    assert!(!copy.root().join(fixture).join("tool-versions.lock.yaml").exists());
    said.stderr
}

#[test]
fn does_not_compile() {
    let said =
        refused("does-not-compile", &["mismatched types", "does-not-compile/src/main.rs:13"]);
    assert!(!said.contains("target/mcp-semver"), "a path of the instrumented copy\n{said}");
    assert!(!said.contains("instrumented build only"), "it is the server's own error\n{said}");
}

#[test]
fn two_tools_of_one_name() {
    refused(
        "duplicate-names",
        &["two tools are named `search`", "src/main.rs:12", "src/main.rs:18"],
    );
}

#[test]
fn schema_that_panics() {
    refused("schema-panics", &["plan", "no plan without a date"]);
}

#[test]
fn main_symbol_of_its_own() {
    refused("own-main-symbol", &["`main`", "src/main.rs:20", "serve"]);
}

#[test]
fn no_tools() {
    refused("no-tools", &["no tool"]);
}

#[test]
fn router_edited_at_run_time() {
    refused("router-run-time", &["run time", "serve"]);
}

#[test]
fn no_cargo_and_no_rustc() {
    let copy = Copy::new("no-cargo", &["strict-lints"]);
    for (variable, says) in [("CARGO", "cannot run `/nowhere/tool`"), ("RUSTC", "cannot run rustc")]
    {
        let output = copy.command(&["list"]).env(variable, "/nowhere/tool").output().unwrap();
        let said = copy.said(output).expect(101);
        assert!(said.stderr.contains(says), "{variable}\n{}", said.stderr);
        assert!(said.stderr.contains("rustup.rs"), "{variable}\n{}", said.stderr);
    }
}

#[test]
fn one_package_keeps_no_other_from_being_read() {
    let members = ["does-not-compile", "strict-lints", "schema-panics"];
    let copy = Copy::new("one-fails", &members);
    let said = copy.run(&["lock", "--workspace"]).expect(101);
    let locked: Vec<bool> = members
        .iter()
        .map(|member| copy.root().join(member).join("tool-versions.lock.yaml").exists())
        .collect();
    assert_eq!(locked, [false, true, false], "{}", said.stderr);
    let said = copy.run(&["check", "--workspace", "--message-format", "json"]).expect(101);
    let report = said.json();
    let reported = |package: &str| {
        let packages = report["packages"].as_array().unwrap();
        packages.iter().find(|it| it["package"]["name"] == package).unwrap().clone()
    };
    assert_eq!(
        members.map(|member| reported(member)["exit_code"].as_u64().unwrap()),
        [101, 0, 101]
    );
    let said = &reported("does-not-compile")["errors"][0];
    assert!(said.as_str().unwrap().contains("does not build"), "{said}");
    copy.run(&["list", "--workspace"]).expect(101);
}

/// Ctrl-C reaches the terminal's process group, and the probe has one of its own.
#[cfg(target_os = "linux")]
#[test]
fn an_interruption_leaves_no_probe_behind() {
    use std::time::Duration;
    let copy = Copy::new("interrupted", &["schema-panics"]);
    let endless = "std::fs::write(\"probe.pid\", std::process::id().to_string()).unwrap();\n        \
                   loop {\n            std::thread::park();\n        }";
    copy.edit("schema-panics/src/main.rs", "panic!(\"no plan without a date\")", endless);
    let mut child = copy.command(&["list"]).spawn().unwrap();
    let pid_file = copy.root().join("schema-panics/probe.pid");
    let mut pid = None;
    for _ in 0..6000 {
        pid = std::fs::read_to_string(&pid_file).ok().and_then(|text| text.parse::<i32>().ok());
        if pid.is_some() || child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let probe = pid.expect("the probe runs");
    let tool = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(tool, rustix::process::Signal::INT).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(2), "{status}");
    // It is gone, or waits as a zombie for whoever inherits it.
    let state = std::fs::read_to_string(format!("/proc/{probe}/stat")).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}
