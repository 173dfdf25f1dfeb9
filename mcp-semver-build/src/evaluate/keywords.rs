//! The keywords that validation attributes add to schemas.

use proc_macro2::Span;
use serde_json::Value;

use super::generator::ensure_object;
use super::marks::Object;
use super::merge::has_type;
use super::validation::{Bounds, Validation};

/// Says that a keyword of a schema stands at a place.
type Mark<'m> = &'m dyn Fn(&mut Object, &str, Span);

/// Adds the keywords of validations to the schemas they fit.
pub(super) fn add(schema: &mut Value, validation: &Validation, mark: Mark<'_>) {
    let set = |schema: &mut Value, key: &str, value: Value, span: Span| {
        let object = ensure_object(schema);
        object.insert(key.to_owned(), value);
        mark(object, key, span);
    };
    let bounded: [(_, &[&str], _); 3] = [
        (&validation.length, &["string"], "Length"),
        (&validation.length, &["array"], "Items"),
        (&validation.range, &["number", "integer"], "imum"),
    ];
    for (bounds, types, suffix) in bounded {
        let Some((Bounds { min, max }, span)) = bounds else { continue };
        for (prefix, value) in [("min", min), ("max", max)] {
            if let Some(value) = value
                && types.iter().any(|ty| has_type(schema, ty))
            {
                set(schema, &format!("{prefix}{suffix}"), value.clone(), *span);
            }
        }
    }
    let contained = validation.contains.iter().map(|(text, span)| (escaped(text), *span));
    for (pattern, span) in validation.pattern.iter().cloned().chain(contained) {
        if has_type(schema, "string") {
            set(schema, "pattern", pattern.into(), span);
        }
    }
    if let Some((format, span)) = validation.format {
        set(schema, "format", format.into(), span);
    }
    if let Some(inner) = &validation.inner
        && let Some(items) = schema.get_mut("items")
        && (items.is_object() || items.is_boolean())
    {
        add(items, inner, mark);
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
