//! Results may have undeclared fields.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "output_opened",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "results may have undeclared fields, or more of them",
    why: "A reader that skips what it does not know sees no difference; one that validates \
         strictly against the old schema refuses the result.",
    reference: None,
    example: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}, "additionalProperties": false}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
    },
    near_miss: Pair::Output {
        old: r#"{"type": "object", "properties": {"total": {"type": "integer"}}, "additionalProperties": true}"#,
        new: r#"{"type": "object", "properties": {"total": {"type": "integer"}}}"#,
    },
};
