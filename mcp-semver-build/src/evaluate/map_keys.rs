//! The schema of a map, which depends on that of its keys.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::error::Result;
use super::generator::Generator;
use super::marks::Object;

/// The schema of a map whose keys have this schema and whose values that.
pub(super) fn schema(
    generator: &Generator<'_, '_, '_>,
    key: &Value,
    value: Value,
) -> Result<Value> {
    if !generator.world.since(1, 2, 0) {
        return Ok(before_1_2(key, value));
    }
    let Some(options) = options(key) else {
        return Ok(json!({ "type": "object", "additionalProperties": value }));
    };
    let prefix = format!("#/{}/", generator.definitions_key());
    let mut keys = Keys::default();
    for option in options {
        let target = option
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| reference.strip_prefix(&prefix))
            .and_then(|name| generator.definitions.get(name))
            .and_then(Value::as_object);
        keys.add(target.unwrap_or(option));
    }
    if keys.signed {
        keys.patterns.insert(r"^-?\d+$".into());
    } else if keys.unsigned {
        keys.patterns.insert(r"^\d+$".into());
    }
    let each = |names: BTreeSet<String>| -> Map<String, Value> {
        names.into_iter().map(|name| (name, value.clone())).collect()
    };
    let mut map = Map::new();
    map.insert("type".into(), "object".into());
    let rest = if keys.any { value.clone() } else { Value::Bool(false) };
    map.insert("additionalProperties".into(), rest);
    if !keys.patterns.is_empty() {
        map.insert("patternProperties".into(), each(keys.patterns).into());
    }
    if !keys.names.is_empty() {
        map.insert("properties".into(), each(keys.names).into());
    }
    Ok(Value::Object(map))
}

fn before_1_2(key: &Value, value: Value) -> Value {
    let is = |ty: &str| key.get("type").is_some_and(|it| it == ty);
    let pattern = match key.get("pattern").and_then(Value::as_str) {
        Some(pattern) if is("string") => pattern,
        _ if is("integer") => {
            let minimum = key.get("minimum").and_then(Value::as_u64);
            if minimum == Some(0) { r"^\d+$" } else { r"^-?\d+$" }
        }
        _ => return json!({ "type": "object", "additionalProperties": value }),
    };
    json!({
        "type": "object",
        "patternProperties": { pattern: value },
        "additionalProperties": false,
    })
}

/// The schemas that a key may have.
fn options(key: &Value) -> Option<Vec<&Object>> {
    let any = key.get("anyOf").and_then(Value::as_array);
    any.and_then(|list| list.iter().map(Value::as_object).collect())
        .or_else(|| Some(vec![key.as_object()?]))
}

#[derive(Default)]
struct Keys {
    /// Whether there are keys of which nothing more is known.
    any: bool,
    unsigned: bool,
    signed: bool,
    patterns: BTreeSet<String>,
    names: BTreeSet<String>,
}

impl Keys {
    fn add(&mut self, key: &Object) {
        let text = |name: &str| key.get(name).and_then(Value::as_str);
        let names: Option<Vec<&str>> = key
            .get("enum")
            .and_then(Value::as_array)
            .and_then(|list| list.iter().map(Value::as_str).collect());
        match (text("pattern"), names, text("type")) {
            (Some(pattern), _, Some("string")) => _ = self.patterns.insert(pattern.to_owned()),
            (None, Some(names), Some("string")) => {
                self.names.extend(names.into_iter().map(str::to_owned));
            }
            (_, _, Some("integer")) => {
                let is_unsigned = key.get("minimum").and_then(Value::as_u64) == Some(0);
                *(if is_unsigned { &mut self.unsigned } else { &mut self.signed }) = true;
            }
            _ => self.any = true,
        }
    }
}
