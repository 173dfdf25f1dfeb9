//! A hint says the tool may do more harm.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "annotation_less_safe",
    dimension: Dimension::Behavioural,
    grade: Grade::Major,
    security: true,
    confirmation: false,
    summary: "a behaviour hint became less safe",
    why: "A client that lets the tool run without asking, because its hints said so, now runs \
         something that writes, destroys or reaches out.",
    reference: Some(
        "https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations",
    ),
    example: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false}}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}]"#,
    },
};
