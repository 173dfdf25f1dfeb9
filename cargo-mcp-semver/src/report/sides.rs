//! What stood there before and what stands there now, as much of it as a reader needs.

use mcp_semver_build::Contract;
use serde_json::{Value, json};

use crate::finding::Finding;
use crate::grade::Dimension;
use crate::verdict::ToolReport;

/// Where properties stand in a schema.
const PROPERTIES: &str = "/properties/";

/// Old and new.
pub(super) type Sides = (Option<Value>, Option<Value>);

/// Old and new of a finding. A bound, a type or a default alone says little, so the schema around
/// it is shown where it differs, without its texts, which have findings of their own; texts and
/// whatever lies elsewhere are shown as the finding has them.
pub(super) fn of(tool: &ToolReport, finding: &Finding) -> Sides {
    let own = (finding.old.clone(), finding.new.clone());
    let pointer = finding.pointer.as_str();
    if let Some(hint) = pointer.strip_prefix("/annotations/") {
        return (own.0.map(|old| named(hint, old)), own.1.map(|new| named(hint, new)));
    }
    let is_schema = pointer.starts_with("/inputSchema") || pointer.starts_with("/outputSchema");
    if !is_schema || finding.rule.dimension == Dimension::Description {
        return own;
    }
    let json = |contract: &Option<Contract>| contract.as_ref().map(Contract::to_json);
    let (Some(old), Some(new)) = (json(&tool.old), json(&tool.new)) else { return own };
    let at = |contract: &Value| contract.pointer(pointer).map(without_texts);
    match (at(&old), at(&new)) {
        (Some(before), Some(after)) if before == after => {
            required(&old, &new, pointer).unwrap_or(own)
        }
        (None, None) => own,
        (before, after) => {
            let renamed = finding.new.as_ref().and_then(Value::as_str);
            let sibling = renamed.and_then(|name| sibling(&new, pointer, name));
            let property = |schema| property(pointer, schema);
            (before.map(property), after.map(property).or(sibling))
        }
    }
}

/// A schema without its descriptions and titles, down to the schemas in it.
fn without_texts(schema: &Value) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let is_text = |keyword: &str, value: &Value| {
        matches!(keyword, "description" | "title") && value.is_string()
    };
    map.iter()
        .filter(|(keyword, value)| !is_text(keyword, value))
        .map(|(keyword, value)| {
            let value = match (keyword.as_str(), value) {
                ("properties" | "$defs" | "definitions", Value::Object(named)) => named
                    .iter()
                    .map(|(name, schema)| (name.clone(), without_texts(schema)))
                    .collect(),
                ("anyOf" | "oneOf" | "allOf", Value::Array(all)) => {
                    all.iter().map(without_texts).collect()
                }
                ("items" | "additionalProperties", schema) => without_texts(schema),
                (_, value) => value.clone(),
            };
            (keyword.clone(), value)
        })
        .collect()
}

/// A property's schema under its name; any other schema as it is.
fn property(pointer: &str, schema: Value) -> Value {
    match pointer.rsplit_once(PROPERTIES) {
        Some((_, name)) if !name.contains('/') => named(name, schema),
        _ => schema,
    }
}

/// The property `name` beside the one that `pointer` leads to, with its name.
fn sibling(contract: &Value, pointer: &str, name: &str) -> Option<Value> {
    let (parent, _) = pointer.rsplit_once(PROPERTIES)?;
    let schema = contract.pointer(parent)?.get("properties")?.get(name)?;
    Some(json!({ name: without_texts(schema) }))
}

/// The lists of required properties around a property, where they differ.
fn required(old: &Value, new: &Value, pointer: &str) -> Option<Sides> {
    let (parent, _) = pointer.rsplit_once(PROPERTIES)?;
    let list = |contract: &Value| {
        let list = contract.pointer(parent)?.get("required").cloned();
        Some(json!({ "required": list.unwrap_or(json!([])) }))
    };
    let sides = (list(old)?, list(new)?);
    (sides.0 != sides.1).then_some((Some(sides.0), Some(sides.1)))
}

/// `value` under the name that a token of a JSON pointer stands for.
fn named(token: &str, value: Value) -> Value {
    let name = token.replace("~1", "/").replace("~0", "~");
    json!({ name: value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_left_out_and_properties_of_their_names_are_not() {
        let schema = json!({
            "title": "Search", "description": "Searches.", "type": "object",
            "properties": {"description": {"type": "string", "description": "What to say."}},
            "items": {"anyOf": [{"title": "A", "const": 1}]},
            "enum": [{"description": "a value"}],
        });
        let expected = json!({
            "type": "object",
            "properties": {"description": {"type": "string"}},
            "items": {"anyOf": [{"const": 1}]},
            "enum": [{"description": "a value"}],
        });
        assert_eq!(without_texts(&schema), expected);
    }
}
