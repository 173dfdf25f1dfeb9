//! The default source: build the crate with a probe and run the probe.

use std::path::PathBuf;
use std::process::ExitCode;

use semver::Version;

use super::Sourced;

mod error;
mod request;

pub use error::BuildError;
pub use request::{BuildRequest, TargetChoice};

/// One server of a workspace and what was read of it.
#[derive(Debug, Clone)]
pub struct Server {
    /// The package's name.
    pub name: String,
    /// The package's version.
    pub version: Version,
    /// Absolute path of the package's Cargo.toml.
    pub manifest_path: PathBuf,
    /// The catalogue and what is known about it; spans are relative to the package.
    pub sourced: Sourced,
}

/// The servers of a workspace.
#[derive(Debug, Clone, Default)]
pub struct Servers {
    /// One for each package that serves tools, in the order of cargo's selection; never empty.
    pub servers: Vec<Server>,
    /// Packages that were selected by default and passed over, each one sentence.
    pub skipped: Vec<String>,
}

/// Builds every selected server with a probe and reads its tools.
///
/// # Errors
/// [`BuildError`]; no package with tools among those selected is an error too.
pub fn read(request: &BuildRequest) -> Result<Servers, BuildError> {
    let _ = request;
    Err(BuildError::Selection("not built yet".to_owned()))
}

/// Runs this process as cargo's rustc wrapper, where cargo started it as one. Must be called
/// before anything else looks at the command line.
pub fn wrapper() -> Option<ExitCode> {
    None
}
