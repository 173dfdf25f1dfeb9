//! Values that were accepted are rejected, and no other rule says why.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_narrowed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "calls that were accepted are rejected, for a reason that no other rule names",
    why: "There is a call that worked and is refused now; the witness is one.",
    reference: None,
    example: Pair::Input {
        old: r#"{"properties": {"limit": {"type": "integer", "oneOf": [{"minimum": 5}, {"maximum": 3}]}}}"#,
        new: r#"{"properties": {"limit": {"type": "integer", "oneOf": [{"minimum": 2}, {"maximum": 3}]}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"properties": {"limit": {"type": "integer", "oneOf": [{"minimum": 5}, {"maximum": 3}]}}}"#,
        new: r#"{"properties": {"limit": {"type": "integer", "oneOf": [{"minimum": 4}, {"maximum": 3}]}}}"#,
    },
};
