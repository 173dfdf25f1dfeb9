//! Why something could not be evaluated.

use serde::{Deserialize, Serialize};

use crate::scan::SourceSpan;

/// What cannot be told from the source alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason}")]
pub struct Unresolved {
    /// What it is, one clause without a full stop.
    pub reason: String,
    /// Where it stands, where known.
    pub span: Option<SourceSpan>,
}

/// The result of an evaluation.
pub(super) type Result<T> = std::result::Result<T, Box<Unresolved>>;

/// Gives up, for this reason.
pub(super) fn unresolved<T>(reason: impl Into<String>) -> Result<T> {
    Err(Box::new(Unresolved { reason: reason.into(), span: None }))
}

/// Puts the place into an error that has none yet.
pub(super) trait At<T> {
    fn at(self, span: impl FnOnce() -> SourceSpan) -> Result<T>;
}

impl<T> At<T> for Result<T> {
    fn at(self, span: impl FnOnce() -> SourceSpan) -> Result<T> {
        self.map_err(|mut error| {
            error.span.get_or_insert_with(span);
            error
        })
    }
}
