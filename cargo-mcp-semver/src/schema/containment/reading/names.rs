//! The names that whoever sends a value knows.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{Reader, World, join};
use crate::schema::document::{Located, Pointer, Target};
use crate::schema::names::listed;

/// What a place says of property names.
#[derive(Default)]
struct Names {
    declared: BTreeSet<String>,
    /// Those that are mentioned, so that whoever sends the value knows them: they are asked for,
    /// listed, or stand in a value that is.
    mentioned: BTreeSet<String>,
    patterns: BTreeSet<String>,
    /// Something is said of additional properties, or anything goes.
    explicit: bool,
    /// Something is said of names that nobody could have sent, were there none but those declared.
    asks_for_more: bool,
    /// How many there have to be.
    fewest: u64,
    /// More may be declared elsewhere.
    elsewhere: bool,
}

impl Names {
    /// Whether none is declared.
    fn is_empty(&self) -> bool {
        self.declared.is_empty() && self.patterns.is_empty()
    }

    /// Whether there is no name to send where there has to be one.
    fn lacks_some(&self) -> bool {
        let known = self.declared.union(&self.mentioned).count();
        let enough = usize::try_from(self.fewest).is_ok_and(|fewest| fewest <= known);
        self.patterns.is_empty() && (!enough || (self.asks_for_more && known == 0))
    }

    /// Takes what the keywords of one schema mention.
    fn mention(&mut self, map: &Map<String, Value>) {
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let list = |it: Option<&Value>| it.and_then(Value::as_array).cloned().unwrap_or_default();
        self.mentioned.extend(list(map.get("required")).iter().filter_map(text));
        for keyword in ["dependentRequired", "dependencies"] {
            for (name, needed) in map.get(keyword).and_then(Value::as_object).into_iter().flatten()
            {
                self.mentioned.insert(name.clone());
                self.mentioned.extend(list(Some(needed)).iter().filter_map(text));
            }
        }
        for value in map.get("const").cloned().into_iter().chain(list(map.get("enum"))) {
            self.mentioned.extend(value.as_object().into_iter().flat_map(Map::keys).cloned());
        }
        let fewest = map.get("minProperties").and_then(Value::as_f64).unwrap_or_default();
        self.fewest = self.fewest.max(fewest as u64);
    }
}

impl<'a> Reader<'_, 'a> {
    /// Limits the names in the reading of a place to those that whoever sends the value knows.
    pub(super) fn restrict(&self, schema: &Located<'a>, body: &mut Value) -> Option<()> {
        let (mut names, mut seen) = (Names::default(), BTreeSet::new());
        self.names(schema, &mut names, &mut seen);
        for around in &self.beside {
            self.names(&self.document.located(around.at.clone())?, &mut names, &mut seen);
        }
        let is_root = schema.at == Pointer::root();
        let free = match names.elsewhere {
            true => self.elsewhere == Some(true),
            false if names.lacks_some() => true,
            false => self.world == World::Closed && !is_root && names.is_empty(),
        };
        if !names.explicit && !free {
            limit(body, &names, self.beside.is_empty());
        }
        Some(())
    }

    /// Collects the names declared at a place, whatever they are declared by.
    fn names(&self, schema: &Located<'a>, names: &mut Names, seen: &mut BTreeSet<Pointer>) {
        let Value::Object(map) = schema.value else { return };
        if !seen.insert(schema.at.clone()) {
            return;
        }
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            match self.document.resolve(reference, &schema.at) {
                Target::Local(target) => self.names(&target, names, seen),
                Target::Elsewhere => names.elsewhere = true,
            }
            if !self.document.ref_has_siblings() {
                return;
            }
        }
        if let Some(reference) = map.get("$dynamicRef").and_then(Value::as_str)
            && self.has_dynamic_references()
        {
            match self.dynamic(reference, &schema.at) {
                Some(target) => self.names(&target, names, seen),
                None => names.elsewhere = true,
            }
        }
        names.mention(map);
        if let Some(value) = map.get("propertyNames") {
            let listed = listed(self.document, schema, map).into_iter().flatten();
            names.mentioned.extend(listed.map(str::to_owned));
            names.asks_for_more |= value.as_object().is_some_and(|it| !it.is_empty());
        }
        let keys = |keyword: &str| map.get(keyword).and_then(Value::as_object);
        names.declared.extend(keys("properties").into_iter().flat_map(Map::keys).cloned());
        names.patterns.extend(keys("patternProperties").into_iter().flat_map(Map::keys).cloned());
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            let said = map.get(keyword).filter(|_| self.document.knows(keyword));
            names.explicit |= said.is_some_and(|value| *value != Value::Bool(false));
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let branches = map.get(keyword).and_then(Value::as_array).into_iter().flatten();
            for (index, value) in branches.enumerate() {
                let at = schema.at.child(keyword).child(&index.to_string());
                self.names(&Located { value, at }, names, seen);
            }
        }
        for keyword in ["if", "then", "else"] {
            if let Some(value) = map.get(keyword) {
                self.names(&Located { value, at: schema.at.child(keyword) }, names, seen);
            }
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            for (name, value) in keys(keyword).into_iter().flatten() {
                let at = schema.at.child(keyword).child(name);
                self.names(&Located { value, at }, names, seen);
            }
        }
    }
}

/// Limits the names of an object's properties to those declared.
fn limit(body: &mut Value, names: &Names, is_alone: bool) {
    let Value::Object(map) = body else { return };
    let elsewhere = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];
    let simple = elsewhere.iter().all(|keyword| !map.contains_key(*keyword));
    if simple && is_alone {
        if map.contains_key("additionalProperties") {
            return;
        }
        map.insert("additionalProperties".to_owned(), Value::Bool(false));
        let more = names.mentioned.difference(&names.declared);
        let more: Map<String, Value> = more.map(|name| (name.clone(), true.into())).collect();
        if !more.is_empty()
            && let Value::Object(properties) = map.entry("properties").or_insert_with(|| json!({}))
        {
            properties.extend(more);
        }
        return;
    }
    let mut known: Vec<Value> =
        names.patterns.iter().map(|pattern| json!({ "pattern": pattern })).collect();
    known.push(json!({ "enum": names.declared.union(&names.mentioned).collect::<Vec<_>>() }));
    let limit = match known.as_slice() {
        [one] => one.clone(),
        _ => json!({ "anyOf": known }),
    };
    let limit = json!({ "propertyNames": limit });
    *body = Value::Object(join(std::mem::take(map), limit));
}
