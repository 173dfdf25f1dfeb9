//! Where each part of a schema comes from.
//!
//! While a schema is built, marks stand in it under keys that no schema has, so that they move
//! along with what they mark. [`Marks::lift`] takes them out again.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::pointer::escaped;
use crate::scan::SourceSpan;

/// Marks the schema itself.
const SELF: &str = "\0self";
/// Marks keywords of the schema, by name.
const KEYS: &str = "\0keys";
/// Marks the values of `enum`, by value.
const VALUES: &str = "\0values";

/// A JSON object that is a schema.
pub(super) type Object = Map<String, Value>;

/// The places that marks stand for.
#[derive(Debug, Default)]
pub(super) struct Marks(RefCell<Vec<SourceSpan>>);

impl Marks {
    fn mark(&self, span: &SourceSpan) -> Value {
        let mut places = self.0.borrow_mut();
        places.push(span.clone());
        Value::from(places.len() - 1)
    }

    /// Says where a schema comes from; an earlier word is overruled.
    pub(super) fn whole(&self, schema: &mut Value, span: &SourceSpan) {
        if let Value::Object(object) = schema {
            object.insert(SELF.to_owned(), self.mark(span));
        }
    }

    /// Says where one keyword of a schema comes from.
    pub(super) fn key(&self, object: &mut Object, key: &str, span: &SourceSpan) {
        self.entry(object, KEYS, key, span);
    }

    /// Says where one value of `enum` comes from.
    pub(super) fn value(&self, object: &mut Object, value: &str, span: &SourceSpan) {
        self.entry(object, VALUES, value, span);
    }

    fn entry(&self, object: &mut Object, kind: &str, key: &str, span: &SourceSpan) {
        let mark = self.mark(span);
        if let Value::Object(keys) =
            object.entry(kind).or_insert_with(|| Value::Object(Object::new()))
        {
            keys.insert(key.to_owned(), mark);
        }
    }

    /// Takes the marks out of a schema and tells the place of each JSON pointer, which starts with
    /// `pointer`.
    pub(super) fn lift(
        &self,
        schema: &mut Value,
        pointer: &str,
        places: &mut BTreeMap<String, SourceSpan>,
    ) {
        self.lift_at(schema, &mut pointer.to_owned(), places);
    }

    fn lift_at(
        &self,
        schema: &mut Value,
        pointer: &mut String,
        places: &mut BTreeMap<String, SourceSpan>,
    ) {
        let end = pointer.len();
        match schema {
            Value::Array(list) => {
                for (at, value) in list.iter_mut().enumerate() {
                    if value.is_object() || value.is_array() {
                        pointer.push('/');
                        pointer.push_str(&at.to_string());
                        self.lift_at(value, pointer, places);
                        pointer.truncate(end);
                    }
                }
            }
            Value::Object(object) => {
                let mut found = |pointer: String, mark: &Value| {
                    let at = mark.as_u64().and_then(|at| usize::try_from(at).ok());
                    let place = at.and_then(|at| self.0.borrow().get(at).cloned());
                    places.extend(place.map(|place| (pointer, place)));
                };
                if let Some(mark) = object.remove(SELF) {
                    found(pointer.clone(), &mark);
                }
                if let Some(Value::Object(keys)) = object.remove(KEYS) {
                    for (key, mark) in keys.iter().filter(|(key, _)| object.contains_key(*key)) {
                        found(format!("{pointer}/{}", escaped(key)), mark);
                    }
                }
                if let (Some(Value::Object(values)), Some(Value::Array(list))) =
                    (object.remove(VALUES), object.get("enum"))
                {
                    for (at, value) in list.iter().enumerate() {
                        if let Some(mark) = value.as_str().and_then(|value| values.get(value)) {
                            found(format!("{pointer}/enum/{at}"), mark);
                        }
                    }
                }
                for (key, value) in object {
                    if value.is_object() || value.is_array() {
                        pointer.push('/');
                        pointer.push_str(&escaped(key));
                        self.lift_at(value, pointer, places);
                        pointer.truncate(end);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether a key is a mark, no keyword.
pub(super) fn is_mark(key: &str) -> bool {
    key.starts_with('\0')
}

/// How many keywords a schema has.
pub(super) fn keywords(object: &Object) -> usize {
    object.keys().filter(|key| !is_mark(key)).count()
}
