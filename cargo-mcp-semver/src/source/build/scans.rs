//! The scanned targets of a workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mcp_semver_build::scan::{self, CrateScan};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::BuildError;

/// The scan of each root file that a choice may turn on.
#[derive(Debug, Default)]
pub(super) struct Scans(BTreeMap<PathBuf, CrateScan>);

impl Scans {
    /// Scans every root file, in parallel.
    pub(super) fn new<'p>(roots: impl IntoIterator<Item = &'p Path>) -> Result<Self, BuildError> {
        let roots: BTreeSet<&Path> = roots.into_iter().collect();
        let scanned: Result<_, _> = roots
            .into_par_iter()
            .map(|root| Ok::<_, BuildError>((root.to_owned(), scan::scan(root)?)))
            .collect();
        Ok(Self(scanned?))
    }

    /// The scan of one root file, where it was asked for.
    pub(super) fn get(&self, root: &Path) -> Option<&CrateScan> {
        self.0.get(root)
    }
}
