//! Which things of one side go with which of the other.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// Pairs, and what is left of either side.
pub(super) struct Paired<T> {
    pub(super) pairs: Vec<(T, T)>,
    pub(super) left: Vec<T>,
    pub(super) right: Vec<T>,
}

/// For each of `these` the first of `those` that has the same form and is not taken yet. What has
/// none goes with nothing.
pub(super) fn partners<F: Eq + Hash>(
    these: impl Iterator<Item = Option<F>>,
    those: impl Iterator<Item = Option<F>>,
) -> Vec<Option<usize>> {
    let mut free: HashMap<F, VecDeque<usize>> = HashMap::new();
    for (index, form) in those.enumerate() {
        if let Some(form) = form {
            free.entry(form).or_default().push_back(index);
        }
    }
    these.map(|form| free.get_mut(&form?)?.pop_front()).collect()
}

/// Pairs each of `these` with its partner.
pub(super) fn paired<T>(these: Vec<T>, those: Vec<T>, partners: &[Option<usize>]) -> Paired<T> {
    let mut free: Vec<Option<T>> = those.into_iter().map(Some).collect();
    let (mut pairs, mut left) = (Vec::new(), Vec::new());
    for (one, partner) in these.into_iter().zip(partners) {
        match partner.and_then(|index| free.get_mut(index)?.take()) {
            Some(other) => pairs.push((one, other)),
            None => left.push(one),
        }
    }
    Paired { pairs, left, right: free.into_iter().flatten().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(of: &[&'static str]) -> impl Iterator<Item = Option<&'static str>> {
        of.iter().map(|it| Some(*it).filter(|it| *it != "-"))
    }

    #[test]
    fn each_is_taken_once_and_in_order() {
        let (these, those) = (vec!["a", "b", "a", "a", "-"], vec!["-", "a", "c", "a"]);
        let partners = partners(forms(&these), forms(&those));
        assert_eq!(partners, [Some(1), None, Some(3), None, None]);
        let Paired { pairs, left, right } = paired(these, those, &partners);
        assert_eq!(pairs, [("a", "a"), ("a", "a")]);
        assert_eq!((left, right), (vec!["b", "a", "-"], vec!["-", "c"]));
    }
}
