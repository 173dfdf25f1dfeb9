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

#[test]
fn each_of_several_changes_at_one_place_is_shown_by_its_own() {
    let items = || json!({"type": "array", "items": {"type": "integer"}});
    let number = || json!({"type": "integer", "examples": [1, 200]});
    let text = || json!({"type": "string"});
    let object = || json!({"type": "object", "additionalProperties": true});
    let with = |mut schema: Value, more: Value| {
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let length = |value: &Value| match value {
        Value::Array(list) => list.len() as i64,
        Value::Object(map) => map.len() as i64,
        Value::String(text) => text.chars().count() as i64,
        value => value.as_i64().unwrap(),
    };
    for (wide, limits) in [
        (items(), json!({"minItems": 3, "maxItems": 5})),
        (
            with(items(), json!({"minItems": 1, "maxItems": 9})),
            json!({"minItems": 3, "maxItems": 5}),
        ),
        (number(), json!({"minimum": 3, "maximum": 5})),
        (number(), json!({"exclusiveMinimum": 2, "exclusiveMaximum": 6})),
        (text(), json!({"minLength": 3, "maxLength": 5})),
        (object(), json!({"minProperties": 3, "maxProperties": 5})),
    ] {
        let narrow = with(wide.clone(), limits);
        for direction in [Direction::Input, Direction::Output] {
            let (old, new) = match direction {
                Direction::Input => (&wide, &narrow),
                Direction::Output => (&narrow, &wide),
            };
            let [old, new] = [old, new].map(|it| call(json!({"x": it}), &["x"]));
            let changes = differences(&old, &new, direction);
            let shown: Vec<i64> =
                changes.iter().map(|it| length(&it.witness.as_ref().unwrap()["x"])).collect();
            assert!(matches!(shown[..], [low, high] if low < 3 && high > 5), "{changes:#?}");
        }
    }
}

#[test]
fn each_of_several_changes_is_shown_by_a_value_without_the_others() {
    let rejects = |schema: &Value, value: &Value| !jsonschema::is_valid(schema, value);
    let object = || call(json!({"a": {"type": "string"}, "b": {"type": "string"}}), &[]);
    for (old, limits) in [
        (json!({"type": "string"}), [json!({"minLength": 2}), json!({"pattern": "^a"})]),
        (json!({"type": "integer"}), [json!({"minimum": 10}), json!({"multipleOf": 3})]),
        (
            json!({"type": "array", "items": {"type": "integer"}}),
            [json!({"maxItems": 2}), json!({"uniqueItems": true})],
        ),
        (json!({"enum": ["a", "b", 1]}), [json!({"type": "string"}), json!({"enum": ["a", 1]})]),
        (object(), [json!({"required": ["a"]}), json!({"required": ["b"]})]),
    ] {
        let new = json!({"allOf": [old, limits[0], limits[1]]});
        let [old, new] = [&old, &new].map(|it| call(json!({"x": it}), &["x"]));
        let changes = differences(&old, &new, Direction::Input);
        let shown: Vec<&Value> =
            changes.iter().map(|it| &it.witness.as_ref().unwrap()["x"]).collect();
        let mut by: Vec<_> =
            shown.iter().map(|it| limits.each_ref().map(|limit| rejects(limit, it))).collect();
        by.sort_unstable();
        assert_eq!(by, [[false, true], [true, false]], "{changes:#?}");
    }
}

#[test]
fn what_lies_elsewhere_is_left_out_of_a_witness_or_it_is_unproven() {
    let far = || json!({"$ref": "https://example.com/far"});
    let beside =
        |far: Value, q: &str| json!({"type": "object", "properties": {"p": far, "q": {"type": q}}});
    let changed = |old: &Value, new: &Value, direction| {
        let changes = differences(old, new, direction);
        let unproven = changes.iter().find(|it| it.kind == Kind::Unproven);
        let told = unproven.unwrap_or(&changes[0]);
        (told.kind, told.witness.clone())
    };
    let shown = Some(json!({"q": 0.5}));
    for far in [far(), json!({"anyOf": [far(), {"type": "null"}]}), json!({"items": far()})] {
        let (wide, narrow) = (beside(far.clone(), "number"), beside(far, "integer"));
        let input = changed(&wide, &narrow, Direction::Input);
        assert_eq!(input, (Kind::TypeNarrowed, shown.clone()));
        let output = changed(&narrow, &wide, Direction::Output);
        assert_eq!(output, (Kind::TypeWidened, shown.clone()));
    }
    // More there may be less in all.
    for far in [json!({"not": far()}), json!({"oneOf": [far(), {"required": ["a"]}]})] {
        let (wide, narrow) = (beside(far.clone(), "number"), beside(far, "integer"));
        let input = changed(&wide, &narrow, Direction::Input);
        assert_eq!(input, (Kind::Unproven, None));
    }
    let ring = |q: &str| {
        json!({"$ref": "#/$defs/X", "$defs": {"X": {"type": "object", "properties":
            {"far": far(), "p": {"not": {"$ref": "#/$defs/X"}}, "q": {"type": q}}}}})
    };
    let input = changed(&ring("number"), &ring("integer"), Direction::Input);
    assert_eq!(input, (Kind::Unproven, None));
    // It may lead to the same, or to less.
    let unproven = (Kind::Unproven, None);
    let other = json!({"$ref": "https://example.com/other"});
    for (old, new) in
        [(far(), json!({"type": "string"})), (json!({"type": "string"}), far()), (far(), other)]
    {
        let [old, new] = [old, new].map(|far| beside(far, "number"));
        assert_eq!(changed(&old, &new, Direction::Input), unproven, "{old} {new}");
    }
    // A name that is not declared here may be declared there.
    let both =
        |q: &str| json!({"type": "object", "allOf": [far()], "properties": {"q": {"type": q}}});
    assert_eq!(changed(&both("number"), &both("integer"), Direction::Input), unproven);
}
