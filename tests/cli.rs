//! The installed command on its own, without building a server: usage, `diff`, bad input.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

mod cli {
    mod bad_input;
    mod diff;
    mod formats;
    #[cfg(unix)]
    mod review;
    mod rules;
    mod usage;
}

/// A directory to run in, so that every path in a message is relative and stable.
struct Place {
    directory: TempDir,
}

/// What a command did.
struct Done {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path().join(name), content).expect("a file can be written");
        self
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-mcp-semver"));
        command.args(arguments).current_dir(self.path()).stdin(Stdio::null());
        for variable in [
            "NO_COLOR",
            "CLICOLOR",
            "CLICOLOR_FORCE",
            "CARGO_TERM_COLOR",
            "CI",
            "COLUMNS",
            "GITHUB_STEP_SUMMARY",
            "GITHUB_WORKSPACE",
        ] {
            command.env_remove(variable);
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Done {
        self.command(arguments).output().expect("the command starts").into()
    }

    fn run_with_stdin(&self, arguments: &[&str], input: &str) -> Done {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        // The command may rightly end without reading it all.
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
        child.wait_with_output().expect("the command ends").into()
    }
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is text"),
            stderr: String::from_utf8(output.stderr).expect("stderr is text"),
        }
    }
}

impl std::fmt::Display for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "exit {:?}", self.code)?;
        writeln!(f, "--- stdout\n{}", self.stdout)?;
        write!(f, "--- stderr\n{}", self.stderr)
    }
}
