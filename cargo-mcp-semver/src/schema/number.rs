//! Bounds of numbers, written or implied by an integer format.

use std::cmp::Ordering;
use std::fmt;

use serde_json::Value;

use super::scalars::outside;
use super::types::Types;
use super::view::{View, text};

/// A number, exact where it is whole.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Number {
    Whole(i128),
    Float(f64),
}

impl Number {
    fn of(value: &Value) -> Option<Self> {
        let number = value.as_number()?;
        let whole = number.as_i128();
        let float = number.as_f64()?;
        match whole {
            Some(whole) => Some(Self::Whole(whole)),
            // Exact: an `f64` without a fraction below 2^100 is a whole number.
            None if float.fract() == 0.0 && float.abs() < 1e30 => Some(Self::Whole(float as i128)),
            None => Some(Self::Float(float)),
        }
    }

    fn cmp(self, other: Self) -> Ordering {
        let float = |number| match number {
            Self::Whole(whole) => whole as f64,
            Self::Float(float) => float,
        };
        match (self, other) {
            (Self::Whole(one), Self::Whole(other)) => one.cmp(&other),
            (one, other) => float(one).total_cmp(&float(other)),
        }
    }
}

/// One end of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limit {
    number: Number,
    exclusive: bool,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Number::Whole(whole) => write!(f, "{whole}")?,
            Number::Float(float) => f.write_str(&text(&Value::from(float)))?,
        }
        f.write_str(if self.exclusive { " (exclusive)" } else { "" })
    }
}

/// An inclusive limit.
pub(super) fn limit(value: &Value) -> Option<Limit> {
    Some(Limit { number: Number::of(value)?, exclusive: false })
}

/// The range of a number.
pub(super) struct Range {
    ends: [End; 2],
}

struct End {
    limit: Option<Limit>,
    /// What the integer format alone says.
    format: Option<Limit>,
}

impl Range {
    pub(super) fn of(view: &View<'_>) -> Self {
        let format = integer_range(view.rest.get("format").map(|it| it.value));
        let whole = view.types.and(Types::NUMBER) == Types::INTEGER;
        let end = |lower: bool, plain: &str, exclusive: &str| {
            let value = |keyword: &str| view.rest.get(keyword).map(|it| it.value);
            let plain_limit = value(plain).and_then(|value| {
                let exclusive = value_is_true(view, exclusive);
                Some(Limit { exclusive, ..limit(value)? })
            });
            let exclusive_limit =
                value(exclusive).and_then(limit).map(|limit| Limit { exclusive: true, ..limit });
            let format = format.map(|(low, high)| Limit {
                number: Number::Whole(if lower { low } else { high }),
                exclusive: false,
            });
            // Of numbers that need not be whole, an integer format is no limit.
            let all = [plain_limit, exclusive_limit, format.filter(|_| whole)];
            let all = all.into_iter().flatten().map(|it| it.whole_when(whole, lower));
            let limit =
                all.reduce(|one, other| match Self::compare(lower, Some(one), Some(other)) {
                    Ordering::Less => other,
                    _ => one,
                });
            End { limit, format }
        };
        Self {
            ends: [
                end(true, "minimum", "exclusiveMinimum"),
                end(false, "maximum", "exclusiveMaximum"),
            ],
        }
    }

    fn at(&self, lower: bool) -> &End {
        &self.ends[usize::from(!lower)]
    }

    /// The limit at one end, if there is one.
    pub(super) fn end(&self, lower: bool) -> Option<Limit> {
        self.at(lower).limit
    }

    /// Whether the limit at one end says no more than the integer format does, or than none.
    pub(super) fn implied(&self, lower: bool) -> bool {
        self.at(lower).limit == self.at(lower).format
    }

    /// What the integer format alone says of one end, where no other limit stands in its place.
    pub(super) fn left_to_format(&self, lower: bool) -> Option<Option<Limit>> {
        let end = self.at(lower);
        (end.limit.is_none() || end.limit == end.format).then_some(end.format)
    }

    /// The limit at one end as JSON.
    pub(super) fn written(&self, lower: bool) -> Option<Value> {
        self.end(lower)?.written()
    }

    /// Whether the range at this end has `Less` or `Greater` room after the change.
    pub(super) fn compare(lower: bool, before: Option<Limit>, after: Option<Limit>) -> Ordering {
        let (before, after) = match (before, after) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(before), Some(after)) => (before, after),
        };
        let room = match lower {
            true => before.number.cmp(after.number),
            false => after.number.cmp(before.number),
        };
        room.then(before.exclusive.cmp(&after.exclusive))
    }
}

impl Limit {
    fn written(self) -> Option<Value> {
        match self.number {
            Number::Whole(whole) => serde_json::Number::from_i128(whole).map(Value::Number),
            Number::Float(float) => Some(Value::from(float)),
        }
    }

    /// The numbers beyond a limit.
    pub(super) fn outside(self, lower: bool) -> Option<Value> {
        let keyword = match (lower, self.exclusive) {
            (true, false) => "minimum",
            (true, true) => "exclusiveMinimum",
            (false, false) => "maximum",
            (false, true) => "exclusiveMaximum",
        };
        outside(keyword, self.written())
    }

    /// Of whole numbers alone, an exclusive limit is the next inclusive one.
    fn whole_when(self, whole: bool, lower: bool) -> Self {
        let number = match self.number {
            _ if !whole => return self,
            Number::Whole(number) if self.exclusive && lower => number.saturating_add(1),
            Number::Whole(number) if self.exclusive => number.saturating_sub(1),
            Number::Whole(number) => number,
            Number::Float(float) if float.abs() > 1e30 => return self,
            Number::Float(float) if lower => float.ceil() as i128,
            Number::Float(float) => float.floor() as i128,
        };
        Self { number: Number::Whole(number), exclusive: false }
    }
}

fn value_is_true(view: &View<'_>, keyword: &str) -> bool {
    view.rest.get(keyword).is_some_and(|it| *it.value == Value::Bool(true))
}

/// Whether a format is of floating point numbers, as which Rust servers read every number.
pub(super) fn is_of_any_number(format: &Value) -> bool {
    matches!(format.as_str(), Some("float" | "double"))
}

/// Whether a value is no number that an integer format excludes.
pub(super) fn fits_format(value: &Value, format: Option<&Value>) -> bool {
    match (Number::of(value), integer_range(format)) {
        (Some(Number::Whole(number)), Some((low, high))) => (low..=high).contains(&number),
        (Some(Number::Float(_)), Some(_)) => false,
        _ => true,
    }
}

/// The range of the integer type that a `format` names as Rust servers write it.
pub(super) fn integer_range(format: Option<&Value>) -> Option<(i128, i128)> {
    let signed = |bits: u32| (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let unsigned = |bits: u32| (0, (1i128 << bits) - 1);
    Some(match format?.as_str()? {
        "int8" => signed(8),
        "int16" => signed(16),
        "int32" => signed(32),
        "int64" | "int" => signed(64),
        "int128" => (i128::MIN, i128::MAX),
        "uint8" => unsigned(8),
        "uint16" => unsigned(16),
        "uint32" => unsigned(32),
        "uint64" | "uint" => unsigned(64),
        "uint128" => (0, i128::MAX),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_format_has_the_range_of_the_rust_type_it_names() {
        macro_rules! range {
            ($type:ty) => {
                (i128::try_from(<$type>::MIN).unwrap(), i128::try_from(<$type>::MAX).unwrap())
            };
        }
        for (name, range) in [
            ("int8", range!(i8)),
            ("int16", range!(i16)),
            ("int32", range!(i32)),
            ("int64", range!(i64)),
            ("int", range!(i64)),
            ("int128", range!(i128)),
            ("uint8", range!(u8)),
            ("uint16", range!(u16)),
            ("uint32", range!(u32)),
            ("uint64", range!(u64)),
            ("uint", range!(u64)),
            // As far as numbers go here.
            ("uint128", (0, i128::MAX)),
        ] {
            assert_eq!(integer_range(Some(&json!(name))), Some(range), "{name}");
        }
        for other in [json!("uuid"), json!("double"), json!(8)] {
            assert_eq!(integer_range(Some(&other)), None, "{other}");
        }
    }
}
