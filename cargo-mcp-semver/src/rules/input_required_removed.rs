//! An argument may be left out now.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_required_removed",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "an argument is no longer required",
    why: "An agent may leave the argument out; calls that carry it still work.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}"#,
        new: r#"{"type": "object", "properties": {"text": {"type": "string"}}}"#,
    },
};
