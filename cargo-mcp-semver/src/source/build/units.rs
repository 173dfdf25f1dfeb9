//! The crates of each selected server as the evaluation of their source needs them. Nothing is
//! built.

use std::collections::BTreeMap;

use cargo_metadata::{Package, Target};
use mcp_semver_build::evaluate::{Cfg, Dependency, Sdk, Unit};
use mcp_semver_build::framework::Framework;

use super::cargo::Cargo;
use super::features::Active;
use super::request::BuildRequest;
use super::scans::Scans;
use super::session::named_servers;
use super::target::{Candidate, Choice, Unit as Chosen};
use super::workspace::{Workspace, crate_name, library};
use super::{BuildError, Failed, Server, binary, sdk, select};

/// One selected server before its source is evaluated.
#[derive(Debug)]
pub(in crate::source) struct Plan {
    /// The package, nothing read of its tools yet.
    pub(in crate::source) server: Server,
    /// Its crates.
    pub(in crate::source) units: Vec<Unit>,
    /// The framework that its tools are declared through.
    pub(in crate::source) framework: Option<&'static Framework>,
    /// What makes its contracts; `None` where that is no rmcp.
    pub(in crate::source) sdk: Option<Sdk>,
    /// The types that its settings name as servers.
    pub(in crate::source) named: Vec<String>,
}

/// The selected servers; there is at least one, planned or not.
pub(in crate::source) struct Plans {
    /// In the order of cargo's selection.
    pub(in crate::source) plans: Vec<Plan>,
    /// See [`Servers::failed`](super::Servers::failed).
    pub(in crate::source) failed: Vec<Failed>,
    /// See [`Servers::skipped`](super::Servers::skipped).
    pub(in crate::source) skipped: Vec<String>,
}

/// The servers that a request selects.
///
/// # Errors
/// [`BuildError`] when cargo does not know the packages, or no target with tools is found.
pub(in crate::source) fn plans(request: &BuildRequest) -> Result<Plans, BuildError> {
    let workspace = Workspace::load(&Cargo::find()?, request)?;
    let candidates: Vec<Candidate<'_>> = select::packages(&workspace, request)?
        .into_iter()
        .map(|package| Candidate::new(&workspace, package, request))
        .collect();
    let scans = Scans::new(candidates.iter().flat_map(Candidate::sources));
    let selection = select::select(&candidates, request, &scans)?;
    let plans = selection.choices.iter().map(|choice| plan(&workspace, request, choice));
    Ok(Plans { plans: plans.collect(), failed: selection.failed, skipped: selection.skipped })
}

/// What the evaluation of a chosen server needs.
pub(super) fn plan(workspace: &Workspace, request: &BuildRequest, choice: &Choice<'_>) -> Plan {
    let package = choice.entry().package;
    let active = Active::new(workspace, package, request);
    let served = choice.units.iter().map(|unit| (unit.package, unit.target, true));
    let is_served = |target: &Target| {
        choice.units.iter().any(|unit: &Chosen<'_>| unit.target.src_path == target.src_path)
    };
    let others =
        choice.local.iter().filter_map(|package| Some((*package, library(package)?, false)));
    let crates: Vec<(&Package, &Target, bool)> =
        served.chain(others.filter(|(_, target, _)| !is_served(target))).collect();
    let units = crates
        .iter()
        .map(|(package, target, serves)| Unit {
            root: target.src_path.clone().into(),
            name: crate_name(target),
            edition: Chosen::edition_of(target),
            cfg: Cfg::host(active.features(&package.id)),
            dependencies: dependencies(workspace, package, target, &crates),
            environment: environment(package, target),
            serves: *serves,
        })
        .zip(&crates)
        .map(|(unit, (package, ..))| match package.targets.iter().find(|it| it.is_custom_build()) {
            Some(script) => unit.built_by(script.src_path.as_std_path()),
            None => unit,
        })
        .collect();
    let mut server = binary::server(workspace, package);
    server.sourced.notes.clone_from(&choice.notes);
    server.sourced.unread.clone_from(&choice.unread);
    server.sourced.sdk = sdk::versions(workspace, package, choice.framework());
    let version = |name: &str| server.sourced.sdk.get(name).cloned();
    let sdk = version("rmcp").zip(version("schemars"));
    Plan {
        framework: choice.framework(),
        sdk: sdk.map(|(rmcp, schemars)| Sdk {
            rmcp,
            schemars,
            keeps_order: sdk::keeps_order(workspace, package),
            keeps_digits: sdk::keeps_digits(workspace, package),
        }),
        named: named_servers(package),
        units,
        server,
    }
}

/// The crates that the code of a target can name.
fn dependencies(
    workspace: &Workspace,
    package: &Package,
    target: &Target,
    crates: &[(&Package, &Target, bool)],
) -> BTreeMap<String, Dependency> {
    let unit = |library: &Target| {
        crates.iter().position(|(_, target, _)| target.src_path == library.src_path)
    };
    let own =
        library(package).filter(|library| target.is_bin() && library.src_path != target.src_path);
    let own = own.and_then(|library| Some((crate_name(library), Dependency::Unit(unit(library)?))));
    let others = workspace.deps(&package.id).map(|(name, package)| {
        let dependency = match library(package).and_then(unit) {
            Some(unit) => Dependency::Unit(unit),
            None => Dependency::Package {
                name: package.name.replace('-', "_"),
                version: package.version.clone(),
            },
        };
        (name.to_owned(), dependency)
    });
    others.chain(own).collect()
}

/// What cargo puts into the environment of rustc.
fn environment(package: &Package, target: &Target) -> BTreeMap<String, String> {
    let manifest = package.manifest_path.as_std_path();
    let version = &package.version;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let mut environment: BTreeMap<String, String> = [
        ("CARGO_CRATE_NAME", crate_name(target)),
        ("CARGO_MANIFEST_DIR", manifest.parent().unwrap_or(manifest).display().to_string()),
        ("CARGO_PKG_AUTHORS", package.authors.join(":")),
        ("CARGO_PKG_DESCRIPTION", text(&package.description)),
        ("CARGO_PKG_HOMEPAGE", text(&package.homepage)),
        ("CARGO_PKG_LICENSE", text(&package.license)),
        ("CARGO_PKG_NAME", package.name.to_string()),
        ("CARGO_PKG_REPOSITORY", text(&package.repository)),
        ("CARGO_PKG_VERSION", version.to_string()),
        ("CARGO_PKG_VERSION_MAJOR", version.major.to_string()),
        ("CARGO_PKG_VERSION_MINOR", version.minor.to_string()),
        ("CARGO_PKG_VERSION_PATCH", version.patch.to_string()),
        ("CARGO_PKG_VERSION_PRE", version.pre.to_string()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    if target.is_bin() {
        environment.insert("CARGO_BIN_NAME".into(), target.name.clone());
    }
    environment
}
