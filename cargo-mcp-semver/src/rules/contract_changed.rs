//! The contract moved, and no other rule says how.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "contract_changed",
    dimension: Dimension::Structural,
    grade: Grade::Patch,
    security: false,
    confirmation: false,
    summary: "the contract is not the one that was pinned, and nothing more is known",
    why: "Something is different that an agent may see, and no rule can say what it means to one.",
    reference: None,
    example: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "forbidden"}}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
    },
};
