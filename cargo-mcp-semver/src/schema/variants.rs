//! The variants of a union, and which of two unions go together.

use std::cmp::Reverse;
use std::collections::HashSet;

use serde_json::Value;

use super::document::{Document, Located, Pointer};
use super::normal::{normal, normal_view};
use super::pairing::{Paired, paired, partners};
use super::types::Types;
use super::view::{Union, View, text};

/// So many variants of one side are compared with each of the other.
const MAX_ALIKE: usize = 100;

/// One branch of a union, read.
pub(super) struct Branch<'a> {
    pub(super) schema: Located<'a>,
    pub(super) view: View<'a>,
    pub(super) form: Option<Value>,
}

/// The branches of a union, read.
pub(super) struct Variants<'a> {
    pub(super) exclusive: bool,
    pub(super) branches: Vec<Branch<'a>>,
    pub(super) at: Pointer,
}

impl<'a> Variants<'a> {
    /// What is no union, as one of one variant.
    pub(super) fn one(document: &Document<'a>, view: &View<'a>) -> Option<Self> {
        let branch = Branch {
            schema: document.located(view.at.clone())?,
            form: normal_view(document, view),
            view: view.clone(),
        };
        Some(Self { exclusive: false, branches: vec![branch], at: view.at.clone() })
    }

    /// Whether a variant is one of several, by its tag or by all that it says, or also by `names`:
    /// one of them has all of its own.
    pub(super) fn has(&self, one: &Branch<'a>, by_names: bool) -> bool {
        let tag = one.view.tagged();
        let names = &one.view.properties;
        self.branches.iter().any(|it| {
            (tag.is_some() && it.view.tagged() == tag)
                || (one.form.is_some() && it.form == one.form)
                || (by_names && names.keys().all(|name| it.view.properties.contains_key(name)))
        })
    }

    pub(super) fn of(document: &Document<'a>, union: &Union<'a>) -> Self {
        let read = |schema: &Located<'a>| Branch {
            schema: schema.clone(),
            view: View::of(document, std::slice::from_ref(schema)),
            form: normal(document, std::slice::from_ref(schema)),
        };
        // To match what is written twice is to match it, unless it has to be matched once.
        let mut seen = HashSet::new();
        let once = union.branches.iter().filter(|it| union.exclusive || seen.insert(it.value));
        let branches = once.map(read).filter(|branch| !branch.view.never);
        Self { exclusive: union.exclusive, branches: branches.collect(), at: union.at.clone() }
    }
}

impl<'a> Branch<'a> {
    pub(super) fn view(&self) -> &View<'a> {
        &self.view
    }

    /// The same, with what stands beside the union.
    pub(super) fn beside(self, document: &Document<'a>, rest: &View<'a>, is_own: bool) -> Self {
        let mut view = rest.clone();
        view.meet_part(self.view, is_own);
        view.unevaluated_is_additional();
        Self { form: normal_view(document, &view), view, ..self }
    }

    /// What identifies the variant to a reader, or its type.
    pub(super) fn label(&self) -> String {
        match self.name() {
            Some(name) => format!("`{name}`"),
            None => {
                let format = self.view.rest.get("format").map(|it| text(it.value));
                let format = format.map_or(String::new(), |it| format!(" and format {it}"));
                format!("of type {}{format}", self.view.effective_types())
            }
        }
    }

    /// What identifies the variant to a reader.
    fn name(&self) -> Option<String> {
        let only_name = || {
            let mut required = self.view.required.keys();
            let name = required.next().filter(|_| self.view.properties.len() <= 1)?;
            required.next().is_none().then(|| (*name).to_owned())
        };
        let named = |key: &str| self.schema.value.get(key).and_then(Value::as_str);
        let values = || Some(self.view.finite()?.into_keys().collect::<Vec<_>>().join(" | "));
        self.view
            .tagged()
            .or_else(only_name)
            .or_else(|| named("title").map(str::to_owned))
            .or_else(|| named("$ref")?.rsplit('/').next().map(str::to_owned))
            .or_else(values)
    }
}

/// The definition that a schema is nothing but.
pub(super) fn definition<'a>(schema: &Located<'a>) -> Option<&'a Value> {
    schema.value.as_object().filter(|map| map.len() == 1)?.get("$ref")
}

/// Pairs variants that no variant of the other side equals with the same variant as it is there:
/// with the same definition, or that readers identify alike, or that shares most names, or else with
/// the only one of its type, or the only one left.
pub(super) fn alike<'a>(old: Vec<Branch<'a>>, new: Vec<Branch<'a>>) -> Paired<Branch<'a>> {
    let mut all = Paired { pairs: Vec::new(), left: old, right: new };
    all.pair_by(|it| definition(&it.schema).map(Value::to_string));
    all.pair_by(Branch::name);
    let names = by_names(&all.left, &all.right);
    all.pair(&names);
    all.pair_by(|it| it.view.properties.is_empty().then(|| it.label()));
    let partners = match (all.left.as_slice(), all.right.as_slice()) {
        // What has no name may be the other with another type.
        ([one], [other]) if one.name().is_none() || other.name().is_none() => vec![Some(0)],
        (left, right) => only_of_type(left, right),
    };
    all.pair(&partners);
    all
}

impl<'a> Paired<Branch<'a>> {
    fn pair(&mut self, partners: &[Option<usize>]) {
        let (left, right) = (std::mem::take(&mut self.left), std::mem::take(&mut self.right));
        let more = paired(left, right, partners);
        self.pairs.extend(more.pairs);
        (self.left, self.right) = (more.left, more.right);
    }

    fn pair_by(&mut self, key: impl Fn(&Branch<'a>) -> Option<String>) {
        let partners = partners(self.left.iter().map(&key), self.right.iter().map(&key));
        self.pair(&partners);
    }
}

/// Partners that share more than half of the names that one of them declares; those that share
/// most of all their names first. Variants with different tags are different.
fn by_names(left: &[Branch<'_>], right: &[Branch<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; left.len()];
    if left.len().max(right.len()) > MAX_ALIKE {
        return partners;
    }
    let mut all = Vec::new();
    for (of_left, one) in left.iter().enumerate() {
        for (of_right, other) in right.iter().enumerate() {
            let (ours, theirs) = (&one.view.properties, &other.view.properties);
            let shared = ours.keys().filter(|name| theirs.contains_key(*name)).count();
            let are_two = one.view.tagged().is_some() && other.view.tagged().is_some();
            if shared * 2 > ours.len().min(theirs.len()) && !are_two {
                let share = shared * 1_000 / (ours.len() + theirs.len() - shared);
                all.push((Reverse(share), of_left, of_right));
            }
        }
    }
    all.sort_unstable();
    let mut taken = HashSet::new();
    for (_, of_left, of_right) in all {
        if partners[of_left].is_none() && taken.insert(of_right) {
            partners[of_left] = Some(of_right);
        }
    }
    partners
}

/// The partner of the first of each type, where the other side has just one of that type.
fn only_of_type(left: &[Branch<'_>], right: &[Branch<'_>]) -> Vec<Option<usize>> {
    let types = |it: &Branch<'_>| it.view.effective_types();
    let right: Vec<Types> = right.iter().map(types).collect();
    let mut taken = HashSet::new();
    let partner = |of: Types| {
        let mut alike = right.iter().enumerate().filter(|(_, types)| **types == of);
        let (index, _) = alike.next().filter(|_| alike.next().is_none())?;
        taken.insert(index).then_some(index)
    };
    left.iter().map(types).map(partner).collect()
}
