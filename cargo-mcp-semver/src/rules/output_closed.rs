//! Results have no undeclared fields any more.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "output_closed",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "results no longer have undeclared fields, or fewer",
    why: "A reader that skips what it does not know sees no difference.",
    reference: None,
    example: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer"}}, "additionalProperties": false}"#,
    },
    near_miss: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer"}}, "additionalProperties": true}"#,
    },
};
