//! A tool is new.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "tool_added",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "a tool was added",
    why: "An agent has one more tool to choose from; every call it made before still works.",
    reference: Some("https://modelcontextprotocol.io/specification/2025-11-25/server/tools"),
    example: Pair::Tools {
        old: r#"[]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
    },
};
