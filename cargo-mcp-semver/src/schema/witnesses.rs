//! What is shown as proof of a change.

use serde_json::{Value, json};

use super::*;

fn witness(old: &Value, new: &Value, direction: Direction) -> Value {
    let changes = differences(old, new, direction);
    let shown = changes.iter().find_map(|change| change.witness.clone());
    shown.unwrap_or_else(|| panic!("no witness: {changes:#?}"))
}

fn call(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

#[test]
fn it_is_made_of_what_the_schema_shows() {
    let with = |limit: Value| {
        call(
            json!({
                "query": {"type": "string", "examples": ["rust mcp"]},
                "owner": {"type": "string", "default": "octocat"},
                "sort": {"enum": ["stars", "forks"]},
                "id": {"type": "string", "format": "uuid"},
                "page": {"type": "integer", "minimum": 1},
                "limit": limit,
            }),
            &["query", "owner", "sort", "id", "limit"],
        )
    };
    let old = with(json!({"type": "integer", "maximum": 100, "examples": [10, 80]}));
    let shown = witness(&old, &with(json!({"type": "integer", "maximum": 50})), Direction::Input);
    assert_eq!(
        shown,
        json!({"query": "rust mcp", "owner": "octocat", "sort": "stars",
               "id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "limit": 80})
    );
}

#[test]
fn it_is_no_larger_than_needed() {
    let list = |leaf: Value| {
        call(
            json!({
                "stops": {"type": "array", "items": call(json!({"mode": leaf, "note": {}}), &[])},
                "other": {"type": "string", "examples": ["not needed"]},
            }),
            &[],
        )
    };
    let shown = witness(
        &list(json!({"enum": ["fast", "deep"]})),
        &list(json!({"enum": ["fast"]})),
        Direction::Input,
    );
    assert_eq!(shown, json!({"stops": [{"mode": "deep"}]}));
    let (old, new) =
        (call(json!({"a": {}, "b": {}}), &[]), call(json!({"a": {}, "b": {}}), &["b"]));
    assert_eq!(witness(&old, &new, Direction::Input), json!({}));
    let (old, new) =
        (call(json!({"a": {"type": "string", "examples": ["x"]}}), &["a"]), call(json!({}), &[]));
    assert_eq!(witness(&old, &new, Direction::Input), json!({"a": "x"}));
}

#[test]
fn a_result_is_made_of_what_the_new_schema_shows() {
    let of = |status: Value, body: Value| {
        call(json!({"status": status, "body": body}), &["status", "body"])
    };
    let body = json!({"type": "string", "examples": ["hello"]});
    let old = of(json!({"type": "integer"}), body.clone());
    let new = of(json!({"type": ["integer", "null"]}), body);
    assert_eq!(witness(&old, &new, Direction::Output), json!({"status": null, "body": "hello"}));
}

#[test]
fn a_text_is_the_shortest_that_tells_two_patterns_apart() {
    let with =
        |pattern: &str| call(json!({"tag": {"type": "string", "pattern": pattern}}), &["tag"]);
    for (old, new, shown) in [
        ("^[a-z]+$", "^[a-z]{2,}$", "a"),
        ("^v\\d+$", "^v\\d{1,3}$", "v0000"),
        ("^[a-z_]+$", "^[a-z]+$", "_"),
        ("b", "^b", "ab"),
        ("^.{3}$", "^[ -~]{3}$", "aaé"),
    ] {
        let found = witness(&with(old), &with(new), Direction::Input);
        assert_eq!(found, json!({"tag": shown}), "{old} {new}");
    }
}

#[test]
fn every_witness_is_confirmed_by_a_validator() {
    let validator = |schema: &Value| jsonschema::draft202012::new(schema).unwrap();
    let old = json!({"type": "object", "required": ["node"], "properties": {"node": {"$ref": "#/$defs/Node"}},
        "$defs": {"Node": {"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "examples": ["root"]},
            "weight": {"type": "number"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}}});
    let mut new = old.clone();
    new["$defs"]["Node"]["properties"]["weight"] = json!({"type": "number", "exclusiveMinimum": 0});
    let shown = witness(&old, &new, Direction::Input);
    assert!(validator(&old).is_valid(&shown) && !validator(&new).is_valid(&shown), "{shown}");
    assert_eq!(shown, json!({"node": {"name": "root", "weight": 0}}));
}
