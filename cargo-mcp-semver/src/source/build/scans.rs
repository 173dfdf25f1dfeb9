//! The scanned targets of a workspace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcp_semver_build::framework::Renamed;
use mcp_semver_build::scan::{self, CrateScan, ScanError};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// The scan of each root file that a choice may turn on.
#[derive(Debug, Default)]
pub(super) struct Scans(BTreeMap<PathBuf, Result<CrateScan, Arc<ScanError>>>);

impl Scans {
    /// Scans every root file, in parallel; each comes with what its code calls frameworks.
    pub(super) fn new<'p>(roots: impl IntoIterator<Item = (&'p Path, Renamed)>) -> Self {
        let roots: BTreeMap<&Path, Renamed> = roots.into_iter().collect();
        let scan = |(root, renamed): (&Path, Renamed)| {
            (root.to_owned(), scan::scan_renamed(root, &renamed).map_err(Arc::new))
        };
        Self(roots.into_par_iter().map(scan).collect())
    }

    /// The scan of one root file, where it was asked for and could be made.
    pub(super) fn get(&self, root: &Path) -> Option<&CrateScan> {
        self.0.get(root)?.as_ref().ok()
    }

    /// Why one of these root files could not be scanned.
    pub(super) fn fault<'p>(
        &self,
        roots: impl IntoIterator<Item = &'p Path>,
    ) -> Option<Arc<ScanError>> {
        roots.into_iter().find_map(|root| self.0.get(root)?.as_ref().err()).cloned()
    }
}
