//! The places that are found by names are those that evaluation knows, or around them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use semver::Version;
use serde_json::json;

use super::*;
use crate::evaluate::{Cfg, Dependency, Sdk, evaluate};

/// A crate among the fixtures.
fn fixture(name: &str, dependencies: &[&str]) -> Unit {
    let package = |name: &&str| {
        let version = Version::new(1, 0, 0);
        ((*name).to_owned(), Dependency::Package { name: (*name).to_owned(), version })
    };
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(name);
    Unit {
        root: directory.join("src/main.rs").canonicalize().unwrap(),
        name: name.replace('-', "_"),
        edition: 2024,
        cfg: Cfg::host(BTreeSet::new()),
        dependencies: dependencies.iter().map(package).collect(),
        environment: BTreeMap::from([("CARGO_PKG_VERSION".to_owned(), "1.4.0".to_owned())]),
        serves: true,
    }
}

/// The name of the struct or enum, at the start of a line, that a place stands in.
fn type_around(place: &SourceSpan) -> SourceSpan {
    let text = std::fs::read_to_string(&place.file).unwrap();
    let name = |line: &str| {
        let word =
            ["struct ", "enum "].iter().find_map(|word| Some(line.find(word)? + word.len()))?;
        let length = line[word..].find(|next: char| !next.is_alphanumeric())?;
        (!line.starts_with(' ')).then_some((word + 1, word + 1 + length))
    };
    let lines: Vec<&str> = text.lines().take(place.line).collect();
    let around = (1..).zip(&lines).filter_map(|(line, text)| Some((line, name(text)?))).last();
    let (line, (column, end_column)) = around.unwrap();
    SourceSpan { file: place.file.clone(), line, column, end_line: line, end_column }
}

#[test]
fn what_is_found_by_name_is_what_evaluation_knows() {
    let sdk = Sdk {
        rmcp: Version::new(3, 11, 0),
        schemars: Version::new(1, 2, 3),
        keeps_order: false,
        keeps_digits: false,
    };
    let (mut same, mut around, mut wrong) = (0, 0, String::new());
    for name in ["derives", "schemas", "article", "chaos"] {
        let dependencies =
            ["chrono", "rmcp", "schemars", "serde", "serde_json", "tokio", "url", "uuid"];
        let units = [fixture(name, &dependencies)];
        let tools = evaluate(&units, &sdk, &[]).unwrap().tools;
        let read = |tool: &EvaluatedTool| ReadTool {
            wire: tool.wire.clone(),
            span: Some(tool.span.clone()),
        };
        let read: Vec<ReadTool> = tools.iter().map(read).collect();
        let located = locate(&units, &read).unwrap();
        assert_eq!(located.len(), tools.len(), "{name}");
        for (found, known) in located.iter().zip(&tools) {
            // Their schemas are written by hand: the type itself is what stands around.
            if ["by_hand", "stripped"].iter().any(|name| known.wire["name"] == *name) {
                continue;
            }
            for (pointer, place) in &known.places {
                let found = found.place(pointer);
                let mut outer = pointer.as_str();
                let mut enclosing = std::iter::from_fn(|| {
                    outer = &outer[..outer.rfind('/')?];
                    Some(known.place(outer))
                });
                if found == place {
                    same += 1;
                } else if enclosing.any(|it| it == found) || *found == type_around(place) {
                    around += 1;
                } else {
                    wrong += &format!(
                        "{name} {}{pointer}: {}:{} is {}:{}\n",
                        known.wire["name"], found.line, found.column, place.line, place.column
                    );
                }
            }
        }
    }
    assert_eq!(wrong, "", "{same} the same, {around} around");
    assert!(same > 5 * around, "{same} the same, {around} around");
}

/// A tool of a crate, whose name alone tells where it stands.
fn tool(text: &str, wire: Value) -> Option<EvaluatedTool> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("main.rs");
    std::fs::write(&root, text).unwrap();
    let unit = Unit { root, ..fixture("article", &["pmcp", "rust_mcp_sdk", "serde", "turbomcp"]) };
    locate(&[unit], &[ReadTool { wire, span: None }]).unwrap().pop()
}

/// Where its parts are found, by pointer: line and column.
fn found(text: &str, wire: Value) -> BTreeMap<String, (usize, usize)> {
    let places = tool(text, wire).into_iter().flat_map(|tool| tool.places);
    places.map(|(pointer, place)| (pointer, (place.line, place.column))).collect()
}

#[test]
fn what_has_two_names_or_none_has_the_place_around_it() {
    let server = "use turbomcp::prelude::*;
#[server] impl S { #[tool] async fn t(&self, a: A, other: Other) {} }
#[derive(JsonSchema)] struct A { same: u8, #[serde(flatten)] b: B, #[serde(rename = \"one\")] two: u8 }
#[derive(JsonSchema)] struct B { same: u8 }
struct Other { by_hand: u8 }
";
    let property = json!({ "type": "integer" });
    let places = found(
        server,
        json!({ "name": "t", "inputSchema": { "properties": {
            "a": { "properties": { "same": property, "one": property, "two": property } },
            "other": { "properties": { "by_hand": property } },
            "more": property,
        } } }),
    );
    let a = "/inputSchema/properties/a/properties";
    assert_eq!(places[""], (2, 37));
    assert_eq!(places[a], (3, 30), "what is gone stood in the struct");
    assert_eq!(places[&format!("{a}/one")], (3, 93));
    for inside in ["a/properties/same", "a/properties/two", "other/properties/by_hand", "more"] {
        assert!(!places.contains_key(&format!("/inputSchema/properties/{inside}")), "{inside}");
    }
}

#[test]
fn two_tools_of_one_name_are_not_told_apart() {
    let tool = "#[mcp_tool(name = \"t\", description = \"d\")] struct A { a: u8 }";
    let wire = json!({ "name": "t", "description": "d" });
    let server = format!("use rust_mcp_sdk::x; {tool}");
    assert_eq!(found(&server, wire.clone())["/description"], (1, 45));
    let both = format!("{server} mod other {{ {tool} }}");
    assert_eq!(found(&both, wire.clone()), BTreeMap::new());
    let one = format!("{server} #[cfg(any())] mod other {{ {tool} }}");
    assert_eq!(found(&one, wire)[""], (1, 72));
}

#[test]
fn a_tool_that_is_gone_stood_in_its_box() {
    let server = "use rust_mcp_sdk::x;
#[mcp_tool(name = \"t\", description = \"d\")] struct A {}
tool_box!(Other, [B]);
tool_box!(Box, [A, B]);
";
    let block = tool(server, json!({ "name": "t" })).unwrap().block.unwrap();
    assert_eq!((block.line, block.column), (4, 11));
}
