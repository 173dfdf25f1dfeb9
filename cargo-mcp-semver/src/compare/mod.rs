//! From two sides of a comparison to findings.

use mcp_semver_build::Contract;

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
    /// The new side's contract, where there is one.
    pub new: Option<Contract>,
}

/// Compares every tool of either side; sorted by name.
///
/// The new side is a [`Baseline`] too, because `diff` takes a lockfile there, which may hold
/// digests without contracts; a catalogue becomes one by `Baseline::from(&catalogue)`.
pub fn compare(old: &Baseline, new: &Baseline) -> Vec<ToolChange> {
    let _ = (old, new);
    Vec::new()
}
