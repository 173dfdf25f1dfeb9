//! The version and digest of each tool.

use std::collections::BTreeMap;

use semver::Version;

use super::snapshot::Snapshot;
use crate::contract::Contract;
use crate::digest::{Digest, Scheme};
use crate::lockfile::Lockfile;

/// What the generated module says of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) digest: Digest,
}

/// The tools whose contract is known, sorted by name: each with its declared version, else with
/// the one at which this contract is locked, else with the package's, which is what locking now
/// would record.
pub(super) fn of(
    snapshot: &Snapshot,
    lockfile: Option<&Lockfile>,
    declared: &BTreeMap<String, Version>,
) -> Vec<Tool> {
    let tool = |contract: Contract| {
        let locked = lockfile.and_then(|lockfile| lockfile.tools.get(&contract.name));
        let locked = locked.filter(|locked| locked.pins(&contract)).map(|it| &it.semver);
        let version = declared.get(&contract.name).or(locked);
        Tool {
            version: version.map_or_else(|| snapshot.version.clone(), Version::to_string),
            digest: Digest::of(Scheme::default(), &contract),
            name: contract.name,
        }
    };
    contracts(snapshot).map(tool).collect()
}

/// The contracts that are known.
pub(super) fn contracts(snapshot: &Snapshot) -> impl Iterator<Item = Contract> {
    let tools = snapshot.evaluation.tools.iter();
    tools.filter_map(|tool| Contract::from_wire(tool.wire.clone()).ok())
}
