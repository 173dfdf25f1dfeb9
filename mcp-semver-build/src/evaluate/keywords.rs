//! The keywords that validation attributes add to schemas.

use serde_json::Value;

use super::generator::ensure_object;
use super::merge::has_type;
use super::validation::{Bounds, Validation};

/// Adds the keywords of validations to the schemas they fit.
pub(super) fn add(schema: &mut Value, validation: &Validation) {
    if let Some(bounds) = &validation.length {
        bound(schema, bounds, &["string"], "Length");
        bound(schema, bounds, &["array"], "Items");
    }
    if let Some(bounds) = &validation.range {
        bound(schema, bounds, &["number", "integer"], "imum");
    }
    let contained = validation.contains.as_deref().map(escaped);
    for pattern in validation.pattern.iter().cloned().chain(contained) {
        if has_type(schema, "string") {
            ensure_object(schema).insert("pattern".into(), pattern.into());
        }
    }
    if let Some(format) = validation.format {
        ensure_object(schema).insert("format".into(), format.into());
    }
    if let Some(inner) = &validation.inner
        && let Some(items) = schema.get_mut("items")
        && (items.is_object() || items.is_boolean())
    {
        add(items, inner);
    }
}

fn bound(schema: &mut Value, bounds: &Bounds, types: &[&str], suffix: &str) {
    for (prefix, value) in [("min", &bounds.min), ("max", &bounds.max)] {
        if let Some(value) = value
            && types.iter().any(|ty| has_type(schema, ty))
        {
            ensure_object(schema).insert(format!("{prefix}{suffix}"), value.clone());
        }
    }
}

/// A text as a regular expression that matches it.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut pattern, character| {
        if "\\.+*?()|[]{}^$#&-~".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
        pattern
    })
}
