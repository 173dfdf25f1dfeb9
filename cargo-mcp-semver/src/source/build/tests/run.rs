#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

use super::*;

fn run(script: &str, limit: Duration) -> (TempDir, Ended) {
    let dir = TempDir::new().unwrap();
    let executable = dir.path().join("probe.sh");
    std::fs::write(&executable, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&executable, std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = Run {
        executable: &executable,
        cwd: dir.path(),
        libraries: &[PathBuf::from("/native/lib")],
        output: dir.path().join("records"),
        limit,
    };
    let ended = run.run().unwrap();
    (dir, ended)
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn records_and_errors_are_read() {
    let (_dir, ended) = run(
        "echo record > \"$MCP_SEMVER_PROBE_OUT\"; echo noise; echo trouble >&2; read x; pwd >&2",
        LONG,
    );
    assert!(matches!(ended.how, How::Exited(status) if status.success()));
    assert_eq!(ended.output, "record\n");
    assert!(ended.stderr.starts_with("trouble\n/"), "{}", ended.stderr);
}

#[test]
fn native_libraries_are_found_before_inherited_ones() {
    let (_dir, ended) = run(&format!("echo \"${LIBRARY_PATH}\" >&2"), LONG);
    assert!(ended.stderr.starts_with("/native/lib"), "{}", ended.stderr);
}

#[test]
fn a_probe_that_hangs_is_stopped_with_all_it_started() {
    let script = "sleep 100 & echo $! > child; echo half > \"$MCP_SEMVER_PROBE_OUT\"; wait";
    let (dir, ended) = run(script, Duration::from_millis(500));
    assert_eq!(ended.how, How::TimedOut);
    assert_eq!(ended.output, "half\n");
    let child: i32 =
        std::fs::read_to_string(dir.path().join("child")).unwrap().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(child).unwrap();
    // It is gone, or waits as a zombie for whoever inherits it.
    let gone = || {
        let state = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        rustix::process::test_kill_process(pid).is_err() || state.contains(") Z ")
    };
    let started = Instant::now();
    while !gone() {
        assert!(started.elapsed() < Duration::from_secs(10), "process {child} still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_crash_is_told_with_the_end_of_what_it_said() {
    let (_dir, ended) = run(
        "i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done; kill -SEGV $$",
        LONG,
    );
    assert!(matches!(ended.how, How::Exited(status) if status.code().is_none()));
    assert!(ended.stderr.ends_with("line 2999\n"));
    assert!(ended.stderr.len() as u64 <= TAIL);
}
