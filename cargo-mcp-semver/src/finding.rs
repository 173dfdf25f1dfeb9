//! Findings: one observation by one rule.

use std::path::PathBuf;

use serde_json::Value;

use crate::grade::Grade;
use crate::rules::Rule;

/// One observation by one rule about one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The rule that speaks.
    pub rule: &'static Rule,
    /// The grade after configuration; starts as the rule's default.
    pub grade: Grade,
    /// The argument or result field in dotted form (`filter.stops[].mode`); empty for the tool
    /// itself.
    pub path: String,
    /// JSON pointer (RFC 6901) into the contract; empty for the whole tool.
    pub pointer: String,
    /// What happened, in one sentence that names the place.
    pub message: String,
    /// What stood there before, where there was something.
    pub old: Option<Value>,
    /// What stands there now, where there is something.
    pub new: Option<Value>,
    /// A value that proves the finding, confirmed by an independent validator.
    pub witness: Option<Value>,
    /// Where in the Rust source it comes from, where known.
    pub span: Option<Span>,
}

/// A place in Rust source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file, relative to the package where it lies inside it.
    pub file: PathBuf,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}
