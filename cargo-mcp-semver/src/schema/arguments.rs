//! The schema of the arguments of a call, which are an object whatever it says of their type.
//!
//! `arguments` is a JSON object in every revision of MCP (`CallToolRequestParams`), and
//! `inputSchema` says so at its root (`Tool`), though generators leave it out, and validators mind
//! only what is there. Nobody can send anything else, so with and without it the same is accepted.
//!
//! A result is another matter: from revision 2026-07-28 on `structuredContent` is any JSON value,
//! and `outputSchema` any schema. Without `type` it may be an array tomorrow.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::change::{Change, Direction};
use super::document::Document;

/// How the arguments that `new` takes differ from those that `old` took.
pub fn differences(old: &Value, new: &Value) -> Vec<Change> {
    let schemas = [old, new].map(typed);
    let loose = schemas.each_ref().map(|it| is_loose(it));
    let [mut old, mut new] = Document::pair(&schemas[0], &schemas[1]);
    (old.is_of_objects, new.is_of_objects) = (loose[0], loose[1]);
    super::all(&old, &new, Direction::Input)
}

/// The schema with `type: object` at its root; as it is where that says so already, can accept no
/// object, would not be heard, or may be referred to from a place where other values stand.
fn typed(schema: &Value) -> Cow<'_, Value> {
    match schema {
        Value::Object(map)
            if is_loose(schema) && is_heard(schema) && !may_refer_to_root(schema) =>
        {
            let mut map = map.clone();
            map.insert("type".to_owned(), json!("object"));
            Cow::Owned(Value::Object(map))
        }
        _ => Cow::Borrowed(schema),
    }
}

/// Whether the schema says nothing against an object, and nothing against all else by its type.
fn is_loose(schema: &Value) -> bool {
    match schema.get("type").filter(|_| is_heard(schema)) {
        None => true,
        Some(Value::Array(types)) => types.len() > 1 && types.contains(&json!("object")),
        Some(_) => false,
    }
}

/// Whether what stands beside a `$ref` at the root counts, if there is one.
fn is_heard(schema: &Value) -> bool {
    schema.get("$ref").is_none() || Document::new(schema).ref_has_siblings()
}

/// Whether any reference is other than a pointer to a part.
fn may_refer_to_root(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| match (key.as_str(), value) {
            ("$ref", Value::String(reference)) => !reference.starts_with("#/"),
            ("$dynamicRef" | "$recursiveRef", _) => true,
            (_, value) => may_refer_to_root(value),
        }),
        Value::Array(list) => list.iter().any(may_refer_to_root),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_an_object_unless_it_stands_elsewhere_too() {
        let child = |reference: &str| json!({"properties": {"a": {"$ref": reference}}});
        for schema in [json!({}), json!({"type": ["null", "object"]}), child("#/$defs/A")] {
            let of = typed(&schema);
            assert_eq!(of["type"], json!("object"), "{schema}");
            assert_eq!(of["properties"], schema["properties"]);
        }
        for (schema, loose) in [
            (json!({"type": "object"}), false),
            (json!({"type": ["object"]}), false),
            (json!({"type": "string"}), false),
            (json!({"type": ["string", "null"]}), false),
            (child("#"), true),
            (child("https://example.com/root"), true),
            (json!({"items": [{"$dynamicRef": "#/a"}]}), true),
            (
                json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string",
                "$ref": "#/definitions/A"}),
                true,
            ),
            (json!(true), true),
        ] {
            assert_eq!((&*typed(&schema), is_loose(&schema)), (&schema, loose));
        }
    }

    #[test]
    fn what_shows_a_change_is_an_object() {
        let shown = |old: Value, new: Value| {
            let changes = differences(&old, &new).into_iter();
            changes.map(|it| (it.path, it.witness)).collect::<Vec<_>>()
        };
        let child = |root: Value| {
            let mut schema = json!({"properties": {"p": {"$ref": "#"}, "v": {"type": "string"}}});
            schema.as_object_mut().unwrap().extend(root.as_object().unwrap().clone());
            schema
        };
        let object = json!({"type": "object"});
        let at_p = vec![("p".to_owned(), Some(json!({"p": "a"})))];
        assert_eq!(shown(child(json!({})), child(object.clone())), at_p);
        let old = |leaf: &str| {
            json!({"$schema": "http://json-schema.org/draft-07/schema#",
            "$ref": "#/definitions/A", "definitions": {"A": {"properties": {"a": {"type": leaf}}}}})
        };
        let mut new = old("string");
        new["definitions"]["A"]["type"] = json!("object");
        assert_eq!(shown(old("string"), new), []);
        let at_a = vec![("a".to_owned(), Some(json!({"a": "a"})))];
        assert_eq!(shown(old("string"), old("integer")), at_a);
        assert_eq!(shown(json!(true), object), []);
    }
}
