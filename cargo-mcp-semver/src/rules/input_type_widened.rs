//! An argument accepts more types.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_type_widened",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "an argument accepts more types",
    why: "An agent may send more kinds of value, null among them; what it sent before still \
         works.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"limit": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"limit": {"type": ["integer", "null"]}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"limit": {"type": ["integer", "null"]}}}"#,
        new: r#"{"type": "object", "properties": {"limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}"#,
    },
};
