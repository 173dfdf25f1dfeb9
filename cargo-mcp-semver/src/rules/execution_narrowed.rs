//! A way of running the tool is gone.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "execution_narrowed",
    dimension: Dimension::Behavioural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "the tool can no longer be run in a way that it could",
    why: "A client that ran it as a task, or one that ran it without one, is refused.",
    reference: Some(
        "https://modelcontextprotocol.io/specification/2025-11-25/schema#toolexecution",
    ),
    example: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "forbidden"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}}]"#,
    },
};
