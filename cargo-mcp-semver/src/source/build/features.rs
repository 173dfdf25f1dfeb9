//! Which features and local dependencies are active when one package is built by itself.
//!
//! `cargo metadata` unifies features over the whole workspace; `cargo build -p` does not. A
//! library that is there in the former only would be called by a probe that is not linked to it.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{Dependency, DependencyKind, Package, PackageId, Target};

use super::request::BuildRequest;
use super::workspace::{Workspace, crate_name, is_local, library};

/// The part of the workspace that is built for one package.
#[derive(Debug)]
pub(super) struct Active<'w> {
    workspace: &'w Workspace,
    features: BTreeMap<PackageId, BTreeSet<String>>,
    /// Keys of active dependencies, as Cargo.toml writes them.
    keys: BTreeMap<PackageId, BTreeSet<String>>,
    /// `dep?/feature`, to be applied once the dependency is active.
    weak: BTreeSet<(PackageId, String, String)>,
}

impl<'w> Active<'w> {
    /// What `cargo build -p package` with the features of `request` builds.
    pub(super) fn new(
        workspace: &'w Workspace,
        package: &'w Package,
        request: &BuildRequest,
    ) -> Self {
        let mut active = Self {
            workspace,
            features: BTreeMap::new(),
            keys: BTreeMap::new(),
            weak: BTreeSet::new(),
        };
        active.visit(package, !request.no_default_features);
        if request.all_features {
            for feature in package.features.keys() {
                active.enable(package, feature);
            }
        }
        for feature in request.feature_names() {
            match feature.split_once('/') {
                Some((name, feature)) if name == package.name.as_str() => {
                    active.enable(package, feature);
                }
                _ => active.apply(package, feature),
            }
        }
        active
    }

    /// The local packages that `id` is compiled against, with the names it knows them by.
    pub(super) fn local_deps(&self, id: &PackageId) -> Vec<(&'w str, &'w Package)> {
        let Some(package) = self.workspace.package(id) else { return Vec::new() };
        let active = |key: &str| self.keys.get(id).is_some_and(|keys| keys.contains(key));
        self.workspace
            .deps(id)
            .filter(|(_, dep)| is_local(dep))
            .filter(|(name, dep)| {
                self.declared(package, name, dep).any(|declared| active(key(declared)))
            })
            .collect()
    }

    /// Whether the features that a target requires are on.
    pub(super) fn allows(&self, package: &Package, target: &Target) -> bool {
        target.required_features.iter().all(|feature| match feature.split_once('/') {
            None => self.has(&package.id, feature),
            Some((dep, feature)) => self.workspace.deps(&package.id).any(|(name, found)| {
                self.declared(package, name, found).any(|declared| key(declared) == dep)
                    && (self.has(&found.id, feature)
                        || self.workspace.unified_features(&found.id).any(|on| on == feature))
            }),
        })
    }

    /// The features of a package that are on.
    pub(super) fn features(&self, id: &PackageId) -> BTreeSet<String> {
        self.features.get(id).cloned().unwrap_or_default()
    }

    fn has(&self, id: &PackageId, feature: &str) -> bool {
        self.features.get(id).is_some_and(|on| on.contains(feature))
    }

    fn visit(&mut self, package: &'w Package, default_features: bool) {
        if !self.keys.contains_key(&package.id) {
            self.keys.insert(package.id.clone(), BTreeSet::new());
            for dep in normal(package).filter(|dep| !dep.optional) {
                self.activate(package, key(dep));
            }
        }
        if default_features {
            self.enable(package, "default");
        }
    }

    fn enable(&mut self, package: &'w Package, feature: &str) {
        let Some(values) = package.features.get(feature) else { return };
        if self.features.entry(package.id.clone()).or_default().insert(feature.to_owned()) {
            for value in values {
                self.apply(package, value);
            }
        }
    }

    /// Applies one value of Cargo.toml's `[features]`.
    fn apply(&mut self, package: &'w Package, value: &str) {
        if let Some(dep) = value.strip_prefix("dep:") {
            self.activate(package, dep);
        } else if let Some((dep, feature)) = value.split_once("?/") {
            self.weak.insert((package.id.clone(), dep.to_owned(), feature.to_owned()));
            if self.keys.get(&package.id).is_some_and(|keys| keys.contains(dep)) {
                self.enable_in(package, dep, feature);
            }
        } else if let Some((dep, feature)) = value.split_once('/') {
            self.enable(package, dep);
            self.activate(package, dep);
            self.enable_in(package, dep, feature);
        } else {
            self.enable(package, value);
        }
    }

    fn activate(&mut self, package: &'w Package, dep: &str) {
        if !self.keys.entry(package.id.clone()).or_default().insert(dep.to_owned()) {
            return;
        }
        for (declared, found) in self.resolved(package, dep) {
            self.visit(found, declared.uses_default_features);
            for feature in &declared.features {
                self.apply(found, feature);
            }
        }
        let waiting: Vec<String> = self
            .weak
            .iter()
            .filter(|(id, name, _)| *id == package.id && name == dep)
            .map(|(.., feature)| feature.clone())
            .collect();
        for feature in waiting {
            self.enable_in(package, dep, &feature);
        }
    }

    fn enable_in(&mut self, package: &'w Package, dep: &str, feature: &str) {
        for (_, found) in self.resolved(package, dep) {
            self.enable(found, feature);
        }
    }

    /// The entries of Cargo.toml that `found`, known to the code of `package` as `name`, comes from.
    fn declared<'n>(
        &self,
        package: &'w Package,
        name: &'n str,
        found: &'n Package,
    ) -> impl Iterator<Item = &'w Dependency> + use<'w, 'n> {
        let workspace = self.workspace;
        normal(package).filter(move |dep| {
            dep.name == found.name.as_str()
                && match &dep.rename {
                    Some(rename) => rename.replace('-', "_") == name,
                    None => library(found).is_some_and(|library| crate_name(library) == name),
                }
                && workspace.applies(dep)
        })
    }

    /// The local packages that the dependency `dep` of `package` stands for.
    fn resolved(&self, package: &'w Package, dep: &str) -> Vec<(&'w Dependency, &'w Package)> {
        let found = self.workspace.deps(&package.id).filter(|(_, found)| is_local(found));
        found
            .flat_map(|(name, found)| {
                self.declared(package, name, found).map(move |declared| (declared, found))
            })
            .filter(|(declared, _)| key(declared) == dep)
            .collect()
    }
}

fn normal(package: &Package) -> impl Iterator<Item = &Dependency> {
    package.dependencies.iter().filter(|dep| dep.kind == DependencyKind::Normal)
}

/// How Cargo.toml calls a dependency.
fn key(dep: &Dependency) -> &str {
    dep.rename.as_deref().unwrap_or(&dep.name)
}
