//! Leaving an argument out means something else.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_default_changed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "the default of an argument changed or is gone",
    why: "An agent that leaves the argument out makes the same call as before and gets another \
         result, without any error.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"limit": {"type": "integer", "default": 10}}}"#,
        new: r#"{"type": "object", "properties": {"limit": {"type": "integer", "default": 50}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"limit": {"type": ["integer", "null"], "default": null}}}"#,
        new: r#"{"type": "object", "properties": {"limit": {"type": ["integer", "null"]}}}"#,
    },
};
