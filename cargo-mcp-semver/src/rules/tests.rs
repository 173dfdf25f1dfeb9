//! What holds for every rule.

use std::collections::BTreeSet;

use mcp_semver_build::{Catalogue, Contract};

use super::*;
use crate::baseline::Baseline;
use crate::compare::compare;
use crate::finding::Finding;
use crate::schema::{Direction, differences};

/// Mirror images that do not exist, each with the rule that lacks it and why. Input mirrors output,
/// added mirrors removed, tightened mirrors loosened.
const WITHOUT_MIRROR: &[(&str, &str, &str)] = &[
    ("description_removed", "description_added", "an added description is `description_changed`"),
    (
        "input_constraint_loosened",
        "output_constraint_loosened",
        "for results every widening is `output_widened`",
    ),
    (
        "input_default_added",
        "input_default_removed",
        "a dropped default is `input_default_changed`",
    ),
    (
        "input_default_added",
        "output_default_added",
        "a default says what a caller may omit; results omit nothing",
    ),
    (
        "input_default_changed",
        "output_default_changed",
        "a default says what a caller may omit; results omit nothing",
    ),
    ("input_enum_widened", "output_enum_widened", "for results every widening is `output_widened`"),
    (
        "input_format_narrowed",
        "output_format_narrowed",
        "for results a format is one more constraint",
    ),
    (
        "input_format_widened",
        "output_format_widened",
        "for results every widening is `output_widened`",
    ),
    (
        "input_integer_format_narrowed",
        "output_integer_format_narrowed",
        "for results a format is one more constraint",
    ),
    (
        "input_integer_format_widened",
        "output_integer_format_widened",
        "for results every widening is `output_widened`",
    ),
    ("input_narrowed", "input_widened", "what callers gain is told by the rules about widening"),
    (
        "input_narrowed",
        "output_narrowed",
        "what no rule names in results is `output_widened`, or harmless",
    ),
    ("input_type_widened", "output_type_widened", "for results every widening is `output_widened`"),
    (
        "output_constraint_tightened",
        "output_constraint_loosened",
        "for results every widening is `output_widened`",
    ),
    (
        "output_enum_narrowed",
        "output_enum_widened",
        "for results every widening is `output_widened`",
    ),
    ("output_schema_added", "input_schema_added", "the protocol requires an input schema"),
    ("output_schema_removed", "input_schema_removed", "the protocol requires an input schema"),
    (
        "output_type_narrowed",
        "output_type_widened",
        "for results every widening is `output_widened`",
    ),
    ("output_widened", "input_widened", "for arguments every way of widening has a rule"),
    ("output_widened", "output_narrowed", "for results every way of narrowing has a rule"),
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

/// A comparison of equal digests ends early, so the parts are compared one by one.
#[test]
fn one_side_against_itself_is_silent() {
    for pair in ALL.iter().flat_map(|rule| [rule.example, rule.near_miss]) {
        for side in pair.tools().unwrap() {
            assert_eq!(findings(&side, &side), [], "{side}");
            for tool in side.as_array().unwrap() {
                for (field, direction) in
                    [("inputSchema", Direction::Input), ("outputSchema", Direction::Output)]
                {
                    let schema = tool.get(field).unwrap_or(&Value::Null);
                    let changes = || differences(schema, schema, direction);
                    assert!(schema.is_null() || changes().is_empty(), "{schema}: {:?}", changes());
                }
            }
        }
    }
}

/// The mirror images of a rule that its name asks for.
fn mirrors(rule: &Rule) -> impl Iterator<Item = (String, &'static str)> {
    MIRRORS.iter().filter_map(|&(one, other)| match () {
        () if rule.id.contains(one) => Some((rule.id.replace(one, other), one)),
        () if rule.id.contains(other) => Some((rule.id.replace(other, one), one)),
        () => None,
    })
}

#[test]
fn every_rule_has_its_mirror() {
    let lacking: BTreeSet<(&str, String)> = ALL
        .iter()
        .flat_map(|rule| mirrors(rule).map(|(mirror, _)| (rule.id, mirror)))
        .filter(|(_, mirror)| by_id(mirror).is_none())
        .collect();
    let waived = WITHOUT_MIRROR.iter().map(|(rule, mirror, reason)| {
        assert!(!reason.is_empty());
        (*rule, (*mirror).to_owned())
    });
    assert_eq!(lacking, waived.collect::<BTreeSet<_>>(), "lacking, and waived with a reason");
}

/// What fires a rule fires its mirror when it is turned around: the sides swapped, or arguments
/// taken for results.
#[test]
fn the_mirror_sees_the_mirrored_example() {
    let mut blind = Vec::new();
    for rule in ALL {
        for (mirror, of) in mirrors(rule).filter(|(mirror, _)| by_id(mirror).is_some()) {
            let turned = match (rule.example, of) {
                (Pair::Input { old, new }, "input_") => Pair::Output { old, new },
                (Pair::Output { old, new }, "input_") => Pair::Input { old, new },
                (Pair::Input { old, new }, _) => Pair::Input { old: new, new: old },
                (Pair::Output { old, new }, _) => Pair::Output { old: new, new: old },
                (Pair::Tools { old, new }, _) => Pair::Tools { old: new, new: old },
            };
            if fired(&turned).iter().all(|(id, _)| *id != mirror) {
                blind.push((rule.id, mirror));
            }
        }
    }
    let renamed = "a rename is one from either side";
    let required = "a required field that is new breaks callers, and no reader";
    let excused = [
        ("input_property_removed", "input_property_added", renamed),
        ("output_property_added", "input_property_added", required),
        ("output_property_removed", "output_property_added", renamed),
    ];
    assert_eq!(blind, excused.map(|(rule, mirror, _)| (rule, mirror.to_owned())));
}
