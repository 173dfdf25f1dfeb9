//! The default source: build the crate with a probe and run the probe.

use std::path::PathBuf;
use std::process::ExitCode;

use cargo_metadata::Package;
use semver::Version;
use serde_json::Value;

use self::cargo::Cargo;
use self::scans::Scans;
use self::select::Selection;
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
mod units;
mod workspace;
mod wrapper;

pub use binary::{binaries, packages};
pub(crate) use cargo::cargo_program;
pub use error::BuildError;
pub use request::{BuildRequest, TargetChoice};
pub(in crate::source) use session::Places;
pub(in crate::source) use units::{Plan, Plans, plans};

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
    /// The build script of a package that has the hook, relative to the package.
    pub hooked_script: Option<PathBuf>,
    /// The catalogue and what is known about it; spans are relative to the package.
    pub sourced: Sourced,
}

/// The servers of a workspace; there is at least one, read or not.
#[derive(Debug, Default)]
pub struct Servers {
    /// One for each package whose tools were read, in the order of cargo's selection.
    pub servers: Vec<Server>,
    /// Packages that should have been read and could not be.
    pub failed: Vec<Failed>,
    /// Packages that were selected by default and passed over, each one sentence.
    pub skipped: Vec<String>,
}

/// A package whose tools could not be read.
#[derive(Debug)]
pub struct Failed {
    /// The package's name.
    pub name: String,
    /// The package's version.
    pub version: Version,
    /// Absolute path of the package's Cargo.toml.
    pub manifest_path: PathBuf,
    /// Why not.
    pub error: BuildError,
}

impl Failed {
    fn new(package: &Package, error: BuildError) -> Self {
        Self {
            name: package.name.to_string(),
            version: package.version.clone(),
            manifest_path: package.manifest_path.clone().into(),
            error,
        }
    }
}

/// Builds every selected server with a probe and reads its tools. What is wrong with one package
/// keeps no other from being read.
///
/// # Errors
/// [`BuildError`] where no package can be read; no package with tools among those selected is an
/// error too.
pub fn read(request: &BuildRequest) -> Result<Servers, BuildError> {
    let cargo = Cargo::find()?;
    let workspace = Workspace::load(&cargo, request)?;
    let candidates: Vec<Candidate<'_>> = select::packages(&workspace, request)?
        .into_iter()
        .map(|package| Candidate::new(&workspace, package, request))
        .collect();
    let scans = Scans::new(candidates.iter().flat_map(Candidate::sources));
    let Selection { choices, failed, skipped } = select::select(&candidates, request, &scans)?;
    let mut read = Servers { servers: Vec::new(), failed, skipped };
    let session = Session::new(&cargo, request, &workspace, candidates.len() == 1)?;
    let must_serve = |package: &Package| {
        !request.packages.is_empty() || choices.len() == 1 || select::has_lockfile(package)
    };
    for choice in &choices {
        let package = choice.entry().package;
        match session.read(choice) {
            // An empty catalogue of which nothing is unread would pass every comparison.
            Ok(server)
                if server.sourced.catalogue.is_empty() && server.sourced.unread.is_empty() =>
            {
                let why = nothing_served(&server);
                if must_serve(package) {
                    read.failed.push(Failed::new(package, BuildError::Selection(why)));
                } else {
                    read.skipped.push(why);
                }
            }
            Ok(server) => read.servers.push(server),
            Err(error) if error.concerns_all() => return Err(error),
            Err(error) => read.failed.push(Failed::new(package, error)),
        }
    }
    if read.servers.is_empty() && read.failed.is_empty() {
        return Err(BuildError::Selection(read.skipped.join("\n  ")));
    }
    Ok(read)
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
