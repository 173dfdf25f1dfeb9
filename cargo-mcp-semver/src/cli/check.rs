//! `check`.

use crate::cli::args::Check;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::shell::Shell;

pub(super) fn run(args: &Check, shell: Shell) -> Result<Exit, CommandError> {
    let _ = (args, shell);
    Ok(Exit::NotChecked)
}
