//! Settles what the walk found: containment overrules it where values decide, and every change
//! that breaks is confirmed by a value.

mod added;
mod cleared;
mod kinds;
mod left_over;
mod meant;
mod witness;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use mcp_semver_build::pointer::unescaped;
use serde_json::{Value, json};

use self::kinds::{is_about_formats, is_about_words};
use super::beside::Said;
use super::change::{Change, Direction, Kind};
use super::containment::{
    Answer, Budget, Doubt, World, bounded, decide, decided, limited, parts, read,
};
use super::document::{Document, Located, Pointer};
use super::keywords::{CONTEXTUAL, EVALUATING};
use super::path::{self, Step};

/// So many breaking changes of one schema are given a witness; the others stand by the walk.
const MAX_WITNESSES: usize = 24;
/// So many changes are told that the walk has no word for.
const MAX_UNEXPLAINED: usize = 8;
/// So many parts of a schema are read in a step.
const READ_A_STEP: usize = 4;
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
    let proof = Proof {
        old,
        new,
        direction,
        budget: &budget,
        crowds: crowds(&changes),
        accepted: Default::default(),
        is_meant: OnceCell::new(),
        formats: changes
            .iter()
            .filter(|it| is_about_formats(it.kind))
            .flat_map(|it| it.places().cloned())
            .collect(),
        nothing: Default::default(),
        no_room: OnceCell::new(),
    };
    let only_words = changes.iter().all(|change| is_about_words(change.kind));
    // A rule that finds something reworded has looked into it.
    let looked_into = changes.iter().any(|change| change.kind == Kind::Reworded);
    let unseen = if only_words && !looked_into { proof.unseen() } else { None };
    if only_words && proof.literal(old) == proof.literal(new) {
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
        let mut limited = HashMap::new();
        for change in changes.iter_mut().filter(|it| it.kind == Kind::PropertyAdded) {
            // What was said of undeclared names has been compared with what is declared now.
            let of = || proof.was_limited(change);
            if *limited.entry(change.sides.clone()).or_insert_with(of) {
                continue;
            }
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
    let is_told = whole.as_ref().is_some_and(|it| it.complete && it.answer != Answer::Unknown);
    if !is_told && !only_words && !changes.iter().any(|it| proof.breaks(it.kind)) {
        changes.extend(proof.unevaluated(&changes));
    }
    for change in changes.iter_mut().filter(|change| proof.lacks_a_witness(change)) {
        change.detail += match whole {
            None => ", which no whole value shows",
            Some(_) => ", which no whole value was found to show",
        };
    }
    // That the same values are accepted says nothing of it.
    changes.extend(unseen);
    changes
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

/// Of which document and which reading is asked what it has at a path, within which limit.
type Asked = ([bool; 2], String, String);

struct Proof<'d, 'a> {
    old: &'d Document<'a>,
    new: &'d Document<'a>,
    direction: Direction,
    budget: &'d Budget,
    crowds: Crowds,
    /// What the old document and the new one accept, taken literally, and with the names declared.
    accepted: [[OnceCell<Option<Value>>; 2]; 2],
    /// Whether all that is sent is accepted, with formats as they are meant.
    is_meant: OnceCell<Answer>,
    /// The places of the changes that tell of formats.
    formats: Vec<String>,
    /// Whether one of them accepts nothing, as far as that was asked.
    nothing: RefCell<HashMap<Asked, Option<bool>>>,
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
        let (old, new) = ((self.old, old), (self.new, new));
        match self.direction {
            Direction::Input => self.both(old, World::Closed, new, World::Open),
            Direction::Output => self.both(new, World::Closed, old, World::Tolerant),
        }
    }

    fn both(
        &self,
        (sender, sent): (&Document<'a>, Located<'a>),
        closed: World,
        (reader, asked): (&Document<'a>, Located<'a>),
        open: World,
    ) -> Option<Readings> {
        let exact = || Some((self.read(sender, &sent, closed)?, self.read(reader, &asked, open)?));
        if let Some((inner, outer)) = exact() {
            return Some(Readings { inner, outer, complete: true });
        }
        let inner = self.bounded(sender, &sent, closed, false)?;
        let outer = self.bounded(reader, &asked, open, true)?;
        Some(Readings { inner, outer, complete: false })
    }

    /// [`read`], paid for: it may be asked for at each change.
    fn read(&self, document: &Document<'a>, schema: &Located<'a>, world: World) -> Option<Value> {
        self.pays_for(schema).then(|| read(document, schema, world))?
    }

    /// [`bounded`], paid for.
    fn bounded(
        &self,
        document: &Document<'a>,
        schema: &Located<'a>,
        world: World,
        anything: bool,
    ) -> Option<Value> {
        self.pays_for(schema).then(|| bounded(document, schema, world, anything))?
    }

    fn pays_for(&self, schema: &Located<'a>) -> bool {
        !self.budget.is_spent() && self.budget.spend(1 + parts(schema.value).0 / READ_A_STEP)
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
        let (sent, _) = self.sent_and_read(old.clone(), new.clone());
        let readings = self.readings(old, new)?;
        let (answer, doubt) = readings.decided(self.budget)?;
        let (answer, beside) = match answer {
            Answer::Contained if !plain => {
                let sent = self.read(self.sender(), &sent, World::Open)?;
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

    /// Decides one change, or says that nobody can.
    fn settle(&self, change: &mut Change, whole: Option<&Whole<'_>>) {
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
    fn decide(&self, change: &mut Change, whole: Option<&Whole<'_>>) -> bool {
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

    /// Decides a change between what is written in several places, by the whole alone.
    fn decide_within(&self, change: &mut Change, whole: Option<&Whole<'_>>) -> bool {
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
    fn decide_between(
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
    fn found(&self, change: &Change, whole: &Whole<'_>) -> Option<Value> {
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
    fn place(&self, kind: Kind, path: &str) -> String {
        match kind {
            Kind::RequiredAdded | Kind::RequiredRemoved => path::parent(path),
            _ => path.to_owned(),
        }
    }

    /// What one of the documents accepts, taken literally.
    fn literal(&self, document: &Document<'a>) -> Option<&Value> {
        self.accepted(document, World::Open)
    }

    /// What one of the documents accepts.
    fn accepted(&self, document: &Document<'a>, world: World) -> Option<&Value> {
        let read = || objects(document, self.read(document, &document.root(), world)?);
        let [is_new, is_closed] = self.which(document, world).map(usize::from);
        self.accepted[is_new][is_closed].get_or_init(read).as_ref()
    }

    fn which(&self, document: &Document<'_>, world: World) -> [bool; 2] {
        [std::ptr::eq(document, self.new), world == World::Closed]
    }

    /// What is said of what is sent, and what of how it is read.
    fn sent_and_read<T>(&self, old: T, new: T) -> (T, T) {
        match self.direction {
            Direction::Input => (old, new),
            Direction::Output => (new, old),
        }
    }

    /// The schema of what is sent.
    fn sender(&self) -> &'d Document<'a> {
        self.sent_and_read(self.old, self.new).0
    }

    /// The schema that it is read by.
    fn reader(&self) -> &'d Document<'a> {
        self.sent_and_read(self.old, self.new).1
    }

    /// [`Self::is_nothing_at`] of what one of the documents accepts.
    fn accepts_nothing(
        &self,
        document: &Document<'_>,
        world: World,
        path: &str,
        limit: &Value,
    ) -> Option<bool> {
        let asked = (self.which(document, world), path.to_owned(), limit.to_string());
        if let Some(known) = self.nothing.borrow().get(&asked) {
            return *known;
        }
        let found = self.is_nothing_at(self.accepted(document, world)?, path, limit.clone());
        self.nothing.borrow_mut().insert(asked, found);
        found
    }

    /// Whether `schema` accepts nothing that has something at the dotted `path` that `limit`
    /// accepts; `None` where that is not known.
    fn is_nothing_at(&self, schema: &Value, path: &str, limit: Value) -> Option<bool> {
        match decide(limited(schema, path, limit)?, Value::Bool(false), self.budget) {
            Answer::Contained => Some(true),
            Answer::Refuted(_) => Some(false),
            Answer::Unknown => None,
        }
    }

    /// That a result may have a name that other keywords said something of before, as far as nothing
    /// else evaluated it, and that this was not compared.
    fn unevaluated(&self, changes: &[Change]) -> Option<Change> {
        let evaluates =
            |value: &Value| CONTEXTUAL[..EVALUATING].iter().any(|it| value.get(*it).is_some());
        let mut open = vec![self.old.root().value];
        let mut is_asked = || {
            while let Some(value) = open.pop() {
                match value {
                    value if evaluates(value) => return true,
                    Value::Object(map) => open.extend(map.values()),
                    Value::Array(list) => open.extend(list),
                    _ => {}
                }
            }
            false
        };
        let added = changes.iter().find(|it| it.kind == Kind::PropertyAdded)?;
        let detail = "is new, and what was said of it as not evaluated could not be compared";
        (self.direction == Direction::Output && is_asked())
            .then(|| of_all(Kind::Unproven, added.path.clone(), detail))
    }

    /// What is said beside the accepted values where no rule has looked.
    fn unseen(&self) -> Option<Change> {
        let said = |document: &Document<'a>| Said::by(document, &document.root());
        let (old, new) = (said(self.old)?, said(self.new)?);
        // Types and formats that stand in several schemas are taken together.
        let is_meant = || {
            let meant = |document: &Document<'a>| {
                self.meant(document, &document.root(), World::Open).map(Rc::new)
            };
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

/// A JSON pointer into a value as a dotted path.
fn dotted(pointer: &str, item: fn(usize) -> Step) -> String {
    pointer.split('/').skip(1).fold(String::new(), |path, token| match token.parse::<usize>() {
        Ok(index) => path::join(&path, item(index)),
        Err(_) => path::property(&path, &unescaped(token)),
    })
}
