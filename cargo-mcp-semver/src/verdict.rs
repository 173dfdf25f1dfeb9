//! The outcome of a comparison: what every report renders.

use mcp_semver_build::Held;
use semver::Version;

use crate::finding::{Finding, Span};
use crate::gate::SdkMove;
use crate::grade::Grade;

/// How one tool stands against the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Same contract.
    Unchanged,
    /// In both, and different.
    Changed,
    /// Only in the catalogue.
    Added,
    /// Only in the baseline.
    Removed,
}

/// What the gate says of one tool or of the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing changed, or the declared version covers the change.
    Covered,
    /// In the catalogue, not in the lockfile.
    Unlocked,
    /// In the lockfile, not in the catalogue.
    Removed,
    /// A person has to look before it passes.
    NeedsConfirmation,
    /// The declared version does not cover the change.
    Violation,
}

/// One tool of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReport {
    /// The tool's name.
    pub name: String,
    /// How it stands against the baseline.
    pub status: Status,
    /// The highest grade of its findings.
    pub grade: Grade,
    /// What the gate says.
    pub verdict: Verdict,
    /// What was observed, in the order a reader wants it.
    pub findings: Vec<Finding>,
    /// The baseline's contract, absent for an added tool and a digest-only baseline.
    pub old: Option<Held>,
    /// The catalogue's contract, absent for a removed tool.
    pub new: Option<Held>,
    /// The tool's version in the lockfile and the one declared for it, where tools are versioned
    /// one by one.
    pub versions: Option<ToolVersions>,
    /// Where the tool is declared, where known.
    pub span: Option<Span>,
}

/// The versions of one tool, where a registry declares them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolVersions {
    /// What the lockfile says; absent for an added tool.
    pub baseline: Option<Version>,
    /// What the registry says; absent when it has no entry, which counts as not bumped.
    pub declared: Option<Version>,
    /// The smallest version that would cover the change.
    pub required: Version,
}

/// The package of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageReport {
    /// Its name.
    pub name: String,
    /// The version in the lockfile.
    pub baseline_version: Version,
    /// The version in Cargo.toml.
    pub version: Version,
    /// The highest grade over all tools.
    pub required: Grade,
    /// The grade that the step between the two versions covers.
    pub declared: Grade,
    /// The smallest version that covers [`PackageReport::required`].
    pub required_version: Version,
    /// What the gate says; only [`Verdict::Covered`] or [`Verdict::Violation`].
    pub verdict: Verdict,
    /// Whether it is covered only because versions are gated when they are released: the next
    /// release needs [`PackageReport::required_version`].
    pub deferred: bool,
}

/// One comparison, decided: all that a report renders.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The package and its version gate, where there is one.
    pub package: Option<PackageReport>,
    /// Every tool of either side, sorted by name.
    pub tools: Vec<ToolReport>,
    /// The highest grade over all tools.
    pub grade: Grade,
    /// The process exit code this outcome asks for: 0, 1 or 2.
    pub exit_code: u8,
    /// Tools whose contract is not the one in the lockfile, sorted; any asks for exit code 2. Absent
    /// where the lockfile may lag behind, because it is what the versions are measured from.
    pub stale: Option<Vec<String>>,
    /// The upgrade of an SDK that explains most of the changes at once, if one does; its sentence
    /// is the first of the notes.
    pub sdk: Option<SdkMove>,
    /// What may be wrong with the settings, each one sentence; told even when quiet.
    pub warnings: Vec<String>,
    /// Things a reader must know that are no finding (an SDK that changed, what could not be
    /// read), each one sentence.
    pub notes: Vec<String>,
}

impl ToolReport {
    /// Whether a person still has to confirm one of its findings.
    pub fn needs_confirmation(&self) -> bool {
        self.findings.iter().any(|finding| finding.unconfirmed)
    }
}

impl Outcome {
    /// Asks that the lockfile holds every contract as it is, besides what is asked for already;
    /// `stale` names the tools for which it does not.
    pub fn require_fresh(&mut self, stale: Vec<String>) {
        if !stale.is_empty() {
            self.exit_code = self.exit_code.max(2);
        }
        self.stale = Some(stale);
    }

    /// Whether the upgrade under [`Outcome::sdk`] explains a finding about a tool.
    pub fn is_by_sdk(&self, tool: &str, finding: &Finding) -> bool {
        self.sdk.as_ref().is_some_and(|sdk| sdk.explains(tool, finding))
    }
}
