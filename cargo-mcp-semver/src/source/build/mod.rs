//! The default source: build the crate with a probe and run the probe.

use std::path::PathBuf;
use std::process::ExitCode;

use semver::Version;
use serde_json::Value;

use self::cargo::Cargo;
use self::scans::Scans;
use self::session::Session;
use self::target::Candidate;
use self::workspace::Workspace;
use super::Sourced;

mod binary;
mod cargo;
mod compile;
mod config;
mod diagnostics;
mod error;
mod expand;
mod features;
mod overlay;
mod pick;
mod prepare;
mod request;
mod run;
mod scans;
mod sdk;
mod select;
mod session;
mod target;
mod workspace;
mod wrapper;

pub use binary::{binaries, packages};
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
    /// `[package.metadata]` of it; null where there is none.
    pub metadata: Value,
    /// Absolute path of the workspace's Cargo.toml, the same for a package on its own.
    pub workspace_manifest_path: PathBuf,
    /// `[workspace.metadata]` of it; null where there is none.
    pub workspace_metadata: Value,
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
    let cargo = Cargo::find()?;
    let workspace = Workspace::load(&cargo, request)?;
    let candidates: Vec<Candidate<'_>> = select::packages(&workspace, request)?
        .into_iter()
        .map(|package| Candidate::new(&workspace, package, request))
        .collect();
    let scans = Scans::new(candidates.iter().flat_map(Candidate::roots))?;
    let selection = select::select(&candidates, request, &scans)?;
    let session = Session::new(&cargo, request, &workspace, candidates.len() == 1)?;
    let mut servers = Vec::new();
    let mut empty = Vec::new();
    for choice in &selection.choices {
        let server = session.read(choice)?;
        // An empty catalogue of which nothing is unread would pass every comparison.
        if server.sourced.catalogue.is_empty() && server.sourced.unread.is_empty() {
            empty.push(nothing_served(&server));
        } else {
            servers.push(server);
        }
    }
    if servers.is_empty() || !(request.packages.is_empty() || empty.is_empty()) {
        return Err(BuildError::Selection(empty.join("\n  ")));
    }
    let skipped = selection.skipped.into_iter().chain(empty).collect();
    Ok(Servers { servers, skipped })
}

fn nothing_served(server: &Server) -> String {
    let notes: String = server.sourced.notes.iter().map(|note| format!("; {note}")).collect();
    format!("`{}` was built and serves no tools{notes}", server.name)
}

/// Runs this process as cargo's rustc wrapper, where cargo started it as one. Must be called
/// before anything else looks at the command line, by every program that calls [`read`]: the
/// running executable is what cargo is told to use.
pub fn wrapper() -> Option<ExitCode> {
    wrapper::run()
}
