//! A title reads differently.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "title_changed",
    dimension: Dimension::Description,
    grade: Grade::Patch,
    security: false,
    confirmation: false,
    summary: "a title was reworded, added or removed",
    why: "People see another name in their client; calls are not affected.",
    reference: None,
    example: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}, "title": "Search"}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "title": "Search repositories"}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}, "title": "Search"}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "title": "Search", "description": "Searches."}]"#,
    },
};
