//! The names that the parts of a document go by: `$id`, `$anchor` and `$dynamicAnchor`.
//!
//! JSON Schema core 2020-12, sections 8.2 and 9; in drafts up to 7 an `$id` that is a fragment is
//! an anchor, and one beside a `$ref` is none.

use std::collections::BTreeMap;

use fluent_uri::{Uri, UriRef};
use serde_json::{Map, Value};

use super::document::{Dialect, Located, Pointer};
use super::keywords::each_below;

/// What a document is called that does not name itself.
const NAMELESS: &str = "json-schema:///";
/// Schemas nested deeper than this go without a name.
const MAX_DEPTH: usize = 200;

/// A name by what it names; `None` when several parts claim it.
type Names<K> = BTreeMap<K, Option<Pointer>>;

/// Every schema resource of a document, with its anchors.
#[derive(Debug)]
pub(super) struct Resources {
    dialect: Dialect,
    /// Absolute URI by the root of the resource.
    uris: BTreeMap<Pointer, String>,
    roots: Names<String>,
    /// By the root of the resource and the name of the anchor.
    anchors: Names<(Pointer, String)>,
    dynamic: Names<(Pointer, String)>,
}

impl Resources {
    pub(super) fn of(document: &Value, dialect: Dialect) -> Self {
        let (uris, roots) = (BTreeMap::new(), BTreeMap::new());
        let (anchors, dynamic) = (BTreeMap::new(), BTreeMap::new());
        let mut found = Self { dialect, uris, roots, anchors, dynamic };
        found.name(&Pointer::root(), NAMELESS.to_owned());
        found.scan(document, &Pointer::root(), &Pointer::root(), 0);
        found
    }

    /// The root of the resource that the schema at `at` belongs to.
    pub(super) fn root_of(&self, at: &Pointer) -> Pointer {
        let mut text = if self.uris.len() > 1 { at.as_str() } else { "" };
        loop {
            let root = Pointer::parse(text);
            match (self.uris.contains_key(&root), text.rfind('/')) {
                (false, Some(end)) => text = &text[..end],
                _ => return root,
            }
        }
    }

    /// The root of the resource that `uri` names, read at `at`.
    pub(super) fn named(&self, uri: &str, at: &Pointer) -> Option<Pointer> {
        let root = self.root_of(at);
        if uri.is_empty() {
            return Some(root);
        }
        self.roots.get(&self.absolute(uri, at)?)?.clone()
    }

    /// The absolute form of `uri`, read at `at`.
    pub(super) fn absolute(&self, uri: &str, at: &Pointer) -> Option<String> {
        resolved(uri, self.uris.get(&self.root_of(at))?)
    }

    /// Whether several parts claim the name of a resource, or of an anchor in one.
    pub(super) fn is_ambiguous(&self, uri: &str, anchor: &str, at: &Pointer) -> bool {
        let claimed = self.absolute(uri, at).and_then(|uri| self.roots.get(&uri));
        let root = if uri.is_empty() { Some(Some(self.root_of(at))) } else { claimed.cloned() };
        match root {
            Some(Some(root)) => self.anchors.get(&(root, anchor.to_owned())) == Some(&None),
            claimed => claimed.is_some(),
        }
    }

    /// The schema that has an anchor in a resource, dynamic or not.
    pub(super) fn anchor(&self, root: &Pointer, name: &str) -> Option<Pointer> {
        self.anchors.get(&(root.clone(), name.to_owned()))?.clone()
    }

    /// The schema that has a dynamic anchor in a resource.
    pub(super) fn dynamic_anchor(&self, root: &Pointer, name: &str) -> Option<Pointer> {
        self.dynamic.get(&(root.clone(), name.to_owned()))?.clone()
    }

    /// Every schema that has a dynamic anchor, in whatever resource.
    pub(super) fn dynamic_anchors(&self, name: &str) -> impl Iterator<Item = Pointer> {
        self.dynamic.iter().filter(move |((_, it), _)| it == name).filter_map(|(_, at)| at.clone())
    }

    /// Whether any schema has a dynamic anchor.
    pub(super) fn has_dynamic_anchors(&self) -> bool {
        !self.dynamic.is_empty()
    }

    fn name(&mut self, root: &Pointer, uri: String) {
        add(&mut self.roots, uri.clone(), root);
        self.uris.insert(root.clone(), uri);
    }

    fn scan(&mut self, schema: &Value, at: &Pointer, root: &Pointer, depth: usize) {
        let Some(map) = schema.as_object().filter(|_| depth < MAX_DEPTH) else { return };
        let root = self.identity(map, at, root);
        each_below(map, at, &mut |_, Located { value, at }| {
            self.scan(value, &at, &root, depth + 1)
        });
    }

    /// Takes the names of one schema; returns the root of the resource that it belongs to.
    fn identity(&mut self, map: &Map<String, Value>, at: &Pointer, root: &Pointer) -> Pointer {
        let old = matches!(self.dialect, Dialect::Draft4 | Dialect::Draft6 | Dialect::Draft7);
        let keyword = if self.dialect == Dialect::Draft4 { "id" } else { "$id" };
        let text = |keyword: &str| map.get(keyword).and_then(Value::as_str);
        let id = text(keyword).filter(|_| !(old && map.contains_key("$ref")));
        let (uri, fragment) = id.map_or(("", ""), |id| id.split_once('#').unwrap_or((id, "")));
        let mut root = root.clone();
        if !uri.is_empty()
            && let Some(uri) = self.uris.get(&root).and_then(|base| resolved(uri, base))
        {
            root = at.clone();
            self.name(&root, uri);
        }
        if old && !fragment.is_empty() {
            add(&mut self.anchors, (root.clone(), fragment.to_owned()), at);
        }
        if !old {
            for keyword in ["$anchor", "$dynamicAnchor"] {
                if let Some(name) = text(keyword) {
                    add(&mut self.anchors, (root.clone(), name.to_owned()), at);
                }
            }
            if let Some(name) = text("$dynamicAnchor") {
                add(&mut self.dynamic, (root.clone(), name.to_owned()), at);
            }
        }
        root
    }
}

fn add<K: Ord>(names: &mut Names<K>, name: K, at: &Pointer) {
    names
        .entry(name)
        .and_modify(|known| {
            if known.as_ref() != Some(at) {
                *known = None;
            }
        })
        .or_insert_with(|| Some(at.clone()));
}

/// A reference without fragment against its base (RFC 3986, section 5).
fn resolved(reference: &str, base: &str) -> Option<String> {
    let base = Uri::parse(base).ok()?;
    let uri = UriRef::parse(reference).ok()?.resolve_against(&base).ok()?;
    Some(uri.normalize().into_string())
}
