//! Results are described now.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "output_schema_added",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "the tool has an output schema that it did not have",
    why: "An agent learns the shape of the result.",
    reference: Some(
        "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema",
    ),
    example: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "title": "Found"}}]"#,
    },
};
