//! A result field may be missing now.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "output_required_removed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "a result field may be missing that was always there",
    why: "An agent, or code behind it, that relies on the field breaks on the first result \
         without it.",
    reference: None,
    example: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
    },
    near_miss: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}"#,
        new: r#"{"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}"#,
    },
};
