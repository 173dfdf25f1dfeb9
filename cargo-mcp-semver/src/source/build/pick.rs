//! Picking the target that ships a package's server, where nobody names it.

use std::collections::BTreeSet;

use cargo_metadata::{PackageId, Target};
use mcp_semver_build::scan::{CrateScan, SourceSpan};

use super::scans::Scans;
use super::target::{Candidate, Rejection, library_scan, list};
use super::workspace::{crate_name, library};

impl<'w> Candidate<'w> {
    /// Picks the target that ships the server.
    pub(super) fn pick(
        &self,
        scans: &Scans,
        leading: &BTreeSet<&PackageId>,
    ) -> Result<&'w Target, Rejection> {
        // Visible tools decide; what only expansion could show counts where there are none.
        self.pick_by(visible, scans, leading)
            .or_else(|| self.pick_by(hidden, scans, leading))
            .unwrap_or_else(|| Err(self.no_tools(scans)))
    }

    /// Picks by the places that `places` finds; `None` where there are none.
    fn pick_by(
        &self,
        places: fn(&CrateScan) -> BTreeSet<SourceSpan>,
        scans: &Scans,
        leading: &BTreeSet<&PackageId>,
    ) -> Option<Result<&'w Target, Rejection>> {
        let libraries = self.local.iter().filter(|package| leading.contains(&package.id));
        let shared: BTreeSet<SourceSpan> =
            libraries.filter_map(|package| library_scan(package, scans)).flat_map(places).collect();
        // What a binary holds beyond the libraries below it: a `main.rs` that declares the
        // library's modules once more holds nothing.
        let own = |bin: &Target| {
            let scan = scans.get(bin.src_path.as_std_path());
            scan.map(|scan| &places(scan) - &shared).unwrap_or_default()
        };
        let (holders, others): (Vec<&Target>, Vec<&Target>) =
            self.bins().into_iter().partition(|bin| !own(bin).is_empty());
        let Some(first) = holders.first() else {
            let holds =
                library_scan(self.package, scans).is_some_and(|scan| !places(scan).is_empty());
            let library = library(self.package).filter(|_| holds || !shared.is_empty());
            let reached = self.prefer(&others, scans, leading).filter(|_| !shared.is_empty());
            // A library that no binary can link to is a server by itself.
            return reached.or(library).map(Ok);
        };
        let mut rivals = holders.clone();
        if !shared.is_empty() {
            rivals.extend(others.iter().filter(|bin| self.names_library(bin, scans, leading)));
        }
        let tools = own(first);
        let alike = rivals.iter().all(|bin| own(bin) == tools);
        let picked = self.prefer(&holders, scans, leading).filter(|_| alike);
        Some(picked.ok_or_else(|| self.ambiguous(&rivals)))
    }

    /// One of several binaries that serve the same tools.
    fn prefer(
        &self,
        bins: &[&'w Target],
        scans: &Scans,
        leading: &BTreeSet<&PackageId>,
    ) -> Option<&'w Target> {
        let named = |name: &str| bins.iter().find(|bin| bin.name == name).copied();
        let default = self.package.default_run.as_deref().and_then(named);
        default
            .or_else(|| named(self.package.name.as_str()))
            .or_else(|| bins.iter().find(|bin| self.names_library(bin, scans, leading)).copied())
            .or_else(|| bins.iter().min_by_key(|bin| &bin.name).copied())
    }

    /// Whether a binary's source mentions one of the libraries that lead to tools.
    fn names_library(&self, bin: &Target, scans: &Scans, leading: &BTreeSet<&PackageId>) -> bool {
        let own =
            library(self.package).filter(|_| leading.contains(&self.package.id)).map(crate_name);
        let names: Vec<String> =
            own.into_iter().chain(self.forwards(self.package, leading)).collect();
        let files = scans.get(bin.src_path.as_std_path()).into_iter().flat_map(|scan| &scan.files);
        files.filter_map(|file| std::fs::read_to_string(file).ok()).any(|text| {
            text.split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|word| names.iter().any(|name| name == word))
        })
    }

    fn ambiguous(&self, bins: &[&Target]) -> Rejection {
        let first = bins.first().map_or("name", |bin| bin.name.as_str());
        Rejection::Undecided(format!(
            "the binaries of `{}` hold different tools{}; choose with `--bin {first}`, or for good with `target = \"{first}\"` under [package.metadata.mcp-semver] in {}",
            self.package.name,
            list(": ", bins.iter().map(|bin| bin.name.as_str())),
            self.package.manifest_path,
        ))
    }
}

/// Where the visible tools stand, and the handlers that list tools of other crates.
fn visible(scan: &CrateScan) -> BTreeSet<SourceSpan> {
    let tools = scan.tools.iter().map(|tool| &tool.span);
    tools.chain(scan.listings().map(|handler| &handler.span)).cloned().collect()
}

/// One place for all that expansion might show or that was not readable.
fn hidden(scan: &CrateScan) -> BTreeSet<SourceSpan> {
    let root = SourceSpan::point(scan.root.clone(), 1, 1);
    let hides = scan.needs_expansion || !scan.unread.is_empty();
    hides.then_some(root).into_iter().collect()
}
