//! What is evaluated from the source of the fixtures is, field by field, what they serve.
#![allow(clippy::unwrap_used)] // a panic is how a test fails

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mcp_semver_build::Contract;
use mcp_semver_build::evaluate::{Cfg, Dependency, Evaluation, Sdk, Unit, evaluate};
use semver::Version;
use serde_json::Value;

/// How many tools of the fixtures are resolved; never less.
const RESOLVED: usize = 231;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("fixtures")
}

fn package(name: &str) -> (String, Dependency) {
    let dependency = Dependency::Package { name: name.to_owned(), version: Version::new(1, 0, 0) };
    (name.to_owned(), dependency)
}

fn unit(root: PathBuf, name: &str, edition: u16, features: &[&str]) -> Unit {
    let features: BTreeSet<String> = features.iter().map(|it| (*it).to_owned()).collect();
    let directory = root.parent().unwrap().parent().unwrap().display().to_string();
    Unit {
        root,
        name: name.to_owned(),
        edition,
        cfg: Cfg::host(features),
        dependencies: ["chrono", "rmcp", "schemars", "serde", "tokio", "url", "uuid"]
            .map(package)
            .into(),
        environment: BTreeMap::from([("CARGO_MANIFEST_DIR".into(), directory)]),
        serves: true,
    }
}

/// The crates of a fixture.
fn units(fixture: &str) -> Vec<Unit> {
    let directory = fixtures().join(fixture);
    let manifest = fs::read_to_string(directory.join("Cargo.toml")).unwrap();
    let edition = manifest.lines().find_map(|line| line.strip_prefix("edition = ")).unwrap();
    let edition = edition.trim_matches('"').parse().unwrap();
    let name = fixture.replace('-', "_");
    let mut units = vec![unit(directory.join("src/main.rs"), &name, edition, &[])];
    let mut library = |root: PathBuf, name: &str, known_as: &str, features: &[&str]| {
        units.push(unit(root, name, edition, features));
        units[0].dependencies.insert(known_as.to_owned(), Dependency::Unit(1));
    };
    if directory.join("src/lib.rs").exists() {
        library(directory.join("src/lib.rs"), &name, &name, &[]);
    }
    if fixture == "workspace-member-library" {
        library(directory.join("tools/src/lib.rs"), "member_tools", "bookshelf", &["lending"]);
        units[1].dependencies.extend([package("member_tags")]);
    }
    units
}

/// `None` for a server on another framework than `rmcp`.
fn evaluated(fixture: &str) -> Option<Evaluation> {
    let lock = fs::read_to_string(fixtures().join("Cargo.lock")).unwrap();
    let sdk = Sdk::from_lock(&lock, fixture);
    assert_eq!(sdk.is_none(), fixture.starts_with("on-"), "{fixture}");
    Some(evaluate(&units(fixture), &sdk?, &[]).unwrap())
}

fn served(fixture: &str) -> Option<BTreeMap<String, Contract>> {
    let text = fs::read_to_string(fixtures().join(fixture).join("served.json")).ok()?;
    let value: Value = serde_json::from_str(&text).unwrap();
    let tools = value["tools"].as_array().unwrap().iter();
    let contracts = tools.map(|tool| Contract::from_wire(tool.clone()).unwrap());
    Some(contracts.map(|contract| (contract.name.clone(), contract)).collect())
}

#[test]
fn every_resolved_contract_is_the_one_served() {
    let mut names: Vec<String> = fs::read_dir(fixtures())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let (mut resolved, mut all, mut visible) = (0, 0, 0);
    let mut different = Vec::new();
    for fixture in names {
        let Some(served) = served(&fixture) else { continue };
        let Some(evaluation) = evaluated(&fixture) else { continue };
        all += served.len();
        let names: Vec<&str> = evaluation
            .tools
            .iter()
            .map(|tool| tool.wire["name"].as_str().unwrap())
            .chain(evaluation.unresolved.iter().map(|tool| tool.name.as_str()))
            .collect();
        for tool in &evaluation.tools {
            let contract = Contract::from_wire(tool.wire.clone()).unwrap();
            // Of two tools of one name a server keeps either; a router that is made at run time
            // may drop tools: both are said.
            let is_one = names.iter().filter(|name| **name == contract.name).count() == 1;
            match served.get(&contract.name) {
                Some(served) if served.to_json() == contract.to_json() => resolved += 1,
                Some(_) if !is_one => {}
                None if !evaluation.run_time.is_empty() => {}
                served => different.push(format!(
                    "{fixture}: {}\nserved {:#}\nevaluated {:#}",
                    contract.name,
                    served.map_or(Value::Null, Contract::to_json),
                    contract.to_json()
                )),
            }
        }
        for name in served.keys() {
            if names.contains(&name.as_str()) {
                visible += 1;
            } else {
                assert!(!evaluation.unread.is_empty(), "{fixture}: `{name}` is lost");
            }
        }
        for tool in &evaluation.unresolved {
            println!("{fixture}: `{}` is not resolved: {}", tool.name, tool.why);
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    println!("resolved: {resolved} of {visible} tools that the source shows, {all} in all");
    // What macros make and what code does to a router only a build shows.
    assert!(resolved >= RESOLVED, "{resolved} tools are resolved, and once there were {RESOLVED}");
}
