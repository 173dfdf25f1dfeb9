//! Containment that is plain from how the two schemas are put together.

use serde_json::{Map, Value};

/// Unions and conjunctions nested deeper than this are left to the other prover.
const MAX_DEPTH: usize = 4;
/// So many pairs of parts are handed to it.
const MAX_PAIRS: usize = 256;

/// Whether `outer` accepts everything that `inner` does, each part by the word of `proven`.
///
/// A conjunction lies within whatever one of its parts lies within, and a union holds whatever
/// one of its branches holds.
pub(super) fn contained(
    inner: &Value,
    outer: &Value,
    proven: &mut dyn FnMut(&Value, &Value) -> bool,
) -> bool {
    let mut pairs = 0;
    let mut counted = |inner: &Value, outer: &Value| {
        pairs += 1;
        pairs <= MAX_PAIRS && proven(inner, outer)
    };
    within(inner, outer, &mut counted, 0)
}

fn within(
    inner: &Value,
    outer: &Value,
    proven: &mut dyn FnMut(&Value, &Value) -> bool,
    depth: usize,
) -> bool {
    if inner == outer || proven(inner, outer) {
        return true;
    }
    if depth == MAX_DEPTH {
        return false;
    }
    if let Some(branches) = branches(inner, &["anyOf", "oneOf"]) {
        return branches.iter().all(|branch| within(branch, outer, proven, depth + 1));
    }
    if let Some(parts) = conjuncts(outer) {
        return parts.iter().all(|part| within(inner, part, proven, depth + 1));
    }
    let in_a_branch = branches(outer, &["anyOf"])
        .is_some_and(|list| list.iter().any(|it| within(inner, it, proven, depth + 1)));
    in_a_branch
        || conjuncts(inner)
            .is_some_and(|list| list.iter().any(|part| within(part, outer, proven, depth + 1)))
}

/// The branches of a schema that is nothing but a union.
fn branches<'a>(schema: &'a Value, keywords: &[&str]) -> Option<&'a Vec<Value>> {
    let map = schema.as_object()?;
    let (keyword, value) = map.iter().find(|(keyword, _)| *keyword != "$defs")?;
    let alone = map.keys().filter(|keyword| *keyword != "$defs").count() == 1;
    if alone && keywords.contains(&keyword.as_str()) { value.as_array() } else { None }
}

/// The parts of a schema with an `allOf`: what stands in it and what stands beside it.
fn conjuncts(schema: &Value) -> Option<Vec<Value>> {
    let map = schema.as_object()?;
    // These look at what `allOf` beside them evaluates.
    if map.contains_key("unevaluatedProperties") || map.contains_key("unevaluatedItems") {
        return None;
    }
    let mut parts = map.get("allOf")?.as_array()?.clone();
    let beside: Map<String, Value> =
        map.iter().filter(|(keyword, _)| *keyword != "allOf").map(owned).collect();
    if !beside.is_empty() {
        parts.push(Value::Object(beside));
    }
    Some(parts)
}

fn owned((keyword, value): (&String, &Value)) -> (String, Value) {
    (keyword.clone(), value.clone())
}
