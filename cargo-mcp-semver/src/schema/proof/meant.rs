//! Formats, which containment is blind to.

use serde_json::Value;

use super::{Proof, objects};
use crate::schema::beside::has_formats;
use crate::schema::change::{Change, Direction, Kind};
use crate::schema::containment::{Answer, World, decide, limited, meant};
use crate::schema::document::{Document, Located};
use crate::schema::path;

impl<'d, 'a> Proof<'d, 'a> {
    /// Whether what a change is about is still accepted when a text of no format is not taken for
    /// one of some format, and a whole number not for a smaller one. What other changes tell of
    /// formats there is not asked again.
    pub(super) fn keeps_formats(&self, change: &Change) -> Answer {
        let reader = self.reader();
        if *self.is_meant.get_or_init(|| self.all_is_meant()) == Answer::Contained {
            return Answer::Contained;
        }
        let is_told = |place: &String| {
            self.formats.iter().any(|it| path::is_within(it, place) || path::is_within(place, it))
        };
        if change.places().any(is_told) {
            return Answer::Contained;
        }
        let shows = change.shows.clone().unwrap_or(Value::Bool(true));
        let here = || {
            let (old, new) = self.sides(change)?;
            let (sent, read) = self.sent_and_read(old, new);
            let sent =
                limited(&self.meant(self.sender(), &sent, World::Closed)?, "", shows.clone())?;
            Some(decide(sent, self.meant(reader, &read, self.open())?, self.budget))
        };
        if here() == Some(Answer::Contained) {
            return Answer::Contained;
        }
        let whole = || {
            let path = self.place(change.kind, &change.path);
            let sent = self.meant(self.sender(), &self.sender().root(), World::Closed)?;
            let sent = limited(&objects(self.sender(), sent)?, &path, shows.clone())?;
            Some(decide(sent, self.meant(reader, &reader.root(), self.open())?, self.budget))
        };
        whole().unwrap_or(Answer::Unknown)
    }

    /// Says that what accepts a value now has another format.
    pub(super) fn tell_format(&self, change: &mut Change) {
        let (kind, what) = match self.direction {
            Direction::Input => (Kind::FormatNarrowed, "what still takes it has another format"),
            Direction::Output => (Kind::FormatWidened, "what took it before has another format"),
        };
        change.kind = kind;
        change.detail = format!("{}, and {what}", change.detail);
    }

    /// The same of all that is sent.
    fn all_is_meant(&self) -> Answer {
        if !has_formats(self.reader()) {
            return Answer::Contained;
        }
        let decided = || {
            let (sender, reader) = (self.sender(), self.reader());
            let sent = objects(sender, self.meant(sender, &sender.root(), World::Closed)?)?;
            Some(decide(sent, self.meant(reader, &reader.root(), self.open())?, self.budget))
        };
        decided().unwrap_or(Answer::Unknown)
    }

    /// How whoever reads a value takes objects.
    fn open(&self) -> World {
        match self.direction {
            Direction::Input => World::Open,
            Direction::Output => World::Tolerant,
        }
    }

    /// [`meant`], paid for.
    pub(super) fn meant(
        &self,
        document: &Document<'a>,
        schema: &Located<'a>,
        world: World,
    ) -> Option<Value> {
        self.pays_for(schema).then(|| meant(document, schema, world))?
    }
}
