//! A result has fewer types.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "output_type_narrowed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "a result field has fewer types than before",
    why: "What a reader distinguished by type no longer occurs; the promise that it may occur is \
         withdrawn.",
    reference: None,
    example: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": ["integer", "null"]}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
    },
    near_miss: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": ["integer", "null"]}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": ["null", "integer"]}}}"#,
    },
};
