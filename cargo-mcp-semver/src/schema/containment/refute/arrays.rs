//! Arrays: how long they are, what stands where, and items that have to be somewhere.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::Value;

use super::{At, Branch, Fact, Literal, Outcome, Refuter};
use crate::schema::containment::terms::{Id, NOTHING, Term};

/// Longer tuples and arrays are not looked at item by item.
const MAX_ITEMS: usize = 512;
/// So many items are told apart, or compared with each other.
const MAX_DISTINCT: usize = 32;

/// What has found a place, by index: what it satisfies beside the schemas of the place, and a value.
type Placed = BTreeMap<usize, (Vec<Literal>, Option<Value>)>;

#[derive(Default)]
struct Wanted {
    shortest: u64,
    longest: Option<u64>,
    /// The first items and the others, once for each schema.
    groups: Vec<(Vec<Id>, Id)>,
    items: Vec<(At, Literal)>,
    /// How many items satisfy a schema, at least and at most.
    counts: Vec<(Id, u64, Option<u64>)>,
    /// No two items are equal.
    distinct: bool,
    /// Two items are equal.
    repeated: bool,
}

impl Wanted {
    fn at_least(&mut self, count: u64) {
        self.shortest = self.shortest.max(count);
    }

    fn at_most(&mut self, count: u64) {
        self.longest = Some(self.longest.map_or(count, |known| known.min(count)));
    }

    fn is_possible(&self) -> bool {
        self.longest.is_none_or(|longest| self.shortest <= longest)
    }

    /// From this index on all items are alike.
    fn tail(&self) -> usize {
        let prefix = self.groups.iter().map(|(prefix, _)| prefix.len());
        let named = self.items.iter().map(|(at, _)| match at {
            At::Exactly(index) => index + 1,
            At::From(index) => *index,
        });
        prefix.chain(named).max().unwrap_or(0)
    }

    /// That an item counts for none of the schemas that only so many may satisfy, but `one`.
    fn limited(&self, one: Id) -> Vec<Literal> {
        let limited = self.counts.iter().filter(|(id, _, most)| *id != one && most.is_some());
        limited.map(|(id, _, _)| (*id, false)).collect()
    }

    /// What the item at an index has to be.
    fn item(&self, index: usize) -> Vec<Literal> {
        let schema = |(prefix, rest): &(Vec<Id>, Id)| (*prefix.get(index).unwrap_or(rest), true);
        let exact = self.items.iter().filter(|(at, _)| *at == At::Exactly(index));
        self.groups.iter().map(schema).chain(exact.map(|(_, literal)| *literal)).collect()
    }
}

impl Refuter<'_, '_> {
    /// An array cannot be longer than the first place where nothing can stand. An item that has
    /// to be somewhere is looked for at every place that differs from the others. Alike items are
    /// distinct only where so many values of them are found, and equal only where two places can
    /// hold the same value.
    pub(super) fn array(&mut self, branch: &Branch) -> Outcome {
        let mut wanted = Wanted::default();
        for fact in &branch.atoms {
            match fact {
                Fact::Item(at, literal) => {
                    let At::Exactly(index) = at else {
                        wanted.at_least(1);
                        wanted.items.push((*at, *literal));
                        continue;
                    };
                    wanted.at_least(*index as u64 + 1);
                    wanted.items.push((*at, *literal));
                }
                Fact::Term((id, sign)) => match (&*self.terms.term(*id), sign) {
                    (Term::MinItems(count), true) => wanted.at_least(*count),
                    (Term::MaxItems(count), true) => wanted.at_most(*count),
                    (Term::MinItems(0), false) => return Outcome::Closed,
                    (Term::MinItems(count), false) => wanted.at_most(count - 1),
                    (Term::MaxItems(count), false) => wanted.at_least(count + 1),
                    (Term::Items(prefix, rest), true) => {
                        wanted.groups.push((prefix.clone(), *rest));
                    }
                    (Term::Unique, true) => wanted.distinct = true,
                    (Term::Unique, false) => {
                        wanted.repeated = true;
                        wanted.at_least(2);
                    }
                    _ => {}
                },
                Fact::Count(id, least, most) => wanted.counts.push((*id, *least, *most)),
                _ => {}
            }
        }
        self.arranged(wanted)
    }

    fn arranged(&mut self, mut wanted: Wanted) -> Outcome {
        let tail = wanted.tail();
        if tail > MAX_ITEMS {
            return Outcome::Open(None);
        }
        let mut values = Vec::new();
        for index in 0..=tail {
            if wanted.longest.is_some_and(|longest| longest <= index as u64) {
                break;
            }
            match self.goal(wanted.item(index)) {
                Outcome::Open(value) => values.push(value),
                Outcome::Closed => wanted.at_most(index as u64),
            }
        }
        if !wanted.is_possible() || self.is_miscounted(&wanted, tail) {
            return Outcome::Closed;
        }
        let mut placed = Placed::new();
        for (from, literal) in wanted.items.clone() {
            let At::From(from) = from else { continue };
            if !self.place(&wanted, from..=tail.max(from), literal, &mut placed) {
                return Outcome::Closed;
            }
        }
        if wanted.repeated && tail < MAX_DISTINCT {
            match self.pair(&wanted, tail) {
                Some((one, other, value)) => {
                    placed.extend([one, other].map(|index| (index, (Vec::new(), value.clone()))))
                }
                None => return Outcome::Closed,
            }
        }
        self.multiply(&wanted, &mut placed);
        let length = placed.keys().max().map_or(0, |index| index + 1);
        let length = length.max(usize::try_from(wanted.shortest).unwrap_or(usize::MAX));
        if length > MAX_ITEMS {
            return Outcome::Open(None);
        }
        if wanted.distinct && length > 1 {
            return self.distinct(&wanted, &placed, length, tail);
        }
        self.thin_out(&wanted, &mut values);
        let item = |index: usize| match placed.get(&index) {
            Some((_, value)) => value.clone(),
            None => values.get(index.min(tail)).cloned().flatten(),
        };
        Outcome::Open((0..length).map(item).collect::<Option<Vec<_>>>().map(Value::Array))
    }

    /// Finds a place for an item that satisfies `literal`; false when there is none. Where another
    /// such item stands already, one may do for both; else it takes a place of its own.
    fn place(
        &mut self,
        wanted: &Wanted,
        places: RangeInclusive<usize>,
        literal: Literal,
        placed: &mut Placed,
    ) -> bool {
        let most = wanted.longest.and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX);
        let alone = |this: &mut Self, index: usize| {
            let goal = [wanted.item(index), vec![literal]].concat();
            match this.goal(goal) {
                Outcome::Open(value) if index < most => Some((index, value)),
                _ => None,
            }
        };
        let last = *places.end();
        let Some((index, value)) = places.clone().find_map(|index| alone(self, index)) else {
            return false;
        };
        let Some((others, _)) = placed.get(&index) else {
            placed.insert(index, (vec![literal], value));
            return true;
        };
        let all = [others.as_slice(), &[literal]].concat();
        if let Outcome::Open(value) = self.goal([wanted.item(index), all.clone()].concat()) {
            placed.insert(index, (all, value));
        } else if let Some(free) =
            (index + 1..=last + 1 + placed.len()).find(|it| !placed.contains_key(it))
            && let Some((free, value)) = alone(self, free)
        {
            placed.insert(free, (vec![literal], value));
        }
        true
    }

    /// Whether more items have to satisfy a schema than can, or than may.
    fn is_miscounted(&mut self, wanted: &Wanted, tail: usize) -> bool {
        let longest = wanted.longest.unwrap_or(u64::MAX);
        wanted.counts.iter().any(|(id, least, most)| {
            let can = |this: &mut Self, index| !this.is_closed(wanted, index, &[(*id, true)]);
            let has_to = |this: &mut Self, index| this.is_closed(wanted, index, &[(*id, false)]);
            // What satisfies one schema may have to satisfy another.
            let is_more = |this: &mut Self| {
                wanted.counts.iter().any(|(other, _, limit)| {
                    limit.is_some_and(|limit| limit < *least)
                        && (0..=tail).all(|index| {
                            this.is_closed(wanted, index, &[(*id, true), (*other, false)])
                        })
                })
            };
            self.count(tail, longest, can) < *least
                || most.is_some_and(|most| self.count(tail, wanted.shortest, has_to) > most)
                || is_more(self)
        })
    }

    /// At how many of the first `length` places something holds. From `tail` on all are alike.
    fn count(&mut self, tail: usize, length: u64, holds: impl Fn(&mut Self, usize) -> bool) -> u64 {
        let different = (0..tail).take_while(|index| (*index as u64) < length);
        let count = different.filter(|index| holds(self, *index)).count() as u64;
        match length.saturating_sub(tail as u64) {
            0 => count,
            alike => count.saturating_add(if holds(self, tail) { alike } else { 0 }),
        }
    }

    /// Whether no item at an index satisfies these beside the schemas of the place.
    fn is_closed(&mut self, wanted: &Wanted, index: usize, more: &[Literal]) -> bool {
        let goal = [wanted.item(index).as_slice(), more].concat();
        self.budget.spend(1 + goal.len() / 8) && matches!(self.goal(goal), Outcome::Closed)
    }

    /// Finds places for as many items as have to satisfy a schema, of which one is there.
    fn multiply(&mut self, wanted: &Wanted, placed: &mut Placed) {
        for (id, least, _) in &wanted.counts {
            let mut missing = least.saturating_sub(1).min(MAX_DISTINCT as u64);
            for index in 0..MAX_DISTINCT {
                if missing == 0 || wanted.longest.is_some_and(|it| it <= index as u64) {
                    break;
                }
                let literals = [vec![(*id, true)], wanted.limited(*id)].concat();
                if !placed.contains_key(&index)
                    && let Outcome::Open(Some(value)) =
                        self.goal([wanted.item(index), literals.clone()].concat())
                {
                    placed.insert(index, (literals, Some(value)));
                    missing -= 1;
                }
            }
        }
    }

    /// Takes for all other items values that do not count, where there are some.
    fn thin_out(&mut self, wanted: &Wanted, values: &mut [Option<Value>]) {
        let limited: Vec<Literal> = wanted.limited(NOTHING);
        if limited.is_empty() {
            return;
        }
        for (index, value) in values.iter_mut().enumerate() {
            let goal = [wanted.item(index), limited.clone()].concat();
            if let Outcome::Open(Some(other)) = self.goal(goal) {
                *value = Some(other);
            }
        }
    }

    /// Two places that can hold the same value. From `tail` on all places are alike.
    fn pair(&mut self, wanted: &Wanted, tail: usize) -> Option<(usize, usize, Option<Value>)> {
        let most = wanted.longest.and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX);
        for other in 1..(tail + 2).min(most) {
            for one in 0..other {
                let both = [wanted.item(one), wanted.item(other)].concat();
                if let Outcome::Open(value) = self.goal(both) {
                    return Some((one, other, value));
                }
            }
        }
        None
    }

    /// An array of `length` items of which no two are equal.
    fn distinct(
        &mut self,
        wanted: &Wanted,
        placed: &Placed,
        length: usize,
        tail: usize,
    ) -> Outcome {
        if length > MAX_DISTINCT {
            return Outcome::Open(None);
        }
        let mut found: Vec<Option<Value>> = vec![None; length];
        for (index, (_, value)) in placed {
            found[*index].clone_from(value);
        }
        for index in 0..length {
            if found[index].is_some() {
                continue;
            }
            let taken: Vec<Value> = found.iter().flatten().cloned().collect();
            let mut goal = wanted.item(index);
            goal.push((self.terms.listed(&taken), false));
            match self.goal(goal) {
                Outcome::Open(Some(value)) if !taken.contains(&value) => found[index] = Some(value),
                // There are no values but those taken, which are fewer than all these items need.
                Outcome::Closed if tail == 0 && length as u64 <= wanted.shortest => {
                    return Outcome::Closed;
                }
                _ => return Outcome::Open(None),
            }
        }
        Outcome::Open(found.into_iter().collect::<Option<Vec<_>>>().map(Value::Array))
    }
}
