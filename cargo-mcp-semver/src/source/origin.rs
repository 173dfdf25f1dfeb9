//! Where in the Rust source the parts of contracts come from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mcp_semver_build::Contract;
use mcp_semver_build::evaluate::{EvaluatedTool, Evaluation};
use mcp_semver_build::pointer::target;
use mcp_semver_build::scan::SourceSpan;
use serde_json::{Map, Value};

use super::Sourced;
use super::build::Places;
use crate::finding::{Finding, Span};
use crate::verdict::ToolReport;

#[cfg(test)]
mod tests;

/// What evaluation of the source tells of a server's tools, part by part.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    /// The package's directory, absolute: spans start there.
    package: PathBuf,
    /// By name, each with its contract alone as [`EvaluatedTool::wire`].
    tools: BTreeMap<String, EvaluatedTool>,
}

impl Origins {
    /// Leaves out names that come twice: which of the two is meant is not known.
    pub(super) fn new(package: &Path, evaluated: Vec<EvaluatedTool>) -> Self {
        let mut tools = BTreeMap::new();
        let mut twice = BTreeSet::new();
        for mut tool in evaluated {
            let Ok(contract) = Contract::from_wire(std::mem::take(&mut tool.wire)) else {
                continue;
            };
            tool.wire = contract.to_json();
            if tools.insert(contract.name.clone(), tool).is_some() {
                twice.insert(contract.name);
            }
        }
        tools.retain(|name, _| !twice.contains(name));
        Self { package: package.to_owned(), tools }
    }

    /// Adds what is told of other tools of the same package.
    pub(super) fn extend(&mut self, other: Self) {
        self.package = other.package;
        self.tools.extend(other.tools);
    }

    /// Where what a finding is about stands, or would stand, in the source of a tool whose
    /// contract is now `new`. `None` where the source tells another contract there.
    fn place(&self, tool: &str, new: &Value, finding: &Finding) -> Option<Span> {
        let tool = self.tools.get(tool)?;
        let pointer = pointer(finding, new);
        let part = new.pointer(&pointer);
        let is_told = tool.wire == *new || part.is_some() && part == tool.wire.pointer(&pointer);
        is_told.then(|| self.span(tool.place(&pointer)))
    }

    fn span(&self, span: &SourceSpan) -> Span {
        Places { package: &self.package }.span(span)
    }
}

impl Sourced {
    /// Tells each finding the place in the source that it is about, the tool's function where
    /// nothing nearer is known for sure.
    pub fn locate(&self, tools: &mut [ToolReport]) {
        for tool in tools {
            tool.span = self.spans.get(&tool.name).cloned();
            let new = tool.new.as_deref().map(Contract::to_json);
            for finding in &mut tool.findings {
                let place = match &new {
                    Some(new) => self.origins.place(&tool.name, new, finding),
                    None => tool
                        .span
                        .clone()
                        .or_else(|| self.successor(finding))
                        .or_else(|| self.block()),
                };
                finding.span = finding.span.take().or(place).or_else(|| tool.span.clone());
            }
        }
    }

    /// Where the tool stands that a removed one was renamed to.
    fn successor(&self, finding: &Finding) -> Option<Span> {
        self.spans.get(finding.new.as_ref()?.as_str()?).cloned()
    }

    /// The `impl` that all tools stand in, where it is one, or else that of the handler.
    fn block(&self) -> Option<Span> {
        let origin = |contract: &Contract| self.origins.tools.get(&contract.name)?.block.as_ref();
        let mut blocks = self.catalogue.iter().map(origin);
        let first = blocks.next().flatten();
        let is_one = self.unresolved.is_empty()
            && self.unchecked.is_empty()
            && blocks.all(|block| block == first);
        let only = first.filter(|_| is_one).map(|block| self.origins.span(block));
        only.or_else(|| self.handler.clone())
    }

    /// Takes what evaluation of the same source tells, beside what a build told.
    pub(super) fn compare_source(&mut self, package: &Path, evaluation: Evaluation) {
        let Evaluation { tools, unresolved, run_time, unread, .. } = evaluation;
        let names = tools.iter().filter_map(|tool| tool.wire["name"].as_str());
        let names = names.chain(unresolved.iter().map(|tool| tool.name.as_str()));
        let names: BTreeSet<String> = names.map(str::to_owned).collect();
        self.origins = Origins::new(package, tools);
        // What is made at run time may be served or not.
        if run_time.is_empty() && unread.is_empty() {
            let evaluated = self.origins.tools.iter();
            let other = evaluated.filter_map(|(name, tool)| self.disagreement(name, tool));
            let built = self.catalogue.iter().map(|contract| &contract.name);
            let missing = built.filter(|name| !names.contains(*name));
            let missing = missing.map(|name| format!("the source does not show `{name}`"));
            self.disagreements = other.chain(missing).collect();
        }
    }

    /// What the source of a tool gives otherwise than its build.
    fn disagreement(&self, name: &str, tool: &EvaluatedTool) -> Option<String> {
        let built = self.catalogue.get(name).map_or(Value::Null, Contract::to_json);
        let sides = [&tool.wire, &built].into_iter().filter_map(Value::as_object);
        let fields: BTreeSet<&String> = sides.flat_map(Map::keys).collect();
        let fields = fields.into_iter().filter(|it| tool.wire.get(*it) != built.get(*it));
        let fields: Vec<String> = fields.map(|field| format!("`{field}`")).collect();
        let Span { file, line, .. } = self.origins.span(&tool.span);
        let (file, fields) = (file.display(), fields.join(", "));
        (!fields.is_empty()).then(|| {
            format!("{file}:{line}: the source gives `{name}` another {fields} than the build")
        })
    }
}

/// JSON pointer to the part of the new contract that a finding is about: of a list the first value
/// that it gained, of an object or a list that lost something the type that declares it.
fn pointer(finding: &Finding, new: &Value) -> String {
    let pointer = finding.anchor.as_ref().unwrap_or(&finding.pointer);
    let found = match (finding.rule.id, &finding.old) {
        ("input_enum_widened" | "output_widened", Some(Value::Array(old))) => {
            added_value(new, pointer, old, &mut BTreeSet::new())
        }
        (
            "input_property_removed"
            | "output_property_removed"
            | "input_closed"
            | "input_opened"
            | "output_closed"
            | "output_opened",
            _,
        ) => Some(declaration(new, pointer) + "/properties"),
        ("input_enum_narrowed" | "output_enum_narrowed", _) => {
            Some(list(new, declaration(new, pointer)))
        }
        (
            "input_constraint_tightened"
            | "input_constraint_loosened"
            | "input_format_narrowed"
            | "input_format_widened"
            | "output_constraint_tightened"
            | "output_widened",
            _,
        ) => constraint(new, pointer, finding.new.as_ref()),
        _ => None,
    };
    found.unwrap_or_else(|| pointer.clone())
}

/// Keywords that an attribute of a field may add to its schema.
const CONSTRAINTS: [&str; 8] =
    ["format", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "pattern"];

/// The keyword of a schema that has this value.
fn constraint(new: &Value, pointer: &str, value: Option<&Value>) -> Option<String> {
    let schema = new.pointer(pointer)?;
    let mut keywords = CONSTRAINTS.iter().filter(|keyword| schema.get(**keyword) == value);
    value.and_then(|_| keywords.next()).map(|keyword| format!("{pointer}/{keyword}"))
}

/// More references in a row than any schema has.
const MAX_DEPTH: usize = 16;

/// The first value that a schema lists, or a list of values or schemas holds, and `old` does not.
fn added_value(
    new: &Value,
    pointer: &str,
    old: &[Value],
    seen: &mut BTreeSet<String>,
) -> Option<String> {
    if !seen.insert(pointer.to_owned()) {
        return None;
    }
    match new.pointer(pointer)? {
        Value::Object(schema) => {
            if let Some(value) = schema.get("const") {
                return (!old.contains(value)).then(|| pointer.to_owned());
            }
            let lists =
                ["enum", "anyOf", "oneOf"].into_iter().filter(|it| schema.contains_key(*it));
            let mut places = target(pointer, schema)
                .into_iter()
                .chain(lists.map(|list| format!("{pointer}/{list}")));
            places.find_map(|place| added_value(new, &place, old, seen))
        }
        Value::Array(list) => (0..list.len())
            .find_map(|index| added_value(new, &format!("{pointer}/{index}"), old, seen)),
        value => (!old.contains(value)).then(|| pointer.to_owned()),
    }
}

/// The definition that a schema is, by reference or beside `null`.
fn declaration(new: &Value, pointer: &str) -> String {
    let mut pointer = pointer.to_owned();
    for _ in 0..MAX_DEPTH {
        let Some(Value::Object(schema)) = new.pointer(&pointer) else { break };
        let other = ["anyOf", "oneOf"].into_iter().find_map(|keyword| {
            let at = beside_null(schema.get(keyword)?)?;
            Some(format!("{pointer}/{keyword}/{at}"))
        });
        match target(&pointer, schema).or(other) {
            Some(target) => pointer = target,
            None => break,
        }
    }
    pointer
}

/// The list, in an enum's schema, of what it accepts; around a schema that is alone in such a list,
/// that one.
fn list(new: &Value, schema: String) -> String {
    let is_alone = |list: &&str| {
        new.pointer(list).is_some_and(|it| it.as_array().is_some_and(|it| it.len() == 1))
    };
    if let Some(around) = schema.strip_suffix("/0").filter(is_alone) {
        return around.to_owned();
    }
    let mut lists = ["enum", "oneOf", "anyOf"].map(|list| format!("{schema}/{list}")).into_iter();
    lists.find(|list| new.pointer(list).is_some()).unwrap_or(schema)
}

/// The index of the one branch that stands beside `null`.
fn beside_null(branches: &Value) -> Option<usize> {
    let is_null = |schema: &Value| schema.get("type").is_some_and(|it| it == "null");
    match branches.as_array()?.as_slice() {
        [one, other] if is_null(one) != is_null(other) => Some(usize::from(is_null(one))),
        _ => None,
    }
}
