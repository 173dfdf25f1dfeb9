//! Another prover's verdicts on the vectors, as `opinions/` recorded them: wherever it has one, it
//! is the truth that our own prover is held to, and ours on the real tools. Each kind of difference
//! is listed with its reason, and none may grow.

// In a test, unwrapping is asserting.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use cargo_mcp_semver::baseline::Baseline;
use cargo_mcp_semver::compare::compare;
use cargo_mcp_semver::finding::Finding;
use cargo_mcp_semver::grade::{Dimension, Grade};
use mcp_semver_build::{Catalogue, Contract};
use serde_json::{Value, json};

fn rows(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn id(row: &Value) -> String {
    row["id"].as_str().unwrap().to_owned()
}

/// The recorded verdicts by the row's id.
fn opinions() -> BTreeMap<String, Value> {
    rows("jsoncompat.jsonl").into_iter().map(|row| (id(&row), row)).collect()
}

/// Rows of `containment.jsonl` on which the truth is right and the other prover is not. It reads
/// every schema as 2020-12, where keywords beside a `$ref` count; this one is written in draft-07,
/// which is said beside the schema alone, and ignores them.
const READ_IN_ANOTHER_DIALECT: &[&str] = &["ibm/test_refs.TestSimpleRefs.test_2"];

/// Directions of which it reads a schema not at all; all but 4 are written in draft-04 or draft-07.
const UNREAD: usize = 1_009;

/// Directions that it can neither prove nor refute.
const UNDECIDED: usize = 201;

#[test]
fn the_truth_of_the_vectors_is_what_another_prover_finds() {
    let opinions = opinions();
    let (mut agreed, mut unread, mut undecided) = (0, 0, 0);
    for row in rows("containment.jsonl") {
        if row["disputed"] == json!(true) || READ_IN_ANOTHER_DIALECT.contains(&&*id(&row)) {
            continue;
        }
        for direction in ["old_in_new", "new_in_old"] {
            let Some(truth) = row[format!("truth_{direction}")].as_bool() else { continue };
            let opinion = opinions[&id(&row)][direction].as_str().unwrap();
            match (opinion, truth) {
                ("yes", true) | ("no", false) => agreed += 1,
                ("error", _) => unread += 1,
                ("unknown", _) => undecided += 1,
                _ => panic!("{} {direction}: {opinion}, and the truth is {truth}", id(&row)),
            }
        }
    }
    println!("{agreed} agreed, {unread} unread, {undecided} undecided");
    assert_eq!((agreed, unread, undecided), (3_021, UNREAD, UNDECIDED));
}

/// Rules whose reason is another than the values that a call may hold; the other prover, who asks
/// for values alone, finds every call accepted. A removed property is ignored by an open object, a
/// default and a dialect change no value, and formats assert nothing there.
const OF_ANOTHER_KIND: &[&str] = &[
    "dialect_changed",
    "input_closed",
    "input_default_changed",
    "input_format_narrowed",
    "input_integer_format_narrowed",
    "input_property_removed",
];

#[test]
fn another_prover_says_the_same_of_the_calls_of_real_tools() {
    let opinions = opinions();
    let (mut breaking, mut compatible, mut of_another_kind) = (0, 0, 0);
    for row in rows("real_pairs.jsonl") {
        let Some(opinion) = opinions.get(&id(&row)) else { continue };
        let found = major(&row);
        let by_values = found.iter().find(|it| !OF_ANOTHER_KIND.contains(&it.rule.id));
        match opinion["calls"].as_str().unwrap() {
            "no" => {
                breaking += 1;
                assert!(!found.is_empty(), "{}: it has a refused call", id(&row));
            }
            "yes" => {
                compatible += 1;
                of_another_kind += usize::from(!found.is_empty());
                let message = by_values.map(|finding| &finding.message);
                assert!(message.is_none(), "{}: it has a proof, and {message:?}", id(&row));
            }
            _ => {}
        }
    }
    println!("{breaking} breaking, {compatible} compatible, of which {of_another_kind} not to us");
    assert_eq!((breaking, compatible), (67, 143));
    assert!(of_another_kind <= 13, "{of_another_kind}");
}

/// What breaks callers.
fn major(row: &Value) -> Vec<Finding> {
    let side = |tool: &Value| {
        let mut tool = tool.clone();
        tool["name"] = json!("tool");
        Baseline::from(&Catalogue::new([Contract::from_wire(tool).unwrap()]).unwrap())
    };
    compare(&side(&row["old"]), &side(&row["new"]))
        .into_iter()
        .flat_map(|change| change.findings)
        .filter(|it| it.pointer.starts_with("/inputSchema"))
        .filter(|it| it.grade == Grade::Major && it.rule.dimension == Dimension::Structural)
        .collect()
}
