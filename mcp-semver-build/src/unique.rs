//! JSON whose objects have no key twice.
//!
//! `serde_json` alone would keep the last of the two without a word, and another reader the first,
//! so the two would see different contracts in the same bytes.

use std::cell::RefCell;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Value};

/// A JSON value, read so that an object with a key twice is an error.
#[derive(Debug, Clone, PartialEq)]
pub struct Unique(pub Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Tracked(None).deserialize(deserializer).map(Self)
    }
}

/// The error about a key that appears twice.
pub fn twice<E: Error>(key: &str) -> E {
    E::custom(format_args!("the key `{key}` appears twice; a key may appear once"))
}

/// Reads as [`Unique`] does; counts, and writes down where it is, where somebody wants to know.
#[derive(Debug, Clone, Copy)]
pub struct Tracked<'s>(pub Option<&'s RefCell<State>>);

/// What a reader may still read, and what it met.
#[derive(Debug)]
pub struct State {
    /// How many more values may be read; `None` once one was too many.
    pub left: Option<usize>,
    /// The first key that was met twice, and the path to it, itself included: object keys, and
    /// array indices counted from 0.
    pub duplicate: Option<(String, Vec<String>)>,
    /// Whether a number was met that a double is kept of: it may be another one.
    pub doubles: bool,
}

/// What was met in a part of a text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Met {
    /// How many values, those inside others included.
    pub values: usize,
    /// As [`State::doubles`].
    pub doubles: bool,
}

impl State {
    /// Before anything is read; more than `limit` values, those inside others included, are an
    /// error: one takes up to a hundred times as much memory as text.
    pub fn new(limit: usize) -> Self {
        Self { left: Some(limit), duplicate: None, doubles: false }
    }

    /// Takes in what was met elsewhere, unless it is too much.
    pub fn takes(&mut self, met: Met) -> bool {
        let left = self.left.and_then(|left| left.checked_sub(met.values));
        self.left = left.or(self.left);
        self.doubles |= met.doubles;
        left.is_some()
    }
}

impl Tracked<'_> {
    /// Counts a value.
    ///
    /// # Errors
    /// It is one too many.
    pub fn count<E: Error>(self) -> Result<(), E> {
        let Some(state) = self.0 else { return Ok(()) };
        let left = &mut state.borrow_mut().left;
        *left = left.and_then(|left| left.checked_sub(1));
        left.map(drop).ok_or_else(|| E::custom("too many values"))
    }

    /// The error about a key that appears twice.
    pub fn twice<E: Error>(self, key: &str) -> E {
        if let Some(state) = self.0 {
            state.borrow_mut().duplicate = Some((key.to_owned(), vec![key.to_owned()]));
        }
        twice(key)
    }

    /// Whoever passes an error on says where from; what is read without one costs no path.
    pub fn passed(self, place: impl ToString) {
        if let Some(state) = self.0
            && let Some((_, path)) = &mut state.borrow_mut().duplicate
        {
            path.insert(0, place.to_string());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Tracked<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.count()?;
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
        if let Some(state) = self.0 {
            state.borrow_mut().doubles = true;
        }
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) =
            seq.next_element_seed(self).inspect_err(|_| self.passed(items.len()))?
        {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            match entries.entry(key) {
                Entry::Occupied(entry) => return Err(self.twice(entry.key())),
                Entry::Vacant(entry) => {
                    let value = map.next_value_seed(self);
                    let value = value.inspect_err(|_| self.passed(entry.key()))?;
                    entry.insert(value);
                }
            }
        }
        Ok(Value::Object(entries))
    }
}
