//! The tools of a revision without a lockfile, from its source.

use std::path::Path;

use crate::baseline::{Baseline, Then};
use crate::cli::servers::{Pinned, whole};
use crate::interrupt::Scratch;
use crate::report::Failure;
use crate::source::build::{BuildError, BuildRequest, Servers};
use crate::source::scan;
use crate::vcs::{Revision, VcsError};

/// Where a revision lies in the temporary directory.
const TREE: &str = "tree";

/// Why the source of a revision gives no baseline.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Vcs(#[from] VcsError),
    #[error("cannot make a temporary directory: {0}")]
    Directory(#[from] std::io::Error),
    #[error("{0}")]
    Scan(#[from] BuildError),
}

/// Evaluates the source of a package as it was at `revision`, apart from the work tree; `help` is
/// for where that does not do.
///
/// # Errors
/// The source cannot be read, or does not tell every tool: part of a catalogue is no baseline.
pub(super) fn at(
    pinned: &Pinned,
    revision: &str,
    then: &Then,
    help: Option<String>,
) -> Result<Baseline, Failure> {
    let failed = |error| Failure::of(&Error::Directory(error));
    let directory = Scratch::new().map_err(failed)?;
    // Cargo names files by their real paths.
    let copy = directory.path().canonicalize().map_err(failed)?;
    let incomplete = |mut failure: Failure| {
        failure.messages.insert(
            0,
            format!(
                "the revision `{revision}` has no lockfile for {}, and its source alone does not \
                 tell all of its tools",
                pinned.server.name
            ),
        );
        failure.help = help.iter().cloned().collect();
        // The copy is gone when this is read.
        let there = |text: &mut String| {
            *text =
                text.replace(&format!("{}/", copy.join(TREE).display()), &format!("{revision}:"));
        };
        failure.messages.iter_mut().chain(&mut failure.causes).for_each(there);
        failure
    };
    let read =
        read(pinned, revision, then, &copy).map_err(|error| incomplete(Failure::of(&error)))?;
    if let Some(failed) = read.failed.first() {
        return Err(incomplete(Failure::of(&failed.error)));
    }
    let Some(server) = read.servers.into_iter().next() else {
        return Err(incomplete(Failure {
            messages: read.skipped,
            causes: Vec::new(),
            help: Vec::new(),
        }));
    };
    whole(&server).map_err(incomplete)?;
    Ok(Baseline {
        package: Some((server.name, server.version)),
        sdk: server.sourced.sdk,
        ..Baseline::from(&server.sourced.catalogue)
    })
}

fn read(pinned: &Pinned, revision: &str, then: &Then, copy: &Path) -> Result<Servers, Error> {
    let manifest = &pinned.server.manifest_path;
    let there = Revision::find(manifest.parent().unwrap_or(manifest), revision)?;
    let root = copy.join(TREE);
    there.export(&root, &copy.join("index"))?;
    let manifest = match &then.manifest {
        Some(manifest) => root.join(manifest),
        None => root.join(there.prefix()?).join("Cargo.toml"),
    };
    let request = BuildRequest {
        manifest_path: Some(manifest),
        packages: vec![then.name.as_ref().unwrap_or(&pinned.server.name).clone()],
        workspace: false,
        exclude: Vec::new(),
        target_dir: Some(copy.join("target")),
        ..pinned.request.clone()
    };
    Ok(scan::read(&request)?)
}
