//! A declared result field is gone.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "output_property_removed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "a result field was removed or renamed",
    why: "An agent, or code behind it, that reads the field finds nothing there.",
    reference: None,
    example: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"count": {"type": "integer"}}}"#,
    },
    near_miss: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer", "title": "Total"}}}"#,
    },
};
