//! What the end-to-end tests share: copies of the fixtures, the command, and a plain MCP client.
#![allow(dead_code, unreachable_pub)] // each test target uses its own part
#![allow(clippy::unwrap_used)] // a panic is how a test fails

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use serde_json::{Value, json};

/// The repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The fixtures as they are committed.
pub fn fixtures() -> PathBuf {
    repository().join("fixtures")
}

/// What a fixture's server answers to `tools/list`, as recorded.
pub fn served(fixture: &str) -> Value {
    let path = fixtures().join(fixture).join("served.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    serde_json::from_str(&text).unwrap()
}

/// A copy of some fixtures that a test may edit, at a place of its own that stays the same from
/// run to run, so that cargo finds its earlier work again.
pub struct Copy {
    root: PathBuf,
    build: Option<PathBuf>,
}

impl Copy {
    /// Copies `members` into the workspace of `test`. All copies build their dependencies in one
    /// directory.
    pub fn new(test: &str, members: &[&str]) -> Self {
        let target = repository().join("target").join("fixtures");
        let copy = Self { root: target.join(test), build: Some(target.join("build")) };
        copy.fill(members);
        copy
    }

    /// As [`Copy::new`], with cargo's default layout: dependencies build in the copy's own `target`.
    pub fn with_own_build(test: &str, members: &[&str]) -> Self {
        let copy = Self { build: None, ..Self::new(test, &[]) };
        copy.fill(members);
        copy
    }

    fn fill(&self, members: &[&str]) {
        fetch();
        fs::create_dir_all(&self.root).unwrap();
        for entry in fs::read_dir(&self.root).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                if entry.file_name() != "target" {
                    fs::remove_dir_all(entry.path()).unwrap();
                }
            } else {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        let manifest = fs::read_to_string(fixtures().join("Cargo.toml")).unwrap();
        let manifest = replace_once(&manifest, "\"does-not-compile\", ", "");
        let library = repository().join("mcp-semver-build").display().to_string();
        self.write("Cargo.toml", &replace_once(&manifest, "../mcp-semver-build", &library));
        for shared in ["Cargo.lock", "wording.txt"] {
            fs::copy(fixtures().join(shared), self.root.join(shared)).unwrap();
        }
        for member in members {
            copy_dir(&fixtures().join(member), &self.root.join(member));
        }
    }

    /// Where the copy stands.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The text of one of its files.
    pub fn read(&self, file: &str) -> String {
        let path = self.root.join(file);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
    }

    /// Writes one of its files.
    pub fn write(&self, file: &str, text: &str) {
        let path = self.root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces `from`, which must stand in `file` exactly once.
    pub fn edit(&self, file: &str, from: &str, to: &str) {
        self.write(file, &replace_once(&self.read(file), from, to));
    }

    /// Sets the version in a member's Cargo.toml.
    pub fn set_version(&self, member: &str, version: &str) {
        let file = format!("{member}/Cargo.toml");
        let text = self.read(&file);
        let line = text.lines().find(|line| line.starts_with("version = ")).unwrap();
        self.write(&file, &replace_once(&text, line, &format!("version = \"{version}\"")));
    }

    /// `cargo mcp-semver` with these arguments, ready to run in the copy.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-mcp-semver"));
        command.arg("mcp-semver").args(arguments);
        self.prepare(&mut command);
        command
    }

    /// `cargo` with these arguments, ready to run in the copy.
    pub fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO"));
        command.args(arguments);
        self.prepare(&mut command);
        command
    }

    fn prepare(&self, command: &mut Command) {
        for (variable, _) in std::env::vars_os() {
            let name = variable.to_string_lossy();
            let outer = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "RUSTC", "INSTA_"];
            if outer.iter().any(|prefix| name.starts_with(prefix)) || name == "CARGO_TARGET_DIR" {
                command.env_remove(&variable);
            }
        }
        command.current_dir(&self.root).env("CARGO_NET_OFFLINE", "true").stdin(Stdio::null());
        match &self.build {
            Some(build) => command.env("CARGO_BUILD_BUILD_DIR", build),
            None => command.env_remove("CARGO_BUILD_BUILD_DIR"),
        };
    }

    /// Runs `cargo mcp-semver` and returns what it said.
    pub fn run(&self, arguments: &[&str]) -> Said {
        self.said(self.command(arguments).output().unwrap())
    }

    /// What a finished command said, the copy's own path taken out.
    pub fn said(&self, output: Output) -> Said {
        let root = self.root.to_str().unwrap();
        let text =
            |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().replace(root, "[ROOT]");
        Said {
            code: output.status.code().expect("ended by a signal"),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Builds a member's binary with plain cargo and returns its path.
    pub fn build_binary(&self, member: &str) -> PathBuf {
        let output = self.cargo(&["build", "-q", "-p", member, "--bins"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        self.root.join("target/debug").join(member)
    }

    /// Every file of the copy outside `target`, by relative path, with a hash of its bytes.
    pub fn tree(&self) -> BTreeMap<PathBuf, u64> {
        let mut files = BTreeMap::new();
        hash_dir(&self.root, Path::new(""), &mut files);
        files
    }
}

/// What a run said.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// Requires an exit code.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "exit code\n-- stdout\n{}\n-- stderr\n{}",
            self.stdout, self.stderr
        );
        self
    }

    /// The JSON on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error} in {}\n{}", self.stdout, self.stderr))
    }
}

/// Downloads what the fixtures depend on, once a process; everything after is offline.
fn fetch() {
    static FETCHED: OnceLock<()> = OnceLock::new();
    FETCHED.get_or_init(|| {
        let status = Command::new(env!("CARGO"))
            .args(["fetch", "--quiet", "--locked"])
            .current_dir(fixtures())
            .status()
            .unwrap();
        assert!(status.success(), "cannot fetch what the fixtures depend on");
    });
}

fn replace_once(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "`{from}` must stand exactly once in\n{text}");
    text.replacen(from, to, 1)
}

fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_dir(&entry.path(), &to);
        } else if entry.file_name() != "tool-versions.lock.yaml" {
            // Written, not copied: cargo tells by the time that the file is new.
            fs::write(to, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

fn hash_dir(root: &Path, below: &Path, files: &mut BTreeMap<PathBuf, u64>) {
    for entry in fs::read_dir(root.join(below)).unwrap().map(Result::unwrap) {
        let path = below.join(entry.file_name());
        if path == Path::new("target") {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            hash_dir(root, &path, files);
        } else {
            let mut hasher = DefaultHasher::new();
            fs::read(entry.path()).unwrap().hash(&mut hasher);
            entry.metadata().unwrap().modified().unwrap().hash(&mut hasher);
            files.insert(path, hasher.finish());
        }
    }
}

/// Starts a server, asks it for its tools over stdio, and returns `{"tools": [...]}` sorted by
/// name.
pub fn ask(server: &mut Command) -> Value {
    let mut child = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // A server that panics over a request never answers it.
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, answers) = mpsc::channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let mut send = |message: Value| writeln!(input, "{message}").unwrap();
    let answer = |id: u64| loop {
        let line = answers.recv_timeout(Duration::from_secs(60)).expect("no answer");
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] == id {
            break message;
        }
    };
    send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "0"}}}));
    answer(1);
    send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    // From the revision 2026-07-28 on a server knows no `initialize`, and each request says this.
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": meta}}));
    let mut answered = answer(2);
    assert!(answered["result"].is_object(), "{answered}");
    let mut result = answered["result"].take();
    assert_eq!(result["nextCursor"], Value::Null, "a second page");
    let Value::Array(mut tools) = result["tools"].take() else { panic!("no tools in {result}") };
    tools.sort_by_key(|tool| tool["name"].as_str().unwrap().to_owned());
    let _ = (child.kill(), child.wait());
    json!({ "tools": tools })
}
