//! What differs between two schemas, place by place.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Kinds with their paths, in the input direction.
pub(super) fn input(old: &Value, new: &Value) -> Vec<(Kind, String)> {
    let changes = differences(old, new, Direction::Input);
    changes.into_iter().map(|change| (change.kind, change.path)).collect()
}

pub(super) fn at(path: &str, kind: Kind) -> Vec<(Kind, String)> {
    vec![(kind, path.to_owned())]
}

pub(super) fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

#[test]
fn places_are_named_through_objects_arrays_tuples_and_maps() {
    let schema = |leaf: Value| {
        object(json!({
            "filter": object(json!({"stops": {"type": "array", "items": object(json!({"mode": leaf}))}})),
        }))
    };
    let (old, new) = (schema(json!({"enum": ["a", "b"]})), schema(json!({"enum": ["a"]})));
    let change = &differences(&old, &new, Direction::Input)[0];
    assert_eq!(change.path, "filter.stops[].mode");
    assert_eq!(change.pointer, "/properties/filter/properties/stops/items/properties/mode");
    let tuple =
        |leaf: &str| object(json!({"at": {"prefixItems": [{"type": "number"}, {"type": leaf}]}}));
    assert_eq!(input(&tuple("number"), &tuple("string")), at("at[1]", Kind::TypeNarrowed));
    let map = |leaf: &str| object(json!({"headers": {"additionalProperties": {"type": leaf}}}));
    assert_eq!(input(&map("integer"), &map("number")), at("headers.*", Kind::TypeWidened));
}

#[test]
fn a_name_with_dots_or_brackets_is_no_other_place() {
    let schema = |values: Value| {
        let leaf = json!({"enum": values});
        let list = json!({"type": "array", "items": leaf});
        let object = object(json!({"b": leaf, "list": list}));
        json!({"type": "object", "properties": {"a": object, "a.b": leaf, "a.list[]": leaf, "\"": leaf}})
    };
    let (old, new) = (schema(json!(["x", "y"])), schema(json!(["x"])));
    let mut changes = differences(&old, &new, Direction::Input);
    changes.sort_by(|one, other| one.path.cmp(&other.path));
    let told = changes.into_iter().map(|it| (it.path, it.witness.unwrap()));
    let expected = [
        (r#"["\""]"#, json!({"\"": "y"})),
        (r#"["a.b"]"#, json!({"a.b": "y"})),
        (r#"["a.list[]"]"#, json!({"a.list[]": "y"})),
        ("a.b", json!({"a": {"b": "y"}})),
        ("a.list[]", json!({"a": {"list": ["y"]}})),
    ];
    assert!(told.eq(expected.map(|(path, value)| (path.to_owned(), value))));
}

#[test]
fn a_definition_used_often_is_one_change_with_its_uses() {
    let schema = |values: Value| {
        json!({
            "type": "object",
            "properties": {
                "one": {"$ref": "#/$defs/Mode"}, "two": {"$ref": "#/$defs/Mode"},
                "list": {"type": "array", "items": {"$ref": "#/$defs/Mode"}},
                "deep": {"$ref": "#/$defs/Deep"}, "deeper": {"anyOf": [{"$ref": "#/$defs/Deep"}, {"type": "null"}]},
            },
            "$defs": {
                "Mode": {"enum": values},
                "Deep": {"type": "object", "properties": {"mode": {"$ref": "#/$defs/Mode"}}},
            },
        })
    };
    let changes = differences(&schema(json!(["a", "b"])), &schema(json!(["a"])), Direction::Input);
    assert_eq!(changes.len(), 1, "{changes:#?}");
    assert_eq!(changes[0].pointer, "/$defs/Mode");
    let mut places = changes[0].uses.clone();
    places.push(changes[0].path.clone());
    places.sort();
    assert_eq!(places, ["deep.mode", "deeper.mode", "list[]", "one", "two"]);
}

#[test]
fn a_renamed_property_is_one_change() {
    let old =
        object(json!({"q": {"type": "string", "description": "words"}, "n": {"type": "integer"}}));
    let new = object(
        json!({"query": {"type": "string", "description": "words"}, "n": {"type": "integer"}}),
    );
    let changes = differences(&old, &new, Direction::Input);
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].detail, "was renamed to `query`");
    // Two candidates and no words to tell them apart: no name is claimed.
    let new =
        object(json!({"a": {"type": "string"}, "b": {"type": "string"}, "n": {"type": "integer"}}));
    let kinds: Vec<Kind> = input(&old, &new).into_iter().map(|it| it.0).collect();
    assert_eq!(kinds, [Kind::PropertyRemoved, Kind::PropertyAdded, Kind::PropertyAdded]);
}

#[test]
fn equal_in_other_words_is_silent() {
    let text = json!({"type": "string"});
    for (old, new) in [
        (
            object(json!({"a": text})),
            json!({"$ref": "#/$defs/A", "$defs": {"A": object(json!({"a": text}))}}),
        ),
        (
            object(json!({"a": {"$ref": "#/definitions/T"}, "b": {"type": "null"}})),
            object(json!({"a": {"$ref": "#/definitions/T"}, "b": {"const": null}})),
        ),
        (
            object(json!({"a": {"anyOf": [text, {"type": "null"}]}})),
            object(json!({"a": {"type": ["null", "string"]}})),
        ),
        (
            object(json!({"a": {"type": "integer", "exclusiveMinimum": 0}})),
            object(json!({"a": {"type": "integer", "minimum": 1}})),
        ),
        (
            object(json!({"a": {"type": "integer", "format": "uint8"}})),
            object(
                json!({"a": {"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255}}),
            ),
        ),
        (
            object(json!({"a": {"minLength": 0, "examples": ["x"]}})),
            object(json!({"a": {"$comment": "y"}})),
        ),
        (
            json!({"allOf": [object(json!({"a": text})), object(json!({"b": text}))]}),
            object(json!({"b": text, "a": text})),
        ),
        (
            json!({"oneOf": [{"const": "a"}, {"const": "b"}]}),
            json!({"type": "string", "enum": ["b", "a"]}),
        ),
        (
            json!({"type": "integer", "minimum": 1.5, "maximum": 3.5}),
            json!({"type": "integer", "minimum": 2, "maximum": 3}),
        ),
        (
            json!({"type": "number", "minimum": 1, "exclusiveMinimum": 5}),
            json!({"type": "number", "exclusiveMinimum": 5}),
        ),
        (
            json!({"type": "object", "additionalProperties": {}}),
            json!({"type": "object", "additionalProperties": true}),
        ),
        (
            json!({"anyOf": [{"type": "object"}, {"type": "array"}]}),
            json!({"anyOf": [{"type": "array"}, {"type": "object"}]}),
        ),
    ] {
        assert_eq!(input(&old, &new), [], "{old} {new}");
        assert_eq!(input(&new, &old), [], "{new} {old}");
    }
}

#[test]
fn what_lies_behind_an_unchanged_reference_is_compared() {
    let tree = |leaf: &str| {
        json!({"$ref": "#/$defs/Node", "$defs": {"Node": {
            "type": "object",
            "properties": {"value": {"type": leaf}, "next": {"$ref": "#/$defs/Node"}},
        }}})
    };
    assert_eq!(input(&tree("string"), &tree("integer")), at("value", Kind::TypeNarrowed));
    let guarded =
        |leaf: &str| json!({"not": {"$ref": "#/$defs/N"}, "$defs": {"N": {"type": leaf}}});
    assert_eq!(input(&guarded("string"), &guarded("integer")), at("", Kind::Narrowed));
}

#[test]
fn what_is_not_understood_is_never_silent() {
    for (old, new) in [
        (json!({"$ref": "https://a/1"}), json!({"$ref": "https://a/2"})),
        (json!({"$dynamicRef": "#a"}), json!({"$dynamicRef": "#b"})),
        (
            json!({"$id": "https://a/", "$ref": "https://a/#/$defs/x", "$defs": {"x": {"type": "null"}}}),
            json!({"$id": "https://a/", "$ref": "https://a/#/$defs/x", "$defs": {"x": {"type": "string"}}}),
        ),
        (json!({"minimum": "1"}), json!({"minimum": "2"})),
        (
            json!({"if": {"type": "string"}, "then": {"minLength": 1}}),
            json!({"if": {"type": "string"}, "then": {"minLength": 2}}),
        ),
        (
            json!({"patternProperties": {"^a": {"type": "null"}}}),
            json!({"patternProperties": {"^ab": {"type": "string"}}}),
        ),
        (
            json!({"oneOf": [{"minimum": 5}, {"maximum": 3}]}),
            json!({"oneOf": [{"minimum": 2}, {"maximum": 3}]}),
        ),
        (json!({"type": "string", "pattern": "^a$"}), json!({"type": "string", "pattern": "^b$"})),
        (
            json!({"type": "string"}),
            json!({"type": "string", "if": {"minLength": 3}, "then": {"pattern": "^a"}}),
        ),
    ] {
        let kinds: Vec<Kind> = input(&old, &new).into_iter().map(|it| it.0).collect();
        let breaking =
            [Kind::Unproven, Kind::Narrowed, Kind::ConstraintTightened, Kind::TypeNarrowed];
        assert!(breaking.iter().any(|kind| kinds.contains(kind)), "{old} {new}: {kinds:?}");
    }
}

/// Each part of a place leaves room for what stands beside it, though alone it would not.
#[test]
fn what_stands_beside_a_part_is_not_forgotten() {
    let elsewhere = json!({"$ref": "https://example.com/unknown"});
    let beside = |part: Value| {
        object(json!({
            "a": {"allOf": [part, {"properties": {"y": {"type": "string"}}, "minProperties": 1}]},
            "b": elsewhere,
        }))
    };
    let old = beside(json!({"properties": {"x": {}}, "minProperties": 1}));
    let new = json!({"properties": {"x": {}}, "minProperties": 1, "patternProperties": {"^y": {"type": "integer"}}});
    let kinds: Vec<Kind> = input(&old, &beside(new)).into_iter().map(|it| it.0).collect();
    assert!(kinds.iter().any(|it| matches!(it, Kind::Unproven | Kind::Narrowed)), "{kinds:?}");
    let parts = |longest: u32| {
        let part = |text: Value| json!({"properties": {"a": text}});
        json!({"allOf": [part(json!({"type": "string"})), part(json!({"maxLength": longest}))],
               "properties": {"b": elsewhere}})
    };
    assert_eq!(input(&parts(9), &parts(5)), at("a", Kind::ConstraintTightened));
    let list =
        |items: Value| object(json!({"a": {"type": "array", "items": items}, "b": elsewhere}));
    let bare = object(json!({"a": {"type": "array"}, "b": elsewhere}));
    assert_eq!(input(&bare, &list(json!({"type": "array"}))), at("a[]", Kind::TypeNarrowed));
}

#[test]
fn unions_line_up_by_their_tags() {
    let variant = |tag: &str, field: &str| {
        json!({"type": "object", "required": ["kind"],
               "properties": {"kind": {"const": tag}, "v": {"type": field}}})
    };
    let (circle, square) = (variant("circle", "number"), variant("square", "number"));
    let one = json!({"oneOf": [circle, square]});
    let narrowed = json!({"oneOf": [square, variant("circle", "integer")]});
    assert_eq!(input(&one, &narrowed), at("v", Kind::TypeNarrowed));
    let more = json!({"oneOf": [square, circle, variant("line", "number")]});
    assert_eq!(input(&one, &more), at("", Kind::EnumWidened));
    assert_eq!(input(&more, &one), at("", Kind::EnumNarrowed));
    let alone = object(json!({"v": {"type": "string"}}));
    let either = json!({"anyOf": [{"type": "null"}, {"type": "array"}, alone]});
    assert_eq!(input(&alone, &either)[0].0, Kind::TypeWidened);
    assert_eq!(input(&either, &alone)[0].0, Kind::TypeNarrowed);
    let objects = json!({"anyOf": [alone, object(json!({"w": {"type": "null"}}))]});
    assert_eq!(input(&objects, &alone)[0].0, Kind::EnumNarrowed);
}

#[test]
fn a_change_both_ways_is_called_by_the_way_that_breaks() {
    let kind = |old: &Value, new: &Value, direction| differences(old, new, direction)[0].kind;
    let (old, new) = (json!({"type": "string"}), json!({"type": "integer"}));
    assert_eq!(kind(&old, &new, Direction::Input), Kind::TypeNarrowed);
    assert_eq!(kind(&old, &new, Direction::Output), Kind::TypeWidened);
    let format = |name: &str| json!({"type": "string", "format": name});
    assert_eq!(kind(&format("uuid"), &format("date"), Direction::Input), Kind::FormatNarrowed);
    assert_eq!(kind(&format("uuid"), &format("date"), Direction::Output), Kind::FormatWidened);
}

#[test]
fn integer_formats_imply_their_bounds() {
    let of = |format: &str, low: i64, high: i64| json!({"type": "integer", "format": format, "minimum": low, "maximum": high});
    let (small, large) = (of("uint8", 0, 255), of("uint16", 0, 65535));
    assert_eq!(input(&small, &large), at("", Kind::IntegerFormatWidened));
    assert_eq!(input(&large, &small), at("", Kind::IntegerFormatNarrowed));
    let plain = |format: &str| json!({"type": "integer", "format": format});
    assert_eq!(input(&plain("uint64"), &plain("int64")), at("", Kind::IntegerFormatNarrowed));
    assert_eq!(input(&of("uint8", 0, 9), &of("uint8", 0, 5)), at("", Kind::ConstraintTightened));
    // A bound that the format implies stays implied when something else changes.
    let grown = json!({"a": {"type": "integer", "format": "uint", "minimum": 0}, "b": {}});
    let changes = input(&object(json!({"a": plain("uint")})), &object(grown));
    assert_eq!(changes, at("b", Kind::PropertyAdded));
}

#[test]
fn a_lost_description_counts_where_an_argument_loses_it() {
    let described = json!({"type": "string", "description": "words"});
    let plain = json!({"type": "string"});
    let property = |it: &Value| object(json!({"q": it}));
    assert_eq!(input(&property(&described), &property(&plain)), at("q", Kind::DescriptionRemoved));
    assert_eq!(input(&described, &plain), at("", Kind::DescriptionChanged));
    let shared = json!({"type": "object", "properties": {"q": {"$ref": "#/$defs/Q"}}, "$defs": {"Q": described}});
    assert_eq!(input(&property(&described), &shared), []);
}

/// Schemas of the kinds that servers write, small enough to meet each other.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": ["string", "null"]})),
        (0..3i64).prop_map(|low| json!({"type": "integer", "minimum": low})),
        prop::collection::btree_set(0..4u8, 1..3).prop_map(|set| json!({"enum": set})),
        Just(json!({"type": "string", "format": "uuid"})),
        Just(json!({"$ref": "#/properties/a"})),
        Just(json!(true)),
        Just(json!({"type": "boolean", "default": true})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let properties = prop::collection::btree_map("[abc]", inner.clone(), 0..3);
        prop_oneof![
            (properties, prop::bool::ANY, prop::option::of(inner.clone())).prop_map(
                |(properties, required, additional)| {
                    let names: Vec<&String> = properties.keys().filter(|_| required).collect();
                    let mut it =
                        json!({"type": "object", "properties": properties, "required": names});
                    if let Some(additional) = additional {
                        it["additionalProperties"] = additional;
                    }
                    it
                }
            ),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"anyOf": all})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"allOf": all})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"oneOf": all})),
            inner.prop_map(|it| json!({"not": it})),
        ]
    })
}

/// Puts `edit` in place of the schema that is met after `left` others.
fn edited(schema: &mut Value, edit: &Value, left: &mut usize) {
    if *left == 0 {
        *schema = edit.clone();
    }
    *left = left.wrapping_sub(1);
    match schema {
        Value::Object(map) if map.contains_key("properties") || map.contains_key("type") => {
            for (keyword, value) in map.iter_mut() {
                match (keyword.as_str(), value) {
                    ("properties", Value::Object(map)) => {
                        map.values_mut().for_each(|it| edited(it, edit, left));
                    }
                    ("items" | "additionalProperties", value) => edited(value, edit, left),
                    _ => {}
                }
            }
        }
        Value::Object(map) => {
            for value in map.values_mut() {
                match value {
                    Value::Array(list) => list.iter_mut().for_each(|it| edited(it, edit, left)),
                    Value::Object(_) => edited(value, edit, left),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

#[test]
fn an_object_that_declares_nothing_is_of_free_form_below_the_root() {
    let free = json!({"type": "object"});
    for limit in [
        json!({"maxProperties": 1}),
        json!({"minProperties": 2}),
        json!({"propertyNames": {"pattern": "^a"}}),
        json!({"patternProperties": {"^x": {"type": "integer"}}}),
        json!({"not": {"required": ["x"]}}),
        json!({"dependentRequired": {"a": ["b"]}}),
        json!({"if": {"required": ["k"]}, "then": {"required": ["z"]}}),
        json!({"properties": {"x": {"type": "integer"}}}),
    ] {
        let mut limited = limit;
        limited["type"] = json!("object");
        let [old, new] = [&free, &limited].map(|it| object(json!({"a": it})));
        let shown = differences(&old, &new, Direction::Input).into_iter().find_map(|it| it.witness);
        assert!(shown.is_some(), "{limited}");
        // A result promises nothing about undeclared names, but what it says of all of them.
        if limited.get("properties").is_none() {
            let shown = differences(&new, &old, Direction::Output);
            assert!(shown.iter().any(|change| change.witness.is_some()), "{limited}");
        }
    }
    let more = object(json!({"x": {"type": "integer"}}));
    assert_eq!(input(&free, &more), at("x", Kind::PropertyAdded), "a tool without arguments");
}

#[test]
fn each_side_is_read_in_its_own_dialect() {
    const DRAFT_04: &str = "http://json-schema.org/draft-04/schema#";
    const DRAFT_07: &str = "http://json-schema.org/draft-07/schema#";
    let kinds = |from: &str, leaf: Value, root: Value| {
        let mut old = object(json!({"a": leaf, "b": {"type": "integer"}}));
        old.as_object_mut().unwrap().extend(root.as_object().unwrap().clone());
        let new = old.clone();
        old["$schema"] = json!(from);
        input(&old, &new).into_iter().map(|it| it.0).collect::<Vec<_>>()
    };
    let nothing = || json!({});
    for (from, leaf, root, kind) in [
        (
            DRAFT_07,
            nothing(),
            json!({"dependentRequired": {"a": ["b"]}}),
            Kind::ConstraintTightened,
        ),
        (DRAFT_07, nothing(), json!({"unevaluatedProperties": false}), Kind::Closed),
        (DRAFT_07, json!({"items": [{"type": "integer"}]}), nothing(), Kind::Unproven),
        (DRAFT_04, json!({"minimum": 1, "exclusiveMinimum": true}), nothing(), Kind::Unproven),
        // To draft-04 that is `not: {}`: nothing could be sent.
        (DRAFT_04, json!({"not": {"const": 1}}), nothing(), Kind::Unproven),
    ] {
        assert_eq!(kinds(from, leaf, root), [kind], "{from} {kind:?}");
    }
    assert_eq!(kinds(DRAFT_07, json!({"type": "string"}), nothing()), []);
    // That is obeyed by validators of every draft.
    assert_eq!(kinds(DRAFT_07, nothing(), json!({"dependencies": {"a": ["b"]}})), []);
    let known = json!({"type": "object"});
    let unknown = json!({"$schema": "https://example.com/mine", "type": "object"});
    assert_eq!(dialect_move(&unknown, &known), std::cmp::Ordering::Less);
}

#[test]
fn what_every_variant_says_the_place_says() {
    let said = |of: &str| json!({"type": of, "description": "what it is"});
    let one = object(json!({"a": said("string")}));
    let both = object(json!({"a": {"anyOf": [said("string"), said("integer")]}}));
    assert_eq!(input(&one, &both), at("a", Kind::TypeWidened));
    let mut unsaid = both;
    unsaid["properties"]["a"]["anyOf"][1] = json!({"type": "integer"});
    assert!(input(&one, &unsaid).contains(&(Kind::DescriptionRemoved, "a".to_owned())));
}

/// A list of one value is written with one description, which is that of the value.
#[test]
fn a_description_of_a_value_is_not_lost_where_the_list_grows_or_shrinks() {
    let one = json!({"const": "a", "description": "A."});
    let two = json!({"oneOf": [one, {"const": "b", "description": "B."}]});
    let [one, two] = [one, two].map(|it| object(json!({"p": it})));
    assert_eq!(input(&one, &two), at("p", Kind::EnumWidened));
    assert_eq!(input(&two, &one), at("p", Kind::EnumNarrowed));
    let told = object(json!({"p": {"oneOf": [
        {"const": "a", "description": "First."}, {"const": "b", "description": "B."},
    ]}}));
    let reworded = (Kind::DescriptionChanged, "p".to_owned());
    assert_eq!(input(&one, &told), [reworded.clone(), (Kind::EnumWidened, "p".to_owned())]);
    assert_eq!(input(&told, &one), [reworded, (Kind::EnumNarrowed, "p".to_owned())]);
    let [one, two] = [one, two].map(|mut it| {
        let leaf = it["properties"]["p"].take();
        json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/E", "description": "P."}},
            "$defs": {"E": leaf}})
    });
    assert_eq!(input(&two, &one), at("p", Kind::EnumNarrowed));
    let bare = object(json!({"p": {"enum": ["a", "b"]}}));
    let told = object(json!({"p": {"const": "a", "description": "A."}}));
    assert!(input(&told, &bare).contains(&(Kind::DescriptionRemoved, "p".to_owned())));
}

#[test]
fn a_union_of_types_is_a_list_of_types() {
    let union = json!({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]});
    let list = |names: Value| object(json!({"p": {"type": names}, "q": {}}));
    let union = object(json!({"p": union, "q": {"type": "string"}}));
    assert_eq!(
        input(&union, &list(json!(["string", "null", "integer"]))),
        at("q", Kind::TypeWidened)
    );
    let narrowed = input(&union, &list(json!(["string", "null"])));
    assert!(narrowed.contains(&(Kind::TypeNarrowed, "p".to_owned())), "{narrowed:?}");
}

#[test]
fn what_is_said_of_items_that_nobody_can_send_is_no_change() {
    let schema = |most: u64, item: &str, other: &str| {
        let list = json!({"type": "array", "maxItems": most, "prefixItems": [{"type": item}],
            "items": {"type": item}});
        object(json!({"list": list, "x": {"type": other}}))
    };
    let (old, new) = (schema(0, "integer", "string"), schema(0, "string", "integer"));
    assert_eq!(input(&old, &new), at("x", Kind::TypeNarrowed));
    let (old, new) = (schema(1, "integer", "string"), schema(0, "string", "string"));
    assert!(input(&old, &new).contains(&(Kind::TypeNarrowed, "list[0]".to_owned())));
}

/// Only what is declared beside all variants is still declared where one no longer names it.
#[test]
fn what_is_declared_beside_variants_is_not_removed_with_one_of_them() {
    let schema = |beside: Value, variant: Value| {
        let variants = json!([
            {"properties": variant, "required": ["a"]},
            {"properties": {"b": {}, "x": {}}, "required": ["b"]},
        ]);
        object(json!({"p": {"type": "object", "properties": beside, "anyOf": variants}}))
    };
    let (beside, with, without) =
        (json!({"x": {}}), json!({"a": {}, "x": {"type": "integer"}}), json!({"a": {}}));
    let (old, new) = (schema(beside.clone(), with.clone()), schema(beside, without.clone()));
    assert_eq!(input(&old, &new), at("p.x", Kind::TypeWidened));
    assert_eq!(input(&new, &old)[0], (Kind::TypeNarrowed, "p.x".to_owned()));
    let (old, new) = (schema(json!({}), with), schema(json!({}), without));
    assert_eq!(input(&old, &new), at("p.x", Kind::PropertyRemoved));
}

#[test]
fn a_list_beside_null_is_found_where_it_is_written() {
    let schema = |values: Value| {
        let optional = json!({"anyOf": [{"$ref": "#/$defs/D"}, {"type": "null"}]});
        json!({"type": "object", "properties": {"d": optional}, "$defs": {"D": {"enum": values}}})
    };
    let (old, new) = (schema(json!(["a", "b"])), schema(json!(["a"])));
    let changes = differences(&old, &new, Direction::Input);
    assert_eq!(changes[0].pointer, "/$defs/D");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_schema_against_itself_is_silent(schema in schema()) {
        let changes = differences(&schema, &schema, Direction::Input);
        prop_assert!(changes.iter().all(|it| matches!(it.kind, Kind::Unproven | Kind::Reworded)), "{changes:?}");
    }

    /// The walk alone, before containment looks at it: where it names nothing that breaks, no
    /// sampled call of the old schema is refused by the new one.
    #[test]
    fn the_walk_overlooks_no_refused_call(old in schema(), edit in schema(), at in 0..12usize) {
        let mut new = old.clone();
        edited(&mut new, &edit, &mut { at });
        let (old, new) = (json!({"properties": {"a": old}}), json!({"properties": {"a": new}}));
        let (before, after) = (Document::new(&old), Document::new(&new));
        let breaks = |change: &Change| !matches!(
            change.kind,
            Kind::PropertyAdded | Kind::RequiredRemoved | Kind::TypeWidened | Kind::EnumWidened
                | Kind::ConstraintLoosened | Kind::FormatWidened | Kind::DefaultAdded | Kind::Opened
                | Kind::Reworded
        );
        let changes = walk::walk(&before, &after, Direction::Input).changes;
        let readings = (
            containment::read(&before, &before.root(), containment::World::Closed),
            containment::read(&after, &after.root(), containment::World::Open),
        );
        if let ((Some(inner), Some(outer)), false) = (readings, changes.iter().any(breaks)) {
            let budget = containment::Budget::new(1_000_000);
            let doubt = containment::Doubt::of(inner.clone(), outer.clone(), &budget);
            let values = containment::sample::values(&inner, &budget);
            let refused = doubt.and_then(|doubt| doubt.shown_by(&values));
            prop_assert_eq!(refused, None, "{} {} {:?}", old, new, changes);
        }
    }
}
