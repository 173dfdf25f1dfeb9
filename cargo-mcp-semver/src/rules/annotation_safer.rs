//! A hint says the tool does less harm.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "annotation_safer",
    dimension: Dimension::Behavioural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "a behaviour hint became safer",
    why: "A client may stop asking before it runs the tool.",
    reference: Some(
        "https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations",
    ),
    example: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": false}}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "idempotentHint": true}}]"#,
    },
};
