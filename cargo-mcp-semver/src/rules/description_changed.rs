//! A description reads differently.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "description_changed",
    dimension: Dimension::Description,
    grade: Grade::Patch,
    security: false,
    confirmation: false,
    summary: "a description was reworded or added",
    why: "A model chooses the tool and fills in its arguments by this text, and may do so \
         differently.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string", "description": "What to look for."}}}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string", "description": "Words to look for."}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"query": {"type": "string", "description": "What to look for."}}}"#,
        new: r#"{"type": "object", "properties": {"query": {"type": "string"}}}"#,
    },
};
