//! Results may hold values that nobody agreed to read.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "output_widened",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "a result may hold other types, values or variants than before",
    why: "A value may arrive that no reader was ever told about: null, a new variant, a longer \
         text.",
    reference: None,
    example: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": ["integer", "null"]}}}"#,
    },
    near_miss: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": ["integer", "null"]}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"anyOf": [{"type": "null"}, {"type": "integer"}]}}}"#,
    },
};
