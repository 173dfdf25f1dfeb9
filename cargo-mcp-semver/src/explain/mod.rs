//! The rules explained: what each says and why, an example with what comes of it, and how to set
//! it.

mod human;
mod json;
#[cfg(test)]
mod page;

use serde_json::Value;

use crate::baseline::Baseline;
use crate::compare::compare;
use crate::finding::Finding;
use crate::gate::{self, Declared};
use crate::grade::Dimension;
use crate::rules::{self, Pair, Rule};
use crate::verdict::ToolReport;

pub use human::{explanation, listing};
pub use json::render as json;

/// The dimensions in the order in which rules are listed.
const DIMENSIONS: [Dimension; 3] =
    [Dimension::Structural, Dimension::Behavioural, Dimension::Description];

/// The rules by dimension, each sorted by id.
fn by_dimension() -> impl Iterator<Item = (Dimension, Vec<&'static Rule>)> {
    DIMENSIONS.into_iter().map(|dimension| {
        let rules = rules::ALL.iter().copied().filter(|rule| rule.dimension == dimension);
        (dimension, rules.collect())
    })
}

/// `major, security`
fn weight(rule: &Rule) -> String {
    let marks = [(rule.security, ", security"), (rule.confirmation, ", needs confirmation")];
    let marks = marks.into_iter().filter(|(has, _)| *has).map(|(_, mark)| mark);
    [rule.grade.as_str()].into_iter().chain(marks).collect()
}

/// How a person confirms what a rule finds, where one has to.
const CONFIRMATION: &str = "Whatever the version covers, `check` fails and `lock` refuses until a \
    person confirms it: `cargo mcp-semver lock --confirm TOOL`, or `lock --review`.";

/// What comes of one pair of tools. The examples of the rules are JSON and sound; tests see to it.
fn compared(pair: &Pair) -> Vec<ToolReport> {
    let side = |tools: &Value| Baseline::from_reader(tools.to_string().as_bytes(), "the example");
    let Ok([old, new]) = pair.tools() else { return Vec::new() };
    let old_side = side(&old).unwrap_or_default();
    let new_side = side(&new).unwrap_or_default();
    gate::decide(&old_side, &Declared::default(), compare(&old_side, &new_side)).tools
}

/// The finding that the rule's own example yields, and the tool it is about.
fn fired(rule: &Rule) -> Option<(ToolReport, Finding)> {
    compared(&rule.example).into_iter().find_map(|tool| {
        let is_meant = |it: &&Finding| it.rule.id == rule.id && it.grade == rule.grade;
        let finding = tool.findings.iter().find(is_meant)?.clone();
        Some((tool, finding))
    })
}

/// What the near miss yields instead, if anything: `title_changed (patch)`.
fn instead(rule: &Rule) -> Vec<String> {
    let tools = compared(&rule.near_miss);
    let findings = tools.iter().flat_map(|tool| &tool.findings);
    findings.map(|finding| format!("{} ({})", finding.rule.id, finding.grade)).collect()
}

/// What a pair shows.
fn kind(pair: &Pair) -> &'static str {
    match pair {
        Pair::Tools { .. } => "`tools/list`",
        Pair::Input { .. } => "`inputSchema`",
        Pair::Output { .. } => "`outputSchema`",
    }
}

/// Both versions of a pair, a line each.
fn sides(pair: &Pair) -> [&'static str; 2] {
    let (Pair::Tools { old, new } | Pair::Input { old, new } | Pair::Output { old, new }) = pair;
    [old, new]
}

/// How a rule is set for everything, for one tool and for one argument or result field, as the
/// example of the rule has them.
pub(crate) fn settings(rule: &Rule) -> String {
    let id = rule.id;
    let mut text = format!("[package.metadata.mcp-semver.rules]\n{id} = \"allow\"\n");
    let Some((tool, finding)) = fired(rule) else { return text };
    let key = |name: &str| toml_edit::Key::new(name).to_string();
    let tool = format!("package.metadata.mcp-semver.tools.{}", key(&tool.name));
    text += &format!("\n[{tool}.rules]\n{id} = \"allow\"\n");
    if !finding.path.is_empty() {
        let fields = if finding.is_output() { "results" } else { "arguments" };
        text += &format!("\n[{tool}.{fields}.{}.rules]\n{id} = \"allow\"\n", key(&finding.path));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_has_its_finding_and_every_rule_is_listed() {
        for rule in rules::ALL {
            assert!(fired(rule).is_some(), "{}", rule.id);
            let text = anstream::adapter::strip_str(&explanation(rule)).to_string();
            assert!(text.contains(&format!("{}[{}]: ", rule.grade, rule.id)), "{text}");
        }
        let listed: usize = by_dimension().map(|(_, rules)| rules.len()).sum();
        assert_eq!(listed, rules::ALL.len());
    }
}
