//! A text argument need not have a format any more, or may have a wider one.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_format_widened",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "a text argument need not have a format any more, or may have a wider one",
    why: "An agent may send text of more forms; what had the format still works.",
    reference: Some(
        "https://json-schema.org/draft/2020-12/json-schema-validation#name-defined-formats",
    ),
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}}}"#,
        new: r#"{"type": "object", "properties": {"id": {"type": "string"}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}}}"#,
        new: r#"{"type": "object", "properties": {"id": {"type": "string", "format": "date"}}}"#,
    },
};
