//! Rust types as a server's arguments are made of, and how proptest makes them.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Everything that one schema is generated from.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub spelling: Spelling,
    /// The argument object.
    pub root: Struct,
    /// Types with a name; [`Type::Named`] counts into it, whatever the number.
    pub named: Vec<(String, Type)>,
}

/// Which schemars writes the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// 0.8: draft-07, `definitions`.
    Old,
    /// 1.x: 2020-12, `$defs`.
    New,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    Bool,
    Any,
    Float,
    Int(Int),
    Text(Text),
    Option(Box<Type>),
    Vec(List),
    Map(Box<Type>),
    Tuple(Vec<Type>),
    Struct(Struct),
    Enum(Enum),
    Named(usize),
}

/// An integer type, with a range of its own where there is a validation.
#[derive(Debug, Clone, PartialEq)]
pub struct Int {
    pub format: usize,
    pub low: Option<i64>,
    pub high: Option<i64>,
}

/// Integer formats with the range that their values have.
pub const FORMATS: [(&str, i64, i64); 7] = [
    ("uint8", 0, u8::MAX as i64),
    ("uint16", 0, u16::MAX as i64),
    ("uint32", 0, u32::MAX as i64),
    ("uint64", 0, i64::MAX),
    ("int8", i8::MIN as i64, i8::MAX as i64),
    ("int32", i32::MIN as i64, i32::MAX as i64),
    ("int64", i64::MIN, i64::MAX),
];

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Text {
    pub shortest: Option<usize>,
    pub longest: Option<usize>,
    pub pattern: Option<usize>,
    pub format: Option<&'static str>,
}

/// Patterns, each with texts that match; some lie within others.
pub const PATTERNS: [(&str, &[&str]); 6] = [
    ("^[a-z]+$", &["a", "abc", "zz", "qwertyuiop"]),
    ("^[a-z0-9]+$", &["a", "abc", "a1", "007"]),
    ("^[a-z0-9_-]*$", &["", "a", "a-b", "_1"]),
    ("^v", &["v", "v1", "v-x y"]),
    (r"^\d{4}-\d{2}$", &["2024-01", "0000-99"]),
    ("^(get|put)$", &["get", "put"]),
];

#[derive(Debug, Clone, PartialEq)]
pub struct List {
    pub item: Box<Type>,
    pub fewest: Option<usize>,
    pub most: Option<usize>,
    /// A set.
    pub unique: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Struct {
    pub fields: Vec<Field>,
    /// `deny_unknown_fields`.
    pub closed: bool,
    /// An enum that is flattened into it.
    pub flattened: Option<Box<Enum>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub name: String,
    pub of: Type,
    pub presence: Presence,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Presence {
    Required,
    Optional,
    /// Optional, with this sample of its type as the default.
    Default(u64),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Enum {
    pub tagging: Tagging,
    pub variants: Vec<(String, Payload)>,
}

/// The four ways of serde.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tagging {
    External,
    Internal,
    Adjacent,
    Untagged,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    Unit,
    One(Type),
    Fields(Vec<Field>),
}

const NAMES: [&str; 12] =
    ["query", "limit", "mode", "filter", "path", "id", "tags", "depth", "user", "to", "kind", "x"];

/// Models of a size as real tools have.
pub fn model() -> impl Strategy<Value = Model> {
    let spelling = prop_oneof![Just(Spelling::Old), Just(Spelling::New)];
    let named = vec(of(), 0..3).prop_map(|types| {
        types.into_iter().enumerate().map(|(at, of)| (format!("Type{at}"), of)).collect()
    });
    (spelling, record(of(), 1..6), named).prop_map(|(spelling, root, named)| Model {
        spelling,
        root,
        named,
    })
}

/// Any type, nested three deep at most.
pub fn of() -> impl Strategy<Value = Type> {
    leaf().prop_recursive(3, 24, 4, |inner| {
        let inner = inner.boxed();
        let list = (inner.clone(), bounds(3), any::<bool>()).prop_map(|(item, bounds, unique)| {
            Type::Vec(List { item: Box::new(item), fewest: bounds.0, most: bounds.1, unique })
        });
        prop_oneof![
            3 => inner.clone().prop_map(|it| Type::Option(Box::new(it))),
            3 => list,
            1 => inner.clone().prop_map(|it| Type::Map(Box::new(it))),
            1 => vec(inner.clone(), 1..4).prop_map(Type::Tuple),
            3 => record(inner.clone(), 0..4).prop_map(Type::Struct),
            3 => sum(inner).prop_map(Type::Enum),
        ]
    })
}

fn leaf() -> impl Strategy<Value = Type> {
    let int = (0..FORMATS.len(), option::weighted(0.3, (-3i64..20, 0i64..100))).prop_map(
        |(format, range)| {
            let low = range.map(|(low, _)| low.max(FORMATS[format].1));
            let high = range.map(|(low, size)| low.max(0) + size);
            Type::Int(Int { format, low, high })
        },
    );
    let text = prop_oneof![
        4 => Just(Text::default()),
        2 => bounds(8).prop_map(|(shortest, longest)| Text { shortest, longest, ..Text::default() }),
        1 => (0..PATTERNS.len())
            .prop_map(|it| Text { pattern: Some(it), ..Text::default() }),
        1 => prop_oneof![Just("uuid"), Just("date-time"), Just("uri")]
            .prop_map(|it| Text { format: Some(it), ..Text::default() }),
    ];
    prop_oneof![
        1 => Just(Type::Bool),
        1 => Just(Type::Any),
        1 => Just(Type::Float),
        3 => int,
        4 => text.prop_map(Type::Text),
        2 => vec(Just(Payload::Unit), 1..5)
            .prop_map(|units| Type::Enum(sum_of(Tagging::External, units))),
        3 => any::<usize>().prop_map(Type::Named),
    ]
}

fn bounds(most: usize) -> impl Strategy<Value = (Option<usize>, Option<usize>)> {
    (option::of(0..most), option::of(1..most))
        .prop_map(|(low, more)| (low, more.map(|more| low.unwrap_or(0) + more)))
}

fn fields(
    of: BoxedStrategy<Type>,
    count: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<Field>> {
    let presence = prop_oneof![
        Just(Presence::Required),
        Just(Presence::Optional),
        any::<u64>().prop_map(Presence::Default)
    ];
    vec((of, presence), count).prop_map(|fields| {
        let named = fields.into_iter().zip(NAMES);
        named.map(|((of, presence), name)| Field { name: name.to_owned(), of, presence }).collect()
    })
}

fn record(
    of: impl Strategy<Value = Type> + 'static,
    count: std::ops::Range<usize>,
) -> impl Strategy<Value = Struct> {
    let of = of.boxed();
    let flattened = option::weighted(0.1, sum(of.clone()));
    (fields(of, count), any::<bool>(), flattened).prop_map(|(fields, closed, flattened)| {
        // serde has no way to refuse unknown fields of a struct that flattens another.
        let closed = closed && flattened.is_none();
        // Flattened, only the tagged forms are objects.
        let flattened = flattened
            .filter(|it| matches!(it.tagging, Tagging::Internal | Tagging::Adjacent))
            .map(|it| Box::new(apart(it)));
        Struct { fields, closed, flattened }
    })
}

/// With fields of other names than the struct has that it is flattened into.
fn apart(mut flattened: Enum) -> Enum {
    for (_, payload) in &mut flattened.variants {
        if let Payload::Fields(fields) = payload {
            fields.iter_mut().for_each(|field| field.name.insert_str(0, "flat_"));
        }
    }
    flattened
}

fn sum(of: BoxedStrategy<Type>) -> impl Strategy<Value = Enum> {
    let tagging = prop_oneof![
        Just(Tagging::External),
        Just(Tagging::Internal),
        Just(Tagging::Adjacent),
        Just(Tagging::Untagged)
    ];
    let payload = prop_oneof![
        Just(Payload::Unit),
        of.clone().prop_map(Payload::One),
        fields(of, 0..3).prop_map(Payload::Fields),
    ];
    (tagging, vec(payload, 1..4)).prop_map(|(tagging, payloads)| sum_of(tagging, payloads))
}

fn sum_of(tagging: Tagging, payloads: Vec<Payload>) -> Enum {
    let payloads = payloads.into_iter().map(|payload| match payload {
        // serde can tag a map from the inside only.
        Payload::One(_) if tagging == Tagging::Internal => Payload::Unit,
        payload => payload,
    });
    let names = ["alpha", "beta", "gamma", "delta", "epsilon"];
    let variants = names.iter().map(|name| (*name).to_owned()).zip(payloads).collect();
    Enum { tagging, variants }
}

impl Int {
    /// The range that its values have.
    pub fn range(&self) -> (i64, i64) {
        let (_, low, high) = FORMATS[self.format];
        (self.low.unwrap_or(low), self.high.unwrap_or(high).min(high))
    }
}

impl Model {
    /// What [`Type::Named`] means.
    pub fn resolve(&self, number: usize) -> Option<&(String, Type)> {
        self.named.get(number.checked_rem(self.named.len())?)
    }

    /// The default of a field as JSON; the same however the rest of the model is written.
    pub fn default(&self, of: &Type, seed: u64) -> Option<Value> {
        match of {
            Type::Bool | Type::Int(_) | Type::Float | Type::Text(_) => {
                super::sample::Dice::new(seed).value(self, of, 0)
            }
            Type::Option(_) => Some(Value::Null),
            Type::Vec(list) if list.fewest.unwrap_or(0) == 0 => Some(json!([])),
            _ => None,
        }
    }
}
