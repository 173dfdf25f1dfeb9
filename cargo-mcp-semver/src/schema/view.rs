//! What a schema says at one place, however it is spelt.
//!
//! A [`View`] is the conjunction of everything that applies there: the keywords of the schema
//! itself, of what its `$ref` leads to, and of its `allOf`. Nullable unions become a type, unions
//! of single values become an enum, `const` becomes an enum of one. Whatever has no exact merged
//! form is kept apart in [`View::and`], so that nothing is lost.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::document::{Document, Located, Pointer, Target};
use super::keywords::{CONTEXTUAL, EVALUATING, is_kept, is_valid};
use super::types::Types;
pub(crate) use crate::exact::text;

/// References and conjunctions nested deeper than this are not understood.
const MAX_DEPTH: usize = 64;
const UNEVALUATED: &str = "unevaluatedProperties";

pub(super) static NULL: Value = Value::Null;
/// What is written nowhere.
pub(super) static ANYTHING: Value = Value::Bool(true);
static TRUE: Value = Value::Bool(true);
pub(super) static FALSE: Value = Value::Bool(false);

/// JSON values by their [`text`].
pub(crate) type Values<'a> = BTreeMap<String, &'a Value>;

/// What is said of single values, by the value's [`text`].
pub(super) type Texts<'a> = BTreeMap<String, Located<'a>>;

/// `anyOf` or `oneOf`.
#[derive(Debug, Clone)]
pub(crate) struct Union<'a> {
    /// Exactly one branch has to match (`oneOf`).
    pub(crate) exclusive: bool,
    pub(crate) branches: Vec<Located<'a>>,
    /// The schema it stands in.
    pub(crate) at: Pointer,
}

/// What a schema says at one place.
#[derive(Debug, Clone)]
pub(crate) struct View<'a> {
    /// The schema that was asked about, or the first of several.
    pub(crate) at: Pointer,
    /// Where that is written: what its reference leads to, where it is nothing else.
    pub(crate) written: Pointer,
    /// The schema at `at` says all of this.
    pub(crate) complete: bool,
    /// Why this view cannot be relied on, if so.
    pub(crate) unknown: Option<&'static str>,
    /// Nothing is accepted.
    pub(crate) never: bool,
    pub(crate) types: Types,
    /// Where the types are named.
    pub(crate) types_at: Pointer,
    pub(crate) values: Option<Values<'a>>,
    /// Where the values are named.
    pub(crate) values_at: Pointer,
    /// Descriptions of single values.
    pub(crate) value_text: Texts<'a>,
    /// Every schema that applies to a property.
    pub(crate) properties: BTreeMap<&'a str, Vec<Located<'a>>>,
    /// Required names and the schema that requires them.
    pub(crate) required: BTreeMap<&'a str, Pointer>,
    pub(crate) additional: Option<Located<'a>>,
    pub(crate) prefix: Vec<Located<'a>>,
    pub(crate) items: Option<Located<'a>>,
    pub(crate) unions: Vec<Union<'a>>,
    /// Every other assertion by keyword.
    pub(crate) rest: BTreeMap<&'a str, Located<'a>>,
    /// What applies as well and could not be merged.
    pub(crate) and: Vec<View<'a>>,
    pub(crate) title: Option<Located<'a>>,
    pub(crate) description: Option<Located<'a>>,
    /// The default, and others that further schemas of the place have.
    pub(crate) defaults: Vec<Located<'a>>,
}

impl<'a> View<'a> {
    /// The conjunction of `parts`.
    pub(crate) fn of(document: &Document<'a>, parts: &[Located<'a>]) -> Self {
        let mut views = parts.iter().map(|part| Self::gather(document, part, 0));
        let Some(mut view) = views.next() else {
            return Self::anything(Pointer::root());
        };
        for mut other in views {
            let mut defaults = std::mem::take(&mut other.defaults);
            view.meet(other);
            view.defaults.append(&mut defaults);
        }
        if let [part, ..] = parts {
            view.written = document.led_to(part, false).at;
        }
        view.complete = match parts {
            [one] => !std::ptr::eq(one.value, &ANYTHING),
            _ => false,
        };
        view
    }

    pub(super) fn anything(at: Pointer) -> Self {
        Self {
            complete: false,
            unknown: None,
            never: false,
            types: Types::ALL,
            types_at: at.clone(),
            values: None,
            values_at: at.clone(),
            value_text: BTreeMap::new(),
            properties: BTreeMap::new(),
            required: BTreeMap::new(),
            additional: None,
            prefix: Vec::new(),
            items: None,
            unions: Vec::new(),
            rest: BTreeMap::new(),
            and: Vec::new(),
            title: None,
            description: None,
            defaults: Vec::new(),
            written: at.clone(),
            at,
        }
    }

    pub(super) fn gather(document: &Document<'a>, schema: &Located<'a>, depth: usize) -> Self {
        let mut view = Self::anything(schema.at.clone());
        match schema.value {
            Value::Bool(accepts) => view.never = !accepts,
            Value::Object(map)
                if depth > MAX_DEPTH || schema.at.is_long() || !document.spend(1 + map.len()) =>
            {
                view.unknown = Some("it is nested too deeply or refers to itself without end");
            }
            Value::Object(_) if document.is_foreign(schema.value) => {
                view.unknown = Some("a part of it has a dialect of its own");
            }
            Value::Object(map) => view.read(document, schema, map, depth),
            _ => view.unknown = Some("it is not a JSON Schema"),
        }
        view
    }

    fn read(
        &mut self,
        document: &Document<'a>,
        schema: &Located<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
    ) {
        let reference = map.get("$ref");
        let asserts = reference.is_none() || document.ref_has_siblings();
        for (keyword, value) in map {
            let located = Located { value, at: self.at.clone() };
            if !self.annotation(keyword, &located) && asserts {
                self.assertion(document, keyword, located);
            }
        }
        if asserts {
            self.names_are_declared(document, schema, map);
        }
        let is_own = CONTEXTUAL[..EVALUATING].iter().any(|it| self.rest.contains_key(it));
        if let Some(reference) = reference {
            self.reference(document, reference, depth, is_own);
        }
        if !asserts {
            return;
        }
        for branch in self.branches(map, "allOf") {
            self.meet_part(Self::gather(document, &branch, depth + 1), is_own);
        }
        for (keyword, exclusive) in [("anyOf", false), ("oneOf", true)] {
            if map.contains_key(keyword) {
                let branches = self.branches(map, keyword);
                let union = Union { exclusive, branches, at: self.at.clone() };
                match union.folded(document, depth) {
                    Some(folded) => self.meet_part(folded, is_own),
                    None => self.unions.push(union),
                }
            }
        }
        self.unevaluated_is_additional();
    }

    /// What no part evaluates is what is not declared, where each part applies to all values.
    pub(super) fn unevaluated_is_additional(&mut self) {
        let is_left = ["if", "dependentSchemas", "dependencies", "$ref"];
        let applies_to_some = !self.unions.is_empty()
            || !self.and.is_empty()
            || is_left.iter().any(|keyword| self.rest.contains_key(keyword));
        if applies_to_some {
            return;
        }
        let left = self.rest.remove(UNEVALUATED).map(|it| it.child(UNEVALUATED));
        self.additional = self.additional.take().or(left);
        let keyword = "unevaluatedItems";
        if !self.rest.contains_key("contains") {
            let left = self.rest.remove(keyword).map(|it| it.child(keyword));
            self.items = self.items.take().or(left);
        }
    }

    /// The same with what no part evaluates kept apart, where the other view has to keep it apart.
    pub(super) fn unevaluated_like(&self, other: &Self) -> Option<Self> {
        let additional =
            self.additional.as_ref().filter(|_| other.rest.contains_key(UNEVALUATED))?;
        let at = Pointer::parse(additional.at.as_str().strip_suffix(&format!("/{UNEVALUATED}"))?);
        let left = Located { value: additional.value, at };
        let mut view = Self { additional: None, ..self.clone() };
        view.rest.insert(UNEVALUATED, left);
        Some(view)
    }

    /// The branches of `allOf`, `anyOf` or `oneOf`.
    fn branches(&mut self, map: &'a Map<String, Value>, keyword: &str) -> Vec<Located<'a>> {
        match map.get(keyword) {
            None => Vec::new(),
            Some(Value::Array(list)) if !list.is_empty() => list
                .iter()
                .enumerate()
                .map(|(index, value)| {
                    let at = self.at.child(keyword).child(&index.to_string());
                    Located { value, at }
                })
                .collect(),
            Some(_) => self.invalid(),
        }
    }

    fn invalid<T: Default>(&mut self) -> T {
        self.unknown = Some("a keyword has a value that JSON Schema does not allow");
        T::default()
    }

    fn reference(
        &mut self,
        document: &Document<'a>,
        reference: &'a Value,
        depth: usize,
        is_own: bool,
    ) {
        match reference.as_str().map(|text| (text, document.resolve(text, &self.at))) {
            Some((_, Target::Local(target))) => {
                self.meet_part(Self::gather(document, &target, depth + 1), is_own);
            }
            Some((text, Target::Elsewhere)) if document.is_opaque(text) => {
                self.rest.insert("$ref", Located { value: reference, at: self.at.clone() });
            }
            Some(_) => self.unknown = Some("it refers to a name that this document does not have"),
            None => self.invalid(),
        }
    }

    /// Takes what is said to a reader; returns whether `keyword` is of that kind.
    fn annotation(&mut self, keyword: &str, located: &Located<'a>) -> bool {
        let slot = match keyword {
            "title" => &mut self.title,
            "description" => &mut self.description,
            "default" => {
                self.defaults = vec![located.clone()];
                return true;
            }
            _ => return false,
        };
        *slot = Some(located.clone());
        true
    }

    fn assertion(&mut self, document: &Document<'a>, keyword: &'a str, located: Located<'a>) {
        match keyword {
            _ if !document.knows(keyword) => {}
            _ if document.misuses(keyword, located.value) => self.invalid(),
            "type" => {
                let nullable = located_sibling(document, &located.at, "nullable") == Some(&TRUE);
                match Types::named(located.value) {
                    Some(types) if nullable => self.types = types.or(Types::NULL),
                    Some(types) => self.types = types,
                    None => self.invalid(),
                }
            }
            "enum" => match located.value.as_array() {
                Some(list) => self.limit_values(list.iter()),
                None => self.invalid(),
            },
            "const" => self.limit_values(std::iter::once(located.value)),
            "properties" => match located.value.as_object() {
                Some(map) => {
                    let at = located.at.child(keyword);
                    for (name, value) in map {
                        let property = Located { value, at: at.child(name) };
                        self.properties.insert(name, vec![property]);
                    }
                }
                None => self.invalid(),
            },
            "required" => match located.value.as_array() {
                Some(names) => {
                    for (index, name) in names.iter().enumerate() {
                        match name.as_str() {
                            Some(name) => {
                                let at = located.at.child(keyword).child(&index.to_string());
                                self.required.insert(name, at);
                            }
                            None => self.invalid(),
                        }
                    }
                }
                None => self.invalid(),
            },
            "additionalProperties" => self.additional = Some(located.child(keyword)),
            "prefixItems" if document.has_prefix_items() => self.take_prefix(&located, keyword),
            "items" if located.value.is_array() => self.take_prefix(&located, keyword),
            "items" => self.items = Some(located.child(keyword)),
            "additionalItems" if !document.has_prefix_items() => {
                let tuple = located_sibling(document, &located.at, "items");
                if tuple.is_some_and(Value::is_array) {
                    self.items = Some(located.child(keyword));
                }
            }
            "$dynamicRef" | "$recursiveRef" => {
                self.unknown = Some("it uses `$dynamicRef` or `$recursiveRef`");
            }
            "not" if says_nothing(located.value) => self.never = true,
            "not" if *located.value == FALSE => {}
            "dependencies" if only_names(located.value) => {
                self.rest.insert("dependentRequired", located);
            }
            _ if is_kept(keyword) && !is_valid(keyword, located.value) => self.invalid(),
            _ if is_kept(keyword) => {
                self.rest.insert(keyword, located);
            }
            _ => {}
        }
    }

    fn take_prefix(&mut self, located: &Located<'a>, keyword: &str) {
        match located.value.as_array() {
            Some(list) => {
                let at = located.at.child(keyword);
                self.prefix = list
                    .iter()
                    .enumerate()
                    .map(|(index, value)| Located { value, at: at.child(&index.to_string()) })
                    .collect();
            }
            None => self.invalid(),
        }
    }

    fn limit_values(&mut self, values: impl Iterator<Item = &'a Value>) {
        let limit: Values<'a> = values.map(|value| (text(value), value)).collect();
        self.values = Some(match self.values.take() {
            Some(values) => values.into_iter().filter(|(key, _)| limit.contains_key(key)).collect(),
            None => limit,
        });
    }

    /// Adds what `other` says.
    pub(crate) fn meet(&mut self, other: Self) {
        self.meet_with(other, CONTEXTUAL);
    }

    /// Adds what a part of this schema says: what is evaluated by that is evaluated by this.
    pub(super) fn meet_part(&mut self, part: Self, is_own: bool) {
        let contextual = if is_own { &CONTEXTUAL[EVALUATING..] } else { CONTEXTUAL };
        self.meet_with(part, contextual);
    }

    fn meet_with(&mut self, mut other: Self, contextual: &[&str]) {
        self.unknown = self.unknown.or(other.unknown);
        if self.description.is_some()
            && let Some(key) = other.only_value().cloned()
            && let Some(said) = other.description.take()
        {
            other.value_text.entry(key).or_insert(said);
        }
        take_first(&mut self.title, &mut other.title);
        take_first(&mut self.description, &mut other.description);
        if self.defaults.is_empty() {
            self.defaults.append(&mut other.defaults);
        }
        self.never |= other.never;
        if !self.merges_with(&other, contextual) {
            self.and.push(other);
            return;
        }
        if !self.types.within(other.types) {
            self.types_at = other.types_at;
        }
        self.types = self.types.and(other.types);
        if let Some(values) = other.values {
            self.values_at = other.values_at;
            self.limit_values(values.into_values());
        }
        self.value_text.extend(other.value_text);
        for (name, parts) in other.properties {
            let known = self.properties.entry(name).or_default();
            for part in parts {
                if !known.iter().any(|it| std::ptr::eq(it.value, part.value)) {
                    known.push(part);
                }
            }
        }
        for (name, at) in other.required {
            self.required.entry(name).or_insert(at);
        }
        self.additional = self.additional.take().or(other.additional);
        self.items = self.items.take().or(other.items);
        if self.prefix.is_empty() {
            self.prefix = other.prefix;
        }
        self.unions.extend(other.unions);
        self.rest.extend(other.rest);
        self.and.extend(other.and);
    }

    /// Whether the conjunction of both has an exact merged form.
    fn merges_with(&self, other: &Self, contextual: &[&str]) -> bool {
        if self.is_blank() || other.is_blank() {
            return true;
        }
        let any = |view: &Self, of: &[&str]| of.iter().any(|it| view.rest.contains_key(it));
        let lists_items = |view: &Self| view.items.is_some() || !view.prefix.is_empty();
        let hides = |limit: &Self, view: &Self| {
            limit.additional.is_some() && (view.additional.is_some() || declares_more(view, limit))
        };
        let clash = any(self, contextual)
            || any(other, CONTEXTUAL)
            || (lists_items(self) && lists_items(other))
            || hides(self, other)
            || hides(other, self)
            || other.rest.keys().any(|keyword| self.rest.contains_key(keyword));
        !clash
    }

    /// Every schema that applies to a property, where any part of the conjunction declares it.
    pub(super) fn declared(&self, name: &str) -> Option<Vec<Located<'a>>> {
        let (mut found, mut is_declared) = (Vec::new(), false);
        let mut open = vec![self];
        while let Some(view) = open.pop() {
            match view.properties.get(name) {
                Some(parts) => found.extend(parts.iter().cloned()),
                None => found.extend(view.additional.clone()),
            }
            is_declared |= view.properties.contains_key(name);
            open.extend(view.and.iter().rev());
        }
        is_declared.then_some(found)
    }

    /// Whether nothing is asserted but types and values.
    pub(super) fn is_blank(&self) -> bool {
        self.unions.is_empty() && self.asserts_nothing_else()
    }

    /// Whether nothing is asserted.
    pub(super) fn says_nothing(&self) -> bool {
        self.unions.is_empty() && self.says_only_unions()
    }

    /// Whether nothing is asserted but unions.
    pub(crate) fn says_only_unions(&self) -> bool {
        self.unknown.is_none()
            && self.types == Types::ALL
            && self.values.is_none()
            && self.asserts_nothing_else()
    }

    /// Whether nothing is asserted but types, values and unions.
    fn asserts_nothing_else(&self) -> bool {
        self.properties.is_empty()
            && self.required.is_empty()
            && self.additional.is_none()
            && self.prefix.is_empty()
            && self.items.is_none()
            && self.rest.is_empty()
            && self.and.is_empty()
    }

    /// The value that is listed, where it is the only one.
    pub(super) fn only_value(&self) -> Option<&String> {
        let values = self.values.as_ref().filter(|values| values.len() == 1)?;
        values.keys().next()
    }

    /// The values that are accepted, where that is a finite list that is written down.
    pub(crate) fn finite(&self) -> Option<Values<'a>> {
        if let Some(values) = &self.values {
            let mut values = values.clone();
            values.retain(|_, value| Types::of(value).within(self.types));
            return Some(values);
        }
        if !self.types.within(Types::NULL.or(Types::BOOLEAN)) {
            return None;
        }
        let all = [&NULL, &TRUE, &FALSE];
        let some = all.into_iter().filter(|value| Types::of(value).within(self.types));
        Some(some.map(|value| (text(value), value)).collect())
    }

    /// The types of the values that are accepted.
    pub(crate) fn effective_types(&self) -> Types {
        match self.finite() {
            Some(values) => values.values().fold(Types::NONE, |all, it| all.or(Types::of(it))),
            None => self.types,
        }
    }
}

impl<'a> Located<'a> {
    /// The schema that is the value of `keyword`.
    fn child(self, keyword: &str) -> Self {
        Self { at: self.at.child(keyword), ..self }
    }
}

/// Whether a schema accepts everything at sight.
fn says_nothing(schema: &Value) -> bool {
    *schema == TRUE || schema.as_object().is_some_and(Map::is_empty)
}

/// Whether `dependencies` are those that `dependentRequired` is made for.
fn only_names(dependencies: &Value) -> bool {
    dependencies.as_object().is_some_and(|map| map.values().all(Value::is_array))
}

/// Whether `view` declares properties that `limited` does not.
fn declares_more(view: &View<'_>, limited: &View<'_>) -> bool {
    view.properties.keys().any(|name| !limited.properties.contains_key(name))
}

fn take_first<T>(slot: &mut Option<T>, other: &mut Option<T>) {
    if slot.is_none() {
        *slot = other.take();
    }
}

fn located_sibling<'a>(document: &Document<'a>, at: &Pointer, name: &str) -> Option<&'a Value> {
    document.at(at)?.get(name)
}
