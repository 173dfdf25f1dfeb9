//! A bound, length, pattern or count of an argument excludes less.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_constraint_loosened",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "a bound, length, pattern or count of an argument excludes less",
    why: "An agent may send values that were refused before; the others still work.",
    reference: Some("https://json-schema.org/draft/2020-12/json-schema-validation"),
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string", "minLength": 3}}}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string", "minLength": 0}}}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
    },
};
