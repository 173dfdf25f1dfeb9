//! A bound, length, pattern or count of an argument excludes more.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_constraint_tightened",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "a bound, length, pattern or count of an argument excludes more",
    why: "An agent that sends a value which was within the limits before is refused.",
    reference: Some("https://json-schema.org/draft/2020-12/json-schema-validation"),
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"limit": {"type": "integer", "maximum": 100}}}"#,
        new: r#"{"type": "object", "properties": {"limit": {"type": "integer", "maximum": 50}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"limit": {"type": "integer", "exclusiveMinimum": 0}}}"#,
        new: r#"{"type": "object", "properties": {"limit": {"type": "integer", "minimum": 1}}}"#,
    },
};
