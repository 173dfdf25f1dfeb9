//! Leaving an argument out has a stated meaning now.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_default_added",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "an argument has a default that had none",
    why: "An agent learns what leaving the argument out means.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"limit": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"limit": {"type": "integer", "default": 10}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"limit": {"type": ["integer", "null"]}}}"#,
        new: r#"{"type": "object", "properties": {"limit": {"type": ["integer", "null"], "default": null}}}"#,
    },
};
