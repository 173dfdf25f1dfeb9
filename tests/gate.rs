//! What a change to a server's source means to `check` and `lock`.
#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod support;

use serde_json::Value;
use support::{Copy, Said};

const SOURCE: &str = "article/src/main.rs";
const LOCKFILE: &str = "article/tool-versions.lock.yaml";

/// A copy of `article`, version 1.4.0, locked.
fn locked(test: &str) -> Copy {
    let copy = Copy::new(test, &["article"]);
    copy.run(&["lock"]).expect(0);
    copy
}

fn check(copy: &Copy) -> Said {
    copy.run(&["check"])
}

/// Exit code and rules with their grade and place of `check --message-format json`.
fn findings(copy: &Copy) -> (i32, Vec<String>) {
    let said = copy.run(&["check", "--message-format", "json"]);
    let report = said.json();
    assert_eq!(report["exit_code"], said.code);
    let findings = report["tools"].as_array().unwrap().iter().flat_map(|tool| {
        let of_tool = move |finding: &Value| {
            let text = |field: &str| finding[field].as_str().unwrap_or_default().to_owned();
            let name = tool["name"].as_str().unwrap();
            format!("{} {} {name} {}", text("rule"), text("grade"), text("path")).trim().to_owned()
        };
        tool["findings"].as_array().unwrap().iter().map(of_tool).collect::<Vec<_>>()
    });
    (said.code, findings.collect())
}

fn report(code: i32, findings: &[&str]) -> (i32, Vec<String>) {
    (code, findings.iter().map(|finding| (*finding).to_owned()).collect())
}

#[test]
fn unchanged() {
    let copy = locked("unchanged");
    insta::assert_snapshot!(check(&copy).expect(0).stdout);
    assert_eq!(findings(&copy), report(0, &[]));
}

#[test]
fn no_lockfile_yet() {
    let copy = Copy::new("no-lockfile", &["article"]);
    let said = check(&copy).expect(101);
    assert!(said.stderr.contains("cargo mcp-semver lock"), "{}", said.stderr);
    assert!(!copy.root().join(LOCKFILE).exists());
}

#[test]
fn locking_twice_writes_the_same_bytes() {
    let copy = locked("lock-twice");
    let first = copy.read(LOCKFILE);
    copy.run(&["lock"]).expect(0);
    assert_eq!(copy.read(LOCKFILE), first);
    insta::assert_snapshot!(first);
}

// The three silent changes: a renamed parameter, a retyped one, a doc comment that lost a fact.

#[test]
fn renamed_parameter() {
    let copy = locked("renamed-parameter");
    copy.edit(SOURCE, "body_markdown: String", "body: String");
    insta::assert_snapshot!(check(&copy).expect(2).stdout);
    assert_eq!(
        findings(&copy),
        report(2, &["input_property_removed major create_article body_markdown"])
    );
}

#[test]
fn retyped_parameter() {
    let copy = locked("retyped-parameter");
    copy.edit(SOURCE, "part: u32", "part: String");
    insta::assert_snapshot!(check(&copy).expect(2).stdout);
    assert_eq!(
        findings(&copy),
        report(2, &["input_type_narrowed major create_article series.part"])
    );
}

#[test]
fn doc_comment_that_lost_a_fact() {
    let copy = locked("lost-fact");
    copy.edit(
        SOURCE,
        " A published article is mailed to all followers and cannot be unpublished.",
        "",
    );
    insta::assert_snapshot!(check(&copy).expect(2).stdout);
    assert_eq!(findings(&copy), report(2, &["description_changed patch create_article"]));
    copy.set_version("article", "1.4.1");
    check(&copy).expect(0);
}

#[test]
fn doc_comment_of_a_parameter() {
    let copy = locked("parameter-text");
    copy.edit(SOURCE, "Headline, at most 128 characters.", "Headline.");
    let reworded = ["description_changed patch create_article title"];
    assert_eq!(findings(&copy), report(2, &reworded));
    copy.set_version("article", "1.4.1");
    assert_eq!(findings(&copy), report(0, &reworded));
}

#[test]
fn dropped_enum_value() {
    let copy = locked("dropped-value");
    copy.edit(SOURCE, "    Members,\n", "");
    insta::assert_snapshot!(check(&copy).expect(2).stdout);
    assert_eq!(findings(&copy), report(2, &["input_enum_narrowed major create_article audience"]));
}

#[test]
fn added_enum_value() {
    let copy = locked("added-value");
    copy.edit(SOURCE, "    Members,\n", "    Members,\n    Nobody,\n");
    let widened = ["input_enum_widened minor create_article audience"];
    assert_eq!(findings(&copy), report(2, &widened));
    copy.set_version("article", "1.4.1");
    assert_eq!(findings(&copy), report(2, &widened));
    copy.set_version("article", "1.5.0");
    assert_eq!(findings(&copy), report(0, &widened));
}

#[test]
fn changed_default() {
    let copy = locked("changed-default");
    copy.edit(SOURCE, "    30\n", "    10\n");
    insta::assert_snapshot!(check(&copy).expect(2).stdout);
    assert_eq!(findings(&copy), report(2, &["input_default_changed major list_articles per_page"]));
}

#[test]
fn newly_required_and_newly_optional() {
    let copy = locked("required");
    copy.edit(
        SOURCE,
        "    #[serde(default)]\n    published: bool,",
        "    published: bool,\n    /// Shown above the headline.\n    kicker: Option<String>,",
    );
    assert_eq!(
        findings(&copy),
        report(
            2,
            &[
                "input_default_changed major create_article published",
                "input_required_added major create_article published",
                "input_property_added minor create_article kicker"
            ]
        )
    );
}

#[test]
fn output_that_lost_a_field() {
    let copy = locked("output-field");
    copy.edit(SOURCE, "    url: String,\n", "");
    copy.edit(
        SOURCE,
        "Article { id: 1, url: article.title }",
        "Article { id: article.title.len() as u64 }",
    );
    assert_eq!(findings(&copy), report(2, &["output_property_removed major create_article url"]));
}

const LIST: &str = r#"    /// List your articles, newest first.
    #[tool(annotations(read_only_hint = true))]
    async fn list_articles(&self, Parameters(list): Parameters<ListArticles>) -> String {
        format!("{list:?}")
    }
"#;

#[test]
fn removed_tool() {
    let copy = locked("removed-tool");
    copy.edit(SOURCE, LIST, "");
    insta::assert_snapshot!(check(&copy).expect(2).stdout);
    copy.set_version("article", "2.0.0");
    assert_eq!(findings(&copy), report(1, &["tool_removed major list_articles"]));
}

#[test]
fn added_tool() {
    let copy = locked("added-tool");
    let delete = "\n    /// Delete an article.\n    #[tool]\n    fn delete_article(&self) {}\n";
    copy.edit(SOURCE, LIST, &format!("{LIST}{delete}"));
    check(&copy).expect(2);
    copy.set_version("article", "1.5.0");
    assert_eq!(findings(&copy), report(1, &["tool_added minor delete_article"]));
}

#[test]
fn versions_that_cover_and_that_do_not() {
    let copy = locked("versions");
    for (version, code) in [("1.4.1", 0), ("2.0.0-rc.1", 0), ("1.3.9", 2), ("1.4.0-rc.1", 2)] {
        copy.set_version("article", version);
        let said = check(&copy);
        assert_eq!(said.code, code, "nothing changed, {version}\n{}", said.stdout);
    }
    copy.edit(SOURCE, "body_markdown: String", "body: String");
    for (version, code) in
        [("1.4.1", 2), ("1.5.0", 2), ("2.0.0-rc.1", 0), ("2.0.0", 0), ("3.0.0", 0)]
    {
        copy.set_version("article", version);
        let said = check(&copy);
        assert_eq!(said.code, code, "renamed parameter, {version}\n{}", said.stdout);
    }
}

#[test]
fn zero_versions() {
    let copy = Copy::new("zero-versions", &["rmcp-0-3", "rmcp-0-8"]);
    copy.run(&["lock", "--workspace"]).expect(0);
    copy.edit("rmcp-0-3/src/main.rs", "Name the currencies", "Name all currencies");
    copy.edit("rmcp-0-8/src/main.rs", "Tomorrow's weather at a place", "The weather tomorrow");
    let code = |three: &str, eight: &str| {
        copy.set_version("rmcp-0-3", three);
        copy.set_version("rmcp-0-8", eight);
        (copy.run(&["check", "-p", "rmcp-0-3"]).code, copy.run(&["check", "-p", "rmcp-0-8"]).code)
    };
    assert_eq!(code("0.0.7", "0.9.0"), (2, 2));
    assert_eq!(code("0.0.8", "0.9.1"), (0, 0));
    // A dropped parameter needs the breaking position.
    copy.edit(
        "rmcp-0-8/src/main.rs",
        "    /// Degrees east of Greenwich.\n    longitude: f64,\n",
        "",
    );
    assert_eq!(code("0.1.0", "0.9.1"), (0, 2));
    assert_eq!(code("0.1.0", "0.10.0"), (0, 0));
}

#[test]
fn lock_refuses_what_the_version_does_not_cover() {
    let copy = locked("refuse");
    let before = copy.read(LOCKFILE);
    copy.edit(SOURCE, "body_markdown: String", "body: String");
    let said = copy.run(&["lock"]).expect(2);
    assert!(format!("{}{}", said.stdout, said.stderr).contains("2.0.0"), "{said:?}");
    assert_eq!(copy.read(LOCKFILE), before);

    copy.run(&["lock", "--force"]).expect(0);
    assert_ne!(copy.read(LOCKFILE), before);
    check(&copy).expect(0);
}

#[test]
fn lock_after_the_bump() {
    let copy = locked("lock-bumped");
    copy.edit(SOURCE, "body_markdown: String", "body: String");
    copy.set_version("article", "2.0.0");
    copy.run(&["lock"]).expect(0);
    check(&copy).expect(0);
    let lockfile = copy.read(LOCKFILE);
    // The changed tool was last pinned at 2.0.0, the other one at 1.4.0.
    assert_eq!(lockfile.matches("semver: \"2.0.0\"").count(), 1, "{lockfile}");
    assert_eq!(lockfile.matches("semver: \"1.4.0\"").count(), 1, "{lockfile}");
}

#[test]
fn the_worst_package_decides() {
    let copy = Copy::new("two-packages", &["article", "texts"]);
    copy.run(&["lock", "--workspace"]).expect(0);
    copy.run(&["check", "--workspace"]).expect(0);

    copy.edit("texts/src/main.rs", "Hyphenate a word", "Hyphenate one word");
    insta::assert_snapshot!(copy.run(&["check", "--workspace"]).expect(2).stdout);
    copy.run(&["check", "-p", "article"]).expect(0);
    copy.run(&["check", "-p", "texts"]).expect(2);

    copy.set_version("texts", "1.4.1");
    copy.edit(SOURCE, LIST, "");
    copy.set_version("article", "2.0.0");
    copy.run(&["check", "--workspace"]).expect(1);

    std::fs::remove_file(copy.root().join("texts/tool-versions.lock.yaml")).unwrap();
    copy.run(&["check", "--workspace"]).expect(101);
}
