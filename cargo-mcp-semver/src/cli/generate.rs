//! What packagers and consumers take from the command: the schema of the JSON report, shell
//! completions, manual pages.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory as _};
use clap_complete::Shell as CompletionShell;

use crate::cli::args::Cli;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::shell::Shell;
use crate::report::json;

/// The program's name as a file; cargo finds it under this one.
const NAME: &str = "cargo-mcp-semver";

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// Shell to complete in
    pub shell: CompletionShell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct Man {
    /// Write a page for each command into this directory, instead of the main page to standard
    /// output
    #[arg(long, value_name = "DIRECTORY")]
    pub out_dir: Option<PathBuf>,
}

/// Prints the JSON Schema of the JSON report.
pub(super) fn schema(shell: Shell) -> Result<Exit, CommandError> {
    shell.print_raw(json::SCHEMA)?;
    Ok(Exit::Ok)
}

/// Prints a completion script.
pub(super) fn completions(args: &Completions, shell: Shell) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), NAME, &mut script);
    shell.print_raw(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}

/// Prints the main manual page, or writes all of them.
pub(super) fn man(args: &Man, shell: Shell) -> Result<Exit, CommandError> {
    let command = Cli::command().name(NAME).bin_name("cargo mcp-semver");
    match &args.out_dir {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            shell.print_raw(&String::from_utf8_lossy(&page))?;
        }
        Some(directory) => {
            pages(command, directory)
                .map_err(|source| CommandError::Pages { directory: directory.clone(), source })?;
        }
    }
    Ok(Exit::Ok)
}

fn pages(command: clap::Command, directory: &Path) -> io::Result<()> {
    std::fs::create_dir_all(directory)?;
    clap_mangen::generate_to(command, directory)
}
