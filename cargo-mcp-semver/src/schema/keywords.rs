//! Which keywords a view keeps as they are.

use serde_json::Value;

/// Assertions that a view keeps as they are.
pub(super) const REST: &[&str] = &[
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
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "minProperties",
    "maxProperties",
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

/// Keywords whose meaning depends on what stands beside them beyond a plain conjunction.
pub(super) const CONTEXTUAL: &[&str] = &[
    "patternProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contains",
    "minContains",
    "maxContains",
    "if",
    "then",
    "else",
];

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
