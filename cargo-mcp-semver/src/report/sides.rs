//! What stood there before and what stands there now, as much of it as a reader needs.

use mcp_semver_build::Contract;
use mcp_semver_build::pointer::unescaped;
use serde_json::{Value, json};

use crate::finding::Finding;
use crate::grade::Dimension;
use crate::rules;
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
    let (Some(old), Some(new)) = (&tool.old, &tool.new) else { return own };
    if is_about_required(finding)
        && let Some(sides) = required(old, new, pointer)
    {
        return sides;
    }
    match (at(old, pointer), at(new, pointer)) {
        (None, None) => own,
        (before, after) => {
            let [before, after] = [before, after].map(|schema| schema.map(without_texts));
            if before == after {
                return own;
            }
            let renamed = finding.new.as_ref().and_then(Value::as_str);
            let sibling = renamed.and_then(|name| sibling(new, pointer, name));
            let property = |schema| property(pointer, schema);
            (before.map(property), after.map(property).or(sibling))
        }
    }
}

/// What a pointer leads to that lies in one of a contract's schemas. A contract may be large and
/// have many findings, so nothing is copied to look it up.
fn at<'c>(contract: &'c Contract, pointer: &str) -> Option<&'c Value> {
    let Contract { input_schema, output_schema, .. } = contract;
    [("/inputSchema", input_schema), ("/outputSchema", output_schema)]
        .into_iter()
        .find_map(|(field, schema)| schema.as_ref()?.pointer(pointer.strip_prefix(field)?))
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
fn sibling(contract: &Contract, pointer: &str, name: &str) -> Option<Value> {
    let (parent, _) = pointer.rsplit_once(PROPERTIES)?;
    let schema = at(contract, parent)?.get("properties")?.get(name)?;
    Some(json!({ name: without_texts(schema) }))
}

/// Whether a finding says of a property that it has to be there, which stands beside its schema.
fn is_about_required(finding: &Finding) -> bool {
    [
        &rules::input_required_added::RULE,
        &rules::input_required_removed::RULE,
        &rules::output_required_added::RULE,
        &rules::output_required_removed::RULE,
    ]
    .iter()
    .any(|rule| rule.id == finding.rule.id)
}

/// The lists of required properties around a property, where they differ; of long lists whether
/// they have the property.
fn required(old: &Contract, new: &Contract, pointer: &str) -> Option<Sides> {
    const LONG: usize = 50;
    let (parent, property) = pointer.rsplit_once(PROPERTIES)?;
    let list = |contract| {
        let list = at(contract, parent)?.get("required").and_then(Value::as_array);
        Some(list.map_or(&[][..], Vec::as_slice))
    };
    let (before, after) = (list(old)?, list(new)?);
    let is_long = before.len().max(after.len()) > LONG;
    let property = unescaped(property);
    let shown = |list: &[Value]| {
        let shown = list.iter().filter(|name| !is_long || **name == *property);
        json!({ "required": shown.collect::<Vec<_>>() })
    };
    let (before, after) = (shown(before), shown(after));
    (before != after).then_some((Some(before), Some(after)))
}

/// `value` under the name that a token of a JSON pointer stands for.
fn named(token: &str, value: Value) -> Value {
    json!({ unescaped(token): value })
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

    #[test]
    fn of_long_lists_of_required_properties_one_is_shown() {
        let contract = |required: &[&str]| {
            let schema = json!({ "properties": {"a": {}, "b": {}}, "required": required });
            Contract::from_wire(json!({ "name": "t", "inputSchema": schema })).unwrap()
        };
        let pointer = "/inputSchema/properties/a";
        let sides = required(&contract(&["b"]), &contract(&["a", "b"]), pointer).unwrap();
        assert_eq!(sides.1, Some(json!({"required": ["a", "b"]})));
        let mut long = vec!["b"; 60];
        assert_eq!(required(&contract(&["b"]), &contract(&long), pointer), None);
        long.push("a");
        let sides = required(&contract(&["b"]), &contract(&long), pointer).unwrap();
        assert_eq!(sides, (Some(json!({"required": []})), Some(json!({"required": ["a"]}))));
    }
}
