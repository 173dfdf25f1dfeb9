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

mod keywords;
mod meant;
mod names;
mod references;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use self::keywords::imply_range;
use super::company::{Around, Looks, beside};
use crate::schema::document::{Document, Located, Pointer, Target};

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
    reading(document, schema, world, None, false)
}

/// As [`read`], with formats as they are meant: a text of some format is none of another one or of
/// none, and a whole number of one is within its range.
pub(crate) fn meant(document: &Document<'_>, schema: &Located<'_>, world: World) -> Option<Value> {
    reading(document, schema, world, None, true)
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
    reading(document, schema, world, Some(anything), false)
}

fn reading(
    document: &Document<'_>,
    schema: &Located<'_>,
    world: World,
    elsewhere: Option<bool>,
    is_meant: bool,
) -> Option<Value> {
    let once = |world| read_once(document, schema, world, elsewhere, is_meant);
    let (body, mut definitions, counts) = once(world)?;
    // Where branches or items are counted, taking less in one of them may mean taking more in all:
    // what is sent is accepted literally besides, and what is tolerated is so besides the rest.
    let beside = match world {
        World::Closed | World::Declared if counts => "allOf",
        World::Tolerant if counts => "anyOf",
        _ => return with_definitions(body, definitions),
    };
    let (literal, more, _) = once(World::Open)?;
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
    is_meant: bool,
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
        is_meant,
        led_elsewhere: false,
    };
    let body = reader.place(schema, 0)?;
    let definitions = reader.definitions()?;
    let is_read = !(reader.counts && reader.led_elsewhere);
    is_read.then_some((body, definitions, reader.counts))
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
    /// Formats are taken as they are meant.
    is_meant: bool,
    /// Such a reference was met.
    led_elsewhere: bool,
}

/// A schema, the dynamic scope that it is read in where that may matter, and what applies beside it.
type Place = (Pointer, Vec<Pointer>, Vec<Around>);

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
            self.restrict(schema, &mut body)?;
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
        if self.world != World::Open || self.is_meant {
            imply_range(map, &mut written);
        }
        if self.is_meant {
            meant::mark(map, &mut written);
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
