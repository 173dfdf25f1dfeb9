//! A bound, length, pattern, count or format of a result promises more.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "output_constraint_tightened",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "a bound, length, pattern, count or format of a result promises more",
    why: "Everything that arrives is something a reader was told about before.",
    reference: Some("https://json-schema.org/draft/2020-12/json-schema-validation"),
    example: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer", "minimum": 0}}}"#,
    },
    near_miss: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer", "minimum": 1}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer", "exclusiveMinimum": 0}}}"#,
    },
};
