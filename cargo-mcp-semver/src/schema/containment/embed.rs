//! Puts a value at a place inside a whole one.

use serde_json::{Map, Value, json};

use super::budget::Budget;
use super::doubt::{PARTS_A_STEP, parts};
use super::sample;
use crate::schema::path::{self, Step};

/// So many values around a place are tried.
const MAX_AROUND: usize = 12;
/// So many values of a place are put into each: those around it, and the empty one.
const MAX_INSIDE: usize = MAX_AROUND + 1;
const MAX_DEPTH: usize = 24;

/// Values that `schema` may accept with `value` at the dotted `path`; simplest first, none of
/// them confirmed.
pub(crate) fn embedded(schema: &Value, path: &str, value: &Value, budget: &Budget) -> Vec<Value> {
    let Some(steps) = path::steps(path) else { return Vec::new() };
    let price = parts(schema).0 / PARTS_A_STEP;
    around((schema, price), schema, &steps, value, budget, 0)
}

/// What `schema` accepts with something at the dotted `path` that `limit` accepts. A property that
/// stands for every undeclared one may be any.
pub(crate) fn limited(schema: &Value, path: &str, limit: Value) -> Option<Value> {
    let mut schema = schema.clone();
    let definitions = schema.as_object_mut()?.remove("$defs");
    let both = Value::Array(vec![holding(path, limit)?, schema]);
    let mut limited = Map::from_iter([("allOf".to_owned(), both)]);
    limited.extend(definitions.map(|it| ("$defs".to_owned(), it)));
    Some(Value::Object(limited))
}

/// Whatever has something at the dotted `path` that `limit` accepts.
pub(crate) fn holding(path: &str, mut limit: Value) -> Option<Value> {
    for step in path::steps(path)?.into_iter().rev() {
        limit = match step {
            Step::Name(name) => {
                json!({ "type": "object", "required": [name], "properties": { name: limit } })
            }
            Step::Undeclared => {
                json!({ "type": "object", "not": { "additionalProperties": { "not": limit } } })
            }
            Step::Items => json!({ "type": "array", "contains": limit }),
            Step::Item(index) => {
                let mut items = vec![json!(true); index];
                items.push(limit);
                json!({ "type": "array", "minItems": index + 1, "prefixItems": items })
            }
        };
    }
    Some(limit)
}

fn around(
    (root, price): (&Value, usize),
    schema: &Value,
    steps: &[Step],
    value: &Value,
    budget: &Budget,
    depth: usize,
) -> Vec<Value> {
    let Some((step, rest)) = steps.split_first() else { return vec![value.clone()] };
    if !budget.spend(price) {
        return Vec::new();
    }
    let is_list = matches!(step, Step::Items | Step::Item(_));
    let fits = |it: &Value| if is_list { it.is_array() } else { it.is_object() };
    let empty = if is_list { json!([]) } else { json!({}) };
    let sampled = sample::few_values(&with_definitions(root, schema), budget);
    let holders: Vec<Value> =
        sampled.into_iter().filter(fits).take(MAX_AROUND).chain([empty]).collect();
    let below = below(root, schema, step, depth).into_iter().take(MAX_AROUND);
    let inside = below.flat_map(|below| {
        let inside = around((root, price), &below, rest, value, budget, depth + 1);
        inside.into_iter().take(MAX_INSIDE)
    });
    let around = |inside: Value| {
        let put = |holder: &Value| put(holder.clone(), step, &inside);
        holders.iter().filter_map(put).collect::<Vec<_>>()
    };
    inside.flat_map(around).collect()
}

fn put(mut holder: Value, step: &Step, inside: &Value) -> Option<Value> {
    match (&mut holder, step) {
        (Value::Object(map), Step::Name(name)) => {
            map.insert(name.clone(), inside.clone());
        }
        (Value::Object(map), Step::Undeclared) => {
            map.insert("x".to_owned(), inside.clone());
        }
        (Value::Array(list), Step::Items | Step::Item(_)) if list.len() == index(step) => {
            list.push(inside.clone());
        }
        (Value::Array(list), Step::Items | Step::Item(_)) => {
            *list.get_mut(index(step))? = inside.clone();
        }
        _ => return None,
    }
    Some(holder)
}

/// The item that stands for all, where a step means all.
fn index(step: &Step) -> usize {
    if let Step::Item(index) = step { *index } else { 0 }
}

/// The schemas that may apply one step down; anything where none is written.
fn below(root: &Value, schema: &Value, step: &Step, depth: usize) -> Vec<Value> {
    let mut found = Vec::new();
    collect(root, schema, step, &mut found, depth);
    if found.is_empty() {
        found.push(Value::Bool(true));
    }
    found
}

fn collect(root: &Value, schema: &Value, step: &Step, found: &mut Vec<Value>, depth: usize) {
    let Some(map) = schema.as_object().filter(|_| depth < MAX_DEPTH) else { return };
    let direct = match step {
        Step::Name(name) => map.get("properties").and_then(|it| it.get(name)),
        Step::Undeclared => map.get("additionalProperties"),
        Step::Items | Step::Item(_) => {
            map.get("prefixItems").and_then(|it| it.get(index(step))).or(map.get("items"))
        }
    };
    found.extend(direct.cloned());
    let reference = map.get("$ref").and_then(Value::as_str);
    if let Some(target) = reference.and_then(|it| root.pointer(it.strip_prefix('#')?)) {
        collect(root, target, step, found, depth + 1);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for branch in map.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            collect(root, branch, step, found, depth + 1);
        }
    }
}

/// A part of `root` with the definitions that it may refer to.
fn with_definitions(root: &Value, part: &Value) -> Value {
    let mut part = part.clone();
    if let (Value::Object(map), Some(definitions)) = (&mut part, root.get("$defs")) {
        map.insert("$defs".to_owned(), definitions.clone());
    }
    part
}
