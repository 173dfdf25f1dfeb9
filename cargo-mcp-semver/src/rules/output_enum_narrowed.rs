//! Listed values or variants of a result are gone.

use super::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "output_enum_narrowed",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    confirmation: false,
    summary: "a result lost listed values or union variants",
    why: "Readers that handle the value keep working and never meet it.",
    reference: None,
    example: Pair::Output {
        old: r#"{"type": "object", "properties": {"state": {"enum": ["open", "closed"]}}}"#,
        new: r#"{"type": "object", "properties": {"state": {"enum": ["open"]}}}"#,
    },
    near_miss: Pair::Output {
        old: r#"{"type": "object", "properties": {"state": {"enum": ["open", "closed"]}}}"#,
        new: r#"{"type": "object", "properties": {"state": {"enum": ["closed", "open"]}}}"#,
    },
};
