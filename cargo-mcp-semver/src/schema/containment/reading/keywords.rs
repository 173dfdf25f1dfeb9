//! What a reading keeps of each keyword.

use serde_json::{Map, Value, json};

use super::{Reader, World};
use crate::schema::apart::are_apart;
use crate::schema::document::{Located, Pointer};
use crate::schema::names::is_every;
use crate::schema::number::integer_range;

impl<'a> Reader<'_, 'a> {
    pub(super) fn keyword(
        &mut self,
        map: &'a Map<String, Value>,
        keyword: &str,
        value: &Located<'a>,
        depth: usize,
        written: &mut Map<String, Value>,
    ) -> Option<()> {
        if !self.document.knows(keyword) {
            return Some(());
        }
        if self.document.misuses(keyword, value.value) {
            return None;
        }
        let keyword = evaluated(map, keyword);
        let apart = keyword == "oneOf" && self.is_apart(value);
        let counting = ["oneOf", "maxContains", "unevaluatedItems", "unevaluatedProperties"];
        self.counts |= counting.contains(&keyword) && !apart;
        let tuple = || map.get("items").is_some_and(Value::is_array);
        let (name, read) = match keyword {
            "type" => ("type", self.types(map, value.value)?),
            "items" if value.value.is_array() => ("prefixItems", self.list(value, depth, true)?),
            "prefixItems" if self.document.has_prefix_items() => {
                ("prefixItems", self.list(value, depth, true)?)
            }
            "additionalItems" if tuple() => ("items", self.place(value, depth)?),
            "items" | "contains" | "unevaluatedItems" => (keyword, self.place(value, depth)?),
            "additionalProperties" | "unevaluatedProperties" => {
                let refuses = *value.value == Value::Bool(false);
                // The keys of a map are no properties that a reader might skip.
                let names = |keyword: &str| map.get(keyword).and_then(Value::as_object);
                let has_names = |keyword: &str| names(keyword).is_some_and(|it| !it.is_empty());
                let is_map = has_names("patternProperties") && !has_names("properties");
                if refuses && self.world == World::Tolerant && !is_map {
                    return Some(());
                }
                (keyword, self.place(value, depth)?)
            }
            "properties" | "patternProperties" => (keyword, self.map(value, depth, true)?),
            "dependentSchemas" => (keyword, self.map(value, depth, false)?),
            "dependencies" => return self.dependencies(value, depth, written),
            // Exactly one is at least one where no value can match two, and is easier to prove.
            "oneOf" if apart && !map.contains_key("anyOf") => {
                return self.keyword(map, "anyOf", value, depth, written);
            }
            "allOf" | "anyOf" | "oneOf" => (keyword, self.list(value, depth, false)?),
            "then" | "else" => (keyword, self.in_place(value, depth)?),
            "if" | "not" => (keyword, self.literally(value, depth, Self::in_place)?),
            "propertyNames" => (keyword, self.literally(value, depth, Self::place)?),
            "exclusiveMinimum" | "exclusiveMaximum" if value.value.is_boolean() => {
                return exclusive(map, keyword, value.value, written);
            }
            // A `$recursiveRef` is dynamic only where an anchor makes it so, but rare enough.
            "$recursiveRef" => return None,
            _ if KEPT.contains(&keyword) => (keyword, value.value.clone()),
            _ => return Some(()),
        };
        written.insert(name.to_owned(), read);
        Some(())
    }

    fn is_apart(&self, value: &Located<'a>) -> bool {
        let branches = value.value.as_array().into_iter().flatten().enumerate();
        let located = branches.map(|(index, branch)| Located {
            value: branch,
            at: value.at.child(&index.to_string()),
        });
        are_apart(self.document, &located.collect::<Vec<_>>())
    }

    fn types(&self, map: &Map<String, Value>, types: &Value) -> Option<Value> {
        let mut names = match types {
            Value::Array(names) => names.clone(),
            name => vec![name.clone()],
        };
        if map.get("nullable") == Some(&Value::Bool(true)) && !names.contains(&json!("null")) {
            names.push(json!("null"));
        }
        Some(Value::Array(names))
    }

    /// What stands under `not` is read literally: there, accepting less is accepting more.
    fn literally(
        &mut self,
        value: &Located<'a>,
        depth: usize,
        read: impl Fn(&mut Self, &Located<'a>, usize) -> Option<Value>,
    ) -> Option<Value> {
        let world = std::mem::replace(&mut self.world, World::Open);
        let literal = std::mem::replace(&mut self.literal, true);
        let (recurring, elsewhere) = (self.recurring.len(), self.elsewhere.take());
        let read = read(self, value, depth);
        (self.world, self.elsewhere, self.literal) = (world, elsewhere, literal);
        // A definition that recurs would be read like the others.
        read.filter(|_| match elsewhere {
            Some(_) => self.recurring.is_empty(),
            None => world == World::Open || self.recurring.len() == recurring,
        })
    }

    fn list(&mut self, value: &Located<'a>, depth: usize, places: bool) -> Option<Value> {
        let read = |(index, value): (usize, &'a Value), this: &mut Self, at: &Pointer| {
            let schema = Located { value, at: at.child(&index.to_string()) };
            if places { this.place(&schema, depth) } else { this.in_place(&schema, depth) }
        };
        let list = value.value.as_array()?;
        list.iter().enumerate().map(|it| read(it, self, &value.at)).collect()
    }

    fn map(&mut self, value: &Located<'a>, depth: usize, places: bool) -> Option<Value> {
        let mut written = Map::new();
        for (name, schema) in value.value.as_object()? {
            let schema = Located { value: schema, at: value.at.child(name) };
            let read =
                if places { self.place(&schema, depth) } else { self.in_place(&schema, depth) };
            let is_every = value.at.as_str().ends_with("/patternProperties") && is_every(name);
            let name = if is_every { "" } else { name.as_str() };
            let read = match written.remove(name) {
                Some(known) => json!({ "allOf": [known, read?] }),
                None => read?,
            };
            written.insert(name.to_owned(), read);
        }
        Some(Value::Object(written))
    }

    fn dependencies(
        &mut self,
        value: &Located<'a>,
        depth: usize,
        written: &mut Map<String, Value>,
    ) -> Option<()> {
        let (mut names, mut schemas) = (Map::new(), Map::new());
        for (name, dependency) in value.value.as_object()? {
            let schema = Located { value: dependency, at: value.at.child(name) };
            match dependency {
                Value::Array(_) => names.insert(name.clone(), dependency.clone()),
                _ => schemas.insert(name.clone(), self.in_place(&schema, depth)?),
            };
        }
        written.insert("dependentRequired".to_owned(), Value::Object(names));
        written.insert("dependentSchemas".to_owned(), Value::Object(schemas));
        Some(())
    }
}

/// Keywords that are copied as they stand.
const KEPT: &[&str] = &[
    "enum",
    "const",
    "required",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
    "dependentRequired",
];

/// What a keyword says that asks what the others have left: where no other schema applies beside it,
/// the same as its plainer twin, or nothing beside that.
fn evaluated<'k>(map: &Map<String, Value>, keyword: &'k str) -> &'k str {
    let elsewhere =
        ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "contains"];
    let plain = || elsewhere.iter().all(|keyword| !map.contains_key(*keyword));
    match keyword {
        "unevaluatedProperties" if plain() && !map.contains_key("additionalProperties") => {
            "additionalProperties"
        }
        "unevaluatedItems"
            if plain()
                && !map.contains_key("additionalItems")
                && map.get("items").is_none_or(Value::is_array) =>
        {
            "items"
        }
        keyword => keyword,
    }
}

/// Writes down the range of an integer format, which Rust servers enforce when they deserialise:
/// `uint` with and without `minimum: 0` accepts the same.
pub(super) fn imply_range(map: &Map<String, Value>, written: &mut Map<String, Value>) {
    let whole = match map.get("type") {
        Some(Value::Array(names)) => {
            names.contains(&json!("integer")) && !names.contains(&json!("number"))
        }
        name => name == Some(&json!("integer")),
    };
    let Some((low, high)) = integer_range(map.get("format")).filter(|_| whole) else { return };
    let bounded = |ends: [&str; 2]| ends.iter().any(|end| map.contains_key(*end));
    if let Ok(low) = i64::try_from(low)
        && !bounded(["minimum", "exclusiveMinimum"])
    {
        written.insert("minimum".into(), low.into());
    }
    if let Ok(high) = u64::try_from(high)
        && !bounded(["maximum", "exclusiveMaximum"])
    {
        written.insert("maximum".into(), high.into());
    }
}

/// Draft-04 writes an exclusive bound as a flag beside the bound.
fn exclusive(
    map: &Map<String, Value>,
    keyword: &str,
    flag: &Value,
    written: &mut Map<String, Value>,
) -> Option<()> {
    let bound = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
    if *flag == Value::Bool(true)
        && let Some(limit) = map.get(bound)
    {
        written.insert(keyword.to_owned(), limit.clone());
    }
    Some(())
}
