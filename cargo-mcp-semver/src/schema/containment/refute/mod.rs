//! Proves that no value satisfies some terms and violates others, or builds one that may.
//!
//! The method is a semantic tableau (Smullyan, First-Order Logic, chapter 2) over the terms of
//! both schemas. A goal is a set of terms, each to be satisfied or violated. It is looked at once
//! for every kind of value; connectives are taken apart, alternatives open branches, and a branch
//! that is taken apart completely is closed when its assertions contradict each other, which the
//! theories of numbers, texts, arrays and objects decide. `inner` is contained in `outer` when the
//! goal {inner satisfied, outer violated} closes for every kind.
//!
//! Why "closed" can be believed:
//!
//! - Every step replaces a goal by ones of which at least one holds whenever it does, so values
//!   are never lost. Where a term is not understood it is left out, which only adds values.
//! - Goals about members and items are smaller: JSON values are finite. A goal that comes up again
//!   below itself is therefore taken for closed: were there a value for it, there would be a
//!   smallest, and its own member or item would be a smaller one (induction on the size of the
//!   value; for recursive types Amadio and Cardelli, Subtyping Recursive Types, 1993). A term that
//!   comes up again at the same place says nothing new and is skipped, not assumed.
//! - What costs too much stays open.

mod arrays;
mod numbers;
mod objects;
mod strings;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::{Value, json};

use super::budget::Budget;
use super::terms::{ANYTHING, Id, Kind, NOTHING, Term, Terms};
use super::words::Pattern;

/// Values nested deeper than this are not looked at.
const MAX_DEPTH: usize = 40;
/// So many alternatives may be taken one inside the other, over all goals that are open.
const MAX_SPLITS: usize = 150;

/// A term, and whether it is to be satisfied or violated.
pub(super) type Literal = (Id, bool);

/// What is known about a goal.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    /// No value satisfies it.
    Closed,
    /// It was not closed; this value may satisfy it.
    Open(Option<Value>),
}

/// One condition on the value of a branch.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    Term(Literal),
    /// There is a property whose name and whose value satisfy these.
    Has(Vec<Literal>, Vec<Literal>),
    /// There is no property of this name.
    Lacks(String),
    /// There is an item at or after an index that satisfies this.
    Item(At, Literal),
    /// So many items satisfy a schema, at least and at most.
    Count(Id, u64, Option<u64>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum At {
    Exactly(usize),
    From(usize),
}

/// What taking a condition apart leaves.
enum Parts {
    Contradiction,
    And(Vec<Fact>),
    Or(Vec<Vec<Fact>>),
    Atom,
}

const HOLDS: Parts = Parts::And(Vec::new());

/// A part of a goal that is taken apart for one kind of value.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    kind: Kind,
    seen: BTreeSet<Literal>,
    atoms: Vec<Fact>,
    splits: Vec<Vec<Vec<Fact>>>,
}

/// The search.
pub(super) struct Refuter<'s, 'b> {
    pub(super) terms: Terms<'s>,
    budget: &'b Budget,
    patterns: HashMap<String, Option<Rc<Pattern>>>,
    settled: HashMap<Vec<Literal>, Outcome>,
    /// The goals that enclose the present one, outermost first.
    open: Vec<Vec<Literal>>,
    /// The outermost goal that something was assumed about.
    assumed: usize,
    /// The alternatives taken one inside the other.
    splits: usize,
}

impl<'s, 'b> Refuter<'s, 'b> {
    pub(super) fn new(inner: &'s Value, outer: &'s Value, budget: &'b Budget) -> Self {
        Self {
            terms: Terms::new([inner, outer]),
            budget,
            patterns: HashMap::new(),
            settled: HashMap::new(),
            open: Vec::new(),
            assumed: usize::MAX,
            splits: 0,
        }
    }

    /// Whether a value satisfies the first schema and violates the second; `confirm` is shown
    /// those that may.
    pub(super) fn search(&mut self, confirm: &mut dyn FnMut(&Value) -> bool) -> Outcome {
        let goal = [(self.terms.root(0), true), (self.terms.root(1), false)];
        let mut outcome = Outcome::Closed;
        for kind in Kind::ALL {
            if let Outcome::Open(value) = self.kind(&goal, kind, Some(confirm)) {
                match value {
                    Some(value) => return Outcome::Open(Some(value)),
                    None => outcome = Outcome::Open(None),
                }
            }
        }
        outcome
    }

    /// A goal about a member or an item.
    pub(super) fn goal(&mut self, mut goal: Vec<Literal>) -> Outcome {
        goal.sort_unstable();
        goal.dedup();
        goal.retain(|it| *it != (ANYTHING, true) && *it != (NOTHING, false));
        if goal.contains(&(NOTHING, true)) || goal.contains(&(ANYTHING, false)) {
            return Outcome::Closed;
        }
        if goal.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Outcome::Closed;
        }
        if goal.is_empty() {
            return Outcome::Open(Some(json!("a")));
        }
        if let Some(known) = self.settled.get(&goal) {
            return known.clone();
        }
        if let Some(index) = self.open.iter().position(|open| *open == goal) {
            self.assumed = self.assumed.min(index);
            return Outcome::Closed;
        }
        if self.open.len() >= MAX_DEPTH || !self.budget.spend(2 + goal.len()) {
            return Outcome::Open(None);
        }
        let outside = std::mem::replace(&mut self.assumed, usize::MAX);
        self.open.push(goal.clone());
        let mut outcome = Outcome::Closed;
        for kind in Kind::ALL {
            match self.kind(&goal, kind, None) {
                Outcome::Closed => {}
                Outcome::Open(None) => outcome = Outcome::Open(None),
                open => {
                    outcome = open;
                    break;
                }
            }
        }
        self.open.pop();
        // What rests on an assumption about an enclosing goal holds within that goal alone.
        if self.assumed >= self.open.len() {
            self.assumed = usize::MAX;
            self.settled.insert(goal, outcome.clone());
        }
        self.assumed = self.assumed.min(outside);
        outcome
    }

    /// A goal about a value of one kind.
    pub(super) fn kind(
        &mut self,
        goal: &[Literal],
        kind: Kind,
        confirm: Option<&mut dyn FnMut(&Value) -> bool>,
    ) -> Outcome {
        let branch = Branch { kind, seen: BTreeSet::new(), atoms: Vec::new(), splits: Vec::new() };
        let facts = goal.iter().rev().map(|it| Fact::Term(*it)).collect();
        let mut accept_any = |_: &Value| true;
        self.branch(branch, facts, confirm.unwrap_or(&mut accept_any))
    }

    /// Takes `facts` apart in `branch`, then looks at its alternatives.
    fn branch(
        &mut self,
        mut branch: Branch,
        facts: Vec<Fact>,
        confirm: &mut dyn FnMut(&Value) -> bool,
    ) -> Outcome {
        if !self.taken_apart(&mut branch, facts) {
            return Outcome::Closed;
        }
        if !self.budget.spend(1 + branch.seen.len() / 8) || self.splits > MAX_SPLITS {
            return Outcome::Open(None);
        }
        let mut waiting = std::mem::take(&mut branch.splits);
        for alternatives in &mut waiting {
            alternatives.retain(|facts| !contradicts(&branch, facts));
        }
        // Whatever is said twice, or holds anyway, need not be decided.
        waiting.retain(|alternatives| !alternatives.iter().any(|facts| holds(&branch, facts)));
        waiting.sort_by_key(Vec::len);
        if waiting.first().is_some_and(Vec::is_empty) {
            return Outcome::Closed;
        }
        if waiting.is_empty() {
            return match self.consistent(&branch) {
                Outcome::Open(Some(value)) if confirm(&value) => Outcome::Open(Some(value)),
                Outcome::Open(_) => Outcome::Open(None),
                Outcome::Closed => Outcome::Closed,
            };
        }
        // Many alternatives multiply; often one of them alone is contradictory.
        if waiting.len() > 3 {
            for alternatives in &waiting {
                if let Outcome::Closed = self.alternatives(&branch, alternatives, &mut |_| true) {
                    return Outcome::Closed;
                }
            }
        }
        let alternatives = waiting.remove(0);
        branch.splits = waiting;
        self.alternatives(&branch, &alternatives, confirm)
    }

    fn alternatives(
        &mut self,
        branch: &Branch,
        alternatives: &[Vec<Fact>],
        confirm: &mut dyn FnMut(&Value) -> bool,
    ) -> Outcome {
        let mut outcome = Outcome::Closed;
        self.splits += 1;
        for facts in alternatives {
            // One that is contradictory at once is copied all the same.
            if !self.budget.spend(branch.seen.len() / 64) {
                outcome = Outcome::Open(None);
                break;
            }
            match self.branch(branch.clone(), facts.clone(), confirm) {
                Outcome::Closed => {}
                Outcome::Open(None) => outcome = Outcome::Open(None),
                open => {
                    outcome = open;
                    break;
                }
            }
        }
        self.splits -= 1;
        outcome
    }

    /// Whether no contradiction shows.
    fn taken_apart(&mut self, branch: &mut Branch, mut facts: Vec<Fact>) -> bool {
        while let Some(fact) = facts.pop() {
            if let Fact::Term(literal) = fact {
                if branch.seen.contains(&(literal.0, !literal.1)) {
                    return false;
                }
                if !branch.seen.insert(literal) {
                    continue;
                }
                if !self.budget.spend(1) {
                    // Left out, which only adds values; the branch ends for want of budget.
                    continue;
                }
            }
            match self.parts(&fact, branch.kind) {
                Parts::Contradiction => return false,
                Parts::And(more) => facts.extend(more),
                Parts::Or(mut alternatives) => match alternatives.len() {
                    0 => return false,
                    1 => facts.append(&mut alternatives.remove(0)),
                    _ => branch.splits.push(alternatives),
                },
                Parts::Atom => branch.atoms.push(fact),
            }
        }
        true
    }

    fn parts(&mut self, fact: &Fact, kind: Kind) -> Parts {
        match fact {
            Fact::Term((id, true)) => self.satisfied(*id, kind),
            Fact::Term((id, false)) => self.violated(*id, kind),
            _ => Parts::Atom,
        }
    }

    fn satisfied(&mut self, id: Id, kind: Kind) -> Parts {
        let yes = |id: &Id| Fact::Term((*id, true));
        let no = |id: &Id| Fact::Term((*id, false));
        let term = self.terms.term(id);
        if kind_of(&term).is_some_and(|about| about != kind) {
            return HOLDS;
        }
        match &*term {
            Term::Anything | Term::Opaque(_) => HOLDS,
            Term::Nothing => Parts::Contradiction,
            Term::Types(kinds, _) if *kinds & kind.bit() == 0 => Parts::Contradiction,
            Term::Types(_, true) => {
                let whole = self.terms.id(Term::MultipleOf(super::terms::ONE));
                Parts::And(vec![yes(&whole)])
            }
            Term::Types(..) => HOLDS,
            Term::Listed(listed) => match kind {
                Kind::Number if listed.numbers.is_empty() => Parts::Contradiction,
                Kind::String if listed.strings.is_empty() => Parts::Contradiction,
                Kind::Number | Kind::String => Parts::Atom,
                Kind::Array => Parts::Or(listed.arrays.iter().map(|it| vec![yes(it)]).collect()),
                Kind::Object => Parts::Or(listed.objects.iter().map(|it| vec![yes(it)]).collect()),
                _ if listed.plain & kind.bit() == 0 => Parts::Contradiction,
                _ => HOLDS,
            },
            Term::All(ids) => Parts::And(ids.iter().rev().map(yes).collect()),
            Term::Any(ids) => Parts::Or(ids.iter().map(|it| vec![yes(it)]).collect()),
            // That the other branches are violated is left out where there are many.
            Term::ExactlyOne(ids) if ids.len() > 12 => {
                Parts::Or(ids.iter().map(|it| vec![yes(it)]).collect())
            }
            Term::ExactlyOne(ids) => Parts::Or(
                (0..ids.len())
                    .map(|one| {
                        let sign = |(at, id): (usize, &Id)| Fact::Term((*id, at == one));
                        ids.iter().enumerate().map(sign).collect()
                    })
                    .collect(),
            ),
            Term::Not(id) => Parts::And(vec![no(id)]),
            Term::If(condition, then, otherwise) => Parts::Or(vec![
                vec![yes(condition), yes(then)],
                vec![no(condition), yes(otherwise)],
            ]),
            Term::Definition(side, name) => {
                let id = self.terms.definition(*side, name);
                Parts::And(vec![yes(&id)])
            }
            Term::Required(name) => Parts::And(vec![self.has(name, Vec::new())]),
            Term::DependentRequired(name, names) => Parts::Or(vec![
                vec![Fact::Lacks(name.clone())],
                names.iter().map(|it| self.has(it, Vec::new())).collect(),
            ]),
            Term::Dependent(name, id) => {
                Parts::Or(vec![vec![Fact::Lacks(name.clone())], vec![yes(id)]])
            }
            Term::Contains(id, min, max) => {
                let mut all = Vec::new();
                if *min > 0 {
                    let least = self.terms.id(Term::MinItems(*min));
                    all = vec![Fact::Item(At::From(0), (*id, true)), yes(&least)];
                }
                if *max == Some(0) {
                    all.push(self.every_item(*id, false));
                } else if *min > 1 || max.is_some() {
                    all.push(Fact::Count(*id, *min, *max));
                }
                Parts::And(all)
            }
            _ => Parts::Atom,
        }
    }

    fn violated(&mut self, id: Id, kind: Kind) -> Parts {
        let yes = |id: &Id| Fact::Term((*id, true));
        let no = |id: &Id| Fact::Term((*id, false));
        let term = self.terms.term(id);
        if kind_of(&term).is_some_and(|about| about != kind) {
            return Parts::Contradiction;
        }
        match &*term {
            Term::Anything => Parts::Contradiction,
            Term::Nothing | Term::Opaque(_) => HOLDS,
            Term::Types(kinds, _) if *kinds & kind.bit() == 0 => HOLDS,
            Term::Types(_, true) => {
                let whole = self.terms.id(Term::MultipleOf(super::terms::ONE));
                Parts::And(vec![no(&whole)])
            }
            Term::Types(..) => Parts::Contradiction,
            Term::Listed(listed) => match kind {
                Kind::Number if listed.numbers.is_empty() => HOLDS,
                Kind::String if listed.strings.is_empty() => HOLDS,
                Kind::Number | Kind::String => Parts::Atom,
                Kind::Array => Parts::And(listed.arrays.iter().map(no).collect()),
                Kind::Object => Parts::And(listed.objects.iter().map(no).collect()),
                _ if listed.plain & kind.bit() == 0 => HOLDS,
                _ => Parts::Contradiction,
            },
            Term::All(ids) => Parts::Or(ids.iter().map(|it| vec![no(it)]).collect()),
            Term::Any(ids) => Parts::And(ids.iter().rev().map(no).collect()),
            // Either none matches or two do.
            Term::ExactlyOne(ids) if ids.len() > 12 => HOLDS,
            Term::ExactlyOne(ids) => {
                let mut alternatives = vec![ids.iter().map(no).collect()];
                for (index, one) in ids.iter().enumerate() {
                    for other in &ids[index + 1..] {
                        alternatives.push(vec![yes(one), yes(other)]);
                    }
                }
                Parts::Or(alternatives)
            }
            Term::Not(id) => Parts::And(vec![yes(id)]),
            Term::If(condition, then, otherwise) => {
                Parts::Or(vec![vec![yes(condition), no(then)], vec![no(condition), no(otherwise)]])
            }
            Term::Definition(side, name) => {
                let id = self.terms.definition(*side, name);
                Parts::And(vec![no(&id)])
            }
            Term::Items(prefix, rest) => {
                let item =
                    |(index, id): (usize, &Id)| vec![Fact::Item(At::Exactly(index), (*id, false))];
                let mut alternatives: Vec<Vec<Fact>> = prefix
                    .iter()
                    .enumerate()
                    .filter(|(_, id)| **id != ANYTHING)
                    .map(item)
                    .collect();
                if *rest != ANYTHING {
                    alternatives.push(vec![Fact::Item(At::From(prefix.len()), (*rest, false))]);
                }
                Parts::Or(alternatives)
            }
            Term::Contains(id, min, max) => {
                let mut alternatives = Vec::new();
                match *min {
                    0 => {}
                    1 => alternatives.push(vec![self.every_item(*id, false)]),
                    min => alternatives.push(vec![Fact::Count(*id, 0, Some(min - 1))]),
                }
                if let Some(max) = *max {
                    let more = self.terms.id(Term::MinItems(max + 1));
                    let one = Fact::Item(At::From(0), (*id, true));
                    alternatives.push(vec![one, yes(&more), Fact::Count(*id, max + 1, None)]);
                }
                Parts::Or(alternatives)
            }
            Term::Required(name) => Parts::And(vec![Fact::Lacks(name.clone())]),
            Term::Properties(properties) => {
                let mut alternatives = Vec::new();
                for (name, id) in &properties.named {
                    if *id != ANYTHING {
                        alternatives.push(vec![self.has(name, vec![(*id, false)])]);
                    }
                }
                for (pattern, id) in &properties.patterns {
                    if *id != ANYTHING {
                        let name = self.terms.id(Term::Pattern(pattern.clone()));
                        alternatives.push(vec![Fact::Has(vec![(name, true)], vec![(*id, false)])]);
                    }
                }
                if properties.rest != ANYTHING {
                    let declared = properties.named.keys().cloned().collect();
                    let mut name = vec![(self.terms.texts(declared), false)];
                    for pattern in properties.patterns.keys() {
                        name.push((self.terms.id(Term::Pattern(pattern.clone())), false));
                    }
                    alternatives.push(vec![Fact::Has(name, vec![(properties.rest, false)])]);
                }
                Parts::Or(alternatives)
            }
            Term::Names(id) => Parts::And(vec![Fact::Has(vec![(*id, false)], Vec::new())]),
            Term::DependentRequired(name, names) => {
                let has = self.has(name, Vec::new());
                let lacks = names.iter().map(|it| vec![has.clone(), Fact::Lacks(it.clone())]);
                Parts::Or(lacks.collect())
            }
            Term::Dependent(name, id) => Parts::And(vec![self.has(name, Vec::new()), no(id)]),
            _ => Parts::Atom,
        }
    }

    fn has(&mut self, name: &str, value: Vec<Literal>) -> Fact {
        Fact::Has(vec![(self.terms.text(name), true)], value)
    }

    fn every_item(&mut self, id: Id, satisfies: bool) -> Fact {
        let item = if satisfies { id } else { self.terms.not(id) };
        Fact::Term((self.terms.id(Term::Items(Vec::new(), item)), true))
    }

    /// Whether the assertions of a branch that is taken apart go together.
    fn consistent(&mut self, branch: &Branch) -> Outcome {
        match branch.kind {
            Kind::Null => Outcome::Open(Some(Value::Null)),
            Kind::False => Outcome::Open(Some(json!(false))),
            Kind::True => Outcome::Open(Some(json!(true))),
            Kind::Number => self.number(branch),
            Kind::String => self.string(branch),
            Kind::Array => self.array(branch),
            Kind::Object => self.object(branch),
        }
    }

    fn pattern(&mut self, pattern: &str) -> Option<Rc<Pattern>> {
        if let Some(known) = self.patterns.get(pattern) {
            return known.clone();
        }
        let built = Pattern::of(pattern, self.budget).map(Rc::new);
        self.patterns.insert(pattern.to_owned(), built.clone());
        built
    }
}

/// Whether an alternative is contradictory at sight.
fn contradicts(branch: &Branch, facts: &[Fact]) -> bool {
    facts.iter().any(|fact| match fact {
        Fact::Term((id, sign)) => {
            branch.seen.contains(&(*id, !sign))
                || (*id == NOTHING && *sign)
                || (*id == ANYTHING && !sign)
        }
        _ => false,
    })
}

/// Whether an alternative holds anyway.
fn holds(branch: &Branch, facts: &[Fact]) -> bool {
    facts.iter().all(|fact| match fact {
        Fact::Term(literal) => branch.seen.contains(literal),
        other => branch.atoms.contains(other),
    })
}

/// The kind that an assertion is about; it holds for every other.
fn kind_of(term: &Term) -> Option<Kind> {
    Some(match term {
        Term::AtLeast(..) | Term::AtMost(..) | Term::MultipleOf(_) => Kind::Number,
        Term::MinLength(_) | Term::MaxLength(_) | Term::Pattern(_) => Kind::String,
        Term::MinItems(_)
        | Term::MaxItems(_)
        | Term::Unique
        | Term::Items(..)
        | Term::Contains(..) => Kind::Array,
        Term::MinProperties(_)
        | Term::MaxProperties(_)
        | Term::Required(_)
        | Term::Properties(_)
        | Term::Names(_)
        | Term::DependentRequired(..)
        | Term::Dependent(..) => Kind::Object,
        _ => return None,
    })
}
