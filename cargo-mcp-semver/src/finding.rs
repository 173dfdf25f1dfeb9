//! Findings: one observation by one rule.

use std::path::PathBuf;

use serde_json::Value;

use crate::gate::Place;
use crate::grade::Grade;
use crate::rules::Rule;

/// One observation by one rule about one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The rule that speaks.
    pub rule: &'static Rule,
    /// The grade after configuration; [`Grade::None`] where it is allowed.
    pub grade: Grade,
    /// The grade before configuration, and where it was set to another or the same; absent where
    /// nothing is set.
    pub configured: Option<(Grade, Place)>,
    /// Whether a person still has to confirm that it is meant.
    pub unconfirmed: bool,
    /// The argument or result field in dotted form (`filter.stops[].mode`); empty for the tool
    /// itself.
    pub path: String,
    /// Further places that the same cause shows at, spelt like `path`.
    pub uses: Vec<String>,
    /// JSON pointer (RFC 6901) into the new contract, or into the old one for what is gone; empty
    /// for the whole tool.
    pub pointer: String,
    /// JSON pointer into the new contract to the very part that differs, or to where what is gone
    /// would be; absent where `pointer` leads there.
    pub anchor: Option<String>,
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

impl Finding {
    /// A finding about the tool as a whole, as its rule has it.
    pub fn new(rule: &'static Rule, message: String) -> Self {
        Self {
            rule,
            grade: rule.grade,
            configured: None,
            unconfirmed: rule.confirmation,
            path: String::new(),
            uses: Vec::new(),
            pointer: String::new(),
            anchor: None,
            message,
            old: None,
            new: None,
            witness: None,
            span: None,
        }
    }

    /// Whether it is about results, rather than about arguments or the tool.
    pub fn is_output(&self) -> bool {
        self.pointer.starts_with("/outputSchema")
    }

    /// Whether configuration makes nothing of it.
    pub fn is_allowed(&self) -> bool {
        self.configured.is_some() && self.grade == Grade::None
    }
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
    /// Line of its end.
    pub end_line: usize,
    /// Column in characters behind its last character, counted from 1.
    pub end_column: usize,
}

impl Span {
    /// A place without extent.
    pub fn point(file: impl Into<PathBuf>, line: usize, column: usize) -> Self {
        Self { file: file.into(), line, column, end_line: line, end_column: column }
    }
}
