//! Consecutive versions of real tools, graded against what an independent search found.

// In a test, unwrapping is asserting.
#![allow(clippy::unwrap_used)]

use cargo_mcp_semver::baseline::Baseline;
use cargo_mcp_semver::compare::compare;
use cargo_mcp_semver::finding::Finding;
use cargo_mcp_semver::grade::{Dimension, Grade};
use mcp_semver_build::{Catalogue, Contract};
use serde_json::{Value, json};

/// Rules whose reason is another than the values that a call may hold.
const OF_ANOTHER_KIND: &[&str] = &[
    "dialect_changed",
    "input_default_changed",
    "input_format_narrowed",
    "input_integer_format_narrowed",
    "unproven",
];

fn rows() -> Vec<(String, Value)> {
    let path = format!("{}/tests/vectors/real_pairs.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.map(|row| (row["id"].as_str().unwrap().to_owned(), row)).collect()
}

fn findings(row: &Value) -> Vec<Finding> {
    let side = |tool: &Value| {
        let mut tool = tool.clone();
        // A renamed tool is compared all the same: its schemas are the subject here.
        tool["name"] = json!("tool");
        Baseline::from(&Catalogue::new([Contract::from_wire(tool).unwrap()]).unwrap())
    };
    let changes = compare(&side(&row["old"]), &side(&row["new"]));
    changes.into_iter().flat_map(|change| change.findings).collect()
}

fn breaking<'f>(found: &'f [Finding], field: &str) -> Vec<&'f Finding> {
    found
        .iter()
        .filter(|it| it.pointer.starts_with(&format!("/{field}")))
        .filter(|it| it.grade == Grade::Major && it.rule.dimension == Dimension::Structural)
        .collect()
}

#[test]
fn a_call_that_is_refused_now_is_never_missed() {
    let mut refuted = 0;
    for (id, row) in rows() {
        let input = &row["input"];
        let is_true = |key: &str| input[key] == json!(true);
        if is_true("has_witness_old_not_new") && !is_true("only_open_world_old_not_new") {
            refuted += 1;
            assert!(!breaking(&findings(&row), "inputSchema").is_empty(), "{id}");
        }
    }
    assert!(refuted >= 70, "{refuted}");
}

#[test]
fn what_breaks_an_argument_has_a_witness_or_a_reason_of_another_kind() {
    for (id, row) in rows() {
        for finding in breaking(&findings(&row), "inputSchema") {
            let explained = OF_ANOTHER_KIND.contains(&finding.rule.id);
            assert!(finding.witness.is_some() || explained, "{id}: {}", finding.message);
        }
    }
}

/// What a result may newly be is shown; only a format is told apart by its name.
#[test]
fn what_a_result_may_newly_be_is_shown() {
    let (mut shown, mut missing) = (0, Vec::new());
    for (id, row) in rows() {
        for finding in breaking(&findings(&row), "outputSchema") {
            if finding.rule.id == "output_widened" && !finding.message.contains("format") {
                match finding.witness {
                    Some(_) => shown += 1,
                    None => missing.push(format!("{id}: {}", finding.message)),
                }
            }
        }
    }
    assert!(shown > 0);
    // Two fields of one result, deep in a union. May only fall.
    assert!(missing.len() <= 2, "{missing:#?}");
}

/// No alarm on an input where the search found no refused call, unless the reason is one that
/// values do not show.
#[test]
fn an_argument_is_no_cause_of_alarm_without_a_refused_call() {
    for (id, row) in rows() {
        if row["input"]["has_witness_old_not_new"] != json!(false) {
            continue;
        }
        for finding in breaking(&findings(&row), "inputSchema") {
            let ids = ["input_property_removed", "input_default_changed"];
            assert!(ids.contains(&finding.rule.id), "{id}: {}", finding.message);
        }
    }
}

#[test]
fn edits_of_text_alone_are_no_structural_alarm() {
    let is_text = |class: &Value| {
        let text = ["description", "title", "other field", "_meta", "icons"];
        text.iter().any(|word| class.as_str().unwrap().contains(word))
    };
    let mut edits = 0;
    for (id, row) in rows() {
        if row["classes"].as_array().unwrap().iter().all(is_text) {
            edits += 1;
            for finding in findings(&row) {
                let structural = finding.rule.dimension == Dimension::Structural;
                assert!(!structural || finding.grade < Grade::Minor, "{id}: {}", finding.message);
            }
        }
    }
    assert!(edits > 200, "{edits}");
}

#[test]
fn hardly_anything_stays_unproven() {
    let unproven: Vec<String> = rows()
        .into_iter()
        .filter(|(_, row)| findings(row).iter().any(|it| it.rule.id == "unproven"))
        .map(|(id, _)| id)
        .collect();
    // Two schemas require what a definition describes that they do not have, and one result came to
    // be several, of other names.
    assert_eq!(unproven.len(), 3, "{unproven:?}");
}

#[test]
fn no_text_of_a_real_tool_is_a_cause_of_alarm() {
    for (id, row) in rows() {
        let mut stranger = row.clone();
        stranger["old"] = json!({"name": "tool"});
        for finding in findings(&stranger) {
            let about_text = ["hidden_text", "instruction_text"].contains(&finding.rule.id);
            assert!(!about_text, "{id}: {}", finding.message);
        }
    }
}
