//! An argument accepts fewer types, or others.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_type_narrowed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "an argument accepts fewer types, or other ones",
    why: "An agent that sends the argument as it was typed before is refused.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"limit": {"type": ["integer", "string"]}}}"#,
        new: r#"{"type": "object", "properties": {"limit": {"type": "integer"}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"limit": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"limit": {"type": ["integer"]}}}"#,
    },
};
