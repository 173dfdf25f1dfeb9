//! What a format says beside the type, and formats of which each value has another format too.

use serde_json::Value;

use super::number::{integer_range, is_of_any_number};

/// The narrower format, and the wider ones. Of addresses and names: JSON Schema Validation 2020-12,
/// 7.3.2 to 7.3.5, and RFC 3986 and 3987, by which a URI is an IRI and either is a reference. `ip`
/// is what schemars writes for an address of either kind.
const WIDER: &[(&str, &[&str])] = &[
    ("email", &["idn-email"]),
    ("hostname", &["idn-hostname"]),
    ("ipv4", &["ip"]),
    ("ipv6", &["ip"]),
    ("iri", &["iri-reference"]),
    ("uri", &["uri-reference", "iri", "iri-reference"]),
    ("uri-reference", &["iri-reference"]),
];

/// Keywords that say how a text is meant.
pub(super) const MEANT: [&str; 3] = ["format", "contentEncoding", "contentMediaType"];

/// What a format says of a text, if it does.
pub(super) fn of_text(format: &Value) -> Option<&str> {
    let is_of_numbers = integer_range(Some(format)).is_some() || is_of_any_number(format);
    format.as_str().filter(|_| !is_of_numbers)
}

/// A format and all that are narrower.
pub(super) fn narrower(format: &str) -> Vec<&str> {
    let narrower = WIDER.iter().filter(|(_, wider)| wider.contains(&format));
    std::iter::once(format).chain(narrower.map(|(name, _)| *name)).collect()
}

/// Whether every value of the format `narrow` has the format `wide`.
pub(super) fn holds(wide: &Value, narrow: &Value) -> bool {
    let (Some(wide), Some(narrow)) = (wide.as_str(), narrow.as_str()) else { return false };
    WIDER.iter().any(|(name, others)| *name == narrow && others.contains(&wide))
}
