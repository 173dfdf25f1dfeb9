//! Writing the report of a run.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::format::Format;
use crate::cli::shell::Shell;
use crate::report::place::Repository;
use crate::report::{Failure, Run, Subject, github, human, json, markdown, sarif};

/// Writes findings to standard output and what could not be checked to standard error; the exit
/// code is the worst of the run.
pub(super) fn report(run: &Run, format: Format, shell: Shell) -> Result<Exit, CommandError> {
    if format == Format::Human {
        shell.print(&human::render(run, shell.detail(), &shell.sources()))?;
    } else {
        for_program(run, format, shell)?;
    }
    for subject in &run.subjects {
        if let Err(failure) = &subject.result {
            shell.failure(failure);
        }
    }
    Ok(Exit::from(run.exit_code()))
}

/// Says why nothing could be checked: on standard error, and in a report for a program where one
/// was asked for.
pub(super) fn not_checked(failure: Failure, format: Option<Format>, shell: Shell) {
    shell.failure(&failure);
    let Some(format) = format.filter(|format| *format != Format::Human) else { return };
    let subject = Subject {
        name: String::new(),
        version: None,
        directory: PathBuf::new(),
        result: Err(failure),
        remedy: None,
    };
    // The exit code is the worst already, and what could be said has been.
    let _ = for_program(&Run { subjects: vec![subject] }, format, shell);
}

fn for_program(run: &Run, format: Format, shell: Shell) -> io::Result<()> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let workspace = variable("GITHUB_WORKSPACE").map(PathBuf::from);
    let repository = || {
        let here = std::env::current_dir().unwrap_or_default();
        Repository::around(&here, workspace.as_deref())
    };
    let text = match format {
        Format::Human => human::render(run, shell.detail(), &shell.sources()),
        Format::Json => json::render(run),
        Format::Github => {
            if let Some(summary) = variable("GITHUB_STEP_SUMMARY") {
                summarise(run, &repository(), Path::new(&summary), shell);
            }
            github::render(run, &repository(), shell.detail())
        }
        Format::Sarif => sarif::render(run, &repository()),
        Format::Markdown => markdown::render(run, &repository()),
    };
    shell.print_raw(&text)
}

/// Adds the report to the job's summary. The findings are told all the same where that fails.
fn summarise(run: &Run, repository: &Repository, path: &Path, shell: Shell) {
    let text = markdown::render(run, repository);
    let file = File::options().append(true).create(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
        shell.warning(&format!("cannot write the job summary to {}: {error}", path.display()));
    }
}
