//! Whether a property that is new could be sent before.

use serde_json::{Map, Value, json};

use super::{Proof, Whole};
use crate::schema::beside::Said;
use crate::schema::change::{Change, Kind};
use crate::schema::containment::{Answer, Doubt, World, decided};
use crate::schema::document::Pointer;
use crate::schema::path::{self, Step};
use crate::schema::view::View;

/// Whether an object that has a property at the dotted path of one name is not accepted.
fn refuses_at_sight(object: &Value, name: &str) -> bool {
    let declares = |properties: &Value| {
        let mut names = properties.as_object().into_iter().flat_map(Map::keys);
        names.any(|it| path::property("", it) == name)
    };
    object.get("additionalProperties") == Some(&Value::Bool(false))
        && object.get("patternProperties").is_none()
        && !object.get("properties").is_some_and(declares)
}

impl<'d, 'a> Proof<'d, 'a> {
    /// Decides whether a property that is new could be sent before, with values that it does not
    /// take. Where the whole cannot be told, the two objects have to do.
    pub(super) fn settle_added(&self, change: &mut Change, whole: Option<&Whole<'_>>) {
        let is_told = whole.is_some_and(|it| it.complete && it.answer != Answer::Unknown);
        let mut found = self.of_each(change).into_iter().map(|it| self.refused_when_added(&it));
        let found = found.find(|it| *it != Some(None)).unwrap_or(Some(None));
        if found == Some(None) || (is_told && found.is_none()) {
            return;
        }
        if !is_told && self.cannot_be_sent(change) {
            return;
        }
        let at = path::parent(&change.path);
        let shown = found
            .flatten()
            .zip(whole)
            .and_then(|(value, whole)| self.shown(&whole.doubt, &at, &[value]));
        if shown.is_some() || !is_told {
            change.kind = if shown.is_some() { Kind::Narrowed } else { Kind::Unproven };
            change.detail = format!("{}, and could be sent before with any value", change.detail);
            (change.witness, change.shows) = (shown, None);
        }
    }

    /// Whether a schema of what was not declared applied where a property is new.
    pub(super) fn was_limited(&self, change: &Change) -> bool {
        self.compared(change).is_some_and(|(old, _)| {
            let additional = View::of(self.old, &[old]).additional;
            additional.is_some_and(|it| it.value.is_object())
        })
    }

    /// Whether nothing can have stood where a property is new, whatever lies elsewhere.
    pub(super) fn cannot_be_sent(&self, change: &Change) -> bool {
        let Some(sent) = self.bounded(self.old, &self.old.root(), World::Closed, true) else {
            return false;
        };
        // What recurs has more places than are named.
        let mut places = change.places();
        sent.get("$defs").is_none()
            && places.all(|path| self.is_nothing_at(&sent, path, Value::Bool(true)) == Some(true))
    }

    /// Decides whether a property that is new and of some format could be sent before without.
    pub(super) fn settle_meaning(&self, change: &mut Change) {
        let property = self.new.located(Pointer::parse(&change.pointer));
        let said = property.map(|it| Said::by(self.new, &it));
        // What is too large to be read may say anything.
        let has_meaning = said.is_some_and(|it| it.is_none_or(|it| it.has_meaning()));
        if change.kind != Kind::PropertyAdded || !has_meaning {
            return;
        }
        let could_be = |change: &Change| {
            let (old, _) = self.compared(change)?;
            let name = path::steps(&change.path)?.pop()?;
            let there = path::join("", name);
            let sent = self.read(self.old, &old, World::Closed)?;
            if refuses_at_sight(&sent, &there) {
                return Some(false);
            }
            Some(!self.is_nothing_at(&sent, &there, Value::Bool(true))?)
        };
        let mut could_be = self.of_each(change).into_iter().map(|it| could_be(&it));
        (change.kind, change.detail) = match could_be.find(|it| *it != Some(false)) {
            None => return,
            Some(Some(_)) => (
                Kind::FormatNarrowed,
                format!("{}, and could be sent before in any format", change.detail),
            ),
            Some(None) => (
                Kind::Unproven,
                format!("{}, and whether it could be sent before is not told", change.detail),
            ),
        };
    }

    /// An object with a property that is new, such as could be sent before, and that does not take
    /// it, if there is one; `None` where that is not known. In a variant, names may be declared
    /// beside it, and what comes of that is for the whole to judge.
    pub(super) fn refused_when_added(&self, change: &Change) -> Option<Option<Value>> {
        let (old, _) = self.compared(change)?;
        let Step::Name(name) = path::steps(&change.path)?.pop()? else { return None };
        let world = if old.at.is_plain() { World::Closed } else { World::Open };
        let new = self.new.located(Pointer::parse(&change.pointer))?;
        let exact =
            || Some((self.read(self.old, &old, world)?, self.read(self.new, &new, World::Open)?));
        let exact = exact();
        let is_exact = exact.is_some();
        // Else with more sent, and less accepted.
        let bounds = || {
            let sent = self.bounded(self.old, &old, world, true)?;
            Some((sent, self.bounded(self.new, &new, World::Open, false)?))
        };
        let (sent, mut asked) = exact.or_else(bounds)?;
        let definitions = asked.as_object_mut().and_then(|it| it.remove("$defs"));
        let asked = json!({ "properties": { name: asked }, "$defs": definitions.unwrap_or_else(|| json!({})) });
        let doubt = Doubt::of(sent, asked, self.budget)?;
        match decided(&doubt) {
            Answer::Contained => Some(None),
            Answer::Refuted(_) if !is_exact => None,
            Answer::Refuted(value) => Some(Some(self.readable(&doubt, value, "", false))),
            Answer::Unknown => None,
        }
    }
}
