//! What the reports look like.

use serde_json::{Value, json};

use mcp_semver_build::Contract;

use crate::finding::{Finding, Span};
use crate::grade::{Dimension, Grade};
use crate::report::human::{self, Detail};
use crate::report::{Failure, Remedy, Run, Subject, json};
use crate::rules::{Pair, Rule};
use crate::verdict::{Outcome, PackageReport, Status, ToolReport, ToolVersions, Verdict};

const NO_PAIR: Pair = Pair::Tools { old: "[]", new: "[]" };

static ENUM_NARROWED: Rule = Rule {
    id: "input_enum_narrowed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    summary: "an enum of the input lost values",
    why: "An agent that passes a value it has used before gets an error.",
    reference: None,
    example: NO_PAIR,
    near_miss: NO_PAIR,
};
static OUTPUT_WIDENED: Rule = Rule {
    id: "output_widened",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    summary: "a result may hold values it never held",
    why: "A caller reads a result it was never told about.",
    reference: None,
    example: NO_PAIR,
    near_miss: NO_PAIR,
};
static DESCRIPTION: Rule = Rule {
    id: "description_changed",
    dimension: Dimension::Description,
    grade: Grade::Patch,
    security: false,
    summary: "a description was reworded",
    why: "A model chooses and fills in the tool by this text.",
    reference: None,
    example: NO_PAIR,
    near_miss: NO_PAIR,
};
static ADDED: Rule = Rule {
    id: "tool_added",
    dimension: Dimension::Structural,
    grade: Grade::Minor,
    security: false,
    summary: "a tool is new",
    why: "Agents see one more tool to choose from.",
    reference: None,
    example: NO_PAIR,
    near_miss: NO_PAIR,
};
static REMOVED: Rule = Rule {
    id: "tool_removed",
    dimension: Dimension::Structural,
    grade: Grade::Major,
    security: false,
    summary: "a tool is gone",
    why: "Agents that call it get an error.",
    reference: None,
    example: NO_PAIR,
    near_miss: NO_PAIR,
};
static LESS_SAFE: Rule = Rule {
    id: "annotation_less_safe",
    dimension: Dimension::Behavioural,
    grade: Grade::Major,
    security: true,
    summary: "a hint became less safe",
    why: "A client that approved the tool as read-only now runs one that writes.",
    reference: None,
    example: NO_PAIR,
    near_miss: NO_PAIR,
};

fn finding(rule: &'static Rule, path: &str, pointer: &str, message: &str) -> Finding {
    Finding {
        rule,
        grade: rule.grade,
        path: path.into(),
        pointer: pointer.into(),
        message: message.into(),
        old: None,
        new: None,
        witness: None,
        span: None,
    }
}

fn contract(name: &str) -> Contract {
    let schema = json!({
        "type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["query"],
    });
    Contract::from_wire(json!({"name": name, "inputSchema": schema})).unwrap()
}

fn tool(name: &str, status: Status, verdict: Verdict, findings: Vec<Finding>) -> ToolReport {
    ToolReport {
        name: name.into(),
        status,
        grade: findings.iter().map(|finding| finding.grade).max().unwrap_or_default(),
        verdict,
        findings,
        old: (status != Status::Added).then(|| contract(name)),
        new: (status != Status::Removed).then(|| contract(name)),
        versions: None,
        span: None,
    }
}

fn enum_narrowed() -> Finding {
    Finding {
        old: Some(json!(["fast", "deep"])),
        new: Some(json!(["fast"])),
        witness: Some(json!({"filter": {"mode": "deep"}})),
        span: Some(Span { file: "src/server.rs".into(), line: 12, column: 5 }),
        ..finding(
            &ENUM_NARROWED,
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
        ..finding(&DESCRIPTION, "", "/description", "the description of `search` was reworded")
    }
}

/// A package whose step from 1.4.0 covers `declared` and whose changes need `required`.
fn outcome(version: &str, declared: Grade, tools: Vec<ToolReport>) -> Outcome {
    let required = tools.iter().map(|tool| tool.grade).max().unwrap_or_default();
    let fails = required > declared;
    let exit_code = match () {
        () if fails => 2,
        () if tools.iter().any(|tool| matches!(tool.status, Status::Added | Status::Removed)) => 1,
        () => 0,
    };
    Outcome {
        package: Some(PackageReport {
            name: "my-server".into(),
            baseline_version: "1.4.0".parse().unwrap(),
            version: version.parse().unwrap(),
            required,
            declared,
            required_version: "2.0.0".parse().unwrap(),
            verdict: if fails { Verdict::Violation } else { Verdict::Covered },
        }),
        tools,
        grade: required,
        exit_code,
        notes: Vec::new(),
    }
}

fn subject(name: &str, outcome: Outcome) -> Subject {
    Subject {
        name: name.into(),
        version: outcome.package.as_ref().map(|package| package.version.clone()),
        result: Ok(outcome),
        remedy: Some(Remedy {
            manifest: "crates/my-server/Cargo.toml".into(),
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
        Grade::Patch,
        vec![
            tool(
                "fetch",
                Status::Added,
                Verdict::Unlocked,
                vec![finding(&ADDED, "", "", "tool `fetch` is new")],
            ),
            tool("ping", Status::Unchanged, Verdict::Covered, Vec::new()),
            tool(
                "purge",
                Status::Removed,
                Verdict::Removed,
                vec![finding(&REMOVED, "", "", "tool `purge` is gone")],
            ),
            tool(
                "search",
                Status::Changed,
                Verdict::Violation,
                vec![enum_narrowed(), reworded("Searches.", "Searches fast.")],
            ),
        ],
    );
    outcome.notes.push("schemars went from 0.8.22 to 1.2.3".into());
    outcome
}

fn plain(run: &Run, detail: Detail) -> String {
    anstream::adapter::strip_str(&human::render(run, detail)).to_string()
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
    let run = run_of(outcome(
        "1.4.0",
        Grade::None,
        vec![tool("search", Status::Changed, Verdict::Violation, vec![enum_narrowed()])],
    ));
    insta::assert_snapshot!(human::render(&run, Detail::Normal).replace('\u{1b}', "␛"));
}

#[test]
fn unchanged_is_one_line() {
    let tools = vec![tool("ping", Status::Unchanged, Verdict::Covered, Vec::new())];
    let run = run_of(outcome("1.4.0", Grade::None, tools));
    assert_eq!(plain(&run, Detail::Normal), "my-server v1.4.0: 1 tool unchanged\n");
}

#[test]
fn covered_changes_take_a_line_each() {
    let mut less_safe = finding(
        &LESS_SAFE,
        "",
        "/annotations/readOnlyHint",
        "`search` no longer says that it only reads",
    );
    less_safe.old = Some(json!(true));
    let tools = vec![
        tool("ping", Status::Unchanged, Verdict::Covered, Vec::new()),
        tool("search", Status::Changed, Verdict::Covered, vec![enum_narrowed(), less_safe]),
    ];
    insta::assert_snapshot!(plain(&run_of(outcome("2.0.0", Grade::Major, tools)), Detail::Normal));
}

#[test]
fn a_version_that_goes_back_is_named() {
    let mut outcome = outcome("1.3.0", Grade::None, Vec::new());
    if let Some(package) = &mut outcome.package {
        package.verdict = Verdict::Violation;
        package.required_version = "1.4.0".parse().unwrap();
    }
    insta::assert_snapshot!(plain(&run_of(outcome), Detail::Normal));
}

#[test]
fn tool_versions_that_do_not_cover_are_named() {
    let mut search = tool("search", Status::Changed, Verdict::Violation, vec![enum_narrowed()]);
    search.versions = Some(ToolVersions {
        baseline: Some("1.2.0".parse().unwrap()),
        declared: Some("1.2.1".parse().unwrap()),
        required: "2.0.0".parse().unwrap(),
    });
    let mut outcome = outcome("2.0.0", Grade::Major, vec![search]);
    outcome.exit_code = 2;
    insta::assert_snapshot!(plain(&run_of(outcome), Detail::Normal));
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
            result: Ok(outcome),
            remedy: None,
        }],
    };
    insta::assert_snapshot!(plain(&run, Detail::Normal));
}

#[test]
fn text_from_a_contract_cannot_drive_the_terminal() {
    let hostile = "a\u{1b}[2J\u{202e}\u{200b}";
    let mut bad = finding(&ENUM_NARROWED, hostile, "/inputSchema/properties/x", hostile);
    bad.old = Some(json!([hostile, "\u{feff}"]));
    bad.new = Some(json!({hostile: hostile}));
    bad.witness = Some(json!({hostile: hostile}));
    bad.span = Some(Span { file: hostile.into(), line: 1, column: 1 });
    let mut words = reworded("Reads a file.", "Reads\u{1b}]0;owned\u{7} a \u{202e}file.\r\nNow");
    words.message = hostile.into();
    let mut outcome = outcome(
        "1.4.1",
        Grade::None,
        vec![tool(hostile, Status::Changed, Verdict::Violation, vec![bad, words])],
    );
    outcome.notes.push(hostile.into());
    let mut run = run_of(outcome);
    run.subjects[0].name = hostile.into();
    insta::assert_snapshot!(plain(&run, Detail::Normal));

    let failure = Failure {
        messages: vec![hostile.into()],
        causes: vec![hostile.into()],
        help: vec![hostile.into()],
    };
    let texts = [human::render(&run, Detail::Verbose), human::failure(&failure)];
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
        Verdict::Violation,
        vec![reworded(old, &new), reworded("One\ntwo", "One \ntwo")],
    )];
    insta::assert_snapshot!(plain(&run_of(outcome("1.4.0", Grade::None, tools)), Detail::Normal));
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
        &OUTPUT_WIDENED,
        "items[].p07",
        "/outputSchema/properties/p07",
        "result field `items[].p07` of `search` may now be an integer",
    );
    widened.old = Some(schema("string"));
    widened.new = Some(schema("integer"));
    widened.witness = Some(json!({"items": [{"p07": 1}]}));
    let mut replaced = widened.clone();
    replaced.new = None;
    let tools = vec![tool("search", Status::Changed, Verdict::Violation, vec![widened, replaced])];
    insta::assert_snapshot!(plain(&run_of(outcome("1.4.0", Grade::None, tools)), Detail::Normal));
}

/// Three packages: one fails, one is unchanged, one could not be read.
fn several() -> Run {
    let unchanged = outcome(
        "1.4.0",
        Grade::None,
        vec![tool("ping", Status::Unchanged, Verdict::Covered, Vec::new())],
    );
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
