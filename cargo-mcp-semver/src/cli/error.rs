//! Why a command could not do its work.

use std::io;
use std::path::PathBuf;

use crate::baseline::BaselineError;
use crate::bump::BumpError;
use crate::cli::versions::VersionsError;
use crate::report::Failure;
use crate::source::build::BuildError;
use crate::source::serve::{ServeError, ServeProblem};

/// Why a command could not do its work; it exits with 101.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// No catalogue could be read.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The result could not be written.
    #[error("cannot write to standard output")]
    Output(#[from] io::Error),
    /// The manual pages could not be written.
    #[error("cannot write manual pages to {}", directory.display())]
    Pages {
        /// Where they should have gone.
        directory: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A side of `diff` could not be read.
    #[error(transparent)]
    Side(#[from] BaselineError),
    /// Both sides of `diff` are standard input.
    #[error("standard input can be read only once, but both sides of `diff` are `-`")]
    StdinTwice,
    /// Versions could not be raised.
    #[error(transparent)]
    Bump(#[from] BumpError),
    /// An edited manifest could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Nobody can be asked.
    #[error("--review asks at a terminal, and this is none; to accept every change: `{command}`")]
    NoTerminal {
        /// The command that asks nothing.
        command: String,
    },
    /// Who answers a review cannot also send what is reviewed.
    #[error("--review reads answers from standard input, so `{flag} -` cannot be read from there")]
    StdinForReview {
        /// The flag whose file it would be.
        flag: &'static str,
    },
    /// A tool that is not there cannot be confirmed.
    #[error(
        "--confirm: there is no tool `{name}`{}",
        nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
    )]
    NoTool {
        /// What was asked for.
        name: String,
        /// The tool whose name looks most like it.
        nearest: Option<String>,
    },
    /// A rule that does not exist.
    #[error(
        "there is no rule `{id}`{}",
        nearest.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
    )]
    NoRule {
        /// What was asked for.
        id: String,
        /// The rule whose id looks most like it.
        nearest: Option<&'static str>,
    },
    /// There is no package whose version could be raised or published.
    #[error("there is no package here whose version could be raised or published")]
    NoPackage,
    /// A flag that chooses what is checked, where only cargo would see it.
    #[error("`{flag}` behind `--` would publish something else than what is checked")]
    AfterDashes {
        /// The flag.
        flag: &'static str,
    },
    /// Cargo could not be started.
    #[error("cannot run `cargo {command}`: {source}")]
    Cargo {
        /// Its subcommand.
        command: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The members of the workspace could not be listed.
    #[error("cannot list the members of the workspace: {0}")]
    Members(cargo_metadata::Error),
    /// Nothing on either side tells whether these tools are the same.
    #[error(
        "cannot tell whether these tools changed, because both sides hold only digests, made in \
         different ways: {}", tools.join(", ")
    )]
    Incomparable {
        /// Their names.
        tools: Vec<String>,
    },
    /// A running server could not be read.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// A header that is none.
    #[error(transparent)]
    Header(#[from] ServeProblem),
    /// The versions of tools could not be read.
    #[error(transparent)]
    Versions(#[from] VersionsError),
    /// There is no tool.
    #[error("{name} has no tools: an empty list is nothing to check or lock")]
    NoTools {
        /// The source.
        name: String,
    },
    /// What is served belongs to one package.
    #[error("one server is compared with one package, but {} were read: {}", packages.len(), packages.join(", "))]
    OneServer {
        /// Their names.
        packages: Vec<String>,
    },
    /// Tools and baseline are both standard input.
    #[error("standard input can be read only once, but `--tools` and `--baseline` are both `-`")]
    StdinForBoth,
    /// One file was named for several packages.
    #[error("{flag} names one file, but {} packages were read: {}", packages.len(), packages.join(", "))]
    OneFile {
        /// The flag that names it.
        flag: &'static str,
        /// Their names.
        packages: Vec<String>,
    },
}

impl CommandError {
    /// What to do next, where the message does not say it itself.
    fn help(&self) -> Option<&'static str> {
        match self {
            Self::OneFile { .. } => Some(
                "choose one package with -p, or leave it out: each package has its own lockfile",
            ),
            Self::OneServer { .. } => Some("choose one package with -p"),
            Self::AfterDashes { .. } => Some("put it before `--`, where both see it"),
            Self::StdinTwice | Self::StdinForBoth => Some("write one of the two to a file"),
            Self::StdinForReview { .. } => {
                Some("write it to a file and name that, or accept every change without --review")
            }
            Self::Incomparable { .. } => {
                Some("compare with a lockfile that holds contracts, or with a dump")
            }
            Self::NoRule { .. } => Some("`cargo mcp-semver rules` lists them"),
            Self::Build(_)
            | Self::Side(_)
            | Self::Output(_)
            | Self::Pages { .. }
            | Self::Serve(_)
            | Self::Header(_)
            | Self::Versions(_)
            | Self::NoTools { .. }
            | Self::Bump(_)
            | Self::Manifest { .. }
            | Self::NoTerminal { .. }
            | Self::NoTool { .. }
            | Self::NoPackage
            | Self::Cargo { .. }
            | Self::Members(_) => None,
        }
    }
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        let help = error.help().map(str::to_owned).into_iter().collect();
        Self { help, ..Self::of(&error) }
    }
}

impl Failure {
    /// An error with the errors that led to it, without those that its message already quotes.
    pub(crate) fn of(error: &dyn std::error::Error) -> Self {
        let message = error.to_string();
        let mut causes: Vec<String> = Vec::new();
        let mut source = error.source();
        while let Some(cause) = source {
            let text = cause.to_string();
            if !causes.last().unwrap_or(&message).contains(&text) {
                causes.push(text);
            }
            source = cause.source();
        }
        Self { messages: vec![message], causes, help: Vec::new() }
    }
}
