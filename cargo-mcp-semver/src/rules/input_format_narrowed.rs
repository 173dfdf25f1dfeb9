//! A text argument has to have a format, or another one.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_format_narrowed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "a text argument has to have a format, or another one",
    why: "Servers read such text into a type of its own (a UUID, a time, a URL) and refuse what \
         does not fit, though it is still a string.",
    reference: Some(
        "https://json-schema.org/draft/2020-12/json-schema-validation#name-defined-formats",
    ),
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"id": {"type": "string"}}}"#,
        new: r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"id": {"type": "integer", "format": "int64"}}}"#,
        new: r#"{"type": "object", "properties": {"id": {"type": "integer", "format": "int32"}}}"#,
    },
};
