//! The pairs of schemas that a walk meets, and every place at which each of them stands.
//!
//! A pair is compared once, however many places lead to it; what is found there is said of all of
//! them afterwards.

use std::collections::{BTreeSet, VecDeque};

use super::path;

/// So many places of one pair are named.
const MAX_PLACES: usize = 100;
/// So many steps are gone back from one pair in search of its places.
const MAX_STEPS: usize = 1_000;
/// The same for all pairs of one walk.
const MAX_STEPS_IN_ALL: usize = 100_000;

/// Index of a pair, or of a change.
pub(super) type Index = usize;

/// What is met in the course of one pair, in reading order.
enum Met {
    Pair(Index),
    Change(Index),
}

struct Node {
    /// The place at which it was met first, which is one of the nearest to the root.
    path: String,
    /// The pairs that lead here, and by which path.
    from: Vec<(Index, String)>,
    met: Vec<Met>,
}

/// Pairs by the pairs that lead to them.
pub(super) struct Places {
    /// The first one stands for the whole, from where everything is met.
    nodes: Vec<Node>,
    steps: usize,
}

/// What everything is met from.
pub(super) const WHOLE: Index = 0;

impl Places {
    pub(super) fn new() -> Self {
        let mut places = Self { nodes: Vec::new(), steps: 0 };
        places.add("");
        places
    }

    /// Takes a pair that was met at `path` for the first time.
    pub(super) fn add(&mut self, path: &str) -> Index {
        self.nodes.push(Node { path: path.to_owned(), from: Vec::new(), met: Vec::new() });
        self.nodes.len() - 1
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn path(&self, pair: Index) -> &str {
        &self.nodes[pair].path
    }

    /// Notes that `path`, below the pair `from`, leads to `pair`.
    pub(super) fn link(&mut self, from: Index, path: &str, pair: Index) {
        let below = self.below(from, path);
        let node = &mut self.nodes[pair];
        let is_first = node.from.is_empty();
        if !node.from.iter().any(|(known, by)| *known == from && *by == below) {
            node.from.push((from, below));
        }
        if is_first {
            self.nodes[from].met.push(Met::Pair(pair));
        }
    }

    /// Notes that a change was found in the course of a pair.
    pub(super) fn found(&mut self, pair: Index, change: Index) {
        self.nodes[pair].met.push(Met::Change(change));
    }

    /// `path` as seen from the place of a pair.
    pub(super) fn below(&self, pair: Index, path: &str) -> String {
        path.strip_prefix(self.path(pair)).unwrap_or_default().to_owned()
    }

    /// Changes in the order in which the schemas are read.
    pub(super) fn in_order(&self) -> Vec<Index> {
        let mut order = Vec::new();
        let mut open = vec![Met::Pair(WHOLE)];
        while let Some(next) = open.pop() {
            match next {
                Met::Change(change) => order.push(change),
                Met::Pair(pair) => {
                    open.extend(self.nodes[pair].met.iter().rev().map(|it| match it {
                        Met::Pair(pair) => Met::Pair(*pair),
                        Met::Change(change) => Met::Change(*change),
                    }))
                }
            }
        }
        order
    }

    /// The places of a pair, the nearest to the root first. Of those that lead through one pair
    /// twice, as in a schema that contains itself, and of a great many, not all.
    pub(super) fn of(&mut self, pair: Index) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = VecDeque::from([(String::new(), vec![pair])]);
        let mut left = MAX_STEPS.min(MAX_STEPS_IN_ALL.saturating_sub(self.steps));
        while let Some((below, way)) = open.pop_front() {
            let Some(first) = way.last().copied() else { continue };
            if first == WHOLE {
                found.push(below);
                if found.len() == MAX_PLACES {
                    break;
                }
                continue;
            }
            for (from, by) in self.nodes[first].from.iter().filter(|(from, _)| !way.contains(from))
            {
                let Some(rest) = left.checked_sub(1) else { break };
                (left, self.steps) = (rest, self.steps + 1);
                let mut way = way.clone();
                way.push(*from);
                open.push_back((path::under(by, &below), way));
            }
        }
        if found.is_empty() {
            found.push(self.nodes[pair].path.clone());
        }
        found.sort_by_key(|place| path::depth(place));
        let mut seen = BTreeSet::new();
        found.retain(|place| seen.insert(place.clone()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_a_pair_is_a_place_and_cycles_end() {
        let mut places = Places::new();
        let (root, list, leaf) = (places.add(""), places.add("a"), places.add("a[]"));
        places.link(WHOLE, "", root);
        places.link(root, "a", list);
        places.link(root, "b.c", list);
        places.link(list, "a[]", leaf);
        places.link(leaf, "a[].up", list);
        places.link(root, "a", list);
        assert_eq!(places.of(root), [""]);
        assert_eq!(places.of(list), ["a", "b.c"]);
        assert_eq!(places.of(leaf), ["a[]", "b.c[]"]);
        places.found(leaf, 0);
        places.found(root, 1);
        assert_eq!(places.in_order(), [0, 1]);
    }

    #[test]
    fn of_a_great_many_places_some_are_named() {
        let mut places = Places::new();
        for _ in 1..200 {
            places.add("x");
        }
        for one in 0..200 {
            (1..200).for_each(|other| places.link(one, &format!("x.p{other}"), other));
        }
        let named = places.of(7).len();
        assert!(1 < named && named <= MAX_PLACES, "{named}");
        (1..200).for_each(|pair| assert!(!places.of(pair).is_empty()));
        assert!(places.steps <= MAX_STEPS_IN_ALL);
    }
}
