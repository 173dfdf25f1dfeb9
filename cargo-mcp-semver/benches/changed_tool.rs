//! What one changed tool costs: proof and witnesses, over versions of real tools.
//!
//! Prints the median and the worst of the pairs, each the best of several runs. Reports, asserts
//! nothing.
#![allow(clippy::unwrap_used)] // a bench may stop at what it did not expect

use std::hint::black_box;
use std::time::Instant;

use cargo_mcp_semver::baseline::Baseline;
use cargo_mcp_semver::compare::compare;
use mcp_semver_build::{Catalogue, Contract};
use serde_json::{Value, json};

const RUNS: usize = 5;

fn main() {
    let path = format!("{}/tests/vectors/real_pairs.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut costs: Vec<(f64, String)> = text
        .lines()
        .map(|line| {
            let row: Value = serde_json::from_str(line).unwrap();
            let (old, new) = (side(&row["old"]), side(&row["new"]));
            let cost = (0..RUNS).map(|_| milliseconds(&old, &new)).fold(f64::MAX, f64::min);
            (cost, row["id"].as_str().unwrap().to_owned())
        })
        .collect();
    costs.sort_by(|one, other| one.0.total_cmp(&other.0));
    let sum: f64 = costs.iter().map(|(cost, _)| cost).sum();
    let count = costs.len();
    println!(
        "{count} pairs: median {:.2} ms, mean {:.2} ms, 95 % within {:.2} ms",
        costs[count / 2].0,
        sum / count as f64,
        costs[count * 95 / 100].0
    );
    for (cost, id) in costs.iter().rev().take(5) {
        println!("{cost:8.2} ms  {id}");
    }
}

fn side(tool: &Value) -> Baseline {
    let mut tool = tool.clone();
    tool["name"] = json!("tool");
    Baseline::from(&Catalogue::new([Contract::from_wire(tool).unwrap()]).unwrap())
}

fn milliseconds(old: &Baseline, new: &Baseline) -> f64 {
    let start = Instant::now();
    black_box(compare(black_box(old), black_box(new)));
    start.elapsed().as_secs_f64() * 1000.0
}
