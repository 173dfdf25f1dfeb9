//! JSON whose objects have no key twice.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A JSON value in which no object has a key twice. `serde_json` alone would keep the last of the
/// two without a word, and another reader the first.
#[derive(Clone, Copy)]
pub(super) struct Unique<'s>(pub(super) &'s RefCell<State>);

/// Where the reader is, and the first key it met twice with its path.
#[derive(Default)]
pub(super) struct State {
    path: Vec<String>,
    pub(super) duplicate: Option<(String, Vec<String>)>,
}

impl Unique<'_> {
    fn enter(self, key: String) {
        self.0.borrow_mut().path.push(key);
    }

    fn leave(self) {
        self.0.borrow_mut().path.pop();
    }
}

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        self.enter(items.len().to_string());
        while let Some(item) = seq.next_element_seed(self)? {
            items.push(item);
            self.leave();
            self.enter(items.len().to_string());
        }
        self.leave();
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            self.enter(key.clone());
            if entries.contains_key(&key) {
                let mut state = self.0.borrow_mut();
                let path = state.path.clone();
                state.duplicate = Some((key, path));
                return Err(A::Error::custom("duplicate key"));
            }
            let value = map.next_value_seed(self)?;
            self.leave();
            entries.insert(key, value);
        }
        Ok(Value::Object(entries))
    }
}
