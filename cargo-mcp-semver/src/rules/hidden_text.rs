//! Text that a person does not see.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "hidden_text",
    dimension: Dimension::Description,
    grade: Grade::Major,
    security: true,
    confirmation: false,
    summary: "a text has invisible, bidirectional or escape characters that it did not have",
    why: "A model reads what a reviewer does not see: such characters can carry a whole message, or \
         make a text look like another.",
    reference: Some("https://www.unicode.org/reports/tr36/"),
    example: Pair::Tools {
        old: r#"[{"name": "search", "description": "Searches."}]"#,
        new: r#"[{"name": "search", "description": "Searches.\u200b"}]"#,
    },
    near_miss: Pair::Tools {
        old: r#"[{"name": "search", "description": "Searches."}]"#,
        new: r#"[{"name": "search", "description": "Searches. 👩‍💻"}]"#,
    },
};
