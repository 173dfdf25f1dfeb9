//! By which values a change is shown that was recorded, of one place or of several.

use serde_json::{Value, json};

use super::change::Change;

/// So many schemas say by which values a change is shown.
const MAX_SHOWN: usize = 16;

impl Change {
    /// Says between which further schemas it was found. Where those are many or not told, it is for
    /// the whole to decide.
    pub(super) fn met_between(&mut self, sides: Option<(String, String)>) {
        match sides {
            Some(sides) if self.sides.as_ref() == Some(&sides) || self.also.contains(&sides) => {}
            Some(sides) if self.also.len() < MAX_SHOWN => self.also.push(sides),
            _ => self.sides = None,
        }
    }
}

/// A change that was recorded.
pub(super) struct Recorded<'c> {
    pub(super) change: &'c mut Change,
    /// It was recorded of another place before.
    pub(super) is_known: bool,
}

impl Recorded<'_> {
    /// Says by which values it is shown.
    pub(super) fn shown_by(self, shows: Option<Value>) {
        self.change.shows = match (self.change.shows.take(), shows) {
            (None, shows) if !self.is_known => shows,
            (Some(known), Some(shows)) if known == shows => Some(known),
            (Some(known), Some(shows)) => either(known, shows),
            _ => None,
        };
    }
}

/// What is accepted by one of two schemas; `None`, as what is not told, where there are many.
fn either(one: Value, other: Value) -> Option<Value> {
    let mut all = match one.get("anyOf") {
        Some(Value::Array(all)) => all.clone(),
        _ => vec![one],
    };
    if !all.contains(&other) {
        all.push(other);
    }
    (all.len() <= MAX_SHOWN).then(|| json!({ "anyOf": all }))
}
