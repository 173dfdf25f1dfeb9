//! Why a command could not do its work.

use std::io;

use crate::report::Failure;
use crate::source::build::BuildError;

/// Why a command could not do its work; it exits with 101.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// No catalogue could be read.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The result could not be written.
    #[error("cannot write to standard output")]
    Output(#[from] io::Error),
    /// One lockfile was named for several packages.
    #[error("--lockfile names one file, but {} packages were read: {}", packages.len(), packages.join(", "))]
    OneLockfile {
        /// Their names.
        packages: Vec<String>,
    },
}

impl CommandError {
    /// What to do next, where the message does not say it itself.
    fn help(&self) -> Option<&'static str> {
        match self {
            Self::OneLockfile { .. } => Some(
                "choose one package with -p, or leave --lockfile out: each package has its own",
            ),
            Self::Build(_) | Self::Output(_) => None,
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
