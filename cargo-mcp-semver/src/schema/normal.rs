//! A normal form in which schemas that plainly accept the same values are equal.
//!
//! References are followed, sets are sorted, what no validator looks at is left out. A reference
//! back to a schema that is being written becomes the number of steps back, so cyclic schemas
//! have a finite form and two of them are equal when they unfold alike.

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use super::document::{Document, Located};
use super::types::Types;
use super::view::{View, text};

/// Deeper schemas have no normal form here.
const MAX_DEPTH: usize = 64;

/// The normal form of the conjunction of `parts`; `None` when it is not fully understood.
pub(crate) fn normal(document: &Document<'_>, parts: &[Located<'_>]) -> Option<Value> {
    Normal { document, open: Vec::new() }.schema(parts)
}

/// The normal form of a view.
pub(crate) fn normal_view(document: &Document<'_>, view: &View<'_>) -> Option<Value> {
    Normal { document, open: Vec::new() }.view(view)
}

/// The normal form of the value of a keyword that a view keeps as it is.
pub(crate) fn normal_keyword(
    document: &Document<'_>,
    keyword: &str,
    value: &Located<'_>,
) -> Option<Value> {
    Normal { document, open: Vec::new() }.keyword(keyword, value)
}

struct Normal<'d, 'a> {
    document: &'d Document<'a>,
    /// The schemas being written, outermost first.
    open: Vec<Key<'a>>,
}

/// What a view says, each schema inside by its address: the same wherever it is referred to from,
/// and for a definition that may be null whichever property says so.
#[derive(PartialEq)]
struct Key<'a> {
    types: Types,
    values: Option<Vec<String>>,
    required: Vec<&'a str>,
    inside: Vec<(&'a str, *const Value)>,
    and: Vec<Self>,
}

impl<'a> Key<'a> {
    fn of(view: &View<'a>) -> Self {
        let at = |name: &'a str, it: &Located<'a>| (name, std::ptr::from_ref(it.value));
        let mut inside = Vec::new();
        for (name, parts) in &view.properties {
            inside.extend(parts.iter().map(|it| at(name, it)));
        }
        inside.extend(view.additional.iter().map(|it| at("additionalProperties", it)));
        inside.extend(view.items.iter().map(|it| at("items", it)));
        inside.extend(view.prefix.iter().map(|it| at("prefixItems", it)));
        for union in &view.unions {
            let keyword = if union.exclusive { "oneOf" } else { "anyOf" };
            inside.extend(union.branches.iter().map(|it| at(keyword, it)));
        }
        inside.extend(view.rest.iter().map(|(keyword, it)| at(keyword, it)));
        Self {
            types: view.types,
            values: view.values.as_ref().map(|it| it.keys().cloned().collect()),
            required: view.required.keys().copied().collect(),
            inside,
            and: view.and.iter().map(Self::of).collect(),
        }
    }
}

impl<'a> Normal<'_, 'a> {
    fn schema(&mut self, parts: &[Located<'a>]) -> Option<Value> {
        let view = View::of(self.document, parts);
        let key = Key::of(&view);
        if let Some(back) = self.open.iter().rev().position(|open| *open == key) {
            return Some(json!({ "back": back }));
        }
        if self.open.len() > MAX_DEPTH {
            return None;
        }
        self.open.push(key);
        let written = self.view(&view);
        self.open.pop();
        written
    }

    fn one(&mut self, schema: &Located<'a>) -> Option<Value> {
        self.schema(std::slice::from_ref(schema))
    }

    fn view(&mut self, view: &View<'a>) -> Option<Value> {
        if view.unknown.is_some() {
            return None;
        }
        if view.never {
            return Some(Value::Bool(false));
        }
        let mut written = Map::new();
        match view.finite() {
            Some(values) => {
                written.insert("values".into(), values.into_keys().collect());
            }
            None if view.types != Types::ALL => {
                written.insert("types".into(), view.types.to_string().into());
            }
            None => {}
        }
        let mut properties = Map::new();
        for (name, parts) in &view.properties {
            properties.insert((*name).to_owned(), self.schema(parts)?);
        }
        put(&mut written, "properties", Value::Object(properties));
        put(&mut written, "required", view.required.keys().copied().collect());
        if let Some(additional) = &view.additional {
            put(&mut written, "additional", self.one(additional)?);
        }
        if let Some(items) = &view.items {
            put(&mut written, "items", self.one(items)?);
        }
        let prefix: Option<Value> = view.prefix.iter().map(|item| self.one(item)).collect();
        put(&mut written, "prefix", prefix?);
        self.unions(view, &mut written)?;
        for (keyword, value) in &view.rest {
            written.insert(format!("={keyword}"), self.keyword(keyword, value)?);
        }
        let and: Option<Vec<Value>> = view.and.iter().map(|view| self.view(view)).collect();
        put(&mut written, "and", sorted(and?));
        Some(Value::Object(written))
    }

    fn unions(&mut self, view: &View<'a>, written: &mut Map<String, Value>) -> Option<()> {
        let mut unions = Vec::new();
        for union in &view.unions {
            let branches: Option<Vec<Value>> =
                union.branches.iter().map(|branch| self.one(branch)).collect();
            let mut branches = branches?;
            branches.retain(|branch| *branch != Value::Bool(false));
            unions.push(json!({ "exclusive": union.exclusive, "branches": sorted(branches) }));
        }
        put(written, "unions", sorted(unions));
        Some(())
    }

    fn keyword(&mut self, keyword: &str, value: &Located<'a>) -> Option<Value> {
        let at = value.at.child(keyword);
        match (keyword, value.value) {
            (
                "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames"
                | "unevaluatedProperties"
                | "unevaluatedItems",
                schema,
            ) => self.one(&Located { value: schema, at }),
            (
                "patternProperties" | "dependentSchemas" | "dependencies" | "dependentRequired",
                Value::Object(map),
            ) => {
                let mut written = Map::new();
                for (name, schema) in map {
                    let schema = Located { value: schema, at: at.child(name) };
                    let entry = match schema.value {
                        Value::Array(names) => sorted(names.clone()),
                        _ => self.one(&schema)?,
                    };
                    written.insert(name.clone(), entry);
                }
                Some(Value::Object(written))
            }
            // Numbers that are equal have the same text, however they are written.
            (_, value) => Some(Value::String(text(value))),
        }
    }
}

/// Adds an entry unless it says nothing.
fn put(written: &mut Map<String, Value>, key: &str, value: Value) {
    let says_nothing = match &value {
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    if !says_nothing {
        written.insert(key.to_owned(), value);
    }
}

fn sorted(mut list: Vec<Value>) -> Value {
    list.sort_by(order);
    Value::Array(list)
}

/// An order that equal values agree on. Most differ early, so none is written down for it.
fn order(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            let mut items = one.iter().zip(other).map(|(one, other)| order(one, other));
            items.find(|it| it.is_ne()).unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        // Members stand sorted: `Map` is a tree, which a test holds it to.
        (Value::Object(one), Value::Object(other)) => {
            let entries = one.iter().zip(other);
            let mut entries =
                entries.map(|(one, other)| one.0.cmp(other.0).then_with(|| order(one.1, other.1)));
            entries.find(|it| it.is_ne()).unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        (Value::String(one), Value::String(other)) => one.cmp(other),
        (one, other) => text(one).cmp(&text(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(schema: &Value) -> Option<Value> {
        let document = Document::new(schema);
        normal(&document, &[document.root()])
    }

    #[test]
    fn the_same_values_in_other_words_are_equal() {
        let text = json!({"type": "string"});
        for (one, other) in [
            (json!({"$ref": "#/$defs/A", "$defs": {"A": text}}), text.clone()),
            (json!({"allOf": [{"$ref": "#/definitions/B"}], "definitions": {"B": text}}), text),
            (json!({"const": "a"}), json!({"enum": ["a"], "type": "string"})),
            (json!({"enum": [1, "b", null]}), json!({"enum": [null, "b", 1.0]})),
            (
                json!({"oneOf": [{"const": "a", "description": "A"}, {"enum": ["b"]}]}),
                json!({"type": "string", "enum": ["b", "a"]}),
            ),
            (
                json!({"type": ["string", "null"], "maxLength": 3}),
                json!({"anyOf": [{"type": "null"}, {"type": "string", "maxLength": 3}]}),
            ),
            (
                json!({"type": "string", "nullable": true}),
                json!({"oneOf": [{"type": "string"}, {"type": "null"}]}),
            ),
            (json!({"properties": {"a": true}}), json!({"properties": {"a": {}}})),
            (json!({"items": {"$comment": "any"}}), json!({})),
            (json!({"type": "boolean"}), json!({"enum": [false, true]})),
            (
                json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "array",
                    "items": [{"type": "string"}], "additionalItems": false}),
                json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false}),
            ),
        ] {
            assert_eq!(of(&one), of(&other), "{one} {other}");
            assert!(of(&one).is_some(), "{one}");
        }
    }

    #[test]
    fn other_values_differ() {
        for (one, other) in [
            (json!({"$ref": "https://a/1"}), json!({"$ref": "https://a/2"})),
            (json!({"enum": ["a"]}), json!({"enum": ["b"]})),
            (json!({"oneOf": [{"const": 1}, {"const": 1}]}), json!({"const": 1})),
            (
                json!({"oneOf": [{"minLength": 1}, {"type": "null"}]}),
                json!({"anyOf": [{"minLength": 1}, {"type": "null"}]}),
            ),
            (json!({"allOf": [{"minimum": 1}, {"minimum": 2}]}), json!({"minimum": 1})),
            (
                json!({"allOf": [{"additionalProperties": false}, {"properties": {"a": {}}}]}),
                json!({"additionalProperties": false, "properties": {"a": {}}}),
            ),
            (json!({"required": ["a"]}), json!({"required": ["a", "b"]})),
        ] {
            assert_ne!(of(&one), of(&other), "{one} {other}");
        }
    }

    /// Fails where some dependency turns on `preserve_order` in `serde_json`.
    #[test]
    fn members_in_any_order_are_ordered_alike() {
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let (one, other) = (read(r#"{"a": 1, "b": 2}"#), read(r#"{"b": 2, "a": 1}"#));
        assert_eq!(order(&one, &other), Ordering::Equal);
        assert!(one.as_object().unwrap().keys().eq(other.as_object().unwrap().keys()));
    }

    #[test]
    fn cycles_have_a_finite_form() {
        let tree = |name: &str| {
            let pointer = format!("#/$defs/{name}");
            json!({"$ref": pointer, "$defs": {name: {
                "type": "object", "properties": {"next": {"$ref": pointer}}}}})
        };
        assert!(of(&tree("Node")).is_some());
        assert_eq!(of(&tree("Node")), of(&tree("Knot")));
        assert_eq!(of(&json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}})), None);
    }

    #[test]
    fn what_is_not_understood_has_none() {
        for schema in [
            json!({"$dynamicRef": "#a"}),
            json!({"$ref": "#anchor"}),
            json!({"properties": {"a": {"type": "text"}}}),
            json!({"allOf": 3}),
            json!({"items": {"$id": "https://a/b", "$ref": "#c"}}),
        ] {
            assert_eq!(of(&schema), None, "{schema}");
        }
    }
}
