//! What a catalogue is compared against.

use std::collections::BTreeMap;

use mcp_semver_build::{Contract, Digest};
use semver::Version;

/// A baseline: the tools of a lockfile or of an earlier catalogue.
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
