//! Which versions of the SDK generate a server's schemas.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{Package, PackageId};
use mcp_semver_build::framework::{FRAMEWORKS, Framework};
use semver::Version;

use super::workspace::Workspace;

/// The framework that a package's code is compiled against, and its crate: its own dependency,
/// else the nearest one below it.
pub(super) fn framework<'w>(
    workspace: &'w Workspace,
    package: &Package,
) -> Option<(&'static Framework, &'w Package)> {
    let names = FRAMEWORKS.map(|framework| framework.name);
    let found = nearest(workspace, package, &names)?;
    let framework = FRAMEWORKS.into_iter().find(|framework| found.name == framework.name)?;
    Some((framework, found))
}

/// The crate of a framework that a package's code is compiled against.
pub(super) fn package<'w>(
    workspace: &'w Workspace,
    package: &Package,
    framework: &Framework,
) -> Option<&'w Package> {
    nearest(workspace, package, &[framework.name])
}

/// The versions of a framework and of what makes its schemas, by crate name; where none is named,
/// of the one that the package depends on.
pub(super) fn versions(
    workspace: &Workspace,
    from: &Package,
    framework: Option<&'static Framework>,
) -> BTreeMap<String, Version> {
    let found = match framework {
        Some(framework) => package(workspace, from, framework).map(|found| (framework, found)),
        None => self::framework(workspace, from),
    };
    let Some((framework, found)) = found else { return BTreeMap::new() };
    let generators =
        framework.generators.iter().filter_map(|name| nearest(workspace, found, &[name]));
    std::iter::once(found)
        .chain(generators)
        .map(|package| (package.name.to_string(), package.version.clone()))
        .collect()
}

/// Whether the schemars that a package's rmcp uses depends on indexmap.
pub(super) fn keeps_order(workspace: &Workspace, package: &Package) -> bool {
    nearest(workspace, package, &["rmcp"])
        .and_then(|rmcp| nearest(workspace, rmcp, &["schemars"]))
        .is_some_and(|schemars| workspace.deps(&schemars.id).any(|(name, _)| name == "indexmap"))
}

/// Whether the serde_json of a package's rmcp may keep numbers to the digit.
pub(super) fn keeps_digits(workspace: &Workspace, package: &Package) -> bool {
    let serde_json = nearest(workspace, package, &["rmcp"])
        .and_then(|rmcp| nearest(workspace, rmcp, &["serde_json"]));
    serde_json.is_none_or(|found| {
        workspace.unified_features(&found.id).any(|feature| feature == "arbitrary_precision")
    })
}

/// The nearest dependency with one of these names, breadth first; the first of them where several
/// are as near.
fn nearest<'w>(workspace: &'w Workspace, from: &Package, names: &[&str]) -> Option<&'w Package> {
    let mut seen: BTreeSet<&PackageId> = BTreeSet::new();
    let mut layer = vec![&from.id];
    while !layer.is_empty() {
        let next: Vec<&Package> = layer
            .into_iter()
            .flat_map(|id| workspace.deps(id))
            .map(|(_, dep)| dep)
            .filter(|dep| seen.insert(&dep.id))
            .collect();
        let named = |name: &&str| next.iter().find(|dep| dep.name.as_str() == *name).copied();
        if let Some(found) = names.iter().find_map(named) {
            return Some(found);
        }
        layer = next.into_iter().map(|package| &package.id).collect();
    }
    None
}
