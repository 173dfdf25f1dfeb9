//! Numbers that would be read as others, which the reader of YAML does without a word.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, NonFiniteFloatPolicy, Spanned};

use super::Problem;
use super::parse::{Document, Fault, options};
use crate::number::{lost_in, shown};
use crate::unique::Unique;

/// The first number that would be read as another one; `read` is what the text was read as, where
/// it could be.
pub(super) fn fault(text: &str, read: Option<&Document<Unique>>) -> Option<Fault> {
    let read_as: Vec<f64> = lost_in(text).filter_map(|(_, number)| number.parse().ok()).collect();
    // The same digits may stand in a text, which takes reading all of it with its places to tell.
    if read_as.is_empty() || read.is_some_and(|read| !read.holds(&read_as)) {
        return None;
    }
    let mut options = options();
    options.non_finite_float_policy = NonFiniteFloatPolicy::PassThrough;
    // What is not read here is complained of by whoever reads it next.
    let document: Document<Doubles> = serde_saphyr::from_str_with_options(text, options).ok()?;
    let tools = document.tools.into_iter().flat_map(|tools| tools.0).flat_map(|(tool, (_, it))| {
        it.0.into_values().map(move |(_, doubles)| (Some(tool.clone()), doubles))
    });
    let rest = document.rest.0.into_values().map(|(_, doubles)| (None, doubles));
    let all = tools.chain(rest).flat_map(|(tool, doubles)| {
        doubles.0.into_iter().map(move |location| (location, tool.clone()))
    });
    let lost = all.filter_map(|(location, tool)| {
        let start = usize::try_from(location.span().byte_offset()?).ok()?;
        let length = usize::try_from(location.span().byte_len()?).ok()?;
        let (_, number) = lost_in(text.get(start..start + length)?).next()?;
        let line = usize::try_from(location.line()).ok()?;
        let fault = Fault::at(line, Problem::LostDigits { number: shown(number) });
        Some(match tool {
            Some(tool) => fault.of(&tool),
            None => fault,
        })
    });
    lost.min_by_key(|fault| fault.line)
}

/// Where in a value there are numbers that were read as doubles.
struct Doubles(Vec<Location>);

impl<'de> Deserialize<'de> for Doubles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned { value, defined, .. } = Spanned::<Inside>::deserialize(deserializer)?;
        Ok(match value {
            Inside::Double => Self(vec![defined]),
            Inside::Others(all) => Self(all),
        })
    }
}

/// A value: a double, or what there is inside of any other.
enum Inside {
    Double,
    Others(Vec<Location>),
}

impl Inside {
    const NONE: Self = Self::Others(Vec::new());
}

impl<'de> Deserialize<'de> for Inside {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InsideVisitor)
    }
}

struct InsideVisitor;

impl<'de> Visitor<'de> for InsideVisitor {
    type Value = Inside;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Inside, E> {
        Ok(Inside::NONE)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Inside, E> {
        Ok(Inside::NONE)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Inside, E> {
        Ok(Inside::NONE)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Inside, E> {
        Ok(Inside::NONE)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Inside, E> {
        Ok(Inside::Double)
    }

    fn visit_str<E>(self, _: &str) -> Result<Inside, E> {
        Ok(Inside::NONE)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Inside, A::Error> {
        let mut all = Vec::new();
        while let Some(Doubles(more)) = seq.next_element()? {
            all.extend(more);
        }
        Ok(Inside::Others(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Inside, A::Error> {
        let mut all = Vec::new();
        while let Some((_, Doubles(more))) = map.next_entry::<String, _>()? {
            all.extend(more);
        }
        Ok(Inside::Others(all))
    }
}
