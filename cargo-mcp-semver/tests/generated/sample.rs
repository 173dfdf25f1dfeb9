//! Values of a type, as a caller that knows the declared names alone would send them.

use serde_json::{Map, Value, json};

use super::model::{Enum, Field, Int, List, Model, PATTERNS, Payload, Presence, Struct, Tagging};
use super::model::{Text, Type};

/// Values nested deeper are none; recursion ends where an option or a list allows it.
const MAX_DEPTH: usize = 12;

/// A source of choices that is the same for the same seed (SplitMix64).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of `count`.
    pub fn below(&mut self, count: usize) -> usize {
        (self.number() % count.max(1) as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// Arguments for a model.
    pub fn arguments(&mut self, model: &Model) -> Option<Value> {
        self.object(model, &model.root, 0)
    }

    /// A value of a type; none where recursion does not end in time.
    pub fn value(&mut self, model: &Model, of: &Type, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        Some(match of {
            Type::Bool => json!(self.below(2) == 0),
            Type::Any => self.pick(&[json!(null), json!({"a": 1}), json!(0), json!("")]).clone(),
            Type::Float => self.pick(&[json!(0), json!(-1.5), json!(1e9), json!(3)]).clone(),
            Type::Int(int) => self.int(int),
            Type::Text(text) => json!(self.text(text)),
            Type::Option(_) if depth > 4 || self.below(3) == 0 => Value::Null,
            Type::Option(inner) => self.value(model, inner, depth + 1).unwrap_or_default(),
            Type::Vec(list) => Value::Array(self.list(model, list, depth)?),
            Type::Map(inner) => {
                let count = if depth > 4 { 0 } else { self.below(3) };
                let keys = ["one", "two words"].into_iter().take(count);
                let entry =
                    |key: &str| Some((key.to_owned(), self.value(model, inner, depth + 1)?));
                Value::Object(keys.map(entry).collect::<Option<_>>()?)
            }
            Type::Tuple(items) => {
                let items = items.iter().map(|it| self.value(model, it, depth + 1));
                Value::Array(items.collect::<Option<_>>()?)
            }
            Type::Struct(it) => self.object(model, it, depth)?,
            Type::Enum(it) => self.variant(model, it, depth)?,
            Type::Named(number) => match model.resolve(*number) {
                Some((_, target)) => self.value(model, target, depth + 1)?,
                None => json!(true),
            },
        })
    }

    fn int(&mut self, int: &Int) -> Value {
        let (low, high) = int.range();
        let near = self.below(3) as i64;
        let middle = low.midpoint(high);
        let zero = 0.clamp(low, high.max(low));
        let candidates = [low.saturating_add(near), high.saturating_sub(near), middle, zero];
        json!(self.pick(&candidates).clamp(&low, &high.max(low)))
    }

    fn text(&mut self, text: &Text) -> String {
        if let Some(pattern) = text.pattern {
            return (*self.pick(PATTERNS[pattern].1)).to_owned();
        }
        match text.format {
            Some("uuid") => return "67e55044-10b1-426f-9247-bb680e5fe0c8".to_owned(),
            Some("date-time") => return "2024-02-29T12:00:00Z".to_owned(),
            Some(_) => return "https://example.com/a".to_owned(),
            None => {}
        }
        let (low, high) = (text.shortest.unwrap_or(0), text.longest.unwrap_or(12));
        let length = self.length(low, high.max(low));
        let letters = ["a", "Z", "7", " ", "ä", "-", "😀"];
        (0..length).map(|_| *self.pick(&letters)).collect()
    }

    /// Most often one of the ends.
    fn length(&mut self, low: usize, high: usize) -> usize {
        *self.pick(&[low, high, low + self.0 as usize % (high - low + 1)])
    }

    fn list(&mut self, model: &Model, list: &List, depth: usize) -> Option<Vec<Value>> {
        let low = list.fewest.unwrap_or(0);
        let high = list.most.unwrap_or(low + 2).max(low);
        let length = if depth > 4 { low } else { self.length(low, high) };
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..length {
            let item = self.value(model, &list.item, depth + 1)?;
            if !list.unique || !items.contains(&item) {
                items.push(item);
            }
        }
        (items.len() >= low).then_some(items)
    }

    fn object(&mut self, model: &Model, of: &Struct, depth: usize) -> Option<Value> {
        let mut map = match &of.flattened {
            Some(inner) => match self.variant(model, inner, depth)? {
                Value::Object(map) => map,
                _ => return None,
            },
            None => Map::new(),
        };
        self.fields(model, &of.fields, &mut map, depth)?;
        Some(Value::Object(map))
    }

    fn fields(
        &mut self,
        model: &Model,
        fields: &[Field],
        map: &mut Map<String, Value>,
        depth: usize,
    ) -> Option<()> {
        for field in fields {
            let optional = field.presence != Presence::Required;
            if optional && (depth > 4 || self.below(2) == 0) {
                continue;
            }
            match self.value(model, &field.of, depth + 1) {
                Some(value) => {
                    map.insert(field.name.clone(), value);
                }
                None if optional => {}
                None => return None,
            }
        }
        Some(())
    }

    fn variant(&mut self, model: &Model, of: &Enum, depth: usize) -> Option<Value> {
        let (name, payload) = self.pick(&of.variants);
        let content = match payload {
            Payload::Unit => None,
            Payload::One(inner) => Some(self.value(model, inner, depth + 1)?),
            Payload::Fields(fields) => {
                let mut map = Map::new();
                self.fields(model, fields, &mut map, depth + 1)?;
                Some(Value::Object(map))
            }
        };
        Some(match (of.tagging, content) {
            (Tagging::External, None) => json!(name),
            (Tagging::External, Some(content)) => json!({ name: content }),
            (Tagging::Internal, Some(Value::Object(mut map))) => {
                map.insert("type".to_owned(), json!(name));
                Value::Object(map)
            }
            (Tagging::Internal, _) => json!({ "type": name }),
            (Tagging::Adjacent, None) => json!({ "t": name }),
            (Tagging::Adjacent, Some(content)) => json!({ "t": name, "c": content }),
            (Tagging::Untagged, content) => content.unwrap_or_default(),
        })
    }
}
