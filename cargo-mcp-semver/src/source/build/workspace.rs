//! The packages of a workspace and what depends on what.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{
    CrateType, Dependency, DependencyKind, Metadata, Node, Package, PackageId, Target,
};

use super::BuildError;
use super::cargo::{Cargo, Platform};
use super::request::BuildRequest;

/// What `cargo metadata` says, ready to be asked.
#[derive(Debug)]
pub(super) struct Workspace {
    metadata: Metadata,
    packages: BTreeMap<PackageId, usize>,
    nodes: BTreeMap<PackageId, usize>,
    members: BTreeSet<PackageId>,
    /// This machine's, where anything depends on it.
    platform: Option<Platform>,
}

impl Workspace {
    /// Asks cargo. Where a local library is a dependency on some platforms only, cargo is asked
    /// again for this one.
    pub(super) fn load(cargo: &Cargo, request: &BuildRequest) -> Result<Self, BuildError> {
        let workspace = Self::new(cargo.metadata(request, None)?);
        if !workspace.depends_on_platform() {
            return Ok(workspace);
        }
        let platform = cargo.platform()?;
        let metadata = cargo.metadata(request, Some(&platform.triple))?;
        Ok(Self { platform: Some(platform), ..Self::new(metadata) })
    }

    pub(super) fn new(metadata: Metadata) -> Self {
        let packages = metadata.packages.iter().enumerate();
        let nodes = metadata.resolve.iter().flat_map(|resolve| resolve.nodes.iter().enumerate());
        Self {
            packages: packages.map(|(at, package)| (package.id.clone(), at)).collect(),
            nodes: nodes.map(|(at, node)| (node.id.clone(), at)).collect(),
            members: metadata.workspace_members.iter().cloned().collect(),
            platform: None,
            metadata,
        }
    }

    pub(super) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    pub(super) fn package(&self, id: &PackageId) -> Option<&Package> {
        self.packages.get(id).and_then(|at| self.metadata.packages.get(*at))
    }

    /// The members of the workspace, in cargo's order.
    pub(super) fn members(&self) -> impl Iterator<Item = &Package> {
        self.metadata.workspace_members.iter().filter_map(|id| self.package(id))
    }

    /// The members a cargo command without `-p` and `--workspace` means.
    pub(super) fn default_members(&self) -> Vec<&Package> {
        if self.metadata.workspace_default_members.is_missing() {
            return match self.metadata.root_package() {
                Some(root) => vec![root],
                None => self.members().collect(),
            };
        }
        self.metadata.workspace_default_packages()
    }

    pub(super) fn is_member(&self, id: &PackageId) -> bool {
        self.members.contains(id)
    }

    /// The packages a package is compiled against, with the names it knows them by.
    pub(super) fn deps(&self, id: &PackageId) -> impl Iterator<Item = (&str, &Package)> {
        let deps = self.node(id).into_iter().flat_map(|node| &node.deps);
        deps.filter(|dep| {
            // A cargo before 1.41 names no kinds.
            dep.dep_kinds.is_empty()
                || dep.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
        })
        .filter_map(|dep| Some((dep.name.as_str(), self.package(&dep.pkg)?)))
    }

    /// Whether what Cargo.toml says of a dependency is for this platform.
    pub(super) fn applies(&self, declared: &Dependency) -> bool {
        match (&declared.target, &self.platform) {
            (Some(target), Some(platform)) => target.matches(&platform.triple, &platform.cfg),
            _ => true,
        }
    }

    /// The features of a package when all of the workspace is built.
    pub(super) fn unified_features(&self, id: &PackageId) -> impl Iterator<Item = &str> {
        self.node(id).into_iter().flat_map(|node| &node.features).map(|feature| feature.as_str())
    }

    fn node(&self, id: &PackageId) -> Option<&Node> {
        let at = self.nodes.get(id)?;
        self.metadata.resolve.as_ref()?.nodes.get(*at)
    }

    fn depends_on_platform(&self) -> bool {
        let nodes = self.metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
        nodes
            .filter(|node| self.package(&node.id).is_some_and(is_local))
            .flat_map(|node| &node.deps)
            .filter(|dep| self.package(&dep.pkg).is_some_and(is_local))
            .any(|dep| dep.dep_kinds.iter().any(|kind| kind.target.is_some()))
    }
}

/// Whether a package is on this machine and the user's: a member or a path dependency.
pub(super) fn is_local(package: &Package) -> bool {
    package.source.is_none()
}

/// The library of a package, unless it is a procedural macro.
pub(super) fn library(package: &Package) -> Option<&Target> {
    package.targets.iter().find(|target| {
        let types = &target.crate_types;
        !types.contains(&CrateType::Bin)
            && !types.contains(&CrateType::ProcMacro)
            && target.kind.iter().any(|kind| {
                use cargo_metadata::TargetKind::{CDyLib, DyLib, Lib, RLib, StaticLib};
                matches!(kind, Lib | RLib | DyLib | CDyLib | StaticLib)
            })
    })
}

/// Whether other Rust code can be compiled against a library.
pub(super) fn is_linkable(library: &Target) -> bool {
    use CrateType::{DyLib, Lib, RLib};
    library.crate_types.iter().any(|kind| matches!(kind, Lib | RLib | DyLib))
}

/// The name Rust code knows a target by.
pub(super) fn crate_name(target: &Target) -> String {
    target.name.replace('-', "_")
}
