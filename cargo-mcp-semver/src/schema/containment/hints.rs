//! Values that a schema itself shows for a place: examples, a default, listed values.

use serde_json::{Value, json};

use crate::schema::document::{Document, Located, Target};
use crate::schema::path::Step;

/// References and conjunctions nested deeper than this are not followed.
const MAX_DEPTH: usize = 16;
/// So many values of a place are of use.
const MAX_HINTS: usize = 8;

/// The values shown for the place that `steps` lead to, the most telling first. Whether the place
/// takes them is for a validator to say.
pub(crate) fn hints<'a>(
    document: &Document<'a>,
    schema: &Located<'a>,
    steps: &[Step],
) -> Vec<Value> {
    let mut places = vec![schema.clone()];
    for step in steps {
        let mut below = Vec::new();
        for place in &places {
            visit(document, place, 0, &mut |schema| below.extend(child(schema, step)));
        }
        places = below;
    }
    let (mut shown, mut listed, mut formats) = (Vec::new(), Vec::new(), Vec::new());
    for place in &places {
        visit(document, place, 0, &mut |schema| {
            let of = |keyword: &str| schema.value.get(keyword);
            let list = |keyword: &str| of(keyword).and_then(Value::as_array).into_iter().flatten();
            shown.extend(list("examples").chain(of("example")).chain(of("default")).cloned());
            listed.extend(of("const").into_iter().chain(list("enum")).cloned());
            formats.extend(of("format").and_then(Value::as_str).and_then(formatted));
        });
    }
    let mut all: Vec<Value> = shown.into_iter().filter(|value| !value.is_null()).collect();
    all.extend(listed);
    all.extend(formats);
    all.truncate(MAX_HINTS);
    all
}

/// Looks at a schema and at all that applies at its place.
fn visit<'a>(
    document: &Document<'a>,
    schema: &Located<'a>,
    depth: usize,
    look: &mut dyn FnMut(&Located<'a>),
) {
    let Some(map) = schema.value.as_object().filter(|_| depth < MAX_DEPTH) else { return };
    look(schema);
    if let Some(reference) = map.get("$ref").and_then(Value::as_str)
        && let Target::Local(target) = document.resolve(reference, &schema.at)
    {
        visit(document, &target, depth + 1, look);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let branches = map.get(keyword).and_then(Value::as_array).into_iter().flatten();
        for (index, value) in branches.enumerate() {
            let at = schema.at.child(keyword).child(&index.to_string());
            visit(document, &Located { value, at }, depth + 1, look);
        }
    }
}

/// The schema one step down.
fn child<'a>(schema: &Located<'a>, step: &Step) -> Option<Located<'a>> {
    let of = |keyword: &str| Some((schema.value.get(keyword)?, schema.at.child(keyword)));
    let member = |keyword: &str, name: &str| {
        let (value, at) = of(keyword)?;
        Some(Located { value: value.get(name)?, at: at.child(name) })
    };
    let item = |keyword: &str, index: usize| {
        let (value, at) = of(keyword)?;
        Some(Located { value: value.get(index)?, at: at.child(&index.to_string()) })
    };
    let whole = |keyword: &str| of(keyword).map(|(value, at)| Located { value, at });
    match step {
        Step::Name(name) => member("properties", name).or_else(|| whole("additionalProperties")),
        Step::Undeclared => whole("additionalProperties"),
        Step::Items => whole("items"),
        Step::Item(index) => {
            item("prefixItems", *index).or_else(|| item("items", *index)).or_else(|| whole("items"))
        }
    }
}

/// A text of a format, which a server may check when it reads its arguments.
fn formatted(format: &str) -> Option<Value> {
    Some(json!(match format {
        "uuid" => "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "date" => "2025-01-31",
        "time" => "12:00:00Z",
        "date-time" => "2025-01-31T12:00:00Z",
        "duration" => "PT1H",
        "email" | "idn-email" => "name@example.com",
        "hostname" | "idn-hostname" => "example.com",
        "ipv4" | "ip" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "url" | "iri" => "https://example.com/",
        _ => return None,
    }))
}
