//! Changes that nobody can notice, and why that may prove nothing.

use std::rc::Rc;

use serde_json::Value;

use super::kinds::{is_vague, listed};
use super::{MAX_WITNESSES, Proof, objects};
use crate::schema::beside::{Said, has_formats};
use crate::schema::change::{Change, Direction, Kind};
use crate::schema::containment::{Answer, Doubt, World, decide, decided, limited};
use crate::schema::document::Document;
use crate::schema::path;
use crate::schema::view::View;

/// A reading in which what recurs is anything.
fn without_references(reading: &Value) -> Value {
    match reading {
        Value::Object(map) => {
            let counts = |keyword: &str| !matches!(keyword, "$ref" | "$defs");
            let left = map.iter().filter(|it| counts(it.0));
            left.map(|(keyword, it)| (keyword.clone(), without_references(it))).collect()
        }
        Value::Array(list) => list.iter().map(without_references).collect(),
        other => other.clone(),
    }
}

impl<'d, 'a> Proof<'d, 'a> {
    /// Whether literally nothing is accepted now that was not before; in a result, whether all that
    /// could be before can be now.
    pub(super) fn gives_no_room(&self) -> bool {
        *self.no_room.get_or_init(|| {
            let (Some(old), Some(new)) = (self.literal(self.old), self.literal(self.new)) else {
                return false;
            };
            let (more, less) = self.sent_and_read(old, new);
            let less = Rc::new(less.clone());
            let meant = || {
                let meant = |document: &Document<'a>| {
                    objects(document, self.meant(document, &document.root(), World::Open)?)
                };
                let (more, less) = self.sent_and_read(meant(self.old)?, meant(self.new)?);
                Some(decide(less, more, self.budget))
            };
            decide(Rc::clone(&less), more.clone(), self.budget) == Answer::Contained
                && decide(less, Value::Bool(false), self.budget) != Answer::Contained
                && (!has_formats(self.sender()) || meant() == Some(Answer::Contained))
        })
    }

    /// Then a change that speaks of more room speaks of other words.
    pub(super) fn reword(&self, changes: &mut [Change]) {
        if !changes.iter().any(|change| self.gives_room(change.kind)) {
            return;
        }
        if !self.gives_no_room() {
            return;
        }
        // What is listed is offered, even where it is not accepted.
        let is_offered = |change: &Change| {
            listed(change).is_some_and(|it| self.is_refused(self.reader(), &change.path, it))
        };
        let is_reworded = |change: &&mut Change| {
            self.gives_room(change.kind)
                && !is_offered(change)
                && self.keeps_what_is_said(change, false)
        };
        for change in changes.iter_mut().filter(is_reworded) {
            change.kind = Kind::Reworded;
            change.detail = format!("{}, but the same values are accepted", change.detail);
        }
    }

    /// Turns a change that nobody can notice into what is left of it.
    pub(super) fn clear(&self, change: &mut Change) {
        if self.is_of_nothing(change) {
            if is_vague(change) || change.kind == Kind::Pattern {
                change.kind = Kind::Unproven;
            }
            return;
        }
        if self.is_contradictory(change) {
            change.witness = self.shown_to_the_letter(change);
            if change.witness.is_none() {
                change.kind = Kind::Unproven;
                let detail = &change.detail;
                change.detail = format!("{detail}, and what is sent there needs undeclared names");
            } else if change.kind == Kind::Unproven {
                change.kind = Kind::Narrowed;
            }
            return;
        }
        let formats = self.keeps_formats(change);
        if matches!(formats, Answer::Refuted(_)) {
            return self.tell_format(change);
        }
        if formats == Answer::Unknown || !self.keeps_what_is_said(change, true) {
            change.kind = Kind::Unproven;
            change.detail = format!(
                "{}, and its formats, defaults and names, which are not the same, could not be \
                 compared",
                change.detail
            );
            return;
        }
        // A variant without a counterpart says less than all that take its place.
        let reverse = self.compared(change).and_then(|(old, new)| {
            let (old, new) =
                (self.read(self.old, &old, World::Open)?, self.read(self.new, &new, World::Open)?);
            let (sent, read) = self.sent_and_read(old, new);
            Some(decide(read, sent, self.budget))
        });
        let is_same = reverse == Some(Answer::Contained) || self.gives_no_room();
        (change.kind, change.detail) = match (is_same, self.direction) {
            (true, _) => {
                (Kind::Reworded, format!("{}, but the same values are accepted", change.detail))
            }
            (_, Direction::Input) => (
                Kind::ConstraintLoosened,
                format!("{}, but accepts all that it accepted before", change.detail),
            ),
            (_, Direction::Output) => (
                Kind::ConstraintTightened,
                format!("{}, but is never what it could not be before", change.detail),
            ),
        };
    }

    /// Whether a change is about what nothing can be sent for, as by a slip of the sender's schema
    /// that no server notices: that all which is sent is accepted says nothing then.
    pub(super) fn is_of_nothing(&self, change: &Change) -> bool {
        let listed = listed(change);
        let mut places = change.places().take(MAX_WITNESSES);
        places.all(|path| {
            let path = self.place(change.kind, path);
            self.is_refused(self.sender(), &path, listed.unwrap_or(&Value::Bool(true)))
        })
    }

    /// Whether a schema accepts nothing with something at `path` that `limit` accepts, whatever
    /// names are used. What would have to contain itself without end is no such thing: nobody can
    /// send that, slip or not.
    pub(super) fn is_refused(&self, document: &Document<'a>, path: &str, limit: &Value) -> bool {
        let is_nothing = |accepted: &Value| {
            accepted.get("$defs").is_none()
                || self.is_nothing_at(&without_references(accepted), path, limit.clone())
                    == Some(true)
        };
        self.accepts_nothing(document, World::Open, path, limit) == Some(true)
            && self.literal(document).is_some_and(is_nothing)
    }

    /// Whether something can be sent at the place of a change, but not with declared names alone:
    /// that all of the latter is accepted says nothing then.
    pub(super) fn is_contradictory(&self, change: &Change) -> bool {
        let path = self.place(change.kind, &change.path);
        let is_empty =
            |world: World| self.accepts_nothing(self.sender(), world, &path, &Value::Bool(true));
        is_empty(World::Closed) == Some(true) && is_empty(World::Open) == Some(false)
    }

    /// A whole value that shows a change, made with whatever names.
    pub(super) fn shown_to_the_letter(&self, change: &Change) -> Option<Value> {
        let inner = self.literal(self.sender())?;
        let outer = match self.direction {
            Direction::Input => self.literal(self.new)?.clone(),
            Direction::Output => self.read(self.old, &self.old.root(), World::Tolerant)?,
        };
        let path = self.place(change.kind, &change.path);
        let shows = change.shows.clone().unwrap_or(Value::Bool(true));
        let doubt = Doubt::of(limited(inner, &path, shows)?, outer, self.budget)?;
        let Answer::Refuted(value) = decided(&doubt) else { return None };
        Some(self.polished(&doubt, value, &path::steps(&path)?))
    }

    /// Whether a change in what no rule looks into leaves what is said beside the accepted values:
    /// formats, too, unless they are `kept` anyway.
    pub(super) fn keeps_what_is_said(&self, change: &Change, kept: bool) -> bool {
        let is_variant = matches!(change.kind, Kind::EnumNarrowed | Kind::EnumWidened);
        let is_schema = |it: &Option<Value>| it.as_ref().is_some_and(Value::is_object);
        let is_constraint =
            matches!(change.kind, Kind::ConstraintTightened | Kind::ConstraintLoosened);
        let holds_schemas = is_constraint && (is_schema(&change.old) || is_schema(&change.new));
        if !is_variant && !is_vague(change) && !holds_schemas && change.kind != Kind::Unproven {
            return true;
        }
        let Some((old, new)) = self.sides(change) else { return true };
        let (sent, read) = self.sent_and_read(&old, &new);
        if View::of(self.reader(), std::slice::from_ref(read)).says_nothing() {
            return Said::by(self.sender(), sent).is_some_and(|said| said.is_plain());
        }
        let (Some(mut old), Some(mut new)) = (Said::by(self.old, &old), Said::by(self.new, &new))
        else {
            return false;
        };
        if kept {
            (old, new) = (old.without_types(), new.without_types());
        }
        // Whoever sends a value loses nothing where more may be sent.
        match self.direction {
            Direction::Input => old.open_like(&new),
            Direction::Output => new.open_like(&old),
        }
        match (is_variant, self.direction) {
            (false, _) => old.is_kept_by(&new),
            (true, Direction::Input) => old.is_within(&new),
            (true, Direction::Output) => new.is_within(&old),
        }
    }

    /// Whether nothing is refused that was accepted, or may be that could not, declared or not,
    /// however it is written.
    pub(super) fn keeps_to_the_letter(&self, change: &Change) -> bool {
        let answer = |change: &Change| {
            let (old, new) = self.sides(change)?;
            let (old, new) =
                (self.read(self.old, &old, World::Open)?, self.read(self.new, &new, World::Open)?);
            let (sent, read) = self.sent_and_read(old, new);
            Some(decide(sent, read, self.budget))
        };
        self.of_each(change).iter().all(|it| answer(it) == Some(Answer::Contained))
    }
}
