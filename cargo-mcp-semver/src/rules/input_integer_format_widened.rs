//! An integer argument may be of a larger type.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "input_integer_format_widened",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "an integer argument may be larger",
    why: "An agent may send numbers that overflowed before; the others still work.",
    reference: None,
    example: Pair::Input {
        old: r#"{"type": "object", "properties": {"id": {"type": "integer", "format": "int32"}}}"#,
        new: r#"{"type": "object", "properties": {"id": {"type": "integer", "format": "int64"}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object", "properties": {"id": {"type": "integer", "format": "int32"}}}"#,
        new: r#"{"type": "object", "properties": {"id": {"type": "integer", "format": "uint64"}}}"#,
    },
};
