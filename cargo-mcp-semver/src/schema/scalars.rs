//! Types, listed values, numbers and strings.

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::change::{Direction, Kind};
use super::formats;
use super::number::{Range, fits_format, integer_range, is_of_any_number, limit};
use super::types::Types;
use super::view::{Values, View, text};
use super::walk::{Pair, Walk};

/// Of lists of more values, what differs is told.
const MAX_TOLD: usize = 10_000;

impl<'a> Walk<'_, 'a> {
    /// Compares the types; returns those that both sides accept.
    pub(super) fn types(&mut self, pair: &Pair<'_, 'a>) -> Types {
        let (old, new) = (pair.old.effective_types(), pair.new.effective_types());
        let (old, new) = (as_listed(pair.old, old, new), as_listed(pair.new, new, old));
        // A list says so by itself.
        let is_listed = [pair.old, pair.new].map(|view| view.values.is_some());
        let is_finite = old.and(new).within(Types::NULL.or(Types::BOOLEAN));
        let is_told = (is_listed == [true, false] && old.within(new))
            || (is_listed == [false, true] && new.within(old));
        if is_told && !is_finite {
            return old.and(new);
        }
        self.types_moved(pair, old, new);
        old.and(new)
    }

    /// Records that the types at a place are others, if they are.
    pub(super) fn types_moved(&mut self, pair: &Pair<'_, 'a>, old: Types, new: Types) {
        let kind = match (old.within(new), new.within(old)) {
            (true, true) => return,
            (true, false) => Kind::TypeWidened,
            (false, true) => Kind::TypeNarrowed,
            (false, false) => self.both_ways(Kind::TypeNarrowed, Kind::TypeWidened),
        };
        let detail = format!("changed its type from {old} to {new}");
        let value = |types: Types| (types != Types::ALL).then(|| names(types));
        // All that is said of what was not limited before is one change.
        let shows = match self.reader(old, new) {
            Types::NONE => Some(Value::Bool(true)),
            types => outside("type", value(types)),
        };
        let shows = shows.filter(|_| !pair.old.says_nothing() && !becomes_fraction(pair));
        self.push(pair, kind, &pair.new.types_at, detail, value(old), value(new)).shown_by(shows);
    }

    /// The kind to report when a place is narrowed and widened at once: the one that breaks.
    pub(super) fn both_ways(&self, narrowed: Kind, widened: Kind) -> Kind {
        match self.direction {
            Direction::Input => narrowed,
            Direction::Output => widened,
        }
    }

    pub(super) fn values(&mut self, pair: &Pair<'_, 'a>, common: Types) {
        let (old, new) = (listed(pair.old, common), listed(pair.new, common));
        // What agents are offered is what is listed, whatever the type says.
        if let (Some(old), Some(new)) = (&pair.old.values, &pair.new.values)
            && (has_strays(pair.old) || has_strays(pair.new))
        {
            return self.listed_values(pair, old, new);
        }
        match (old, new) {
            (None, None) => {}
            (None, Some(new)) => {
                let detail = format!("is limited to {} now", quoted(new.keys()));
                let new: Value = new.into_values().cloned().collect();
                let (at, shows) = (&pair.new.values_at, outside("enum", Some(new.clone())));
                self.push(pair, Kind::EnumNarrowed, at, detail, None, Some(new)).shown_by(shows);
            }
            (Some(old), None) => {
                let detail = format!("is no longer limited to {}", quoted(old.keys()));
                let old: Value = old.into_values().cloned().collect();
                let (at, shows) = (&pair.new.written, outside("enum", Some(old.clone())));
                self.push(pair, Kind::EnumWidened, at, detail, Some(old), None).shown_by(shows);
            }
            (Some(old), Some(new)) => self.listed_values(pair, &old, &new),
        }
    }

    fn listed_values(&mut self, pair: &Pair<'_, 'a>, old: &Values<'a>, new: &Values<'a>) {
        let all = |values: &Values<'a>| values.values().copied().cloned().collect::<Value>();
        let beyond = |values: &Values<'a>, other: &Values<'a>| -> Values<'a> {
            let beyond = values.iter().filter(|(key, _)| !other.contains_key(*key));
            beyond.map(|(key, value)| (key.clone(), *value)).collect()
        };
        let shows = |values: &Values<'a>| Some(json!({ "enum": all(values) }));
        let (gone, added, at) = (beyond(old, new), beyond(new, old), &pair.new.values_at);
        let is_short = old.len().max(new.len()) <= MAX_TOLD;
        let told = |values, differing| Some(all(if is_short { values } else { differing }));
        if !gone.is_empty() {
            let detail = format!("no longer has {} among its values", quoted(gone.keys()));
            let (old, new) = (told(old, &gone), told(new, &added));
            let change = self.push(pair, Kind::EnumNarrowed, at, detail, old, new);
            change.shown_by(shows(&gone));
        }
        if !added.is_empty() {
            let detail = format!("has {} among its values now", quoted(added.keys()));
            let (old, new) = (told(old, &gone), told(new, &added));
            let change = self.push(pair, Kind::EnumWidened, at, detail, old, new);
            change.shown_by(shows(&added));
        }
    }

    pub(super) fn numbers(&mut self, pair: &Pair<'_, 'a>, common: Types) {
        if !common.meets(Types::NUMBER) {
            return;
        }
        let (old, new) = (Range::of(pair.old), Range::of(pair.new));
        for lower in [true, false] {
            let (before, after) = (old.end(lower), new.end(lower));
            let order = Range::compare(lower, before, after);
            if order == Ordering::Equal || (old.implied(lower) && new.implied(lower)) {
                continue;
            }
            let name = if lower { "a lower bound" } else { "an upper bound" };
            let kind = tightened(order);
            let detail = match (before, after) {
                (_, None) => format!("has no longer {name}"),
                (None, Some(after)) => format!("has {name} now: {after}"),
                (Some(before), Some(after)) => {
                    format!("has {name} of {after}, which was {before}")
                }
            };
            let shows = self.reader(before, after).and_then(|limit| limit.outside(lower));
            let (old, new) = (old.written(lower), new.written(lower));
            self.push(pair, kind, &pair.new.written, detail, old, new).shown_by(shows);
        }
        self.integer_format(pair, &old, &new);
        if !common.meets(Types::STRING) {
            self.format(pair, "format");
        }
        self.multiple_of(pair);
    }

    fn integer_format(&mut self, pair: &Pair<'_, 'a>, old: &Range, new: &Range) {
        let format = |view: &View<'a>| view.rest.get("format").map(|it| it.value);
        let (before, after) = (format(pair.old), format(pair.new));
        let numeric = |it: Option<&Value>| integer_range(it).is_some();
        if before == after || !(numeric(before) || numeric(after)) || becomes_fraction(pair) {
            return;
        }
        let moved = |lower: bool| match (old.left_to_format(lower), new.left_to_format(lower)) {
            (Some(before), Some(after)) => Range::compare(lower, before, after),
            _ => Ordering::Equal,
        };
        let ends = [moved(true), moved(false)];
        let kind = match (ends.contains(&Ordering::Less), ends.contains(&Ordering::Greater)) {
            (true, true) => self.both_ways(Kind::IntegerFormatNarrowed, Kind::IntegerFormatWidened),
            (true, false) => Kind::IntegerFormatNarrowed,
            (false, true) => Kind::IntegerFormatWidened,
            (false, false) => Kind::Reworded,
        };
        // What is listed says how large a number may be.
        let sent = self.reader(pair.new, pair.old).finite();
        let read = self.reader(before, after);
        let fits = sent.is_some_and(|values| values.values().all(|it| fits_format(it, read)));
        let breaks = self.both_ways(Kind::IntegerFormatNarrowed, Kind::IntegerFormatWidened);
        let kind = if fits && kind == breaks { Kind::Reworded } else { kind };
        let name = |it: Option<&Value>| it.map_or("no format".to_owned(), text);
        let detail = format!("changed its integer format from {} to {}", name(before), name(after));
        self.push(pair, kind, &pair.new.written, detail, before.cloned(), after.cloned());
    }

    fn multiple_of(&mut self, pair: &Pair<'_, 'a>) {
        let of = |view: &View<'a>| view.rest.get("multipleOf").map(|it| it.value);
        let (old, new) = (of(pair.old), of(pair.new));
        if old.map(text) == new.map(text) {
            return;
        }
        let divides = |step: Option<&Value>, value: Option<&Value>| {
            let (step, value) = (step?.as_number()?.as_i128()?, value?.as_number()?.as_i128()?);
            Some(value.checked_rem(step)? == 0)
        };
        let kind = match (old, new) {
            (None, _) => Kind::ConstraintTightened,
            (_, None) => Kind::ConstraintLoosened,
            _ if divides(new, old) == Some(true) => Kind::ConstraintLoosened,
            _ if divides(old, new) == Some(true) => Kind::ConstraintTightened,
            _ => self.both_ways(Kind::ConstraintTightened, Kind::ConstraintLoosened),
        };
        let detail = step_detail("step (`multipleOf`)", old, new);
        let shows = outside("multipleOf", self.reader(old, new).cloned());
        self.push(pair, kind, &pair.new.written, detail, old.cloned(), new.cloned())
            .shown_by(shows);
    }

    pub(super) fn strings(&mut self, pair: &Pair<'_, 'a>, common: Types) {
        if !common.meets(Types::STRING) {
            return;
        }
        self.count(pair, "minLength", true);
        self.count(pair, "maxLength", false);
        for keyword in ["format", "contentEncoding", "contentMediaType"] {
            self.format(pair, keyword);
        }
        let of = |view: &View<'a>| view.rest.get("pattern").map(|it| it.value);
        let (old, new) = (of(pair.old), of(pair.new));
        let kind = match (old, new) {
            _ if old == new => return,
            (None, _) => Kind::ConstraintTightened,
            (_, None) => Kind::ConstraintLoosened,
            _ => Kind::Pattern,
        };
        let detail = step_detail("pattern", old, new);
        let shows = outside("pattern", self.reader(old, new).cloned());
        self.push(pair, kind, &pair.new.written, detail, old.cloned(), new.cloned())
            .shown_by(shows);
    }

    fn format(&mut self, pair: &Pair<'_, 'a>, keyword: &'static str) {
        let of = |view: &View<'a>| {
            let format = view.rest.get(keyword).map(|it| it.value);
            format.filter(|it| keyword != "format" || formats::of_text(it).is_some())
        };
        let (old, new) = (of(pair.old), of(pair.new));
        let kind = match (old, new) {
            _ if old == new => return,
            (None, _) => Kind::FormatNarrowed,
            (_, None) => Kind::FormatWidened,
            (Some(old), Some(new)) if formats::holds(new, old) => Kind::FormatWidened,
            (Some(old), Some(new)) if formats::holds(old, new) => Kind::FormatNarrowed,
            _ => self.both_ways(Kind::FormatNarrowed, Kind::FormatWidened),
        };
        let detail = step_detail(keyword, old, new);
        self.push(pair, kind, &pair.new.written, detail, old.cloned(), new.cloned());
    }

    /// Compares a length or a count.
    pub(super) fn count(&mut self, pair: &Pair<'_, 'a>, keyword: &'static str, lower: bool) {
        let of = |view: &View<'a>| {
            let value = view.rest.get(keyword).map(|it| it.value);
            value.filter(|value| !(lower && value.as_f64() == Some(0.0)))
        };
        let (old, new) = (of(pair.old), of(pair.new));
        let order = Range::compare(lower, old.and_then(limit), new.and_then(limit));
        if order == Ordering::Equal && old.map(text) == new.map(text) {
            return;
        }
        let kind = if order == Ordering::Equal { Kind::Unproven } else { tightened(order) };
        let detail = step_detail(&format!("`{keyword}`"), old, new);
        let shows = outside(keyword, self.reader(old, new).cloned());
        self.push(pair, kind, &pair.new.written, detail, old.cloned(), new.cloned())
            .shown_by(shows);
    }
}

/// The values that a keyword of the reader refuses.
pub(super) fn outside(keyword: &str, said: Option<Value>) -> Option<Value> {
    Some(json!({ "not": { keyword: said? } }))
}

/// Whether integers of a format become floating point numbers, or the other way round: what the
/// type says.
fn becomes_fraction(pair: &Pair<'_, '_>) -> bool {
    let is_whole = |view: &View<'_>| view.types.and(Types::NUMBER) == Types::INTEGER;
    let is_any = |view: &View<'_>| {
        let format = view.rest.get("format").map(|it| it.value);
        Types::NUMBER.within(view.types) && format.is_none_or(is_of_any_number)
    };
    (is_whole(pair.old) && is_any(pair.new)) || (is_any(pair.old) && is_whole(pair.new))
}

/// What an end that moved inwards (`Less` room than before) or outwards is.
fn tightened(order: Ordering) -> Kind {
    match order {
        Ordering::Less => Kind::ConstraintTightened,
        _ => Kind::ConstraintLoosened,
    }
}

/// A list of whole numbers out of numbers is a limit of values, not of types.
fn as_listed(view: &View<'_>, types: Types, other: Types) -> Types {
    match view.values.is_some() && types.meets(Types::NUMBER) {
        true => types.or(other.and(Types::NUMBER)),
        false => types,
    }
}

/// Whether a view lists values that its type refuses; null is only spelt out by that.
fn has_strays(view: &View<'_>) -> bool {
    let values = view.values.iter().flat_map(Values::values);
    values.filter(|it| !it.is_null()).any(|it| !Types::of(it).within(view.types))
}

/// The values of the `common` types that a view lists.
fn listed<'a>(view: &View<'a>, common: Types) -> Option<Values<'a>> {
    let mut limited = view.clone();
    limited.types = limited.types.and(common);
    if common == Types::NONE { None } else { limited.finite() }
}

/// `types` as the keyword would name them.
fn names(types: Types) -> Value {
    let text = types.to_string();
    let names: Vec<&str> = text.split(", ").flat_map(|part| part.split(" or ")).collect();
    match names.as_slice() {
        [one] => Value::from(*one),
        _ => names.into_iter().collect(),
    }
}

fn quoted<'k>(keys: impl IntoIterator<Item = &'k String>) -> String {
    let keys: Vec<&str> = keys.into_iter().map(String::as_str).collect();
    match keys.split_last() {
        Some((last, rest)) if !rest.is_empty() && rest.len() < 8 => {
            format!("{} and {last}", rest.join(", "))
        }
        Some((_, rest)) if rest.len() >= 8 => {
            format!("{} and {} more", keys[..6].join(", "), keys.len() - 6)
        }
        _ => keys.concat(),
    }
}

fn step_detail(what: &str, old: Option<&Value>, new: Option<&Value>) -> String {
    match (old, new) {
        (_, None) => format!("has no {what} any more"),
        (None, Some(new)) => format!("has a {what} now: {}", text(new)),
        (Some(old), Some(new)) => format!("has another {what}: {}, was {}", text(new), text(old)),
    }
}
