//! One schema in many spellings: silence, both ways.

use serde_json::{Value, json};

use super::*;

fn assert_silent(spellings: &[Value]) {
    for old in spellings {
        for new in spellings {
            for direction in [Direction::Input, Direction::Output] {
                assert_eq!(differences(old, new, direction), [], "{old}\n{new}");
            }
        }
    }
}

fn draft07(mut schema: Value) -> Value {
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema
}

fn draft2020(mut schema: Value) -> Value {
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema
}

fn property(schema: &Value) -> Value {
    json!({"type": "object", "properties": {"p": schema}, "required": ["p"]})
}

#[test]
fn references_in_place_and_definitions_renamed() {
    let mode = json!({"enum": ["a", "b"]});
    let with = |name: &str, keyword: &str| {
        let mut schema = property(&json!({"$ref": format!("#/{keyword}/{name}")}));
        schema[keyword] = json!({ name: mode });
        schema
    };
    let mut unused = property(&mode);
    unused["$defs"] = json!({"Unused": {"type": "null"}});
    let anchored = json!({"type": "object", "properties": {"p": {"$ref": "#mode"}}, "required": ["p"],
        "$defs": {"x": {"$anchor": "mode", "enum": ["a", "b"]}}});
    let named = json!({"$id": "https://example.com/s", "type": "object", "required": ["p"],
        "properties": {"p": {"$ref": "mode"}},
        "$defs": {"x": {"$id": "mode", "enum": ["a", "b"]}}});
    assert_silent(&[
        property(&mode),
        with("Mode", "$defs"),
        with("Kind", "$defs"),
        with("Mode", "definitions"),
        unused,
        anchored,
        named,
        property(&json!({"allOf": [mode]})),
    ]);
}

#[test]
fn conjunctions_and_unions_of_one() {
    let text = json!({"type": "string", "minLength": 1});
    assert_silent(&[
        property(&text),
        property(&json!({"allOf": [text]})),
        property(&json!({"anyOf": [text]})),
        property(&json!({"oneOf": [text]})),
        property(&json!({"allOf": [{"type": "string"}, {"minLength": 1}]})),
        property(&json!({"type": "string", "allOf": [{"minLength": 1}]})),
        json!({"allOf": [property(&text)]}),
    ]);
}

#[test]
fn variants_and_listed_values_in_any_order() {
    assert_silent(&[
        json!({"enum": ["a", "b", 1]}),
        json!({"enum": [1.0, "b", "a"]}),
        json!({"anyOf": [{"const": 1}, {"enum": ["b", "a"]}]}),
        json!({"oneOf": [{"const": "a"}, {"const": "b"}, {"const": 1}]}),
    ]);
    let (one, two) = (property(&json!({"const": "x"})), json!({"type": "array"}));
    for union in ["anyOf", "oneOf"] {
        assert_silent(&[json!({union: [one, two]}), json!({union: [two, one]})]);
    }
    assert_silent(&[
        json!({"const": "a"}),
        json!({"enum": ["a"]}),
        json!({"enum": ["a"], "type": "string"}),
    ]);
}

#[test]
fn null_in_four_spellings() {
    let bounded = json!({"type": "string", "maxLength": 3});
    assert_silent(&[
        property(&json!({"type": ["string", "null"], "maxLength": 3})),
        property(&json!({"type": "string", "maxLength": 3, "nullable": true})),
        property(&json!({"anyOf": [bounded, {"type": "null"}]})),
        property(&json!({"oneOf": [{"type": "null"}, bounded]})),
        property(&json!({"anyOf": [bounded, {"const": null}]})),
        property(&json!({"anyOf": [bounded, {"enum": [null]}]})),
    ]);
}

#[test]
fn anything_and_nothing() {
    let list = |items: Value| json!({"type": "array", "items": items});
    assert_silent(&[
        list(json!(true)),
        list(json!({})),
        list(json!({"$comment": "any"})),
        json!({"type": "array"}),
        list(json!({"not": false})),
    ]);
}

#[test]
fn drafts_and_where_schema_stands() {
    let old = draft07(json!({"type": "object", "properties": {
        "at": {"type": "array", "items": [{"type": "number"}, {"type": "number"}], "additionalItems": false},
        "m": {"$ref": "#/definitions/M"}}, "definitions": {"M": {"enum": ["a"]}},
        "dependencies": {"m": ["at"]}}));
    let new = draft2020(json!({"type": "object", "properties": {
        "at": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "items": false},
        "m": {"$ref": "#/$defs/M"}}, "$defs": {"M": {"const": "a"}},
        "dependentRequired": {"m": ["at"]}}));
    let mut bare = new.clone();
    bare.as_object_mut().unwrap().remove("$schema");
    assert_silent(&[old, new, bare]);
}

/// Tagged, untagged, adjacently and internally tagged enums, each as schemars 0.8 writes it for
/// draft-07 and as 1.x does for 2020-12.
#[test]
fn enums_as_both_schemars_write_them() {
    let object = |properties: Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required});
    let closed = |mut schema: Value| {
        schema["additionalProperties"] = json!(false);
        schema
    };
    let point = object(json!({"x": {"type": "integer", "format": "int32"}}), &["x"]);
    let with = |unit: Value, pointed: &dyn Fn(&str) -> Value, keyword: &str| {
        let mut schema = json!({"oneOf": [unit, pointed(&format!("#/{keyword}/Point"))]});
        schema[keyword] = json!({"Point": point});
        schema
    };
    // External: the name is the only property.
    let external = |reference: &str| closed(object(json!({"At": {"$ref": reference}}), &["At"]));
    assert_silent(&[
        draft07(with(json!({"type": "string", "enum": ["None"]}), &external, "definitions")),
        draft2020(with(json!({"type": "string", "const": "None"}), &external, "$defs")),
    ]);
    // Internal: the tag stands among the fields.
    let tagged = |tag: Value, rest: Value| {
        let mut schema = object(json!({"kind": tag}), &["kind"]);
        for (keyword, value) in rest.as_object().unwrap() {
            schema[keyword] = value.clone();
        }
        schema
    };
    let old = json!({"oneOf": [
        tagged(json!({"type": "string", "enum": ["none"]}), json!({})),
        object(json!({"kind": {"type": "string", "enum": ["at"]}, "x": {"type": "integer", "format": "int32"}}), &["kind", "x"]),
    ]});
    let new = json!({"oneOf": [
        tagged(json!({"type": "string", "const": "none"}), json!({})),
        tagged(json!({"type": "string", "const": "at"}), json!({"$ref": "#/$defs/Point"})),
    ], "$defs": {"Point": point}});
    assert_silent(&[draft07(old), draft2020(new)]);
    // Adjacent: tag and content.
    let adjacent = |tag: &dyn Fn(&str) -> Value, reference: &str| {
        json!({"oneOf": [
            object(json!({"t": tag("none")}), &["t"]),
            object(json!({"t": tag("at"), "c": {"$ref": reference}}), &["t", "c"]),
        ]})
    };
    let mut old =
        adjacent(&|name| json!({"type": "string", "enum": [name]}), "#/definitions/Point");
    old["definitions"] = json!({"Point": point});
    let mut new = adjacent(&|name| json!({"type": "string", "const": name}), "#/$defs/Point");
    new["$defs"] = json!({"Point": point});
    assert_silent(&[draft07(old), draft2020(new)]);
    // Untagged: whichever fits.
    let mut old = json!({"anyOf": [{"$ref": "#/definitions/Point"}, {"type": "string"}]});
    old["definitions"] = json!({"Point": point});
    let mut new = json!({"anyOf": [{"$ref": "#/$defs/Point"}, {"type": "string"}]});
    new["$defs"] = json!({"Point": point});
    assert_silent(&[draft07(old), draft2020(new)]);
    // Units with and without a comment each.
    assert_silent(&[
        draft07(
            json!({"oneOf": [{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["b", "c"]}]}),
        ),
        draft2020(
            json!({"oneOf": [{"type": "string", "enum": ["b", "c"]}, {"type": "string", "const": "a"}]}),
        ),
        draft2020(json!({"type": "string", "enum": ["a", "b", "c"]})),
    ]);
}

#[test]
fn structs_maps_tuples_and_sets_as_both_schemars_write_them() {
    let number = json!({"type": "integer", "format": "uint8", "minimum": 0});
    let bounded = json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255});
    // A flattened struct: in `allOf` or among the fields.
    let own = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    let inner = json!({"type": "object", "properties": {"n": number}, "required": ["n"]});
    let both = json!({"type": "object", "properties": {"a": {"type": "string"}, "n": bounded}, "required": ["a", "n"]});
    let mut beside = own.clone();
    beside["allOf"] = json!([{"$ref": "#/definitions/Inner"}]);
    beside["definitions"] = json!({"Inner": inner});
    let mut referred = own.clone();
    referred["$ref"] = json!("#/$defs/Inner");
    referred["$defs"] = json!({"Inner": inner});
    assert_silent(&[draft07(beside), draft2020(referred), draft2020(both)]);
    // A map, a tuple, a set, an optional field.
    assert_silent(&[
        draft07(json!({"type": "object", "additionalProperties": number})),
        draft2020(json!({"type": "object", "additionalProperties": bounded})),
    ]);
    assert_silent(&[
        draft07(
            json!({"type": "array", "items": [number, {"type": "string"}], "maxItems": 2, "minItems": 2}),
        ),
        draft2020(
            json!({"type": "array", "prefixItems": [bounded, {"type": "string"}], "maxItems": 2, "minItems": 2}),
        ),
    ]);
    assert_silent(&[
        draft07(json!({"type": "array", "items": number, "uniqueItems": true})),
        draft2020(json!({"type": "array", "items": bounded, "uniqueItems": true})),
    ]);
    let optional = |schema: Value| json!({"type": "object", "properties": {"o": schema}, "$defs": {"T": own}, "definitions": {"T": own}});
    assert_silent(&[
        draft07(optional(json!({"anyOf": [{"$ref": "#/definitions/T"}, {"type": "null"}]}))),
        draft2020(optional(json!({"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}]}))),
        draft2020(optional(json!({"anyOf": [{"type": "null"}, own]}))),
    ]);
}

#[test]
fn recursive_types_however_they_are_unrolled() {
    let node = |next: &str| {
        json!({"type": "object", "required": ["v"],
        "properties": {"v": {"type": "string"}, "next": {"$ref": next}}})
    };
    let mut unrolled = node("#/$defs/B");
    unrolled["$defs"] = json!({"B": node("#/$defs/C"), "C": node("#/$defs/B")});
    assert_silent(&[
        json!({"$ref": "#/$defs/Node", "$defs": {"Node": node("#/$defs/Node")}}),
        json!({"$ref": "#/$defs/Knot", "$defs": {"Knot": node("#/$defs/Knot")}}),
        node("#"),
    ]);
    let rolled = json!({"$ref": "#/$defs/Node", "$defs": {"Node": node("#/$defs/Node")}});
    for (old, new) in [(&rolled, &unrolled), (&unrolled, &rolled)] {
        assert_eq!(differences(old, new, Direction::Input), [], "{old} {new}");
    }
}

#[test]
fn a_remote_reference_is_equal_by_its_text_or_named() {
    let to = |uri: &str| property(&json!({"$ref": uri}));
    let (one, two) = (to("https://example.com/one"), to("https://example.com/two"));
    assert_silent(std::slice::from_ref(&one));
    for direction in [Direction::Input, Direction::Output] {
        let changes = differences(&one, &two, direction);
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert_eq!(changes[0].kind, Kind::Unproven);
        assert!(changes[0].detail.contains("https://example.com/two"), "{}", changes[0].detail);
    }
}

/// Schemas for one place that accept the same, with the definitions that some of them refer to.
fn spelt(schema: &Value) -> Vec<Value> {
    let mut all = vec![schema.clone()];
    let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array).cloned();
    let is_only =
        |keyword: &str| schema.as_object().unwrap().len() == 1 && schema.get(keyword).is_some();
    if let Some(values) = list("enum").filter(|_| is_only("enum")) {
        let each: Vec<Value> = values.iter().map(|value| json!({ "const": value })).collect();
        all.extend([json!({ "anyOf": each }), json!({ "oneOf": each })]);
        if let [value] = values.as_slice() {
            all.push(json!({ "const": value }));
        }
    }
    if let Some(types) = list("type") {
        let mut rest = schema.clone();
        rest.as_object_mut().unwrap().remove("type");
        let each: Vec<Value> = types
            .iter()
            .map(|name| match name.as_str() {
                Some("string" | "integer" | "number" | "array" | "object") => {
                    let mut one = rest.clone();
                    one["type"] = name.clone();
                    one
                }
                _ => json!({ "type": name }),
            })
            .collect();
        all.extend([json!({ "anyOf": each }), json!({ "oneOf": each })]);
        if let [one, Value::String(null)] = types.as_slice()
            && null == "null"
        {
            let mut nullable = rest.clone();
            nullable["type"] = one.clone();
            nullable["nullable"] = json!(true);
            all.push(nullable);
        }
        if let [one] = types.as_slice() {
            rest["type"] = one.clone();
            all.push(rest);
        }
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        all.push(json!({ keyword: [schema] }));
    }
    all.push(json!({ "$ref": "#/$defs/Spelt" }));
    all.push(json!({ "allOf": [{ "$ref": "#/$defs/Spelt" }] }));
    all.into_iter()
        .map(|spelling| {
            let mut whole = property(&spelling);
            whole["$defs"] = json!({ "Spelt": schema });
            whole
        })
        .collect()
}

/// One change has one grade, whichever way either side is written.
#[test]
fn a_change_is_of_the_same_kind_however_both_sides_are_spelt() {
    let types = |names: &[&str]| json!({ "type": names });
    let bounded = |names: &[&str]| json!({ "type": names, "maxLength": 3 });
    let object = |properties: Value| json!({ "type": ["object"], "properties": properties });
    for (old, new) in [
        (types(&["string", "integer"]), types(&["string"])),
        (types(&["string", "integer", "boolean"]), types(&["string", "integer"])),
        (types(&["string", "integer", "null"]), types(&["string", "integer"])),
        (types(&["string", "null"]), types(&["string"])),
        (types(&["number", "string"]), types(&["integer", "string"])),
        (types(&["string"]), types(&["integer"])),
        (types(&["string", "integer"]), types(&["boolean", "array"])),
        (bounded(&["string", "null"]), bounded(&["string"])),
        (bounded(&["string", "integer"]), bounded(&["string"])),
        (bounded(&["string", "null"]), json!({ "type": ["string", "null"], "maxLength": 2 })),
        (bounded(&["string"]), types(&["string"])),
        (json!({"enum": ["a", "b"]}), json!({"enum": ["a"]})),
        (json!({"enum": ["a", "b", "c"]}), json!({"enum": ["c", "d"]})),
        (json!({"enum": ["a", "b", null]}), json!({"enum": ["a", "b"]})),
        (json!({"enum": ["a", 1]}), json!({"enum": ["a"]})),
        (json!({"enum": ["a"]}), types(&["string"])),
        (types(&["string"]), json!({"enum": ["a", "b"]})),
        (object(json!({"x": true})), object(json!({"x": true, "y": true}))),
        (object(json!({"x": {"type": "number"}})), object(json!({"x": {"type": "integer"}}))),
        (
            json!({"type": ["array"], "items": {"type": "string"}}),
            json!({"type": ["array"], "items": {"type": "string"}, "maxItems": 3}),
        ),
    ] {
        for (old, new) in [(&old, &new), (&new, &old)] {
            for direction in [Direction::Input, Direction::Output] {
                let kinds =
                    |old: &Value, new: &Value| -> std::collections::BTreeSet<(Kind, String)> {
                        let changes = differences(old, new, direction);
                        changes.into_iter().map(|it| (it.kind, it.path)).collect()
                    };
                let (before, after) = (spelt(old), spelt(new));
                let expected = kinds(&before[0], &after[0]);
                assert!(!expected.is_empty(), "{old} {new}");
                let mut others = Vec::new();
                for one in &before {
                    for other in &after {
                        let found = kinds(one, other);
                        if found != expected {
                            others.push(format!(
                                "{} {}: {found:?}",
                                one["properties"]["p"], other["properties"]["p"]
                            ));
                        }
                    }
                }
                assert!(others.is_empty(), "{direction:?} {expected:?}\n{}", others.join("\n"));
            }
        }
    }
}
