//! The rules: what can be observed about a change, and what it weighs.

use crate::grade::{Dimension, Grade};

/// One rule. Rules are data: the comparison names one, configuration re-grades it, reports
/// explain it.
#[derive(Debug, PartialEq)]
pub struct Rule {
    /// Stable snake-case id; consumers and configuration rely on it.
    pub id: &'static str,
    /// What of a tool it is about.
    pub dimension: Dimension,
    /// The grade of its findings unless configured otherwise.
    pub grade: Grade,
    /// Whether it is about an agent being misled rather than a call failing.
    pub security: bool,
    /// What it says, in one line.
    pub summary: &'static str,
    /// What an agent would notice, in one or two sentences.
    pub why: &'static str,
}
