//! `lock`.

use crate::cli::args::Lock;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::shell::Shell;

pub(super) fn run(args: &Lock, shell: Shell) -> Result<Exit, CommandError> {
    let _ = (args, shell);
    Ok(Exit::NotChecked)
}
