//! The reference servers from npm.

use std::path::PathBuf;
use std::process::Command;

use crate::support::repository;
use crate::{install, installed, names, run};

/// Where the servers' commands are.
fn commands() -> Option<PathBuf> {
    let directory = installed("npm");
    let manifest = repository().join("tests/serve/package.json");
    let commands = directory.join("node_modules/.bin");
    let wanted = std::fs::read(&manifest).unwrap();
    let is_there = std::fs::read(directory.join("package.json")).is_ok_and(|it| it == wanted);
    if is_there && commands.join("mcp-server-memory").exists() {
        return Some(commands);
    }
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::copy(&manifest, directory.join("package.json")).unwrap();
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund"]).current_dir(&directory);
    install("the reference servers from npm", &mut [npm]).then_some(commands)
}

#[test]
fn the_reference_servers_are_read_locked_and_checked() {
    let Some(commands) = commands() else { return };
    for (server, arguments, known) in [
        ("everything", &[][..], "echo"),
        ("filesystem", &["."][..], "read_text_file"),
        ("memory", &[][..], "create_entities"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let program = commands.join(format!("mcp-server-{server}"));
        let start = [&["--serve", "--", program.to_str().unwrap()], arguments].concat();
        let run = |command: &[&str]| run(directory.path(), &[command, &start].concat());
        let listed = run(&["list", "--message-format", "json"]).expect(0).json();
        assert!(names(&listed).contains(&known), "{server}: {:?}", names(&listed));
        run(&["lock"]).expect(0);
        run(&["check"]).expect(0);
    }
}
