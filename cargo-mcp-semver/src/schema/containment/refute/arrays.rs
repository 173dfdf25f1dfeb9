//! Arrays: how long they are, what stands where, and items that have to be somewhere.

use serde_json::Value;

use super::{At, Branch, Fact, Literal, Outcome, Refuter};
use crate::schema::containment::terms::{Id, Term};

/// Longer tuples and arrays are not looked at item by item.
const MAX_ITEMS: usize = 512;

#[derive(Default)]
struct Wanted {
    shortest: u64,
    longest: Option<u64>,
    /// The first items and the others, once for each schema.
    groups: Vec<(Vec<Id>, Id)>,
    items: Vec<(At, Literal)>,
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

    /// What the item at an index has to be.
    fn item(&self, index: usize) -> Vec<Literal> {
        let schema = |(prefix, rest): &(Vec<Id>, Id)| (*prefix.get(index).unwrap_or(rest), true);
        let exact = self.items.iter().filter(|(at, _)| *at == At::Exactly(index));
        self.groups.iter().map(schema).chain(exact.map(|(_, literal)| *literal)).collect()
    }
}

impl Refuter<'_, '_> {
    /// An array cannot be longer than the first place where nothing can stand. An item that has
    /// to be somewhere is looked for at every place that differs from the others. That items are
    /// distinct, and how many match, is left out.
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
                    _ => {}
                },
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
        if !wanted.is_possible() {
            return Outcome::Closed;
        }
        let mut placed: Vec<(usize, Option<Value>)> = Vec::new();
        for (from, literal) in wanted.items.clone() {
            let At::From(from) = from else { continue };
            let mut found = None;
            for index in from..=tail.max(from) {
                if wanted.longest.is_some_and(|longest| longest <= index as u64) {
                    break;
                }
                let mut goal = wanted.item(index);
                goal.push(literal);
                if let Outcome::Open(value) = self.goal(goal) {
                    found = Some((index, value));
                    break;
                }
            }
            match found {
                Some(found) => placed.push(found),
                None => return Outcome::Closed,
            }
        }
        let length = placed.iter().map(|(index, _)| index + 1).max().unwrap_or(0);
        let length = length.max(usize::try_from(wanted.shortest).unwrap_or(usize::MAX));
        if length > MAX_ITEMS {
            return Outcome::Open(None);
        }
        let item = |index: usize| match placed.iter().find(|(at, _)| *at == index) {
            Some((_, value)) => value.clone(),
            None => values.get(index.min(tail)).cloned().flatten(),
        };
        Outcome::Open((0..length).map(item).collect::<Option<Vec<_>>>().map(Value::Array))
    }
}
