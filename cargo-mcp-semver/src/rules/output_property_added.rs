//! A result field is new.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "output_property_added",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "a result field was added",
    why: "A result carries more than before; readers are expected to skip what they do not know.",
    reference: None,
    example: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer"}, "took": {"type": "integer"}}, "required": ["took"]}"#,
    },
    near_miss: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}"#,
    },
};
