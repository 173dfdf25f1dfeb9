//! Pairs of schemas as Rust types would make them, graded, and judged by a validator: what is
//! graded below major has no witness among a thousand calls, and what is major has one.
//!
//! `MCP_SEMVER_PAIRS` sets how many pairs are made, `MCP_SEMVER_SEED` another start, and
//! `MCP_SEMVER_SHOW` prints the pairs of which a breaking change has no witness. A pair that fails
//! is printed with its seed, shrunk, and kept as a row of `vectors/generated.jsonl`.

// In a test, unwrapping is asserting.
#![allow(clippy::unwrap_used, unreachable_pub, reason = "modules of a test are no interface")]

#[path = "generated/edit.rs"]
mod edit;
#[path = "generated/model.rs"]
mod model;
#[path = "generated/sample.rs"]
mod sample;
#[path = "generated/write.rs"]
mod write;

use std::cell::Cell;
use std::fmt;

use cargo_mcp_semver::baseline::Baseline;
use cargo_mcp_semver::compare::compare;
use cargo_mcp_semver::finding::Finding;
use cargo_mcp_semver::grade::{Dimension, Grade};
use jsonschema::Validator;
use mcp_semver_build::{Catalogue, Contract};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde_json::{Value, json};

use edit::Edit;
use model::Model;
use sample::Dice;

const PAIRS: u64 = 10_000;
const SAMPLES: usize = 1_000;
/// Tests that share the pairs, so that they run beside each other.
const SHARDS: u64 = 4;
/// So many pairs of each test may be breaking by an unproven finding. May only fall.
const UNPROVEN: usize = 8;

/// Rules whose reason is what is accepted, so that a value has to show it.
const OF_VALUES: &[&str] = &[
    "input_constraint_tightened",
    "input_enum_narrowed",
    "input_narrowed",
    "input_required_added",
    "input_type_narrowed",
];

/// A schema and the one after an edit.
#[derive(Clone)]
struct Pair {
    old: Model,
    new: Model,
    edits: Vec<Edit>,
    /// Where the samples begin.
    seed: u64,
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}\n{}\n{}\n", self.edits, self.old.schema(), self.new.schema())
    }
}

fn pair() -> impl Strategy<Value = Pair> {
    let edit = proptest::sample::select(&Edit::ALL[..]);
    let edits = proptest::collection::vec(edit, 0..3);
    (model::model(), edits, any::<u64>()).prop_map(|(old, edits, seed)| {
        let (mut new, mut dice) = (old.clone(), Dice::new(seed));
        edits.iter().for_each(|edit| edit.apply(&mut new, &mut dice));
        Pair { old, new, edits, seed }
    })
}

/// What the pairs of a shard came to.
#[derive(Debug, Default)]
struct Tally {
    pairs: Cell<usize>,
    harmless: Cell<usize>,
    witnesses: Cell<usize>,
    unproven: Cell<usize>,
    unshown: Cell<usize>,
    samples: Cell<usize>,
    /// Samples that the old schema accepts, of those that were asked about.
    valid: Cell<usize>,
    asked: Cell<usize>,
}

fn count(cell: &Cell<usize>, more: usize) {
    cell.set(cell.get() + more);
}

fn validator(schema: &Value) -> Validator {
    jsonschema::options().should_validate_formats(false).build(schema).unwrap()
}

fn findings(old: &Value, new: &Value) -> Vec<Finding> {
    let side = |schema: &Value| {
        let tool = json!({"name": "tool", "inputSchema": schema});
        Baseline::from(&Catalogue::new([Contract::from_wire(tool).unwrap()]).unwrap())
    };
    compare(&side(old), &side(new)).into_iter().flat_map(|change| change.findings).collect()
}

/// Whether any sample that is accepted has something where a finding is.
fn is_ever_sent(pair: &Pair, before: &Validator, finding: &Finding) -> bool {
    let mut dice = Dice::new(pair.seed);
    let steps: Vec<&str> = finding.path.split(['.', '[']).collect();
    // Of what is required now, the object is there.
    let above = usize::from(finding.rule.id == "input_required_added");
    let steps = &steps[..steps.len() - above];
    (0..SAMPLES)
        .filter_map(|_| dice.arguments(&pair.old))
        .any(|it| reaches(&it, steps) && before.is_valid(&it))
}

fn reaches(value: &Value, steps: &[&str]) -> bool {
    let Some((step, rest)) = steps.split_first() else { return true };
    match value {
        _ if step.is_empty() => reaches(value, rest),
        Value::Object(map) if *step == "*" => map.values().any(|it| reaches(it, rest)),
        Value::Object(map) => map.get(*step).is_some_and(|it| reaches(it, rest)),
        Value::Array(list) => {
            let index = step.trim_end_matches(']').parse::<usize>();
            let mut items = list.iter().enumerate();
            items.any(|(at, it)| {
                index.as_ref().map_or(true, |index| *index == at) && reaches(it, rest)
            })
        }
        _ => false,
    }
}

fn judge(pair: &Pair, tally: &Tally) -> Result<(), TestCaseError> {
    let (old, new) = (pair.old.schema(), pair.new.schema());
    let found = findings(&old, &new);
    let (before, after) = (validator(&old), validator(&new));
    count(&tally.pairs, 1);
    let major: Vec<&Finding> = found
        .iter()
        .filter(|it| it.grade == Grade::Major && it.rule.dimension == Dimension::Structural)
        .collect();
    count(&tally.unproven, usize::from(major.iter().any(|it| it.rule.id == "unproven")));
    for finding in &major {
        let told = format!("{}: {}", finding.rule.id, finding.message);
        match &finding.witness {
            Some(witness) => {
                count(&tally.witnesses, 1);
                prop_assert!(before.is_valid(witness), "not accepted before {witness}: {told}");
                let refused = !after.is_valid(witness);
                let is_told = !OF_VALUES.contains(&finding.rule.id);
                prop_assert!(refused || is_told, "still accepted {witness}: {told}");
            }
            // Some types have no value, as a set of two out of one.
            None if OF_VALUES.contains(&finding.rule.id)
                && is_ever_sent(pair, &before, finding) =>
            {
                count(&tally.unshown, 1);
                if std::env::var_os("MCP_SEMVER_SHOW").is_some() {
                    println!("{told}\n{pair:?}");
                }
            }
            None => {}
        }
    }
    if pair.edits.iter().all(|edit| edit.is_harmless()) {
        count(&tally.harmless, 1);
        let told = major.iter().find(|it| it.rule.id != "unproven").map(|it| &it.message);
        prop_assert!(told.is_none(), "an alarm about nothing: {told:?}");
    }
    if !major.is_empty() {
        return Ok(());
    }
    let mut dice = Dice::new(pair.seed);
    for number in 0..SAMPLES {
        let Some(value) = dice.arguments(&pair.old) else { continue };
        count(&tally.samples, 1);
        if number < 5 {
            count(&tally.asked, 1);
            count(&tally.valid, usize::from(before.is_valid(&value)));
        }
        let refuted = !after.is_valid(&value) && before.is_valid(&value);
        prop_assert!(!refuted, "graded below major, and refused now: {value}\n{found:#?}");
    }
    Ok(())
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |it| it.parse().expect("a number"))
}

fn shard(shard: u64) {
    let (pairs, seed) = (number("MCP_SEMVER_PAIRS", PAIRS), number("MCP_SEMVER_SEED", 0));
    let config = Config {
        cases: u32::try_from(pairs / SHARDS).unwrap(),
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..Config::default()
    };
    let mut start = [0; 32];
    start[..8].copy_from_slice(&seed.to_le_bytes());
    start[8..16].copy_from_slice(&shard.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &start);
    let tally = Tally::default();
    let result = TestRunner::new_with_rng(config, rng).run(&pair(), |pair| judge(&pair, &tally));
    println!("shard {shard}, seed {seed}: {tally:?}");
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, pair)) => {
            panic!("shard {shard}, seed {seed}: {reason}\n{pair:?}")
        }
        Err(TestError::Abort(reason)) => panic!("shard {shard}, seed {seed}: {reason}"),
    }
    // The samples mean something.
    assert!(tally.valid.get() * 10 > tally.asked.get() * 9, "{tally:?}");
    if (pairs, seed) == (PAIRS, 0) {
        assert!(tally.unproven.get() <= UNPROVEN, "{tally:?}");
        assert_eq!(tally.unshown.get(), 0, "a finding about accepted values has no witness");
    }
}

#[test]
fn pairs_that_failed_once_hold() {
    let path = format!("{}/tests/vectors/generated.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let (old, new, refused) = (&row["old"], &row["new"], &row["refused"]);
        assert!(validator(old).is_valid(refused) && !validator(new).is_valid(refused), "{row}");
        let found = findings(old, new);
        let mut major = found.iter().filter(|it| it.grade == Grade::Major).peekable();
        assert!(major.peek().is_some(), "{row}\n{found:#?}");
        let shown = |it: &Finding| it.witness.is_some() || !OF_VALUES.contains(&it.rule.id);
        assert!(major.all(shown), "{row}\n{found:#?}");
    }
}

#[test]
fn grades_hold_in_the_first_quarter() {
    shard(0);
}

#[test]
fn grades_hold_in_the_second_quarter() {
    shard(1);
}

#[test]
fn grades_hold_in_the_third_quarter() {
    shard(2);
}

#[test]
fn grades_hold_in_the_last_quarter() {
    shard(3);
}
