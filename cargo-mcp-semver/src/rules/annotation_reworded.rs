//! Hints are written differently and mean the same.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "annotation_reworded",
    dimension: Dimension::Behavioural,
    grade: Grade::Patch,
    security: false,
    confirmation: false,
    summary: "hints are written differently and mean the same",
    why: "Nothing: what is written equals what is assumed where nothing is written.",
    reference: Some(
        "https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations",
    ),
    example: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false}}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "annotations": {"idempotentHint": true}}]"#,
    },
};
