//! An optional argument is new.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_property_added",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "an optional argument was added",
    why: "An agent can say more than before; calls without the argument mean what they meant.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["limit"]}"#,
    },
};
