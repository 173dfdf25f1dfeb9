//! `--source scan`: contracts evaluated from source, nothing compiled.
#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use std::fs;

use serde_json::{Value, json};
use support::{Copy, Said, served};

fn scanned(copy: &Copy, arguments: &[&str]) -> Said {
    copy.run(&[arguments, &["--source", "scan"]].concat())
}

/// The names in a listing.
fn names(said: &Said) -> Vec<String> {
    let listing = said.json();
    let tools = listing["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// Fixtures of which the source alone does not show what is served.
const HIDDEN: [&str; 10] = [
    "duplicate-names",
    "generated",
    "macro-made",
    "on-mcp-attr",
    "on-pmcp",
    "on-poem-mcpserver",
    "on-rust-mcp-sdk",
    "on-turbomcp",
    "router-edited",
    "router-run-time",
];

#[test]
fn every_contract_that_is_resolved_is_the_one_served_and_nothing_is_built() {
    let names = fs::read_dir(support::fixtures()).unwrap().map(Result::unwrap);
    let names = names.filter(|entry| entry.path().join("served.json").exists());
    let members: Vec<String> =
        names.map(|entry| entry.file_name().into_string().unwrap()).collect();
    let copy =
        Copy::with_own_build("scan-all", &members.iter().map(|it| &**it).collect::<Vec<_>>());
    let _ = fs::remove_dir_all(copy.root().join("target"));
    let mut unresolved = Vec::new();
    for fixture in &members {
        let arguments = ["list", "-p", fixture, "--allow-unresolved", "--message-format", "json"];
        let said = scanned(&copy, &arguments);
        assert_eq!(said.code != 0, HIDDEN.contains(&&**fixture) && said.stdout.is_empty());
        let told = if said.code == 0 { said.json() } else { json!({ "tools": [] }) };
        let mut served = served(fixture);
        // What is no part of a contract is not evaluated.
        let tools = served["tools"].as_array_mut().unwrap();
        tools.iter_mut().filter_map(Value::as_object_mut).for_each(|tool| _ = tool.remove("_meta"));
        let told = told["tools"].as_array().unwrap();
        assert!(told.iter().all(|tool| tools.contains(tool)), "{fixture}: {told:#?}");
        if !HIDDEN.contains(&&**fixture) {
            let missing = tools.iter().filter(|tool| !told.contains(tool));
            unresolved.extend(missing.map(|tool| format!("{fixture}: {}", tool["name"])));
        }
    }
    assert_eq!(unresolved, ["derives-0-8: \"flat_units\""]);
    assert!(!copy.root().join("target").exists());
}

#[test]
fn features_decide() {
    let copy = Copy::new("scan-features", &["private-modules"]);
    let list = |arguments: &[&str]| {
        let fixed = ["list", "-p", "private-modules", "--message-format", "json"];
        names(&scanned(&copy, &[&fixed, arguments].concat()).expect(0))
    };
    assert_eq!(list(&[]), ["order", "price_list", "stock"]);
    assert_eq!(list(&["--all-features"]), ["order", "price_list", "refund", "stock"]);
}

#[test]
fn check_and_lock_go_by_the_source() {
    let copy = Copy::new("scan-check", &["article"]);
    let check = || scanned(&copy, &["check", "-p", "article", "--message-format", "json"]);
    scanned(&copy, &["lock", "-p", "article"]).expect(0);
    check().expect(0);
    copy.edit("article/src/main.rs", "body_markdown: String", "body: String");
    let report = check().expect(2).json();
    let rules: Vec<&Value> = report["tools"][0]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| &finding["rule"])
        .collect();
    assert!(rules.iter().any(|rule| *rule == "input_property_removed"), "{report:#}");
}

#[test]
fn every_format_points_at_the_line() {
    let copy = Copy::new("scan-spans", &["article"]);
    scanned(&copy, &["lock", "-p", "article"]).expect(0);
    copy.edit("article/src/main.rs", "part: u32", "part: String");
    let report = |format: &str| {
        let format = format!("--message-format={format}");
        scanned(&copy, &["check", "-p", "article", &format]).expect(2)
    };
    let json = report("json").json();
    let finding = &json["tools"][0]["findings"][0];
    assert_eq!(finding["pointer"], "/inputSchema/$defs/Series/properties/part");
    assert_eq!(finding["span"], json!({"file": "src/main.rs", "line": 41, "column": 5}));
    let sarif = report("sarif").json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let result = results.iter().find(|it| it["ruleId"] == "input_type_narrowed").unwrap();
    assert_eq!(
        result["locations"][0]["physicalLocation"]["region"],
        json!({"startLine": 41, "startColumn": 5, "endLine": 41, "endColumn": 9})
    );
    let github = report("github").stdout;
    assert!(github.contains("article/src/main.rs,line=41,col=5,"), "{github}");
    let markdown = report("markdown").stdout;
    assert!(markdown.contains("article/src/main.rs:41:5"), "{markdown}");
    let human = report("human").stdout;
    let snippet = "  --> article/src/main.rs:41:5
   |
41 |     part: String,
   |     ^^^^ tool `create_article`, argument `series.part`
";
    assert!(human.contains(snippet), "{human}");
}

#[test]
fn tools_from_elsewhere_point_at_the_lines_of_their_package() {
    let copy = Copy::new("scan-dump", &["article"]);
    scanned(&copy, &["lock", "-p", "article"]).expect(0);
    copy.edit("article/src/main.rs", "part: u32", "part: String");
    let dump = scanned(&copy, &["list", "-p", "article", "--message-format", "json"]).expect(0);
    copy.write("dump.json", &dump.stdout);
    let lines = |arguments: &[&str]| {
        let check = ["check", "-p", "article", "--message-format", "markdown"];
        copy.run(&[&check, arguments].concat()).expect(2).stdout
    };
    let dumped = ["--tools", "dump.json"];
    assert!(lines(&dumped).contains("article/src/main.rs:41:5"), "{}", lines(&dumped));
    let lockfile = "article/tool-versions.lock.yaml";
    let loose = ["--source", "scan", "--generated-for", "article", "--lockfile", lockfile];
    assert!(lines(&loose).contains("article/src/main.rs:41:5"), "{}", lines(&loose));
    // A source that has moved on tells the place of the tool alone.
    copy.edit("article/src/main.rs", "part: String", "part: bool");
    let told = lines(&dumped);
    assert!(!told.contains("main.rs:41:5") && told.contains("article/src/main.rs:"), "{told}");
}

#[test]
fn what_is_not_resolved_is_not_checked() {
    let copy = Copy::new("scan-unresolved", &["article"]);
    scanned(&copy, &["lock", "-p", "article"]).expect(0);
    let locked = copy.read("article/tool-versions.lock.yaml");
    let from = "    /// Articles on a page.";
    let to = "    #[schemars(transform = renamed())]\n    /// Per page.";
    copy.edit("article/src/main.rs", from, to);

    let said = scanned(&copy, &["check", "-p", "article"]).expect(101);
    let told = "article: src/main.rs:46:16: `list_articles` is not resolved: what the transform";
    assert!(said.stderr.contains(told), "{said:?}");
    let said = scanned(&copy, &["list", "-p", "article", "--message-format=json"]).expect(101);
    assert_eq!(said.stdout, "", "half a listing is no dump");
    scanned(&copy, &["lock", "-p", "article"]).expect(101);

    let said = scanned(&copy, &["check", "-p", "article", "--allow-unresolved"]).expect(0);
    assert!(said.stderr.contains("`list_articles` is not resolved"), "{said:?}");
    scanned(&copy, &["lock", "-p", "article", "--allow-unresolved"]).expect(0);
    assert_eq!(copy.read("article/tool-versions.lock.yaml"), locked, "it stays as locked");
}

#[test]
fn a_build_compares_itself_with_the_source() {
    let copy = Copy::new("scan-beside", &["article"]);
    let said = copy.run(&["list", "-p", "article", "-v"]).expect(0);
    assert!(!said.stderr.contains("please report"), "{said:?}");
}

#[test]
fn tools_that_the_source_does_not_show_are_no_pass() {
    let copy = Copy::new("scan-hidden", &["macro-made", "router-edited"]);
    for (fixture, text) in [
        ("macro-made", "macros in `macro_made` may make tools"),
        ("router-edited", "its router is made or changed by code"),
    ] {
        for allowed in [&[][..], &["--allow-unresolved"]] {
            let said = scanned(&copy, &[&["list", "-p", fixture], allowed].concat());
            let told = format!("{}{}", said.stdout, said.stderr);
            assert!(told.contains(text), "{fixture}: {told}");
            assert_eq!(said.code == 0, fixture == "router-edited" && !allowed.is_empty(), "{told}");
        }
    }
}

#[test]
fn an_upgrade_of_the_sdk_leads_the_report() {
    let copy = Copy::new("sdk", &["rmcp-0-8"]);
    let source = "rmcp-0-8/src/main.rs";
    let tool = |name: &str| {
        format!(
            "    #[tool(description = \"Tells of {name}\")]\n    async fn {name}(&self, \
             Parameters(_): Parameters<Place>) {{}}\n"
        )
    };
    let before = "    #[tool(title = \"Forecast\"";
    copy.edit(source, before, &format!("{}{}{before}", tool("rain"), tool("wind")));
    copy.run(&["lock", "--source", "scan"]).expect(0);
    let locked = copy.read("rmcp-0-8/tool-versions.lock.yaml");
    assert!(locked.contains("rmcp: \"0.8.5\""), "{locked}");
    copy.edit("rmcp-0-8/Cargo.toml", "\"=0.8.5\"", "\"1.8\"");
    copy.edit("rmcp-0-8/Cargo.toml", ", \"base64\"", "");
    copy.edit(source, "/// Degrees east of Greenwich.", "/// Degrees east of the meridian.");
    let check = ["check", "--source", "scan"];
    let said = copy.run(&check).expect(2);
    let first = said.stdout.lines().next().unwrap_or_default();
    assert!(first.contains("rmcp went from 0.8.5 to 1.8.0"), "{}", said.stdout);
    assert!(said.stdout.contains("dialect_changed (patch) in 3 tools"), "{}", said.stdout);
    assert!(!said.stdout.contains("[dialect_changed]"), "{}", said.stdout);
    // What somebody wrote is told apart.
    assert!(said.stdout.contains("[description_changed]"), "{}", said.stdout);
    copy.set_version("rmcp-0-8", "0.9.1");
    copy.run(&check).expect(0);
}
