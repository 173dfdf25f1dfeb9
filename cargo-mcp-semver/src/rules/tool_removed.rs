//! A tool is gone.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "tool_removed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "a tool was removed or renamed",
    why: "An agent that calls the tool by the name it knows is told that there is no such tool.",
    reference: Some("https://modelcontextprotocol.io/specification/2025-11-25/server/tools"),
    example: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "find", "inputSchema": {"type": "object"}}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "description": "Searches."}]"#,
    },
};
