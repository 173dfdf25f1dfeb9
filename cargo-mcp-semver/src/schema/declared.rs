//! What schemas declare where.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use super::document::{Document, Located, Target};
use super::path::{self, Step};
use crate::suggest::nearest;

/// So many places of one schema are told apart.
const MAX_PLACES: usize = 10_000;

/// Keywords whose schemas describe the same value as the schema around them.
const IN_PLACE: &[&str] = &["allOf", "anyOf", "oneOf", "if", "then", "else"];

/// Looks a path (`filter.stops[].mode`) up in schemas, any of which may declare it.
///
/// # Errors
/// Where none does, the path that was meant: with the nearest declared name for every one that is
/// not, if each has one.
pub fn find<'a>(
    schemas: impl IntoIterator<Item = &'a Value>,
    path: &str,
) -> Result<(), Option<String>> {
    let documents: Vec<Document<'a>> = schemas.into_iter().map(Document::new).collect();
    let mut at: Vec<Applying<'_, 'a>> = documents.iter().map(Applying::root).collect();
    let mut meant = String::new();
    for step in path::steps(path).ok_or(None)? {
        let below = |step: &Step| at.iter().map(|it| it.below(step)).collect::<Vec<_>>();
        let declares = |next: &[Applying<'_, 'a>]| next.iter().any(|it| !it.schemas.is_empty());
        let (mut step, mut next) = (step.clone(), below(&step));
        if !declares(&next) {
            let Step::Name(name) = &step else { return Err(None) };
            let name = nearest(name, at.iter().flat_map(Applying::names)).ok_or(None)?;
            step = Step::Name(name.to_owned());
            next = below(&step);
        }
        (at, meant) = (next, path::join(&meant, step));
    }
    if meant == path { Ok(()) } else { Err(Some(meant)) }
}

/// The place that stands nearest to the whole for every schema that applies somewhere, by the
/// schema's JSON pointer (RFC 6901). Of a hostile document some may be left out.
pub fn places(schema: &Value) -> BTreeMap<String, String> {
    let document = Document::new(schema);
    let mut places = BTreeMap::new();
    let mut queue = VecDeque::from([(Applying::root(&document), String::new())]);
    while let Some((applying, place)) = queue.pop_front() {
        let mut is_new = false;
        for schema in &applying.schemas {
            if let Entry::Vacant(entry) = places.entry(schema.at.to_string()) {
                entry.insert(place.clone());
                is_new = true;
            }
        }
        if is_new {
            queue.extend(applying.steps().map(|step| {
                let below = path::join(&place, step.clone());
                (applying.below(&step), below)
            }));
        }
    }
    places
}

/// How many places the innermost schema around a JSON pointer applies to; `None` where they are too
/// many to count, as in a schema that contains itself.
pub fn uses(schema: &Value, pointer: &str) -> Option<usize> {
    let places = places(schema);
    let mut around = std::iter::successors(Some(pointer), |at| Some(at.rsplit_once('/')?.0));
    let innermost = around.find(|at| places.contains_key(*at))?;
    let document = Document::new(schema);
    let mut queue = VecDeque::from([Applying::root(&document)]);
    let (mut seen, mut count) = (0, 0);
    while let Some(applying) = queue.pop_front() {
        seen += 1;
        if seen > MAX_PLACES {
            return None;
        }
        count += usize::from(applying.schemas.iter().any(|it| it.at.as_str() == innermost));
        let below = applying.steps().map(|step| applying.below(&step));
        queue.extend(below.filter(|it| !it.schemas.is_empty()));
    }
    // Without fuel left, places may have been left out.
    document.spend(1).then_some(count)
}

/// The schemas of one document that apply to a place, every branch taken.
struct Applying<'d, 'a> {
    document: &'d Document<'a>,
    schemas: Vec<Located<'a>>,
}

impl<'d, 'a> Applying<'d, 'a> {
    fn root(document: &'d Document<'a>) -> Self {
        Self::of(document, vec![document.root()])
    }

    /// `found` and what they lead to, each schema once, so that cycles end.
    fn of(document: &'d Document<'a>, mut found: Vec<Located<'a>>) -> Self {
        let mut applying = Self { document, schemas: Vec::new() };
        let mut seen = BTreeSet::new();
        while let Some(schema) = found.pop() {
            if !schema.value.is_object() || !seen.insert(std::ptr::from_ref(schema.value)) {
                continue;
            }
            let reference = schema.value.get("$ref").and_then(Value::as_str);
            let target = reference.map(|reference| document.resolve(reference, &schema.at));
            if let Some(Target::Local(target)) = target {
                found.push(target);
            }
            for keyword in IN_PLACE {
                match applying.part(&schema, keyword) {
                    Some(branches) if branches.value.is_array() => {
                        let index = (0..).map(|index: usize| index.to_string());
                        found.extend(index.map_while(|at| applying.part(&branches, &at)));
                    }
                    branch => found.extend(branch),
                }
            }
            applying.schemas.push(schema);
        }
        applying
    }

    fn below(&self, step: &Step) -> Self {
        if !self.document.spend(1 + self.schemas.len()) {
            return Self { document: self.document, schemas: Vec::new() };
        }
        let parts = |keyword: &'static str| {
            self.schemas.iter().filter_map(move |schema| self.part(schema, keyword))
        };
        let found = match step {
            Step::Name(name) => parts("properties").filter_map(|it| self.part(&it, name)).collect(),
            Step::Undeclared => parts("additionalProperties").collect(),
            Step::Items => parts("items").filter(|it| !it.value.is_array()).collect(),
            Step::Item(index) => {
                let tuples = parts("prefixItems").chain(parts("items"));
                tuples.filter_map(|it| self.part(&it, &index.to_string())).collect()
            }
        };
        Self::of(self.document, found)
    }

    /// What stands one token of a pointer further down.
    fn part(&self, of: &Located<'a>, token: &str) -> Option<Located<'a>> {
        self.document.located(of.at.child(token))
    }

    /// Every step that is declared here.
    fn steps(&self) -> impl Iterator<Item = Step> {
        let names: BTreeSet<&str> = self.names().collect();
        let items = |it: &Located<'a>| {
            let count =
                |keyword| it.value.get(keyword).and_then(Value::as_array).map_or(0, Vec::len);
            count("prefixItems").max(count("items"))
        };
        let items = self.schemas.iter().map(items).max().unwrap_or(0);
        let names = names.into_iter().map(|name| Step::Name(name.to_owned()));
        names.chain([Step::Items, Step::Undeclared]).chain((0..items).map(Step::Item))
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        let properties = self.schemas.iter().filter_map(|it| it.value.get("properties"));
        properties.filter_map(Value::as_object).flat_map(|map| map.keys().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_are_found_through_references_unions_lists_tuples_and_maps() {
        let schema = json!({
            "properties": {
                "node": {"$ref": "#/$defs/Node"},
                "at": {"prefixItems": [{"type": "number"}, {"properties": {"x.y": {}}}]},
                "headers": {"additionalProperties": {"properties": {"value": true}}},
            },
            "$defs": {"Node": {"anyOf": [
                {"properties": {"children": {"items": {"$ref": "#/$defs/Node"}}}}, {"type": "null"},
            ]}},
        });
        let declared = |path: &str| find([&schema], path);
        for path in ["node.children[].children[].children", "at[1][\"x.y\"]", "headers.*"] {
            assert_eq!(declared(path), Ok(()), "{path}");
        }
        for (path, meant) in [
            ("nodes", Some("node")),
            ("nodes.childern[].children", Some("node.children[].children")),
            ("node.children[].mode", None),
            ("node[]", None),
            ("a b", None),
        ] {
            assert_eq!(declared(path), Err(meant.map(str::to_owned)), "{path}");
        }
        assert_eq!(find([], "node"), Err(None));
    }

    #[test]
    fn what_applies_to_itself_is_looked_at_once() {
        let schema = json!({"$ref": "#", "allOf": [{"$ref": "#"}], "properties": {"a": {}}});
        assert_eq!(uses(&schema, "/properties/a"), Some(1));
    }

    #[test]
    fn a_definition_has_the_nearest_place_that_uses_it() {
        let schema = json!({
            "properties": {
                "deep": {"properties": {"mode": {"$ref": "#/$defs/Mode"}}},
                "list": {"items": {"anyOf": [{"$ref": "#/$defs/Mode"}, {"type": "null"}]}},
                "self": {"$ref": "#"},
            },
            "$defs": {"Mode": {"properties": {"a.b": {"enum": [1]}}}, "Unused": {}},
        });
        let places = places(&schema);
        let place = |pointer: &str| places.get(pointer).map(String::as_str);
        assert_eq!(place(""), Some(""));
        assert_eq!(place("/$defs/Mode"), Some("deep.mode"));
        assert_eq!(place("/$defs/Mode/properties/a.b"), Some(r#"deep.mode["a.b"]"#));
        assert_eq!(place("/properties/deep/properties/mode"), Some("deep.mode"));
        assert_eq!(place("/$defs/Unused"), None);
        assert_eq!(uses(&schema, "/$defs/Mode"), None, "it is inside itself");
        let mut schema = schema;
        schema["properties"]["self"] = json!(true);
        for (pointer, count) in [
            ("/$defs/Mode/properties/a.b/enum/0", 2),
            ("/properties/list/items/anyOf/1", 1),
            ("", 1),
        ] {
            assert_eq!(uses(&schema, pointer), Some(count), "{pointer}");
        }
    }
}
