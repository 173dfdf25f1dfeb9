//! Listed values or variants of an argument are new.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_enum_widened",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "an argument gained listed values or union variants",
    why: "An agent may choose a value that did not exist before; the others still work.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"mode": {"enum": ["fast"]}}}"#,
        new: r#"{"type": "object", "properties": {"mode": {"enum": ["fast", "deep"]}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"mode": {"const": "fast"}}}"#,
        new: r#"{"type": "object", "properties": {"mode": {"enum": ["fast"]}}}"#,
    },
};
