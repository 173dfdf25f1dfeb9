//! Walks two schemas in step and records how they differ.
//!
//! The walk is sound in one direction that matters: where it stays silent, both schemas accept
//! the same values. What it cannot line up it reports as [`Kind::Unproven`].

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::change::{Change, Direction, Kind};
use super::document::{Document, Located, Pointer};
use super::normal::{normal, normal_view};
use super::path;
use super::unchanged::Unchanged;
use super::view::{Texts, View, text};

/// Nesting beyond this is compared as a whole.
const MAX_DEPTH: usize = 72;
/// How many pairs of schemas may be visited.
const MAX_PAIRS: usize = 50_000;

/// The schemas that apply to one place, on either side.
pub(super) type Parts<'p, 'a> = &'p [Located<'a>];

/// One comparison in progress.
pub(super) struct Walk<'d, 'a> {
    pub(super) old: &'d Document<'a>,
    pub(super) new: &'d Document<'a>,
    pub(super) direction: Direction,
    pub(super) changes: Vec<Change>,
    /// Where each pair of schemas was first met, and the changes found below it.
    visited: HashMap<(Identity, Identity), Visit>,
    unchanged: Unchanged<'d, 'a>,
    depth: usize,
}

/// The schemas of one side, by address: a pointer may stand for an absent schema too.
type Identity = Vec<*const Value>;

struct Visit {
    path: String,
    /// Index of the first change found below, and of the one after the last; open while walking.
    changes: (usize, Option<usize>),
}

/// Both views of one place.
pub(super) struct Pair<'v, 'a> {
    pub(super) path: &'v str,
    pub(super) old: &'v View<'a>,
    pub(super) new: &'v View<'a>,
}

/// How two schemas differ, `old` against `new`, in the order in which the new one is read.
pub(super) fn walk<'a>(
    old: &Document<'a>,
    new: &Document<'a>,
    direction: Direction,
) -> Vec<Change> {
    let (changes, visited) = (Vec::new(), HashMap::new());
    let unchanged = Unchanged::new(old, new);
    let mut walk = Walk { old, new, direction, changes, visited, unchanged, depth: 0 };
    walk.schemas(&[old.root()], &[new.root()], "");
    walk.changes.iter_mut().for_each(prefer_shortest);
    walk.changes
}

/// Of all places of a change, the nearest to the root is the one to name first.
fn prefer_shortest(change: &mut Change) {
    let nearest = change.uses.iter_mut().min_by_key(|path| path::depth(path));
    if let Some(nearest) = nearest.filter(|path| path::depth(path) < path::depth(&change.path)) {
        std::mem::swap(nearest, &mut change.path);
    }
}

impl<'a> Walk<'_, 'a> {
    /// Compares what applies to one place.
    pub(super) fn schemas(&mut self, old: Parts<'_, 'a>, new: Parts<'_, 'a>, path: &str) {
        if let ([old], [new]) = (old, new)
            && self.unchanged.is(old, new)
        {
            return;
        }
        let identity = |parts: Parts<'_, 'a>| {
            parts.iter().map(|part| std::ptr::from_ref(part.value)).collect()
        };
        let key: (Identity, Identity) = (identity(old), identity(new));
        if let Some(visit) = self.visited.get(&key) {
            let (first, last) = visit.changes;
            let last = last.unwrap_or(first);
            for change in &mut self.changes[first..last] {
                add_use(change, &visit.path, path);
            }
            return;
        }
        if self.depth > MAX_DEPTH || self.visited.len() > MAX_PAIRS {
            self.whole(old, new, path);
            return;
        }
        let first = self.changes.len();
        self.visited.insert(key.clone(), Visit { path: path.to_owned(), changes: (first, None) });
        self.depth += 1;
        let (before, after) = (View::of(self.old, old), View::of(self.new, new));
        let pair = Pair { path, old: &before, new: &after };
        self.texts(&pair);
        self.default(&pair);
        if !self.lifted(&pair, old, new) {
            self.assertions(&pair);
        }
        self.depth -= 1;
        let last = self.changes.len();
        if let Some(visit) = self.visited.get_mut(&key) {
            visit.changes.1 = Some(last);
        }
    }

    fn view(&mut self, pair: &Pair<'_, 'a>) {
        self.texts(pair);
        self.default(pair);
        self.assertions(pair);
    }

    /// Compares what is accepted at one place.
    pub(super) fn assertions(&mut self, pair: &Pair<'_, 'a>) {
        let (old, new) = (pair.old, pair.new);
        if let Some(reason) = old.unknown.or(new.unknown) {
            let detail = format!("differs, or may differ: {reason}");
            self.push(pair, Kind::Unproven, &new.at, detail, None, None);
            return;
        }
        if old.never || new.never {
            self.never(pair);
            return;
        }
        let common = self.types(pair);
        self.values(pair, common);
        self.numbers(pair, common);
        self.strings(pair, common);
        self.arrays(pair, common);
        self.objects(pair, common);
        self.unions(pair);
        self.others(pair);
        self.conjuncts(pair);
    }

    fn never(&mut self, pair: &Pair<'_, 'a>) {
        match (pair.old.never, pair.new.never) {
            (false, true) => {
                let detail = "accepts nothing any more".to_owned();
                self.push(pair, Kind::TypeNarrowed, &pair.new.at, detail, None, None);
            }
            (true, false) => {
                let detail = "accepts something now, it accepted nothing".to_owned();
                self.push(pair, Kind::TypeWidened, &pair.new.at, detail, None, None);
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
            around: at.to_string(),
        });
    }

    /// The parts of conjunctions that could not be merged. A conjunction accepts no less when no
    /// part of it does.
    fn conjuncts(&mut self, pair: &Pair<'_, 'a>) {
        let mut left: Vec<&View<'a>> = pair.old.and.iter().collect();
        let mut unmatched = Vec::new();
        for new in &pair.new.and {
            let form = normal_view(self.new, new);
            let same = left.iter().position(|old| normal_view(self.old, old) == form);
            match same {
                Some(index) => {
                    let old = left.remove(index);
                    self.view(&Pair { path: pair.path, old, new });
                }
                None => unmatched.push(new),
            }
        }
        if left.len() == unmatched.len() {
            for (old, new) in left.into_iter().zip(unmatched) {
                self.view(&Pair { path: pair.path, old, new });
            }
            return;
        }
        for new in unmatched {
            let detail = "has a further `allOf` that has to hold".to_owned();
            self.push(pair, Kind::ConstraintTightened, &new.at, detail, None, None);
        }
        for old in left {
            let detail = "has one `allOf` less that has to hold".to_owned();
            self.push(pair, Kind::ConstraintLoosened, &old.at, detail, None, None);
        }
    }

    fn texts(&mut self, pair: &Pair<'_, 'a>) {
        self.text(pair, Kind::TitleChanged, "title", &pair.old.title, &pair.new.title);
        let (old, old_values) = descriptions(pair.old, pair.new);
        let (new, new_values) = descriptions(pair.new, pair.old);
        self.text(pair, Kind::DescriptionChanged, "description", &old, &new);
        let keys: BTreeSet<&String> = old_values.keys().chain(new_values.keys()).collect();
        for key in keys {
            let offered = |view: &View<'_>| {
                view.values.as_ref().is_some_and(|values| values.contains_key(key))
            };
            // A value that is new or gone is told by its own change, text and all.
            if offered(pair.old) && offered(pair.new) {
                let (old, new) = (old_values.get(key), new_values.get(key));
                let what = format!("description of {key}");
                self.text(pair, Kind::DescriptionChanged, &what, &old.cloned(), &new.cloned());
            }
        }
    }

    fn text(
        &mut self,
        pair: &Pair<'_, 'a>,
        kind: Kind,
        what: &str,
        old: &Option<Located<'a>>,
        new: &Option<Located<'a>>,
    ) {
        let value = |side: &Option<Located<'a>>| side.as_ref().map(|it| it.value.clone());
        let (old_text, new_text) = (value(old), value(new));
        if old_text == new_text {
            return;
        }
        let blank = |text: &Option<Value>| {
            text.as_ref().is_none_or(|it| it.as_str().is_some_and(|it| it.trim().is_empty()))
        };
        let (kind, detail) = match (blank(&old_text), blank(&new_text)) {
            (false, true) if kind == Kind::DescriptionChanged && is_property(pair) => {
                (Kind::DescriptionRemoved, format!("lost its {what}"))
            }
            (false, true) => (kind, format!("lost its {what}")),
            (true, false) => (kind, format!("has a {what} now")),
            _ => (kind, format!("has another {what}")),
        };
        let at = new.as_ref().or(old.as_ref()).map_or(&pair.new.at, |it| &it.at);
        self.push(pair, kind, at, detail, old_text, new_text);
    }

    fn default(&mut self, pair: &Pair<'_, 'a>) {
        let of = |side: &Option<Located<'a>>| side.as_ref().map(|it| it.value.clone());
        // Without a default an omitted field is null to its reader, so a null default says
        // nothing.
        let told = |side: &Option<Located<'a>>| of(side).filter(|value| !value.is_null());
        let (old, new) = (told(&pair.old.default), told(&pair.new.default));
        let at = pair.new.default.as_ref().or(pair.old.default.as_ref());
        let at = at.map_or(&pair.new.at, |it| &it.at);
        let (kind, detail) = match (&old, &new) {
            (None, None) if of(&pair.old.default) != of(&pair.new.default) => {
                (Kind::Reworded, "writes its absent default differently".to_owned())
            }
            (None, None) => return,
            (Some(old), Some(new)) if text(old) == text(new) => return,
            (Some(old), Some(new)) => (
                Kind::DefaultChanged,
                format!("has another default: {}, was {}", text(new), text(old)),
            ),
            (Some(old), None) => {
                (Kind::DefaultChanged, format!("has no default any more, it was {}", text(old)))
            }
            (None, Some(new)) => (Kind::DefaultAdded, format!("has a default now: {}", text(new))),
        };
        self.push(pair, kind, at, detail, old, new);
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
    ) -> &mut Change {
        let (path, pointer) = (pair.path.to_owned(), at.to_string());
        let complete = pair.old.complete && pair.new.complete;
        let sides = complete.then(|| (pair.old.at.to_string(), pair.new.at.to_string()));
        let (uses, witness, shows) = (Vec::new(), None, None);
        let around = pair.new.at.to_string();
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

    /// Records a change, or one more use of one that is known.
    pub(super) fn record(&mut self, change: Change) -> &mut Change {
        let known = self.changes.iter().position(|known| {
            // First what differs between most of thousands of changes.
            (known.path == change.path || known.pointer == change.pointer)
                && known.kind == change.kind
                && known.detail == change.detail
        });
        match known {
            Some(index) => {
                let known = &mut self.changes[index];
                let path = known.path.clone();
                add_use(known, &path, &change.path);
                known
            }
            None => {
                self.changes.push(change);
                let last = self.changes.len() - 1;
                &mut self.changes[last]
            }
        }
    }
}

/// What a view says of the place, and of single values. The description of a list of one value is
/// that of the value where the `other` side, which may list more, describes it as such.
fn descriptions<'a>(view: &View<'a>, other: &View<'a>) -> (Option<Located<'a>>, Texts<'a>) {
    let (mut own, mut values) = (view.description.clone(), view.value_text.clone());
    if let Some(key) = view.only_value().filter(|key| !values.contains_key(*key))
        && let Some(theirs) = other.value_text.get(key)
        && let Some(it) =
            own.take_if(|own| other.description.is_none() || own.value == theirs.value)
    {
        values.insert(key.clone(), it);
    }
    (own, values)
}

/// Whether the place is a property, which a reader knows by its description, rather than the whole,
/// an item or a variant.
fn is_property(pair: &Pair<'_, '_>) -> bool {
    pair.old.at.as_str().rsplit('/').nth(1) == Some("properties")
}

/// Notes that what was found below `first` holds below `path` too.
fn add_use(change: &mut Change, first: &str, path: &str) {
    let below = change.path.strip_prefix(first).unwrap_or_default();
    let place = path::under(path, below);
    if place != change.path && !change.uses.contains(&place) {
        change.uses.push(place);
    }
}
