//! Why no catalogue could be read.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_semver_build::ContractError;
use mcp_semver_build::probe::OutputError;
use mcp_semver_build::scan::ScanError;

use crate::finding::Span;

/// Why no catalogue could be read. Each message says what happened and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Cargo could not be started.
    #[error(
        "cannot run `{program}`: {source}; install Rust from https://rustup.rs, or name cargo in the environment variable CARGO"
    )]
    NoCargo {
        /// What was run.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Cargo could not start rustc.
    #[error(
        "cargo cannot run rustc; install Rust from https://rustup.rs, or correct RUSTC, RUSTC_WRAPPER or `build.rustc`\n{stderr}"
    )]
    NoRustc {
        /// What cargo said.
        stderr: String,
    },
    /// `cargo metadata` failed.
    #[error(
        "`cargo metadata` failed; names, features and versions come from it, without a build too\n{stderr}"
    )]
    Metadata {
        /// What cargo said.
        stderr: String,
    },
    /// The packages that were asked for are not there.
    #[error("{0}")]
    Selection(String),
    /// Source could not be read.
    #[error(transparent)]
    Scan(#[from] Arc<ScanError>),
    /// A file of our own could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried: `read`, `write`, ...
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The crate exports a `main` of its own.
    #[error("{}:{}: `{package}` exports its own `main` symbol, and the probe needs that name; compare a `tools/list` dump of this server instead, or move that `main` behind a feature and leave the feature off", span.file.display(), span.line)]
    MainSymbol {
        /// The package.
        package: String,
        /// Where it is defined.
        span: Span,
    },
    /// The package does not compile; cargo has said why.
    #[error("`{package}` does not build without the probe either: `{command}` fails as above")]
    DoesNotCompile {
        /// The package.
        package: String,
        /// The plain command that fails.
        command: String,
    },
    /// Only the instrumented copy does not compile.
    #[error("`{package}` compiles, but not with the probe in it: the errors above are from the instrumented build only; please report them to {}/issues, and meanwhile compare a `tools/list` dump of this server", env!("CARGO_PKG_REPOSITORY"))]
    ProbeDoesNotCompile {
        /// The package.
        package: String,
    },
    /// What was built did not pass through this program, so it is no probe and must not be run.
    #[error("cargo built `{package}` without starting this program as its rustc wrapper; look for a RUSTC_WRAPPER that does not call the compiler it is given, and once that is mended run `cargo clean -p {}`", bypassed.join(" -p "))]
    NotSwapped {
        /// The package.
        package: String,
        /// The packages that were built so.
        bypassed: Vec<String>,
    },
    /// Cargo reported no executable.
    #[error("cargo built `{package}` but named no executable for {}", root.display())]
    NoExecutable {
        /// The package.
        package: String,
        /// The root file of the target.
        root: PathBuf,
    },
    /// The probe did not end well.
    #[error("the probe of `{package}` {how}{}", tail(stderr))]
    ProbeFailed {
        /// The package.
        package: String,
        /// How it ended.
        how: String,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    /// The probe ran for too long.
    #[error(
        "the probe of `{package}` was stopped after {} seconds{}; a schema or router function does not return{}",
        limit.as_secs(),
        reading.as_ref().map(|what| format!(", while reading {what}")).unwrap_or_default(),
        tail(stderr)
    )]
    Timeout {
        /// The package.
        package: String,
        /// The limit.
        limit: Duration,
        /// What it was reading.
        reading: Option<String>,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    /// What the probe wrote is of no use.
    #[error("`{package}`: {source}{}", tail(stderr))]
    Output {
        /// The package.
        package: String,
        /// What is wrong with it.
        source: OutputError,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    /// The probe reported a tool that is none.
    #[error("`{package}`: {source}")]
    Contract {
        /// The package.
        package: String,
        /// What is wrong with it.
        source: ContractError,
    },
    /// Two tools share a name.
    #[error(
        "`{package}`: two tools are named `{name}`{}; a client can call only one of them, so rename one",
        places(spans)
    )]
    Duplicate {
        /// The package.
        package: String,
        /// The name.
        name: String,
        /// Where they are declared, where known.
        spans: Vec<Span>,
    },
    /// The configuration of cargo could not be understood.
    #[error("{}: {message}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
}

impl BuildError {
    /// Whether it is about the machine or the whole workspace, so that no package can be read.
    pub(super) fn concerns_all(&self) -> bool {
        matches!(
            self,
            Self::NoCargo { .. }
                | Self::NoRustc { .. }
                | Self::Metadata { .. }
                | Self::Config { .. }
        )
    }
}

/// The end of a standard error stream, set apart from the message before it.
fn tail(stderr: &str) -> String {
    let stderr = stderr.trim_end();
    if stderr.is_empty() { String::new() } else { format!("\nit wrote:\n{stderr}") }
}

fn places(spans: &[Span]) -> String {
    let places: Vec<String> = spans
        .iter()
        .map(|span| format!("{}:{}:{}", span.file.display(), span.line, span.column))
        .collect();
    if places.is_empty() { String::new() } else { format!(" ({})", places.join(" and ")) }
}
