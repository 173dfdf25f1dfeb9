//! Results are no longer described.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "output_schema_removed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "the tool lost its output schema",
    why: "Structured results are no longer promised: an agent, or code behind it, that reads \
         fields has nothing to rely on.",
    reference: Some(
        "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema",
    ),
    example: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "title": "Found"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}]"#,
    },
};
