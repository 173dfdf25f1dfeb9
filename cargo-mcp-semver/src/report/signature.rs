//! A tool's arguments as a person reads them.

use std::collections::BTreeSet;
use std::fmt;

use mcp_semver_build::Contract;
use serde_json::{Map, Value};

use crate::report::visible::visible;

/// How deep a type is spelled out before it becomes `any`; also what ends a schema that refers to
/// itself.
const MAX_DEPTH: usize = 6;

/// How many alternatives of a type or enum are spelled out.
const MAX_ALTERNATIVES: usize = 4;

/// One declared argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its type in short: `string`, `integer[]`, `"fast" | "deep"`.
    pub kind: String,
    /// Whether a call must give it.
    pub required: bool,
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.required { "" } else { "?" };
        write!(f, "{}{mark}: {}", visible(&self.name), visible(&self.kind))
    }
}

/// The arguments that a contract declares at its top level, in the schema's order.
pub fn arguments(contract: &Contract) -> Vec<Argument> {
    let Some(root) = &contract.input_schema else { return Vec::new() };
    let Some(schema) = resolve(root, root).as_object() else { return Vec::new() };
    let required: BTreeSet<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    properties
        .iter()
        .map(|(name, property)| Argument {
            name: name.clone(),
            kind: kind(root, property, 0),
            required: required.contains(name.as_str()),
        })
        .collect()
}

/// `name(argument: type, optional?: type)`, safe to print.
pub fn signature(contract: &Contract) -> String {
    let arguments: Vec<String> = arguments(contract).iter().map(Argument::to_string).collect();
    format!("{}({})", visible(&contract.name), arguments.join(", "))
}

/// A type in short. It is a reading aid: what it leaves out is compared all the same.
fn kind(root: &Value, schema: &Value, depth: usize) -> String {
    if depth > MAX_DEPTH {
        return "any".into();
    }
    let Some(map) = resolve(root, schema).as_object() else { return "any".into() };
    if let Some(value) = map.get("const") {
        return value.to_string();
    }
    if let Some(values) = map.get("enum").and_then(Value::as_array) {
        return alternatives(values.iter().map(Value::to_string).collect());
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        if let Some(variants) = map.get(keyword).and_then(Value::as_array)
            && !variants.is_empty()
        {
            return alternatives(
                variants.iter().map(|variant| kind(root, variant, depth + 1)).collect(),
            );
        }
    }
    match map.get("type") {
        Some(Value::String(name)) => typed(root, map, name, depth),
        Some(Value::Array(names)) => alternatives(
            names
                .iter()
                .filter_map(Value::as_str)
                .map(|name| typed(root, map, name, depth))
                .collect(),
        ),
        _ if map.contains_key("properties") => "object".into(),
        _ => "any".into(),
    }
}

fn typed(root: &Value, map: &Map<String, Value>, name: &str, depth: usize) -> String {
    match (name, map.get("items")) {
        ("array", Some(items)) => {
            let items = kind(root, items, depth + 1);
            if items.contains(' ') { format!("({items})[]") } else { format!("{items}[]") }
        }
        _ => name.to_owned(),
    }
}

fn alternatives(mut all: Vec<String>) -> String {
    let mut seen = std::collections::HashSet::new();
    all.retain(|text| seen.insert(text.clone()));
    let more = all.len().saturating_sub(MAX_ALTERNATIVES);
    all.truncate(MAX_ALTERNATIVES);
    let mut text = all.join(" | ");
    if more > 0 {
        text.push_str(&format!(" | {more} more"));
    }
    text
}

/// Follows references inside the same document, for a bounded number of steps.
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut at = schema;
    for _ in 0..=MAX_DEPTH {
        let target = at
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| reference.strip_prefix('#'))
            .and_then(|pointer| root.pointer(pointer));
        match target {
            Some(target) => at = target,
            None => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn signature_of(schema: Value) -> String {
        let tool = json!({"name": "t", "inputSchema": schema});
        signature(&Contract::from_wire(tool).unwrap())
    }

    #[test]
    fn types_are_short_and_optional_arguments_marked() {
        let schema = json!({
            "type": "object",
            "required": ["query"],
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": ["integer", "null"]},
                "mode": {"$ref": "#/$defs/Mode"},
                "stops": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
                "filter": {"allOf": [{"$ref": "#/$defs/Filter"}]},
                "free": true,
            },
            "$defs": {
                "Mode": {"type": "string", "enum": ["fast", "deep"]},
                "Filter": {"properties": {"a": {}}},
            },
        });
        insta::assert_snapshot!(signature_of(schema), @r#"t(filter?: object, free?: any, limit?: integer | null, mode?: "fast" | "deep", query: string, stops?: (string | integer)[])"#);
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({
            "properties": {"node": {"$ref": "#/$defs/Node"}, "loop": {"$ref": "#/$defs/Loop"}},
            "$defs": {
                "Node": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                "Loop": {"$ref": "#/$defs/Loop"},
            },
        });
        insta::assert_snapshot!(signature_of(schema), @"t(loop?: any, node?: any[][][][][][][])");
    }

    #[test]
    fn many_alternatives_are_counted() {
        let schema = json!({"properties": {"n": {"enum": [1, 2, 3, 4, 5, 6]}}});
        assert_eq!(signature_of(schema), "t(n?: 1 | 2 | 3 | 4 | 2 more)");
    }

    #[test]
    fn names_cannot_drive_the_terminal() {
        let schema = json!({"properties": {"a\u{1b}[2J": {"enum": ["\u{202e}"]}}});
        assert_eq!(signature_of(schema), r#"t(a\u{1b}[2J?: "\u{202e}")"#);
    }
}
