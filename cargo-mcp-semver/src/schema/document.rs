//! One schema document: its dialect, and where its references lead.

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::rc::Rc;
use std::sync::LazyLock;

use mcp_semver_build::pointer::{escaped, unescaped};
use serde_json::{Value, json};

use super::keywords::each_below;
use super::resources::Resources;

/// How many keywords may be read of one document in one comparison, so that a hostile schema
/// ends quickly.
const FUEL: usize = 150_000;

/// What may be sent where nothing but objects can.
static OBJECT: LazyLock<Value> = LazyLock::new(|| json!({"type": "object"}));

/// A schema at a longer pointer is not read.
const MAX_POINTER: usize = 65_536;
/// So many references that lead to a reference are followed.
const MAX_LED: usize = 64;
/// Keywords that say something to a reader only.
const WORDS: &[&str] = &["title", "description", "default"];
/// Keywords that say nothing of the schema they stand in.
const HOLDERS: &[&str] =
    &["$defs", "definitions", "$schema", "$id", "$anchor", "$comment", "examples"];

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
        Self(Rc::from([&*self.0, "/", &*escaped(token)].concat()))
    }

    /// Whether it leads from place to place, so that nothing applies beside the schema.
    pub(crate) fn is_plain(&self) -> bool {
        let beside = [
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "then",
            "else",
            "dependentSchemas",
            "dependencies",
            "$defs",
            "definitions",
        ];
        !self.0.split('/').any(|token| beside.contains(&token))
    }

    /// The schema that a variant or part is of.
    pub(crate) fn place(&self) -> Self {
        let mut place = self.as_str();
        while let Some((above, token)) = place.rsplit_once('/') {
            place = match (above.rsplit_once('/'), token) {
                (Some((whole, "allOf" | "anyOf" | "oneOf" | "dependentSchemas")), _) => whole,
                (Some((_, "properties" | "patternProperties" | "$defs" | "definitions")), _) => {
                    break;
                }
                (_, "then" | "else") => above,
                _ => break,
            };
        }
        Self::parse(place)
    }

    /// The same property where the object is declared that it is one of a variant or part of, if it
    /// leads to such a property.
    pub(crate) fn declared_beside(&self) -> Option<Self> {
        let (holder, name) = self.as_str().rsplit_once('/')?;
        let variant = Self::parse(holder.strip_suffix("/properties")?);
        let place = variant.place();
        (place != variant).then(|| Self::parse(&format!("{place}/properties/{name}")))
    }

    /// Whether it is longer than any that is worth following: each is copied one step further down.
    pub(super) fn is_long(&self) -> bool {
        self.0.len() > MAX_POINTER
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
    /// It is compared with a document of another dialect.
    moved: bool,
    /// Nothing but objects can be sent, whatever the root says of types.
    pub(super) is_of_objects: bool,
    fuel: Cell<usize>,
    resources: OnceCell<Resources>,
    /// See [`Document::leads_elsewhere`].
    leads_elsewhere: OnceCell<bool>,
}

impl<'a> Document<'a> {
    /// Wraps the document.
    pub(crate) fn new(root: &'a Value) -> Self {
        let (dialect, fuel) = (Dialect::of(root), Cell::new(FUEL));
        let (resources, leads_elsewhere) = (OnceCell::new(), OnceCell::new());
        Self { root, dialect, moved: false, is_of_objects: false, fuel, resources, leads_elsewhere }
    }

    /// Two documents to be compared.
    pub(crate) fn pair(one: &'a Value, other: &'a Value) -> [Self; 2] {
        let [one, other] = [Self::new(one), Self::new(other)];
        let moved = one.dialect != other.dialect;
        [Self { moved, ..one }, Self { moved, ..other }]
    }

    /// Whether both documents are read by the same dialect.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.dialect == other.dialect && self.root.get("$schema") == other.root.get("$schema")
    }

    /// Takes `cost` from what reading this document may cost; false when nothing is left.
    pub(crate) fn spend(&self, cost: usize) -> bool {
        let left = self.fuel.get().checked_sub(cost);
        self.fuel.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Whether any value in it is such a one, schema or not.
    pub(super) fn any(&self, is_such: impl Fn(&Value) -> bool) -> bool {
        let mut open = vec![self.root];
        while let Some(value) = open.pop() {
            match value {
                value if is_such(value) => return true,
                Value::Object(map) => open.extend(map.values()),
                Value::Array(list) => open.extend(list),
                _ => {}
            }
        }
        false
    }

    /// The whole document as a schema.
    pub(crate) fn root(&self) -> Located<'a> {
        Located { value: self.root, at: Pointer::root() }
    }

    /// What applies to the whole value.
    pub(crate) fn whole(&self) -> Vec<Located<'a>> {
        let object = || Located { value: &OBJECT, at: Pointer::root() };
        std::iter::once(self.root()).chain(self.is_of_objects.then(object)).collect()
    }

    /// Whether tuples are written with `prefixItems`.
    pub(crate) fn has_prefix_items(&self) -> bool {
        matches!(self.dialect, Dialect::Draft2020 | Dialect::Unknown)
    }

    /// Whether assertions beside a `$ref` count.
    pub(crate) fn ref_has_siblings(&self) -> bool {
        self.dialect >= Dialect::Draft2019 || self.dialect == Dialect::Unknown
    }

    /// Whether the dialect has an assertion of this name; it ignores those that it does not have.
    pub(crate) fn knows(&self, keyword: &str) -> bool {
        let since = match keyword {
            "const" | "contains" | "propertyNames" => Dialect::Draft6,
            "if" | "then" | "else" => Dialect::Draft7,
            "dependentRequired"
            | "dependentSchemas"
            | "minContains"
            | "maxContains"
            | "unevaluatedItems"
            | "unevaluatedProperties" => Dialect::Draft2019,
            // Nor is `dependencies` left out: validators obey it in every draft, among them the one
            // that confirms witnesses.
            _ => return true,
        };
        self.dialect >= since || self.dialect == Dialect::Unknown
    }

    /// Whether a keyword has a value that only other dialects give a meaning. Where both sides of
    /// a comparison have one dialect, both mean alike whatever they mean.
    pub(crate) fn misuses(&self, keyword: &str, value: &Value) -> bool {
        self.moved
            && match keyword {
                "items" => value.is_array() && self.has_prefix_items(),
                "exclusiveMinimum" | "exclusiveMaximum" => {
                    value.is_boolean() != (self.dialect == Dialect::Draft4)
                }
                _ => false,
            }
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

    /// The names that its parts go by.
    pub(super) fn resources(&self) -> &Resources {
        self.resources.get_or_init(|| Resources::of(self.root, self.dialect))
    }

    /// Whether a schema of this document switches to another dialect.
    pub(crate) fn is_foreign(&self, schema: &Value) -> bool {
        schema.get("$schema").is_some() && Dialect::of(schema) != self.dialect
    }

    /// The schema at a pointer.
    pub(crate) fn located(&self, at: Pointer) -> Option<Located<'a>> {
        Some(Located { value: self.at(&at)?, at })
    }

    /// Follows the `$ref` of the schema at `from`, within this document: what has been named by
    /// `$id` or `$anchor` is found, other documents are never fetched.
    pub(crate) fn resolve(&self, reference: &str, from: &Pointer) -> Target<'a> {
        self.target(reference, from).map_or(Target::Elsewhere, Target::Local)
    }

    /// Whether several parts claim the name that a reference goes by.
    pub(crate) fn is_ambiguous(&self, reference: &str, from: &Pointer) -> bool {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        self.resources().is_ambiguous(uri, fragment, from)
    }

    /// What a schema leads to that is nothing but a reference, however often. Unless it has to be
    /// `silent`, it may say something to a reader beside.
    pub(crate) fn led_to(&self, schema: &Located<'a>, silent: bool) -> Located<'a> {
        let mut found = schema.clone();
        for _ in 0..MAX_LED {
            let Value::Object(map) = found.value else { break };
            let Some(Value::String(reference)) = map.get("$ref") else { break };
            let counts = |keyword: &String| {
                let keyword = keyword.as_str();
                let is_word = WORDS.contains(&keyword);
                !(keyword == "$ref" || HOLDERS.contains(&keyword) || (is_word && !silent))
                    && (is_word || self.ref_has_siblings())
            };
            if self.is_foreign(found.value) || map.keys().any(counts) {
                break;
            }
            match self.resolve(reference, &found.at) {
                Target::Local(target) => found = target,
                Target::Elsewhere => break,
            }
        }
        found
    }

    /// Whether any reference leads elsewhere, or may.
    pub(crate) fn leads_elsewhere(&self) -> bool {
        *self.leads_elsewhere.get_or_init(|| self.any_leads_elsewhere())
    }

    fn any_leads_elsewhere(&self) -> bool {
        let mut open = vec![self.root()];
        while let Some(schema) = open.pop() {
            let Value::Object(map) = schema.value else { continue };
            let reference = map.get("$ref").and_then(Value::as_str);
            let leads = |it: &str| matches!(self.resolve(it, &schema.at), Target::Elsewhere);
            let is_dynamic = |it: &String| matches!(it.as_str(), "$dynamicRef" | "$recursiveRef");
            if reference.is_some_and(leads) || map.keys().any(is_dynamic) {
                return true;
            }
            each_below(map, &schema.at, &mut |_, below| open.push(below));
        }
        false
    }

    /// The absolute URI that a reference from the schema at `from` names, without its fragment.
    pub(crate) fn absolute(&self, reference: &str, from: &Pointer) -> Option<String> {
        let (uri, _) = reference.split_once('#').unwrap_or((reference, ""));
        self.resources().absolute(uri, from)
    }

    fn target(&self, reference: &str, from: &Pointer) -> Option<Located<'a>> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let fragment = percent_decoded(fragment)?;
        let root = self.resources().named(uri, from)?;
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return self.located(self.resources().anchor(&root, &fragment)?);
        }
        let mut found = self.located(root)?;
        for token in tokens(fragment)? {
            let value = match found.value {
                Value::Object(map) => map.get(&token)?,
                Value::Array(list) => list.get(token.parse::<usize>().ok()?)?,
                _ => return None,
            };
            found = Located { value, at: found.at.child(&token) };
        }
        Some(found)
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
    Some(pointer.strip_prefix('/')?.split('/').map(|token| unescaped(token).into_owned()).collect())
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

    fn target(reference: &str) -> Option<String> {
        let root = json!({
            "$defs": {"a b": {}, "x/y~z": {}, "list": {"anyOf": [{}, {}]}},
            "definitions": {"Old": {}},
        });
        match Document::new(&root).resolve(reference, &Pointer::root()) {
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
    fn names_are_resolved_against_the_resource_that_they_stand_in() {
        let root = json!({
            "$id": "https://a/b/root.json",
            "properties": {"$id": {"enum": [{"$id": "https://a/b/none.json"}]}},
            "$defs": {
                "one": {"$id": "one.json", "$defs": {"deep": {"$anchor": "deep"}}},
                "two": {"$id": "urn:example:two", "$dynamicAnchor": "deep"},
                "three": {"$id": "three.json"}, "four": {"$id": "three.json"},
                "five": {"const": {"$id": "five.json"}}, "six": {"$id": "#six"},
            },
        });
        let document = Document::new(&root);
        let target = |reference: &str, from: &str| match document
            .resolve(reference, &Pointer::parse(from))
        {
            Target::Local(found) => Some(found.at.to_string()),
            Target::Elsewhere => None,
        };
        assert_eq!(target("one.json", "").as_deref(), Some("/$defs/one"));
        assert_eq!(target("one.json#deep", "").as_deref(), Some("/$defs/one/$defs/deep"));
        assert_eq!(
            target("#deep", "/$defs/one/$defs/deep").as_deref(),
            Some("/$defs/one/$defs/deep")
        );
        assert_eq!(target("#/$defs/deep", "/$defs/one").as_deref(), Some("/$defs/one/$defs/deep"));
        assert_eq!(target("/b/root.json#/$defs/two", "/$defs/one").as_deref(), Some("/$defs/two"));
        assert_eq!(target("urn:example:two#deep", "").as_deref(), Some("/$defs/two"));
        for elsewhere in
            ["#deep", "none.json", "three.json", "https://b/one.json", "five.json", "#six"]
        {
            assert_eq!(target(elsewhere, ""), None, "{elsewhere}");
        }
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
            ("http://json-schema.org/draft-04/schema#", Dialect::Draft4),
            ("http://json-schema.org/draft-06/schema#", Dialect::Draft6),
            ("https://json-schema.org/draft/2019-09/schema", Dialect::Draft2019),
            ("https://json-schema.org/draft/2020-12/schema", Dialect::Draft2020),
            ("https://example.com/mine", Dialect::Unknown),
        ] {
            assert_eq!(Dialect::of(&json!({"$schema": uri})), dialect, "{uri}");
        }
        assert_eq!(Dialect::of(&json!({})), Dialect::Draft2020);
    }

    #[test]
    fn a_keyword_asserts_from_the_dialect_on_that_brought_it() {
        let [four, six, seven] =
            ["04", "06", "07"].map(|it| format!("http://json-schema.org/draft-{it}/schema#"));
        let [nineteen, twenty] =
            ["2019-09", "2020-12"].map(|it| format!("https://json-schema.org/draft/{it}/schema"));
        let uris = [four, six, seven, nineteen, twenty].map(|uri| json!({"$schema": uri}));
        for (keyword, since) in
            [("enum", 0), ("const", 1), ("contains", 1), ("if", 2), ("else", 2), ("minContains", 3)]
        {
            let known = uris.each_ref().map(|uri| Document::new(uri).knows(keyword));
            assert_eq!(known, [0, 1, 2, 3, 4].map(|it| it >= since), "{keyword}");
        }
        assert!(uris.each_ref().iter().all(|uri| Document::new(uri).knows("dependencies")));
    }
}
