//! What configuration makes of the grades of findings.
//!
//! A setting for one argument goes before one for its tool, that before one for the package, and
//! that before one for the workspace.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use mcp_semver_build::{Contract, Held};

use crate::baseline::Baseline;
use crate::compare::ToolChange;
use crate::finding::Finding;
use crate::grade::Grade;
use crate::schema;
use crate::suggest::nearest;

/// A line of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The Cargo.toml.
    pub manifest: PathBuf,
    /// Counted from 1; absent where it could not be found.
    pub line: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.manifest.display())?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

/// What one rule is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The grade that its findings get; [`Grade::None`] where they are allowed.
    pub grade: Grade,
    /// Where it is set.
    pub place: Place,
}

/// RuleSettings by rule id.
pub type RuleSettings = BTreeMap<&'static str, Setting>;

/// RuleSettings for arguments or result fields by path (`filter.stops[].mode`), each with its place.
pub type Fields = BTreeMap<String, (Place, RuleSettings)>;

/// All that is set for one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolGrading {
    /// Where the tool is named.
    pub place: Place,
    /// For whatever concerns it.
    pub rules: RuleSettings,
    /// For single arguments.
    pub arguments: Fields,
    /// For single fields of its result.
    pub results: Fields,
}

/// All that is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grading {
    /// For every package of the workspace.
    pub workspace: RuleSettings,
    /// For every tool of the package.
    pub package: RuleSettings,
    /// For single tools by name.
    pub tools: BTreeMap<String, ToolGrading>,
}

impl Grading {
    /// Grades the findings about a tool anew; the gravest stays first.
    pub(super) fn apply(&self, change: &mut ToolChange) {
        let sides = [&change.old, &change.new];
        for finding in &mut change.findings {
            let elsewhere = self.has_fields(&change.name) && !names_all_places(finding, sides);
            let elsewhere = elsewhere.then_some("");
            let places = [&finding.path].into_iter().chain(&finding.uses).map(String::as_str);
            // A cause is as grave as at the gravest of the places where it shows.
            let set = places
                .chain(elsewhere)
                .map(|path| self.setting(&change.name, finding, path))
                .max_by_key(|set| set.map_or(finding.grade, |set| set.grade));
            if let Some(set) = set.flatten() {
                finding.configured = Some((finding.grade, set.place.clone()));
                finding.grade = set.grade;
                finding.unconfirmed &= set.grade > Grade::None;
            }
        }
        change.findings.sort_by_key(|finding| Reverse(finding.grade));
    }

    fn has_fields(&self, tool: &str) -> bool {
        let tool = self.tools.get(tool);
        tool.is_some_and(|tool| !tool.arguments.is_empty() || !tool.results.is_empty())
    }

    /// What is set for a finding at one of its places; for the tool where the path is empty.
    fn setting(&self, tool: &str, finding: &Finding, path: &str) -> Option<&Setting> {
        let tool = self.tools.get(tool);
        let field = tool.and_then(|tool| {
            let fields = if finding.is_output() { &tool.results } else { &tool.arguments };
            Some(&fields.get(path).filter(|_| !path.is_empty())?.1)
        });
        let scopes = [field, tool.map(|tool| &tool.rules), Some(&self.package)];
        let mut scopes = scopes.into_iter().flatten().chain([&self.workspace]);
        scopes.find_map(|settings| settings.get(finding.rule.id))
    }

    /// What is set for tools, arguments and result fields that neither side has, one sentence each.
    pub(super) fn unused(&self, old: &Baseline, changes: &[ToolChange]) -> Vec<String> {
        let mut unused = Vec::new();
        for (name, tool) in &self.tools {
            let Some(change) = changes.iter().find(|change| change.name == *name) else {
                let known = changes.iter().map(|change| change.name.as_str());
                let hint = hint(nearest(name, known));
                unused.push(format!(
                    "{}: rules are set for tool `{name}`, which neither side has{hint}",
                    tool.place
                ));
                continue;
            };
            // Not by the change: what is unchanged is not kept there.
            let locked = old.tools.get(name).map(|tool| tool.contract.as_ref());
            // Of a contract that is not there, nobody knows the arguments.
            if locked == Some(None) {
                continue;
            }
            for (what, fields, schema) in [
                ("argument", &tool.arguments, (|it| it.input_schema.as_ref()) as Schema),
                ("result field", &tool.results, |it| it.output_schema.as_ref()),
            ] {
                let sides = [locked.flatten(), change.new.as_ref()];
                let sides = sides.map(|it| it.and_then(|it| schema(it)));
                for (path, (place, _)) in fields {
                    let Err(meant) = schema::find(sides.into_iter().flatten(), path) else {
                        continue;
                    };
                    let hint = hint(meant.as_deref());
                    unused.push(format!(
                        "{place}: rules are set for {what} `{path}` of `{name}`, which neither \
                         side has{hint}"
                    ));
                }
            }
        }
        unused
    }
}

/// Whether a finding names every place where its schema applies. A definition may be used inside
/// others that are used often, or inside itself.
fn names_all_places(finding: &Finding, sides: [&Option<Held>; 2]) -> bool {
    let (field, schema): (_, Schema) = if finding.is_output() {
        ("/outputSchema", |it| it.output_schema.as_ref())
    } else {
        ("/inputSchema", |it| it.input_schema.as_ref())
    };
    let Some(pointer) = finding.pointer.strip_prefix(field) else { return true };
    let schemas = sides.into_iter().flatten().filter_map(|it| schema(it));
    let mut holding = schemas.filter(|schema| schema.pointer(pointer).is_some());
    let named = 1 + finding.uses.len();
    holding.all(|schema| schema::uses(schema, pointer).is_some_and(|count| count <= named))
}

/// One of the schemas of a contract.
type Schema = fn(&Contract) -> Option<&serde_json::Value>;

fn hint(meant: Option<&str>) -> String {
    meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default()
}

/// What a rule can be set to, as it is written.
pub const LEVELS: &[(&str, Grade)] = &[
    ("allow", Grade::None),
    ("patch", Grade::Patch),
    ("minor", Grade::Minor),
    ("major", Grade::Major),
];

#[cfg(test)]
mod tests;
