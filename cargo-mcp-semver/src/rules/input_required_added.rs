//! An argument has to be sent now.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_required_added",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "an argument is required that was not",
    why: "An agent that calls as it always did, without the argument, is refused.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}"#,
    },
};
