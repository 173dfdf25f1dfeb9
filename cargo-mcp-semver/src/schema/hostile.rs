//! Schemas that are meant to take long, or that machines write.

use serde_json::{Map, Value, json};

use super::*;

/// A schema of so many parts, with a type somewhere in it.
type Maker = fn(&str) -> Value;

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn chain(length: usize, leaf: &str) -> Value {
    let link = |n: usize| object(json!({"a": reference(&format!("c{}", n + 1))}));
    let mut definitions: Map<String, Value> =
        (0..length).map(|n| (format!("c{n}"), link(n))).collect();
    definitions.insert(format!("c{length}"), json!({"type": leaf}));
    json!({"$ref": "#/$defs/c0", "$defs": definitions})
}

/// Definitions of which each uses the next one several times, as `link` says.
fn doubling(link: fn(Value) -> Value, leaf: &str) -> Value {
    let mut definitions: Map<String, Value> =
        (0..40).map(|n| (format!("d{n}"), link(reference(&format!("d{}", n + 1))))).collect();
    definitions.insert("d40".into(), json!({"type": leaf}));
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

fn variants(union: &str, leaf: &str) -> Value {
    let variant =
        |n| json!({"properties": {"v": {"type": leaf}, format!("f{n}"): {"minLength": n}}});
    json!({ union: (0..200).map(variant).collect::<Vec<_>>() })
}

/// Definitions that refer to each other, each through several keywords.
fn web(leaf: &str, union: &str) -> Value {
    let node = |n: usize| {
        let next = |by: usize| reference(&format!("n{}", (n * 7 + by) % 30));
        let way = |by: usize| json!({"properties": {"a": next(by), "b": next(by + 1)}});
        json!({ union: [way(1), way(2), {"type": leaf}, {"items": next(3)}] })
    };
    let definitions: Map<String, Value> = (0..30).map(|n| (format!("n{n}"), node(n))).collect();
    json!({"$ref": "#/$defs/n0", "$defs": definitions})
}

fn pattern(pattern: &str, leaf: &str) -> Value {
    object(json!({"p": {"type": "string", "pattern": format!("{pattern}{leaf}")}}))
}

/// Variants of a tag each.
fn tagged(union: &str, count: usize, leaf: &str) -> Value {
    let variant = |n: usize| {
        json!({"type": "object", "required": ["t"],
               "properties": {"t": {"const": n}, "v": {"type": leaf}}})
    };
    json!({ union: (0..count).map(variant).collect::<Vec<_>>() })
}

/// Definitions each of which is any of the others, one of them with a type in it.
fn any_of_all(size: usize, leaf: &str) -> Value {
    let definition = |n: usize| {
        let others = (0..size).filter(|other| *other != n).map(|n| reference(&format!("d{n}")));
        let kind = if n == size / 2 { leaf } else { "string" };
        let own = object(json!({format!("p{n}"): {"type": kind}}));
        let any: Vec<Value> = others.chain([own]).collect();
        (format!("d{n}"), json!({ "anyOf": any }))
    };
    json!({"$ref": "#/$defs/d0", "$defs": (0..size).map(definition).collect::<Map<_, _>>()})
}

const NESTED: &[(&str, Maker)] = &[
    ("nested objects", |leaf| {
        (0..60).fold(json!({"type": leaf}), |it, _| object(json!({"a": it})))
    }),
    ("nested arrays", |leaf| (0..90).fold(json!({"type": leaf}), |it, _| json!({"items": it}))),
    ("nested negations", |leaf| (0..91).fold(json!({"type": leaf}), |it, _| json!({"not": it}))),
    ("conditions", |leaf| {
        (0..60).fold(json!({"type": leaf}), |it, n| {
            json!({"if": {"properties": {"k": {"const": n}}}, "then": {"required": [format!("p{n}")]}, "else": it})
        })
    }),
    ("dependent schemas", |leaf| {
        let next =
            |n: usize| (format!("p{n}"), object(json!({format!("p{}", n + 1): {"type": leaf}})));
        json!({"dependentSchemas": (0..60).map(next).collect::<Map<_, _>>()})
    }),
    ("what was not evaluated", |leaf| {
        (0..12).fold(json!({"type": leaf}), |it, n| {
            json!({"anyOf": [it, {"properties": {format!("p{n}"): it}}], "unevaluatedProperties": false})
        })
    }),
    ("50 objects in each other by long names", |leaf| {
        let name = "k".repeat(20_000);
        (0..50).fold(json!({"type": leaf}), |it, _| object(json!({ name.as_str(): it })))
    }),
];

const DOUBLING: &[(&str, Maker)] = &[
    ("doubling conjunctions", |leaf| {
        doubling(|next| json!({"allOf": [next, next], "anyOf": [next, next]}), leaf)
    }),
    ("doubling unions", |leaf| {
        doubling(|next| json!({"anyOf": [{"items": next}, {"minItems": 1, "items": next}]}), leaf)
    }),
    ("doubling exclusive unions", |leaf| {
        doubling(|next| json!({"oneOf": [next, {"minimum": 1}, {"not": next}]}), leaf)
    }),
];

const LONG: &[(&str, Maker)] = &[
    ("10,000 properties", |leaf| {
        let property = |n| (format!("p{n}"), json!({"type": leaf, "minLength": n}));
        object((0..10_000).map(property).collect())
    }),
    ("one of 10,000 properties", |leaf| {
        let kind = |n| if n == 7_777 { leaf } else { "boolean" };
        object((0..10_000).map(|n| (format!("p{n}"), json!({"type": kind(n)}))).collect())
    }),
    ("10,000 properties with other names", |leaf| {
        let property = |n| (format!("{leaf}{n}"), json!({"type": "integer", "format": "int64"}));
        object((0..10_000).map(property).collect())
    }),
    ("5,000 required properties", |leaf| {
        let names: Vec<String> = (0..5_000).map(|n| format!("p{n}")).collect();
        json!({"type": "object", "required": names, "additionalProperties": {"type": leaf}})
    }),
    ("5,000 listed objects", |leaf| {
        let listed: Vec<Value> = (0..5_000).map(|n| json!({"a": n, "is": leaf})).collect();
        json!({ "enum": listed })
    }),
    (
        "5,000 listed values",
        |leaf| json!({"enum": (0..5_000).map(|n| format!("{leaf}{n}")).collect::<Vec<_>>()}),
    ),
    ("counted items of a tuple of 500", |leaf| {
        let item = |n: usize| json!({"type": ["string", leaf], "minLength": n});
        let counted = |n: usize| {
            let least = 1 + n % 3 + leaf.len() % 2;
            json!({"contains": {"type": "integer", "minimum": n}, "minContains": least, "maxContains": 3 + n})
        };
        json!({"type": "array", "prefixItems": (0..500).map(item).collect::<Vec<_>>(),
            "allOf": (0..200).map(counted).collect::<Vec<_>>()})
    }),
    (
        "a tuple of 2,000 items",
        |leaf| json!({"prefixItems": (0..2_000).map(|n| json!({"type": leaf, "minimum": n})).collect::<Vec<_>>(), "minItems": 2_000}),
    ),
    ("long texts and lists", |leaf| {
        json!({"minLength": 1_000_000_000, "minItems": 1_000_000_000, "items": {"type": leaf},
               "minProperties": 1_000_000_000, "contains": {"type": leaf}, "minContains": 900_000})
    }),
    ("numbers at the edge", |leaf| {
        json!({"allOf": [{"multipleOf": 1e-17}, {"multipleOf": 7e17}, {"minimum": -1e300},
            {"exclusiveMaximum": 1.7976931348623157e308}, {"not": {"multipleOf": 3.3e-9}}, {"type": [leaf, "number"]}]})
    }),
    ("20,000 listed objects, of which one is another", |leaf| {
        let listed = (0..20_000).map(|n| json!({"a": n + leaf.len()}));
        json!({ "enum": listed.collect::<Vec<_>>() })
    }),
    ("names of one place declared in 60 parts", |leaf| {
        let part = |n: usize| {
            let kind = if n == 0 { json!({"type": leaf}) } else { json!({}) };
            object(json!({"n": {"properties": {format!("v{n}"): kind}}}))
        };
        json!({"allOf": (0..60).map(part).collect::<Vec<_>>()})
    }),
    ("5,000 conditions beside each other", |leaf| {
        let part = |n: usize| {
            let then = format!("{leaf}{n}");
            json!({"if": {"required": [format!("a{n}")]}, "then": {"required": [then]}})
        };
        json!({"allOf": (0..5_000).map(part).collect::<Vec<_>>()})
    }),
];

const UNIONS: &[(&str, Maker)] = &[
    ("200 tagged variants", |leaf| tagged("oneOf", 200, leaf)),
    ("200 variants that overlap", |leaf| variants("anyOf", leaf)),
    ("200 exclusive variants that overlap", |leaf| variants("oneOf", leaf)),
    ("200 parts", |leaf| variants("allOf", leaf)),
    ("a conjunction of unions", |leaf| {
        let union = |n: usize| {
            let way = |m: usize| json!({"properties": {format!("p{n}"): {"minLength": m}, format!("q{m}"): {"type": leaf}}});
            json!({"anyOf": [way(1), way(2), way(3)]})
        };
        json!({"type": "object", "allOf": (0..30).map(union).collect::<Vec<_>>()})
    }),
    ("a conjunction of exclusive unions of numbers", |leaf| {
        let union =
            |n: usize| json!({"oneOf": [{"multipleOf": n + 2}, {"minimum": n}, {"type": leaf}]});
        json!({"allOf": (0..30).map(union).collect::<Vec<_>>()})
    }),
    ("3,000 tagged variants", |leaf| tagged("oneOf", 3_000, leaf)),
    (
        "20,000 times one variant",
        |leaf| json!({"anyOf": vec![reference("a"); 20_000], "$defs": {"a": {"type": leaf}}}),
    ),
];

const REFERENCES: &[(&str, Maker)] = &[
    ("a chain of 300 definitions", |leaf| chain(300, leaf)),
    ("a chain of 95 definitions", |leaf| chain(95, leaf)),
    ("a web of unions", |leaf| web(leaf, "anyOf")),
    ("a web of exclusive unions", |leaf| web(leaf, "oneOf")),
    ("a web of conjunctions", |leaf| web(leaf, "allOf")),
    (
        "a reference to itself",
        |leaf| json!({"anyOf": [{"$ref": "#"}, {"allOf": [{"$ref": "#"}, {"type": leaf}]}]}),
    ),
    ("definitions that lead to themselves and nowhere", |leaf| {
        let node = |n: usize| {
            let next = |by: usize| reference(&format!("n{}", (n * 7 + by) % 60));
            (
                format!("n{n}"),
                json!({"anyOf": [next(0), next(1), next(2), next(3), {"type": leaf}]}),
            )
        };
        json!({"$ref": "#/$defs/n0", "$defs": (0..60).map(node).collect::<Map<_, _>>()})
    }),
    ("15 definitions that are any of each other", |leaf| any_of_all(15, leaf)),
    ("60 definitions that are any of each other", |leaf| any_of_all(60, leaf)),
];

const PATTERNS: &[(&str, Maker)] = &[
    ("nested repetitions", |leaf| pattern("^(([a-z]+)+)+$|", leaf)),
    ("an exponential automaton", |leaf| pattern("^[ab]*a[ab]{40}$|", leaf)),
    ("a repetition of repetitions", |leaf| pattern("((a{90}){90}){90}", leaf)),
    ("Unicode classes", |leaf| pattern(r"^(\p{L}|\p{N}){1,60}[^\p{Lu}]{60}", leaf)),
    ("looking around", |leaf| pattern("^(?=.*a)(?!.*b)(?=(a|a|b)*c)", leaf)),
    ("500 patterns", |leaf| {
        let property =
            |n: usize| (format!("p{n}"), json!({"pattern": format!("^({leaf}|[a-f]{{{n}}})+x$")}));
        object((0..500).map(property).collect())
    }),
    ("patterns of names", |leaf| {
        let named =
            |n: usize| (format!("^.*[a-{}]{{2}}", (b'b' + n as u8) as char), json!({"type": leaf}));
        json!({"patternProperties": (0..20).map(named).collect::<Map<_, _>>(), "propertyNames": {"pattern": "^(a|b)+c"}})
    }),
];

/// Processor time of this thread, as far as the system tells.
fn milliseconds() -> u64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    told.split(' ').next().and_then(|it| it.parse::<u64>().ok()).unwrap_or_default() / 1_000_000
}

fn all_end_and_not_in_silence(makers: &[(&str, Maker)]) {
    for (name, make) in makers {
        let (old, new) = (make("string"), make("integer"));
        for direction in [Direction::Input, Direction::Output] {
            let started = milliseconds();
            let changes = differences(&old, &new, direction);
            // Shown with `--nocapture`; never asserted, machines differ.
            println!("{:>6} ms {direction:?} {name}", milliseconds() - started);
            assert!(!changes.is_empty(), "{name}");
        }
    }
}

#[test]
fn nested_schemas_end_and_not_in_silence() {
    all_end_and_not_in_silence(NESTED);
}

#[test]
fn schemas_that_double_end_and_not_in_silence() {
    all_end_and_not_in_silence(DOUBLING);
}

#[test]
fn long_schemas_end_and_not_in_silence() {
    all_end_and_not_in_silence(LONG);
}

#[test]
fn unions_end_and_not_in_silence() {
    all_end_and_not_in_silence(UNIONS);
}

#[test]
fn references_end_and_not_in_silence() {
    all_end_and_not_in_silence(REFERENCES);
}

#[test]
fn patterns_end_and_not_in_silence() {
    all_end_and_not_in_silence(PATTERNS);
}

#[test]
fn what_is_listed_twice_is_listed() {
    let any = |count: usize| json!({"anyOf": vec![reference("a"); count], "$defs": {"a": {"minimum": 1}}});
    assert_eq!(differences(&any(20_000), &any(20_001), Direction::Input), []);
}

/// Definitions of which each refers to all, with a type in the middle one; each reference says
/// something of its own where `is_told`.
fn clique(size: usize, leaf: &str, is_told: bool) -> Value {
    let to = |n: usize| match is_told {
        true => json!({"$ref": format!("#/$defs/d{n}"), "description": format!("The {n}.")}),
        false => reference(&format!("d{n}")),
    };
    let properties = || (0..size).map(|n| (format!("p{n}"), to(n))).collect::<Map<_, _>>();
    let definition = |n: usize| {
        let mut properties = properties();
        let kind = if n == size / 2 { leaf } else { "string" };
        properties.insert("leaf".into(), json!({ "type": kind }));
        (format!("d{n}"), object(Value::Object(properties)))
    };
    let mut whole = object(Value::Object(properties()));
    whole["$defs"] = Value::Object((0..size).map(definition).collect());
    whole
}

/// How many pairs of schemas were compared, and the changes by kind and path.
fn walked(old: &Value, new: &Value) -> (usize, Vec<(Kind, String)>) {
    let [old, new] = Document::pair(old, new);
    let walked = walk::walk(&old, &new, Direction::Input);
    let changes = walked.changes.into_iter().map(|it| (it.kind, it.path));
    (walked.pairs, changes.collect())
}

#[test]
fn definitions_are_compared_once_however_many_paths_lead_to_them() {
    for size in [15, 30, 60] {
        let (pairs, changes) =
            walked(&clique(size, "string", false), &clique(size, "integer", false));
        assert_eq!(changes, [(Kind::TypeNarrowed, format!("p{}.leaf", size / 2))]);
        // The whole twice, each definition, and the type.
        assert_eq!(pairs, size + 3);
    }
    let (pairs, changes) = walked(&clique(15, "string", true), &clique(15, "integer", true));
    assert_eq!(changes, [(Kind::TypeNarrowed, "p7.leaf".to_owned())]);
    assert_eq!(pairs, 2 + 15 + 15 * 15 + 15 + 1);
    let change =
        &differences(&clique(15, "string", false), &clique(15, "integer", false), Direction::Input)
            [0];
    assert_eq!(change.witness, Some(json!({"p7": {"leaf": "a"}})));
    assert!(change.uses.contains(&"p0.p7.leaf".to_owned()), "{:?}", change.uses);
}

#[test]
fn many_causes_are_as_many_changes_and_as_much_work() {
    let many = |leaf: &str| {
        let definitions =
            (0..3_000).map(|n| (format!("d{n}"), object(json!({"x": {"type": leaf}}))));
        let properties = (0..3_000).map(|n| (format!("p{n}"), reference(&format!("d{n}"))));
        let mut whole = object(Value::Object(properties.collect()));
        whole["$defs"] = Value::Object(definitions.collect());
        whole
    };
    let (pairs, changes) = walked(&many("string"), &many("integer"));
    assert_eq!((pairs, changes.len()), (2 + 2 * 3_000, 3_000));
    // What is too large to be proven as a whole still says what it is.
    let changes = differences(&many("string"), &many("integer"), Direction::Input);
    assert!(changes.iter().all(|it| it.kind == Kind::TypeNarrowed), "{:?}", changes[0]);
}

/// A schema that leads to `next` through each keyword that carries one.
fn carriers(next: &Value) -> Vec<Value> {
    let (name, list) = (json!({ "^a": next }), json!([next, {"type": "null"}]));
    let keywords = [
        "additionalProperties",
        "propertyNames",
        "unevaluatedProperties",
        "items",
        "contains",
        "unevaluatedItems",
        "not",
    ];
    let mut all: Vec<Value> = keywords.iter().map(|it| json!({ *it: next })).collect();
    all.extend(["allOf", "anyOf", "oneOf", "prefixItems"].iter().map(|it| json!({ *it: list })));
    let named = ["properties", "patternProperties", "dependentSchemas", "dependencies"];
    all.extend(named.iter().map(|it| json!({ *it: name })));
    let asked = json!({"required": ["a"]});
    all.push(json!({"if": next, "then": asked}));
    all.extend(["then", "else"].iter().map(|it| json!({"if": asked, *it: next})));
    all
}

#[test]
fn what_recurs_through_any_keyword_ends() {
    let count = carriers(&json!({})).len();
    for (index, length) in (0..count).flat_map(|index| [(index, 1), (index, 500)]) {
        let around = |leaf: &str, said: &str| {
            let link = |n: usize| {
                let next = reference(&format!("c{}", (n + 1) % length));
                let mut link = carriers(&next).swap_remove(index);
                link["description"] = said.into();
                (format!("c{n}"), json!({"anyOf": [link, {"type": leaf}]}))
            };
            let definitions: Map<String, Value> = (0..length).map(link).collect();
            let mut whole = object(json!({"q": reference("c0"), "x": {"type": leaf}}));
            whole["$defs"] = definitions.into();
            whole
        };
        let old = around("string", "a");
        let types = differences(&old, &around("integer", "b"), Direction::Output);
        assert!(types.iter().any(|it| it.kind != Kind::DescriptionChanged), "{index} {length}");
        let words = differences(&old, &around("string", "b"), Direction::Input);
        assert!(!words.is_empty(), "{index} {length}");
    }
}
