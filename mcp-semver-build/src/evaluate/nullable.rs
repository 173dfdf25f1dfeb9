//! The transform of schemars 1 that older versions of rmcp apply: `null` among the types becomes
//! the keyword `nullable` of OpenAPI.

use serde_json::Value;

/// Applies it to a schema and to every schema in it.
pub(super) fn apply(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    let is_null = |ty: &Value| ty == "null";
    match object.get_mut("type") {
        Some(Value::Array(types)) if types.iter().any(is_null) => {
            types.retain(|ty| !is_null(ty));
            let only = if types.len() == 1 { types.pop() } else { None };
            let none = types.is_empty() && only.is_none();
            if let Some(only) = only {
                object.insert("type".into(), only);
            }
            object.insert("nullable".into(), true.into());
            if none {
                object.insert("const".into(), Value::Null);
                object.remove("type");
            }
        }
        Some(ty) if is_null(ty) => {
            object.remove("type");
            object.insert("nullable".into(), true.into());
            object.insert("const".into(), Value::Null);
        }
        _ => {}
    }
    each_subschema(object, &mut apply);
}

/// Calls `change` with every schema directly in one.
pub(super) fn each_subschema(
    object: &mut super::marks::Object,
    change: &mut dyn FnMut(&mut Value),
) {
    for (key, value) in object {
        match (key.as_str(), value) {
            ("items" | "allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(list)) => {
                list.iter_mut().for_each(&mut *change);
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", _) => {}
            (
                "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "additionalProperties"
                | "propertyNames"
                | "additionalItems"
                | "items",
                value,
            ) => change(value),
            ("properties" | "patternProperties" | "$defs" | "definitions", Value::Object(map)) => {
                map.values_mut().for_each(&mut *change)
            }
            _ => {}
        }
    }
}
