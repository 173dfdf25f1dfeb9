//! Which versions of the SDK generate a server's schemas.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{Package, PackageId};
use semver::Version;

use super::workspace::Workspace;

/// The rmcp that a package's code is compiled against: its own dependency, else the nearest one
/// below it.
pub(super) fn rmcp<'w>(workspace: &'w Workspace, package: &Package) -> Option<&'w Package> {
    nearest(workspace, package, "rmcp")
}

/// The versions of rmcp and of the schemars that this rmcp uses, by crate name.
pub(super) fn versions<'w>(
    workspace: &'w Workspace,
    package: &'w Package,
) -> BTreeMap<String, Version> {
    let Some(rmcp) = rmcp(workspace, package) else { return BTreeMap::new() };
    let schemars = nearest(workspace, rmcp, "schemars");
    [Some(rmcp), schemars]
        .into_iter()
        .flatten()
        .map(|package| (package.name.to_string(), package.version.clone()))
        .collect()
}

/// Whether the schemars that a package's rmcp uses depends on indexmap.
pub(super) fn keeps_order(workspace: &Workspace, package: &Package) -> bool {
    rmcp(workspace, package)
        .and_then(|rmcp| nearest(workspace, rmcp, "schemars"))
        .is_some_and(|schemars| workspace.deps(&schemars.id).any(|(name, _)| name == "indexmap"))
}

/// The nearest dependency called `name`, breadth first.
fn nearest<'w>(workspace: &'w Workspace, from: &Package, name: &str) -> Option<&'w Package> {
    let mut seen: BTreeSet<&PackageId> = BTreeSet::new();
    let mut layer = vec![&from.id];
    while !layer.is_empty() {
        let next: Vec<&Package> = layer
            .into_iter()
            .flat_map(|id| workspace.deps(id))
            .map(|(_, dep)| dep)
            .filter(|dep| seen.insert(&dep.id))
            .collect();
        if let Some(found) = next.iter().find(|dep| dep.name.as_str() == name) {
            return Some(found);
        }
        layer = next.into_iter().map(|package| &package.id).collect();
    }
    None
}
