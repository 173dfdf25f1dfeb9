//! Edits as authors of servers make them, and as nobody should, each with the grade it deserves.
//!
//! A row says the highest grade of its structural findings, `paths` where the breaking ones are, and
//! `unshown` where one of them is about accepted values and cannot be shown: formats are left to
//! their own rules. Where it matters which changes are told, and as what, `found` lists them all.

// In a test, unwrapping is asserting.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use cargo_mcp_semver::baseline::Baseline;
use cargo_mcp_semver::compare::compare;
use cargo_mcp_semver::finding::Finding;
use cargo_mcp_semver::grade::{Dimension, Grade};
use mcp_semver_build::{Catalogue, Contract};
use serde_json::{Value, json};

/// Rules about accepted values, which a value has to show.
const OF_VALUES: &[&str] = &[
    "input_constraint_tightened",
    "input_enum_narrowed",
    "input_narrowed",
    "input_required_added",
    "input_type_narrowed",
    "output_required_removed",
    "output_widened",
];

fn findings(field: &str, old: &Value, new: &Value) -> Vec<Finding> {
    let side = |schema: &Value| {
        let mut tool = json!({"name": "tool", "inputSchema": {"type": "object"}});
        tool[field] = schema.clone();
        Baseline::from(&Catalogue::new([Contract::from_wire(tool).unwrap()]).unwrap())
    };
    let changes = compare(&side(old), &side(new)).into_iter();
    let all = changes.flat_map(|change| change.findings);
    all.filter(|it| it.rule.dimension == Dimension::Structural).collect()
}

#[test]
fn every_edit_has_the_grade_it_deserves() {
    let path = format!("{}/tests/vectors/by_hand.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut wrong = Vec::new();
    for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let (field, old, new) = (row["field"].as_str().unwrap(), &row["old"], &row["new"]);
        assert_eq!(findings(field, old, old).len() + findings(field, new, new).len(), 0, "{row}");
        let found = findings(field, old, new);
        let grade = found.iter().map(|it| it.grade).max().unwrap_or(Grade::None).max(Grade::Patch);
        let major = || found.iter().filter(|it| it.grade == Grade::Major);
        let paths: BTreeSet<&str> = major().map(|it| it.path.as_str()).collect();
        let expected = row["paths"].as_array().into_iter().flatten();
        let lacks = |it: &Finding| it.witness.is_none() && OF_VALUES.contains(&it.rule.id);
        let unshown = major().any(lacks);
        let told = |it: &Finding| json!(format!("{} {}: {}", it.rule.id, it.path, it.message));
        let told: Vec<Value> = found.iter().map(told).collect();
        if row.get("found").is_some_and(|it| *it != json!(told)) {
            wrong.push(format!("{}: {told:#?}", row["name"]));
        }
        if json!(grade.to_string()) != row["grade"]
            || paths != expected.filter_map(Value::as_str).collect()
            || unshown != (row["unshown"] == json!(true))
        {
            wrong.push(format!("{}: {grade} {paths:?} unshown: {unshown}", row["name"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
