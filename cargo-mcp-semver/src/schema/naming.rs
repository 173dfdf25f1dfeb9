//! What a change is called, and where it is said to be.

use serde_json::{Value, json};

use super::tests::{at, input, object};
use super::*;

/// Parts of a conjunction that cannot be made one schema are compared one by one.
#[test]
fn every_part_of_a_conjunction_is_compared() {
    let parts = |words: &str, longest: u64| {
        json!({"type": "string", "allOf": [
            {"maxLength": 20, "description": "One."},
            {"maxLength": longest, "minLength": 1, "description": words},
        ]})
    };
    let [old, longer, told] = [parts("Two.", 9), parts("Two.", 12), parts("Three.", 9)];
    assert_eq!(input(&old, &longer), at("", Kind::ConstraintLoosened));
    assert_eq!(input(&longer, &old), at("", Kind::ConstraintTightened));
    assert_eq!(input(&old, &told), at("", Kind::DescriptionChanged));
    let mut fewer = old.clone();
    fewer["allOf"].as_array_mut().unwrap().pop();
    assert!(input(&old, &fewer).contains(&at("", Kind::ConstraintLoosened)[0]));
    assert!(input(&fewer, &old).contains(&at("", Kind::ConstraintTightened)[0]));
}

#[test]
fn a_limit_that_comes_or_goes_is_called_so_in_either_direction() {
    let plain = || json!({"type": ["string", "number"]});
    for (limit, what, tightened, loosened) in [
        (json!({"pattern": "^a"}), "pattern", Kind::ConstraintTightened, Kind::ConstraintLoosened),
        (
            json!({"multipleOf": 2}),
            "step (`multipleOf`)",
            Kind::ConstraintTightened,
            Kind::ConstraintLoosened,
        ),
        (json!({"format": "uuid"}), "format", Kind::FormatNarrowed, Kind::FormatWidened),
    ] {
        let mut limited = plain();
        limited.as_object_mut().unwrap().extend(limit.as_object().unwrap().clone());
        for direction in [Direction::Input, Direction::Output] {
            let told = |old: &Value, new: &Value| {
                let change = differences(old, new, direction).remove(0);
                (change.kind, change.detail)
            };
            let value = limit.as_object().unwrap().values().next().unwrap();
            let added = format!("has a {what} now: {value}");
            assert_eq!(told(&plain(), &limited), (tightened, added), "{direction:?}");
            let dropped = format!("has no {what} any more");
            assert_eq!(told(&limited, &plain()), (loosened, dropped), "{direction:?}");
        }
    }
    let step = |step: u8| json!({"type": "integer", "multipleOf": step});
    let kind = |old, new, direction| differences(&step(old), &step(new), direction)[0].kind;
    for (old, new, input, output) in [
        (2, 4, Kind::ConstraintTightened, Kind::ConstraintTightened),
        (4, 2, Kind::ConstraintLoosened, Kind::ConstraintLoosened),
        (4, 6, Kind::ConstraintTightened, Kind::ConstraintLoosened),
    ] {
        assert_eq!(kind(old, new, Direction::Input), input, "{old} {new}");
        assert_eq!(kind(old, new, Direction::Output), output, "{old} {new}");
    }
}

#[test]
fn what_is_said_of_undeclared_names_counts_beside_anything() {
    let either = |leaf: Value| {
        json!({"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": leaf,
               "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})
    };
    let text = json!({"type": "string"});
    let number = json!({"type": "integer"});
    assert_eq!(input(&either(text.clone()), &either(number.clone())), at("*", Kind::TypeNarrowed));
    let map = |leaf: &Value| json!({"type": "object", "additionalProperties": leaf});
    let change = differences(&map(&text), &map(&number), Direction::Output).remove(0);
    assert_eq!((change.kind, change.path.as_str()), (Kind::TypeWidened, "*"));
    let (closed, more) = (
        json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
        json!({"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": false}),
    );
    let changes = differences(&closed, &more, Direction::Output);
    assert_eq!(changes.iter().map(|it| it.kind).collect::<Vec<_>>(), [Kind::PropertyAdded]);
}

#[test]
fn a_limit_that_something_else_implies_is_no_change_of_values() {
    let text = |limits: Value| {
        let mut text = json!({"type": "string", "pattern": "^a$"});
        text.as_object_mut().unwrap().extend(limits.as_object().unwrap().clone());
        text
    };
    let (plain, limited) = (text(json!({})), text(json!({"maxLength": 5})));
    assert_eq!(input(&limited, &plain), at("", Kind::Reworded));
    assert_eq!(input(&plain, &limited), at("", Kind::Reworded));
}

#[test]
fn values_that_are_gone_are_named_as_far_as_that_can_be_read() {
    let list = |count: u8| json!({"enum": (0..count).collect::<Vec<_>>()});
    let told = |old: u8| differences(&list(old), &list(1), Direction::Input).remove(0).detail;
    assert_eq!(told(2), "no longer has 1 among its values");
    assert_eq!(told(4), "no longer has 1, 2 and 3 among its values");
    assert_eq!(told(9), "no longer has 1, 2, 3, 4, 5, 6, 7 and 8 among its values");
    assert_eq!(told(10), "no longer has 1, 2, 3, 4, 5, 6 and 3 more among its values");
}

#[test]
fn variants_that_are_named_anew_line_up_by_their_types() {
    let union = |names: [&str; 2], leaf: &str| {
        let leaf = json!({"type": leaf});
        json!({"anyOf": [
            {"title": names[0], "type": "array", "items": leaf},
            {"title": names[1], "type": "object", "properties": {"a": leaf}},
        ]})
    };
    let changes = input(&union(["Tags", "Map"], "string"), &union(["Labels", "Table"], "integer"));
    for path in ["[]", "a"] {
        assert!(changes.contains(&at(path, Kind::TypeNarrowed)[0]), "{changes:?}");
    }
    assert!(!changes.iter().any(|(kind, _)| *kind == Kind::EnumNarrowed), "{changes:?}");
}

#[test]
fn a_change_is_anchored_at_the_keyword_that_differs() {
    let text = |more: Value| {
        let mut text = json!({"type": "string"});
        text.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"q": text, "n": {"type": "integer"}})
    };
    let plain = text(json!({}));
    for (old, new, anchor) in [
        (
            text(json!({"description": "One."})),
            text(json!({"description": "Two."})),
            Some("/q/description"),
        ),
        (text(json!({"title": "One"})), text(json!({"title": "Two"})), Some("/q/title")),
        (text(json!({"default": "a"})), text(json!({"default": "b"})), Some("/q/default")),
        (plain.clone(), text(json!({"default": "b"})), Some("/q/default")),
        (text(json!({"default": "b"})), plain.clone(), Some("/q")),
        (text(json!({"maxLength": 9})), text(json!({"maxLength": 5})), None),
        (text(json!({"maxLength": 9})), plain.clone(), Some("/q")),
        (plain.clone(), json!({"n": plain["n"], "query": plain["q"]}), Some("/query")),
        (plain.clone(), json!({"n": plain["n"]}), Some("")),
    ] {
        let inside =
            |properties: Value| json!({"type": "object", "properties": {"in": object(properties)}});
        let change = differences(&inside(old), &inside(new.clone()), Direction::Input).remove(0);
        let below = |anchor: &str| match anchor {
            "" => "/properties/in".to_owned(),
            _ => format!("/properties/in/properties{anchor}"),
        };
        assert_eq!(change.anchor(), anchor.map(below), "{new}");
    }
}

#[test]
fn a_keyword_or_a_requirement_that_comes_or_goes_says_which_way() {
    let told = |old: &Value, new: &Value| differences(old, new, Direction::Input).remove(0);
    let plain = json!({"type": "string"});
    let limited = json!({"type": "string", "not": {"const": "a"}});
    assert_eq!(told(&plain, &limited).detail, "has `not` now");
    assert_eq!(told(&limited, &plain).detail, "has no `not` any more");
    let optional = object(json!({"a": {}}));
    let mut required = optional.clone();
    required["required"] = json!(["a"]);
    for (old, new, is) in [(&optional, &required, true), (&required, &optional, false)] {
        let change = told(old, new);
        assert_eq!((change.old, change.new), (Some((!is).into()), Some(is.into())), "{new}");
    }
}

#[test]
fn a_wide_schema_is_compared_to_its_end() {
    let wide = |leaf: &str| {
        let each = (0..90).map(|it| (format!("p{it}"), object(json!({"x": {"type": leaf}}))));
        object(Value::Object(each.collect()))
    };
    let changes = input(&wide("string"), &wide("integer"));
    assert_eq!(changes.len(), 90);
    assert!(changes.iter().all(|(kind, _)| *kind == Kind::TypeNarrowed), "{changes:?}");
}

#[test]
fn a_variant_that_is_a_definition_is_still_that_definition_when_it_is_the_last() {
    let both = json!({"anyOf": [{"$ref": "#/$defs/D"}, {"type": "integer"}]});
    let with = |union: &Value, definition: Value| {
        json!({"type": "object", "properties": {"p": union, "q": {"$ref": "#/$defs/D"}},
               "$defs": {"D": definition}})
    };
    let tagged = |tag: &str| json!({"type": "object", "required": ["k"], "properties": {"k": {"const": tag}}});
    let text = json!({"type": "string"});
    for (wide, narrow) in [
        (json!({"anyOf": [text, {"type": "boolean"}]}), text.clone()),
        (json!({"oneOf": [tagged("a"), tagged("b")]}), json!({"oneOf": [tagged("a")]})),
        (json!({"oneOf": [tagged("a"), tagged("b"), text]}), json!({"oneOf": [tagged("a"), text]})),
    ] {
        for last in [json!({"anyOf": [{"$ref": "#/$defs/D"}]}), json!({"$ref": "#/$defs/D"})] {
            let (wide, narrow) = (with(&both, wide.clone()), with(&last, narrow.clone()));
            let shrunk = differences(&wide, &narrow, Direction::Input);
            let grown = differences(&narrow, &wide, Direction::Output);
            for changes in [shrunk, grown] {
                let told: Vec<_> =
                    changes.iter().map(|it| (it.path.as_str(), it.uses.concat())).collect();
                assert_eq!(told, [("p", String::new()), ("q", "p".to_owned())], "{changes:#?}");
                assert!(changes.iter().all(|it| it.witness.is_some()), "{changes:#?}");
            }
        }
    }
}

/// Whatever carries a schema, a change inside is called what it is called anywhere.
#[test]
fn what_a_keyword_carries_is_called_what_it_is() {
    type Carrier = fn(Value) -> Value;
    let carriers: &[(&str, Carrier)] = &[
        ("*", |it| json!({"type": "object", "patternProperties": {"^x-": it}})),
        ("*", |it| json!({"type": "object", "properties": {"a": {}}, "unevaluatedProperties": it})),
        ("[]", |it| json!({"type": "array", "prefixItems": [{}], "unevaluatedItems": it})),
        ("[]", |it| json!({"type": "array", "contains": it})),
        ("a[]", |it| object(json!({"a": {"type": "array", "contains": it, "minContains": 2}}))),
        ("p", |it| {
            let part = json!({"properties": {"p": it}});
            json!({"type": "object", "if": {"required": ["k"]}, "then": part})
        }),
        ("p", |it| {
            let part = json!({"properties": {"p": it}});
            json!({"type": "object", "if": {"required": ["k"]}, "then": true, "else": part})
        }),
        ("p", |it| {
            let part = json!({"properties": {"p": it}});
            json!({"type": "object", "properties": {"k": {}}, "dependentSchemas": {"k": part}})
        }),
        ("", |it| json!({"type": "object", "propertyNames": it})),
    ];
    let described = |text: &str| json!({"type": "string", "description": text});
    for (old, new, kind) in [
        (json!({"enum": ["a", "b"]}), json!({"enum": ["a"]}), Kind::EnumNarrowed),
        (
            json!({"type": "string"}),
            json!({"type": "string", "format": "uuid"}),
            Kind::FormatNarrowed,
        ),
        (
            json!({"type": "string", "default": "a"}),
            json!({"type": "string", "default": "b"}),
            Kind::DefaultChanged,
        ),
        (described("One."), described("Two."), Kind::DescriptionChanged),
    ] {
        for (place, make) in carriers {
            let (old, new) = (make(old.clone()), make(new.clone()));
            let [before, after] = Document::pair(&old, &new);
            let changes = walk::walk(&before, &after, Direction::Input).changes;
            let told = changes.iter().map(|it| (it.kind, it.path.as_str()));
            assert_eq!(told.collect::<Vec<_>>(), [(kind, *place)], "{old} {new} {changes:?}");
        }
    }
}

/// Where less inside may be more outside, no rule's grade is right.
#[test]
fn what_turns_a_schema_round_is_left_unproven() {
    for make in [
        (|it| json!({ "not": it })) as fn(Value) -> Value,
        |it| json!({"if": it, "then": {"minLength": 3}}),
        |it| json!({"type": "array", "contains": it, "maxContains": 2}),
    ] {
        let (old, new) = (make(json!({"type": "number"})), make(json!({"type": "integer"})));
        let [before, after] = Document::pair(&old, &new);
        let changes = walk::walk(&before, &after, Direction::Input).changes;
        let kinds: Vec<Kind> = changes.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [Kind::Unproven], "{old}");
    }
}

#[test]
fn a_name_is_kept_where_nothing_speaks_against_it() {
    let told = |old: &str, new: &str| {
        let property = |it: &str| json!({"type": "string", "description": it});
        let [old, new] = [json!({"q": property(old)}), json!({"text": property(new)})].map(object);
        differences(&old, &new, Direction::Input)[0].detail.clone()
    };
    assert_eq!(told("Words to look for.", "The words to look for."), "was renamed to `text`");
    assert_eq!(told("", "The words to look for."), "was renamed to `text`");
    assert_eq!(told("Words to look for.", "Identifier of the page."), "was removed");
}
