//! A schema differs in a way that could not be judged.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "unproven",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    confirmation: false,
    summary: "a schema differs, and whether old calls still work could not be proven",
    why: "Nothing is known to break, and nothing is known to hold: a person has to look.",
    reference: None,
    example: Pair::Input {
        old: r#"{"properties": {"mode": {"$ref": "https://example.com/mode-1.json"}}}"#,
        new: r#"{"properties": {"mode": {"$ref": "https://example.com/mode-2.json"}}}"#,
    },
    near_miss: Pair::Input {
        old: r#"{"properties": {"mode": {"$ref": "https://example.com/mode.json"}}}"#,
        new: r#"{"properties": {"mode": {"$ref": "https://example.com/mode.json", "title": "Mode"}}}"#,
    },
};
