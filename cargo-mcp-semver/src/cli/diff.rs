//! `diff`: two dumps or lockfiles, graded without a crate.

use std::path::{Path, PathBuf};

use crate::baseline::Baseline;
use crate::cli::args::Diff;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::shell::Shell;
use crate::compare::compare;
use crate::gate::{self, Declared};
use crate::report::{Run, Subject};

/// Compares the two sides.
pub(super) fn run(args: &Diff, shell: Shell) -> Result<Exit, CommandError> {
    let is_stdin = |path: &Path| path == Path::new("-");
    if is_stdin(&args.old) && is_stdin(&args.new) {
        return Err(CommandError::StdinTwice);
    }
    let old = Baseline::read(&args.old)?;
    let new = Baseline::read(&args.new)?;
    let unknown: Vec<String> = old.incomparable(&new).map(str::to_owned).collect();
    if !unknown.is_empty() {
        return Err(CommandError::Incomparable { tools: unknown });
    }
    let outcome = gate::decide(&old, &Declared::default(), compare(&old, &new));
    let subject = Subject {
        name: format!("{} -> {}", args.old.display(), args.new.display()),
        version: None,
        directory: PathBuf::new(),
        result: Ok(outcome),
        remedy: None,
    };
    output::report(&Run { subjects: vec![subject] }, args.format.format, shell)
}
