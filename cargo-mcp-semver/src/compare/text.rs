//! What stands in a contract's texts that a person does not see, or that speaks to the model.

mod hidden;
mod instruction;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use mcp_semver_build::Contract;
use mcp_semver_build::contract::Field;
use mcp_semver_build::pointer::escaped;
use serde_json::Value;

use crate::finding::Finding;
use crate::rules;
use crate::schema::places;

use hidden::hidden;
use instruction::instruction;

/// Hidden characters and instructions that `new` has and `old` had not.
pub(super) fn findings(old: Option<&Contract>, new: &Contract) -> Vec<Finding> {
    let known = OnceCell::new();
    let places = Places::of(new);
    let mut found = Vec::new();
    let mut look_at = |pointer: &str, text: &str, previous: &str| {
        if known.get_or_init(|| texts(old)).contains(text) {
            return;
        }
        let mut add = |rule, message| {
            found.push(Finding {
                path: places.path(pointer),
                pointer: pointer.to_owned(),
                old: Some(previous).filter(|old| !old.is_empty()).map(Value::from),
                new: Some(text.into()),
                ..Finding::new(rule, message)
            });
        };
        let hidden = hidden(text);
        if !hidden.is_empty() && hidden != hidden::hidden(previous) {
            let names: BTreeSet<String> =
                hidden.iter().map(|it| format!("U+{:04X}", u32::from(*it))).collect();
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            let message = format!("a text of `{}` has hidden characters: {names}", new.name);
            add(&rules::hidden_text::RULE, message);
        }
        if let Some(phrase) = instruction(previous, text) {
            let message = format!("a text of `{}` tells the model: \"{phrase}\"", new.name);
            add(&rules::instruction_text::RULE, message);
        }
    };
    for (name, field) in new.fields() {
        let before = old.and_then(|old| old.fields().find(|(old, _)| *old == name));
        let mut pointer = format!("/{name}");
        match (field, before.map(|(_, field)| field)) {
            (Field::Text(text), Some(Field::Text(before))) => look_at(&pointer, text, before),
            (Field::Text(text), _) => look_at(&pointer, text, ""),
            (Field::Json(value), Some(Field::Json(before))) => {
                each_text(value, Some(before), &mut pointer, &mut look_at);
            }
            (Field::Json(value), _) => each_text(value, None, &mut pointer, &mut look_at),
        }
    }
    found
}

/// Calls `each` with every text of a value that a model reads, names of properties included, the
/// JSON pointer to it or to what it names, and the text that stood there; what stands where it stood
/// is left out. `pointer` leads to the value.
fn each_text(
    value: &Value,
    before: Option<&Value>,
    pointer: &mut String,
    each: &mut impl FnMut(&str, &str, &str),
) {
    if before == Some(value) {
        return;
    }
    let length = pointer.len();
    match value {
        Value::String(text) => {
            each(pointer, text, before.and_then(Value::as_str).unwrap_or_default());
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                *pointer += &format!("/{index}");
                each_text(value, before.and_then(|it| it.get(index)), pointer, each);
                pointer.truncate(length);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                *pointer += &format!("/{}", escaped(key));
                let before = before.and_then(|it| it.get(key));
                if before.is_none() {
                    each(pointer, key, "");
                }
                each_text(value, before, pointer, each);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

/// Every text of a contract that a model reads.
fn texts(contract: Option<&Contract>) -> HashSet<&str> {
    fn collect<'v>(value: &'v Value, texts: &mut HashSet<&'v str>) {
        match value {
            Value::String(text) => {
                texts.insert(text);
            }
            Value::Array(list) => list.iter().for_each(|value| collect(value, texts)),
            Value::Object(map) => {
                texts.extend(map.keys().map(String::as_str));
                map.values().for_each(|value| collect(value, texts));
            }
            _ => {}
        }
    }
    let mut texts = HashSet::new();
    for (_, field) in contract.into_iter().flat_map(Contract::fields) {
        match field {
            Field::Text(text) => {
                texts.insert(text);
            }
            Field::Json(value) => collect(value, &mut texts),
        }
    }
    texts
}

/// Where the schemas of a contract apply; looked up only where something is found.
struct Places<'a> {
    contract: &'a Contract,
    input: OnceCell<BTreeMap<String, String>>,
    output: OnceCell<BTreeMap<String, String>>,
}

impl<'a> Places<'a> {
    fn of(contract: &'a Contract) -> Self {
        Self { contract, input: OnceCell::new(), output: OnceCell::new() }
    }

    /// The argument or result field whose text stands at `pointer`: that of the innermost schema
    /// around it. Empty for a text of the tool.
    fn path(&self, pointer: &str) -> String {
        let Contract { input_schema, output_schema, .. } = self.contract;
        let sides = [
            ("/inputSchema", input_schema, &self.input),
            ("/outputSchema", output_schema, &self.output),
        ];
        for (field, schema, known) in sides {
            let (Some(inside), Some(schema)) = (pointer.strip_prefix(field), schema) else {
                continue;
            };
            let known = known.get_or_init(|| places(schema));
            let mut around = std::iter::successors(Some(inside), |at| Some(at.rsplit_once('/')?.0));
            return around.find_map(|at| known.get(at)).cloned().unwrap_or_default();
        }
        String::new()
    }
}
