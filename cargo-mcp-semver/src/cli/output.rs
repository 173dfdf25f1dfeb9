//! Writing the report of a run.

use std::path::PathBuf;

use crate::cli::args::Format;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::shell::Shell;
use crate::report::{Failure, Run, Subject, human, json};

/// Writes findings to standard output and what could not be checked to standard error; the exit
/// code is the worst of the run.
pub(super) fn report(run: &Run, format: Format, shell: Shell) -> Result<Exit, CommandError> {
    match format {
        Format::Human => shell.print(&human::render(run, shell.detail()))?,
        Format::Json => shell.print_raw(&json::render(run))?,
    }
    for subject in &run.subjects {
        if let Err(failure) = &subject.result {
            shell.failure(failure);
        }
    }
    Ok(Exit::from(run.exit_code()))
}

/// Says why nothing could be checked: on standard error, and in a JSON report where one was asked
/// for.
pub(super) fn not_checked(failure: Failure, format: Option<Format>, shell: Shell) {
    shell.failure(&failure);
    if format == Some(Format::Json) {
        let subject = Subject {
            name: String::new(),
            version: None,
            directory: PathBuf::new(),
            result: Err(failure),
            remedy: None,
        };
        // The exit code is the worst already, and what could be said has been.
        let _ = shell.print_raw(&json::render(&Run { subjects: vec![subject] }));
    }
}
