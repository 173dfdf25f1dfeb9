//! Undeclared arguments are refused or limited now.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_closed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "undeclared arguments are refused or limited now",
    why: "An agent that sends one argument too many used to be answered and now gets an error.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string"}}, "additionalProperties": false}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string"}}, "additionalProperties": true}"#,
    },
};
