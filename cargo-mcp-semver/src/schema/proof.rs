//! Settles what the walk found: containment overrules it where values decide, and every change
//! that breaks is confirmed by a value.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use mcp_semver_build::pointer::unescaped;
use serde_json::{Value, json};

use super::beside::Said;
use super::change::{Change, Direction, Kind};
use super::containment::{
    Answer, Budget, Doubt, Polish, World, bounded, decide, decided, embedded, hints, holding,
    limited, read, sample,
};
use super::document::{Document, Located, Pointer};
use super::path::{self, Step};
use super::view::View;

/// So many breaking changes of one schema are given a witness; the others stand by the walk.
const MAX_WITNESSES: usize = 24;
/// So many characters that a pattern is written with are tried as a text of their own.
const MAX_TEXTS: usize = 16;
/// So many changes are told that the walk has no word for.
const MAX_UNEXPLAINED: usize = 8;
/// What proving and confirming may cost for one pair of schemas, in steps of about a microsecond.
const MAX_STEPS: usize = 150_000;

/// The changes that remain, with witnesses.
pub(super) fn settled(
    old: &Document<'_>,
    new: &Document<'_>,
    direction: Direction,
    mut changes: Vec<Change>,
) -> Vec<Change> {
    let budget = Budget::new(MAX_STEPS);
    let (crowds, no_room) = (crowds(&changes), OnceCell::new());
    let proof = Proof { old, new, direction, budget: &budget, crowds, no_room };
    let only_words = changes.iter().all(|change| is_about_words(change.kind));
    // A rule that finds something reworded has looked into it.
    let looked_into = changes.iter().any(|change| change.kind == Kind::Reworded);
    let unseen = if only_words && !looked_into { proof.unseen() } else { None };
    if only_words && literal(old) == literal(new) {
        changes.extend(unseen);
        return changes;
    }
    proof.reword(&mut changes);
    let whole = proof.whole();
    let mut left = MAX_WITNESSES;
    for change in changes.iter_mut().filter(|change| proof.is_decided_by_values(change.kind)) {
        match (&whole, left.checked_sub(1)) {
            (Some(Whole { answer: Answer::Contained, .. }), _) => proof.clear(change),
            (_, None) => break,
            (whole, Some(rest)) => {
                left = rest;
                proof.settle(change, whole.as_ref());
            }
        }
    }
    for change in changes.iter_mut().filter(|change| proof.is_about_names(change.kind)).take(left) {
        if change.kind != Kind::PropertyRemoved && proof.keeps_to_the_letter(change) {
            proof.clear(change);
        } else if direction == Direction::Input {
            change.witness = proof.closed_witness(change);
        }
    }
    let is_contained = |whole: &Whole<'_>| whole.answer == Answer::Contained;
    if direction == Direction::Input {
        let is_contained = whole.as_ref().is_some_and(is_contained);
        for change in changes.iter_mut().filter(|it| it.kind == Kind::PropertyAdded) {
            if !is_contained {
                proof.settle_added(change, whole.as_ref());
            }
            proof.settle_meaning(change);
        }
    }
    if let Some(whole) = &whole {
        let told: Vec<bool> =
            changes.iter().map(|it| proof.is_told_by_others(it, &changes, &whole.doubt)).collect();
        let mut told = told.into_iter();
        changes.retain(|_| told.next() != Some(true));
    }
    if let Some(whole) = &whole
        && let Answer::Refuted(_) = &whole.answer
    {
        for _ in 0..MAX_UNEXPLAINED {
            let Some(witness) = proof.left_over(&changes, whole) else { break };
            changes.push(proof.unexplained(whole, witness));
        }
    }
    // That the same values are accepted says nothing of it.
    changes.extend(unseen);
    changes
}

/// What a document accepts, taken literally.
fn literal(document: &Document<'_>) -> Option<Value> {
    objects(document, read(document, &document.root(), World::Open)?)
}

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

/// What can be sent of what `schema`, the reading of a whole document, accepts.
fn objects(document: &Document<'_>, schema: Value) -> Option<Value> {
    match document.is_of_objects {
        true => limited(&schema, "", json!({"type": "object"})),
        false => Some(schema),
    }
}

/// What shows the changes between each two schemas.
type Crowds = HashMap<Option<(String, String)>, Vec<Value>>;

fn crowds(changes: &[Change]) -> Crowds {
    let mut crowds = Crowds::new();
    for change in changes.iter().filter(|change| change.shows.is_some()) {
        crowds.entry(change.sides.clone()).or_default().extend(change.shows.clone());
    }
    crowds
}

/// Whether a change says nothing of the values that are accepted.
fn is_about_words(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::DescriptionChanged | Kind::DescriptionRemoved | Kind::TitleChanged | Kind::Reworded
    )
}

/// A schema of the values that are listed on one side alone, where that is what a change says.
fn listed(change: &Change) -> Option<&Value> {
    let is_of_values = matches!(change.kind, Kind::EnumNarrowed | Kind::EnumWidened);
    change.shows.as_ref().filter(|it| is_of_values && it.get("enum").is_some())
}

/// Whether a change says that schemas differ, and not in what.
fn is_vague(change: &Change) -> bool {
    let says_nothing = change.old.is_none() && change.new.is_none();
    change.kind == Kind::Narrowed
        || (matches!(change.kind, Kind::ConstraintTightened | Kind::ConstraintLoosened)
            && says_nothing)
}

struct Proof<'d, 'a> {
    old: &'d Document<'a>,
    new: &'d Document<'a>,
    direction: Direction,
    budget: &'d Budget,
    crowds: Crowds,
    no_room: OnceCell<bool>,
}

/// What is sent, what it is read by, and whether that accepts all of it.
struct Whole<'d> {
    doubt: Doubt<'d>,
    answer: Answer,
    /// Nothing of either schema lies elsewhere.
    complete: bool,
}

/// What is sent and what it has to satisfy.
struct Readings {
    inner: Value,
    outer: Value,
    /// Both are the schemas themselves. Else what is sent is so whatever references elsewhere lead
    /// to, and what is refused is refused whatever they lead to; nothing else can be told.
    complete: bool,
}

impl Readings {
    fn decided(self, budget: &Budget) -> Option<(Answer, Doubt<'_>)> {
        let doubt = Doubt::of(self.inner, self.outer, budget)?;
        let answer = match decided(&doubt) {
            Answer::Contained if !self.complete => Answer::Unknown,
            answer => answer,
        };
        Some((answer, doubt))
    }
}

impl<'d, 'a> Proof<'d, 'a> {
    /// `None` as well where nothing can be sent at all: agents call such tools all the same.
    fn whole(&self) -> Option<Whole<'d>> {
        let mut readings = self.readings(self.old.root(), self.new.root())?;
        readings.inner = objects(self.sender(), readings.inner)?;
        let complete = readings.complete;
        let (answer, doubt) = readings.decided(self.budget)?;
        if answer == Answer::Contained && self.is_refused(self.sender(), "", &Value::Bool(true)) {
            return None;
        }
        Some(Whole { answer, doubt, complete })
    }

    /// The schema of the values that are sent and the one they have to satisfy.
    fn readings(&self, old: Located<'a>, new: Located<'a>) -> Option<Readings> {
        // To read them is not free either.
        if self.budget.is_spent() {
            return None;
        }
        let (old, new) = ((self.old, old), (self.new, new));
        match self.direction {
            Direction::Input => readings(old, World::Closed, new, World::Open),
            Direction::Output => readings(new, World::Closed, old, World::Tolerant),
        }
    }

    /// Both schemas that a change was found between.
    fn compared(&self, change: &Change) -> Option<(Located<'a>, Located<'a>)> {
        let (old, new) = change.sides.as_ref()?;
        Some((self.old.located(Pointer::parse(old))?, self.new.located(Pointer::parse(new))?))
    }

    /// The same; of a variant that has no counterpart, itself and all that might take its place.
    fn sides(&self, change: &Change) -> Option<(Located<'a>, Located<'a>)> {
        let (old, new) = self.compared(change)?;
        let variant = || Pointer::parse(&change.pointer);
        Some(match (change.kind, &change.old, &change.new, self.direction) {
            (Kind::EnumNarrowed, Some(_), None, Direction::Input) => {
                (self.old.located(variant())?, new)
            }
            (Kind::EnumWidened, None, Some(_), Direction::Output) => {
                (old, self.new.located(variant())?)
            }
            _ => (old, new),
        })
    }

    /// Whether what is sent under one schema is accepted under the other. Where names may be declared
    /// beside the schemas, what shows that such a one may be refused is a value for the whole to
    /// judge, and no answer.
    fn between(
        &self,
        old: Located<'a>,
        new: Located<'a>,
    ) -> Option<(Answer, Option<Value>, Doubt<'d>)> {
        let plain = old.at.is_plain() && new.at.is_plain();
        let (sent, document) = match self.direction {
            Direction::Input => (old.clone(), self.old),
            Direction::Output => (new.clone(), self.new),
        };
        let readings = self.readings(old, new)?;
        let (answer, doubt) = readings.decided(self.budget)?;
        let (answer, beside) = match answer {
            Answer::Contained if !plain => {
                let sent = read(document, &sent, World::Open)?;
                match decide(sent, Rc::clone(doubt.outer()), self.budget) {
                    Answer::Contained => (Answer::Contained, None),
                    Answer::Refuted(value) => (Answer::Unknown, Some(value)),
                    Answer::Unknown => (Answer::Unknown, None),
                }
            }
            answer => (answer, None),
        };
        Some((answer, beside, doubt))
    }

    /// Whether the accepted values alone decide whether such a change breaks.
    fn is_decided_by_values(&self, kind: Kind) -> bool {
        matches!(
            (kind, self.direction),
            (Kind::Unproven | Kind::Pattern | Kind::Narrowed, _)
                | (
                    Kind::RequiredAdded
                        | Kind::TypeNarrowed
                        | Kind::EnumNarrowed
                        | Kind::ConstraintTightened,
                    Direction::Input,
                )
                | (
                    Kind::RequiredRemoved
                        | Kind::TypeWidened
                        | Kind::EnumWidened
                        | Kind::ConstraintLoosened,
                    Direction::Output,
                )
        )
    }

    /// Whether a change says that there is more room for whoever is not to be surprised.
    fn gives_room(&self, kind: Kind) -> bool {
        match self.direction {
            Direction::Input => matches!(
                kind,
                Kind::TypeWidened
                    | Kind::EnumWidened
                    | Kind::ConstraintLoosened
                    | Kind::RequiredRemoved
                    | Kind::Opened
            ),
            Direction::Output => matches!(
                kind,
                Kind::TypeNarrowed
                    | Kind::EnumNarrowed
                    | Kind::ConstraintTightened
                    | Kind::RequiredAdded
                    | Kind::Closed
            ),
        }
    }

    /// Whether literally nothing is accepted now that was not before; in a result, whether all that
    /// could be before can be now.
    fn gives_no_room(&self) -> bool {
        *self.no_room.get_or_init(|| {
            let (Some(old), Some(new)) = (literal(self.old), literal(self.new)) else {
                return false;
            };
            let (less, more) = match self.direction {
                Direction::Input => (new, old),
                Direction::Output => (old, new),
            };
            let less = Rc::new(less);
            decide(Rc::clone(&less), more, self.budget) == Answer::Contained
                && decide(less, Value::Bool(false), self.budget) != Answer::Contained
        })
    }

    /// Then a change that speaks of more room speaks of other words.
    fn reword(&self, changes: &mut [Change]) {
        if !changes.iter().any(|change| self.gives_room(change.kind)) {
            return;
        }
        if !self.gives_no_room() {
            return;
        }
        // What is listed is offered, even where it is not accepted.
        let reader = match self.direction {
            Direction::Input => self.new,
            Direction::Output => self.old,
        };
        let is_offered = |change: &Change| {
            listed(change).is_some_and(|it| self.is_refused(reader, &change.path, it))
        };
        let is_reworded = |change: &&mut Change| {
            self.gives_room(change.kind) && !is_offered(change) && self.keeps_what_is_said(change)
        };
        for change in changes.iter_mut().filter(is_reworded) {
            change.kind = Kind::Reworded;
            change.detail = format!("{}, but the same values are accepted", change.detail);
        }
    }

    /// Whether a change says that names are no longer declared or accepted, or, of a result, that
    /// there may be others.
    fn is_about_names(&self, kind: Kind) -> bool {
        matches!(
            (kind, self.direction),
            (Kind::PropertyRemoved | Kind::Closed, Direction::Input)
                | (Kind::Opened, Direction::Output)
        )
    }

    /// Whether some rule calls such a change breaking.
    fn breaks(&self, kind: Kind) -> bool {
        self.is_decided_by_values(kind)
            || match self.direction {
                Direction::Input => matches!(
                    kind,
                    Kind::PropertyRemoved
                        | Kind::Closed
                        | Kind::DefaultChanged
                        | Kind::FormatNarrowed
                        | Kind::IntegerFormatNarrowed
                ),
                Direction::Output => matches!(
                    kind,
                    Kind::PropertyRemoved
                        | Kind::TypeNarrowed
                        | Kind::FormatWidened
                        | Kind::IntegerFormatWidened
                ),
            }
    }

    /// Decides one change, or says that nobody can.
    fn settle(&self, change: &mut Change, whole: Option<&Whole<'_>>) {
        let is_refuted = self.decide(change, whole);
        // What is too large to be read as a whole was at least compared where it differs.
        let here = || !self.old.leads_elsewhere() && !self.new.leads_elsewhere();
        let is_certain = whole.map_or_else(|| is_refuted && here(), |whole| whole.complete);
        if change.witness.is_none() && self.is_decided_by_values(change.kind) {
            match whole {
                _ if !is_certain => change.kind = Kind::Unproven,
                None => change.detail += ", which no whole value shows",
                Some(_) => {}
            }
        }
    }

    /// Decides one change by the two schemas it was found between, and shows it by a whole value.
    /// Returns whether those two alone refute it.
    fn decide(&self, change: &mut Change, whole: Option<&Whole<'_>>) -> bool {
        let Some((old, new)) = self.sides(change) else {
            let Some(whole) = whole else { return false };
            let path = self.place(change.kind, &change.path);
            let shows = change.shows.clone().unwrap_or(Value::Bool(true));
            match self.beyond(&whole.doubt, &path, shows) {
                Some(Answer::Refuted(value)) => {
                    let about = path::steps(&path).unwrap_or_default();
                    change.witness = Some(self.polished(&whole.doubt, value, &about));
                }
                Some(Answer::Contained) if whole.complete => self.clear(change),
                _ => {}
            }
            return false;
        };
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
        if let (None, Some(whole)) = (&change.witness, whole)
            && self.is_decided_by_values(change.kind)
            && let Answer::Refuted(value) = &whole.answer
            && let Some(fault) = whole.doubt.fault(value)
            && path::is_within(&dotted(&fault), &change.path)
        {
            let about = path::steps(&change.path).unwrap_or_default();
            change.witness = Some(self.polished(&whole.doubt, value.clone(), &about));
        }
        is_refuted
    }

    /// A value that shows a change and, if there is one, no other between the same schemas. Of the
    /// only change there, whatever shows it best is good enough.
    fn alone(&self, change: &Change, doubt: &Doubt<'d>) -> Option<(Value, Doubt<'d>)> {
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
    fn is_innocent(&self, change: &Change, doubt: &Doubt<'_>) -> bool {
        let others = |crowd: &Vec<Value>| crowd.iter().any(|it| Some(it) != change.shows.as_ref());
        self.crowds.get(&change.sides).is_some_and(others)
            && change
                .shows
                .clone()
                .is_some_and(|shows| self.beyond(doubt, "", shows) == Some(Answer::Contained))
    }

    /// What is sent with something at `path` that `limit` accepts, against what it is read by.
    fn beyond(&self, doubt: &Doubt<'_>, path: &str, limit: Value) -> Option<Answer> {
        Some(decided(&doubt.limited(path, limit)?))
    }

    /// Whether nothing that is sent has a fault while it has something at the places of a change: as
    /// where nothing can stand there.
    fn is_out_of_reach(&self, change: &Change, doubt: &Doubt<'_>) -> bool {
        let mut places = std::iter::once(&change.path).chain(&change.uses);
        places.all(|path| {
            let path = self.place(change.kind, path);
            self.beyond(doubt, &path, Value::Bool(true)) == Some(Answer::Contained)
        })
    }

    /// Whether something can be sent at the place of a change, but not with declared names alone:
    /// that all of the latter is accepted says nothing then.
    fn is_contradictory(&self, change: &Change) -> bool {
        let path = self.place(change.kind, &change.path);
        let is_empty = |world: World| {
            let sent = read(self.sender(), &self.sender().root(), world)?;
            let sent = limited(&sent, &path, Value::Bool(true))?;
            match decide(sent, Value::Bool(false), self.budget) {
                Answer::Contained => Some(true),
                Answer::Refuted(_) => Some(false),
                Answer::Unknown => None,
            }
        };
        is_empty(World::Closed) == Some(true) && is_empty(World::Open) == Some(false)
    }

    /// Decides whether a property that is new could be sent before, with values that it does not
    /// take. Where the whole cannot be told, the two objects have to do.
    fn settle_added(&self, change: &mut Change, whole: Option<&Whole<'_>>) {
        let is_told = whole.is_some_and(|it| it.complete && it.answer != Answer::Unknown);
        let found = self.refused_when_added(change);
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

    /// Whether nothing can have stood where a property is new, whatever lies elsewhere.
    fn cannot_be_sent(&self, change: &Change) -> bool {
        let Some(sent) = bounded(self.old, &self.old.root(), World::Closed, true) else {
            return false;
        };
        // What recurs has more places than are named.
        let mut places = std::iter::once(&change.path).chain(&change.uses);
        sent.get("$defs").is_none()
            && places.all(|path| {
                let there = limited(&sent, path, Value::Bool(true));
                let nothing = Value::Bool(false);
                there.is_some_and(|it| decide(it, nothing, self.budget) == Answer::Contained)
            })
    }

    /// Decides whether a property that is new and of some format could be sent before without.
    fn settle_meaning(&self, change: &mut Change) {
        let property = self.new.located(Pointer::parse(&change.pointer));
        let said = property.and_then(|it| Said::by(self.new, &it));
        if change.kind != Kind::PropertyAdded || !said.is_some_and(|it| it.has_meaning()) {
            return;
        }
        let could_be = || {
            let (old, _) = self.compared(change)?;
            let name = path::steps(&change.path)?.pop()?;
            let there = path::join("", name);
            let sent = limited(&read(self.old, &old, World::Closed)?, &there, Value::Bool(true))?;
            Some(decide(sent, Value::Bool(false), self.budget))
        };
        if matches!(could_be(), Some(Answer::Refuted(_))) {
            change.kind = Kind::FormatNarrowed;
            change.detail = format!("{}, and could be sent before in any format", change.detail);
        }
    }

    /// An object with a property that is new, such as could be sent before, and that does not take
    /// it, if there is one; `None` where that is not known. In a variant, names may be declared
    /// beside it, and what comes of that is for the whole to judge.
    fn refused_when_added(&self, change: &Change) -> Option<Option<Value>> {
        let (old, _) = self.compared(change)?;
        let Step::Name(name) = path::steps(&change.path)?.pop()? else { return None };
        let world = if old.at.is_plain() { World::Closed } else { World::Open };
        let new = self.new.located(Pointer::parse(&change.pointer))?;
        let exact = || Some((read(self.old, &old, world)?, read(self.new, &new, World::Open)?));
        let exact = exact();
        let is_exact = exact.is_some();
        // Else with more sent, and less accepted.
        let bounds = || {
            let sent = bounded(self.old, &old, world, true)?;
            Some((sent, bounded(self.new, &new, World::Open, false)?))
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

    /// A value that is refused for a reason that no change names, where some of them name one.
    fn left_over(&self, changes: &[Change], whole: &Whole<'_>) -> Option<Value> {
        let named: Vec<&Change> = changes.iter().filter(|it| self.breaks(it.kind)).collect();
        let is_of_all = |it: &&Change| it.path.is_empty() && it.shows.is_none();
        if named.len() > MAX_WITNESSES || named.iter().any(is_of_all) {
            return None;
        }
        let without = named.iter().flat_map(|it| {
            let places = std::iter::once(&it.path).chain(&it.uses).take(MAX_WITNESSES);
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

    /// What does not show a change at one of its places. What it says of names is not said of what
    /// stands there.
    fn without(&self, change: &Change, path: &str) -> Option<Value> {
        let is_of_names = |(old, _): &(String, String)| old.contains("/propertyNames");
        let shows =
            change.shows.clone().filter(|_| !change.sides.as_ref().is_some_and(is_of_names));
        let shows = shows.unwrap_or(Value::Bool(true));
        Some(json!({ "not": holding(&self.place(change.kind, path), shows)? }))
    }

    /// Whether a change that only says that schemas differ breaks nothing but what others name.
    fn is_told_by_others(&self, change: &Change, changes: &[Change], doubt: &Doubt<'_>) -> bool {
        if !is_vague(change) || change.witness.is_none() {
            return false;
        }
        let told = changes.iter().filter(|it| !is_vague(it) && it.witness.is_some());
        let told = told.filter(|it| path::is_within(&it.path, &change.path)).take(MAX_WITNESSES);
        let without: Option<Vec<Value>> = told
            .filter(|it| it.shows.is_some())
            .flat_map(|it| {
                let places = std::iter::once(&it.path).chain(&it.uses).take(MAX_WITNESSES);
                places.map(move |path| self.without(it, path))
            })
            .collect();
        let Some(without) = without.filter(|it| !it.is_empty()) else { return false };
        self.beyond(doubt, "", json!({ "allOf": without })) == Some(Answer::Contained)
    }

    /// A whole value that shows a change, made with whatever names.
    fn shown_to_the_letter(&self, change: &Change) -> Option<Value> {
        let (inner, outer) = match self.direction {
            Direction::Input => (literal(self.old)?, literal(self.new)?),
            Direction::Output => {
                (literal(self.new)?, read(self.old, &self.old.root(), World::Tolerant)?)
            }
        };
        let path = self.place(change.kind, &change.path);
        let shows = change.shows.clone().unwrap_or(Value::Bool(true));
        let doubt = Doubt::of(limited(&inner, &path, shows)?, outer, self.budget)?;
        let Answer::Refuted(value) = decided(&doubt) else { return None };
        Some(self.polished(&doubt, value, &path::steps(&path)?))
    }

    /// The place of the schemas that were compared: for what is required, that of the object.
    fn place(&self, kind: Kind, path: &str) -> String {
        match kind {
            Kind::RequiredAdded | Kind::RequiredRemoved => path::parent(path),
            _ => path.to_owned(),
        }
    }

    /// A whole value with one of `values` at `path` that is sent and not accepted.
    fn shown(&self, doubt: &Doubt<'_>, path: &str, values: &[Value]) -> Option<Value> {
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
    fn shown_by_text(&self, doubt: &Doubt<'_>, change: &Change) -> Option<Value> {
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

    /// What the schema of the sender shows for a place.
    fn hints(&self, steps: &[Step]) -> Vec<Value> {
        hints(self.sender(), &self.sender().root(), steps)
    }

    /// The schema of what is sent.
    fn sender(&self) -> &'d Document<'a> {
        match self.direction {
            Direction::Input => self.old,
            Direction::Output => self.new,
        }
    }

    /// A whole value, small and readable, that still says what it has to say about a place.
    fn polished(&self, doubt: &Doubt<'_>, value: Value, about: &[Step]) -> Value {
        Polish { doubt, hints: &|at| self.hints(at), about }.polished(value)
    }

    /// The same of a value that stands at `path`.
    fn readable(&self, doubt: &Doubt<'_>, value: Value, path: &str, replace: bool) -> Value {
        let Some(steps) = path::steps(path) else { return value };
        let hints = |at: &[Step]| self.hints(&[&steps, at].concat());
        let polish = Polish { doubt, hints: &hints, about: &[] };
        if replace { polish.replaced(value) } else { polish.polished(value) }
    }

    /// Whether a schema accepts nothing with something at `path` that `limit` accepts, whatever
    /// names are used. What would have to contain itself without end is no such thing: nobody can
    /// send that, slip or not.
    fn is_refused(&self, document: &Document<'a>, path: &str, limit: &Value) -> bool {
        let Some(accepted) = literal(document) else { return false };
        let is_nothing = |accepted: &Value| {
            let accepted = limited(accepted, path, limit.clone());
            let nothing = Value::Bool(false);
            accepted.is_some_and(|it| decide(it, nothing, self.budget) == Answer::Contained)
        };
        is_nothing(&accepted)
            && (accepted.get("$defs").is_none() || is_nothing(&without_references(&accepted)))
    }

    /// Whether a change is about what nothing can be sent for, as by a slip of the sender's schema
    /// that no server notices: that all which is sent is accepted says nothing then.
    fn is_of_nothing(&self, change: &Change) -> bool {
        let listed = listed(change);
        let mut places = std::iter::once(&change.path).chain(&change.uses).take(MAX_WITNESSES);
        places.all(|path| {
            let path = self.place(change.kind, path);
            self.is_refused(self.sender(), &path, listed.unwrap_or(&Value::Bool(true)))
        })
    }

    /// Turns a change that nobody can notice into what is left of it.
    fn clear(&self, change: &mut Change) {
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
        if !self.keeps_what_is_said(change) {
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
            let inner = read(self.new, &new, World::Open)?;
            let outer = read(self.old, &old, World::Open)?;
            Some(match self.direction {
                Direction::Input => decide(inner, outer, self.budget),
                Direction::Output => decide(outer, inner, self.budget),
            })
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

    /// Whether a change in what no rule looks into leaves what is said beside the accepted values.
    fn keeps_what_is_said(&self, change: &Change) -> bool {
        let is_variant = matches!(change.kind, Kind::EnumNarrowed | Kind::EnumWidened);
        let is_schema = |it: &Option<Value>| it.as_ref().is_some_and(Value::is_object);
        let is_constraint =
            matches!(change.kind, Kind::ConstraintTightened | Kind::ConstraintLoosened);
        let holds_schemas = is_constraint && (is_schema(&change.old) || is_schema(&change.new));
        if !is_variant && !is_vague(change) && !holds_schemas && change.kind != Kind::Unproven {
            return true;
        }
        let Some((old, new)) = self.sides(change) else { return true };
        let (sent, (reader, read)) = match self.direction {
            Direction::Input => ((self.old, &old), (self.new, &new)),
            Direction::Output => ((self.new, &new), (self.old, &old)),
        };
        if View::of(reader, std::slice::from_ref(read)).says_nothing() {
            return Said::by(sent.0, sent.1).is_some_and(|said| said.is_plain());
        }
        let (Some(old), Some(new)) = (Said::by(self.old, &old), Said::by(self.new, &new)) else {
            return false;
        };
        match (is_variant, self.direction) {
            (false, _) => old.is_kept_by(&new),
            (true, Direction::Input) => old.is_within(&new),
            (true, Direction::Output) => new.is_within(&old),
        }
    }

    /// Whether nothing is refused that was accepted, or may be that could not, declared or not,
    /// however it is written.
    fn keeps_to_the_letter(&self, change: &Change) -> bool {
        let read = |document, schema| read(document, &schema, World::Open);
        let decide = |inner: Value, outer: Value| decide(inner, outer, self.budget);
        self.sides(change).is_some_and(|(old, new)| {
            let answer = match (read(self.old, old), read(self.new, new), self.direction) {
                (Some(old), Some(new), Direction::Input) => decide(old, new),
                (Some(old), Some(new), Direction::Output) => decide(new, old),
                _ => Answer::Unknown,
            };
            answer == Answer::Contained
        })
    }

    /// Arguments that a caller of the old schema may send and that the new one does not declare,
    /// or refuses.
    fn closed_witness(&self, change: &Change) -> Option<Value> {
        let (removed, world) = match change.kind {
            Kind::PropertyRemoved => (change.old.is_some(), World::Declared),
            _ => (false, World::Open),
        };
        let (old, new) = ((self.old, self.old.root()), (self.new, self.new.root()));
        let mut readings = readings(old, world, new, world)?;
        readings.inner = objects(self.sender(), readings.inner)?;
        let doubt = Doubt::of(readings.inner, readings.outer, self.budget)?;
        if removed {
            let at = Pointer::parse(&change.pointer);
            let schema = Located { value: self.old.at(&at)?, at };
            let mut values = self.hints(&path::steps(&change.path)?);
            let read = bounded(self.old, &schema, World::Closed, true)?;
            values.extend(sample::few_values(&read, self.budget));
            return self.shown(&doubt, &change.path, &values);
        }
        let path = path::property(&change.path, "undeclared");
        self.shown(&doubt, &path, &[Value::from("a"), Value::from(1)])
    }

    /// A change that the walk has no word for.
    fn unexplained(&self, whole: &Whole<'_>, witness: Value) -> Change {
        let witness = self.polished(&whole.doubt, witness, &[]);
        let path = whole.doubt.fault(&witness).map(|fault| dotted(&fault)).unwrap_or_default();
        let detail = match self.direction {
            Direction::Input => "no longer accepts what it accepted",
            Direction::Output => "may be what it could not be before",
        };
        Change { witness: Some(witness), ..of_all(Kind::Narrowed, path, detail) }
    }

    /// What is said beside the accepted values where no rule has looked.
    fn unseen(&self) -> Option<Change> {
        let said = |document: &Document<'a>| Said::by(document, &document.root());
        let is_same = said(self.old)?.is_same(&said(self.new)?);
        let detail = "says other formats, defaults or names where nothing could be compared";
        (!is_same).then(|| of_all(Kind::Unproven, String::new(), detail))
    }
}

/// A change of the whole schema.
fn of_all(kind: Kind, path: String, detail: &str) -> Change {
    Change {
        kind,
        path,
        pointer: String::new(),
        detail: detail.to_owned(),
        old: None,
        new: None,
        uses: Vec::new(),
        witness: None,
        shows: None,
        sides: None,
        around: String::new(),
    }
}

fn readings<'a>(
    (sender, sent): (&Document<'a>, Located<'a>),
    closed: World,
    (reader, asked): (&Document<'a>, Located<'a>),
    open: World,
) -> Option<Readings> {
    let exact = || Some((read(sender, &sent, closed)?, read(reader, &asked, open)?));
    if let Some((inner, outer)) = exact() {
        return Some(Readings { inner, outer, complete: true });
    }
    let inner = bounded(sender, &sent, closed, false)?;
    let outer = bounded(reader, &asked, open, true)?;
    Some(Readings { inner, outer, complete: false })
}

/// A JSON pointer into a value as a dotted path.
fn dotted(pointer: &str) -> String {
    pointer.split('/').skip(1).fold(String::new(), |path, token| match token.parse::<usize>() {
        Ok(_) => path::join(&path, Step::Items),
        Err(_) => path::property(&path, &unescaped(token)),
    })
}
