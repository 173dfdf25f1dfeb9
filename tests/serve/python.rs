//! The Python server of a FastMCP project.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::support::repository;
use crate::{install, installed, rules, run};

/// The interpreter of an environment with the SDK in it.
fn python() -> Option<PathBuf> {
    let environment = installed("python");
    let python = environment.join("bin/python");
    let requirements = repository().join("tests/serve/requirements.txt");
    let mut steps = [Command::new("python3"), Command::new(&python)];
    steps[0].args(["-m", "venv"]).arg(&environment);
    steps[1].args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
    steps[1].arg(requirements);
    let mut probe = Command::new(&python);
    let is_there = probe.args(["-c", "import mcp.server.fastmcp"]).output();
    let is_there = is_there.is_ok_and(|output| output.status.success());
    (is_there || install("the Python SDK", &mut steps)).then_some(python)
}

#[test]
fn each_silent_change_of_a_fastmcp_server_is_caught() {
    let Some(python) = python() else { return };
    let directory = tempfile::tempdir().unwrap();
    let server = directory.path().join("article.py");
    let original = fs::read_to_string(repository().join("tests/serve/article.py")).unwrap();
    fs::write(&server, &original).unwrap();
    let run = |command: &str, flags: &[&str]| {
        let start = ["--serve", "--", python.to_str().unwrap(), "article.py"];
        run(directory.path(), &[&[command], flags, &start].concat())
    };

    run("lock", &[]).expect(0);
    let lockfile = fs::read_to_string(directory.path().join("tool-versions.lock.yaml")).unwrap();
    assert!(lockfile.contains("generated_for: articles\n"), "{lockfile}");
    assert!(lockfile.contains("create_article:\n    semver: \"1.0.0\"\n"), "{lockfile}");
    run("check", &[]).expect(0);

    for (from, to, rule) in [
        ("title: str", "headline: str", "input_property_removed"),
        ("tags: list[str]", "tags: str", "input_type_narrowed"),
        (" Drafts stay private until they are published.", "", "description_changed"),
    ] {
        let changed = original.replacen(from, to, 1).replace("return title", "return \"\"");
        assert_ne!(changed, original);
        fs::write(&server, changed).unwrap();
        let report = run("check", &["--message-format", "json"]).expect(2).json();
        let rules = rules(&report);
        assert!(rules.iter().any(|fired| fired == rule), "{rule} expected among {rules:?}");
        run("lock", &[]).expect(2);
    }
    assert_eq!(
        fs::read_to_string(directory.path().join("tool-versions.lock.yaml")).unwrap(),
        lockfile,
        "a lock that is refused writes nothing"
    );
}
