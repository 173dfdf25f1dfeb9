//! A result field is always there now.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "output_required_added",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "a result field is always there that could be missing",
    why: "An agent may rely on the field; whoever handled its absence still works.",
    reference: None,
    example: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}"#,
    },
    near_miss: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer"}, "took": {"type": "integer"}}, "required": ["took"]}"#,
    },
};
