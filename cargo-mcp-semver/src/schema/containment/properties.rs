//! The prover against values that it has not seen.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::schema::document::Document;

/// Small values, so that schemas over the same few names and texts meet them.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        prop::sample::select(vec![json!(null), json!(true), json!(false)]),
        prop::sample::select(vec![json!(-1), json!(0), json!(1), json!(1.5), json!(2), json!(6)]),
        prop::sample::select(vec![json!(""), json!("a"), json!("ab"), json!("b1"), json!("\n")]),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("a|b|ab|c", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn schema() -> impl Strategy<Value = Value> {
    let names = || prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 0..3);
    let pattern = || prop::sample::select(vec!["^a", "b$", "^[ab]+$", "^.$", "^(a|b1)?$", "\\d"]);
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        prop::sample::select(vec!["null", "boolean", "string", "integer", "number", "array", "object"])
            .prop_map(|name| json!({"type": name})),
        Just(json!({"type": ["string", "null"]})),
        value().prop_map(|it| json!({"const": it})),
        prop::collection::vec(value(), 0..4).prop_map(|all| json!({"enum": all})),
        (0..3u8, 0..4u8).prop_map(|(low, high)| json!({"minLength": low, "maxLength": high})),
        (-1..3i8).prop_map(|low| json!({"minimum": low})),
        (-1..3i8).prop_map(|high| json!({"exclusiveMaximum": high})),
        prop::sample::select(vec![json!(1), json!(2), json!(1.5), json!(3)])
            .prop_map(|step| json!({"multipleOf": step})),
        pattern().prop_map(|it| json!({"type": "string", "pattern": it})),
        (0..3u8, 0..3u8).prop_map(|(low, high)| json!({"minItems": low, "maxItems": high})),
        (0..3u8, 0..3u8).prop_map(|(low, high)| json!({"minProperties": low, "maxProperties": high})),
        names().prop_map(|names| json!({"type": "object", "required": names})),
        (names(), names()).prop_map(|(one, other)| {
            json!({"dependentRequired": one.into_iter().map(|it| (it.to_owned(), json!(other))).collect::<serde_json::Map<_, _>>()})
        }),
        Just(json!({"uniqueItems": true})),
        Just(json!({"$ref": "#/$defs/D"})),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let list = || prop::collection::vec(inner.clone(), 1..4);
        let map = || prop::collection::btree_map("a|b|c", inner.clone(), 0..3);
        prop_oneof![
            list().prop_map(|all| json!({"allOf": all})),
            list().prop_map(|all| json!({"anyOf": all})),
            list().prop_map(|all| json!({"oneOf": all})),
            inner.clone().prop_map(|it| json!({"not": it})),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| json!({"if": a, "then": b, "else": c})),
            (map(), inner.clone(), names())
                .prop_map(|(map, rest, required)| json!({"properties": map, "additionalProperties": rest, "required": required})),
            (map(), pattern(), inner.clone())
                .prop_map(|(map, pattern, it)| json!({"properties": map, "patternProperties": {pattern: it}})),
            inner.clone().prop_map(|it| json!({"propertyNames": it})),
            map().prop_map(|map| json!({"dependentSchemas": map})),
            (list(), inner.clone()).prop_map(|(prefix, rest)| json!({"prefixItems": prefix, "items": rest})),
            (inner.clone(), 0..3u8, 0..3u8)
                .prop_map(|(it, min, max)| json!({"contains": it, "minContains": min, "maxContains": max})),
            (map(), inner.clone())
                .prop_map(|(map, rest)| json!({"properties": map, "unevaluatedProperties": rest})),
            (list(), inner.clone())
                .prop_map(|(all, rest)| json!({"anyOf": all, "unevaluatedItems": rest})),
        ]
    })
}

/// With a definition that may refer to itself, one level down.
fn whole() -> impl Strategy<Value = Value> {
    (schema(), schema()).prop_map(|(mut body, definition)| {
        let definition = json!({"type": ["object", "string"], "properties": {"a": definition, "b": {"$ref": "#/$defs/D"}}});
        if let Value::Object(map) = &mut body {
            map.insert("$defs".to_owned(), json!({"D": definition}));
        }
        body
    })
}

/// `schema` with one more or one less assertion, so that pairs are near each other.
fn near() -> impl Strategy<Value = (Value, Value)> {
    (whole(), whole(), 0..6u8).prop_map(|(one, other, how)| {
        let definitions = one.get("$defs").cloned().unwrap_or_else(|| json!({"D": true}));
        let bare = |schema: &Value| {
            let mut schema = schema.clone();
            schema.as_object_mut().map(|map| map.remove("$defs"));
            schema
        };
        let (a, b) = (bare(&one), bare(&other));
        let mut near = match how {
            0 => json!({"allOf": [a, b]}),
            1 => json!({"anyOf": [a, b]}),
            2 => json!({"oneOf": [b, a]}),
            3 => json!({"not": {"not": a}}),
            4 => json!({"allOf": [a, {"not": b}]}),
            _ => b,
        };
        if let Value::Object(map) = &mut near {
            map.insert("$defs".to_owned(), definitions);
        }
        (one, near)
    })
}

fn budget() -> Budget {
    Budget::new(2_000_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_contained_is_never_refuted(
        (one, other) in near(),
        values in prop::collection::vec(value(), 40),
    ) {
        for (inner, outer) in [(&one, &other), (&other, &one)] {
            let budget = budget();
            match decide(inner.clone(), outer.clone(), &budget) {
                Answer::Contained => {
                    let Some(doubt) = Doubt::of(inner.clone(), outer.clone(), &budget) else { continue };
                    let mut tried = values.clone();
                    tried.extend(sample::values(inner, &budget));
                    tried.extend(sample::constants(outer).into_iter().cloned());
                    prop_assert_eq!(doubt.shown_by(&tried), None, "{} {}", inner, outer);
                }
                Answer::Refuted(value) => {
                    let doubt = Doubt::of(inner.clone(), outer.clone(), &budget).unwrap();
                    prop_assert!(doubt.is_settled_by(&value));
                }
                Answer::Unknown => {}
            }
        }
    }

    /// Whoever sends a value sends no more than is accepted literally, and whoever reads one
    /// refuses no more.
    #[test]
    fn no_reading_goes_beyond_the_letter(
        schema in whole(),
        values in prop::collection::vec(value(), 40),
    ) {
        let budget = budget();
        let document = Document::new(&schema);
        let read = |world| read(&document, &document.root(), world);
        let pairs = [
            (World::Declared, World::Open),
            (World::Closed, World::Open),
            (World::Open, World::Tolerant),
        ];
        for (inner, outer) in pairs.map(|(inner, outer)| (read(inner), read(outer))) {
            let (Some(inner), Some(outer)) = (inner, outer) else { continue };
            let Some(doubt) = Doubt::of(inner.clone(), outer.clone(), &budget) else { continue };
            let mut tried = values.clone();
            tried.extend(sample::values(&inner, &budget));
            prop_assert_eq!(doubt.shown_by(&tried), None, "{} {}", inner, outer);
        }
    }

    #[test]
    fn every_run_decides_alike((one, other) in near()) {
        let answer = || decide(one.clone(), other.clone(), &budget());
        prop_assert_eq!(answer(), answer());
    }
}
