//! Small values that a schema may accept.
//!
//! Nothing here is trusted: whoever asks confirms each value with a validator. Values come
//! simplest first.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::budget::Budget;
use super::doubt::{PARTS_A_STEP, parts};

/// How deep values are built.
const MAX_DEPTH: usize = 12;
/// How many values a place is given to choose from.
const WIDTH: usize = 24;
/// How many values one schema is sampled for.
const MAX_VALUES: usize = 400;
/// The longest text or list worth building.
const MAX_LENGTH: u64 = 1_100;

/// What building the values of one schema may cost.
const MAX_STEPS: usize = 20_000;
const FEW_STEPS: usize = 1_000;

/// Values worth trying against `schema`.
pub(crate) fn values(schema: &Value, budget: &Budget) -> Vec<Value> {
    sampled(schema, budget, MAX_STEPS)
}

/// A few values worth trying against `schema`.
pub(crate) fn few_values(schema: &Value, budget: &Budget) -> Vec<Value> {
    sampled(schema, budget, FEW_STEPS)
}

fn sampled(schema: &Value, budget: &Budget, most: usize) -> Vec<Value> {
    let mut all = budget.within(most, |budget| Sampler { root: schema, budget }.schema(schema, 0));
    all.truncate(MAX_VALUES);
    all
}

/// Every constant that `schema` names, wherever it does.
pub(crate) fn constants(schema: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    collect(schema, &mut found);
    found
}

fn collect<'s>(schema: &'s Value, found: &mut Vec<&'s Value>) {
    match schema {
        Value::Object(map) => {
            for (keyword, value) in map {
                match (keyword.as_str(), value) {
                    ("const", value) => found.push(value),
                    ("enum", Value::Array(values)) => found.extend(values),
                    _ => collect(value, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|it| collect(it, found)),
        _ => {}
    }
}

struct Sampler<'a> {
    root: &'a Value,
    budget: &'a Budget,
}

impl Sampler<'_> {
    fn schema(&mut self, schema: &Value, depth: usize) -> Vec<Value> {
        let size = schema.as_object().map_or(0, Map::len);
        if depth > MAX_DEPTH || !self.budget.spend(4 + size) {
            return Vec::new();
        }
        let map = match schema {
            Value::Bool(true) => return samples_of_anything(),
            Value::Object(map) => map,
            _ => return Vec::new(),
        };
        if let Some(value) = map.get("const") {
            return vec![value.clone()];
        }
        if let Some(Value::Array(values)) = map.get("enum") {
            return values.clone();
        }
        let alternatives = self.alternatives(map);
        if alternatives.len() == 1 {
            return self.typed(&alternatives[0], depth);
        }
        let mut all = Vec::new();
        let mut lists: Vec<_> = alternatives
            .iter()
            .map(|one| self.schema(&Value::Object(one.clone()), depth + 1).into_iter())
            .collect();
        // In turns, so that no alternative is crowded out.
        for _ in 0..MAX_VALUES {
            let next: Vec<Value> = lists.iter_mut().filter_map(Iterator::next).collect();
            if next.is_empty() || all.len() > MAX_VALUES {
                break;
            }
            all.extend(next);
        }
        all
    }

    /// The schema without in-place applicators, once for each way through them.
    fn alternatives(&self, map: &Map<String, Value>) -> Vec<Map<String, Value>> {
        if !self.pays_for(map) {
            return Vec::new();
        }
        // Definitions are found in the root.
        let says = map.iter().filter(|(keyword, _)| *keyword != "$defs");
        let mut base: Map<String, Value> =
            says.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
        let mut ways = vec![Map::new()];
        if let Some(reference) = base.remove("$ref")
            && let Some(Value::Object(target)) =
                reference.as_str().and_then(|it| self.root.pointer(it.strip_prefix('#')?))
        {
            if !self.pays_for(target) {
                return Vec::new();
            }
            ways = vec![target.clone()];
        }
        for part in base.remove("allOf").as_ref().and_then(Value::as_array).into_iter().flatten() {
            if let Value::Object(part) = part {
                ways.iter_mut().for_each(|way| merge(way, part));
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            let Some(Value::Array(branches)) = base.remove(keyword) else { continue };
            let mut next = Vec::new();
            for way in &ways {
                for branch in branches.iter().take(WIDTH) {
                    if !self.budget.spend(1 + way.len()) || !self.pays_for(way) {
                        break;
                    }
                    let mut way = way.clone();
                    match branch {
                        Value::Object(branch) => merge(&mut way, branch),
                        Value::Bool(true) => {}
                        _ => continue,
                    }
                    next.push(way);
                }
            }
            ways = next;
            ways.truncate(MAX_VALUES);
        }
        if let (Some(condition), then) = (base.remove("if"), base.remove("then")) {
            let otherwise = base.remove("else");
            let mut next = ways.clone();
            for way in &ways {
                let mut met = way.clone();
                for part in [Some(&condition), then.as_ref()].into_iter().flatten() {
                    if let Value::Object(part) = part {
                        merge(&mut met, part);
                    }
                }
                next.push(met);
                if let Some(Value::Object(part)) = &otherwise {
                    let mut unmet = way.clone();
                    merge(&mut unmet, part);
                    next.push(unmet);
                }
            }
            ways = next;
        }
        let price = base.values().map(|value| parts(value).0).sum::<usize>() / PARTS_A_STEP;
        ways.retain(|_| self.budget.spend(price));
        ways.iter_mut().for_each(|way| {
            let below = std::mem::replace(way, base.clone());
            merge(way, &below);
        });
        ways
    }

    /// Pays for a copy of a schema.
    fn pays_for(&self, map: &Map<String, Value>) -> bool {
        let says = map.iter().filter(|(keyword, _)| *keyword != "$defs");
        self.budget.spend(says.map(|(_, value)| parts(value).0).sum::<usize>() / PARTS_A_STEP)
    }

    fn typed(&mut self, map: &Map<String, Value>, depth: usize) -> Vec<Value> {
        let nested = ["$ref", "allOf", "anyOf", "oneOf", "if", "const", "enum"];
        if nested.iter().any(|keyword| map.contains_key(*keyword)) {
            return self.schema(&Value::Object(map.clone()), depth + 1);
        }
        let all = ["object", "array", "string", "integer", "number", "boolean", "null"];
        let types: Vec<&str> = match map.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
            _ => all.to_vec(),
        };
        let mut values = Vec::new();
        for name in types {
            match name {
                "object" => values.extend(self.objects(map, depth)),
                "array" => values.extend(self.arrays(map, depth)),
                "string" => values.extend(strings(map)),
                "integer" => values.extend(numbers(map, true)),
                "number" => values.extend(numbers(map, false)),
                "boolean" => values.extend([json!(true), json!(false)]),
                _ => values.push(Value::Null),
            }
        }
        values
    }

    fn arrays(&mut self, map: &Map<String, Value>, depth: usize) -> Vec<Value> {
        let prefix: Vec<Vec<Value>> = map
            .get("prefixItems")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|item| self.schema(item, depth + 1))
            .collect();
        let mut items = match map.get("items") {
            Some(Value::Bool(false)) => Vec::new(),
            Some(items) => self.schema(items, depth + 1),
            None => samples_of_anything(),
        };
        if let Some(contained) = map.get("contains") {
            let mut wanted = self.schema(contained, depth + 1);
            wanted.append(&mut items);
            items = wanted;
        }
        let shortest =
            count(map, "minItems").unwrap_or(0).max(count(map, "minContains").unwrap_or(0));
        let mut lengths: BTreeSet<u64> = [shortest, shortest + 1, shortest + 2].into();
        lengths.extend([0, prefix.len() as u64, prefix.len() as u64 + 1]);
        lengths.extend(count(map, "maxItems"));
        let mut all = Vec::new();
        let budget = self.budget;
        for length in lengths.into_iter().filter(|length| (shortest..=MAX_LENGTH).contains(length))
        {
            let item = |at: u64, choice: usize| {
                let choices = prefix.get(at as usize).unwrap_or(&items);
                choices.get(choice).or(choices.first()).cloned()
            };
            let row = |choice: &dyn Fn(u64) -> usize| -> Option<Value> {
                if !budget.spend(length as usize / 8) {
                    return None;
                }
                (0..length).map(|at| item(at, choice(at))).collect()
            };
            all.extend(row(&|_| 0));
            all.extend(row(&|at| at as usize));
            for choice in 1..WIDTH.min(items.len()) {
                all.extend(row(&|at| if at == 0 { choice } else { 0 }));
            }
            for (at, choices) in prefix.iter().enumerate() {
                for choice in 1..choices.len().min(WIDTH) {
                    all.extend(row(&|index| if index as usize == at { choice } else { 0 }));
                }
            }
        }
        all.dedup();
        all
    }

    fn objects(&mut self, map: &Map<String, Value>, depth: usize) -> Vec<Value> {
        let mut choices: Vec<(String, Vec<Value>)> = Vec::new();
        let properties = map.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            choices.push((name.clone(), self.schema(schema, depth + 1)));
        }
        let additional = match map.get("additionalProperties") {
            Some(Value::Bool(false)) => Vec::new(),
            Some(schema) => self.schema(schema, depth + 1),
            None => samples_of_anything(),
        };
        let required: BTreeSet<String> = map
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        for name in &required {
            if !properties.is_some_and(|it| it.contains_key(name)) {
                choices.push((name.clone(), additional.clone()));
            }
        }
        for (name, schema) in
            map.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
        {
            let values = self.schema(schema, depth + 1);
            choices.extend(matching(name).into_iter().map(|name| (name, values.clone())));
        }
        for name in names(map.get("propertyNames")) {
            if !choices.iter().any(|(known, _)| *known == name) {
                choices.push((name, additional.clone()));
            }
        }
        let least = count(map, "minProperties").unwrap_or(0).min(MAX_LENGTH) as usize;
        let most = count(map, "maxProperties").map_or(0, |most| most.min(MAX_LENGTH) as usize);
        for index in choices.len()..least.max(most).max(choices.len() + 1) {
            choices.push((format!("x{index}"), additional.clone()));
        }
        combined(&choices, &required, least, self.budget)
    }
}

/// Objects of the required properties, and of those with one more or one other.
fn combined(
    choices: &[(String, Vec<Value>)],
    required: &BTreeSet<String>,
    least: usize,
    budget: &Budget,
) -> Vec<Value> {
    let mut base = Map::new();
    for (name, values) in choices {
        if let (true, Some(value)) = (required.contains(name), values.first()) {
            base.insert(name.clone(), value.clone());
        }
    }
    for (name, values) in choices {
        if let (true, Some(value)) = (base.len() < least, values.first()) {
            base.insert(name.clone(), value.clone());
        }
    }
    let mut all = vec![Value::Object(base.clone())];
    for round in 0..WIDTH {
        for (name, values) in choices {
            if let Some(value) = values.get(round)
                && all.len() <= MAX_VALUES
                && budget.spend(1 + base.len() / 2)
            {
                let mut object = base.clone();
                object.insert(name.clone(), value.clone());
                all.push(Value::Object(object));
            }
        }
        if all.len() > MAX_VALUES {
            break;
        }
    }
    let full: Map<String, Value> = choices
        .iter()
        .filter_map(|(name, values)| Some((name.clone(), values.first()?.clone())))
        .collect();
    all.push(Value::Object(full));
    all
}

fn samples_of_anything() -> Vec<Value> {
    let plain = [json!("a"), json!(1), json!({}), json!([]), json!(true), Value::Null, json!(0.5)];
    plain.into_iter().chain([json!([1]), json!({"a": 1})]).collect()
}

fn count(map: &Map<String, Value>, keyword: &str) -> Option<u64> {
    let value = map.get(keyword)?;
    value.as_u64().or_else(|| Some(value.as_f64()? as u64)).filter(|count| *count <= MAX_LENGTH)
}

fn strings(map: &Map<String, Value>) -> Vec<Value> {
    let shortest = count(map, "minLength").unwrap_or(0);
    let mut lengths = vec![shortest.max(1), shortest, shortest + 1];
    lengths.extend(count(map, "maxLength"));
    let mut all: Vec<Value> = Vec::new();
    if let Some(pattern) = map.get("pattern").and_then(Value::as_str) {
        all.extend(matching(pattern).into_iter().map(Value::String));
    }
    all.extend(lengths.into_iter().map(|length| Value::String("a".repeat(length as usize))));
    all.extend(["1", "A", " ", "é", "a b", "1.5"].map(Value::from));
    all
}

fn numbers(map: &Map<String, Value>, whole: bool) -> Vec<Value> {
    let bound = |keyword: &str| map.get(keyword).and_then(Value::as_f64);
    let step = bound("multipleOf").filter(|step| *step > 0.0);
    let mut all: Vec<f64> = Vec::new();
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        if let Some(limit) = bound(keyword) {
            let step = step.unwrap_or(1.0);
            let on_step = (limit / step).round() * step;
            all.extend([limit, on_step, on_step + step, on_step - step, limit + 0.5, limit - 0.5]);
            all.extend([limit.floor(), limit.ceil()]);
        }
    }
    all.extend([1.0, 0.0, -1.0, 2.0, 3.0]);
    all.extend(step.into_iter().flat_map(|step| [step, step * 2.0, step * 3.0, -step]));
    all.extend([0.5, 1.5, 1e10]);
    all.into_iter()
        .filter(|number| !whole || number.fract() == 0.0)
        .filter_map(|number| match number.fract() == 0.0 && number.abs() < 9e15 {
            true => Some(Value::from(number as i64)),
            false => serde_json::Number::from_f64(number).map(Value::Number),
        })
        .collect()
}

/// Names that a `propertyNames` schema lists.
fn names(schema: Option<&Value>) -> Vec<String> {
    let listed = schema.and_then(|it| it.get("enum")).and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect()
}

/// Texts that may match a pattern.
fn matching(pattern: &str) -> Vec<String> {
    let plain: String =
        pattern.chars().filter(|c| c.is_alphanumeric() || "_-. ".contains(*c)).collect();
    vec![plain, "a".to_owned(), "0".to_owned()]
}

/// Adds what `other` asserts; where both assert, `other` goes first.
fn merge(map: &mut Map<String, Value>, other: &Map<String, Value>) {
    for (keyword, value) in other {
        match (map.get_mut(keyword), value) {
            (Some(Value::Object(known)), Value::Object(more)) => {
                for (name, schema) in more {
                    match known.get_mut(name) {
                        Some(before) if before != schema => add(before, schema),
                        Some(_) => {}
                        None => drop(known.insert(name.clone(), schema.clone())),
                    }
                }
            }
            (Some(Value::Array(known)), Value::Array(more))
                if matches!(keyword.as_str(), "required" | "allOf") =>
            {
                known.extend(
                    more.iter().filter(|it| !known.contains(it)).cloned().collect::<Vec<_>>(),
                );
            }
            (Some(known), value) if keyword == "type" => {
                let common = common_types(known, value);
                *known = common;
            }
            _ => {
                map.insert(keyword.clone(), value.clone());
            }
        }
    }
}

/// Adds what else applies to a place.
fn add(before: &mut Value, schema: &Value) {
    let only = before.as_object_mut().filter(|map| map.len() == 1);
    match only.and_then(|map| map.get_mut("allOf")?.as_array_mut()) {
        Some(all) => all.push(schema.clone()),
        None => {
            let all = vec![std::mem::take(before), schema.clone()];
            *before = Value::Object(Map::from_iter([("allOf".to_owned(), Value::Array(all))]));
        }
    }
}

fn common_types(one: &Value, other: &Value) -> Value {
    let list = |types: &Value| match types {
        Value::Array(list) => list.clone(),
        one => vec![one.clone()],
    };
    let (one, other) = (list(one), list(other));
    let number = json!("number");
    one.iter()
        .filter(|it| other.contains(it) || (**it == json!("integer") && other.contains(&number)))
        .chain(other.iter().filter(|it| **it == json!("integer") && one.contains(&number)))
        .cloned()
        .collect()
}
