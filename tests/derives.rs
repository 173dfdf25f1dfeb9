//! What is evaluated of types at random is what the derives of serde and schemars make of them.
#![allow(clippy::unwrap_used)] // a panic is how a test fails

#[path = "derives/generate.rs"]
mod generate;
mod support;

use std::collections::BTreeMap;
use std::process::Command;

use generate::{Random, server};
use serde_json::Value;
use support::{Copy, ask};

const TYPES: usize = 120;
/// How many of them are resolved; never less.
const RESOLVED: usize = 105;

fn by_name(listing: &Value) -> BTreeMap<String, Value> {
    let tools = listing["tools"].as_array().unwrap().iter();
    tools.map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool.clone())).collect()
}

/// `MCP_SEMVER_SEED` draws other types.
#[test]
fn types_at_random() {
    let seed = std::env::var("MCP_SEMVER_SEED").ok().and_then(|seed| seed.parse().ok());
    let copy = Copy::new("types-at-random", &["derives"]);
    copy.write("derives/src/main.rs", &server(&mut Random::new(seed.unwrap_or(2026)), TYPES));
    let served = by_name(&ask(&mut Command::new(copy.build_binary("derives"))));
    let arguments = ["list", "-p", "derives", "--source", "scan", "--allow-unresolved"];
    let said = copy.run(&[&arguments[..], &["--message-format", "json"]].concat()).expect(0);
    let evaluated = by_name(&said.json());
    for (name, tool) in &evaluated {
        assert_eq!(tool, &served[name], "{name}");
    }
    assert_eq!(served.len(), TYPES);
    println!("{} of {TYPES} are resolved", evaluated.len());
    assert!(evaluated.len() >= RESOLVED, "{} are resolved: {}", evaluated.len(), said.stderr);
}
