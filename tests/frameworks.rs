//! Servers on frameworks beside rmcp: what a build reads is what they serve, or it says why not.
#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use std::collections::BTreeSet;

use serde_json::Value;
use support::{Copy, served};

/// A framework by its fixture.
struct Case {
    fixture: &'static str,
    /// The file that declares the tools.
    file: &'static str,
    /// What is said of tools that are declared and not served.
    said_of_others: &'static str,
    /// An edit that renames an argument, with the tool and both names.
    renamed: [&'static str; 5],
    /// An edit in a file after which only a running server tells what is served, and what is said.
    at_run_time: (&'static str, &'static str, &'static str, &'static str),
}

/// What `list` prints, and what it says beside.
fn listed(copy: &Copy, arguments: &[&str]) -> (Value, String) {
    let arguments = [&["list", "--message-format", "json"], arguments].concat();
    let said = copy.run(&arguments).expect(0);
    (said.json(), said.stderr)
}

fn reads_what_is_served(copy: &Copy, case: &Case) {
    let Case { fixture, said_of_others, .. } = case;
    let (built, said) = listed(copy, &["-p", fixture]);
    let mut recorded = served(fixture);
    for tool in recorded["tools"].as_array_mut().unwrap() {
        tool.as_object_mut().unwrap().retain(|key, _| key != "_meta" && key != "icons");
    }
    assert_eq!(built, recorded);
    let (running, _) = listed(copy, &["-p", fixture, "--serve"]);
    assert_eq!(built, running);
    assert!(said.contains(said_of_others), "no `{said_of_others}` in\n{said}");
    let scan = ["lock", "-p", fixture, "--source", "scan"];
    let said = copy.run(&scan).expect(101);
    for part in ["by a build only", "--serve"] {
        assert!(said.stderr.contains(part), "no `{part}` in\n{}", said.stderr);
    }
}

fn a_renamed_argument_is_caught(copy: &Copy, case: &Case) {
    let Case { fixture, file, renamed: [from, to, tool, old, new], .. } = case;
    copy.run(&["lock", "-p", fixture]).expect(0);
    let lockfile = copy.read(&format!("{fixture}/tool-versions.lock.yaml"));
    let sdk = lockfile.lines().find(|line| line.starts_with("sdk: ")).unwrap();
    assert!(sdk.contains(&format!("{}: ", fixture.trim_start_matches("on-"))), "{sdk}");
    copy.run(&["check", "-p", fixture]).expect(0);
    copy.edit(&format!("{fixture}/{file}"), from, to);
    let said = copy.run(&["check", "-p", fixture, "--message-format", "json"]).expect(2);
    copy.edit(&format!("{fixture}/{file}"), to, from);
    let report = said.json();
    let tools = report["tools"].as_array().unwrap();
    let changed = tools.iter().find(|it| it["name"] == *tool).unwrap();
    let finding = &changed["findings"][0];
    assert_eq!(finding["rule"], "input_property_removed");
    let message = finding["message"].as_str().unwrap();
    assert!(message.contains(old) && message.contains(new), "{message}");
    assert_eq!(finding["span"]["file"], *file, "{finding}");
}

/// A finding's rule, and the line and column that it points at.
type Pointed = (String, u64, u64);

/// What comments in a text expect: each names a rule, and its `^` stands under the column, in the
/// nearest line above that is no such comment.
fn expected(text: &str) -> BTreeSet<Pointed> {
    let mut line = 0;
    let marks = (1..).zip(text.lines()).filter_map(|(number, text)| {
        let mark = text.strip_prefix("//").and_then(|mark| mark.split_once("^ "));
        match mark {
            Some((before, rule)) => {
                Some((rule.to_owned(), line, before.chars().count() as u64 + 3))
            }
            None => {
                line = number;
                None
            }
        }
    });
    marks.collect()
}

/// A text with what points at it in place of what is expected to.
fn annotated(text: &str, found: &BTreeSet<Pointed>) -> String {
    let mut lines = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("//") && line.contains("^ ") {
            continue;
        }
        lines += &format!("{line}\n");
        for (rule, _, column) in found.iter().filter(|it| it.1 == number) {
            let before = " ".repeat((*column as usize).saturating_sub(3));
            lines += &format!("//{before}^ {rule}\n");
        }
    }
    lines
}

/// Puts `frameworks/FIXTURE.rs` in the place of a file and looks where each finding points.
fn every_finding_points_at_its_line(copy: &Copy, fixture: &str, file: &str, source: &[&str]) {
    let path = format!("{fixture}/{file}");
    let edited = support::repository().join("tests/frameworks").join(format!("{fixture}.rs"));
    let (old, new) = (copy.read(&path), std::fs::read_to_string(edited).unwrap());
    copy.write(&path, &new);
    let check = ["check", "-p", fixture, "--message-format", "json"];
    let report = copy.run(&[&check, source].concat()).expect(2).json();
    copy.write(&path, &old);
    let tools = report["tools"].as_array().unwrap().iter();
    let findings = tools.flat_map(|tool| tool["findings"].as_array().unwrap());
    let pointed = findings.map(|finding| {
        let span = &finding["span"];
        assert_eq!(span["file"], *file, "{finding}");
        let at = |key: &str| span[key].as_u64().unwrap();
        (finding["rule"].as_str().unwrap().to_owned(), at("line"), at("column"))
    });
    let found: BTreeSet<Pointed> = pointed.collect();
    assert!(found == expected(&new), "these point elsewhere:\n{}", annotated(&new, &found));
}

fn what_a_run_decides_is_not_guessed(copy: &Copy, case: &Case) {
    let Case { fixture, at_run_time: (file, from, to, says), .. } = case;
    copy.edit(&format!("{fixture}/{file}"), from, to);
    let said = copy.run(&["list", "-p", fixture, "--message-format", "json"]).expect(101);
    assert_eq!(said.stdout, "", "a dump that may not be whole");
    let said = copy.run(&["check", "-p", fixture]).expect(101);
    for part in [*says, "--serve"] {
        assert!(said.stderr.contains(part), "no `{part}` in\n{}", said.stderr);
    }
}

fn tried(case: &Case) {
    let copy = Copy::new(case.fixture, &[case.fixture]);
    reads_what_is_served(&copy, case);
    a_renamed_argument_is_caught(&copy, case);
    every_finding_points_at_its_line(&copy, case.fixture, case.file, &[]);
    what_a_run_decides_is_not_guessed(&copy, case);
}

#[test]
fn rust_mcp_sdk() {
    tried(&Case {
        fixture: "on-rust-mcp-sdk",
        file: "src/tools.rs",
        said_of_others: "src/tools.rs:40:12: the tool `cancel_train` is declared but no handler serves it",
        renamed: ["    from: String", "    start: String", "find_train", "from", "start"],
        at_run_time: (
            "src/main.rs",
            "tools: tools::Counter::tools(),",
            "tools: tools::Counter::tools().into_iter().take(std::env::args().count()).collect(),",
            "its list of tools is made at run time",
        ),
    });
}

#[test]
fn mcp_attr() {
    tried(&Case {
        fixture: "on-mcp-attr",
        file: "src/library.rs",
        said_of_others: "src/library.rs:45:10: the tool `burn_book` is declared but no handler serves it",
        renamed: [
            "        word: String",
            "        #[arg(\"part\")] word: String",
            "find_book",
            "word",
            "part",
        ],
        at_run_time: (
            "src/main.rs",
            "library::Library { shelves: 3 }",
            "mcp_attr::server::McpServerBuilder::new().route(library::routes()?).build()",
            "its routes are put together at run time",
        ),
    });
}

/// A server that calls its framework by another name.
fn under_another_name(fixture: &str, package: &str) {
    let copy = Copy::new(&format!("{fixture}-renamed"), &[fixture]);
    let line = copy.read(&format!("{fixture}/Cargo.toml"));
    let line = line.lines().find(|line| line.starts_with(package)).unwrap().to_owned();
    let (_, value) = line.split_once(" = ").unwrap();
    let with = match value.strip_prefix('{') {
        Some(table) => format!("other = {{ package = \"{package}\",{table}"),
        None => format!("other = {{ package = \"{package}\", version = {value} }}"),
    };
    copy.edit(&format!("{fixture}/Cargo.toml"), &line, &with);
    let main = format!("{fixture}/src/main.rs");
    copy.write(&main, &copy.read(&main).replace(&package.replace('-', "_"), "other"));
    let mut recorded = served(fixture);
    for tool in recorded["tools"].as_array_mut().unwrap() {
        tool.as_object_mut().unwrap().retain(|key, _| key != "_meta" && key != "icons");
    }
    assert_eq!(listed(&copy, &["-p", fixture]).0, recorded);
    let said = copy.run(&["lock", "-p", fixture, "--source", "scan"]).expect(101);
    assert!(said.stderr.contains(package) && said.stderr.contains("by a build only"));
}

#[test]
fn macros_that_look_their_crate_up_work_under_another_name() {
    under_another_name("on-poem-mcpserver", "poem-mcpserver");
    under_another_name("on-turbomcp", "turbomcp");
}

#[test]
fn poem_mcpserver() {
    tried(&Case {
        fixture: "on-poem-mcpserver",
        file: "src/main.rs",
        said_of_others: "`Shed` serves tools too, but it is not the server that this target starts",
        renamed: ["        plant: String", "        seed: String", "plant", "plant", "seed"],
        at_run_time: (
            "src/main.rs",
            ".tools(Garden { beds: 2 })",
            ".tools(Garden { beds: 2 }).disable_tools(std::env::args())",
            "its list is edited at run time",
        ),
    });
}

#[test]
fn turbomcp() {
    tried(&Case {
        fixture: "on-turbomcp",
        file: "src/main.rs",
        said_of_others: "`Pantry` serves tools too, but it is not the server that this target starts",
        renamed: ["dish: String", "meal: String", "cook", "dish", "meal"],
        at_run_time: (
            "src/main.rs",
            "    kitchen.run_stdio()",
            "    let kitchen = VisibilityLayer::new(kitchen);\n    kitchen.run_stdio()",
            "its list is edited at run time",
        ),
    });
}

#[test]
fn what_the_probe_names_has_to_be_there() {
    let copy = Copy::new("on-mcp-attr-alone", &["on-mcp-attr"]);
    copy.edit("on-mcp-attr/Cargo.toml", "tokio.workspace = true\n", "");
    let said = copy.run(&["list", "-p", "on-mcp-attr"]).expect(101);
    for part in ["`tokio` has to be among its dependencies", "--serve"] {
        assert!(said.stderr.contains(part), "no `{part}` in\n{}", said.stderr);
    }
}

#[test]
fn pmcp_is_recognised_and_asked_while_it_runs() {
    let copy = Copy::new("on-pmcp", &["on-pmcp"]);
    let refused = |arguments: &[&str]| {
        let said = copy.run(&[arguments, &["-p", "on-pmcp"]].concat()).expect(101);
        for part in ["pmcp puts its tools together while the server starts", "--serve"] {
            assert!(said.stderr.contains(part), "no `{part}` in\n{}", said.stderr);
        }
    };
    let sources = [&["lock"][..], &["lock", "--source=scan"]];
    sources.iter().for_each(|arguments| refused(arguments));
    let (running, _) = listed(&copy, &["-p", "on-pmcp", "--serve"]);
    assert_eq!(running, served("on-pmcp"));
    copy.run(&["lock", "-p", "on-pmcp", "--serve"]).expect(0);
    copy.run(&["check", "-p", "on-pmcp", "--serve"]).expect(0);
    every_finding_points_at_its_line(&copy, "on-pmcp", "src/main.rs", &["--serve"]);
    let tool = "#[pmcp::mcp_tool(description = \"Add.\")] async fn add() {} fn main() {}";
    copy.write("on-pmcp/src/main.rs", tool);
    sources.iter().for_each(|arguments| refused(arguments));
}
