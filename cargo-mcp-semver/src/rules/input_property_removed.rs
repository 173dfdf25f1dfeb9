//! A declared argument is gone.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_property_removed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "an argument was removed or renamed",
    why: "An agent that still sends the argument is refused, or, worse, is answered as if it had \
         not sent it.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
        new: r#"{"type": "object", "properties": {"text": {"type": "string"}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string", "title": "Query"}}}"#,
    },
};
