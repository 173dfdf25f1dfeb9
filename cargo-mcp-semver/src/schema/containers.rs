//! Arrays and objects.

use serde_json::{Map, Value, json};

use super::change::{Direction, Kind};
use super::document::{Document, Located, Pointer};
use super::path::{self, Step};
use super::renames;
use super::scalars::outside;
use super::types::Types;
use super::view::{ANYTHING, View};
use super::walk::{Pair, Walk};

/// What an object says of properties it does not declare.
pub(super) enum Undeclared<'a> {
    Accepted,
    Refused,
    Limited(Located<'a>),
}

impl<'a> Walk<'_, 'a> {
    pub(super) fn arrays(&mut self, pair: &Pair<'_, 'a>, common: Types) {
        if !common.meets(Types::ARRAY) {
            return;
        }
        self.count(pair, "minItems", true);
        self.count(pair, "maxItems", false);
        self.unique(pair);
        let (old, new) = (pair.old, pair.new);
        let most = self.most_items(pair);
        let tuple = old.prefix.len().max(new.prefix.len());
        for index in 0..tuple.min(most) {
            let (old, new) = (item(old, index), item(new, index));
            self.schemas(&[old], &[new], &path::join(pair.path, Step::Item(index)));
        }
        if tuple < most && (old.items.is_some() || new.items.is_some()) {
            let (old, new) = (item(old, usize::MAX), item(new, usize::MAX));
            self.schemas(&[old], &[new], &path::join(pair.path, Step::Items));
        }
    }

    /// How many items whoever sends an array may put into it: what is said of further ones, nobody
    /// can meet.
    fn most_items(&self, pair: &Pair<'_, 'a>) -> usize {
        let sender = match self.direction {
            Direction::Input => pair.old,
            Direction::Output => pair.new,
        };
        let most = sender.rest.get("maxItems").and_then(|it| it.value.as_u64());
        most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX)
    }

    fn unique(&mut self, pair: &Pair<'_, 'a>) {
        let of = |view: &View<'a>| {
            view.rest.get("uniqueItems").is_some_and(|it| *it.value == Value::Bool(true))
        };
        let (kind, detail) = match (of(pair.old), of(pair.new)) {
            (false, true) => (Kind::ConstraintTightened, "must not repeat an item now"),
            (true, false) => (Kind::ConstraintLoosened, "may repeat an item now"),
            _ => return,
        };
        let (old, new) = (of(pair.old).into(), of(pair.new).into());
        let change =
            self.push(pair, kind, &pair.new.written, detail.to_owned(), Some(old), Some(new));
        change.shown_by(outside("uniqueItems", Some(Value::Bool(true))));
    }

    pub(super) fn objects(&mut self, pair: &Pair<'_, 'a>, common: Types) {
        if !common.meets(Types::OBJECT) {
            return;
        }
        self.count(pair, "minProperties", true);
        self.count(pair, "maxProperties", false);
        let (old, new) = (pair.old, pair.new);
        let renamed = renames::renamed(self.old, old, self.new, new);
        for (name, parts) in &old.properties {
            let path = path::property(pair.path, name);
            match (new.properties.get(name), new.declared(name), old.declared(name)) {
                (Some(now), ..) => self.schemas(parts, now, &path),
                (_, Some(now), Some(before)) => self.schemas(&before, &now, &path),
                _ => self.removed(pair, name, parts, renamed.get(name).copied()),
            }
        }
        let is_target = |name: &&str| renamed.values().any(|target| target == name);
        for (name, parts) in &new.properties {
            if old.properties.contains_key(name) || is_target(name) {
                continue;
            }
            match (old.declared(name), new.declared(name)) {
                (Some(before), Some(now)) => {
                    self.schemas(&before, &now, &path::property(pair.path, name));
                }
                _ => self.added(pair, name, parts),
            }
        }
        for (from, to) in &renamed {
            let at = pair.new.required.get(to);
            if let Some(at) = at.filter(|_| !old.required.contains_key(from)) {
                self.requirement(pair, Kind::RequiredAdded, to, at, "is required now");
            }
        }
        self.required(pair);
        self.undeclared(pair);
    }

    fn removed(
        &mut self,
        pair: &Pair<'_, 'a>,
        name: &str,
        parts: &[Located<'a>],
        renamed: Option<&str>,
    ) {
        let path = path::property(pair.path, name);
        if is_declared_beside(self.new, pair.new, name) {
            let anything = Located { value: &ANYTHING, at: pair.new.at.clone() };
            return self.schemas(parts, &[anything], &path);
        }
        let at = first_at(parts);
        let old = parts.first().map(|part| part.value.clone());
        let (detail, new) = match renamed {
            Some(to) => (format!("was renamed to `{to}`"), Some(Value::from(to))),
            None => ("was removed".to_owned(), None),
        };
        let place = Pair { path: &path, ..*pair };
        if renamed.is_none() && View::of(self.old, parts).never {
            let detail = "was removed, and nothing could be sent for it".to_owned();
            self.push(&place, Kind::Reworded, &at, detail, old, new);
            return;
        }
        self.push(&place, Kind::PropertyRemoved, &at, detail, old, new);
    }

    fn added(&mut self, pair: &Pair<'_, 'a>, name: &'a str, parts: &[Located<'a>]) {
        let path = path::property(pair.path, name);
        if is_declared_beside(self.old, pair.old, name) {
            let anything = Located { value: &ANYTHING, at: pair.old.at.clone() };
            return self.schemas(&[anything], parts, &path);
        }
        let place = Pair { path: &path, ..*pair };
        let new = parts.first().map(|part| part.value.clone());
        let newly_required =
            pair.new.required.contains_key(name) && !pair.old.required.contains_key(name);
        let (kind, detail) = match (newly_required, self.direction) {
            (true, Direction::Input) => (Kind::RequiredAdded, "is new and required"),
            (true, Direction::Output) => (Kind::PropertyAdded, "is new and always there"),
            (false, _) => (Kind::PropertyAdded, "is new and optional"),
        };
        // One that had to be there is known, and is told by what may stand there now.
        if !pair.old.required.contains_key(name) {
            let change = self.push(&place, kind, &first_at(parts), detail.to_owned(), None, new);
            change.shown_by(lacking(name));
        }
        // What an old schema said of undeclared names, it said of this one.
        let before = pair.old.additional.clone().filter(|it| it.value.is_object());
        let at = pair.old.at.clone();
        match before {
            Some(before) => self.schemas(&[before], parts, &path),
            None if pair.old.required.contains_key(name) => {
                self.schemas(&[Located { value: &ANYTHING, at }], parts, &path);
            }
            None => {}
        }
        if pair.old.rest.contains_key("patternProperties") {
            let detail = "was covered by `patternProperties` before".to_owned();
            self.push(&place, Kind::Unproven, &first_at(parts), detail, None, None);
        }
    }

    fn required(&mut self, pair: &Pair<'_, 'a>) {
        let (old, new) = (pair.old, pair.new);
        for (name, at) in &new.required {
            let is_new = new.properties.contains_key(name)
                && old.declared(name).is_none()
                && !is_declared_beside(self.old, old, name);
            if !old.required.contains_key(name) && !is_new {
                self.requirement(pair, Kind::RequiredAdded, name, at, "is required now");
            }
        }
        for (name, at) in &old.required {
            let is_gone = old.properties.contains_key(name)
                && new.declared(name).is_none()
                && !is_declared_beside(self.new, new, name);
            if !new.required.contains_key(name) && !is_gone {
                self.requirement(pair, Kind::RequiredRemoved, name, at, "is no longer required");
            }
        }
    }

    fn requirement(
        &mut self,
        pair: &Pair<'_, 'a>,
        kind: Kind,
        name: &str,
        at: &Pointer,
        detail: &str,
    ) {
        let path = path::property(pair.path, name);
        let declared = pair.new.properties.get(name).map(|parts| first_at(parts));
        let place = Pair { path: &path, ..*pair };
        let required = kind == Kind::RequiredAdded;
        let (old, new) = (Some((!required).into()), Some(required.into()));
        let at = declared.as_ref().unwrap_or(at);
        self.push(&place, kind, at, detail.to_owned(), old, new).shown_by(lacking(name));
    }

    fn undeclared(&mut self, pair: &Pair<'_, 'a>) {
        use Undeclared::{Accepted, Limited, Refused};
        let (old, new) = (undeclared(pair.old), undeclared(pair.new));
        let (kind, detail) = match (old, new) {
            (Accepted, Accepted) | (Refused, Refused) => return,
            (Limited(old), Limited(new)) => {
                return self.schemas(&[old], &[new], &path::join(pair.path, Step::Undeclared));
            }
            // Whoever reads a map goes by what may stand in it.
            (Limited(old), Accepted) if self.direction == Direction::Output => {
                let anything = Located { value: &ANYTHING, at: pair.new.at.clone() };
                let path = path::join(pair.path, Step::Undeclared);
                return self.schemas(&[old], &[anything], &path);
            }
            (_, Refused) => (Kind::Closed, "refuses properties it does not declare now"),
            (Accepted, Limited(_)) => (Kind::Closed, "limits properties it does not declare now"),
            (_, Accepted) => (Kind::Opened, "accepts properties it does not declare now"),
            (Refused, Limited(_)) => (Kind::Opened, "accepts some undeclared properties now"),
        };
        let shows = (kind == Kind::Closed).then(|| beyond(pair.new)).flatten();
        let value = |view: &View<'_>| view.additional.as_ref().map(|it| it.value.clone());
        let (old, new) = (value(pair.old), value(pair.new));
        self.push(pair, kind, &pair.new.written, detail.to_owned(), old, new).shown_by(shows);
    }
}

/// The objects with a property that a view refuses because it does not declare it.
fn beyond(view: &View<'_>) -> Option<Value> {
    let declared: Map<String, Value> =
        view.properties.keys().map(|name| ((*name).to_owned(), true.into())).collect();
    let patterns = view.rest.get("patternProperties").and_then(|it| it.value.as_object());
    let patterns: Map<String, Value> =
        patterns.into_iter().flat_map(Map::keys).map(|it| (it.clone(), true.into())).collect();
    view.additional.as_ref().filter(|it| *it.value == Value::Bool(false))?;
    let known = json!({"properties": declared, "patternProperties": patterns,
                       "additionalProperties": false});
    Some(json!({ "not": known }))
}

pub(super) fn undeclared<'a>(view: &View<'a>) -> Undeclared<'a> {
    Undeclared::by(view.additional.as_ref())
}

impl<'a> Undeclared<'a> {
    /// What the value of a keyword says.
    pub(super) fn by(said: Option<&Located<'a>>) -> Self {
        match said {
            None => Self::Accepted,
            Some(it) => match it.value {
                Value::Bool(false) => Self::Refused,
                Value::Bool(true) => Self::Accepted,
                Value::Object(map) if map.is_empty() => Self::Accepted,
                _ => Self::Limited(it.clone()),
            },
        }
    }
}

/// Whether a property that a variant does not declare is declared beside all variants, and accepted
/// by this one. What another variant declares is not declared for this one.
fn is_declared_beside<'a>(document: &Document<'a>, variant: &View<'a>, name: &str) -> bool {
    let place = variant.at.place();
    place != variant.at
        && matches!(undeclared(variant), Undeclared::Accepted)
        && document
            .located(place)
            .is_some_and(|it| View::of(document, &[it]).properties.contains_key(name))
}

/// What applies to the item at `index`.
fn item<'a>(view: &View<'a>, index: usize) -> Located<'a> {
    let anything = || Located { value: &ANYTHING, at: view.at.clone() };
    view.prefix.get(index).or(view.items.as_ref()).cloned().unwrap_or_else(anything)
}

/// The objects that lack a property.
fn lacking(name: &str) -> Option<Value> {
    outside("required", Some(json!([name])))
}

fn first_at(parts: &[Located<'_>]) -> Pointer {
    parts.first().map_or_else(Pointer::root, |part| part.at.clone())
}
