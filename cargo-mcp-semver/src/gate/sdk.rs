//! One cause for many changes: an SDK that was upgraded writes every schema anew.
//!
//! The upgrade is named as the cause only where it explains much of what changed, and it is given
//! only what it can have done: schemas written differently, in another dialect, or changed alike
//! in several tools. A renamed argument, an added tool or a reworded description stays what it is.
//! Grades and verdicts are not touched: an agent does not care who rewrote a schema.

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;

use crate::compare::ToolChange;
use crate::finding::Finding;
use crate::grade::Grade;
use crate::rules::{self, Rule};
use crate::verdict::Status;

/// So many tools must have moved together.
const MANY: usize = 3;

/// An upgrade that explains many changes at once.
#[derive(Debug, Clone, PartialEq)]
pub struct SdkMove {
    /// The crates whose version changed, sorted by name; never empty.
    pub crates: Vec<SdkCrate>,
    /// What it explains, a line for each rule, the gravest first.
    pub changes: Vec<SdkChange>,
    /// How many tools changed in all.
    pub changed: usize,
    /// Tool, rule and pointer of what it explains.
    explained: BTreeSet<(String, &'static str, String)>,
}

/// One crate that generates schemas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SdkCrate {
    /// Its name.
    pub name: String,
    /// The version that wrote the baseline.
    pub from: Version,
    /// The version now.
    pub to: Version,
}

/// One way in which schemas moved.
#[derive(Debug, Clone, PartialEq)]
pub struct SdkChange {
    /// The rule that observed it.
    pub rule: &'static Rule,
    /// The highest grade of its findings.
    pub grade: Grade,
    /// The tools it was observed in, sorted.
    pub tools: BTreeSet<String>,
}

impl SdkMove {
    /// Finds the upgrade that explains most of the changed tools, if one does.
    pub(super) fn find(
        before: &BTreeMap<String, Version>,
        now: &BTreeMap<String, Version>,
        changes: &[ToolChange],
    ) -> Option<Self> {
        let crates = moved(before, now);
        if crates.is_empty() {
            return None;
        }
        let changed = changes.iter().filter(|change| change.status == Status::Changed);
        let findings: Vec<(&str, &Finding)> = changed
            .clone()
            .flat_map(|change| change.findings.iter().map(|it| (change.name.as_str(), it)))
            .filter(|(_, finding)| !finding.is_allowed())
            .collect();
        let alike = Alike::of(&findings);
        let mut found = Self {
            crates,
            changes: Vec::new(),
            changed: changed.count(),
            explained: BTreeSet::new(),
        };
        for (tool, finding) in findings {
            if is_writing(finding) || alike.is_in_many(finding) {
                found.add(tool, finding);
            }
        }
        found.changes.sort_by_key(|change| std::cmp::Reverse(change.grade));
        let tools = found.tools().len();
        (tools >= MANY && tools * 2 > found.changed).then_some(found)
    }

    fn add(&mut self, tool: &str, finding: &Finding) {
        let Finding { rule, grade, pointer, .. } = finding;
        self.explained.insert((tool.to_owned(), rule.id, pointer.clone()));
        let at = self.changes.iter().position(|change| change.rule.id == rule.id);
        let at = at.unwrap_or_else(|| {
            self.changes.push(SdkChange { rule, grade: *grade, tools: BTreeSet::new() });
            self.changes.len() - 1
        });
        if let Some(change) = self.changes.get_mut(at) {
            change.grade = change.grade.max(*grade);
            change.tools.insert(tool.to_owned());
        }
    }

    /// Whether a finding about a tool is explained by the upgrade.
    pub fn explains(&self, tool: &str, finding: &Finding) -> bool {
        let key = (tool.to_owned(), finding.rule.id, finding.pointer.clone());
        self.explained.contains(&key)
    }

    /// The tools that moved with it, sorted.
    pub fn tools(&self) -> BTreeSet<&str> {
        self.explained.iter().map(|(tool, ..)| tool.as_str()).collect()
    }

    /// What happened, in one sentence without a full stop.
    pub fn sentence(&self) -> String {
        let moves: Vec<String> = self
            .crates
            .iter()
            .map(|SdkCrate { name, from, to }| format!("{name} went from {from} to {to}"))
            .collect();
        format!(
            "{}, and the schemas of {} of {} changed tools moved with it",
            moves.join(", "),
            self.tools().len(),
            self.changed
        )
    }
}

/// The crates that wrote the baseline in another version.
fn moved(before: &BTreeMap<String, Version>, now: &BTreeMap<String, Version>) -> Vec<SdkCrate> {
    let moved = |(name, to): (&String, &Version)| {
        let from = before.get(name).filter(|from| *from != to)?;
        Some(SdkCrate { name: name.clone(), from: from.clone(), to: to.clone() })
    };
    now.iter().filter_map(moved).collect()
}

fn is_in_schema(finding: &Finding) -> bool {
    ["/inputSchema", "/outputSchema"].iter().any(|field| finding.pointer.starts_with(field))
}

/// Whether a finding is about how a schema is written, or knows no more than that it moved.
fn is_writing(finding: &Finding) -> bool {
    let is = |rule: &'static Rule| finding.rule.id == rule.id;
    is(&rules::dialect_changed::RULE)
        || is(&rules::schema_reworded::RULE)
        || is(&rules::contract_changed::RULE)
        || is(&rules::title_changed::RULE) && is_in_schema(finding)
}

/// In how many tools the same thing changed in the same way.
struct Alike<'a>(BTreeMap<(&'static str, String, String), BTreeSet<&'a str>>);

impl<'a> Alike<'a> {
    fn of(findings: &[(&'a str, &Finding)]) -> Self {
        let mut alike: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
        for (tool, finding) in findings.iter().filter(|(_, finding)| is_generated(finding)) {
            alike.entry(key(finding)).or_default().insert(tool);
        }
        Self(alike)
    }

    fn is_in_many(&self, finding: &Finding) -> bool {
        self.0.get(&key(finding)).is_some_and(|tools| tools.len() >= MANY)
    }
}

fn key(finding: &Finding) -> (&'static str, String, String) {
    let text = |value: &Option<serde_json::Value>| {
        value.as_ref().map(ToString::to_string).unwrap_or_default()
    };
    (finding.rule.id, text(&finding.old), text(&finding.new))
}

/// Whether a finding is about what an SDK makes of a Rust type: which JSON types, formats and
/// bounds it gives it, and whether objects are closed. Names, which of them are required, enums and
/// defaults come from the source.
fn is_generated(finding: &Finding) -> bool {
    const RULES: &[&Rule] = &[
        &rules::input_closed::RULE,
        &rules::input_constraint_loosened::RULE,
        &rules::input_constraint_tightened::RULE,
        &rules::input_format_narrowed::RULE,
        &rules::input_format_widened::RULE,
        &rules::input_integer_format_narrowed::RULE,
        &rules::input_integer_format_widened::RULE,
        &rules::input_narrowed::RULE,
        &rules::input_opened::RULE,
        &rules::input_type_narrowed::RULE,
        &rules::input_type_widened::RULE,
        &rules::output_closed::RULE,
        &rules::output_constraint_tightened::RULE,
        &rules::output_opened::RULE,
        &rules::output_type_narrowed::RULE,
        &rules::output_widened::RULE,
        &rules::unproven::RULE,
    ];
    RULES.iter().any(|rule| rule.id == finding.rule.id)
}

#[cfg(test)]
mod tests {
    use mcp_semver_build::{Catalogue, Contract};
    use serde_json::{Value, json};

    use super::*;
    use crate::baseline::Baseline;
    use crate::compare::compare;

    fn versions(version: &str) -> BTreeMap<String, Version> {
        [("schemars".to_owned(), version.parse().unwrap())].into()
    }

    fn baseline(tools: &[(&str, Value)]) -> Baseline {
        let contract = |(name, schema): &(&str, Value)| {
            Contract::from_wire(json!({"name": name, "inputSchema": schema})).unwrap()
        };
        Baseline::from(&Catalogue::new(tools.iter().map(contract)).unwrap())
    }

    fn find(old: &[(&str, Value)], new: &[(&str, Value)], now: &str) -> Option<SdkMove> {
        let changes = compare(&baseline(old), &baseline(new));
        SdkMove::find(&versions("0.8.22"), &versions(now), &changes)
    }

    fn draft_07(extra: Value) -> Value {
        let mut schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#", "title": "Args",
            "type": "object", "properties": {"n": {"type": "integer", "format": "uint"}}});
        schema["properties"].as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        schema
    }

    fn draft_2020(extra: Value) -> Value {
        let mut schema = draft_07(extra);
        schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        schema.as_object_mut().unwrap().remove("title");
        schema
    }

    #[test]
    fn an_upgrade_that_moves_most_tools_is_the_cause_of_what_it_can_have_done() {
        let plain = json!({});
        let mut old: Vec<(&str, Value)> =
            ["a", "b", "c"].map(|name| (name, draft_07(plain.clone()))).into();
        let mut new: Vec<(&str, Value)> =
            ["a", "b", "c"].map(|name| (name, draft_2020(plain.clone()))).into();
        new[0].1 = draft_2020(json!({"extra": {"type": "string"}}));
        new.push(("d", draft_2020(plain.clone())));
        old.push(("e", draft_07(plain)));
        let found = find(&old, &new, "1.2.3").unwrap();
        assert_eq!(found.tools(), ["a", "b", "c"].into());
        assert_eq!(found.changed, 3);
        assert_eq!(
            found.sentence(),
            "schemars went from 0.8.22 to 1.2.3, and the schemas of 3 of 3 changed tools moved \
             with it"
        );
        let changes = compare(&baseline(&old), &baseline(&new));
        let unexplained: Vec<(&str, &str)> = changes
            .iter()
            .flat_map(|change| {
                let findings = change.findings.iter();
                let left = findings.filter(|finding| !found.explains(&change.name, finding));
                left.map(|finding| (change.name.as_str(), finding.rule.id))
            })
            .collect();
        let expected = [("a", "input_property_added"), ("d", "tool_added"), ("e", "tool_removed")];
        assert_eq!(unexplained, expected);
        assert_eq!(found.changes[0].tools.len(), 3);
        assert!(found.changes.is_sorted_by_key(|change| std::cmp::Reverse(change.grade)));
        assert_eq!(find(&old, &new, "0.8.22"), None, "nothing was upgraded");
    }

    #[test]
    fn a_few_tools_or_a_minority_are_no_pattern() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let old: Vec<_> = names.map(|name| (name, draft_07(json!({})))).into();
        let moved = |count: usize, edited: usize| {
            let mut new = old.clone();
            new[..count].iter_mut().for_each(|tool| tool.1 = draft_2020(json!({})));
            let extra = draft_07(json!({"x": {"type": "string"}}));
            new[count..count + edited].iter_mut().for_each(|tool| tool.1 = extra.clone());
            find(&old, &new, "1.0.0").map(|found| found.tools().len())
        };
        assert_eq!(moved(2, 0), None);
        assert_eq!(moved(3, 0), Some(3));
        assert_eq!(moved(3, 2), Some(3));
        assert_eq!(moved(3, 3), None);
    }

    #[test]
    fn what_the_source_did_is_not_put_down_to_the_upgrade() {
        let schema = |property: Value| json!({"type": "object", "properties": {"p": property}});
        let all = |property: Value| -> Vec<(&str, Value)> {
            ["a", "b", "c", "d"].map(|name| (name, schema(property.clone()))).into()
        };
        for (old, new) in [
            (json!({"enum": ["x", "y"]}), json!({"enum": ["x"]})),
            (json!({"type": "string", "default": "x"}), json!({"type": "string", "default": "y"})),
            (json!({"description": "One."}), json!({"description": "Another."})),
        ] {
            assert_eq!(find(&all(old), &all(new.clone()), "1.0.0"), None, "{new}");
        }
        let renamed = json!({"type": "object", "properties": {"q": {"enum": ["x", "y"]}}});
        let new: Vec<_> = ["a", "b", "c", "d"].map(|name| (name, renamed.clone())).into();
        assert_eq!(find(&all(json!({"enum": ["x", "y"]})), &new, "1.0.0"), None);
        // The same rule in many tools, and another change in each.
        let limited = |most: [u8; 4]| -> Vec<(&str, Value)> {
            let leaf = |most: u8| schema(json!({"type": "string", "maxLength": most}));
            let names = ["a", "b", "c", "d"].into_iter();
            names.zip(most).map(|(name, most)| (name, leaf(most))).collect()
        };
        let (old, new) = ([9, 9, 9, 9], [1, 2, 3, 4]);
        assert_eq!(find(&limited(old), &limited(new), "1.0.0"), None);
        assert_eq!(find(&limited(new), &limited(old), "1.0.0"), None);
        assert!(find(&limited(old), &limited([1; 4]), "1.0.0").is_some());
        // One tool that changed by itself among many that moved alike.
        let mut old = all(json!({"type": "integer", "format": "uint8"}));
        let mut new = all(json!({"type": "integer", "format": "uint8", "minimum": 0}));
        old.push(("e", schema(json!({"type": "string"}))));
        new.push(("e", schema(json!({"type": "string", "maxLength": 5}))));
        let found = find(&old, &new, "1.0.0").unwrap();
        assert_eq!(found.tools(), ["a", "b", "c", "d"].into());
    }
}
