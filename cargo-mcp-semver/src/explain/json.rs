//! For a program: stable like the report.

use serde_json::{Value, json};

use super::{fired, instead};
use crate::rules::{Pair, Rule};

/// The version of this format.
const FORMAT: u32 = 1;

/// `{"version": 1, "rules": [..]}`, indented, with a line end. A field that has nothing to say is
/// absent.
pub fn render(rules: &[&Rule]) -> String {
    let rules: Vec<Value> = rules.iter().map(|rule| object(rule)).collect();
    format!("{:#}\n", json!({ "version": FORMAT, "rules": rules }))
}

fn object(rule: &Rule) -> Value {
    let mut example = pair(&rule.example);
    if let Some((_, finding)) = fired(rule) {
        example["message"] = finding.message.into();
        if let Some(witness) = finding.witness {
            example["witness"] = witness;
        }
    }
    let mut near_miss = pair(&rule.near_miss);
    near_miss["instead"] = instead(rule).into();
    let mut object = json!({
        "id": rule.id,
        "dimension": rule.dimension,
        "grade": rule.grade,
        "security": rule.security,
        "confirmation": rule.confirmation,
        "summary": rule.summary,
        "why": rule.why,
        "example": example,
        "near_miss": near_miss,
    });
    if let Some(reference) = rule.reference {
        object["reference"] = reference.into();
    }
    object
}

/// The two sides as `tools` arrays.
fn pair(pair: &Pair) -> Value {
    let [old, new] = pair.tools().unwrap_or_default();
    json!({ "old": old, "new": new })
}
