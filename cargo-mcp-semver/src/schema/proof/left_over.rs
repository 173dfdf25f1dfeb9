//! What the named changes do not explain, and what they explain besides themselves.

use serde_json::{Value, json};

use super::kinds::is_vague;
use super::{MAX_WITNESSES, Proof, Whole, dotted, of_all};
use crate::schema::change::{Change, Direction, Kind};
use crate::schema::containment::{Answer, Doubt, holding};
use crate::schema::path::{self, Step};

impl<'d, 'a> Proof<'d, 'a> {
    /// A value that is refused for a reason that no change names, where some of them name one.
    pub(super) fn left_over(&self, changes: &[Change], whole: &Whole<'_>) -> Option<Value> {
        let named: Vec<&Change> = changes.iter().filter(|it| self.breaks(it.kind)).collect();
        let is_of_all = |it: &&Change| it.path.is_empty() && it.shows.is_none();
        if named.len() > MAX_WITNESSES || named.iter().any(is_of_all) {
            return None;
        }
        let without = named.iter().flat_map(|it| {
            let places = it.places().take(MAX_WITNESSES);
            // Where nothing was compared, what is told of one name is true of others, and a result
            // may lack what it no longer declares.
            let is_of_object = match it.kind {
                Kind::Narrowed => it.sides.is_none(),
                kind => kind == Kind::PropertyRemoved && self.direction == Direction::Output,
            };
            places.filter_map(move |path| match is_of_object {
                true => self.without(it, &path::parent(path)),
                false => self.without(it, path),
            })
        });
        let without: Vec<Value> = without.collect();
        // What recurs has more places than can be named.
        let recurs = |schema: &Value| schema.get("$defs").is_some();
        if !without.is_empty() && (recurs(whole.doubt.inner()) || recurs(whole.doubt.outer())) {
            return None;
        }
        match (&whole.answer, without.is_empty()) {
            (Answer::Refuted(value), true) => Some(value.clone()),
            _ => match self.beyond(&whole.doubt, "", json!({ "allOf": without }))? {
                Answer::Refuted(value) => Some(value),
                _ => None,
            },
        }
    }

    /// Whether a change that only says that schemas differ breaks nothing but what others name.
    pub(super) fn is_told_by_others(
        &self,
        change: &Change,
        changes: &[Change],
        doubt: &Doubt<'_>,
    ) -> bool {
        if !is_vague(change) || change.witness.is_none() {
            return false;
        }
        let told = changes.iter().filter(|it| !is_vague(it) && it.witness.is_some());
        let told = told.filter(|it| path::is_within(&it.path, &change.path)).take(MAX_WITNESSES);
        let without: Option<Vec<Value>> = told
            .filter(|it| it.shows.is_some())
            .flat_map(|it| {
                let places = it.places().take(MAX_WITNESSES);
                places.map(move |path| self.without(it, path))
            })
            .collect();
        let Some(without) = without.filter(|it| !it.is_empty()) else { return false };
        self.beyond(doubt, "", json!({ "allOf": without })) == Some(Answer::Contained)
    }

    /// What does not show a change at one of its places. What it says of names is not said of what
    /// stands there.
    pub(super) fn without(&self, change: &Change, path: &str) -> Option<Value> {
        let is_of_names = |(old, _): &(String, String)| old.contains("/propertyNames");
        let shows =
            change.shows.clone().filter(|_| !change.sides.as_ref().is_some_and(is_of_names));
        let shows = shows.unwrap_or(Value::Bool(true));
        Some(json!({ "not": holding(&self.place(change.kind, path), shows)? }))
    }

    /// A change that the walk has no word for.
    pub(super) fn unexplained(&self, whole: &Whole<'_>, witness: Value) -> Change {
        let witness = self.polished(&whole.doubt, witness, &[]);
        let path =
            whole.doubt.fault(&witness).map(|it| dotted(&it, |_| Step::Items)).unwrap_or_default();
        let detail = match self.direction {
            Direction::Input => "no longer accepts what it accepted",
            Direction::Output => "may be what it could not be before",
        };
        Change { witness: Some(witness), ..of_all(Kind::Narrowed, path, detail) }
    }
}
