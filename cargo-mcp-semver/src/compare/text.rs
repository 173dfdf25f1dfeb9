//! What stands in a contract's texts that a person does not see, or that speaks to the model.

mod hidden;
mod instruction;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use mcp_semver_build::Contract;
use mcp_semver_build::contract::Field;
use serde_json::Value;

use crate::finding::Finding;
use crate::rules;
use crate::schema::places;

use hidden::hidden;
use instruction::instruction;

/// Hidden characters and instructions that `new` has and `old` had not.
pub(super) fn findings(old: Option<&Contract>, new: &Contract) -> Vec<Finding> {
    let mut known = HashSet::new();
    for (_, field) in old.into_iter().flat_map(Contract::fields) {
        each_text(field, &mut String::new(), &mut |_, _, text| {
            known.insert(text);
        });
    }
    let places = Places::of(new);
    let mut found = Vec::new();
    for (name, field) in new.fields() {
        each_text(field, &mut format!("/{name}"), &mut |pointer, kind, text| {
            if known.contains(text) {
                return;
            }
            // A name that was there is known.
            let previous = old.filter(|_| kind == Kind::Value).and_then(|old| at(old, pointer));
            let previous = previous.unwrap_or_default();
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
        });
    }
    found
}

/// What a text that a model reads is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Value,
    /// The name of a property.
    Name,
}

/// Calls `each` with every text of a field that a model reads and the JSON pointer to it or to what
/// it names; `pointer` leads to the field.
fn each_text<'v>(
    field: Field<'v>,
    pointer: &mut String,
    each: &mut impl FnMut(&str, Kind, &'v str),
) {
    match field {
        Field::Text(text) => each(pointer, Kind::Value, text),
        Field::Json(Value::String(text)) => each(pointer, Kind::Value, text),
        Field::Json(Value::Array(list)) => {
            for (index, value) in list.iter().enumerate() {
                let length = pointer.len();
                let _ = write!(pointer, "/{index}");
                each_text(Field::Json(value), pointer, each);
                pointer.truncate(length);
            }
        }
        Field::Json(Value::Object(map)) => {
            for (key, value) in map {
                let length = pointer.len();
                pointer.push('/');
                match key.contains(['~', '/']) {
                    true => *pointer += &key.replace('~', "~0").replace('/', "~1"),
                    false => *pointer += key,
                }
                each(pointer, Kind::Name, key);
                each_text(Field::Json(value), pointer, each);
                pointer.truncate(length);
            }
        }
        Field::Json(_) => {}
    }
}

/// The text at a JSON pointer.
fn at<'c>(contract: &'c Contract, pointer: &str) -> Option<&'c str> {
    let end = pointer[1..].find('/').map_or(pointer.len(), |end| end + 1);
    let (_, field) = contract.fields().find(|(name, _)| *name == &pointer[1..end])?;
    match field {
        Field::Text(text) => Some(text).filter(|_| end == pointer.len()),
        Field::Json(value) => value.pointer(&pointer[end..])?.as_str(),
    }
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
