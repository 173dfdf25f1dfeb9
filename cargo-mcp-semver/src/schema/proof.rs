//! Settles what the walk found: containment overrules it where values decide, and every change
//! that breaks is confirmed by a value.

mod added;
mod cleared;
mod decide;
mod kinds;
mod left_over;
mod meant;
mod unseen;
mod witness;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use mcp_semver_build::pointer::unescaped;
use serde_json::{Value, json};

use self::kinds::{is_about_formats, is_about_words};
use super::change::{Change, Direction, Kind};
use super::containment::{
    Answer, Budget, Doubt, World, bounded, decide, decided, limited, parts, read,
};
use super::document::{Document, Located, Pointer};
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
            .filter(|it| is_about_formats(it.kind, direction))
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
    /// The places of the changes that tell of formats that break.
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

    /// The change once for each two schemas that it was found between.
    fn of_each(&self, change: &Change) -> Vec<Change> {
        let also = change.also.iter().map(|sides| Some(sides.clone()));
        let sides = std::iter::once(change.sides.clone()).chain(also);
        sides.map(|sides| Change { sides, also: Vec::new(), ..change.clone() }).collect()
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
        also: Vec::new(),
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
