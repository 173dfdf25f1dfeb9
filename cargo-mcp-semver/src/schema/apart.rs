//! Whether variants exclude each other, as far as can be seen from types and tags.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::Value;

use super::document::{Document, Located};
use super::types::Types;
use super::view::{View, text};

/// So many pairs of variants are looked at one by one.
const MAX_PAIRS: usize = 1_000_000;

/// Whether no value can match two of these schemas.
pub(super) fn are_apart<'a>(document: &Document<'a>, schemas: &[Located<'a>]) -> bool {
    let read = |schema: &Located<'a>| View::of(document, std::slice::from_ref(schema));
    let views: Vec<View<'a>> = schemas.iter().map(read).collect();
    views.iter().all(|view| view.unknown.is_none()) && exclusive(views.iter())
}

/// Whether no value can match two of these views.
pub(super) fn exclusive<'v, 'a: 'v>(views: impl Iterator<Item = &'v View<'a>>) -> bool {
    let (mut objects, mut listed) = (Vec::new(), HashSet::new());
    let (mut of_listed, mut of_others) = (Types::NONE, Types::NONE);
    for view in views {
        let types = view.effective_types();
        if let Some(values) = view.finite() {
            of_listed = of_listed.or(types);
            if !values.into_keys().all(|value| listed.insert(value)) {
                return false;
            }
        } else if types == Types::OBJECT {
            objects.push(view);
        } else if of_others.meets(types) {
            return false;
        } else {
            of_others = of_others.or(types);
        }
    }
    let are_alone = objects.is_empty() || !of_listed.or(of_others).meets(Types::OBJECT);
    !of_listed.meets(of_others)
        && are_alone
        && (have_one_tag(&objects) || exclude_each_other(&objects))
}

/// Whether some property tells all objects apart.
fn have_one_tag(objects: &[&View<'_>]) -> bool {
    let names = objects.first().into_iter().flat_map(|it| it.required.keys());
    names.into_iter().any(|name| {
        let mut seen = HashSet::new();
        objects.iter().all(|view| {
            let mut values = view.tag(name).into_iter().flatten().peekable();
            view.required.contains_key(name)
                && values.peek().is_some()
                && values.all(|value| seen.insert(value))
        })
    })
}

fn exclude_each_other(objects: &[&View<'_>]) -> bool {
    if objects.len().pow(2) / 2 > MAX_PAIRS {
        return false;
    }
    let all: Vec<Tagged<'_, '_>> = objects.iter().map(|view| Tagged::of(view)).collect();
    all.iter().enumerate().all(|(index, one)| {
        all[index + 1..].iter().all(|other| one.excludes(other) || other.excludes(one))
    })
}

/// An object with the properties that may have listed values alone.
struct Tagged<'v, 'a> {
    view: &'v View<'a>,
    tags: BTreeMap<&'a str, BTreeSet<String>>,
}

impl<'v, 'a> Tagged<'v, 'a> {
    fn of(view: &'v View<'a>) -> Self {
        let tags = view.properties.keys().filter_map(|name| Some((*name, view.tag(name)?)));
        Self { view, tags: tags.collect() }
    }

    fn excludes(&self, other: &Self) -> bool {
        let is_other = |name: &str| {
            self.tags.get(name).zip(other.tags.get(name)).is_some_and(|(it, of)| it.is_disjoint(of))
        };
        self.view.required.keys().any(|name| other.refuses(name) || is_other(name))
    }

    /// Whether an object that has a property of this name is not accepted.
    fn refuses(&self, name: &str) -> bool {
        let closed = self.view.additional.as_ref();
        closed.is_some_and(|it| *it.value == Value::Bool(false))
            && !self.view.rest.contains_key("patternProperties")
            && !self.view.properties.contains_key(name)
    }
}

impl<'a> View<'a> {
    /// The values that the property `name` may have, where it is written as `const` or `enum`.
    fn tag(&self, name: &str) -> Option<BTreeSet<String>> {
        let [property] = self.properties.get(name)?.as_slice() else { return None };
        let map = property.value.as_object()?;
        match (map.get("const"), map.get("enum")) {
            (Some(value), None) => Some([text(value)].into()),
            (None, Some(Value::Array(list))) => Some(list.iter().map(text).collect()),
            _ => None,
        }
    }

    /// The first property that has to have one value, with it.
    pub(super) fn tagged(&self) -> Option<String> {
        self.required.keys().find_map(|name| {
            let values = self.tag(name).filter(|values| values.len() == 1)?;
            Some(format!("{name}: {}", values.into_iter().collect::<String>()))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn variants_are_apart_where_no_value_is_of_both() {
        let object = |properties: Value, required: &[&str], additional: bool| {
            json!({"type": "object", "properties": properties, "required": required,
                   "additionalProperties": additional})
        };
        let tagged =
            |tag: &str, required: &[&str]| object(json!({"kind": {"const": tag}}), required, true);
        let closed = object(json!({"b": {}}), &["b"], false);
        let a = object(json!({"a": {}}), &["a"], true);
        let mut patterned = closed.clone();
        patterned["patternProperties"] = json!({"^a": {}});
        let listed = |tags: Value| object(json!({"kind": {"enum": tags}}), &["kind"], true);
        let mut untyped = closed.clone();
        untyped.as_object_mut().unwrap().remove("type");
        for (one, other, apart) in [
            (json!({"type": "string"}), json!({"type": "null"}), true),
            (json!({"type": "number"}), json!({"type": "integer"}), false),
            (a.clone(), closed.clone(), true),
            (a.clone(), patterned, false),
            (a.clone(), untyped, false),
            (a.clone(), object(json!({"a": {}, "b": {}}), &["b"], false), false),
            (a.clone(), object(json!({"b": {}}), &["b"], true), false),
            (object(json!({"a": {}}), &[], true), closed, false),
            (tagged("x", &["kind"]), tagged("y", &["kind"]), true),
            (tagged("x", &["kind"]), tagged("x", &["kind"]), false),
            (tagged("x", &["kind"]), tagged("y", &[]), true),
            (tagged("x", &[]), tagged("y", &[]), false),
            (listed(json!(["x", "y"])), tagged("z", &["kind"]), true),
            (listed(json!(["x", "y"])), tagged("y", &["kind"]), false),
            (json!({"type": "null"}), json!({"type": "string", "$ref": "https://a/"}), true),
            (json!({"const": "a"}), json!({"enum": ["b", 1]}), true),
            (json!({"const": "a"}), json!({"enum": ["b", "a"]}), false),
            (json!({"const": 1}), json!({"enum": [1.0]}), false),
            (json!({"const": "a"}), json!({"type": "string"}), false),
            (json!({"const": "a"}), json!({"type": "string", "enum": ["a", 1]}), false),
            (json!({"const": {}}), json!({"type": "object"}), false),
            (json!({"const": true}), json!({"type": "boolean"}), false),
            (json!({"type": "null"}), json!({"type": "string", "minLength": "1"}), false),
        ] {
            for pair in [json!([one, other]), json!([other, one])] {
                let document = Document::new(&pair);
                let at =
                    |index: usize| document.located(document.root().at.child(&index.to_string()));
                assert_eq!(
                    are_apart(&document, &[at(0).unwrap(), at(1).unwrap()]),
                    apart,
                    "{pair}"
                );
            }
        }
    }
}
