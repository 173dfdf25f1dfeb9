//! How schemars 1 changes schemas that it has made: options, flattened fields, tags.

use serde_json::{Map, Value, json};

use super::generator::ensure_object;
use super::marks::{self, Object};

/// Whether a schema has keywords that hold schemas for the same value.
fn has_subschemas(object: &Object) -> bool {
    ["if", "allOf", "anyOf", "oneOf", "$ref"].iter().any(|key| object.contains_key(*key))
}

pub(super) fn has_type(schema: &Value, wanted: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(|ty| ty == wanted),
        Some(ty) => ty == wanted,
        None => false,
    }
}

/// The schema of an `Option` of what `schema` describes.
pub(super) fn allow_null(mut schema: Value) -> Value {
    let nothing = || json!({ "type": "null" });
    let object = match &mut schema {
        Value::Object(object) => object,
        Value::Bool(false) => return nothing(),
        _ => return schema,
    };
    if marks::keywords(object) == 1
        && let Some(Value::Array(any)) = object.get("anyOf")
        && any.iter().any(|schema| has_type(schema, "null"))
    {
        return schema;
    }
    if has_subschemas(object) {
        return json!({ "anyOf": [schema, nothing()] });
    }
    match object.get_mut("type") {
        Some(Value::Array(types)) if !types.contains(&"null".into()) => types.push("null".into()),
        Some(ty @ Value::String(_)) if *ty != "null" => *ty = json!([ty.take(), "null"]),
        _ => {}
    }
    if let Some(value) = object.remove("const") {
        if !value.is_null() {
            object.insert("enum".into(), json!([value, null]));
        }
    } else if let Some(Value::Array(values)) = object.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    schema
}

/// Calls `change` with every schema directly in one that is about the same value.
fn each_immediate(schema: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    let Value::Object(object) = schema else { return };
    for (key, value) in object {
        match (key.as_str(), value) {
            ("if" | "then" | "else", value) => change(value),
            ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => {
                list.iter_mut().for_each(&mut *change)
            }
            _ => {}
        }
    }
}

/// Takes out what closes an object to unknown properties, also in schemas about the same value;
/// says whether there was any.
pub(super) fn open(schema: &mut Value) -> bool {
    let mut opened = false;
    if let Value::Object(object) = schema {
        for key in ["additionalProperties", "unevaluatedProperties"] {
            if object.get(key) == Some(&Value::Bool(false)) {
                object.remove(key);
                opened = true;
            }
        }
    }
    each_immediate(schema, &mut |schema| opened |= open(schema));
    opened
}

/// As [`open`], for the schemas inside only.
pub(super) fn open_inside(schema: &mut Value) -> bool {
    let mut opened = false;
    each_immediate(schema, &mut |schema| opened |= open(schema));
    opened
}

/// Prepares the schema of a flattened field; `recent` since schemars 1.1.
pub(super) fn flattened(mut schema: Value, is_optional: bool, recent: bool) -> Value {
    if recent {
        named_units(&mut schema);
    }
    if is_optional {
        if let Value::Object(object) = &mut schema {
            object.remove("required");
        }
        if recent {
            optional_variants(&mut schema);
        }
    }
    open(&mut schema);
    schema
}

/// Unit variants are written as properties when an enum is flattened.
fn named_units(schema: &mut Value) {
    let Some(units) = take_units(schema) else { return };
    let list = ensure_object(schema).entry("oneOf").or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        list.extend(units.iter().filter_map(Value::as_str).map(|unit| {
            json!({
                "type": "object",
                "properties": { unit: { "type": "null" } },
                "required": [unit],
            })
        }));
    }
}

fn take_units(schema: &mut Value) -> Option<Vec<Value>> {
    let of_text = |object: &Object| object.get("type").is_some_and(|ty| ty == "string");
    let object = schema.as_object_mut()?;
    if of_text(object)
        && let Some(Value::Array(units)) = object.remove("enum")
    {
        object.remove("type");
        return Some(units);
    }
    let one_of = object.get_mut("oneOf")?.as_array_mut()?;
    let first = one_of.first_mut()?.as_object_mut()?;
    if of_text(first)
        && let Some(Value::Array(units)) = first.remove("enum")
    {
        one_of.remove(0);
        return Some(units);
    }
    None
}

fn optional_variants(schema: &mut Value) {
    if let Value::Object(object) = schema
        && let Some(one_of) = object.remove("oneOf")
    {
        flatten(schema, json!({ "anyOf": [{ "oneOf": one_of }, {}] }));
    }
    if let Some(Value::Array(any)) = schema.get_mut("anyOf") {
        let is_empty =
            |schema: &Value| schema.as_object().is_some_and(|object| marks::keywords(object) == 0);
        if !any.iter().any(is_empty) {
            any.push(json!({}));
        }
    }
}

/// Merges the schema of a flattened field into that of the struct.
pub(super) fn flatten(schema: &mut Value, other: Value) {
    match other {
        Value::Object(mut other) => {
            let object = ensure_object(schema);
            unevaluate(object, &other);
            unevaluate(&mut other, object);
            for (key, value) in other {
                merge(object, key, value);
            }
        }
        Value::Bool(true) => {
            let Value::Object(object) = schema else { return };
            if !object.contains_key("additionalProperties")
                && !object.contains_key("unevaluatedProperties")
            {
                let nested = has_subschemas(object);
                let key = if nested { "unevaluatedProperties" } else { "additionalProperties" };
                object.insert(key.into(), true.into());
            }
        }
        _ => {}
    }
}

fn unevaluate(object: &mut Object, other: &Object) {
    if object.contains_key("additionalProperties")
        && (other.contains_key("unevaluatedProperties") || has_subschemas(other))
    {
        let value = object.remove("additionalProperties");
        object.insert("unevaluatedProperties".into(), value.into());
    }
}

fn merge(object: &mut Object, key: String, value: Value) {
    let Some(current) = object.get_mut(&key) else {
        object.insert(key, value);
        return;
    };
    match (key.as_str(), current, value) {
        ("required" | "allOf", Value::Array(list), Value::Array(more)) => list.extend(more),
        ("properties" | "patternProperties", Value::Object(map), Value::Object(more)) => {
            map.extend(more);
        }
        ("oneOf" | "anyOf", _, value) => {
            let current = object.remove(&key).unwrap_or_default();
            let both = json!([{ &key: current }, { key: value }]);
            merge(object, "allOf".into(), both);
        }
        _ => {}
    }
}

/// Adds a property to the schema of an object.
pub(super) fn property(schema: &mut Value, name: &str, is_optional: bool, property: Value) {
    let object = ensure_object(schema);
    let properties = object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(properties) = properties {
        properties.insert(name.to_owned(), property);
    }
    if !is_optional {
        let required = object.entry("required").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(required) = required {
            required.push(name.into());
        }
    }
}

/// Adds the tag of a variant of an internally tagged enum.
pub(super) fn tag(schema: &mut Value, tag: &str, variant: &str, deny_unknown_fields: bool) {
    let object = ensure_object(schema);
    let is_unit = object.get("type").is_some_and(|ty| ty == "null");
    object.insert("type".into(), "object".into());
    let properties = object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(properties) = properties {
        properties.insert(tag.to_owned(), json!({ "type": "string", "const": variant }));
    }
    let required = object.entry("required").or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(required) = required {
        required.insert(0, tag.into());
    }
    if deny_unknown_fields && is_unit {
        object.entry("additionalProperties").or_insert(Value::Bool(false));
    }
}
