//! Listed values or variants of an argument are gone.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_enum_narrowed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "an argument lost listed values or union variants",
    why: "An agent that sends a value it has seen in the schema before is refused.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"mode": {"enum": ["fast", "deep"]}}}"#,
        new: r#"{"type": "object", "properties": {"mode": {"enum": ["fast"]}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"mode": {"enum": ["fast", "deep"]}}}"#,
        new: r#"{"type": "object", "properties": {"mode": {"enum": ["deep", "fast"]}}}"#,
    },
};
