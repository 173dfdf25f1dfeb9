//! Documents of which the tools are kept as text.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;

use mcp_semver_build::Contract;
use mcp_semver_build::contract::Pinned;
use mcp_semver_build::number::lost_in;
use mcp_semver_build::unique::{Met, State, Tracked};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::map::Entry;
use serde_json::value::RawValue;
use serde_json::{Deserializer as Json, Error, Map, Value};

use super::error::{INPUT, OUTPUT, ToolError};

/// One document.
#[derive(Debug)]
pub(super) enum Document {
    /// An array.
    Array(Vec<Item>),
    /// An object without `tools` and `result.tools`, where those are arrays.
    Object(Map<String, Value>, Lists),
    /// Anything else.
    Other(Value),
}

/// The arrays in which an object holds tools.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// `tools`.
    pub(super) own: Option<Vec<Item>>,
    /// `result.tools`.
    pub(super) result: Option<Vec<Item>>,
}

/// What stands in a list of tools.
#[derive(Debug)]
pub(crate) enum Item {
    /// A tool, or why it is none.
    Tool(Result<Pinned, ToolError>),
    /// What has not been looked at: in an array that is a document, a message.
    Value(Value),
}

impl Item {
    /// The tool.
    ///
    /// # Errors
    /// It is none.
    pub(super) fn tool(self) -> Result<Pinned, ToolError> {
        match self {
            Self::Tool(tool) => tool,
            Self::Value(value) => contract(value).map(Pinned::from),
        }
    }
}

/// The contract in an entry of a list.
fn contract(entry: Value) -> Result<Contract, ToolError> {
    let contract = Contract::from_wire(entry)?;
    match renamed(&contract) {
        Some((field, key)) => {
            Err(ToolError::Renamed { field, key: key.to_owned(), tool: contract.name })
        }
        None => Ok(contract),
    }
}

/// A schema that a tool lacks, and the key under which it may stand instead.
fn renamed(contract: &Contract) -> Option<(&'static str, &str)> {
    let Contract { input_schema, output_schema, rest, .. } = contract;
    let snake_case =
        [("inputSchema", INPUT, input_schema), ("outputSchema", OUTPUT, output_schema)];
    for (field, key, schema) in snake_case {
        if schema.is_none() && rest.get(key).is_some_and(|value| !value.is_null()) {
            return Some((field, key));
        }
    }
    let may_be_schema =
        |(key, value): &(&String, &Value)| value.is_object() && key != &"_meta" && key != &"icons";
    let key = rest.iter().find(may_be_schema).filter(|_| input_schema.is_none());
    key.map(|(key, _)| ("inputSchema", key.as_str()))
}

/// Whether a value is a message of JSON-RPC.
pub(super) fn is_message(value: &Value) -> bool {
    value.get("jsonrpc").is_some()
}

/// A text with documents in it.
pub(super) struct Listed<'t> {
    text: &'t Arc<String>,
    state: &'t RefCell<State>,
    /// Where what stands in a list begins that cannot be read, and why.
    failed: Cell<Option<(usize, Error)>>,
}

impl<'t> Listed<'t> {
    pub(super) fn new(text: &'t Arc<String>, state: &'t RefCell<State>) -> Self {
        Self { text, state, failed: Cell::default() }
    }

    /// The document that begins at a byte of the text, and how many bytes it takes.
    ///
    /// # Errors
    /// It is not sound; with the byte from where the error counts its lines.
    pub(super) fn next(&self, at: usize) -> Result<(Document, usize), (usize, Error)> {
        let mut json = Json::from_str(&self.text[at..]);
        match (Part { listed: self, place: Place::Document }).deserialize(&mut json) {
            Ok(read) => {
                let document = match read {
                    Read::Value(value) => Document::Other(value),
                    Read::Items(items) => Document::Array(items),
                    Read::Object(map, lists) => Document::Object(map, lists),
                };
                Ok((document, json.into_iter::<IgnoredAny>().byte_offset()))
            }
            Err(error) => Err(self.failed.take().unwrap_or((at, error))),
        }
    }

    /// What stands in a list; values that take much memory do not outlive this.
    fn item(&self, raw: &str, may_be_message: bool) -> serde_json::Result<Item> {
        let start = raw.as_ptr().addr() - self.text.as_ptr().addr();
        if let Some((tool, met)) = Pinned::read(self.text, start..start + raw.len()) {
            // Most fractions are what they say: no reason to look through the whole text again.
            let doubles = met.doubles && lost_in(raw).next().is_some();
            if self.state.borrow_mut().takes(Met { doubles, ..met }) {
                return Ok(Item::Tool(Ok(tool)));
            }
        }
        let value = Tracked(Some(self.state)).deserialize(&mut Json::from_str(raw));
        let value = value.map_err(|error| {
            let why = Error::custom(&error);
            self.failed.set(Some((start, error)));
            why
        })?;
        if may_be_message && is_message(&value) {
            return Ok(Item::Value(value));
        }
        Ok(Item::Tool(
            contract(value)
                .map(|contract| Pinned::as_text(&contract, self.text, start..start + raw.len())),
        ))
    }
}

/// A part of a document that may hold tools.
#[derive(Clone, Copy)]
struct Part<'l, 't> {
    listed: &'l Listed<'t>,
    place: Place,
}

/// Where it stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Document,
    Result,
    Tools,
}

/// What it is.
enum Read {
    Value(Value),
    Items(Vec<Item>),
    Object(Map<String, Value>, Lists),
}

impl Part<'_, '_> {
    fn tracked(&self) -> Tracked<'_> {
        Tracked(Some(self.listed.state))
    }

    /// Where the value of a key stands, if it may hold tools.
    fn below(&self, key: &str) -> Option<Self> {
        let place = match (self.place, key) {
            (_, "tools") => Place::Tools,
            (Place::Document, "result") => Place::Result,
            _ => return None,
        };
        Some(Self { place, ..*self })
    }
}

impl<'de> DeserializeSeed<'de> for Part<'_, '_> {
    type Value = Read;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Read, D::Error> {
        self.tracked().count()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_, '_> {
    type Value = Read;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tracked().expecting(f)
    }

    fn visit_unit<E>(self) -> Result<Read, E> {
        Ok(Read::Value(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Read, E> {
        Ok(Read::Value(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Read, E> {
        Ok(Read::Value(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Read, E> {
        Ok(Read::Value(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Read, E> {
        self.tracked().visit_f64(value).map(Read::Value)
    }

    fn visit_str<E>(self, value: &str) -> Result<Read, E> {
        Ok(Read::Value(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Read, A::Error> {
        if self.place == Place::Result {
            return self.tracked().visit_seq(seq).map(Read::Value);
        }
        let mut items = Vec::new();
        while let Some(raw) = seq.next_element::<&RawValue>()? {
            let item = self.listed.item(raw.get(), self.place == Place::Document);
            items.push(item.map_err(|error| {
                self.tracked().passed(items.len());
                A::Error::custom(error)
            })?);
        }
        Ok(Read::Items(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Read, A::Error> {
        let tracked = self.tracked();
        if self.place == Place::Tools {
            return tracked.visit_map(map).map(Read::Value);
        }
        let (mut entries, mut lists) = (Map::new(), Lists::default());
        while let Some(key) = map.next_key::<String>()? {
            let below = self.below(&key);
            let entry = match entries.entry(key) {
                Entry::Occupied(entry) => return Err(tracked.twice(entry.key())),
                Entry::Vacant(entry) => entry,
            };
            let read = match below {
                Some(part) => map.next_value_seed(part),
                None => map.next_value_seed(tracked).map(Read::Value),
            };
            let read = read.inspect_err(|_| tracked.passed(entry.key()))?;
            // The key stays, so that a second one is noticed.
            entry.insert(match read {
                Read::Value(value) => value,
                Read::Object(map, Lists { own, .. }) => {
                    lists.result = own;
                    Value::Object(map)
                }
                Read::Items(items) => {
                    lists.own = Some(items);
                    Value::Null
                }
            });
        }
        if lists.own.is_some() {
            entries.remove("tools");
        }
        Ok(Read::Object(entries, lists))
    }
}
