//! A schema is written differently and accepts the same values.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "schema_reworded",
    dimension: Dimension::Structural,
    grade: Grade::Patch,
    security: false,
    confirmation: false,
    summary: "a schema is written differently and accepts the same values",
    why: "The model reads other text; whatever worked still works.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"mode": {"enum": ["fast", "deep"]}}}"#,
        new: r#"{"type": "object", "properties": {"mode": {"enum": ["deep", "fast"]}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"mode": {"enum": ["fast"]}}}"#,
        new: r#"{"type": "object", "properties": {"mode": {"enum": ["deep"]}}}"#,
    },
};
