//! The two sides of a comparison.

use std::collections::BTreeMap;

use mcp_semver_build::{Catalogue, Contract, Digest, Scheme};
use semver::Version;

/// One side of a comparison: the tools of a lockfile or of a catalogue.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baseline {
    /// The package it was recorded for, with its version; absent for a dump.
    pub package: Option<(String, Version)>,
    /// Versions of the SDK crates that generated the schemas, by crate name.
    pub sdk: BTreeMap<String, Version>,
    /// The tools by name.
    pub tools: BTreeMap<String, BaselineTool>,
}

/// One tool of a baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineTool {
    /// Its version; absent for a dump.
    pub semver: Option<Version>,
    /// What pins its contract.
    pub digest: Digest,
    /// The contract itself; absent in a digest-only lockfile.
    pub contract: Option<Contract>,
}

impl BaselineTool {
    /// Whether `other` pins the same contract, as far as digests reach; `None` when that cannot be
    /// told: neither side holds its contract and the digests are of different schemes.
    ///
    /// A digest does not cover every field (`title`, `execution`): where both sides hold their
    /// contracts, those decide.
    pub fn same_digest(&self, other: &Self) -> Option<bool> {
        match (&self.contract, &other.contract) {
            (_, Some(contract)) => Some(self.digest.matches(contract)),
            (Some(contract), None) => Some(other.digest.matches(contract)),
            (None, None) if self.digest.scheme == other.digest.scheme => {
                Some(self.digest == other.digest)
            }
            (None, None) => None,
        }
    }
}

impl From<&Catalogue> for Baseline {
    /// The tools alone: a catalogue knows no versions.
    fn from(catalogue: &Catalogue) -> Self {
        let tools = catalogue.iter().map(|contract| {
            let tool = BaselineTool {
                semver: None,
                digest: Digest::of(Scheme::default(), contract),
                contract: Some(contract.clone()),
            };
            (contract.name.clone(), tool)
        });
        Self { tools: tools.collect(), ..Self::default() }
    }
}
