//! What the rules' grades are set to.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::error::place_of;
use super::{MetadataError, MetadataProblem, Table, wrong_value};
use crate::gate::{Fields, LEVELS, Place, RuleSettings, Setting, ToolGrading};
use crate::rules;
use crate::schema::path;

/// The keys of a tool's table.
const TOOL_KEYS: &[&str] = &["arguments", "results", "rules"];

/// The keys of the table of an argument or result field.
const FIELD_KEYS: &[&str] = &["rules"];

impl Table<'_> {
    /// The levels that rules are set to in the table at `keys`.
    pub(super) fn rules(
        &self,
        keys: &[&str],
        value: &Value,
    ) -> Result<RuleSettings, MetadataError> {
        let setting = |(id, value): (&String, &Value)| {
            let keys = [keys, &[id]].concat();
            let Some(rule) = rules::by_id(id) else {
                return Err(self.fault(&keys, MetadataProblem::Rule { id: id.clone() }));
            };
            let level = LEVELS.iter().find(|(word, _)| value.as_str() == Some(word));
            let expected = "\"allow\", \"patch\", \"minor\" or \"major\"";
            let Some((_, grade)) = level else {
                return Err(self.fault(&keys, wrong_value(id, expected)));
            };
            Ok((rule.id, Setting { grade: *grade, place: self.place(&keys) }))
        };
        self.entries_of(keys, value, "a table of rule = \"level\"")?.iter().map(setting).collect()
    }

    /// What is set for single tools.
    pub(super) fn tools(
        &self,
        value: &Value,
    ) -> Result<BTreeMap<String, ToolGrading>, MetadataError> {
        let tools = self.entries_of(&["tools"], value, "a table of tools")?;
        let one = |(name, value): (&String, &Value)| Ok((name.clone(), self.tool(name, value)?));
        tools.iter().map(one).collect()
    }

    fn tool(&self, name: &str, value: &Value) -> Result<ToolGrading, MetadataError> {
        let keys = ["tools", name];
        let mut tool = ToolGrading {
            place: self.place(&keys),
            rules: RuleSettings::new(),
            arguments: Fields::new(),
            results: Fields::new(),
        };
        for (key, value) in self.entries_of(&keys, value, "a table")? {
            let keys = ["tools", name, key];
            match key.as_str() {
                "rules" => tool.rules = self.rules(&keys, value)?,
                "arguments" => tool.arguments = self.fields(&keys, value)?,
                "results" => tool.results = self.fields(&keys, value)?,
                _ => return Err(self.unknown_below(&keys, TOOL_KEYS)),
            }
        }
        Ok(tool)
    }

    fn fields(&self, keys: &[&str], value: &Value) -> Result<Fields, MetadataError> {
        let mut fields = Fields::new();
        for (path, value) in self.entries_of(keys, value, "a table of argument paths")? {
            let keys = [keys, &[path]].concat();
            if path::steps(path).is_none_or(|steps| steps.is_empty()) {
                return Err(self.fault(&keys, MetadataProblem::Path { path: path.clone() }));
            }
            let mut settings = RuleSettings::new();
            for (key, value) in self.entries_of(&keys, value, "a table")? {
                let keys = [keys.as_slice(), &[key]].concat();
                match key.as_str() {
                    "rules" => settings = self.rules(&keys, value)?,
                    _ => return Err(self.unknown_below(&keys, FIELD_KEYS)),
                }
            }
            fields.insert(path.clone(), (self.place(&keys), settings));
        }
        Ok(fields)
    }

    fn entries_of<'v>(
        &self,
        keys: &[&str],
        value: &'v Value,
        expected: &'static str,
    ) -> Result<&'v Map<String, Value>, MetadataError> {
        let key = keys.last().copied().unwrap_or_default();
        value.as_object().ok_or_else(|| self.fault(keys, wrong_value(key, expected)))
    }

    /// That the last of `keys` is none of the `known` ones.
    fn unknown_below(&self, keys: &[&str], known: &'static [&'static str]) -> MetadataError {
        let (key, table) = keys.split_last().unwrap_or((&"", &[]));
        let (key, table) = ((*key).to_owned(), self.name(table));
        self.fault(keys, MetadataProblem::UnknownKey { key, table, known })
    }

    fn place(&self, keys: &[&str]) -> Place {
        place_of(self.manifest, &self.path(keys))
    }
}
