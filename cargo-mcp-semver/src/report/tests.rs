//! What the reports look like.

use serde_json::{Value, json};

use mcp_semver_build::{Catalogue, Contract, Digest, Held, Scheme};

use crate::baseline::{Baseline, BaselineTool};
use crate::compare::{ToolChange, compare};
use crate::finding::{Finding, Span};
use crate::gate::{self, Declared};
use crate::grade::Grade;
use crate::report::human::{self, Detail};
use crate::report::sources::Sources;
use crate::report::{Failure, Remedy, Run, Subject, json};
use crate::rules::{
    self, Rule, annotation_less_safe, description_changed, input_enum_narrowed, output_widened,
    tool_added, tool_removed,
};
use crate::verdict::{Outcome, Status};

fn finding(rule: &'static Rule, path: &str, pointer: &str, message: &str) -> Finding {
    Finding { path: path.into(), pointer: pointer.into(), ..Finding::new(rule, message.into()) }
}

fn contract(name: &str) -> Held {
    let schema = json!({
        "type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["query"],
    });
    Contract::from_wire(json!({"name": name, "inputSchema": schema})).unwrap().into()
}

fn tool(name: &str, status: Status, findings: Vec<Finding>) -> ToolChange {
    ToolChange {
        name: name.into(),
        status,
        findings,
        old: (status != Status::Added).then(|| contract(name)),
        new: (status != Status::Removed).then(|| contract(name)),
    }
}

fn enum_narrowed() -> Finding {
    Finding {
        old: Some(json!(["fast", "deep"])),
        new: Some(json!(["fast"])),
        witness: Some(json!({"filter": {"mode": "deep"}})),
        span: Some(Span::point("src/server.rs", 12, 5)),
        ..finding(
            &input_enum_narrowed::RULE,
            "filter.mode",
            "/inputSchema/properties/filter/properties/mode",
            "argument `filter.mode` of `search` no longer accepts \"deep\"",
        )
    }
}

fn reworded(old: &str, new: &str) -> Finding {
    Finding {
        old: Some(json!(old)),
        new: Some(json!(new)),
        ..finding(
            &description_changed::RULE,
            "",
            "/description",
            "the description of `search` was reworded",
        )
    }
}

/// What the gate makes of changes that go from 1.4.0 to `version`.
fn outcome(version: &str, changes: Vec<ToolChange>) -> Outcome {
    let package = |version: &str| ("my-server".to_owned(), version.parse().unwrap());
    let baseline = Baseline { package: Some(package("1.4.0")), ..Baseline::default() };
    let declared = Declared { package: Some(package(version)), ..Declared::default() };
    gate::decide(&baseline, &declared, changes)
}

fn subject(name: &str, outcome: Outcome) -> Subject {
    Subject {
        name: name.into(),
        version: outcome.package.as_ref().map(|package| package.version.clone()),
        directory: "crates/my-server".into(),
        result: Ok(outcome),
        remedy: Some(Remedy {
            manifest: Some("crates/my-server/Cargo.toml".into()),
            shared_version: false,
            lock_command: "cargo mcp-semver lock -p my-server".into(),
        }),
    }
}

fn run_of(outcome: Outcome) -> Run {
    Run { subjects: vec![subject("my-server", outcome)] }
}

fn violation() -> Outcome {
    let mut outcome = outcome(
        "1.4.1",
        vec![
            tool(
                "fetch",
                Status::Added,
                vec![finding(&tool_added::RULE, "", "", "tool `fetch` is new")],
            ),
            tool("ping", Status::Unchanged, Vec::new()),
            tool(
                "purge",
                Status::Removed,
                vec![finding(&tool_removed::RULE, "", "", "tool `purge` is gone")],
            ),
            tool(
                "search",
                Status::Changed,
                vec![enum_narrowed(), reworded("Searches.", "Searches fast.")],
            ),
        ],
    );
    outcome.notes.push("schemars went from 0.8.22 to 1.2.3".into());
    outcome
}

fn plain(run: &Run, detail: Detail) -> String {
    anstream::adapter::strip_str(&human::render(run, detail, &Sources::none())).to_string()
}

#[test]
fn a_violation_says_all_that_is_needed_to_fix_it() {
    insta::assert_snapshot!(plain(&run_of(violation()), Detail::Normal));
}

#[test]
fn quiet_shows_what_fails_and_verbose_everything() {
    let run = run_of(violation());
    let quiet = plain(&run, Detail::Quiet);
    assert!(quiet.contains("error[input_enum_narrowed]") && !quiet.contains("description_changed"));
    assert!(!quiet.contains("schemars"));
    insta::assert_snapshot!(plain(&run, Detail::Verbose));
}

#[test]
fn colours_are_those_of_cargo() {
    let run =
        run_of(outcome("1.4.0", vec![tool("search", Status::Changed, vec![enum_narrowed()])]));
    insta::assert_snapshot!(
        human::render(&run, Detail::Normal, &Sources::none()).replace('\u{1b}', "␛")
    );
}

#[test]
fn unchanged_is_one_line() {
    let tools = vec![tool("ping", Status::Unchanged, Vec::new())];
    let run = run_of(outcome("1.4.0", tools));
    assert_eq!(plain(&run, Detail::Normal), "my-server v1.4.0: 1 tool unchanged\n");
}

#[test]
fn covered_changes_take_a_line_each() {
    let mut less_safe = finding(
        &annotation_less_safe::RULE,
        "",
        "/annotations/readOnlyHint",
        "`search` no longer says that it only reads",
    );
    less_safe.old = Some(json!(true));
    let tools = vec![
        tool("ping", Status::Unchanged, Vec::new()),
        tool("search", Status::Changed, vec![enum_narrowed(), less_safe]),
    ];
    insta::assert_snapshot!(plain(&run_of(outcome("2.0.0", tools)), Detail::Normal));
}

#[test]
fn a_version_that_goes_back_is_named() {
    let tools = vec![tool("ping", Status::Unchanged, Vec::new())];
    insta::assert_snapshot!(plain(&run_of(outcome("1.3.0", tools)), Detail::Normal));
}

#[test]
fn tool_versions_that_do_not_cover_are_named() {
    let version = |text: &str| text.parse::<semver::Version>().unwrap();
    let locked = BaselineTool {
        semver: Some(version("1.2.0")),
        digest: Digest::of(Scheme::default(), &contract("search")),
        contract: None,
    };
    let baseline = Baseline {
        package: Some(("my-server".into(), version("1.4.0"))),
        tools: [("search".to_owned(), locked)].into(),
        ..Baseline::default()
    };
    let declared = Declared {
        package: Some(("my-server".into(), version("2.0.0"))),
        tools: Some([("search".to_owned(), version("1.2.1"))].into()),
        ..Declared::default()
    };
    let changes = vec![tool("search", Status::Changed, vec![enum_narrowed()])];
    let outcome = gate::decide(&baseline, &declared, changes);
    insta::assert_snapshot!(plain(&run_of(outcome), Detail::Normal));
}

#[test]
fn a_baseline_without_a_version_says_how_to_get_one() {
    let locked = BaselineTool {
        semver: None,
        digest: Digest::of(Scheme::default(), &contract("search")),
        contract: None,
    };
    let baseline =
        Baseline { tools: [("search".to_owned(), locked)].into(), ..Baseline::default() };
    let declared = Declared {
        package: Some(("my-server".into(), "1.4.0".parse().unwrap())),
        ..Declared::default()
    };
    let changes = vec![tool("search", Status::Changed, vec![enum_narrowed()])];
    let mut run = run_of(gate::decide(&baseline, &declared, changes));
    run.subjects[0].version = Some("1.4.0".parse().unwrap());
    insta::assert_snapshot!(plain(&run, Detail::Normal));
}

#[test]
fn without_a_gate_a_finding_starts_with_its_grade() {
    let mut outcome = violation();
    outcome.package = None;
    outcome.notes.clear();
    let run = Run {
        subjects: vec![Subject {
            name: "old.json -> new.json".into(),
            version: None,
            directory: "".into(),
            result: Ok(outcome),
            remedy: None,
        }],
    };
    insta::assert_snapshot!(plain(&run, Detail::Normal));
}

#[test]
fn text_from_a_contract_cannot_drive_the_terminal() {
    let hostile = "a\u{1b}[2J\u{202e}\u{200b}";
    let mut bad =
        finding(&input_enum_narrowed::RULE, hostile, "/inputSchema/properties/x", hostile);
    bad.old = Some(json!([hostile, "\u{feff}"]));
    bad.new = Some(json!({hostile: hostile}));
    bad.witness = Some(json!({hostile: hostile}));
    bad.span = Some(Span::point(hostile, 1, 1));
    let mut words = reworded("Reads a file.", "Reads\u{1b}]0;owned\u{7} a \u{202e}file.\r\nNow");
    words.message = hostile.into();
    let mut outcome = outcome("1.4.0", vec![tool(hostile, Status::Changed, vec![bad, words])]);
    outcome.notes.push(hostile.into());
    let mut run = run_of(outcome);
    run.subjects[0].name = hostile.into();
    insta::assert_snapshot!(plain(&run, Detail::Normal));

    let failure = Failure {
        messages: vec![hostile.into()],
        causes: vec![hostile.into()],
        help: vec![hostile.into()],
    };
    let texts = [human::render(&run, Detail::Verbose, &Sources::none()), human::failure(&failure)];
    for text in texts {
        let ours = |text: &str| text.replace("\u{1b}[", "");
        assert!(
            !ours(&text).contains(['\u{1b}', '\u{7}', '\r', '\u{202e}', '\u{200b}', '\u{feff}'])
        );
        assert!(!text.contains("\u{1b}[2J"));
    }
}

#[test]
fn long_descriptions_show_the_sentences_that_moved() {
    let old = "Searches the index. Every word of the query must occur in a document for it to be \
        found. Results come newest first. At most 50 are returned. Use `fetch` to read one.";
    let new = old.replace("newest first", "best first").replace(" At most 50 are returned.", "");
    let tools = vec![tool(
        "search",
        Status::Changed,
        vec![reworded(old, &new), reworded("One\ntwo", "One \ntwo")],
    )];
    insta::assert_snapshot!(plain(&run_of(outcome("1.4.0", tools)), Detail::Normal));
}

#[test]
fn large_values_show_the_lines_that_moved() {
    let schema = |kind: &str| -> Value {
        let properties: serde_json::Map<_, _> =
            (0..20).map(|n| (format!("p{n:02}"), json!({"type": "string"}))).collect();
        let mut schema = json!({"type": "object", "properties": properties});
        schema["properties"]["p07"]["type"] = json!(kind);
        schema
    };
    let mut widened = finding(
        &output_widened::RULE,
        "items[].p07",
        "/outputSchema/properties/p07",
        "result field `items[].p07` of `search` may now be an integer",
    );
    widened.old = Some(schema("string"));
    widened.new = Some(schema("integer"));
    widened.witness = Some(json!({"items": [{"p07": 1}]}));
    let mut replaced = widened.clone();
    replaced.new = None;
    let tools = vec![tool("search", Status::Changed, vec![widened, replaced])];
    insta::assert_snapshot!(plain(&run_of(outcome("1.4.0", tools)), Detail::Normal));
}

/// Three packages: one fails, one is unchanged, one could not be read.
fn several() -> Run {
    let unchanged = outcome("1.4.0", vec![tool("ping", Status::Unchanged, Vec::new())]);
    let mut unread = subject("third", unchanged.clone());
    unread.result = Err(Failure {
        messages: vec!["the router of `Third` is edited at run time".into()],
        causes: Vec::new(),
        help: vec!["set `runtime-router = \"declared\"`".into()],
    });
    Run { subjects: vec![subject("first", violation()), subject("second", unchanged), unread] }
}

#[test]
fn several_packages_are_told_apart_and_the_worst_code_wins() {
    let run = several();
    assert_eq!((run.exit_code(), run.grade()), (101, Some(Grade::Major)));
    insta::assert_snapshot!(plain(&run, Detail::Quiet));
    insta::assert_snapshot!("several_json", json::render(&run));
}

#[test]
fn json_of_one_package() {
    insta::assert_snapshot!(json::render(&run_of(violation())));
}

#[test]
fn json_of_a_package_that_could_not_be_checked() {
    let mut run = several();
    run.subjects.drain(..2);
    insta::assert_snapshot!(json::render(&run));
}

#[test]
fn a_failure_has_its_causes_and_a_help() {
    let failure = Failure {
        messages: vec!["cannot read a.json".into()],
        causes: vec!["not JSON".into(), "line 3\nof many".into()],
        help: vec!["write it again".into()],
    };
    insta::assert_snapshot!(anstream::adapter::strip_str(&human::failure(&failure)));
}

/// Every rule's own example, as a failing check shows it.
#[test]
fn every_rule_reads_well() {
    for rule in rules::ALL {
        let [old, new] = rule.example.tools().unwrap().map(|tools| {
            let tools = tools.as_array().unwrap().clone();
            let contracts = tools.into_iter().map(|tool| Contract::from_wire(tool).unwrap());
            Baseline::from(&Catalogue::new(contracts).unwrap())
        });
        let text = plain(&run_of(outcome("1.4.0", compare(&old, &new))), Detail::Normal);
        assert!(text.contains(&format!("error[{}]", rule.id)), "{text}");
        insta::assert_snapshot!(format!("rule_{}", rule.id), text);
    }
}
