//! Locking: what the next lockfile says, and how it gets to disk.

mod write;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use mcp_semver_build::contract::Pinned;
use mcp_semver_build::lockfile::UNSPECIFIED;
use mcp_semver_build::{Catalogue, Contract, LockedPackage, LockedTool, Lockfile};
use semver::Version;

use crate::gate::UNVERSIONED;

pub(crate) use write::write_text;
pub use write::{WriteError, Written, write};

/// What a lockfile records beside the contracts.
#[derive(Debug, Clone, Default)]
pub struct Pin {
    /// What the user says it is for; else it stays what it was, or is the package's name.
    pub generated_for: Option<String>,
    /// The package, where there is one.
    pub package: Option<LockedPackage>,
    /// Versions of the SDK crates that generated the schemas, by crate name.
    pub sdk: BTreeMap<String, Version>,
    /// Tool versions by tool name, where tools are versioned one by one.
    pub tools: BTreeMap<String, Version>,
}

/// The lockfile for `catalogue`, where `previous` is the one that is there.
///
/// A tool's version is the declared one where there is one; else that of the previous lockfile
/// where its contract is the same and the package has come that far; else the package's. Without a package (a dump) it is carried
/// over whatever changed, and 1.0.0 at first. So locking again never invents a step, and what is
/// locked with the same input twice is the same.
pub fn plan(previous: Option<&Lockfile>, catalogue: &Catalogue, pin: &Pin) -> Lockfile {
    let tools = catalogue.iter_pinned().map(|Pinned { contract, digest, .. }| {
        let before = previous.and_then(|previous| previous.tools.get(&contract.name));
        let tool = LockedTool {
            semver: semver(before, contract, pin),
            digest: *digest,
            contract: Some(contract.compared()),
            rest: before.map(|before| before.rest.clone()).unwrap_or_default(),
        };
        (contract.name.clone(), tool)
    });
    Lockfile {
        generated_for: generated_for(previous, pin),
        package: pin.package.clone(),
        sdk: pin.sdk.clone(),
        tools: tools.collect(),
        rest: previous.map(|previous| previous.rest.clone()).unwrap_or_default(),
    }
}

fn semver(before: Option<&LockedTool>, contract: &Contract, pin: &Pin) -> Version {
    if let Some(declared) = pin.tools.get(&contract.name) {
        return declared.clone();
    }
    match (before, &pin.package) {
        (Some(before), Some(package))
            if before.pins(contract) && before.semver <= package.version =>
        {
            before.semver.clone()
        }
        (_, Some(package)) => package.version.clone(),
        (Some(before), None) => before.semver.clone(),
        (None, None) => UNVERSIONED,
    }
}

fn generated_for(previous: Option<&Lockfile>, pin: &Pin) -> String {
    let said_before = previous
        // What was the package's name then is the package's name now, whatever that is.
        .filter(|previous| {
            let package = previous.package.as_ref().map(|package| &package.name);
            package != Some(&previous.generated_for) && previous.generated_for != UNSPECIFIED
        })
        .map(|previous| previous.generated_for.clone());
    let package = || pin.package.as_ref().map(|package| package.name.clone());
    let before = || previous.map(|previous| previous.generated_for.clone());
    (pin.generated_for.clone().or(said_before).or_else(package).or_else(before))
        .unwrap_or_else(|| UNSPECIFIED.to_owned())
}
