//! Undeclared arguments are accepted now.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_opened",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "undeclared arguments are accepted now, or more of them",
    why: "An agent is no longer stopped by an argument that the tool does not know.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string"}}, "additionalProperties": false}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string"}}, "additionalProperties": true}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
    },
};
