//! From text to contents.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use semver::Version;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::Spanned;
use serde_saphyr::budget::BudgetBreach;

use super::lost;
use super::{LockedPackage, LockedTool, Lockfile, LockfileError, Problem, UNSPECIFIED};
use crate::contract::{Contract, type_name};
use crate::digest::Digest;
use crate::stack;
use crate::unique::{self, Unique};

/// How deep a file may nest. JSON readers stop at 128, and a schema lies four levels down.
const DEPTH_LIMIT: usize = 140;
/// How many keys and values a lockfile may hold; a tool has some sixty.
const NODE_LIMIT: usize = 2_000_000;

/// Bytes of stack for reading a file of that depth: unoptimised code takes 30 kB a level, more than
/// the stacks of test threads and of Windows hold.
const STACK_SIZE: usize = 32 << 20;

pub(super) fn parse(text: &str, path: &Path) -> Result<Lockfile, LockfileError> {
    let read = stack::of(STACK_SIZE, || read(text))
        .map_err(|source| LockfileError::Read { path: path.to_owned(), source })?;
    read.map_err(|Fault { line, tool, problem }| LockfileError::Invalid {
        path: path.to_owned(),
        line,
        tool,
        problem,
    })
}

/// A problem and where it lies.
pub(super) struct Fault {
    pub(super) line: Option<usize>,
    tool: Option<String>,
    problem: Box<Problem>,
}

impl Fault {
    pub(super) fn at(line: usize, problem: impl Into<Problem>) -> Self {
        // Line 0 is how the YAML reader says that it does not know.
        Self {
            line: Some(line).filter(|line| *line > 0),
            tool: None,
            problem: Box::new(problem.into()),
        }
    }

    pub(super) fn of(self, tool: &str) -> Self {
        Self { tool: Some(tool.to_owned()), ..self }
    }
}

fn read(text: &str) -> Result<Lockfile, Fault> {
    if let Some(line) = line_of(text, |line| line.contains('\0')) {
        return Err(Fault::at(line, Problem::NotText));
    }
    if let Some(line) = line_of(text, is_conflict_marker) {
        return Err(Fault::at(line, Problem::Conflict { line }));
    }
    let text = text.trim_start_matches('\u{feff}');
    if text.lines().all(|line| matches!(line.trim_start().bytes().next(), None | Some(b'#'))) {
        return Err(Fault::at(0, Problem::Empty));
    }
    let document = serde_saphyr::from_str_with_options(text, options());
    if let Some(fault) = lost::fault(text, document.as_ref().ok()) {
        return Err(fault);
    }
    let document: Document<Unique> = document.map_err(|error| {
        let error = error.without_snippet();
        let line = error.location().map_or(0, |location| location.line());
        Fault::at(usize::try_from(line).unwrap_or(0), Problem::Yaml(yaml_message(error)))
    })?;
    document.lockfile()
}

fn line_of(text: &str, matches: impl Fn(&str) -> bool) -> Option<usize> {
    text.lines().position(matches).map(|index| index + 1)
}

/// Whether a line, from its first column, is one that git leaves in an unresolved merge. Text in
/// a lockfile is indented, so it cannot be mistaken for one.
fn is_conflict_marker(line: &str) -> bool {
    ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].iter().any(|marker| {
        line.strip_prefix(marker).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

fn yaml_message(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error;

    match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            return format!("the key `{key}` appears twice; a key may appear once");
        }
        Error::MultipleDocuments { .. } => {
            return "more than one YAML document; a lockfile is one".to_owned();
        }
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => {
            return format!(
                "nested deeper than {DEPTH_LIMIT} levels, which no JSON reader accepts"
            );
        }
        Error::Budget {
            breach: BudgetBreach::Nodes { .. } | BudgetBreach::Events { .. }, ..
        } => {
            return format!("more than {NODE_LIMIT} keys and values, which no lockfile needs");
        }
        Error::Unexpected { expected: "mapping start", .. } => {
            return "a mapping is expected here".to_owned();
        }
        _ => {}
    }
    let message = error.render_with_options(serde_saphyr::render_options! {
        snippets: serde_saphyr::SnippetMode::Off,
    });
    // Our own messages begin with the place.
    match message.rsplit_once(" at line ") {
        Some((message, _)) => message.to_owned(),
        None => message,
    }
}

pub(super) fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEPTH_LIMIT,
            flow_nesting_limit: DEPTH_LIMIT,
            max_nodes: NODE_LIMIT,
            max_events: 16_000_000,
            // Property names have no bound in JSON.
            simple_key_max_lookahead: 1 << 20,
        },
        // A lockfile has no use for aliases, but a formatter may write some.
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 50_000 },
        // `yes` and `off` are words, as in YAML 1.2.
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        // Text in a contract may be any text.
        null_as_string: true,
        merge_keys: serde_saphyr::MergeKeyPolicy::AsOrdinary,
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::Reject,
        reject_unsupported_tags: true,
        bom_inside_document_as_content: true,
    }
}

/// A mapping, each key with its line. The YAML reader refuses repeated keys, but takes `1` and
/// `"1"` for two.
pub(super) struct Entries<T>(pub(super) BTreeMap<String, (usize, T)>);

impl<'de, T: Deserialize<'de>> Entries<T> {
    /// Reads the value of `key`.
    fn read<A: MapAccess<'de>>(
        &mut self,
        key: Spanned<String>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let line = usize::try_from(key.referenced.line()).unwrap_or(0);
        match self.0.entry(key.value) {
            Entry::Occupied(entry) => Err(unique::twice(entry.key())),
            Entry::Vacant(entry) => {
                entry.insert((line, map.next_value()?));
                Ok(())
            }
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Entries(BTreeMap::new());
                while let Some(key) = map.next_key()? {
                    entries.read(key, &mut map)?;
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

/// The whole file: the tools apart, so that every key of a tool has its line.
pub(super) struct Document<T> {
    pub(super) tools: Option<Entries<Entries<T>>>,
    pub(super) rest: Entries<T>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Document<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DocumentVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for DocumentVisitor<T> {
            type Value = Document<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping with the keys `version` and `tools`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut document = Document { tools: None, rest: Entries(BTreeMap::new()) };
                while let Some(key) = map.next_key::<Spanned<String>>()? {
                    if key.value == "tools" {
                        document.tools = Some(map.next_value()?);
                    } else {
                        document.rest.read(key, &mut map)?;
                    }
                }
                Ok(document)
            }
        }
        deserializer.deserialize_map(DocumentVisitor(PhantomData))
    }
}

impl Document<Unique> {
    /// Whether it has one of these numbers.
    pub(super) fn holds(&self, numbers: &[f64]) -> bool {
        fn inside(value: &Value, numbers: &[f64]) -> bool {
            match value {
                Value::Number(number) => number.as_f64().is_some_and(|it| numbers.contains(&it)),
                Value::Array(items) => items.iter().any(|item| inside(item, numbers)),
                Value::Object(map) => map.values().any(|value| inside(value, numbers)),
                _ => false,
            }
        }
        let tools = self.tools.iter().flat_map(|tools| tools.0.values());
        let entries = tools.flat_map(|(_, tool)| tool.0.values()).chain(self.rest.0.values());
        entries.into_iter().any(|(_, Unique(value))| inside(value, numbers))
    }

    fn lockfile(self) -> Result<Lockfile, Fault> {
        let mut keys = Keys::new(self.rest, 1);
        keys.format_version()?;
        let generated_for = keys.text("generated_for")?.unwrap_or_else(|| UNSPECIFIED.to_owned());
        let package = keys.nested("package")?.map(locked_package).transpose()?;
        let sdk = keys.nested("sdk")?.map(versions).transpose()?.unwrap_or_default();
        let tools = self.tools.ok_or_else(|| Fault::at(1, Problem::MissingKey { key: "tools" }))?;
        let tools = tools.0.into_iter().map(locked_tool).collect::<Result<_, Fault>>()?;
        Ok(Lockfile { generated_for, package, sdk, tools, rest: keys.rest() })
    }
}

fn locked_package(mut keys: Keys) -> Result<LockedPackage, Fault> {
    let name = keys.text("name")?.ok_or_else(|| keys.missing("name"))?;
    let reviewed = keys.holds("reviewed").then(|| keys.semver("reviewed")).transpose()?;
    Ok(LockedPackage { name, version: keys.semver("version")?, reviewed })
}

fn versions(keys: Keys) -> Result<BTreeMap<String, Version>, Fault> {
    let read = |(name, (line, value)): (String, (usize, Value))| match value {
        Value::String(text) => Ok((name.clone(), parse_version(line, &name, text)?)),
        other => Err(wrong_type(line, &name, "a version in quotes", &other)),
    };
    keys.values.into_iter().map(read).collect()
}

fn locked_tool(
    (name, (line, entries)): (String, (usize, Entries<Unique>)),
) -> Result<(String, LockedTool), Fault> {
    if name.trim().is_empty() {
        return Err(Fault::at(line, Problem::EmptyName));
    }
    let mut keys = Keys::new(entries, line);
    let tool = read_tool(&name, &mut keys).map_err(|fault| fault.of(&name))?;
    Ok((name, LockedTool { rest: keys.rest(), ..tool }))
}

fn read_tool(name: &str, keys: &mut Keys) -> Result<LockedTool, Fault> {
    let semver = keys.semver("semver")?;
    let digest_line = keys.line("contract_digest");
    let digest: Digest = keys
        .text("contract_digest")?
        .ok_or_else(|| keys.missing("contract_digest"))?
        .parse()
        .map_err(|error: crate::digest::DigestError| Fault::at(digest_line, error))?;
    let contract_line = keys.line("contract");
    let Some(wire) = keys.take("contract") else {
        return Ok(LockedTool { semver, digest, contract: None, rest: Map::new() });
    };
    let has_null = wire.as_object().is_some_and(|map| map.values().any(Value::is_null));
    let as_written = Digest::of_wire(digest.scheme, &wire);
    let contract = Contract::from_wire(wire).map_err(|error| Fault::at(contract_line, error))?;
    if contract.name != name {
        return Err(Fault::at(contract_line, Problem::OtherName { name: contract.name }));
    }
    // Other writers hash a field that is null, which is no field here.
    let actual = if has_null { Digest::of(digest.scheme, &contract) } else { as_written };
    if digest != actual && digest != as_written {
        return Err(Fault::at(digest_line, Problem::Edited { actual }));
    }
    let contract = Some(contract.into());
    Ok(LockedTool { semver, digest: actual, contract, rest: Map::new() })
}

/// The keys of one mapping that are not read yet. A null value counts as absent.
struct Keys {
    values: BTreeMap<String, (usize, Value)>,
    /// Line of the mapping itself.
    line: usize,
}

impl Keys {
    fn new(entries: Entries<Unique>, line: usize) -> Self {
        let entries = entries.0.into_iter();
        let values = entries.map(|(key, (line, Unique(value)))| (key, (line, value)));
        Self { values: values.collect(), line }
    }

    /// The line of a key, or of the mapping where it lacks the key.
    fn line(&self, key: &str) -> usize {
        self.values.get(key).map_or(self.line, |(line, _)| *line)
    }

    fn missing(&self, key: &'static str) -> Fault {
        Fault::at(self.line, Problem::MissingKey { key })
    }

    fn holds(&self, key: &str) -> bool {
        self.values.get(key).is_some_and(|(_, value)| !value.is_null())
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.values.remove(key).map(|(_, value)| value).filter(|value| !value.is_null())
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, Fault> {
        let line = self.line(key);
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_type(line, key, "text", &other)),
        }
    }

    fn semver(&mut self, key: &'static str) -> Result<Version, Fault> {
        let line = self.line(key);
        let text = self.text(key)?.ok_or_else(|| self.missing(key))?;
        parse_version(line, key, text)
    }

    /// The mapping under `key`; all of it counts as lying on the key's line.
    fn nested(&mut self, key: &str) -> Result<Option<Self>, Fault> {
        let line = self.line(key);
        match self.take(key) {
            None => Ok(None),
            Some(Value::Object(map)) => {
                let values = map.into_iter().map(|(key, value)| (key, (line, value))).collect();
                Ok(Some(Self { values, line }))
            }
            Some(other) => Err(wrong_type(line, key, "a mapping", &other)),
        }
    }

    fn format_version(&mut self) -> Result<(), Fault> {
        let line = self.line("version");
        match self.take("version") {
            None => Err(self.missing("version")),
            Some(version) if version == 1 => Ok(()),
            Some(Value::Number(version)) => {
                Err(Fault::at(line, Problem::FormatVersion { found: version.to_string() }))
            }
            Some(other) => Err(wrong_type(line, "version", "the number 1", &other)),
        }
    }

    /// What is left, kept for the writer.
    fn rest(self) -> Map<String, Value> {
        self.values.into_iter().map(|(key, (_, value))| (key, value)).collect()
    }
}

fn parse_version(line: usize, key: &str, text: String) -> Result<Version, Fault> {
    Version::parse(&text).map_err(|error| {
        Fault::at(line, Problem::Semver { key: key.to_owned(), text, reason: error.to_string() })
    })
}

fn wrong_type(line: usize, key: &str, expected: &'static str, found: &Value) -> Fault {
    Fault::at(line, Problem::WrongType { key: key.to_owned(), expected, found: type_name(found) })
}
