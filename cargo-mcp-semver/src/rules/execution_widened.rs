//! There is one more way of running the tool.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "execution_widened",
    dimension: Dimension::Behavioural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "the tool can be run in a way that it could not",
    why: "A client may run it as a task, or without one; what it did before still works.",
    reference: Some(
        "https://modelcontextprotocol.io/specification/2025-11-25/schema#toolexecution",
    ),
    example: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}]"#,
    },
};
