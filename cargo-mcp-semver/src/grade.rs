//! How much a change asks of a version, and in which dimension it lies.

use serde::Serialize;

/// The weight of a change: `none < patch < minor < major`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Nothing an agent could notice.
    #[default]
    None,
    /// Worded or written differently.
    Patch,
    /// More is possible than before; everything that worked still works.
    Minor,
    /// Something that worked no longer does, or no longer means the same.
    Major,
}

impl Grade {
    /// The lower-case name used in reports and configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }
}

impl std::fmt::Display for Grade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// What of a tool a change touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Dimension {
    /// The values that go in and come out.
    Structural,
    /// What calling the tool does.
    Behavioural,
    /// What a model is told.
    Description,
}

impl Dimension {
    /// The lower-case name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Behavioural => "behavioural",
            Self::Description => "description",
        }
    }
}
