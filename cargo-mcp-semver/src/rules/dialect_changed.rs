//! The schema is written in another dialect of JSON Schema.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "dialect_changed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "the schema's dialect moved; a move towards 2020-12 is only a patch",
    why: "A client that knows only 2020-12, which MCP assumes, may refuse the schema or read it \
         differently.",
    reference: Some(
        "https://modelcontextprotocol.io/specification/2025-11-25/basic#json-schema-usage",
    ),
    example: Pair::Input {
        old: r#"{"type": "object"}"#,
        new: r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"type": "object"}"#,
        new: r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}"#,
    },
};
