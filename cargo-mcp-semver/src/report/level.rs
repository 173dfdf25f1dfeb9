//! How the gate's verdict weighs on one finding.

use crate::finding::Finding;
use crate::grade::Grade;
use crate::verdict::{Outcome, ToolReport, Verdict};

/// How a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// It makes the check fail.
    Error,
    /// It passes, but a person should look.
    Warning,
    /// It is covered.
    Note,
    /// Nothing is gated: the grade itself.
    Graded(Grade),
    /// Configuration makes nothing of it.
    Allowed,
}

/// What every format for programs knows of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    /// Fails, or would without a major step.
    Error,
    /// A person should look.
    Warning,
    /// For information.
    Note,
}

impl Level {
    /// How the gate's verdict on `tool` weighs on one of its findings; `gated` where versions
    /// were compared.
    pub(super) fn of(gated: bool, outcome: &Outcome, tool: &ToolReport, finding: &Finding) -> Self {
        if finding.is_allowed() {
            return Self::Allowed;
        }
        if !gated {
            return Self::Graded(finding.grade);
        }
        // One finding of a tool may be covered by a step that does not cover the others.
        let step = outcome.package.as_ref().filter(|_| tool.versions.is_none());
        match tool.verdict {
            _ if finding.unconfirmed => Self::Error,
            Verdict::Violation if step.is_none_or(|step| finding.grade > step.declared) => {
                Self::Error
            }
            _ => Self::covered(finding),
        }
    }

    fn covered(finding: &Finding) -> Self {
        if finding.rule.security { Self::Warning } else { Self::Note }
    }

    /// Whether a reader wants everything that is known about it.
    pub(super) fn is_shown_whole(self) -> bool {
        matches!(self, Self::Error | Self::Graded(_))
    }

    /// The word a finding starts with.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
            Self::Graded(grade) => grade.as_str(),
            Self::Allowed => "allowed",
        }
    }

    /// How it is marked; without a gate the grade says it.
    pub(super) fn severity(self) -> Severity {
        match self {
            Self::Error | Self::Graded(Grade::Major) => Severity::Error,
            Self::Warning | Self::Graded(Grade::Minor) => Severity::Warning,
            Self::Note | Self::Graded(_) | Self::Allowed => Severity::Note,
        }
    }
}
