//! Reading the servers of a workspace: the one place where a command meets the `build` source.

use crate::cli::args::Build;
use crate::cli::error::CommandError;
use crate::cli::shell::Shell;
use crate::source::build::{self, Server};

/// Builds and reads what the flags select. What was passed over is said on standard error.
pub(super) fn read(build: &Build, shell: Shell) -> Result<Vec<Server>, CommandError> {
    let servers = build::read(&build.request(shell.talk()))?;
    for skipped in &servers.skipped {
        shell.note(skipped);
    }
    Ok(servers.servers)
}
