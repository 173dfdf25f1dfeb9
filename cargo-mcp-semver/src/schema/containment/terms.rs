//! What a reading asserts, term by term.
//!
//! Equal terms have the same number, whichever of two schemas they come from, so a part that did
//! not change is recognised without being looked at.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::{Map, Value};

/// A number of a term.
pub(super) type Id = u32;

/// Kinds of values that no schema mixes up. Numbers are one kind: whole ones are a matter of
/// `multipleOf: 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Null,
    False,
    True,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    /// All kinds, the ones with the shortest values first.
    pub(super) const ALL: [Self; 7] = [
        Self::String,
        Self::Number,
        Self::True,
        Self::False,
        Self::Null,
        Self::Object,
        Self::Array,
    ];

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(false) => Self::False,
            Value::Bool(true) => Self::True,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    pub(super) fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A decimal number of at most 18 places, as so many parts of 10^-18: exact, and ordered like the
/// numbers that JSON texts stand for.
pub(super) type Fixed = i128;
pub(super) const ONE: Fixed = 1_000_000_000_000_000_000;

/// Listed values by their kind.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub(super) struct Listed {
    /// The kinds `Null`, `False` and `True` as bits.
    pub(super) plain: u8,
    pub(super) numbers: BTreeSet<Fixed>,
    pub(super) strings: BTreeSet<String>,
    pub(super) arrays: Vec<Id>,
    pub(super) objects: Vec<Id>,
}

/// `properties`, `patternProperties` and `additionalProperties`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Properties {
    pub(super) named: BTreeMap<String, Id>,
    pub(super) patterns: BTreeMap<String, Id>,
    pub(super) rest: Id,
}

/// One assertion. Those about one kind hold for values of every other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Term {
    Anything,
    Nothing,
    /// Kinds as bits, and whether numbers have to be whole.
    Types(u8, bool),
    Listed(Listed),
    All(Vec<Id>),
    Any(Vec<Id>),
    ExactlyOne(Vec<Id>),
    Not(Id),
    If(Id, Id, Id),
    /// Side and name of a definition.
    Definition(usize, String),
    /// The limit, and whether it is excluded.
    AtLeast(Fixed, bool),
    AtMost(Fixed, bool),
    MultipleOf(Fixed),
    MinLength(u64),
    MaxLength(u64),
    Pattern(String),
    MinItems(u64),
    MaxItems(u64),
    Unique,
    Items(Vec<Id>, Id),
    Contains(Id, u64, Option<u64>),
    MinProperties(u64),
    MaxProperties(u64),
    Required(String),
    Properties(Properties),
    Names(Id),
    DependentRequired(String, Vec<String>),
    Dependent(String, Id),
    /// An assertion that is known by its text alone.
    Opaque(String),
}

pub(super) const ANYTHING: Id = 0;
pub(super) const NOTHING: Id = 1;

/// The terms of two schemas.
pub(super) struct Terms<'s> {
    terms: Vec<Rc<Term>>,
    ids: HashMap<Rc<Term>, Id>,
    roots: [&'s Value; 2],
    definitions: HashMap<(usize, String), Id>,
}

impl<'s> Terms<'s> {
    pub(super) fn new(roots: [&'s Value; 2]) -> Self {
        let (terms, ids) = (Vec::new(), HashMap::new());
        let mut terms = Self { terms, ids, roots, definitions: HashMap::new() };
        terms.id(Term::Anything);
        terms.id(Term::Nothing);
        terms
    }

    pub(super) fn term(&self, id: Id) -> Rc<Term> {
        Rc::clone(&self.terms[id as usize])
    }

    /// The number of a term.
    pub(super) fn id(&mut self, term: Term) -> Id {
        if let Some(id) = self.ids.get(&term) {
            return *id;
        }
        let id = self.terms.len() as Id;
        let term = Rc::new(term);
        self.ids.insert(Rc::clone(&term), id);
        self.terms.push(term);
        id
    }

    /// The whole schema of one side.
    pub(super) fn root(&mut self, side: usize) -> Id {
        self.schema(self.roots[side], side)
    }

    pub(super) fn definition(&mut self, side: usize, name: &str) -> Id {
        let key = (side, name.to_owned());
        if let Some(id) = self.definitions.get(&key) {
            return *id;
        }
        let schema = self.roots[side].get("$defs").and_then(|it| it.get(name));
        let id = match schema {
            Some(schema) => self.schema(schema, side),
            None => self.id(Term::Opaque(format!("{side} {name}"))),
        };
        self.definitions.insert(key, id);
        id
    }

    /// The text, and nothing else.
    pub(super) fn text(&mut self, text: &str) -> Id {
        self.texts([text.to_owned()].into())
    }

    /// One of these texts.
    pub(super) fn texts(&mut self, strings: BTreeSet<String>) -> Id {
        self.id(Term::Listed(Listed { strings, ..Listed::default() }))
    }

    pub(super) fn not(&mut self, id: Id) -> Id {
        match *self.term(id) {
            Term::Anything => NOTHING,
            Term::Nothing => ANYTHING,
            Term::Not(id) => id,
            _ => self.id(Term::Not(id)),
        }
    }

    fn all(&mut self, mut ids: Vec<Id>) -> Id {
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| *id != ANYTHING);
        match ids.as_slice() {
            [] => ANYTHING,
            [one] => *one,
            _ if ids.contains(&NOTHING) => NOTHING,
            _ => self.id(Term::All(ids)),
        }
    }

    fn schema(&mut self, schema: &Value, side: usize) -> Id {
        let map = match schema {
            Value::Bool(true) => return ANYTHING,
            Value::Object(map) => map,
            _ => return NOTHING,
        };
        let mut all = Vec::new();
        for (keyword, value) in map {
            self.keyword(keyword, value, map, side, &mut all);
        }
        let schemas = |terms: &mut Self, keyword: &str| -> BTreeMap<String, Id> {
            let map = map.get(keyword).and_then(Value::as_object).into_iter().flatten();
            map.map(|(name, it)| (name.clone(), terms.schema(it, side))).collect()
        };
        let named = schemas(self, "properties");
        let patterns = schemas(self, "patternProperties");
        let rest = self.optional(map.get("additionalProperties"), side);
        let said = |it: &BTreeMap<String, Id>| it.values().any(|id| *id != ANYTHING);
        if said(&named) || said(&patterns) || rest != ANYTHING {
            all.push(self.id(Term::Properties(Properties { named, patterns, rest })));
        }
        let prefix = self.list(map.get("prefixItems"), side);
        let rest = self.optional(map.get("items"), side);
        if rest != ANYTHING || prefix.iter().any(|id| *id != ANYTHING) {
            all.push(self.id(Term::Items(prefix, rest)));
        }
        self.all(all)
    }

    fn optional(&mut self, schema: Option<&Value>, side: usize) -> Id {
        schema.map_or(ANYTHING, |it| self.schema(it, side))
    }

    fn list(&mut self, list: Option<&Value>, side: usize) -> Vec<Id> {
        let list = list.and_then(Value::as_array).into_iter().flatten();
        list.map(|it| self.schema(it, side)).collect()
    }

    fn keyword(
        &mut self,
        keyword: &str,
        value: &Value,
        map: &Map<String, Value>,
        side: usize,
        all: &mut Vec<Id>,
    ) {
        let term = match keyword {
            "type" => types(value),
            "const" => return all.push(self.listed(std::slice::from_ref(value))),
            "enum" => {
                return all.push(self.listed(value.as_array().map_or(&[], Vec::as_slice)));
            }
            "allOf" => return all.extend(self.list(Some(value), side)),
            "anyOf" => {
                let mut ids = self.list(Some(value), side);
                ids.sort_unstable();
                ids.dedup();
                Some(Term::Any(ids))
            }
            "oneOf" => {
                let mut ids = self.list(Some(value), side);
                ids.sort_unstable();
                Some(Term::ExactlyOne(ids))
            }
            "not" => {
                let id = self.schema(value, side);
                return all.push(self.not(id));
            }
            "if" => {
                let branch = |keyword: &str| map.get(keyword);
                let condition = self.schema(value, side);
                let then = self.optional(branch("then"), side);
                let otherwise = self.optional(branch("else"), side);
                if then == ANYTHING && otherwise == ANYTHING {
                    return;
                }
                Some(Term::If(condition, then, otherwise))
            }
            "$ref" => value
                .as_str()
                .and_then(|it| it.strip_prefix("#/$defs/"))
                .map(|name| Term::Definition(side, name.to_owned())),
            "minimum" => fixed(value).map(|it| Term::AtLeast(it, false)),
            "exclusiveMinimum" => fixed(value).map(|it| Term::AtLeast(it, true)),
            "maximum" => fixed(value).map(|it| Term::AtMost(it, false)),
            "exclusiveMaximum" => fixed(value).map(|it| Term::AtMost(it, true)),
            "multipleOf" => fixed(value).filter(|it| *it > 0).map(Term::MultipleOf),
            "minLength" => count(value).map(Term::MinLength),
            "maxLength" => count(value).map(Term::MaxLength),
            "pattern" => value.as_str().map(|it| Term::Pattern(it.to_owned())),
            "minItems" => count(value).map(Term::MinItems),
            "maxItems" => count(value).map(Term::MaxItems),
            "uniqueItems" if *value == Value::Bool(true) => Some(Term::Unique),
            "contains" => {
                let id = self.schema(value, side);
                let min = map.get("minContains").map_or(Some(1), count);
                let max = map.get("maxContains").map(count);
                match (min, max) {
                    (Some(min), None) => Some(Term::Contains(id, min, None)),
                    (Some(min), Some(Some(max))) => Some(Term::Contains(id, min, Some(max))),
                    _ => None,
                }
            }
            "minProperties" => count(value).map(Term::MinProperties),
            "maxProperties" => count(value).map(Term::MaxProperties),
            "required" => {
                for name in value.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    all.push(self.id(Term::Required(name.to_owned())));
                }
                return;
            }
            "propertyNames" => {
                let id = self.schema(value, side);
                Some(Term::Names(id))
            }
            "dependentRequired" => {
                for (name, names) in value.as_object().into_iter().flatten() {
                    let names = names.as_array().into_iter().flatten();
                    let names = names.filter_map(|it| Some(it.as_str()?.to_owned())).collect();
                    all.push(self.id(Term::DependentRequired(name.clone(), names)));
                }
                return;
            }
            "dependentSchemas" => {
                for (name, schema) in value.as_object().into_iter().flatten() {
                    let id = self.schema(schema, side);
                    all.push(self.id(Term::Dependent(name.clone(), id)));
                }
                return;
            }
            // These look at everything that stands beside them.
            "unevaluatedProperties" | "unevaluatedItems" => Some(opaque(keyword, map, side)),
            _ => return,
        };
        let term = term.unwrap_or_else(|| Term::Opaque(format!("{keyword}: {value}")));
        all.push(self.id(term));
    }

    /// One of these values.
    pub(super) fn listed(&mut self, values: &[Value]) -> Id {
        let mut listed = Listed::default();
        for value in values {
            match value {
                Value::Number(_) => match fixed(value) {
                    Some(number) => {
                        listed.numbers.insert(number);
                    }
                    None => return self.id(Term::Opaque(format!("enum: {values:?}"))),
                },
                Value::String(text) => {
                    listed.strings.insert(text.clone());
                }
                Value::Array(items) => listed.arrays.push(self.array(items)),
                Value::Object(map) => listed.objects.push(self.object(map)),
                plain => listed.plain |= Kind::of(plain).bit(),
            }
        }
        for ids in [&mut listed.arrays, &mut listed.objects] {
            ids.sort_unstable();
            ids.dedup();
        }
        self.id(Term::Listed(listed))
    }

    /// The array of exactly these items.
    fn array(&mut self, items: &[Value]) -> Id {
        let prefix = items.iter().map(|it| self.listed(std::slice::from_ref(it))).collect();
        let all = [
            Term::Types(Kind::Array.bit(), false),
            Term::MinItems(items.len() as u64),
            Term::Items(prefix, NOTHING),
        ];
        let all = all.map(|term| self.id(term)).to_vec();
        self.all(all)
    }

    /// The object of exactly these members.
    fn object(&mut self, map: &Map<String, Value>) -> Id {
        let member =
            |(name, it): (&String, &Value)| (name.clone(), self.listed(std::slice::from_ref(it)));
        let named = map.iter().map(member).collect();
        let properties = Properties { named, patterns: BTreeMap::new(), rest: NOTHING };
        let mut all = vec![
            self.id(Term::Types(Kind::Object.bit(), false)),
            self.id(Term::Properties(properties)),
        ];
        for name in map.keys() {
            all.push(self.id(Term::Required(name.clone())));
        }
        self.all(all)
    }
}

fn opaque(keyword: &str, map: &Map<String, Value>, side: usize) -> Term {
    let mut text = serde_json::to_string(map).unwrap_or_default();
    if text.contains("$ref") {
        text = format!("{side} {text}");
    }
    Term::Opaque(format!("{keyword} in {text}"))
}

fn types(value: &Value) -> Option<Term> {
    let names = match value {
        Value::Array(names) => names.as_slice(),
        name => std::slice::from_ref(name),
    };
    let (mut kinds, mut whole) = (0, false);
    for name in names {
        kinds |= match name.as_str()? {
            "null" => Kind::Null.bit(),
            "boolean" => Kind::False.bit() | Kind::True.bit(),
            "string" => Kind::String.bit(),
            "array" => Kind::Array.bit(),
            "object" => Kind::Object.bit(),
            "number" => Kind::Number.bit(),
            "integer" => {
                whole = true;
                Kind::Number.bit()
            }
            _ => return None,
        };
    }
    whole &= !names.iter().any(|name| name == "number");
    Some(Term::Types(kinds, whole))
}

fn count(value: &Value) -> Option<u64> {
    let number = value.as_f64().filter(|it| it.fract() == 0.0 && (0.0..9e15).contains(it))?;
    Some(number as u64)
}

/// `None` for what has more places or digits than there is room for.
fn fixed(value: &Value) -> Option<Fixed> {
    let text = value.as_number()?.to_string();
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text.as_str(), 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let places = i32::try_from(fraction.len()).ok()?;
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    if digits == 0 {
        return Some(0);
    }
    // The digits do not end in zeros, so none of them can be left out.
    let power = 10i128.checked_pow(u32::try_from(exponent - places + 18).ok()?)?;
    digits.checked_mul(power).filter(|it| it.abs() < i128::MAX / 4)
}

/// The number as JSON.
pub(super) fn number(fixed: Fixed) -> Value {
    if fixed % ONE == 0 {
        let whole = fixed / ONE;
        if let Ok(whole) = i64::try_from(whole) {
            return whole.into();
        }
        if let Ok(whole) = u64::try_from(whole) {
            return whole.into();
        }
    }
    let sign = if fixed < 0 { "-" } else { "" };
    let (whole, rest) = (fixed.abs() / ONE, fixed.abs() % ONE);
    let text = format!("{sign}{whole}.{rest:018}");
    text.parse::<f64>().map_or(Value::Null, Value::from)
}
