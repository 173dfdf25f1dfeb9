//! `diff` on dumps and lockfiles.

use crate::Place;

const OLD: &str = r#"{"tools": [
  {"name": "search", "description": "Searches the index. Results come newest first.",
   "inputSchema": {"type": "object", "required": ["query"], "properties": {
     "query": {"type": "string"}, "mode": {"enum": ["fast", "deep"]}, "limit": {"type": "integer"}}}},
  {"name": "ping", "inputSchema": {"type": "object"}}
]}"#;

const NEW: &str = r#"{"tools": [
  {"name": "ping", "inputSchema": {"type": "object"}},
  {"name": "search", "description": "Searches the index.",
   "inputSchema": {"type": "object", "required": ["q"], "properties": {
     "q": {"type": "string"}, "mode": {"enum": ["fast"]}, "limit": {"type": "string"}}}}
]}"#;

fn place() -> Place {
    let place = Place::new();
    place.file("old.json", OLD).file("new.json", NEW);
    place
}

#[test]
fn nothing_changed_exits_with_0() {
    let done = place().run(&["diff", "old.json", "old.json"]);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    assert_eq!(done.stdout, "old.json -> old.json: 2 tools unchanged\n");
}

#[test]
fn added_alone_exits_with_1_and_removed_with_2() {
    let place = place();
    place.file("one.json", r#"[{"name": "ping", "inputSchema": {"type": "object"}}]"#);
    insta::assert_snapshot!(place.run(&["diff", "old.json", "one.json"]));
    insta::assert_snapshot!(place.run(&["diff", "one.json", "old.json"]));
}

#[test]
fn a_change_exits_with_2() {
    insta::assert_snapshot!(place().run(&["diff", "old.json", "new.json"]));
}

#[test]
fn json_is_one_document() {
    let done = place().run(&["diff", "old.json", "new.json", "--message-format", "json"]);
    assert_eq!((done.code, done.stderr.as_str()), (Some(2), ""));
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(report["version"], 1);
    assert_eq!(report["exit_code"], 2);
    assert_eq!(report["grade"], "major");
    assert_eq!(report.get("package"), None);
    assert_eq!(report["tools"][0]["status"], "unchanged");
    assert_eq!(report["tools"][1]["status"], "changed");
}

#[test]
fn one_side_may_be_standard_input() {
    let place = place();
    let done = place.run_with_stdin(&["diff", "-", "old.json"], OLD);
    assert_eq!(done.code, Some(0), "{done}");
    let done = place.run_with_stdin(&["diff", "old.json", "-"], NEW);
    assert_eq!(done.code, Some(2), "{done}");
}

#[test]
fn every_form_of_a_dump_is_the_same() {
    let place = place();
    let tools: serde_json::Value = serde_json::from_str(OLD).unwrap();
    let response = serde_json::json!({"jsonrpc": "2.0", "id": 1, "result": tools});
    place.file("response.json", response.to_string());
    place.file("array.json", tools["tools"].to_string());
    for form in ["response.json", "array.json"] {
        let done = place.run(&["diff", "old.json", form]);
        assert_eq!(done.code, Some(0), "{done}");
    }
}
