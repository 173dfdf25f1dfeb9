//! What schemas say beside which values they accept, wherever they say it.
//!
//! Containment is blind to formats, encodings, defaults and to the names that are declared, and
//! each of them is something that an agent goes by. Where no rule has looked into a part of a
//! schema, that the same values are accepted does not mean that the same is said of them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use mcp_semver_build::pointer::unescaped;
use serde_json::{Map, Value};

use super::containment::Budget;
use super::document::{Document, Located, Target};
use super::formats::MEANT;
use super::keywords::each_below;
use super::names::{is_every, listed};
use super::number::is_of_any_number;
use super::types::{Types, types_of};
use super::view::text;

/// So many keywords of a document are read at once.
const MAX_READ: usize = 150_000;
/// That nothing may be sent but what is declared.
const CLOSED: &str = "closed";

/// What a schema and everything below it say.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Names of declared properties.
    names: BTreeSet<String>,
    /// Types with what is meant by them.
    types: BTreeSet<(String, String)>,
    /// Defaults, references elsewhere, and that nothing may be sent but what is declared.
    rest: BTreeSet<String>,
}

/// What a format says beside the type: every number is one of either kind.
fn meant(format: &Value) -> Option<&Value> {
    (!is_of_any_number(format)).then_some(format)
}

/// Whether a keyword asks something of a value of the types that stand beside it.
fn asks(schema: &Map<String, Value>, keyword: &str) -> bool {
    let types = schema.get("type").and_then(Types::named).unwrap_or(Types::ALL);
    types_of(keyword).meets(types)
}

/// Whether anything in a document says more of a text or a number than its type.
pub(super) fn has_formats(document: &Document<'_>) -> bool {
    document.any(|value| MEANT.iter().any(|it| value.get(*it).and_then(meant).is_some()))
}

impl Said {
    /// Reads it; `None` where the schema is too large to be read.
    pub(super) fn by(document: &Document<'_>, schema: &Located<'_>) -> Option<Self> {
        Self::read(document, schema, true, &|cost| document.spend(cost))
    }

    /// The same of the whole, whatever else has been read of the document.
    pub(super) fn by_all_of(document: &Document<'_>) -> Option<Self> {
        let budget = Budget::new(MAX_READ);
        Self::read(document, &document.root(), true, &|cost| budget.spend(cost))
    }

    /// Reads it, and of what else applies under which condition if that `matters`.
    fn read(
        document: &Document<'_>,
        schema: &Located<'_>,
        matters: bool,
        spend: &dyn Fn(usize) -> bool,
    ) -> Option<Self> {
        let mut said = Self::default();
        let mut seen = BTreeSet::new();
        let mut open = vec![(schema.clone(), true)];
        while let Some((schema, fills)) = open.pop() {
            if !seen.insert((schema.at.as_str().to_owned(), fills)) {
                continue;
            }
            let Value::Object(map) = schema.value else { continue };
            if !spend(map.len()) {
                return None;
            }
            let is_heard = !map.contains_key("$ref") || document.ref_has_siblings();
            if is_heard {
                said.keywords(map, fills);
                if matters {
                    said.conditions(document, map, &schema, spend)?;
                }
            }
            let names =
                asks(map, "propertyNames").then(|| listed(document, &schema, map)).flatten();
            if let Some(names) = names.filter(|_| is_heard) {
                said.names.extend(names.into_iter().map(str::to_owned));
                said.rest.insert(CLOSED.to_owned());
            }
            if let Some(Value::String(reference)) = map.get("$ref") {
                match document.resolve(reference, &schema.at) {
                    Target::Local(target) => open.push((target, fills)),
                    Target::Elsewhere => {
                        said.rest.insert(format!("$ref {reference}"));
                    }
                }
            }
            if let Some(Value::String(reference)) = map.get("$dynamicRef") {
                let name = reference.split_once('#').map_or("", |(_, name)| name);
                let anchored = document.resources().dynamic_anchors(name);
                open.extend(anchored.filter_map(|at| Some((document.located(at)?, fills))));
                if let Target::Local(target) = document.resolve(reference, &schema.at) {
                    open.push((target, fills));
                }
            }
            each_below(map, &schema.at, &mut |keyword, schema| {
                // Definitions apply where they are referred to, and nobody fills in what is but asked.
                if is_heard && asks(map, keyword) && !matches!(keyword, "$defs" | "definitions") {
                    let is_asked = match keyword {
                        "not" | "if" => true,
                        "contains" => map.contains_key("maxContains"),
                        _ => false,
                    };
                    open.push((schema, fills && !is_asked));
                }
            });
        }
        Some(said)
    }

    /// Takes for which values something is said beside the accepted ones, where it is not for all.
    fn conditions(
        &mut self,
        document: &Document<'_>,
        map: &Map<String, Value>,
        schema: &Located<'_>,
        spend: &dyn Fn(usize) -> bool,
    ) -> Option<()> {
        let mut all = Vec::new();
        each_below(map, &schema.at, &mut |keyword, schema| match keyword {
            _ if !asks(map, keyword) => {}
            "then" | "else" => all.push((map.get("if").map(text), schema)),
            "dependentSchemas" | "dependencies" | "patternProperties" => {
                let name = schema.at.as_str().rsplit('/').next().map(unescaped);
                all.push((name.filter(|it| !is_every(it)).map(Cow::into_owned), schema));
            }
            _ => {}
        });
        for (condition, schema) in all {
            let Some(condition) = condition else { continue };
            let said = Self::read(document, &schema, false, spend)?;
            if said.has_meaning() || !said.is_plain() {
                self.rest.insert(format!("where {condition}"));
            }
        }
        Some(())
    }

    /// Takes what one schema says; only one that `fills` in what is left out has defaults.
    fn keywords(&mut self, map: &Map<String, Value>, fills: bool) {
        let is_of_objects = asks(map, "properties");
        if let Some(Value::Object(properties)) = map.get("properties").filter(|_| is_of_objects) {
            self.names.extend(properties.keys().cloned());
        }
        // Without a default an omitted field is null to its reader.
        if let Some(default) = map.get("default").filter(|it| fills && !it.is_null()) {
            self.rest.insert(format!("default {}", text(default)));
        }
        let patterns = map.get("patternProperties").and_then(Value::as_object);
        let is_open = patterns.is_some_and(|it| it.keys().any(|pattern| is_every(pattern)));
        for closed in ["additionalProperties", "unevaluatedProperties"] {
            if map.get(closed) == Some(&Value::Bool(false)) && !is_open && is_of_objects {
                self.rest.insert(CLOSED.to_owned());
            }
        }
        let meant: Vec<String> = MEANT
            .iter()
            .filter_map(|key| Some(format!("{key} {}", meant(map.get(*key)?)?)))
            .collect();
        let types = match map.get("type") {
            Some(Value::String(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if meant.is_empty() => Vec::new(),
            _ => vec![""],
        };
        let can_be_meant = |name: &&str| matches!(*name, "" | "string" | "integer" | "number");
        for name in types.into_iter().filter(can_be_meant) {
            self.types.insert((name.to_owned(), meant.join(" ")));
        }
    }

    /// Whether it says how a value is meant.
    pub(super) fn has_meaning(&self) -> bool {
        self.means(self)
    }

    /// Whether nobody goes by it where any value may be sent: there is no default, and nothing that
    /// lies elsewhere.
    pub(super) fn is_plain(&self) -> bool {
        self.rest.iter().all(|it| it == CLOSED)
    }

    /// Whether all of this is said there too.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        let types = !self.means(other) || self.types.is_subset(&other.types);
        types && self.names.is_subset(&other.names) && self.rest.is_subset(&other.rest)
    }

    /// Whether the same is said there.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.is_kept_by(other) && self.names == other.names
    }

    /// Whether the same is said there, perhaps of further names.
    pub(super) fn is_kept_by(&self, other: &Self) -> bool {
        let types = !self.means(other) || self.types == other.types;
        types && self.names.is_subset(&other.names) && self.rest == other.rest
    }

    /// The same without what is said of types.
    pub(super) fn without_types(self) -> Self {
        Self { types: BTreeSet::new(), ..self }
    }

    /// Leaves out that nothing may be sent but what is declared, where the other does not say so.
    pub(super) fn open_like(&mut self, other: &Self) {
        if !other.rest.contains(CLOSED) {
            self.rest.remove(CLOSED);
        }
    }

    /// Whether either says more of some type than its name.
    fn means(&self, other: &Self) -> bool {
        self.types.union(&other.types).any(|(_, meant)| !meant.is_empty())
    }
}
