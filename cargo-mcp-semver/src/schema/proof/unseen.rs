//! What no rule has looked at.

use std::rc::Rc;

use serde_json::Value;

use super::{Proof, of_all};
use crate::schema::beside::Said;
use crate::schema::change::{Change, Direction, Kind};
use crate::schema::containment::{Answer, World, decide};
use crate::schema::document::Document;
use crate::schema::keywords::{CONTEXTUAL, EVALUATING};

impl<'d, 'a> Proof<'d, 'a> {
    /// That a result may have a name that other keywords said something of before, as far as nothing
    /// else evaluated it, and that this was not compared.
    pub(super) fn unevaluated(&self, changes: &[Change]) -> Option<Change> {
        let evaluates =
            |value: &Value| CONTEXTUAL[..EVALUATING].iter().any(|it| value.get(*it).is_some());
        let added = changes.iter().find(|it| it.kind == Kind::PropertyAdded)?;
        let detail = "is new, and what was said of it as not evaluated could not be compared";
        (self.direction == Direction::Output && self.old.any(evaluates))
            .then(|| of_all(Kind::Unproven, added.path.clone(), detail))
    }

    /// What is said beside the accepted values where no rule has looked.
    pub(super) fn unseen(&self) -> Option<Change> {
        let meant = |document: &Document<'a>| {
            self.meant(document, &document.root(), World::Open).map(Rc::new)
        };
        let said = (Said::by_all_of(self.old), Said::by_all_of(self.new));
        let (Some(old), Some(new)) = said else {
            let detail = "is too large to be read for formats, defaults and names";
            return Some(of_all(Kind::Unproven, String::new(), detail));
        };
        // Types and formats that stand in several schemas are taken together.
        let is_meant = || {
            let (one, other) = (meant(self.old)?, meant(self.new)?);
            let back = decide(Rc::clone(&other), Rc::clone(&one), self.budget);
            Some((decide(one, other, self.budget), back) == (Answer::Contained, Answer::Contained))
        };
        let is_same = old.is_same(&new)
            || old.without_types().is_same(&new.without_types()) && is_meant() == Some(true);
        let detail = "says other formats, defaults or names where nothing could be compared";
        (!is_same).then(|| of_all(Kind::Unproven, String::new(), detail))
    }
}
