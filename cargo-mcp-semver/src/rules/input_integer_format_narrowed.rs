//! An integer argument has to fit a smaller type.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_integer_format_narrowed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "an integer argument has to fit a smaller or other integer type",
    why: "A number that fitted before overflows the server's type, and the call is refused \
         although JSON knows no such limit.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"id": {"type": "integer", "format": "uint64"}}}"#,
        new: r#"{"type": "object", "properties": {"id": {"type": "integer", "format": "uint32"}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"id": {"type": "integer", "format": "uint32"}}}"#,
        new: r#"{"type": "object", "properties": {"id": {"type": "integer", "format": "uint64"}}}"#,
    },
};
