//! One schema document: its dialect, and where its references lead.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use serde_json::Value;

/// How many keywords may be read of one document in one comparison, so that a hostile schema
/// ends quickly.
const FUEL: usize = 150_000;

/// A JSON pointer (RFC 6901) to a schema inside its document; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Pointer(Rc<str>);

impl Pointer {
    /// The whole document.
    pub(crate) fn root() -> Self {
        Self(Rc::from(""))
    }

    /// A pointer that is written out.
    pub(crate) fn parse(text: &str) -> Self {
        Self(Rc::from(text))
    }

    /// One step further down, escaped.
    pub(crate) fn child(&self, token: &str) -> Self {
        Self(Rc::from(format!("{}/{}", self.0, token.replace('~', "~0").replace('/', "~1"))))
    }

    /// The pointer as text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A value inside a document and the schema it stands in.
#[derive(Debug, Clone)]
pub(crate) struct Located<'a> {
    /// The value: a schema, or the value of a keyword.
    pub(crate) value: &'a Value,
    /// The schema that it is, or that the keyword stands in.
    pub(crate) at: Pointer,
}

/// JSON Schema drafts, oldest first. Later is nearer to what MCP assumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Dialect {
    /// A `$schema` that is none of the drafts.
    Unknown,
    Draft4,
    Draft6,
    Draft7,
    Draft2019,
    /// Also when `$schema` is absent.
    Draft2020,
}

impl Dialect {
    /// The dialect a `$schema` names.
    pub(crate) fn of(schema: &Value) -> Self {
        let Some(uri) = schema.get("$schema") else {
            return Self::Draft2020;
        };
        let uri = uri.as_str().unwrap_or_default();
        let uri = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"));
        match uri.map(|uri| uri.trim_end_matches('#')) {
            Some("json-schema.org/draft-04/schema") => Self::Draft4,
            Some("json-schema.org/draft-06/schema") => Self::Draft6,
            Some("json-schema.org/draft-07/schema") => Self::Draft7,
            Some("json-schema.org/draft/2019-09/schema") => Self::Draft2019,
            Some("json-schema.org/draft/2020-12/schema") => Self::Draft2020,
            _ => Self::Unknown,
        }
    }
}

/// Where a `$ref` leads.
pub(crate) enum Target<'a> {
    /// A schema of the same document.
    Local(Located<'a>),
    /// Nowhere in this document: another document (never fetched) or nothing at all.
    Elsewhere,
}

/// One schema document.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    root: &'a Value,
    dialect: Dialect,
    fuel: Cell<usize>,
}

impl<'a> Document<'a> {
    /// Wraps the document.
    pub(crate) fn new(root: &'a Value) -> Self {
        Self { root, dialect: Dialect::of(root), fuel: Cell::new(FUEL) }
    }

    /// Takes `cost` from what reading this document may cost; false when nothing is left.
    pub(crate) fn spend(&self, cost: usize) -> bool {
        let left = self.fuel.get().checked_sub(cost);
        self.fuel.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The whole document as a schema.
    pub(crate) fn root(&self) -> Located<'a> {
        Located { value: self.root, at: Pointer::root() }
    }

    /// Whether tuples are written with `prefixItems`.
    pub(crate) fn has_prefix_items(&self) -> bool {
        matches!(self.dialect, Dialect::Draft2020 | Dialect::Unknown)
    }

    /// Whether assertions beside a `$ref` count.
    pub(crate) fn ref_has_siblings(&self) -> bool {
        self.dialect >= Dialect::Draft2019 || self.dialect == Dialect::Unknown
    }

    /// The value at a pointer.
    pub(crate) fn at(&self, pointer: &Pointer) -> Option<&'a Value> {
        self.root.pointer(pointer.as_str())
    }

    /// Whether a reference that leads elsewhere means the same wherever its text is the same:
    /// it names another document, or a place that this one does not have.
    pub(crate) fn is_opaque(&self, reference: &str) -> bool {
        match reference.strip_prefix('#') {
            Some(fragment) => fragment.starts_with('/'),
            None => !names_itself(self.root),
        }
    }

    /// Follows a `$ref`. Only JSON pointers into this document are followed; `%` and `~` escapes
    /// are undone.
    pub(crate) fn resolve(&self, reference: &str) -> Target<'a> {
        let Some(tokens) = reference.strip_prefix('#').and_then(percent_decoded).and_then(tokens)
        else {
            return Target::Elsewhere;
        };
        let mut found = self.root();
        for token in tokens {
            let next = match found.value {
                Value::Object(map) => map.get(&token),
                Value::Array(list) => token.parse().ok().and_then(|at: usize| list.get(at)),
                _ => None,
            };
            let Some(value) = next else {
                return Target::Elsewhere;
            };
            found = Located { value, at: found.at.child(&token) };
        }
        Target::Local(found)
    }
}

/// Whether any schema of the document has an `$id` that references could mean.
fn names_itself(value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            ["$id", "id"].iter().any(|key| map.get(*key).is_some_and(Value::is_string))
                || map.values().any(names_itself)
        }
        Value::Array(list) => list.iter().any(names_itself),
        _ => false,
    }
}

fn tokens(pointer: String) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let unescaped = |token: &str| token.replace("~1", "/").replace("~0", "~");
    Some(pointer.strip_prefix('/')?.split('/').map(unescaped).collect())
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let high = char::from(bytes.next()?).to_digit(16)?;
        let low = char::from(bytes.next()?).to_digit(16)?;
        decoded.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn target(reference: &str) -> Option<String> {
        let root = json!({
            "$defs": {"a b": {}, "x/y~z": {}, "list": {"anyOf": [{}, {}]}},
            "definitions": {"Old": {}},
        });
        match Document::new(&root).resolve(reference) {
            Target::Local(found) => Some(found.at.to_string()),
            Target::Elsewhere => None,
        }
    }

    #[test]
    fn pointers_are_followed_and_escapes_undone() {
        assert_eq!(target("#").as_deref(), Some(""));
        assert_eq!(target("#/definitions/Old").as_deref(), Some("/definitions/Old"));
        assert_eq!(target("#/$defs/a%20b").as_deref(), Some("/$defs/a b"));
        assert_eq!(target("#/%24defs/x~1y~0z").as_deref(), Some("/$defs/x~1y~0z"));
        assert_eq!(target("#/$defs/list/anyOf/1").as_deref(), Some("/$defs/list/anyOf/1"));
    }

    #[test]
    fn what_is_not_here_is_elsewhere() {
        for reference in [
            "https://example.com/a.json",
            "other.json#/a",
            "#/$defs/none",
            "#anchor",
            "#/%zz",
            "#%",
        ] {
            assert_eq!(target(reference), None, "{reference}");
        }
    }

    #[test]
    fn dialects_are_recognised_however_the_uri_is_spelt() {
        for (uri, dialect) in [
            ("http://json-schema.org/draft-07/schema#", Dialect::Draft7),
            ("https://json-schema.org/draft-07/schema", Dialect::Draft7),
            ("https://json-schema.org/draft/2020-12/schema", Dialect::Draft2020),
            ("https://example.com/mine", Dialect::Unknown),
        ] {
            assert_eq!(Dialect::of(&json!({"$schema": uri})), dialect, "{uri}");
        }
        assert_eq!(Dialect::of(&json!({})), Dialect::Draft2020);
    }
}
