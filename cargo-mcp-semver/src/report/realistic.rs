//! One realistic change in every format: ten tools moved, one of them breaking, one of them a
//! matter of security.

use serde_json::{Value, json};

use mcp_semver_build::{Catalogue, Contract};

use crate::baseline::Baseline;
use crate::compare::compare;
use crate::finding::Span;
use crate::gate::{self, Declared};
use crate::report::human::{self, Detail};
use crate::report::place::Repository;
use crate::report::sources::Sources;
use crate::report::{Failure, Remedy, Run, Subject, github, json, markdown, sarif};

fn tool(name: &str, description: &str, properties: Value) -> Value {
    json!({
        "name": name, "description": description,
        "inputSchema": { "type": "object", "properties": properties, "required": ["id"] },
        "annotations": { "readOnlyHint": false, "destructiveHint": false },
    })
}

/// The server before and after.
fn sides() -> [Vec<Value>; 2] {
    let id = || json!({ "type": "string", "description": "Which note." });
    let plain = |name: &str, description: &str| tool(name, description, json!({ "id": id() }));
    let mut old = vec![
        plain("archive_note", "Moves a note to the archive."),
        plain("create_note", "Creates a note."),
        plain("delete_note", "Deletes a note."),
        tool("fetch_note", "Reads one note.", json!({ "id": id() })),
        tool("list_notes", "Lists notes, newest first. At most 50.", json!({ "id": id() })),
        plain("ping", "Says that the server is there."),
        tool(
            "rename_note",
            "Renames a note.",
            json!({
                "id": id(), "title": { "type": "string", "maxLength": 80 },
            }),
        ),
        tool(
            "search_notes",
            "Searches notes.",
            json!({
                "id": id(),
                "mode": { "type": "string", "enum": ["fast", "deep", "exact"] },
            }),
        ),
        plain("stats", "Counts notes."),
        tool(
            "tag_note",
            "Tags a note.",
            json!({
                "id": id(), "color": { "enum": ["red", "green"] },
            }),
        ),
        plain("version", "Tells the server's version."),
    ];
    old[8]["outputSchema"] = json!({
        "type": "object", "properties": { "notes": { "type": "integer" } }, "required": ["notes"],
    });
    let mut new = old.clone();
    new[1]["inputSchema"]["properties"]["title"] = json!({ "type": "string" });
    new[2]["annotations"]["destructiveHint"] = json!(true);
    new[3]["description"] = json!("Reads one note with its attachments.");
    new[4]["description"] = json!("Lists notes, best first.");
    new[6]["inputSchema"]["properties"]["title"]["maxLength"] = json!(200);
    new[7]["inputSchema"]["properties"]["mode"]["enum"] = json!(["fast", "exact"]);
    new[8]["outputSchema"]["properties"]["tags"] = json!({ "type": "integer" });
    new[9]["inputSchema"]["properties"]["color"]["enum"] = json!(["red", "green", "blue"]);
    new[10]["title"] = json!("Version");
    new.push(plain("export_notes", "Writes all notes to a file."));
    [old, new]
}

fn baseline(tools: Vec<Value>) -> Baseline {
    let contracts = tools.into_iter().map(|tool| Contract::from_wire(tool).unwrap());
    Baseline::from(&Catalogue::new(contracts).unwrap())
}

/// A check of the server, released as 1.4.0 and about to be as 1.5.0.
fn change() -> Run {
    let [old, new] = sides().map(baseline);
    let package = |version: &str| ("notes-server".to_owned(), version.parse().unwrap());
    let old = Baseline { package: Some(package("1.4.0")), ..old };
    let declared = Declared { package: Some(package("1.5.0")), ..Declared::default() };
    let mut outcome = gate::decide(&old, &declared, compare(&old, &new));
    outcome.notes.push("schemars went from 1.2.2 to 1.2.3 since the baseline".into());
    for (index, tool) in outcome.tools.iter_mut().enumerate() {
        let span = Span::point("src/tools.rs", 10 + 12 * index, 5);
        tool.span = Some(span);
    }
    Run {
        subjects: vec![Subject {
            name: "notes-server".into(),
            version: Some("1.5.0".parse().unwrap()),
            directory: "crates/notes-server".into(),
            result: Ok(outcome),
            remedy: Some(Remedy {
                manifest: Some("crates/notes-server/Cargo.toml".into()),
                shared_version: false,
                lock_command: "cargo mcp-semver lock -p notes-server".into(),
            }),
        }],
    }
}

/// The same where the catalogue could not be read.
fn unread() -> Run {
    let mut run = change();
    run.subjects[0].result = Err(Failure {
        messages: vec!["the router of `Notes` is edited at run time".into()],
        causes: vec!["`remove_route` in src/tools.rs:90\nneeds `self`".into()],
        help: vec!["set `runtime-router = \"declared\"`".into()],
    });
    run
}

/// Every text that a server's author can choose, set to `text`.
fn hostile(text: &str) -> Run {
    let schema = |value: &str| {
        json!({
            "type": "object",
            "properties": { text: { "type": "string", "description": text, "enum": [value, "x"] } },
        })
    };
    let side = |description: String, value: &str| {
        let tool =
            json!({ "name": text, "description": description, "inputSchema": schema(value) });
        Contract::from_wire(tool)
            .ok()
            .map(|contract| Baseline::from(&Catalogue::new([contract]).unwrap()))
    };
    let sides = (side(format!("{text} a"), "y"), side(format!("{text} b"), text));
    let mut run = change();
    let subject = &mut run.subjects[0];
    if let (Some(old), Some(new)) = sides {
        let mut outcome = gate::decide(&old, &Declared::default(), compare(&old, &new));
        outcome.notes.push(text.into());
        for tool in &mut outcome.tools {
            tool.span = Some(Span::point(text, 1, 1));
            for finding in &mut tool.findings {
                finding.witness = Some(json!({ text: text }));
            }
        }
        outcome.require_fresh(vec![text.into()]);
        subject.result = Ok(outcome);
    }
    subject.name = text.into();
    if let Some(remedy) = &mut subject.remedy {
        remedy.lock_command = text.into();
        remedy.manifest = Some(text.into());
    }
    let mut unread = run.subjects[0].clone();
    unread.result = Err(Failure {
        messages: vec![text.into()],
        causes: vec![text.into()],
        help: vec![text.into()],
    });
    run.subjects.push(unread);
    run
}

/// A repository that is nowhere: `crates/..` lies in it.
fn repository() -> Repository {
    Repository::around(&std::env::temp_dir().join("no-such-directory"), None)
}

/// A renderer for programs.
type Render = fn(&Run) -> String;

const GITHUB: Render = |run| github::render(run, &repository(), Detail::Normal);
const SARIF: Render = |run| sarif::render(run, &repository());
const MARKDOWN: Render = |run| markdown::render(run, &repository());

#[test]
fn the_change_is_what_it_is_said_to_be() {
    let run = change();
    let outcome = run.subjects[0].result.as_ref().unwrap();
    let moved = outcome.tools.iter().filter(|tool| !tool.findings.is_empty());
    assert_eq!(moved.count(), 10);
    let breaking = |tool: &&crate::verdict::ToolReport| tool.grade == crate::grade::Grade::Major;
    let breaking: Vec<&str> =
        outcome.tools.iter().filter(breaking).map(|tool| tool.name.as_str()).collect();
    assert_eq!(breaking, ["delete_note", "search_notes"]);
    assert_eq!(run.exit_code(), 2);
}

#[test]
fn every_format_of_one_change() {
    let run = change();
    let human =
        anstream::adapter::strip_str(&human::render(&run, Detail::Normal, &Sources::none()))
            .to_string();
    insta::assert_snapshot!("change_human", human);
    insta::assert_snapshot!("change_json", json::render(&run));
    insta::assert_snapshot!("change_github", GITHUB(&run));
    insta::assert_snapshot!("change_sarif", SARIF(&run));
    insta::assert_snapshot!("change_markdown", MARKDOWN(&run));
}

#[test]
fn every_format_of_a_package_that_could_not_be_read() {
    let run = unread();
    insta::assert_snapshot!("unread_github", GITHUB(&run));
    insta::assert_snapshot!("unread_sarif", SARIF(&run));
    insta::assert_snapshot!("unread_markdown", MARKDOWN(&run));
}

#[test]
fn annotations_are_fewer_when_quiet() {
    let quiet = github::render(&change(), &repository(), Detail::Quiet);
    assert_eq!(quiet.lines().count(), 3);
    assert!(!quiet.contains("::notice"));
}

mod harmless;
pub(super) mod validity;
