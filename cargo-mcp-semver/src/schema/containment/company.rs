//! Which schemas apply to a value inside another beside the one that is being read: a property may
//! be described by several parts of an `allOf`, by a `then`, by a pattern of its name.
//!
//! Branches of one `anyOf` or `oneOf` are taken for alternatives, of which none says what another
//! declares.

use std::collections::{BTreeMap, BTreeSet};

use mcp_semver_build::pointer::unescaped;
use serde_json::{Map, Value};

use super::budget::Budget;
use super::words::Pattern;
use crate::schema::document::{Document, Pointer, Target};

/// So many schemas are looked at for one reading.
const MAX_LOOKS: usize = 200_000;
/// What it may cost to understand one pattern.
const MAX_STEPS: usize = 1_000;

/// A schema that applies to the value, and the part of it that is being read, if it is in one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Around {
    pub(super) at: Pointer,
    pub(super) read: Option<Pointer>,
}

/// What was looked at for one reading.
#[derive(Default)]
pub(super) struct Looks {
    taken: usize,
    /// Patterns of names, where they are understood.
    patterns: BTreeMap<String, Option<Pattern>>,
}

impl Looks {
    /// Whether a pattern may match a name.
    fn may_match(&mut self, pattern: &str, name: &str) -> bool {
        if !name.starts_with(beginning(pattern)) {
            return false;
        }
        let built = || Pattern::of(pattern, &Budget::new(MAX_STEPS));
        let known = self.patterns.entry(pattern.to_owned()).or_insert_with(built);
        known.as_ref().is_none_or(|it| it.finds(name))
    }
}

/// Keywords that say something of the values inside a value.
const INSIDE: &[&str] = &[
    "properties",
    "patternProperties",
    "additionalProperties",
    "items",
    "prefixItems",
    "additionalItems",
    "contains",
];
/// Keywords that hold schemas which apply to the same value.
const HERE: &[&str] =
    &["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "dependencies"];

impl Around {
    pub(super) fn new(at: &Pointer) -> Self {
        Self { at: at.clone(), read: None }
    }

    /// Whether it may say something of the values inside, apart from the part that is being read.
    pub(super) fn says_more(&self, document: &Document<'_>) -> bool {
        let Some(Value::Object(map)) = document.at(&self.at) else { return false };
        let is_other = |keyword: &&str| match map.get(*keyword) {
            Some(Value::Array(list)) if *keyword == "allOf" && list.len() > 1 => true,
            Some(_) => !self.is_read_in(keyword),
            None => false,
        };
        let leads_away = || self.read.as_ref().is_none_or(|it| is_below(it, &self.at));
        INSIDE.iter().any(|keyword| map.contains_key(*keyword))
            || HERE.iter().any(is_other)
            || (["$ref", "$dynamicRef"].iter().any(|it| map.contains_key(*it)) && leads_away())
    }

    fn is_read_in(&self, keyword: &str) -> bool {
        self.read.as_ref().is_some_and(|it| is_below(it, &self.at.child(keyword)))
    }
}

fn is_below(pointer: &Pointer, above: &Pointer) -> bool {
    pointer.as_str().strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

/// Which of the values inside a value.
enum Inside {
    Property(String),
    Matching(String),
    Undeclared,
    Item(usize),
    Further,
    AnyItem,
}

impl Inside {
    /// Those that the schema at `child`, a child of the one at `parent`, applies to.
    fn of(parent: &Pointer, child: &Pointer) -> Option<Self> {
        let way = child.as_str().strip_prefix(parent.as_str())?.strip_prefix('/')?;
        let (keyword, token) = way.split_once('/').unwrap_or((way, ""));
        let name = || unescaped(token).into_owned();
        Some(match keyword {
            "properties" => Self::Property(name()),
            "patternProperties" => Self::Matching(name()),
            "additionalProperties" => Self::Undeclared,
            "prefixItems" | "items" if !token.is_empty() => Self::Item(token.parse().ok()?),
            "items" | "additionalItems" => Self::Further,
            "contains" => Self::AnyItem,
            _ => return None,
        })
    }
}

/// What applies, beside the schema at `child`, to what that applies to inside the value that
/// `around` applies to; the last of these has it. `None` where there is too much to look at.
pub(super) fn beside<'a>(
    document: &Document<'a>,
    around: &[Around],
    child: &Pointer,
    looks: &mut Looks,
) -> Option<Vec<Around>> {
    let Some(parent) = around.last().map(|it| it.at.clone()) else { return Some(Vec::new()) };
    let Some(inside) = Inside::of(&parent, child) else { return Some(Vec::new()) };
    let (seen, found) = (BTreeSet::new(), BTreeSet::new());
    let mut search = Search { document, parent, child, inside, looks, seen, found };
    for around in around {
        search.schemas(around)?;
    }
    Some(search.found.iter().map(Around::new).collect())
}

struct Search<'s, 'd, 'a> {
    document: &'d Document<'a>,
    parent: Pointer,
    child: &'s Pointer,
    inside: Inside,
    looks: &'s mut Looks,
    seen: BTreeSet<Pointer>,
    found: BTreeSet<Pointer>,
}

impl<'a> Search<'_, '_, 'a> {
    fn look(&mut self) -> Option<()> {
        self.looks.taken += 1;
        (self.looks.taken <= MAX_LOOKS).then_some(())
    }

    /// Looks into a schema and all that applies with it, apart from the part that is being read.
    fn schemas(&mut self, around: &Around) -> Option<()> {
        let mut open = vec![around.clone()];
        while let Some(next) = open.pop() {
            self.look()?;
            let Some(Value::Object(map)) = self.document.at(&next.at) else { continue };
            if !self.seen.insert(next.at.clone()) {
                continue;
            }
            let mut push = |at: Pointer| {
                if next.read.as_ref() != Some(&at) {
                    open.push(Around::new(&at));
                }
            };
            if let Some(Value::String(reference)) = map.get("$ref") {
                if let Target::Local(target) = self.document.resolve(reference, &next.at) {
                    push(target.at);
                }
                if !self.document.ref_has_siblings() {
                    continue;
                }
            }
            // Which it leads to depends on the way here: whatever a sender may know by it counts.
            if let Some(Value::String(reference)) = map.get("$dynamicRef") {
                if let Target::Local(target) = self.document.resolve(reference, &next.at) {
                    push(target.at);
                }
                let name = reference.split_once('#').map_or("", |(_, name)| name);
                self.document.resources().dynamic_anchors(name).for_each(&mut push);
            }
            for keyword in HERE {
                let Some(value) = map.get(*keyword) else { continue };
                if matches!(*keyword, "anyOf" | "oneOf") && next.is_read_in(keyword) {
                    continue;
                }
                let at = next.at.child(keyword);
                match value {
                    Value::Array(list) => {
                        (0..list.len()).for_each(|index| push(at.child(&index.to_string())));
                    }
                    Value::Object(all) if keyword.starts_with("depend") => {
                        all.keys().for_each(|name| push(at.child(name)));
                    }
                    _ => push(at),
                }
            }
            self.inside(map, &next.at)?;
        }
        Some(())
    }

    fn inside(&mut self, map: &'a Map<String, Value>, at: &Pointer) -> Option<()> {
        let object = |keyword: &str| map.get(keyword).and_then(Value::as_object);
        let (properties, patterns) = (object("properties"), object("patternProperties"));
        let is_declared = |name: &str| properties.is_some_and(|all| all.contains_key(name));
        let is_parent = *at == self.parent;
        let mut found = Vec::new();
        match &self.inside {
            Inside::Property(name) => {
                found.extend(is_declared(name).then(|| ("properties", Some(name.clone()))));
                found.extend(matching(patterns, |pattern| self.looks.may_match(pattern, name)));
                let is_undeclared = !is_parent && !is_declared(name);
                found.extend(is_undeclared.then_some(("additionalProperties", None)));
            }
            Inside::Matching(one) => {
                let names = properties.into_iter().flat_map(Map::keys);
                let names = names.filter(|name| self.looks.may_match(one, name));
                found.extend(names.map(|name| ("properties", Some(name.clone()))));
                found.extend(matching(patterns, |other| may_overlap(one, other)));
                found.extend((!is_parent).then_some(("additionalProperties", None)));
            }
            Inside::Undeclared if is_parent => {}
            Inside::Undeclared => {
                let names = properties.into_iter().flat_map(Map::keys);
                found.extend(names.map(|name| ("properties", Some(name.clone()))));
                found.extend(matching(patterns, |_| true));
                found.push(("additionalProperties", None));
            }
            Inside::Item(_) | Inside::Further | Inside::AnyItem => {
                for keyword in ["prefixItems", "items"] {
                    let length = map.get(keyword).and_then(Value::as_array).map_or(0, Vec::len);
                    let applies = |index: &usize| match self.inside {
                        Inside::Item(item) => item == *index,
                        Inside::Further => !is_parent,
                        _ => true,
                    };
                    let items = (0..length).filter(applies);
                    found.extend(items.map(|index| (keyword, Some(index.to_string()))));
                }
                let is_tuple = is_parent && matches!(self.inside, Inside::Item(_));
                if !is_tuple && !map.get("items").is_some_and(Value::is_array) {
                    found.push(("items", None));
                }
                found.extend((!is_tuple).then_some(("additionalItems", None)));
                found.push(("contains", None));
            }
        }
        for (keyword, token) in found {
            self.look()?;
            let at = at.child(keyword);
            let at = token.map_or_else(|| at.clone(), |token| at.child(&token));
            if at != *self.child && Around::new(&at).says_more(self.document) {
                self.found.insert(at);
            }
        }
        Some(())
    }
}

fn matching<'m>(
    patterns: Option<&'m Map<String, Value>>,
    mut is_met: impl FnMut(&str) -> bool + 'm,
) -> impl Iterator<Item = (&'static str, Option<String>)> + 'm {
    let patterns = patterns.into_iter().flat_map(Map::keys).filter(move |it| is_met(it));
    patterns.map(|pattern| ("patternProperties", Some(pattern.clone())))
}

/// Whether some name may match both patterns.
fn may_overlap(one: &str, other: &str) -> bool {
    let (one, other) = (beginning(one), beginning(other));
    one.starts_with(other) || other.starts_with(one)
}

/// What everything that a pattern matches begins with.
fn beginning(pattern: &str) -> &str {
    let Some(anchored) = pattern.strip_prefix('^').filter(|it| !it.contains('|')) else {
        return "";
    };
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let length = anchored.bytes().take_while(|byte| is_plain(byte)).count();
    let may_be_left_out = anchored[length..].starts_with(['*', '?', '{']);
    &anchored[..length.saturating_sub(usize::from(may_be_left_out))]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What applies beside the schema at `child` inside the value that its parents apply to.
    fn company(schema: &Value, parents: &[&str], child: &str) -> Vec<String> {
        let document = Document::new(schema);
        let parents: Vec<Pointer> = parents.iter().map(|it| Pointer::parse(it)).collect();
        let read = parents.iter().skip(1).cloned().map(Some).chain([None]);
        let around = parents.iter().cloned().zip(read).map(|(at, read)| Around { at, read });
        let around: Vec<Around> = around.collect();
        let found = beside(&document, &around, &Pointer::parse(child), &mut Looks::default());
        found.unwrap().into_iter().map(|it| it.at.as_str().to_owned()).collect()
    }

    #[test]
    fn what_else_applies_to_a_value_inside_is_found() {
        let o = json!({"properties": {"z": {}}});
        let a = json!({ "properties": { "a": o } });
        let both = |one: &Value, other: &Value| json!({ "allOf": [one, other] });
        let first = ["", "/allOf/0"];
        let a_of_first = "/allOf/0/properties/a";
        let draft_07 = "http://json-schema.org/draft-07/schema#";
        for (schema, parents, child, expected) in [
            (both(&a, &a), &first[..], a_of_first, &["/allOf/1/properties/a"][..]),
            (both(&a, &json!({"properties": {"a": {"type": "object"}}})), &first, a_of_first, &[]),
            (json!({ "anyOf": [a, a] }), &["", "/anyOf/0"], "/anyOf/0/properties/a", &[]),
            (
                json!({"properties": {"ab": o}, "patternProperties": {"^a": o, "^b": o, "b$": o}}),
                &[""],
                "/properties/ab",
                &["/patternProperties/^a", "/patternProperties/b$"],
            ),
            (
                json!({"properties": {"ab": o, "b": o}, "patternProperties": {"^a": o, "^ab": o, "^c": o}}),
                &[""],
                "/patternProperties/^a",
                &["/patternProperties/^ab", "/properties/ab"],
            ),
            (
                both(&a, &json!({ "additionalProperties": o })),
                &first,
                a_of_first,
                &["/allOf/1/additionalProperties"],
            ),
            (
                json!({"properties": {"a": o}, "additionalProperties": o}),
                &[""],
                "/properties/a",
                &[],
            ),
            (
                both(&a, &json!({"properties": {"a": o}, "additionalProperties": o})),
                &first,
                a_of_first,
                &["/allOf/1/properties/a"],
            ),
            (
                both(
                    &json!({ "additionalProperties": o }),
                    &json!({"properties": {"a": o}, "patternProperties": {"^b": o}, "additionalProperties": o}),
                ),
                &first,
                "/allOf/0/additionalProperties",
                &[
                    "/allOf/1/additionalProperties",
                    "/allOf/1/patternProperties/^b",
                    "/allOf/1/properties/a",
                ],
            ),
            (
                both(
                    &json!({ "items": o }),
                    &json!({"prefixItems": [o], "items": o, "contains": o}),
                ),
                &first,
                "/allOf/0/items",
                &["/allOf/1/contains", "/allOf/1/items", "/allOf/1/prefixItems/0"],
            ),
            (
                json!({"prefixItems": [o, o], "items": o, "contains": o}),
                &[""],
                "/prefixItems/0",
                &["/contains"],
            ),
            (
                both(
                    &json!({ "prefixItems": [o, o] }),
                    &json!({"prefixItems": [o, o], "items": o}),
                ),
                &first,
                "/allOf/0/prefixItems/1",
                &["/allOf/1/items", "/allOf/1/prefixItems/1"],
            ),
            (
                json!({"$schema": draft_07, "allOf": [{"items": o}, {"items": [o], "additionalItems": o}]}),
                &first,
                "/allOf/0/items",
                &["/allOf/1/additionalItems", "/allOf/1/items/0"],
            ),
            (
                json!({"if": {"required": ["b"]}, "then": a, "else": a, "properties": {"a": o}}),
                &[""],
                "/properties/a",
                &["/else/properties/a", "/then/properties/a"],
            ),
            (
                json!({"dependentSchemas": {"b": a}, "properties": {"a": o}}),
                &[""],
                "/properties/a",
                &["/dependentSchemas/b/properties/a"],
            ),
            (
                json!({"$ref": "#/$defs/x", "properties": {"a": o}, "$defs": {"x": a}}),
                &[""],
                "/properties/a",
                &["/$defs/x/properties/a"],
            ),
        ] {
            assert_eq!(company(&schema, parents, child), expected, "{schema} {child}");
        }
    }

    #[test]
    fn patterns_that_begin_otherwise_match_no_common_name() {
        for (one, other, expected) in [
            ("^a", "^ab", true),
            ("^a", "^b", false),
            ("a", "^b", true),
            ("^a|b", "^c", true),
            ("^ab*", "^ac", true),
            ("^ab?", "^ac", true),
            ("^ab+", "^ac", false),
            ("^a{0}b", "^c", true),
            ("^a_-1", "^a_-2", false),
        ] {
            assert_eq!(may_overlap(one, other), expected, "{one} {other}");
            assert_eq!(may_overlap(other, one), expected, "{other} {one}");
        }
    }
}
