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

/// The schema with `type: object` at its root; as it is where that says so already, can accept no
/// object, or may be referred to from a place where other values stand.
pub fn of(schema: &Value) -> Cow<'_, Value> {
    let Value::Object(map) = schema else { return Cow::Borrowed(schema) };
    let is_loose = match map.get("type") {
        None => true,
        Some(Value::Array(types)) => types.contains(&json!("object")),
        Some(_) => false,
    };
    if !is_loose || may_refer_to_root(schema) {
        return Cow::Borrowed(schema);
    }
    let mut map = map.clone();
    map.insert("type".to_owned(), json!("object"));
    Cow::Owned(Value::Object(map))
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
            let of = of(&schema);
            assert_eq!(of["type"], json!("object"), "{schema}");
            assert_eq!(of["properties"], schema["properties"]);
        }
        for schema in [
            json!({"type": "object"}),
            json!({"type": "string"}),
            json!({"type": ["string", "null"]}),
            child("#"),
            child("https://example.com/root"),
            json!({"items": [{"$dynamicRef": "#/a"}]}),
        ] {
            assert_eq!(*of(&schema), schema);
        }
    }
}
