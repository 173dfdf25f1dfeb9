//! From contents to text.

use std::path::Path;

use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};
use serde_saphyr::{DoubleQuoted, FlowMap, SerializerOptions};

use super::{LockedPackage, LockedTool, Lockfile, LockfileError};
use crate::contract::{Contract, Field};
use crate::order::sorted;

pub(super) fn to_yaml(lockfile: &Lockfile) -> Result<String, LockfileError> {
    let unwritable = |reason: String| LockfileError::Unwritable { reason };
    let text = serde_saphyr::to_string_with_options(lockfile, options())
        .map_err(|error| unwritable(error.to_string()))?;
    // The YAML writer is not ours: digests hold only if every value survives it.
    match Lockfile::parse(&text, Path::new("the new lockfile")) {
        Ok(read) if read == *lockfile => Ok(text),
        Ok(_) => Err(unwritable("a value changed on the way through YAML".to_owned())),
        Err(error) => Err(unwritable(error.to_string())),
    }
}

pub(super) fn options() -> SerializerOptions {
    serde_saphyr::ser_options! {
        // A line stays a line, however long: a reworded sentence is one changed line in a diff.
        folded_wrap_chars: usize::MAX,
    }
}

impl Serialize for Lockfile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("version", &1)?;
        map.serialize_entry("generated_for", &self.generated_for)?;
        if let Some(package) = &self.package {
            map.serialize_entry("package", &FlowMap(package))?;
        }
        if !self.sdk.is_empty() {
            map.serialize_entry("sdk", &FlowMap(&self.sdk))?;
        }
        map.serialize_entry("tools", &self.tools)?;
        rest(&mut map, &self.rest)?;
        map.end()
    }
}

impl Serialize for LockedPackage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("version", &self.version)?;
        if let Some(reviewed) = &self.reviewed {
            map.serialize_entry("reviewed", reviewed)?;
        }
        map.end()
    }
}

impl Serialize for LockedTool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("semver", &DoubleQuoted(self.semver.to_string()))?;
        map.serialize_entry("contract_digest", &DoubleQuoted(self.digest.to_string()))?;
        if let Some(contract) = &self.contract {
            map.serialize_entry("contract", &Fields(contract))?;
        }
        rest(&mut map, &self.rest)?;
        map.end()
    }
}

/// A contract with its fields in the specification's order, and others after them.
struct Fields<'a>(&'a Contract);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.0.fields() {
            match value {
                Field::Text(text) => map.serialize_entry(name, &Text(text))?,
                Field::Json(value) => map.serialize_entry(name, &Sorted(value))?,
            }
        }
        rest(&mut map, &self.0.rest)?;
        map.end()
    }
}

/// Any text.
struct Text<'a>(&'a str);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Block style, whose first line tells the indentation, is where readers disagree.
        if self.0.starts_with(char::is_whitespace) {
            DoubleQuoted(self.0).serialize(serializer)
        } else {
            self.0.serialize(serializer)
        }
    }
}

/// A JSON value with sorted keys, whatever order another crate's features gave to
/// [`serde_json::Map`].
struct Sorted<'a>(&'a Value);

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Array(items) => serializer.collect_seq(items.iter().map(Sorted)),
            Value::Object(map) => serializer
                .collect_map(sorted(map).into_iter().map(|(key, value)| (key, Sorted(value)))),
            Value::String(text) => Text(text).serialize(serializer),
            // Not by its own `Serialize`, which another crate's features can change.
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), _, _) => serializer.serialize_u64(number),
                (_, Some(number), _) => serializer.serialize_i64(number),
                (_, _, Some(number)) => serializer.serialize_f64(number),
                _ => Err(S::Error::custom(format!("{number} is out of range"))),
            },
            scalar => scalar.serialize(serializer),
        }
    }
}

fn rest<M: SerializeMap>(map: &mut M, rest: &Map<String, Value>) -> Result<(), M::Error> {
    sorted(rest).into_iter().try_for_each(|(key, value)| map.serialize_entry(key, &Sorted(value)))
}
