//! rmcp's own streamable HTTP server.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use crate::support::Copy;
use crate::{names, run};

pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start(mode: &str) -> Self {
        static BINARY: OnceLock<PathBuf> = OnceLock::new();
        let binary =
            BINARY.get_or_init(|| Copy::new("over-http", &["over-http"]).build_binary("over-http"));
        let mut child = Command::new(binary).arg(mode).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut port).unwrap();
        Self { child, url: format!("http://127.0.0.1:{}/mcp", port.trim()) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = (self.child.kill(), self.child.wait());
    }
}

#[test]
fn its_tools_are_the_same_in_every_mode() {
    let directory = tempfile::tempdir().unwrap();
    let mut first = None;
    for mode in ["sessions", "without-sessions", "json"] {
        let server = Server::start(mode);
        let list = ["list", "--message-format", "json", "--url", &server.url];
        let listed = run(directory.path(), &list).expect(0).json();
        assert_eq!(names(&listed), ["ping", "search"], "{mode}");
        assert_eq!(listed["tools"][1]["annotations"]["readOnlyHint"], true, "{mode}");
        assert_eq!(first.get_or_insert_with(|| listed.clone()), &listed, "{mode}");
        run(directory.path(), &["lock", "--url", &server.url]).expect(0);
        run(directory.path(), &["check", "--url", &server.url]).expect(0);
    }
}
