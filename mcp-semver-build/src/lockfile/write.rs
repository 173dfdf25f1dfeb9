//! From contents to text.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use semver::Version;
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};
use serde_saphyr::{DoubleQuoted, FlowMap, SerializerOptions};

use super::{LockedPackage, LockedTool, Lockfile, LockfileError};
use crate::contract::{Contract, Field};
use crate::digest::Digest;

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

/// Whether `block` is what a lockfile says of a tool with these contents and no more: the lines
/// from the one with its name on.
pub(super) fn is_written(
    block: &str,
    semver: &Version,
    digest: Digest,
    contract: &Contract,
) -> bool {
    let tool = Pinned { semver, digest, contract: Some(Fields(contract, None)), rest: None };
    let tools = BTreeMap::from([("tools", BTreeMap::from([(contract.name.as_str(), tool)]))]);
    let mut expected = Expected { head: "tools:\n", block };
    serde_saphyr::to_fmt_writer_with_options(&mut expected, &tools, options()).is_ok()
        && expected.head.is_empty()
        && expected.block.is_empty()
}

/// A writer that only takes what it expects: first the head, then the block.
struct Expected<'t> {
    head: &'t str,
    block: &'t str,
}

impl fmt::Write for Expected<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let (head, text) =
            text.split_at_checked(self.head.len().min(text.len())).ok_or(fmt::Error)?;
        self.head = self.head.strip_prefix(head).ok_or(fmt::Error)?;
        self.block = self.block.strip_prefix(text).ok_or(fmt::Error)?;
        Ok(())
    }
}

fn options() -> SerializerOptions {
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
        Pinned {
            semver: &self.semver,
            digest: self.digest,
            contract: self.contract.as_deref().map(|it| Fields(it, Some(&it.rest))),
            rest: Some(&self.rest),
        }
        .serialize(serializer)
    }
}

/// A tool as it is written.
struct Pinned<'a> {
    semver: &'a Version,
    digest: Digest,
    contract: Option<Fields<'a>>,
    rest: Option<&'a Map<String, Value>>,
}

impl Serialize for Pinned<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("semver", &DoubleQuoted(self.semver.to_string()))?;
        map.serialize_entry("contract_digest", &DoubleQuoted(self.digest.to_string()))?;
        if let Some(contract) = &self.contract {
            map.serialize_entry("contract", contract)?;
        }
        self.rest.map_or(Ok(()), |it| rest(&mut map, it))?;
        map.end()
    }
}

/// A contract with its fields in the specification's order, and others after them.
struct Fields<'a>(&'a Contract, Option<&'a Map<String, Value>>);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.0.fields() {
            match value {
                Field::Text(text) => map.serialize_entry(name, &Text(text))?,
                Field::Json(value) => map.serialize_entry(name, &Sorted(value))?,
            }
        }
        self.1.map_or(Ok(()), |it| rest(&mut map, it))?;
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

fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries
}
