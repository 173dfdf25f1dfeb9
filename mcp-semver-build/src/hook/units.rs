//! Which crates of the package are evaluated, and what that says.

use std::collections::{BTreeMap, BTreeSet};

use super::environment::Environment;
use super::manifest::{Manifest, Target};
use crate::evaluate::{self, Dependency, Evaluation, Sdk, Unit};
use crate::framework::FRAMEWORKS;
use crate::probe::Remark;
use crate::scan;

/// Evaluates the server of a package, `lock` being the text of its Cargo.lock. What prevents that
/// is told as [`Evaluation::unread`].
pub(super) fn evaluate(
    environment: &Environment,
    manifest: &Manifest,
    lock: Option<&str>,
) -> Evaluation {
    let package = environment.text("CARGO_PKG_NAME");
    let Some(lock) = lock else { return unread("there is no Cargo.lock".to_owned()) };
    if let Err(error) = lock.parse::<toml::Table>() {
        return unread(format!("Cargo.lock does not parse: {}", error.message()));
    }
    let versions = evaluate::locked_versions(lock, package);
    let Some(sdk) = Sdk::from_lock(lock, package) else {
        let known = FRAMEWORKS.iter().find(|framework| versions.contains_key(framework.name));
        return unread(known.map_or_else(
            || format!("Cargo.lock names no rmcp below `{package}`"),
            |framework| framework.known_to_builds(),
        ));
    };
    let units = Units { environment, manifest, versions };
    let mut served: Vec<(&str, Evaluation)> = Vec::new();
    let (mut failed, mut files, mut absent) = (None, BTreeSet::new(), BTreeSet::new());
    let targets = match (&manifest.target, &manifest.library) {
        (Some(name), Some(library)) if name == "lib" => vec![library],
        _ => manifest.binaries.iter().filter(|bin| units.is_wanted(bin)).collect(),
    };
    let targets = if targets.is_empty() { manifest.library.iter().collect() } else { targets };
    for target in targets {
        let crates = units.of(target);
        match evaluate::evaluate(&crates, &sdk, &manifest.servers) {
            Ok(mut evaluation) => {
                files.append(&mut evaluation.files);
                absent.append(&mut evaluation.absent);
                if serves(&evaluation) {
                    served.push((&target.name, evaluation));
                }
            }
            Err(error) => {
                let read = crates.iter().filter_map(|krate| scan::scan(&krate.root).ok());
                files.extend(read.flat_map(|scan| scan.files));
                failed.get_or_insert(error);
            }
        }
    }
    let evaluation = match failed {
        Some(error) => unread(error.to_string()),
        None => choose(served, manifest),
    };
    Evaluation { files, absent, ..evaluation }
}

/// The crates of a package.
struct Units<'a> {
    environment: &'a Environment,
    manifest: &'a Manifest,
    /// The versions of the package's dependencies, by published name.
    versions: BTreeMap<String, semver::Version>,
}

impl Units<'_> {
    /// Whether a binary is built and is not another one than the settings name.
    fn is_wanted(&self, binary: &Target) -> bool {
        let cfg = self.environment.cfg(&self.manifest.features);
        let named = self
            .manifest
            .target
            .as_deref()
            .is_none_or(|name| name.replace('-', "_") == binary.name);
        named && binary.required_features.iter().all(|feature| cfg.features.contains(feature))
    }

    /// A target, and the library below it.
    fn of(&self, target: &Target) -> Vec<Unit> {
        let library = self.manifest.library.as_ref().filter(|library| library.root != target.root);
        let mut units = vec![self.unit(target)];
        if let Some(library) = library {
            units[0].dependencies.insert(library.name.clone(), Dependency::Unit(1));
            units.push(self.unit(library));
        }
        units
    }

    fn unit(&self, target: &Target) -> Unit {
        let dependencies = self.manifest.dependencies.iter().filter_map(|(name, package)| {
            let version = self.versions.get(package)?.clone();
            let package = package.replace('-', "_");
            Some((name.clone(), Dependency::Package { name: package, version }))
        });
        let mut environment = self.environment.for_rustc();
        environment.insert("CARGO_CRATE_NAME".into(), target.name.clone());
        Unit {
            root: target.root.clone(),
            name: target.name.clone(),
            edition: target.edition,
            cfg: self.environment.cfg(&self.manifest.features),
            dependencies: dependencies.collect(),
            environment,
            serves: true,
        }
        .built_by(&self.manifest.script)
    }
}

fn serves(evaluation: &Evaluation) -> bool {
    let Evaluation { tools, unresolved, unread, run_time, .. } = evaluation;
    !(tools.is_empty() && unresolved.is_empty() && unread.is_empty() && run_time.is_empty())
}

/// Of several binaries the one that the manifest names, else any where all serve the same.
fn choose(mut served: Vec<(&str, Evaluation)>, manifest: &Manifest) -> Evaluation {
    let is_default = |name: &str| manifest.default_run.as_deref() == Some(name);
    if let Some(index) = served.iter().position(|(name, _)| is_default(name)) {
        return served.swap_remove(index).1;
    }
    let Some((_, first)) = served.pop() else { return Evaluation::default() };
    let tools = |evaluation: &Evaluation| {
        let known: Vec<_> = evaluation.tools.iter().map(|tool| tool.wire.clone()).collect();
        (known, evaluation.unresolved.clone())
    };
    if served.iter().all(|(_, other)| tools(other) == tools(&first)) {
        return first;
    }
    unread(
        "several binaries serve different tools; name one as `target` under \
         [package.metadata.mcp-semver]"
            .to_owned(),
    )
}

fn unread(text: String) -> Evaluation {
    Evaluation { unread: vec![Remark { span: None, text }], ..Evaluation::default() }
}
