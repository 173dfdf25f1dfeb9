//! What stands in a contract's texts that a person does not see, or that speaks to the model.

mod hidden;
mod instruction;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use mcp_semver_build::Contract;
use serde_json::Value;

use crate::finding::Finding;
use crate::rules;
use crate::schema::places;

use hidden::hidden;
use instruction::instruction;

/// Every text of a contract that a model reads, by its JSON pointer; names of properties, which
/// it reads too, by the pointer to what they name.
type Texts = BTreeMap<(String, Kind), String>;

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Value,
    Name,
}

/// Hidden characters and instructions that `new` has and `old` had not.
pub(super) fn findings(old: Option<&Contract>, new: &Contract) -> Vec<Finding> {
    let before = old.map(texts).unwrap_or_default();
    let known: BTreeSet<&String> = before.values().collect();
    let places = Places::of(new);
    let mut found = Vec::new();
    for (place, text) in texts(new).iter().filter(|(_, text)| !known.contains(text)) {
        let previous = before.get(place).map_or("", String::as_str);
        let mut add = |rule, message| {
            found.push(Finding {
                path: places.path(&place.0),
                pointer: place.0.clone(),
                old: Some(previous).filter(|old| !old.is_empty()).map(Value::from),
                new: Some(text.as_str().into()),
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
    }
    found
}

fn texts(contract: &Contract) -> Texts {
    let mut texts = Texts::new();
    for (field, value) in contract.to_fields() {
        collect(&value, format!("/{field}"), &mut texts);
    }
    texts
}

fn collect(value: &Value, pointer: String, texts: &mut Texts) {
    match value {
        Value::String(text) => {
            texts.insert((pointer, Kind::Value), text.clone());
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                collect(value, format!("{pointer}/{index}"), texts);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                texts.insert((pointer.clone(), Kind::Name), key.clone());
                collect(value, pointer, texts);
            }
        }
        _ => {}
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
