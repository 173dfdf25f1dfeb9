//! Where something is, for a tool that shows it.

use std::path::Path;

use serde_json::{Value, json};

use crate::finding::Span;
use crate::report::place::Place;
use crate::report::slashes;

/// What paths in the report start from.
const ROOT: &str = "%SRCROOT%";

/// A place in a file, where there is one, with the name of what is there.
pub(super) fn location(place: Option<&Place>, span: Option<&Span>, name: &str) -> Value {
    let mut location = json!({ "logicalLocations": [{ "fullyQualifiedName": name }] });
    if let Some(place) = place {
        let mut physical = json!({ "artifactLocation": artifact(place) });
        if let Some(span) = span {
            physical["region"] = region(span);
        }
        location["physicalLocation"] = physical;
    }
    location
}

/// Without an end it is the rest of the line.
fn region(span: &Span) -> Value {
    let mut region = json!({ "startLine": span.line, "startColumn": span.column });
    if (span.line, span.column) < (span.end_line, span.end_column) {
        region["endLine"] = span.end_line.into();
        region["endColumn"] = span.end_column.into();
    }
    region
}

fn artifact(place: &Place) -> Value {
    match place {
        Place::Inside(path) => json!({ "uri": encoded(path), "uriBaseId": ROOT }),
        Place::Outside(path) => json!({ "uri": file_uri(path) }),
    }
}

fn file_uri(path: &Path) -> String {
    let path = slashes(path);
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", encoded(&path))
}

/// A path as a URI has it.
fn encoded(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uris() {
        assert_eq!(encoded("src/größe 1%.rs"), "src/gr%C3%B6%C3%9Fe%201%25.rs");
        assert_eq!(file_uri(Path::new("/tmp/a b.rs")), "file:///tmp/a%20b.rs");
    }
}
