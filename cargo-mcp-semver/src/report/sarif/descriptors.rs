//! What the report tells of its rules.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{GATE, SDK, level, message};
use crate::grade::Grade;
use crate::report::level::Level;
use crate::rules;

/// The rules that spoke, in the order of their ids.
pub(super) fn descriptors(results: &[Value]) -> Vec<Value> {
    let spoke: BTreeSet<&str> =
        results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    let descriptor = |id| match id {
        GATE => Some(gate()),
        SDK => Some(sdk_upgraded()),
        id => rule(id),
    };
    spoke.into_iter().filter_map(descriptor).collect()
}

fn sdk_upgraded() -> Value {
    json!({
        "id": SDK,
        "shortDescription": { "text": "a crate that writes the schemas was upgraded" },
        "fullDescription": { "text":
            "An upgrade rewrites many schemas at once though no argument was touched; an agent gets \
             the new ones all the same." },
        "defaultConfiguration": { "level": "warning" },
    })
}

fn gate() -> Value {
    json!({
        "id": GATE,
        "shortDescription": { "text": "the declared version does not cover what changed" },
        "fullDescription": { "text":
            "Whoever depends on the server takes the new version for compatible, and agents fail." },
        "defaultConfiguration": { "level": "error" },
    })
}

fn rule(id: &str) -> Option<Value> {
    let rule = rules::by_id(id)?;
    let mut tags = vec!["mcp", rule.dimension.as_str()];
    let mut descriptor = json!({
        "id": rule.id,
        "shortDescription": { "text": message(rule.summary) },
        "fullDescription": { "text": message(rule.why) },
        "help": { "text": message(rule.why) },
        "defaultConfiguration": { "level": level(Level::Graded(rule.grade).severity()) },
    });
    if let Some(reference) = rule.reference {
        descriptor["helpUri"] = reference.into();
    }
    let mut properties = json!({ "grade": rule.grade });
    if rule.security {
        tags.push("security");
        properties["security-severity"] = security_severity(rule.grade).into();
    }
    properties["tags"] = tags.into();
    descriptor["properties"] = properties;
    Some(descriptor)
}

/// What GitHub makes "high" and "medium" of.
fn security_severity(grade: Grade) -> &'static str {
    if grade == Grade::Major { "8.0" } else { "5.0" }
}
