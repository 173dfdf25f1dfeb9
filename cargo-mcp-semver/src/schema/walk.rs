//! Walks two schemas in step and records how they differ.
//!
//! The walk is sound in one direction that matters: where it stays silent, both schemas accept
//! the same values. What it cannot line up it reports as [`Kind::Unproven`].

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, VecDeque};

use serde_json::Value;

use super::change::{Change, Direction, Kind};
use super::document::{Document, Located, Pointer};
use super::normal::{normal, normal_view};
use super::pairing::{Paired, paired, partners};
use super::path;
use super::places::{Index, Places, WHOLE};
use super::recorded::Recorded;
use super::types::Types;
use super::unchanged::Unchanged;
use super::view::View;

/// Places nested deeper than this are compared as a whole.
const MAX_DEPTH: usize = 72;
/// How many pairs of schemas may be visited.
const MAX_PAIRS: usize = 50_000;

/// The schemas that apply to one place, on either side.
pub(super) type Parts<'p, 'a> = &'p [Located<'a>];

/// One comparison in progress.
///
/// Pairs of schemas wait in a queue, so that each is met first by one of its shortest paths.
pub(super) struct Walk<'d, 'a> {
    pub(super) old: &'d Document<'a>,
    pub(super) new: &'d Document<'a>,
    pub(super) direction: Direction,
    changes: Vec<Change>,
    /// The pairs in which each change was found, with the path from there.
    hosts: Vec<Vec<(Index, String)>>,
    /// Changes by kind and detail and path or, marked by `true`, pointer.
    recorded: HashMap<(Kind, bool, String), Index>,
    places: Places,
    known: HashMap<Key, Index>,
    waiting: VecDeque<Waiting<'a>>,
    /// Whether more is declared in what holds a variant, by the pointer to that, on either side.
    holders: RefCell<[HashMap<Pointer, bool>; 2]>,
    /// The pair being compared.
    current: Index,
    /// What follows a detail where no path says what it is about.
    pub(super) of: Option<&'static str>,
    unchanged: Unchanged<'d, 'a>,
}

/// What makes two pairs of schemas one.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    /// By address: a pointer may stand for an absent schema too.
    sides: [Vec<*const Value>; 2],
    /// Of variants, where more is declared that they need not declare.
    beside: [Option<Pointer>; 2],
    about: About,
    of: Option<&'static str>,
}

/// What about two schemas is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum About {
    /// What is accepted.
    Values,
    /// What is said, and what is accepted.
    All,
}

struct Waiting<'a> {
    index: Index,
    about: About,
    of: Option<&'static str>,
    old: Vec<Located<'a>>,
    new: Vec<Located<'a>>,
}

/// Both views of one place.
pub(super) struct Pair<'v, 'a> {
    pub(super) path: &'v str,
    pub(super) old: &'v View<'a>,
    pub(super) new: &'v View<'a>,
}

/// What a walk found.
pub(super) struct Walked {
    /// How the schemas differ, in the order in which the new one is read.
    pub(super) changes: Vec<Change>,
    /// How many pairs of schemas were compared, by which tests count the work.
    #[cfg_attr(not(test), expect(dead_code))]
    pub(super) pairs: usize,
}

/// How two schemas differ, `old` against `new`.
pub(super) fn walk<'a>(old: &Document<'a>, new: &Document<'a>, direction: Direction) -> Walked {
    let mut walk = Walk {
        old,
        new,
        direction,
        changes: Vec::new(),
        hosts: Vec::new(),
        recorded: HashMap::new(),
        places: Places::new(),
        known: HashMap::new(),
        waiting: VecDeque::new(),
        holders: RefCell::default(),
        current: WHOLE,
        of: None,
        unchanged: Unchanged::new(old, new),
    };
    walk.schemas(&old.whole(), &new.whole(), "");
    while let Some(next) = walk.waiting.pop_front() {
        walk.visit(&next);
    }
    walk.walked()
}

impl<'a> Walk<'_, 'a> {
    /// Compares what applies to one place, now or later.
    pub(super) fn schemas(&mut self, old: Parts<'_, 'a>, new: Parts<'_, 'a>, path: &str) {
        let is_new = !self.known.contains_key(&self.key(old, new, About::All));
        if is_new
            && let ([old], [new]) = (old, new)
            && self.unchanged.is(&self.old.led_to(old, true), &self.new.led_to(new, true))
        {
            return;
        }
        self.reach(old, new, path, About::All);
    }

    fn reach(&mut self, old: Parts<'_, 'a>, new: Parts<'_, 'a>, path: &str, about: About) {
        let key = self.key(old, new, about);
        if let Some(known) = self.known.get(&key) {
            return self.places.link(self.current, path, *known);
        }
        if path::depth(path) > MAX_DEPTH || self.places.len() > MAX_PAIRS {
            return self.whole(old, new, path);
        }
        let index = self.places.add(path);
        self.places.link(self.current, path, index);
        self.known.insert(key, index);
        let (old, new, of) = (old.to_vec(), new.to_vec(), self.of);
        self.waiting.push_back(Waiting { index, about, of, old, new });
    }

    /// Where only values count, words beside a reference do not.
    fn key(&self, old: Parts<'_, 'a>, new: Parts<'_, 'a>, about: About) -> Key {
        let side = |document: &Document<'a>, parts: Parts<'_, 'a>| -> Vec<*const Value> {
            let led = parts.iter().map(|part| document.led_to(part, about == About::All));
            led.map(|part| std::ptr::from_ref(part.value)).collect()
        };
        let beside = |side: usize, document: &Document<'a>, parts: Parts<'_, 'a>| {
            let [part] = parts else { return None };
            let place = part.at.place();
            if place == part.at {
                return None;
            }
            let mut holders = self.holders.borrow_mut();
            let declares = *holders[side].entry(place.clone()).or_insert_with(|| {
                let holder = document.located(place.clone());
                holder.is_some_and(|it| !View::of(document, &[it]).properties.is_empty())
            });
            declares.then_some(place)
        };
        Key {
            sides: [side(self.old, old), side(self.new, new)],
            beside: [beside(0, self.old, old), beside(1, self.new, new)],
            about,
            of: self.of,
        }
    }

    fn visit(&mut self, next: &Waiting<'a>) {
        let Waiting { index, about, of, old, new } = next;
        (self.current, self.of) = (*index, *of);
        let path = self.places.path(*index).to_owned();
        let (before, after) = (View::of(self.old, old), View::of(self.new, new));
        let pair = Pair { path: &path, old: &before, new: &after };
        if *about == About::All {
            self.texts(&pair);
            self.default(&pair);
            let (all, values) = (self.key(old, new, About::All), self.key(old, new, About::Values));
            if all.sides != values.sides || self.known.contains_key(&values) {
                return self.reach(old, new, &path, About::Values);
            }
            self.known.insert(values, *index);
        }
        if !self.apart(&pair, old, new) && !self.lifted(&pair, old, new) {
            self.assertions(&pair);
        }
    }

    /// Compares parts of a conjunction one by one that go together on one side alone: it accepts no
    /// less when no part of it does. Returns whether that was so.
    fn apart(&mut self, pair: &Pair<'_, 'a>, old: Parts<'_, 'a>, new: Parts<'_, 'a>) -> bool {
        let is_alike = pair.old.and.len() == pair.new.and.len();
        if is_alike || old.len() != new.len() || old.len() < 2 {
            return false;
        }
        let (mut left, mut unmatched): (Vec<_>, Vec<_>) = (new.to_vec(), Vec::new());
        for old in old {
            match left.iter().position(|new| self.unchanged.is(old, new)) {
                Some(index) => drop(left.remove(index)),
                None => unmatched.push(old.clone()),
            }
        }
        for (old, new) in unmatched.into_iter().zip(left) {
            self.schemas(&[old], &[new], pair.path);
        }
        true
    }

    /// The changes with all their places: of all places of a change, the nearest to the root is
    /// the one to name first.
    fn walked(mut self) -> Walked {
        let mut of_pairs: HashMap<Index, Vec<String>> = HashMap::new();
        for (change, hosts) in self.changes.iter_mut().zip(self.hosts) {
            let mut all: Vec<String> = Vec::new();
            for (pair, below) in hosts {
                let places = of_pairs.entry(pair).or_insert_with(|| self.places.of(pair));
                all.extend(places.iter().map(|place| path::under(place, &below)));
            }
            all.sort_by_key(|place| path::depth(place));
            let mut seen = BTreeSet::new();
            let mut all = all.into_iter().filter(|place| seen.insert(place.clone()));
            change.path = all.next().unwrap_or_default();
            change.uses = all.collect();
        }
        let mut changes: Vec<Option<Change>> = self.changes.into_iter().map(Some).collect();
        let order = self.places.in_order().into_iter();
        let changes = order.filter_map(|index| changes.get_mut(index)?.take()).collect();
        Walked { changes, pairs: self.places.len() }
    }

    pub(super) fn view(&mut self, pair: &Pair<'_, 'a>) {
        self.texts(pair);
        self.default(pair);
        self.assertions(pair);
    }

    /// Compares what is accepted at one place.
    pub(super) fn assertions(&mut self, pair: &Pair<'_, 'a>) {
        let (old, new) = (pair.old, pair.new);
        let alike = (old.unevaluated_like(new), new.unevaluated_like(old));
        let (old, new) = (alike.0.as_ref().unwrap_or(old), alike.1.as_ref().unwrap_or(new));
        let pair = &Pair { old, new, ..*pair };
        if let Some(reason) = old.unknown.or(new.unknown) {
            if self.only_words_differ(pair) {
                return;
            }
            let detail = format!("differs, or may differ: {reason}");
            self.push(pair, Kind::Unproven, &new.at, detail, None, None);
            return;
        }
        // Of what lies elsewhere nothing is known.
        if old.rest.contains_key("$ref") != new.rest.contains_key("$ref") {
            return self.as_a_whole(pair, "$ref");
        }
        if old.never || new.never {
            self.never(pair);
            return;
        }
        let common = self.types(pair);
        // What says something for the first time says it by its type.
        if old.says_nothing() && new.types != Types::ALL && new.values.is_none() {
            return;
        }
        self.values(pair, common);
        self.numbers(pair, common);
        self.strings(pair, common);
        self.arrays(pair, common);
        self.objects(pair, common);
        self.unions(pair);
        self.others(pair, common);
        self.conjuncts(pair);
    }

    /// Whether two schemas that are not understood are the same but for what they say to a reader.
    fn only_words_differ(&mut self, pair: &Pair<'_, 'a>) -> bool {
        let located = |document: &Document<'a>, view: &View<'a>| {
            document.located(view.at.clone()).filter(|_| view.complete)
        };
        let (old, new) = (located(self.old, pair.old), located(self.new, pair.new));
        let words = ["title", "description", "default", "examples", "$comment"];
        old.zip(new).is_some_and(|(old, new)| self.unchanged.is_but_for(&words, &old, &new))
    }

    fn never(&mut self, pair: &Pair<'_, 'a>) {
        match (pair.old.never, pair.new.never) {
            (false, true) => {
                let detail = "accepts nothing any more".to_owned();
                self.push(pair, Kind::TypeNarrowed, &pair.new.written, detail, None, None);
            }
            (true, false) => {
                let detail = "accepts something now, it accepted nothing".to_owned();
                self.push(pair, Kind::TypeWidened, &pair.new.written, detail, None, None);
            }
            _ => {}
        }
    }

    /// Compares what is too deep to be walked.
    fn whole(&mut self, old: Parts<'_, 'a>, new: Parts<'_, 'a>, path: &str) {
        let same = match (normal(self.old, old), normal(self.new, new)) {
            (Some(old), Some(new)) => old == new,
            _ => false,
        };
        if same {
            return;
        }
        let at = new.first().map_or_else(Pointer::root, |part| part.at.clone());
        let old_at = old.first().map_or_else(Pointer::root, |part| part.at.clone());
        self.record(Change {
            kind: Kind::Unproven,
            path: path.to_owned(),
            pointer: at.to_string(),
            detail: "is too deep or too large to be compared".to_owned(),
            old: None,
            new: None,
            uses: Vec::new(),
            witness: None,
            shows: None,
            sides: (old.len() == 1 && new.len() == 1).then(|| (old_at.to_string(), at.to_string())),
            also: Vec::new(),
            around: at.to_string(),
        });
    }

    /// The parts of conjunctions that could not be merged. A conjunction accepts no less when no
    /// part of it does.
    fn conjuncts(&mut self, pair: &Pair<'_, 'a>) {
        let (old, new): (Vec<_>, Vec<_>) =
            (pair.old.and.iter().collect(), pair.new.and.iter().collect());
        // What is not understood goes with what is not either.
        let partners = partners(
            new.iter().map(|view| Some(normal_view(self.new, view))),
            old.iter().map(|view| Some(normal_view(self.old, view))),
        );
        let Paired { mut pairs, left: mut new, right: mut old } = paired(new, old, &partners);
        if old.len() == new.len() {
            pairs.extend(new.drain(..).zip(old.drain(..)));
        }
        for (new, old) in pairs {
            self.view(&Pair { path: pair.path, old, new });
        }
        for new in new {
            let detail = "has a further `allOf` that has to hold".to_owned();
            self.push(pair, Kind::ConstraintTightened, &new.at, detail, None, None);
        }
        for old in old {
            let detail = "has one `allOf` less that has to hold".to_owned();
            self.push(pair, self.less(), &old.at, detail, None, None);
        }
    }

    /// What it is where a part has to hold no longer: whoever sends may have known names by it.
    pub(super) fn less(&self) -> Kind {
        match self.direction {
            Direction::Input => Kind::Unproven,
            Direction::Output => Kind::ConstraintLoosened,
        }
    }

    /// Records a change at the pair's own place.
    pub(super) fn push(
        &mut self,
        pair: &Pair<'_, 'a>,
        kind: Kind,
        at: &Pointer,
        detail: String,
        old: Option<Value>,
        new: Option<Value>,
    ) -> Recorded<'_> {
        let (path, pointer) = (pair.path.to_owned(), at.to_string());
        let complete = pair.old.complete && pair.new.complete;
        let sides = complete.then(|| (pair.old.at.to_string(), pair.new.at.to_string()));
        let detail = detail + self.of.unwrap_or_default();
        let (uses, witness, shows) = (Vec::new(), None, None);
        let around = pair.new.written.to_string();
        self.record(Change {
            kind,
            path,
            pointer,
            detail,
            old,
            new,
            uses,
            witness,
            shows,
            sides,
            also: Vec::new(),
            around,
        })
    }

    /// What whoever reads the values has to say, of both sides.
    pub(super) fn reader<T>(&self, old: T, new: T) -> T {
        match self.direction {
            Direction::Input => new,
            Direction::Output => old,
        }
    }

    /// Records a change, or one more place of one that is known.
    pub(super) fn record(&mut self, change: Change) -> Recorded<'_> {
        let key = |is_pointer: bool, place: &str| {
            (change.kind, is_pointer, format!("{place} {}", change.detail))
        };
        // Variants of one name may be several, and have properties of one name.
        let told = match (change.kind, &change.old, &change.new) {
            (Kind::PropertyAdded, None, Some(it))
            | (Kind::EnumNarrowed, Some(it @ Value::Object(_)), None)
            | (Kind::EnumWidened, None, Some(it @ Value::Object(_))) => it.to_string(),
            _ => String::new(),
        };
        let keys = [key(false, &format!("{} {told}", change.path)), key(true, &change.pointer)];
        let host = (self.current, self.places.below(self.current, &change.path));
        let known = keys.iter().find_map(|key| self.recorded.get(key).copied());
        let index = known.unwrap_or(self.changes.len());
        let more = known.map(|_| change.sides.clone());
        if known.is_none() {
            self.places.found(self.current, index);
            self.changes.push(change);
            self.hosts.push(Vec::new());
        }
        for key in keys {
            self.recorded.entry(key).or_insert(index);
        }
        if let Some(more) = more {
            self.changes[index].met_between(more);
        }
        if !self.hosts[index].contains(&host) {
            self.hosts[index].push(host);
        }
        Recorded { change: &mut self.changes[index], is_known: known.is_some() }
    }
}
