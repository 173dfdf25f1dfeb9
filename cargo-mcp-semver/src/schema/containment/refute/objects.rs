//! Objects: names that have to be there or must not, and what stands under each.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Branch, Fact, Kind, Literal, Outcome, Refuter};
use crate::schema::containment::terms::{Id, Properties, Term};

/// With more patterns than this, not every combination of them is looked at.
const MAX_PATTERNS: usize = 5;
/// So many names are invented.
const MAX_INVENTED: u64 = 64;

#[derive(Default)]
struct Wanted {
    groups: Vec<Properties>,
    /// What every name has to be.
    names: Vec<Id>,
    lacks: BTreeSet<String>,
    /// Members that have to be there, by name.
    members: BTreeMap<String, Vec<Literal>>,
    /// Members that have to be there under some name.
    somewhere: Vec<(Vec<Literal>, Vec<Literal>)>,
    fewest: u64,
    most: Option<u64>,
}

/// A place for a member.
enum Place {
    Impossible,
    /// The name, and a value, as far as they are known.
    Possible(Option<(String, Value)>),
}

impl Refuter<'_, '_> {
    /// A member that has to be there is looked for under every name that is mentioned, and under
    /// any other name, for every combination of patterns that such a name can match.
    pub(super) fn object(&mut self, branch: &Branch) -> Outcome {
        let mut wanted = Wanted::default();
        for fact in &branch.atoms {
            match fact {
                Fact::Has(name, value) => match self.only_name(name) {
                    Some(name) => wanted.members.entry(name).or_default().extend(value),
                    None => wanted.somewhere.push((name.clone(), value.clone())),
                },
                Fact::Lacks(name) => {
                    wanted.lacks.insert(name.clone());
                }
                Fact::Term((id, sign)) => match (&*self.terms.term(*id), sign) {
                    (Term::MinProperties(count), true) => wanted.fewest = wanted.fewest.max(*count),
                    (Term::MaxProperties(count), true) => wanted.at_most(*count),
                    (Term::MinProperties(0), false) => return Outcome::Closed,
                    (Term::MinProperties(count), false) => wanted.at_most(count - 1),
                    (Term::MaxProperties(count), false) => {
                        wanted.fewest = wanted.fewest.max(count + 1);
                    }
                    (Term::Properties(properties), true) => wanted.groups.push(properties.clone()),
                    (Term::Names(id), true) => wanted.names.push(*id),
                    _ => {}
                },
                Fact::Item(..) | Fact::Count(..) => {}
            }
        }
        self.filled(&wanted)
    }

    fn filled(&mut self, wanted: &Wanted) -> Outcome {
        if wanted.members.keys().any(|name| wanted.lacks.contains(name)) {
            return Outcome::Closed;
        }
        let there = wanted.members.len() as u64;
        let more = u64::from(there == 0 && !wanted.somewhere.is_empty());
        if wanted.most.is_some_and(|most| most < wanted.fewest.max(there + more)) {
            return Outcome::Closed;
        }
        // What is said to be there and to be otherwise goes together least.
        let groups = wanted.groups.len();
        if !self.budget.spend(wanted.members.len() * (1 + groups)) {
            return Outcome::Open(None);
        }
        let mut members: Vec<_> = wanted.members.iter().collect();
        members.sort_by_key(|(_, value)| value.is_empty());
        for (name, value) in members {
            if let Place::Impossible = self.member(wanted, name, value) {
                return Outcome::Closed;
            }
        }
        let mut all = Some(wanted.members.clone());
        for (name, value) in &wanted.somewhere {
            match self.somewhere(wanted, name, value) {
                Place::Impossible => return Outcome::Closed,
                Place::Possible(Some((name, _))) => {
                    if let Some(all) = &mut all {
                        all.entry(name).or_default().extend(value);
                    }
                }
                Place::Possible(None) => all = None,
            }
        }
        let object = all.and_then(|all| self.built(wanted, &all));
        let missing =
            wanted.fewest.saturating_sub(object.as_ref().map_or(there, |it| it.len() as u64));
        if missing > 0 {
            return self.padded(wanted, object, missing);
        }
        Outcome::Open(object.map(Value::Object))
    }

    /// The object of these members.
    fn built(
        &mut self,
        wanted: &Wanted,
        members: &BTreeMap<String, Vec<Literal>>,
    ) -> Option<Map<String, Value>> {
        members
            .iter()
            .map(|(name, value)| match self.member(wanted, name, value) {
                Place::Possible(member) => member,
                Place::Impossible => None,
            })
            .collect()
    }

    /// Adds members until there are enough.
    fn padded(
        &mut self,
        wanted: &Wanted,
        mut object: Option<Map<String, Value>>,
        missing: u64,
    ) -> Outcome {
        let mentioned = wanted.mentioned();
        let mut names = mentioned.clone();
        if let Place::Impossible = self.elsewhere(wanted, &[], &[], &mentioned) {
            let mut possible = 0;
            for name in &mentioned {
                if let Place::Possible(_) = self.member(wanted, name, &[]) {
                    possible += 1;
                }
            }
            if possible < wanted.fewest {
                return Outcome::Closed;
            }
        } else if missing <= MAX_INVENTED {
            names.extend((0..missing).map(|index| format!("x{index}")));
        }
        for name in names {
            let Some(map) = &object else { break };
            if map.len() as u64 >= wanted.fewest {
                break;
            }
            if !map.contains_key(&name)
                && let Place::Possible(Some((name, value))) = self.member(wanted, &name, &[])
                && let Some(map) = &mut object
            {
                map.insert(name, value);
            }
        }
        Outcome::Open(object.filter(|it| it.len() as u64 >= wanted.fewest).map(Value::Object))
    }

    /// The one name that satisfies a condition on names.
    fn only_name(&self, name: &[Literal]) -> Option<String> {
        name.iter().find_map(|(id, sign)| match &*self.terms.term(*id) {
            Term::Listed(listed) if *sign && listed.strings.len() == 1 => {
                listed.strings.first().cloned()
            }
            _ => None,
        })
    }

    /// A member of this name.
    fn member(&mut self, wanted: &Wanted, name: &str, value: &[Literal]) -> Place {
        if wanted.lacks.contains(name) {
            return Place::Impossible;
        }
        if !wanted.names.is_empty() {
            let mut text: Vec<Literal> = wanted.names.iter().map(|id| (*id, true)).collect();
            text.push((self.terms.text(name), true));
            if let Outcome::Closed = self.kind(&text, Kind::String, None) {
                return Place::Impossible;
            }
        }
        let mut goal = value.to_vec();
        for group in &wanted.groups {
            let named = group.named.get(name);
            goal.extend(named.map(|id| (*id, true)));
            // Where it is not known whether a pattern matches, nothing is said.
            let (mut matches, mut known) = (false, true);
            for (pattern, id) in &group.patterns {
                match self.pattern(pattern) {
                    Some(pattern) if pattern.finds(name) => {
                        matches = true;
                        goal.push((*id, true));
                    }
                    Some(_) => {}
                    None => known = false,
                }
            }
            if named.is_none() && !matches && known {
                goal.push((group.rest, true));
            }
        }
        match self.goal(goal) {
            Outcome::Closed => Place::Impossible,
            Outcome::Open(value) => Place::Possible(value.map(|it| (name.to_owned(), it))),
        }
    }

    /// A member whose name satisfies a condition.
    fn somewhere(&mut self, wanted: &Wanted, name: &[Literal], value: &[Literal]) -> Place {
        let mentioned = wanted.mentioned();
        let mut possible = None;
        // A new name is easier to read than one that means something else.
        match self.elsewhere(wanted, name, value, &mentioned) {
            Place::Possible(Some(member)) => return Place::Possible(Some(member)),
            Place::Possible(None) => possible = Some(Place::Possible(None)),
            Place::Impossible => {}
        }
        for known in mentioned {
            let mut text = name.to_vec();
            text.push((self.terms.text(&known), true));
            if let Outcome::Closed = self.kind(&text, Kind::String, None) {
                continue;
            }
            let mut both = value.to_vec();
            both.extend(wanted.members.get(&known).into_iter().flatten());
            match self.member(wanted, &known, &both) {
                Place::Possible(Some(member)) => return Place::Possible(Some(member)),
                Place::Possible(None) => possible = Some(Place::Possible(None)),
                Place::Impossible => {}
            }
        }
        possible.unwrap_or(Place::Impossible)
    }

    /// A member whose name satisfies a condition and is none of those mentioned.
    fn elsewhere(
        &mut self,
        wanted: &Wanted,
        name: &[Literal],
        value: &[Literal],
        mentioned: &BTreeSet<String>,
    ) -> Place {
        let patterns: BTreeSet<&String> =
            wanted.groups.iter().flat_map(|group| group.patterns.keys()).collect();
        let patterns: Vec<&String> = patterns.into_iter().collect();
        if patterns.len() > MAX_PATTERNS || !self.budget.spend(mentioned.len() / 4) {
            return Place::Possible(None);
        }
        let mut possible = Place::Impossible;
        for matching in 0..1_usize << patterns.len() {
            let matches = |pattern: &String| {
                patterns
                    .iter()
                    .position(|it| *it == pattern)
                    .is_some_and(|at| matching >> at & 1 == 1)
            };
            let mut goal = value.to_vec();
            for group in &wanted.groups {
                let mut declared = group
                    .patterns
                    .iter()
                    .filter(|(it, _)| matches(it))
                    .map(|(_, id)| (*id, true))
                    .peekable();
                if declared.peek().is_none() {
                    goal.push((group.rest, true));
                }
                goal.extend(declared);
            }
            let Outcome::Open(value) = self.goal(goal) else { continue };
            let mut text = name.to_vec();
            text.push((self.terms.texts(mentioned.clone()), false));
            text.extend(wanted.names.iter().map(|id| (*id, true)));
            for pattern in &patterns {
                text.push((self.terms.id(Term::Pattern((*pattern).clone())), matches(pattern)));
            }
            match (self.kind(&text, Kind::String, None), value) {
                (Outcome::Closed, _) => {}
                (Outcome::Open(Some(Value::String(name))), Some(value)) => {
                    return Place::Possible(Some((name, value)));
                }
                _ => possible = Place::Possible(None),
            }
        }
        possible
    }
}

impl Wanted {
    fn at_most(&mut self, count: u64) {
        self.most = Some(self.most.map_or(count, |known| known.min(count)));
    }

    /// Every name that something is said of.
    fn mentioned(&self) -> BTreeSet<String> {
        let named = self.groups.iter().flat_map(|group| group.named.keys());
        named.chain(self.members.keys()).chain(&self.lacks).cloned().collect()
    }
}
