//! Every finding points at the line and column that it is about.
//!
//! `tests/spans/*.diff` holds edits of servers. A comment under a line of the new source names the
//! findings that point at it, at the column of `^` or, behind `<`, at the first one, or, behind `?`,
//! one that points nowhere; there are no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mcp_semver_build::evaluate::{self, Cfg, Dependency, Sdk, Unit};
use mcp_semver_build::{Catalogue, Contract};
use semver::Version;

use super::*;
use crate::baseline::Baseline;
use crate::compare::compare;
use crate::gate::{self, Declared};
use crate::rules;

/// What stands below every server, so that its lines count from the start of the case.
const BELOW: &str = "
use rmcp::{tool, tool_router, handler::server::wrapper::{Json, Parameters}};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
";

/// The server of a case that has none.
const SERVER: &str = "
struct S;
#[tool_router(server_handler)]
impl S {
    /// Does it.
    #[tool]
    fn t(&self, PARAMETERS) -> RESULT { todo!() }
}
";

struct Case {
    title: String,
    old: String,
    new: String,
    /// What each comment says: rule, line, column.
    expected: BTreeSet<(String, usize, usize)>,
}

fn cases() -> Vec<Case> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spans");
    let mut files: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let texts = files.iter().map(|file| fs::read_to_string(file).unwrap());
    let read = |text: String| text.split("@@ ").skip(1).map(case).collect::<Vec<_>>();
    texts.flat_map(read).collect()
}

fn case(text: &str) -> Case {
    let (title, body) = text.split_once('\n').unwrap();
    let mut case = Case {
        title: title.to_owned(),
        old: String::new(),
        new: String::new(),
        expected: BTreeSet::new(),
    };
    let mut marked = 0;
    for line in body.lines() {
        let (sign, line) = line.split_at(1);
        if sign != "+" {
            case.old = case.old + line + "\n";
        }
        if sign != "-" {
            case.new = case.new + line + "\n";
            let Some(mark) = line.strip_prefix("//") else {
                marked = case.new.lines().count();
                continue;
            };
            case.expected.insert(match (mark.split_once("^ "), mark.strip_prefix("< ")) {
                (Some((before, rule)), _) => (rule.to_owned(), marked, before.chars().count() + 3),
                (None, Some(rule)) => (rule.to_owned(), marked, 1),
                (None, None) => (mark.trim_start_matches("? ").to_owned(), 0, 0),
            });
        }
    }
    case
}

/// Evaluates a server of one file, which is gone afterwards.
fn evaluated(text: &str) -> (PathBuf, Evaluation) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("main.rs");
    let has = |name: &str| text.contains(&format!("struct {name}"));
    let (input, output) = (has("Input"), has("Output"));
    let parameters = if input { "Parameters(input): Parameters<Input>" } else { "" };
    let server = SERVER
        .replace("PARAMETERS", parameters)
        .replace("RESULT", if output { "Json<Output>" } else { "String" });
    let server = if text.contains("#[tool_router") { "" } else { &server };
    fs::write(&root, format!("{text}{BELOW}{server}")).unwrap();
    let package = |name: &str| {
        let version = Version::new(1, 0, 0);
        (name.to_owned(), Dependency::Package { name: name.to_owned(), version })
    };
    let unit = Unit {
        root,
        name: "server".into(),
        edition: 2024,
        cfg: Cfg::host(BTreeSet::new()),
        dependencies: ["chrono", "rmcp", "serde", "serde_json"].map(package).into(),
        environment: BTreeMap::new(),
        serves: true,
    };
    let (rmcp, schemars) = (Version::new(3, 11, 0), Version::new(1, 2, 3));
    let sdk = Sdk { rmcp, schemars, keeps_order: false, keeps_digits: false };
    let evaluation = evaluate::evaluate(&[unit], &sdk, &[]).unwrap();
    assert!(evaluation.unresolved.is_empty(), "{:#?}\n{text}", evaluation.unresolved);
    (directory.path().to_owned(), evaluation)
}

fn sourced(text: &str) -> Sourced {
    let (package, evaluation) = evaluated(text);
    let places = Places { package: &package };
    let contract = |tool: &EvaluatedTool| Contract::from_wire(tool.wire.clone()).unwrap();
    let tools = &evaluation.tools;
    Sourced {
        catalogue: Catalogue::new(tools.iter().map(contract)).unwrap(),
        spans: tools.iter().map(|tool| (contract(tool).name, places.span(&tool.span))).collect(),
        handler: places.only(&evaluation.handlers),
        origins: Origins::new(&package, evaluation.tools),
        ..Sourced::default()
    }
}

/// The tools of a comparison, each finding with its place in the new source.
fn compared(old: &Baseline, new: &Sourced) -> Vec<ToolReport> {
    let changes = compare(old, &Baseline::from(&new.catalogue));
    let mut tools = gate::decide(old, &Declared::default(), changes).tools;
    new.locate(&mut tools);
    tools
}

#[test]
fn every_finding_points_at_its_line_and_column() {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut wrong = String::new();
    for Case { title, old, new, expected } in cases() {
        let tools = compared(&Baseline::from(&sourced(&old).catalogue), &sourced(&new));
        let findings = tools.iter().flat_map(|tool| &tool.findings);
        let found: BTreeSet<(String, usize, usize)> = findings
            .map(|it| {
                let (line, column) = it.span.as_ref().map_or((0, 0), |it| (it.line, it.column));
                (it.rule.id.to_owned(), line, column)
            })
            .collect();
        seen.extend(found.iter().map(|(rule, ..)| rule.clone()));
        if found != expected {
            wrong += &format!("@@ {title}\n");
            for (number, line) in new.lines().enumerate() {
                wrong += &format!(" {line}\n");
                for (rule, _, column) in found.iter().filter(|it| it.1 == number + 1) {
                    wrong +=
                        &format!(" //{:>width$} {rule}\n", "^", width = column.saturating_sub(2));
                }
            }
            let nowhere = found.iter().filter(|it| it.1 == 0);
            nowhere.for_each(|it| wrong += &format!(" //? {}\n", it.0));
        }
    }
    assert!(wrong.is_empty(), "these point elsewhere:\n{wrong}");
    let all: BTreeSet<String> = rules::ALL.iter().map(|rule| rule.id.to_owned()).collect();
    assert_eq!(all.difference(&seen).collect::<Vec<_>>(), Vec::<&String>::new(), "without a case");
}

/// The places of a tool's findings, where its source tells this contract and its build another.
fn otherwise(text: &str, old: &str, edit: impl Fn(&mut Value)) -> Vec<(String, usize, usize)> {
    let mut new = sourced(text);
    let edited = new.catalogue.iter().map(|contract| {
        let mut wire = contract.to_wire();
        edit(&mut wire);
        Contract::from_wire(wire).unwrap()
    });
    new.catalogue = Catalogue::new(edited.collect::<Vec<_>>()).unwrap();
    let tools = compared(&Baseline::from(&sourced(old).catalogue), &new);
    let findings = tools.iter().flat_map(|tool| &tool.findings);
    let place = |span: &Span| (span.line, span.column);
    findings
        .map(|it| (it.rule.id, it.span.as_ref().map(place).unwrap()))
        .map(|(rule, (line, column))| (rule.to_owned(), line, column))
        .collect()
}

const SEARCH: &str = "struct S;
#[tool_router(server_handler)]
impl S {
    /// Finds.
    #[tool]
    fn search(&self, Parameters(input): Parameters<Input>) {}
}
#[derive(Deserialize, JsonSchema)]
struct Input {
    text: bool,
    limit: u8,
}
";

#[test]
fn where_a_build_differs_only_what_is_the_same_has_its_place() {
    let old = SEARCH.replace("bool", "String").replace("u8", "bool").replace("Finds.", "Looks.");
    let found = otherwise(SEARCH, &old, |tool| {
        tool["inputSchema"]["properties"]["limit"]["maximum"] = 9.into();
    });
    let function = (6, 8);
    for (rule, line, column) in found {
        match (rule.as_str(), line) {
            ("description_changed", _) => assert_eq!((line, column), (4, 5)),
            ("input_type_narrowed", 10) => assert_eq!(column, 5, "`text` is the same"),
            _ => assert_eq!((line, column), function, "{rule}: `limit` is another"),
        }
    }
}

#[test]
fn a_build_that_differs_from_its_source_is_told() {
    let mut built = sourced(SEARCH);
    let mut told = |edit: &dyn Fn(&mut Evaluation)| {
        let (package, mut evaluation) = evaluated(SEARCH);
        edit(&mut evaluation);
        built.disagreements.clear();
        built.compare_source(&package, evaluation);
        built.disagreements.clone()
    };
    assert_eq!(told(&|_| {}), Vec::<String>::new());
    let differ = |evaluation: &mut Evaluation| {
        evaluation.tools[0].wire["inputSchema"]["title"] = "Other".into();
        evaluation.tools[0].wire["title"] = "Find".into();
    };
    let place = "main.rs:6: the source gives `search` another";
    assert_eq!(told(&differ), [format!("{place} `inputSchema`, `title` than the build")]);
    assert_eq!(told(&|it| it.tools.clear()), ["the source does not show `search`"]);
    let at_run_time = |evaluation: &mut Evaluation| {
        evaluation.tools.clear();
        evaluation.run_time.push(mcp_semver_build::probe::Remark { span: None, text: "?".into() });
    };
    assert_eq!(told(&at_run_time), Vec::<String>::new());
}

#[test]
fn a_baseline_of_digests_points_at_the_function() {
    let mut old = Baseline::from(&sourced(&SEARCH.replace("bool", "String")).catalogue);
    old.tools.values_mut().for_each(|tool| tool.contract = None);
    let tools = compared(&old, &sourced(SEARCH));
    let span = tools[0].findings[0].span.as_ref().unwrap();
    assert_eq!((span.line, span.column, span.end_line, span.end_column), (6, 8, 6, 14));
}
