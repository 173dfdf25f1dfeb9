//! Consecutive versions of real tools, graded.

use cargo_mcp_semver::baseline::Baseline;
use cargo_mcp_semver::compare::compare;
use cargo_mcp_semver::finding::Finding;
use cargo_mcp_semver::grade::{Dimension, Grade};
use mcp_semver_build::{Catalogue, Contract};
use serde_json::{Value, json};

fn rows() -> Vec<Value> {
    let path = format!("{}/tests/vectors/real_pairs.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
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

#[test]
fn explore() {
    let started = std::time::Instant::now();
    let mut times = Vec::new();
    for row in rows() {
        let t = std::time::Instant::now();
        let found = findings(&row);
        times.push((t.elapsed(), row["id"].as_str().unwrap().to_owned()));
        let id = row["id"].as_str().unwrap();
        for direction in ["input", "output"] {
            let it = &row[direction];
            let key = if direction == "input" { "old_not_new" } else { "new_not_old" };
            let refuted = it[format!("has_witness_{key}")] == json!(true);
            let open_world = it[format!("only_open_world_{key}")] == json!(true);
            let in_field = |f: &&Finding| f.pointer.starts_with(&format!("/{direction}Schema"));
            let major: Vec<&Finding> = found
                .iter()
                .filter(in_field)
                .filter(|f| f.grade == Grade::Major && f.rule.dimension == Dimension::Structural)
                .collect();
            let ids: Vec<_> =
                major.iter().map(|f| (f.rule.id, f.path.as_str(), f.witness.is_some())).collect();
            if refuted && !open_world && major.is_empty() {
                println!("MISSED {direction} {id} {}", it);
            }
            if !refuted && it[format!("has_witness_{key}")] == json!(false) && !major.is_empty() {
                println!("ALARM {direction} {id} {ids:?}");
            }
            if open_world && !major.is_empty() {
                println!("OPENWORLD {direction} {id} {ids:?} {:?}", row["classes"]);
            }
            for f in &major {
                if f.witness.is_none() {
                    println!(
                        "NOWITNESS {direction} {} {id} {} | {} -> {}",
                        f.rule.id,
                        f.message,
                        f.old.clone().unwrap_or_default(),
                        f.new.clone().unwrap_or_default()
                    );
                } else {
                    println!(
                        "WITNESS {} {} || {}",
                        f.rule.id,
                        f.message,
                        f.witness.clone().unwrap()
                    );
                }
                if f.rule.id == "unproven" {
                    println!("UNPROVEN {direction} {id} {}", f.message);
                }
            }
        }
        if found.is_empty() {
            println!("SILENT {id} {:?}", row["classes"]);
        }
        let text_only = row["classes"].as_array().unwrap().iter().all(|c| {
            let c = c.as_str().unwrap();
            c.contains("description")
                || c.contains("title")
                || c.contains("other field")
                || c.contains("_meta")
                || c.contains("icons")
        });
        if text_only
            && found
                .iter()
                .any(|f| f.rule.dimension == Dimension::Structural && f.grade > Grade::Patch)
        {
            println!("TEXTALARM {id} {:?}", found.iter().map(|f| f.rule.id).collect::<Vec<_>>());
        }
    }
    times.sort();
    println!(
        "TIME median {:?} max {:?} total {:?}",
        times[times.len() / 2],
        times.last(),
        started.elapsed()
    );
}
