//! Decides a change by the schemas it was found between, and by the whole.

use serde_json::Value;

use super::{Proof, Whole, dotted};
use crate::schema::change::{Change, Direction, Kind};
use crate::schema::containment::Answer;
use crate::schema::document::Located;
use crate::schema::path::{self, Step};

impl<'d, 'a> Proof<'d, 'a> {
    /// Decides one change, or says that nobody can.
    pub(super) fn settle(&self, change: &mut Change, whole: Option<&Whole<'_>>) {
        let is_refuted = self.decide(change, whole);
        // What is too large to be read as a whole was at least compared where it differs.
        let here = || !self.old.leads_elsewhere() && !self.new.leads_elsewhere();
        let is_certain = whole.map_or_else(|| is_refuted && here(), |whole| whole.complete);
        if change.witness.is_none() && self.is_decided_by_values(change.kind) && !is_certain {
            change.kind = Kind::Unproven;
        }
    }

    /// Decides one change, and shows it by a whole value. Returns whether the two schemas that it was
    /// found between alone refute it.
    pub(super) fn decide(&self, change: &mut Change, whole: Option<&Whole<'_>>) -> bool {
        self.turn_to_what_breaks(change);
        let is_refuted = match self.sides(change) {
            Some((old, new)) => self.decide_between(old, new, change, whole),
            None => self.decide_within(change, whole),
        };
        if let (None, Some(whole)) = (&change.witness, whole)
            && self.is_decided_by_values(change.kind)
            && let Some(value) = self.found(change, whole)
        {
            let about = path::steps(&change.path).unwrap_or_default();
            change.witness = Some(self.polished(&whole.doubt, value, &about));
        }
        is_refuted
    }

    /// Of a change that was found between several schemas, takes the first where it may break.
    fn turn_to_what_breaks(&self, change: &mut Change) {
        let breaks = |change: &Change| {
            let between = self.sides(change).and_then(|(old, new)| self.between(old, new));
            between.is_none_or(|(answer, ..)| answer != Answer::Contained)
        };
        if change.also.is_empty() || breaks(change) {
            return;
        }
        for sides in std::mem::take(&mut change.also) {
            let first = change.sides.replace(sides);
            if breaks(change) {
                return;
            }
            change.sides = first;
        }
    }

    /// Decides a change between what is written in several places, by the whole alone.
    pub(super) fn decide_within(&self, change: &mut Change, whole: Option<&Whole<'_>>) -> bool {
        let Some(whole) = whole else { return false };
        let path = self.place(change.kind, &change.path);
        let shows = change.shows.clone().unwrap_or(Value::Bool(true));
        match self.beyond(&whole.doubt, &path, shows) {
            Some(Answer::Refuted(value)) => {
                let about = path::steps(&change.path).unwrap_or_default();
                change.witness = Some(self.polished(&whole.doubt, value, &about));
            }
            Some(Answer::Contained) if whole.complete => self.clear(change),
            _ => {}
        }
        false
    }

    /// Decides a change between two schemas.
    pub(super) fn decide_between(
        &self,
        old: Located<'a>,
        new: Located<'a>,
        change: &mut Change,
        whole: Option<&Whole<'_>>,
    ) -> bool {
        let Some((answer, beside, doubt)) = self.between(old, new) else { return false };
        let is_refuted = matches!(answer, Answer::Refuted(_));
        match answer {
            Answer::Contained => self.clear(change),
            Answer::Unknown => {
                if let (Some(value), Some(whole)) = (beside, whole) {
                    change.witness = self.shown(&whole.doubt, &change.path, &[value]);
                } else if let Some(whole) = whole {
                    change.witness = self.shown_by_text(&whole.doubt, change);
                }
            }
            Answer::Refuted(value) => {
                change.kind = match (change.kind, self.direction) {
                    (Kind::Pattern, Direction::Input) => Kind::ConstraintTightened,
                    (Kind::Pattern, Direction::Output) => Kind::ConstraintLoosened,
                    (Kind::Unproven, _) => Kind::Narrowed,
                    (kind, _) => kind,
                };
                if self.is_innocent(change, &doubt) {
                    self.clear(change);
                } else if let Some(whole) = whole {
                    let (value, doubt) = self.alone(change, &doubt).unwrap_or((value, doubt));
                    let path = self.place(change.kind, &change.path);
                    let replace = path == change.path;
                    let readable = self.readable(&doubt, value.clone(), &path, replace);
                    change.witness = self.shown(&whole.doubt, &path, &[readable, value]);
                    if change.witness.is_none()
                        && whole.complete
                        && self.is_out_of_reach(change, &whole.doubt)
                    {
                        self.clear(change);
                    }
                }
            }
        }
        is_refuted
    }

    /// A whole value that is refused for what a change says, or at least at its place.
    pub(super) fn found(&self, change: &Change, whole: &Whole<'_>) -> Option<Value> {
        let Answer::Refuted(value) = &whole.answer else { return None };
        let path = self.place(change.kind, &change.path);
        if let Some(shows) = change.shows.clone()
            && let Some(Answer::Refuted(value)) = self.beyond(&whole.doubt, &path, shows)
        {
            return Some(value);
        }
        let fault = whole.doubt.fault(value)?;
        path::is_within(&dotted(&fault, Step::Item), &change.path).then(|| value.clone())
    }

    /// The place of the schemas that were compared: for what is required, that of the object.
    pub(super) fn place(&self, kind: Kind, path: &str) -> String {
        match kind {
            Kind::RequiredAdded | Kind::RequiredRemoved => path::parent(path),
            _ => path.to_owned(),
        }
    }
}
