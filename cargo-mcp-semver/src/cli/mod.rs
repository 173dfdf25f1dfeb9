//! The command line.
//!
//! Works as `cargo mcp-semver ..`, where cargo passes its own name for us as the first argument,
//! and as `cargo-mcp-semver ..`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::{ContextKind, ContextValue};

use args::{Cli, Command};
use exit::Exit;
use shell::Shell;

pub mod args;
pub mod baseline;
pub mod bump;
mod check;
mod diff;
mod error;
pub mod exit;
pub mod format;
pub mod generate;
pub mod init;
mod list;
mod lock;
mod locked;
mod loose;
mod output;
pub mod publish;
mod remedy;
mod review;
pub mod rules;
mod served;
mod servers;
mod shell;
pub mod source;
#[cfg(test)]
mod testing;
mod versions;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    shell::colors_from_environment();
    run(std::env::args_os()).into()
}

/// Runs one command line, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|first| first == "mcp-semver") {
        arguments.remove(1);
    }
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(mut error) => {
            without_escape(&mut error);
            // Help goes to standard output and is a success. Nobody is left to tell when it cannot
            // be written.
            let _ = error.print();
            return if error.use_stderr() { Exit::NotChecked } else { Exit::Ok };
        }
    };
    let shell = Shell::new(cli.talk);
    let done = match &cli.command {
        Command::Bump(args) => bump::run(args, shell),
        Command::Check(args) => check::run(args, shell),
        Command::Lock(args) => lock::run(args, shell),
        Command::Init(args) => init::run(args, shell),
        Command::Publish(args) => publish::run(args, shell),
        Command::List(args) => list::run(args, shell),
        Command::Diff(args) => diff::run(args, shell),
        Command::Rules(args) => rules::list(args, shell),
        Command::Explain(args) => rules::explain(args, shell),
        Command::Schema => generate::schema(shell),
        Command::Completions(args) => generate::completions(args, shell),
        Command::Man(args) => generate::man(args, shell),
    };
    done.unwrap_or_else(|error| {
        output::not_checked(error.into(), cli.command.report_format(), shell);
        Exit::NotChecked
    })
}

/// Drops the tip to put an unknown flag behind `--`: what stands there is a server's command.
fn without_escape(error: &mut clap::Error) {
    let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) else {
        return;
    };
    tips.retain(|tip| !tip.to_string().contains("'-- "));
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}
