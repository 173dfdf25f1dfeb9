//! Schemas as plain 2020-12 documents, read the way callers and servers read them.
//!
//! A reading keeps what decides which values are accepted and nothing else. References are
//! followed into place, or, where they recur, kept as `$defs`; older drafts and `nullable` are
//! written in 2020-12; formats are left to the rules about formats.
//!
//! An object is closed to the names declared at its place. Where none is declared and nothing is
//! said of additional ones, that means two things: the argument object of a tool is empty, because
//! there is nothing to send, so an optional argument may be added to it; any object below is of
//! free form, because it would have no use otherwise, so whoever sends it may use any name, and a
//! property declared in it later is a promise about a name that may be in use.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::company::{Around, Looks, beside};
use crate::schema::apart::are_apart;
use crate::schema::document::{Document, Located, Pointer, Target};
use crate::schema::names::{is_every, listed};
use crate::schema::number::integer_range;

/// Nesting beyond this is not read.
const MAX_DEPTH: usize = 100;
/// How many keywords a reading may have.
const MAX_KEYWORDS: usize = 20_000;

/// A reading of more keywords than this refers to what it has read before.
const MAX_WRITTEN_OUT: usize = 1_000;

/// How objects are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum World {
    /// Literally.
    Open,
    /// Whoever sends the value knows the declared properties alone, unless the schema says
    /// something of additional ones, or declares none below its root.
    Closed,
    /// The same, and an object that declares no property has none.
    Declared,
    /// Whoever reads the value skips properties that are not declared.
    Tolerant,
}

/// The schema at `pointer`; `None` when it cannot be read: a reference leads elsewhere, a keyword
/// is not valid or not known to be understood, or there is too much of it.
pub(crate) fn read(document: &Document<'_>, schema: &Located<'_>, world: World) -> Option<Value> {
    reading(document, schema, world, None)
}

/// As [`read`], with what references elsewhere lead to left open: no more is accepted than by the
/// schema, whatever they lead to, or, where they may lead to `anything`, no less. `None` also where
/// to accept more at a reference may be to accept less in all.
pub(crate) fn bounded(
    document: &Document<'_>,
    schema: &Located<'_>,
    world: World,
    anything: bool,
) -> Option<Value> {
    reading(document, schema, world, Some(anything))
}

fn reading(
    document: &Document<'_>,
    schema: &Located<'_>,
    world: World,
    elsewhere: Option<bool>,
) -> Option<Value> {
    let (body, mut definitions, counts) = read_once(document, schema, world, elsewhere)?;
    // Where branches or items are counted, taking less in one of them may mean taking more in all:
    // what is sent is accepted literally besides, and what is tolerated is so besides the rest.
    let beside = match world {
        World::Closed | World::Declared if counts => "allOf",
        World::Tolerant if counts => "anyOf",
        _ => return with_definitions(body, definitions),
    };
    let (literal, more, _) = read_once(document, schema, World::Open, elsewhere)?;
    definitions.extend(more);
    with_definitions(json!({ beside: [body, literal] }), definitions)
}

fn with_definitions(mut body: Value, definitions: Map<String, Value>) -> Option<Value> {
    if !definitions.is_empty() {
        body.as_object_mut()?.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Some(body)
}

/// The schema, the definitions it refers to, and whether it counts what matches.
fn read_once(
    document: &Document<'_>,
    schema: &Located<'_>,
    world: World,
    elsewhere: Option<bool>,
) -> Option<(Value, Map<String, Value>, bool)> {
    let mut reader = Reader {
        document,
        world,
        scope: vec![document.resources().root_of(&schema.at)],
        way: Vec::new(),
        beside: Vec::new(),
        looks: Looks::default(),
        open: Vec::new(),
        level: 0,
        literal: false,
        followed: BTreeSet::new(),
        recurring: BTreeMap::new(),
        keywords: 0,
        counts: false,
        elsewhere,
        led_elsewhere: false,
    };
    let body = reader.place(schema, 0)?;
    let definitions = reader.definitions()?;
    let is_read = !(reader.counts && reader.led_elsewhere);
    is_read.then_some((body, definitions, reader.counts))
}

/// Whether a schema refers to what applies to the same value, and so may come back to itself there.
fn refers_in_place(schema: &Value) -> bool {
    let below = |keyword: &str, value: &Value| match keyword {
        "$ref" | "$dynamicRef" | "$recursiveRef" => true,
        "allOf" | "anyOf" | "oneOf" => {
            value.as_array().is_some_and(|it| it.iter().any(refers_in_place))
        }
        "not" | "if" | "then" | "else" => refers_in_place(value),
        "dependentSchemas" | "dependencies" => {
            value.as_object().is_some_and(|it| it.values().any(refers_in_place))
        }
        _ => false,
    };
    schema.as_object().is_some_and(|map| map.iter().any(|(keyword, it)| below(keyword, it)))
}

struct Reader<'d, 'a> {
    document: &'d Document<'a>,
    world: World,
    /// The resources that were entered, outermost first, each once: the dynamic scope.
    scope: Vec<Pointer>,
    /// The schemas that lead to the one that is being read, at the same value, outermost first.
    way: Vec<Around>,
    /// What applies to the value besides.
    beside: Vec<Around>,
    looks: Looks,
    /// Targets of the references being followed, and the level of each.
    open: Vec<(Place, usize)>,
    /// How deep in the value the schema stands that is being read.
    level: usize,
    /// What is being read stands under `not`, or the like.
    literal: bool,
    /// Targets of the references that were followed.
    followed: BTreeSet<Place>,
    /// Names of the definitions that recur, with the target.
    recurring: BTreeMap<Place, (String, Located<'a>)>,
    keywords: usize,
    /// A keyword was met that asks how many schemas or items match.
    counts: bool,
    /// Whether a reference that leads elsewhere, or nowhere, is taken to accept everything or nothing,
    /// if at all.
    elsewhere: Option<bool>,
    /// Such a reference was met.
    led_elsewhere: bool,
}

/// A schema, the dynamic scope that it is read in where that may matter, and what applies beside it.
type Place = (Pointer, Vec<Pointer>, Vec<Around>);

/// What a place says of property names.
#[derive(Default)]
struct Names {
    declared: BTreeSet<String>,
    /// Those that are mentioned, so that whoever sends the value knows them: they are asked for,
    /// listed, or stand in a value that is.
    mentioned: BTreeSet<String>,
    patterns: BTreeSet<String>,
    /// Something is said of additional properties, or anything goes.
    explicit: bool,
    /// Something is said of names that nobody could have sent, were there none but those declared.
    asks_for_more: bool,
    /// How many there have to be.
    fewest: u64,
    /// More may be declared elsewhere.
    elsewhere: bool,
}

impl Names {
    /// Whether none is declared.
    fn is_empty(&self) -> bool {
        self.declared.is_empty() && self.patterns.is_empty()
    }

    /// Whether there is no name to send where there has to be one.
    fn lacks_some(&self) -> bool {
        let known = self.declared.union(&self.mentioned).count();
        let enough = usize::try_from(self.fewest).is_ok_and(|fewest| fewest <= known);
        self.patterns.is_empty() && (!enough || (self.asks_for_more && known == 0))
    }

    /// Takes what the keywords of one schema mention.
    fn mention(&mut self, map: &Map<String, Value>) {
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let list = |it: Option<&Value>| it.and_then(Value::as_array).cloned().unwrap_or_default();
        self.mentioned.extend(list(map.get("required")).iter().filter_map(text));
        for keyword in ["dependentRequired", "dependencies"] {
            for (name, needed) in map.get(keyword).and_then(Value::as_object).into_iter().flatten()
            {
                self.mentioned.insert(name.clone());
                self.mentioned.extend(list(Some(needed)).iter().filter_map(text));
            }
        }
        for value in map.get("const").cloned().into_iter().chain(list(map.get("enum"))) {
            self.mentioned.extend(value.as_object().into_iter().flat_map(Map::keys).cloned());
        }
        let fewest = map.get("minProperties").and_then(Value::as_f64).unwrap_or_default();
        self.fewest = self.fewest.max(fewest as u64);
    }
}

impl<'a> Reader<'_, 'a> {
    /// The bodies of the definitions that recur; reading one may bring up another.
    fn definitions(&mut self) -> Option<Map<String, Value>> {
        let mut written = Map::new();
        loop {
            let mut all = self.recurring.iter();
            let next = all.find(|(_, (name, _))| !written.contains_key(name));
            let Some((place, (name, target))) = next.map(|(place, it)| (place.clone(), it.clone()))
            else {
                return Some(written);
            };
            if self.document.resources().has_dynamic_anchors() {
                self.scope.clone_from(&place.1);
            }
            self.beside.clone_from(&place.2);
            self.open.push((place, self.level));
            let body = self.in_place(&target, 0)?;
            self.open.pop();
            written.insert(name, body);
        }
    }

    /// A schema that stands inside the value, or is the whole one.
    fn place(&mut self, schema: &Located<'a>, depth: usize) -> Option<Value> {
        let is_closed = matches!(self.world, World::Closed | World::Declared);
        let company = if is_closed { self.company(schema)? } else { Vec::new() };
        let beside = std::mem::replace(&mut self.beside, company);
        let way = std::mem::take(&mut self.way);
        self.level += 1;
        let mut body = self.in_place(schema, depth)?;
        self.level -= 1;
        // A schema that asserts nothing is `true`, however it is written.
        if is_closed && body != json!({}) {
            let (mut names, mut seen) = (Names::default(), BTreeSet::new());
            self.names(schema, &mut names, &mut seen);
            for around in &self.beside {
                self.names(&self.document.located(around.at.clone())?, &mut names, &mut seen);
            }
            let is_root = schema.at == Pointer::root();
            let free = match names.elsewhere {
                true => self.elsewhere == Some(true),
                false if names.lacks_some() => true,
                false => self.world == World::Closed && !is_root && names.is_empty(),
            };
            if !names.explicit && !free {
                restrict(&mut body, &names, self.beside.is_empty());
            }
        }
        (self.beside, self.way) = (beside, way);
        Some(body)
    }

    /// What applies to the value inside that a schema applies to, besides.
    fn company(&mut self, schema: &Located<'a>) -> Option<Vec<Around>> {
        if let Some(last) = self.way.last_mut() {
            last.read = None;
        }
        let around = [self.beside.as_slice(), &self.way].concat();
        beside(self.document, &around, &schema.at, &mut self.looks)
    }

    /// What applies beside what the last schema on the way refers to, and may say something of the
    /// values inside.
    fn context(&mut self, target: &Pointer) -> Vec<Around> {
        if let Some(last) = self.way.last_mut() {
            last.read = Some(target.clone());
        }
        if !matches!(self.world, World::Closed | World::Declared) {
            return Vec::new();
        }
        let around: BTreeSet<&Around> = self.beside.iter().chain(&self.way).collect();
        around.into_iter().filter(|it| it.says_more(self.document)).cloned().collect()
    }

    /// Collects the names declared at a place, whatever they are declared by.
    fn names(&self, schema: &Located<'a>, names: &mut Names, seen: &mut BTreeSet<Pointer>) {
        let Value::Object(map) = schema.value else { return };
        if !seen.insert(schema.at.clone()) {
            return;
        }
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            match self.document.resolve(reference, &schema.at) {
                Target::Local(target) => self.names(&target, names, seen),
                Target::Elsewhere => names.elsewhere = true,
            }
            if !self.document.ref_has_siblings() {
                return;
            }
        }
        if let Some(reference) = map.get("$dynamicRef").and_then(Value::as_str)
            && self.has_dynamic_references()
        {
            match self.dynamic(reference, &schema.at) {
                Some(target) => self.names(&target, names, seen),
                None => names.elsewhere = true,
            }
        }
        names.mention(map);
        if let Some(value) = map.get("propertyNames") {
            let listed = listed(self.document, schema, map).into_iter().flatten();
            names.mentioned.extend(listed.map(str::to_owned));
            names.asks_for_more |= value.as_object().is_some_and(|it| !it.is_empty());
        }
        let keys = |keyword: &str| map.get(keyword).and_then(Value::as_object);
        names.declared.extend(keys("properties").into_iter().flat_map(Map::keys).cloned());
        names.patterns.extend(keys("patternProperties").into_iter().flat_map(Map::keys).cloned());
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            let said = map.get(keyword).filter(|_| self.document.knows(keyword));
            names.explicit |= said.is_some_and(|value| *value != Value::Bool(false));
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let branches = map.get(keyword).and_then(Value::as_array).into_iter().flatten();
            for (index, value) in branches.enumerate() {
                let at = schema.at.child(keyword).child(&index.to_string());
                self.names(&Located { value, at }, names, seen);
            }
        }
        for keyword in ["if", "then", "else"] {
            if let Some(value) = map.get(keyword) {
                self.names(&Located { value, at: schema.at.child(keyword) }, names, seen);
            }
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            for (name, value) in keys(keyword).into_iter().flatten() {
                let at = schema.at.child(keyword).child(name);
                self.names(&Located { value, at }, names, seen);
            }
        }
    }

    /// A schema beside others at its place.
    fn in_place(&mut self, schema: &Located<'a>, depth: usize) -> Option<Value> {
        let map = match schema.value {
            Value::Bool(accepts) => return Some(Value::Bool(*accepts)),
            Value::Object(map) => map,
            _ => return None,
        };
        self.keywords += 1 + map.len();
        let foreign = self.document.is_foreign(schema.value);
        if foreign || schema.at.is_long() || depth > MAX_DEPTH || self.keywords > MAX_KEYWORDS {
            return None;
        }
        let outside = self.enter(&schema.at);
        if let Some(last) = self.way.last_mut() {
            last.read = Some(schema.at.clone());
        }
        self.way.push(Around::new(&schema.at));
        let mut written = Map::new();
        let reference = map.get("$ref");
        if reference.is_none() || self.document.ref_has_siblings() {
            for (keyword, value) in map {
                let at = schema.at.child(keyword);
                self.keyword(map, keyword, &Located { value, at }, depth + 1, &mut written)?;
            }
        }
        if self.world != World::Open {
            imply_range(map, &mut written);
        }
        if let Some(reference) = reference {
            let target = match self.document.resolve(reference.as_str()?, &schema.at) {
                Target::Local(target) => self.follow(target, depth + 1)?,
                Target::Elsewhere => self.led_elsewhere()?,
            };
            written = join(written, target);
        }
        if let Some(reference) = map.get("$dynamicRef").filter(|_| self.has_dynamic_references()) {
            let target = self.dynamic(reference.as_str()?, &schema.at)?;
            written = join(written, self.follow(target, depth + 1)?);
        }
        self.scope.truncate(outside);
        self.way.pop();
        Some(Value::Object(written))
    }

    /// What stands for a reference that cannot be followed.
    fn led_elsewhere(&mut self) -> Option<Value> {
        self.led_elsewhere = true;
        self.elsewhere.map(Value::Bool)
    }

    /// Enters the resource that a schema belongs to; returns how many there were before.
    fn enter(&mut self, at: &Pointer) -> usize {
        let outside = self.scope.len();
        let root = self.document.resources().root_of(at);
        if !self.scope.contains(&root) {
            self.scope.push(root);
        }
        outside
    }

    fn has_dynamic_references(&self) -> bool {
        self.document.has_prefix_items()
    }

    /// Where a `$dynamicRef` leads: to what a `$ref` would lead to, unless that has a dynamic
    /// anchor of this name; then to the outermost resource entered that has one (JSON Schema core
    /// 2020-12, section 8.2.3.2).
    fn dynamic(&self, reference: &str, from: &Pointer) -> Option<Located<'a>> {
        let Target::Local(target) = self.document.resolve(reference, from) else { return None };
        let resources = self.document.resources();
        let name = reference.split_once('#').map_or("", |(_, name)| name);
        let root = resources.root_of(&target.at);
        if resources.dynamic_anchor(&root, name).as_ref() != Some(&target.at) {
            return Some(target);
        }
        let outermost = self.scope.iter().find_map(|root| resources.dynamic_anchor(root, name));
        self.document.located(outermost.unwrap_or(target.at))
    }

    /// What a reference leads to. Where it comes back to itself at the same value, what is accepted
    /// is undefined (JSON Schema core 2020-12, section 9.4.1), to some validators everything, while
    /// others never end: as little is known of it as of what lies elsewhere.
    fn follow(&mut self, target: Located<'a>, depth: usize) -> Option<Value> {
        let dynamic = self.document.resources().has_dynamic_anchors();
        let scope = if dynamic { self.scope.clone() } else { Vec::new() };
        let place = (target.at.clone(), scope, self.context(&target.at));
        let open = self.open.iter().rfind(|(open, _)| *open == place);
        if open.is_some_and(|(_, level)| *level == self.level) {
            return self.led_elsewhere();
        }
        // Nor is written out again and again what everything refers to.
        let again = !self.followed.insert(place.clone())
            && self.keywords > MAX_WRITTEN_OUT
            && !self.literal
            && !refers_in_place(target.value);
        if again || open.is_some() || target.at.as_str().is_empty() {
            let next = self.recurring.len();
            let world = self.world;
            let entry = self.recurring.entry(place);
            let (name, _) = entry.or_insert_with(|| (format!("{world:?}{next}"), target));
            return Some(json!({ "$ref": format!("#/$defs/{name}") }));
        }
        self.open.push((place, self.level));
        let body = self.in_place(&target, depth);
        self.open.pop();
        body
    }

    fn keyword(
        &mut self,
        map: &'a Map<String, Value>,
        keyword: &str,
        value: &Located<'a>,
        depth: usize,
        written: &mut Map<String, Value>,
    ) -> Option<()> {
        if !self.document.knows(keyword) {
            return Some(());
        }
        if self.document.misuses(keyword, value.value) {
            return None;
        }
        let keyword = evaluated(map, keyword);
        let apart = keyword == "oneOf" && self.is_apart(value);
        let counting = ["oneOf", "maxContains", "unevaluatedItems", "unevaluatedProperties"];
        self.counts |= counting.contains(&keyword) && !apart;
        let tuple = || map.get("items").is_some_and(Value::is_array);
        let (name, read) = match keyword {
            "type" => ("type", self.types(map, value.value)?),
            "items" if value.value.is_array() => ("prefixItems", self.list(value, depth, true)?),
            "prefixItems" if self.document.has_prefix_items() => {
                ("prefixItems", self.list(value, depth, true)?)
            }
            "additionalItems" if tuple() => ("items", self.place(value, depth)?),
            "items" | "contains" | "unevaluatedItems" => (keyword, self.place(value, depth)?),
            "additionalProperties" | "unevaluatedProperties" => {
                let refuses = *value.value == Value::Bool(false);
                if refuses && self.world == World::Tolerant {
                    return Some(());
                }
                (keyword, self.place(value, depth)?)
            }
            "properties" | "patternProperties" => (keyword, self.map(value, depth, true)?),
            "dependentSchemas" => (keyword, self.map(value, depth, false)?),
            "dependencies" => return self.dependencies(value, depth, written),
            // Exactly one is at least one where no value can match two, and is easier to prove.
            "oneOf" if apart && !map.contains_key("anyOf") => {
                return self.keyword(map, "anyOf", value, depth, written);
            }
            "allOf" | "anyOf" | "oneOf" => (keyword, self.list(value, depth, false)?),
            "then" | "else" => (keyword, self.in_place(value, depth)?),
            "if" | "not" => (keyword, self.literally(value, depth, Self::in_place)?),
            "propertyNames" => (keyword, self.literally(value, depth, Self::place)?),
            "exclusiveMinimum" | "exclusiveMaximum" if value.value.is_boolean() => {
                return exclusive(map, keyword, value.value, written);
            }
            // A `$recursiveRef` is dynamic only where an anchor makes it so, but rare enough.
            "$recursiveRef" => return None,
            _ if KEPT.contains(&keyword) => (keyword, value.value.clone()),
            _ => return Some(()),
        };
        written.insert(name.to_owned(), read);
        Some(())
    }

    fn is_apart(&self, value: &Located<'a>) -> bool {
        let branches = value.value.as_array().into_iter().flatten().enumerate();
        let located = branches.map(|(index, branch)| Located {
            value: branch,
            at: value.at.child(&index.to_string()),
        });
        are_apart(self.document, &located.collect::<Vec<_>>())
    }

    fn types(&self, map: &Map<String, Value>, types: &Value) -> Option<Value> {
        let mut names = match types {
            Value::Array(names) => names.clone(),
            name => vec![name.clone()],
        };
        if map.get("nullable") == Some(&Value::Bool(true)) && !names.contains(&json!("null")) {
            names.push(json!("null"));
        }
        Some(Value::Array(names))
    }

    /// What stands under `not` is read literally: there, accepting less is accepting more.
    fn literally(
        &mut self,
        value: &Located<'a>,
        depth: usize,
        read: impl Fn(&mut Self, &Located<'a>, usize) -> Option<Value>,
    ) -> Option<Value> {
        let world = std::mem::replace(&mut self.world, World::Open);
        let literal = std::mem::replace(&mut self.literal, true);
        let (recurring, elsewhere) = (self.recurring.len(), self.elsewhere.take());
        let read = read(self, value, depth);
        (self.world, self.elsewhere, self.literal) = (world, elsewhere, literal);
        // A definition that recurs would be read like the others.
        read.filter(|_| match elsewhere {
            Some(_) => self.recurring.is_empty(),
            None => world == World::Open || self.recurring.len() == recurring,
        })
    }

    fn list(&mut self, value: &Located<'a>, depth: usize, places: bool) -> Option<Value> {
        let read = |(index, value): (usize, &'a Value), this: &mut Self, at: &Pointer| {
            let schema = Located { value, at: at.child(&index.to_string()) };
            if places { this.place(&schema, depth) } else { this.in_place(&schema, depth) }
        };
        let list = value.value.as_array()?;
        list.iter().enumerate().map(|it| read(it, self, &value.at)).collect()
    }

    fn map(&mut self, value: &Located<'a>, depth: usize, places: bool) -> Option<Value> {
        let mut written = Map::new();
        for (name, schema) in value.value.as_object()? {
            let schema = Located { value: schema, at: value.at.child(name) };
            let read =
                if places { self.place(&schema, depth) } else { self.in_place(&schema, depth) };
            let is_every = value.at.as_str().ends_with("/patternProperties") && is_every(name);
            let name = if is_every { "" } else { name.as_str() };
            let read = match written.remove(name) {
                Some(known) => json!({ "allOf": [known, read?] }),
                None => read?,
            };
            written.insert(name.to_owned(), read);
        }
        Some(Value::Object(written))
    }

    fn dependencies(
        &mut self,
        value: &Located<'a>,
        depth: usize,
        written: &mut Map<String, Value>,
    ) -> Option<()> {
        let (mut names, mut schemas) = (Map::new(), Map::new());
        for (name, dependency) in value.value.as_object()? {
            let schema = Located { value: dependency, at: value.at.child(name) };
            match dependency {
                Value::Array(_) => names.insert(name.clone(), dependency.clone()),
                _ => schemas.insert(name.clone(), self.in_place(&schema, depth)?),
            };
        }
        written.insert("dependentRequired".to_owned(), Value::Object(names));
        written.insert("dependentSchemas".to_owned(), Value::Object(schemas));
        Some(())
    }
}

/// Keywords that are copied as they stand.
const KEPT: &[&str] = &[
    "enum",
    "const",
    "required",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
    "dependentRequired",
];

/// What a keyword says that asks what the others have left: where no other schema applies beside it,
/// the same as its plainer twin, or nothing beside that.
fn evaluated<'k>(map: &Map<String, Value>, keyword: &'k str) -> &'k str {
    let elsewhere =
        ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "contains"];
    let plain = || elsewhere.iter().all(|keyword| !map.contains_key(*keyword));
    match keyword {
        "unevaluatedProperties" if plain() && !map.contains_key("additionalProperties") => {
            "additionalProperties"
        }
        "unevaluatedItems"
            if plain()
                && !map.contains_key("additionalItems")
                && map.get("items").is_none_or(Value::is_array) =>
        {
            "items"
        }
        keyword => keyword,
    }
}

/// Writes down the range of an integer format, which Rust servers enforce when they deserialise:
/// `uint` with and without `minimum: 0` accepts the same.
fn imply_range(map: &Map<String, Value>, written: &mut Map<String, Value>) {
    let whole = match map.get("type") {
        Some(Value::Array(names)) => {
            names.contains(&json!("integer")) && !names.contains(&json!("number"))
        }
        name => name == Some(&json!("integer")),
    };
    let Some((low, high)) = integer_range(map.get("format")).filter(|_| whole) else { return };
    let bounded = |ends: [&str; 2]| ends.iter().any(|end| map.contains_key(*end));
    if let Ok(low) = i64::try_from(low)
        && !bounded(["minimum", "exclusiveMinimum"])
    {
        written.insert("minimum".into(), low.into());
    }
    if let Ok(high) = u64::try_from(high)
        && !bounded(["maximum", "exclusiveMaximum"])
    {
        written.insert("maximum".into(), high.into());
    }
}

/// Draft-04 writes an exclusive bound as a flag beside the bound.
fn exclusive(
    map: &Map<String, Value>,
    keyword: &str,
    flag: &Value,
    written: &mut Map<String, Value>,
) -> Option<()> {
    let bound = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
    if *flag == Value::Bool(true)
        && let Some(limit) = map.get(bound)
    {
        written.insert(keyword.to_owned(), limit.clone());
    }
    Some(())
}

/// Both at once.
fn join(mut written: Map<String, Value>, other: Value) -> Map<String, Value> {
    match other {
        Value::Bool(true) => {}
        Value::Object(map) if written.is_empty() => written = map,
        other => match written.get_mut("allOf").and_then(Value::as_array_mut) {
            Some(all) => all.push(other),
            None => {
                written.insert("allOf".to_owned(), json!([other]));
            }
        },
    }
    written
}

/// Limits the names of an object's properties to those declared.
fn restrict(body: &mut Value, names: &Names, is_alone: bool) {
    let Value::Object(map) = body else { return };
    let elsewhere = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];
    let simple = elsewhere.iter().all(|keyword| !map.contains_key(*keyword));
    if simple && is_alone {
        if map.contains_key("additionalProperties") {
            return;
        }
        map.insert("additionalProperties".to_owned(), Value::Bool(false));
        let more = names.mentioned.difference(&names.declared);
        let more: Map<String, Value> = more.map(|name| (name.clone(), true.into())).collect();
        if !more.is_empty()
            && let Value::Object(properties) = map.entry("properties").or_insert_with(|| json!({}))
        {
            properties.extend(more);
        }
        return;
    }
    let mut known: Vec<Value> =
        names.patterns.iter().map(|pattern| json!({ "pattern": pattern })).collect();
    known.push(json!({ "enum": names.declared.union(&names.mentioned).collect::<Vec<_>>() }));
    let limit = match known.as_slice() {
        [one] => one.clone(),
        _ => json!({ "anyOf": known }),
    };
    let limit = json!({ "propertyNames": limit });
    *body = Value::Object(join(std::mem::take(map), limit));
}
