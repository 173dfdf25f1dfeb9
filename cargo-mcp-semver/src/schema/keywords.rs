//! Which keywords a view keeps as they are, and which hold schemas.

use serde_json::{Map, Value};

use super::document::{Located, Pointer};

/// Assertions about a value itself, each with a reader of its own.
pub(super) const OF_THE_VALUE: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];

/// The other assertions that a view keeps as they are.
const KEPT: &[&str] = &[
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "patternProperties",
    "propertyNames",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "not",
    "if",
    "then",
    "else",
];

/// Whether a view keeps a keyword as it is.
pub(super) fn is_kept(keyword: &str) -> bool {
    OF_THE_VALUE.contains(&keyword) || KEPT.contains(&keyword)
}

/// Keywords whose meaning depends on what stands beside them beyond a plain conjunction.
pub(super) const CONTEXTUAL: &[&str] = &[
    "unevaluatedProperties",
    "unevaluatedItems",
    "patternProperties",
    "contains",
    "minContains",
    "maxContains",
    "if",
    "then",
    "else",
];
/// So many of them, the first ones, depend on what stands beside and in parts alike.
pub(super) const EVALUATING: usize = 2;

/// Whether JSON Schema allows `value` for one of [`REST`].
pub(super) fn is_valid(keyword: &str, value: &Value) -> bool {
    match keyword {
        "exclusiveMinimum" | "exclusiveMaximum" => value.is_number() || value.is_boolean(),
        "pattern" | "format" | "contentEncoding" | "contentMediaType" => value.is_string(),
        "uniqueItems" => value.is_boolean(),
        "patternProperties" | "dependencies" | "dependentRequired" | "dependentSchemas" => {
            value.is_object()
        }
        "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => value.is_object() || value.is_boolean(),
        _ => value.is_number(),
    }
}

/// Keywords that hold a schema.
const SCHEMAS: &[&str] = &[
    "not",
    "if",
    "then",
    "else",
    "items",
    "additionalItems",
    "additionalProperties",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
/// Keywords that hold a list of schemas.
const LISTS: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems", "items"];
/// Keywords that hold schemas by name.
const MAPS: &[&str] = &[
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
];

/// Visits every schema right below the one at `at`, of whatever draft, with the keyword it stands
/// under.
pub(super) fn each_below<'a>(
    schema: &'a Map<String, Value>,
    at: &Pointer,
    visit: &mut dyn FnMut(&'a str, Located<'a>),
) {
    for (keyword, value) in schema {
        let keyword = keyword.as_str();
        let at = || at.child(keyword);
        match value {
            Value::Array(list) if LISTS.contains(&keyword) => {
                for (index, value) in list.iter().enumerate() {
                    visit(keyword, Located { value, at: at().child(&index.to_string()) });
                }
            }
            Value::Object(map) if MAPS.contains(&keyword) => {
                for (name, value) in map {
                    visit(keyword, Located { value, at: at().child(name) });
                }
            }
            value if SCHEMAS.contains(&keyword) => visit(keyword, Located { value, at: at() }),
            _ => {}
        }
    }
}
