//! From a baseline and a catalogue to findings.

use mcp_semver_build::{Catalogue, Contract};

use crate::baseline::Baseline;
use crate::finding::Finding;
use crate::verdict::Status;

/// How one tool differs.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolChange {
    /// The tool's name.
    pub name: String,
    /// How it stands against the baseline.
    pub status: Status,
    /// What was observed; empty exactly when it is unchanged.
    pub findings: Vec<Finding>,
    /// The baseline's contract, where there is one.
    pub old: Option<Contract>,
    /// The catalogue's contract, where there is one.
    pub new: Option<Contract>,
}

/// Compares every tool of either side; sorted by name.
pub fn compare(old: &Baseline, new: &Catalogue) -> Vec<ToolChange> {
    let _ = (old, new);
    Vec::new()
}
