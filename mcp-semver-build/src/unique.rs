//! JSON whose objects have no key twice.
//!
//! `serde_json` alone would keep the last of the two without a word, and another reader the first,
//! so the two would see different contracts in the same bytes.

use std::cell::RefCell;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A JSON value, read so that an object with a key twice is an error.
#[derive(Debug, Clone, PartialEq)]
pub struct Unique(pub Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Tracked(&RefCell::default()).deserialize(deserializer).map(Self)
    }
}

/// The error about a key that appears twice.
pub fn twice<E: Error>(key: &str) -> E {
    E::custom(format_args!("the key `{key}` appears twice; a key may appear once"))
}

/// Reads as [`Unique`] does, and tells where the key was.
#[derive(Debug, Clone, Copy)]
pub struct Tracked<'s>(pub &'s RefCell<State>);

/// Where a reader is.
#[derive(Debug, Default)]
pub struct State {
    path: Vec<String>,
    /// The first key that was met twice, and the path to it, itself included: object keys, and
    /// array indices counted from 0.
    pub duplicate: Option<(String, Vec<String>)>,
}

impl Tracked<'_> {
    fn enter(self, key: String) {
        self.0.borrow_mut().path.push(key);
    }

    fn leave(self) {
        self.0.borrow_mut().path.pop();
    }
}

impl<'de> DeserializeSeed<'de> for Tracked<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tracked<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
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
                let error = twice(&key);
                let mut state = self.0.borrow_mut();
                let path = state.path.clone();
                state.duplicate = Some((key, path));
                return Err(error);
            }
            let value = map.next_value_seed(self)?;
            self.leave();
            entries.insert(key, value);
        }
        Ok(Value::Object(entries))
    }
}
