//! Reports for programs are what their schemas say.

use serde_json::Value;

use super::{Render, SARIF, change, hostile, json, unread};
use crate::report::Run;

const SARIF_SCHEMA: &str = include_str!("../../../../tests/data/sarif/sarif-schema-2.1.0.json");

fn assert_valid(schema: &str, render: Render, run: &Run) {
    let mut schema: Value = serde_json::from_str(schema).unwrap();
    // The pattern that SARIF's schema has for a field unused here is no regular expression.
    for definition in ["run", "toolComponent"] {
        let pointer = format!("/definitions/{definition}/properties/language");
        if let Some(Value::Object(language)) = schema.pointer_mut(&pointer) {
            language.remove("pattern");
        }
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let report: Value = serde_json::from_str(&render(run)).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&report)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{report:#}");
}

fn runs() -> Vec<Run> {
    let mut several = change();
    several.subjects.extend(unread().subjects);
    let mut empty = change();
    if let Ok(outcome) = &mut empty.subjects[0].result {
        outcome.tools.clear();
        outcome.package = None;
    }
    let mut nameless = unread();
    nameless.subjects[0].name.clear();
    nameless.subjects[0].version = None;
    nameless.subjects[0].remedy = None;
    vec![change(), unread(), several, empty, nameless, hostile("{0} [a](b) \u{202e}ü /..%")]
}

#[test]
fn sarif_is_valid() {
    runs().iter().for_each(assert_valid_sarif);
}

#[track_caller]
pub(in crate::report) fn assert_valid_sarif(run: &Run) {
    assert_valid(SARIF_SCHEMA, SARIF, run);
}

#[test]
fn json_is_valid() {
    runs().iter().for_each(|run| assert_valid(json::SCHEMA, json::render, run));
}

/// Where each result of a SARIF report is, with its fingerprint.
fn fingerprints(run: &Run) -> Vec<(String, u64)> {
    let report: Value = serde_json::from_str(&SARIF(run)).unwrap();
    let results = report["runs"][0]["results"].as_array().unwrap();
    let of = |result: &Value| {
        let print = result["partialFingerprints"]["contractChange/v1"].as_str().unwrap();
        let region = &result["locations"][0]["physicalLocation"]["region"];
        (print.to_owned(), region["startLine"].as_u64().unwrap_or(0))
    };
    results.iter().map(of).collect()
}

#[test]
fn fingerprints_outlive_unrelated_edits() {
    let before = fingerprints(&change());
    let mut distinct: Vec<&String> = before.iter().map(|(print, _)| print).collect();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), before.len());

    let mut edited = change();
    let Ok(outcome) = &mut edited.subjects[0].result else { unreachable!("it was read") };
    outcome.tools.retain(|tool| tool.name != "archive_note" && tool.name != "create_note");
    for tool in &mut outcome.tools {
        tool.span.as_mut().unwrap().line += 7;
        tool.findings[..]
            .iter_mut()
            .for_each(|finding| finding.message.push_str(", says the tool"));
    }
    let after = fingerprints(&edited);
    assert_eq!(after.len(), before.len() - 1);
    for (print, line) in &after {
        let (_, old) = before.iter().find(|(old, _)| old == print).expect("the same fingerprint");
        assert!(*line == old + 7 || (*line, *old) == (0, 0));
    }
}
