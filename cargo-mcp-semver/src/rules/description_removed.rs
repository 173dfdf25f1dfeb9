//! A description is gone.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "description_removed",
    dimension: Dimension::Description,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "a description was removed",
    why: "A model chooses the tool and fills in its arguments by this text; without it, it \
         guesses.",
    reference: None,
    example: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}, "description": "Searches."}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "inputSchema": {"type": "object"}, "description": "Searches."}]"#,
        new: r#"[{"name": "search", "inputSchema": {"type": "object"}, "description": "Finds."}]"#,
    },
};
