//! Values that show a change, and nothing else if possible.

use serde_json::{Value, json};

use super::{MAX_WITNESSES, Proof, objects};
use crate::schema::change::{Change, Direction, Kind};
use crate::schema::containment::{
    Answer, Doubt, Polish, World, decided, embedded, hints, parts, sample,
};
use crate::schema::document::{Located, Pointer};
use crate::schema::path::{self, Step};

/// So many characters that a pattern is written with are tried as a text of their own.
const MAX_TEXTS: usize = 16;

impl<'d, 'a> Proof<'d, 'a> {
    /// A value that shows a change and, if there is one, no other between the same schemas. Of the
    /// only change there, whatever shows it best is good enough.
    pub(super) fn alone(&self, change: &Change, doubt: &Doubt<'d>) -> Option<(Value, Doubt<'d>)> {
        let (shows, crowd) = (change.shows.as_ref()?, self.crowds.get(&change.sides)?);
        let others = crowd.iter().filter(|it| *it != shows).take(MAX_WITNESSES);
        let mut alone: Vec<Value> = others.map(|it| json!({ "not": it })).collect();
        if alone.is_empty() {
            return None;
        }
        alone.push(shows.clone());
        [&json!({ "allOf": alone }), shows].into_iter().find_map(|shows| {
            let doubt = doubt.limited("", shows.clone())?;
            let Answer::Refuted(value) = decided(&doubt) else { return None };
            Some((value, doubt))
        })
    }

    /// Whether nothing that is sent is what a change refuses, where others between the same schemas
    /// refuse something.
    pub(super) fn is_innocent(&self, change: &Change, doubt: &Doubt<'_>) -> bool {
        let others = |crowd: &Vec<Value>| crowd.iter().any(|it| Some(it) != change.shows.as_ref());
        self.crowds.get(&change.sides).is_some_and(others)
            && change
                .shows
                .clone()
                .is_some_and(|shows| self.beyond(doubt, "", shows) == Some(Answer::Contained))
    }

    /// What is sent with something at `path` that `limit` accepts, against what it is read by.
    pub(super) fn beyond(&self, doubt: &Doubt<'_>, path: &str, limit: Value) -> Option<Answer> {
        Some(decided(&doubt.limited(path, limit)?))
    }

    /// Whether nothing that is sent has a fault while it has something at the places of a change: as
    /// where nothing can stand there.
    pub(super) fn is_out_of_reach(&self, change: &Change, doubt: &Doubt<'_>) -> bool {
        let mut places = change.places();
        places.all(|path| {
            let path = self.place(change.kind, path);
            self.beyond(doubt, &path, Value::Bool(true)) == Some(Answer::Contained)
        })
    }

    /// A whole value with one of `values` at `path` that is sent and not accepted.
    pub(super) fn shown(&self, doubt: &Doubt<'_>, path: &str, values: &[Value]) -> Option<Value> {
        let found = values
            .iter()
            .find_map(|value| doubt.shown_by(&embedded(doubt.inner(), path, value, self.budget)));
        let searched = || {
            values.iter().find_map(|value| {
                match self.beyond(doubt, path, json!({ "const": value }))? {
                    Answer::Refuted(found) => Some(found),
                    _ => None,
                }
            })
        };
        let found = found.or_else(searched)?;
        Some(self.polished(doubt, found, &path::steps(path)?))
    }

    /// A whole value with a text at the place of a change that a pattern there may refuse: made of
    /// what it is written with, for patterns that no automaton tells.
    pub(super) fn shown_by_text(&self, doubt: &Doubt<'_>, change: &Change) -> Option<Value> {
        let pattern = match self.direction {
            Direction::Input => change.new.as_ref()?.as_str()?,
            Direction::Output => change.old.as_ref()?.as_str()?,
        };
        let steps = path::steps(&change.path)?;
        let written = pattern.chars().filter(|it| it.is_alphanumeric() || "-_./:@".contains(*it));
        let texts = ["", "\n", " ", "a", "0", "-"].into_iter().map(str::to_owned);
        let found = texts.chain(written.take(MAX_TEXTS).map(String::from)).find_map(|text| {
            let around = embedded(doubt.inner(), &change.path, &text.into(), self.budget);
            doubt.shown_by(&around)
        })?;
        Some(self.polished(doubt, found, &steps))
    }

    /// Arguments that a caller of the old schema may send and that the new one does not declare,
    /// or refuses.
    pub(super) fn closed_witness(&self, change: &Change) -> Option<Value> {
        let (removed, world) = match change.kind {
            Kind::PropertyRemoved => (change.old.is_some(), World::Declared),
            _ => (false, World::Open),
        };
        let (old, new) = ((self.old, self.old.root()), (self.new, self.new.root()));
        let mut readings = self.both(old, world, new, world)?;
        readings.inner = objects(self.sender(), readings.inner)?;
        let doubt = Doubt::of(readings.inner, readings.outer, self.budget)?;
        if removed {
            let at = Pointer::parse(&change.pointer);
            let schema = Located { value: self.old.at(&at)?, at };
            let mut values = self.hints(&path::steps(&change.path)?);
            let read = self.bounded(self.old, &schema, World::Closed, true)?;
            values.extend(sample::few_values(&read, self.budget));
            let found = || match self.beyond(&doubt, &change.path, Value::Bool(true))? {
                Answer::Refuted(value) => Some(value),
                _ => None,
            };
            return self.shown(&doubt, &change.path, &values).or_else(found);
        }
        let path = path::property(&change.path, "undeclared");
        let around = [Value::from("a"), Value::from(1)]
            .map(|value| embedded(doubt.inner(), &path, &value, self.budget));
        let mut around = around.concat();
        // What is refused may stand beside it.
        around.sort_by_cached_key(|value| parts(value).0);
        let found = doubt.shown_by(&around)?;
        Some(self.polished(&doubt, found, &path::steps(&path)?))
    }

    /// What the schema of the sender shows for a place.
    pub(super) fn hints(&self, steps: &[Step]) -> Vec<Value> {
        hints(self.sender(), &self.sender().root(), steps)
    }

    /// A whole value, small and readable, that still says what it has to say about a place.
    pub(super) fn polished(&self, doubt: &Doubt<'_>, value: Value, about: &[Step]) -> Value {
        Polish { doubt, hints: &|at| self.hints(at), about }.polished(value)
    }

    /// The same of a value that stands at `path`.
    pub(super) fn readable(
        &self,
        doubt: &Doubt<'_>,
        value: Value,
        path: &str,
        replace: bool,
    ) -> Value {
        let Some(steps) = path::steps(path) else { return value };
        let hints = |at: &[Step]| self.hints(&[&steps, at].concat());
        let polish = Polish { doubt, hints: &hints, about: &[] };
        if replace { polish.replaced(value) } else { polish.polished(value) }
    }
}
