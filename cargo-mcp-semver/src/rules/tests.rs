//! What holds for every rule.

use mcp_semver_build::{Catalogue, Contract};

use super::*;
use crate::baseline::Baseline;
use crate::compare::compare;
use crate::finding::Finding;

/// Rules whose mirror image does not exist, and why. Input mirrors output, added mirrors removed,
/// tightened mirrors loosened.
const WITHOUT_MIRROR: &[(&str, &str)] = &[
    ("input_default_changed", "a default says what a caller may omit; results omit nothing"),
    ("input_default_added", "a default says what a caller may omit; results omit nothing"),
    ("input_type_widened", "for results every widening is `output_widened`"),
    ("input_enum_widened", "for results every widening is `output_widened`"),
    ("input_constraint_loosened", "for results every widening is `output_widened`"),
    ("input_format_widened", "for results every widening is `output_widened`"),
    ("input_integer_format_widened", "for results every widening is `output_widened`"),
    ("input_format_narrowed", "for results a format is one more constraint"),
    ("input_integer_format_narrowed", "for results a format is one more constraint"),
    ("output_widened", "for arguments every way of widening has a rule"),
    ("output_type_narrowed", "for results every widening is `output_widened`"),
    ("output_enum_narrowed", "for results every widening is `output_widened`"),
    ("output_constraint_tightened", "for results every widening is `output_widened`"),
    ("output_schema_added", "the protocol requires an input schema"),
    ("output_schema_removed", "the protocol requires an input schema"),
    ("input_default_changed", "a default that is dropped changes what omission means"),
    ("input_narrowed", "what callers gain is told by the rules about widening"),
    ("description_removed", "an added description is `description_changed`"),
];

const MIRRORS: &[(&str, &str)] = &[
    ("input_", "output_"),
    ("_added", "_removed"),
    ("_narrowed", "_widened"),
    ("_tightened", "_loosened"),
    ("_closed", "_opened"),
    ("_less_safe", "_safer"),
];

fn baseline(tools: &Value) -> Baseline {
    let tools = tools.as_array().unwrap().iter().cloned();
    let contracts = tools.map(|tool| Contract::from_wire(tool).unwrap());
    Baseline::from(&Catalogue::new(contracts).unwrap())
}

fn findings(old: &Value, new: &Value) -> Vec<Finding> {
    compare(&baseline(old), &baseline(new)).into_iter().flat_map(|it| it.findings).collect()
}

fn fired(pair: &Pair) -> Vec<(&'static str, Grade)> {
    let [old, new] = pair.tools().unwrap();
    findings(&old, &new).iter().map(|finding| (finding.rule.id, finding.grade)).collect()
}

#[test]
fn ids_are_unique_sorted_and_snake_case() {
    assert!(ALL.is_sorted_by(|one, other| one.id < other.id));
    for rule in ALL {
        assert!(rule.id.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", rule.id);
        assert_eq!(by_id(rule.id), Some(*rule));
    }
    assert_eq!(by_id("input_enum_narrow"), None);
}

#[test]
fn texts_are_sentences() {
    for rule in ALL {
        assert!(!rule.summary.ends_with('.') && !rule.summary.is_empty(), "{}", rule.id);
        assert!(rule.why.ends_with('.'), "{}", rule.id);
        assert!(rule.grade > Grade::None, "{}", rule.id);
    }
}

#[test]
fn every_example_fires_its_rule_and_nothing_graver() {
    for rule in ALL {
        let fired = fired(&rule.example);
        assert!(fired.contains(&(rule.id, rule.grade)), "{}: {fired:?}", rule.id);
        assert!(fired.iter().all(|(_, grade)| *grade <= rule.grade), "{}: {fired:?}", rule.id);
    }
}

#[test]
fn no_near_miss_fires_its_rule_at_its_grade() {
    for rule in ALL {
        let fired = fired(&rule.near_miss);
        assert!(!fired.contains(&(rule.id, rule.grade)), "{}: {fired:?}", rule.id);
        let [old, new] = rule.near_miss.tools().unwrap();
        assert!(old == new || !fired.is_empty(), "{} differs unseen", rule.id);
    }
}

#[test]
fn one_side_against_itself_is_silent() {
    for pair in ALL.iter().flat_map(|rule| [rule.example, rule.near_miss]) {
        for side in pair.tools().unwrap() {
            assert_eq!(findings(&side, &side), [], "{side}");
        }
    }
}

#[test]
fn every_rule_has_its_mirror() {
    for rule in ALL {
        let waived = WITHOUT_MIRROR.iter().any(|(id, _)| *id == rule.id);
        let lacking: Vec<String> = MIRRORS
            .iter()
            .filter_map(|(one, other)| match () {
                () if rule.id.contains(one) => Some(rule.id.replace(one, other)),
                () if rule.id.contains(other) => Some(rule.id.replace(other, one)),
                () => None,
            })
            .filter(|mirror| by_id(mirror).is_none())
            .collect();
        assert_eq!(waived, !lacking.is_empty(), "{} lacks {lacking:?}", rule.id);
    }
}
