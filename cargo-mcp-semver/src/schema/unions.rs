//! `anyOf` and `oneOf`.

use serde_json::Value;

use super::apart::exclusive;
use super::change::Kind;
use super::distributed::Distributed;
use super::document::{Document, Located};
use super::normal::normal_view;
use super::pairing::{Paired, paired, partners};
use super::types::Types;
use super::variants::{Branch, Variants, alike, definition};
use super::view::{Union, View};
use super::walk::{Pair, Walk};

/// What a branch says of its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// What is written there.
    All,
    /// The words were compared with those of the other side, if it is taken for a union of one.
    Values,
    /// What is written there, and what stands beside the union.
    Beside,
}

impl<'a> Walk<'_, 'a> {
    /// Compares unions that stand side by side: those that are alike with each other, and what is
    /// left of either side in order.
    pub(super) fn unions(&mut self, pair: &Pair<'_, 'a>) {
        let (old, new): (Vec<_>, Vec<_>) =
            (pair.old.unions.iter().collect(), pair.new.unions.iter().collect());
        let partners = match old.len().max(new.len()) > 1 {
            true => partners(
                new.iter().map(|union| union.form(self.new)),
                old.iter().map(|union| union.form(self.old)),
            ),
            false => vec![None; new.len()],
        };
        let Paired { mut pairs, left: mut new, right: mut old } = paired(new, old, &partners);
        if old.len() == new.len() {
            pairs.extend(new.drain(..).zip(old.drain(..)));
        }
        for (new, old) in pairs {
            self.union(pair, old, new, false);
        }
        for new in new {
            let detail = format!("has a further `{}` that has to hold", new.keyword());
            self.push(pair, Kind::ConstraintTightened, &new.at, detail, None, None);
        }
        for old in old {
            let detail = format!("has one `{}` less that has to hold", old.keyword());
            self.push(pair, self.less(), &old.at, detail, None, None);
        }
    }

    /// A view without a union against one that is nothing but a union counts as a union of one.
    /// Returns whether that was so.
    pub(super) fn lifted(
        &mut self,
        pair: &Pair<'_, 'a>,
        old: &[Located<'a>],
        new: &[Located<'a>],
    ) -> bool {
        let alone = |parts: &[Located<'a>]| match parts {
            [one] => Some(one.clone()),
            _ => None,
        };
        if let Some((union, one)) = among(only_union(pair.old), alone(old), alone(new)) {
            self.union(pair, &union, &one, true);
            return true;
        }
        if let Some((union, one)) = among(only_union(pair.new), alone(new), alone(old)) {
            self.union(pair, &one, &union, true);
            return true;
        }
        let plain = |view: &View<'a>| view.unions.is_empty();
        let types = |document, view: &View<'a>| only_union(view)?.folded_types(document);
        match (types(self.old, pair.old), types(self.new, pair.new)) {
            (Some(old), Some(new)) => {
                self.assertions(&Pair { old: &old, new: &new, ..*pair });
                return true;
            }
            (Some(old), None) if plain(pair.new) => {
                self.assertions(&Pair { old: &old, ..*pair });
                return true;
            }
            (None, Some(new)) if plain(pair.old) => {
                self.assertions(&Pair { new: &new, ..*pair });
                return true;
            }
            _ => {}
        }
        if self.freed(pair) || self.distributed(pair) {
            return true;
        }
        match (only_union(pair.old), only_union(pair.new), alone(old), alone(new)) {
            (None, Some(union), Some(branch), _) if pair.old.unions.is_empty() => {
                let at = pair.old.at.clone();
                let one = Union { exclusive: false, branches: vec![branch], at };
                self.union(pair, &one, union, true);
                true
            }
            (Some(union), None, _, Some(branch)) if pair.new.unions.is_empty() => {
                let at = pair.new.at.clone();
                let one = Union { exclusive: false, branches: vec![branch], at };
                self.union(pair, union, &one, true);
                true
            }
            _ => false,
        }
    }

    /// A union against what accepts everything. Returns whether that was so.
    fn freed(&mut self, pair: &Pair<'_, 'a>) -> bool {
        let detail = match (only_union(pair.old), only_union(pair.new)) {
            (Some(_), _) if pair.new.says_nothing() => "is no longer limited to its variants",
            (_, Some(_)) if pair.old.says_nothing() => "is limited to variants now",
            _ => return false,
        };
        self.push(pair, Kind::Unproven, &pair.new.written, detail.to_owned(), None, None);
        true
    }

    /// Unions of which one has in each variant what stands beside the other.
    fn distributed(&mut self, pair: &Pair<'_, 'a>) -> bool {
        let asks = |view: &View<'a>| view.rest.contains_key("unevaluatedProperties");
        let is_alone = |view: &View<'a>| only_union(view).is_some();
        let is_plain = |view: &View<'a>| view.unions.is_empty();
        let is_alike = asks(pair.old) == asks(pair.new)
            && is_alone(pair.old) == is_alone(pair.new)
            && is_plain(pair.old) == is_plain(pair.new);
        let is_read = |view: &View<'a>| view.unknown.is_none() && !view.never;
        // That is taken for a union of one.
        let is_lifted = |one, other| is_plain(one) && is_alone(other);
        let is_lifted = is_lifted(pair.old, pair.new) || is_lifted(pair.new, pair.old);
        let is_declared_alike = pair.old.properties.keys().eq(pair.new.properties.keys());
        if (is_alike && is_declared_alike) || is_lifted || !is_read(pair.old) || !is_read(pair.new)
        {
            return false;
        }
        let (old, new) = (pair.old.distributed(self.old), pair.new.distributed(self.new));
        let (Some(old), Some(new)) = (old, new) else { return false };
        let moves_to = |from: &View<'a>, beside: &View<'a>, to: &Distributed<'a>| {
            let mut gone = from.properties.keys().filter(|it| !beside.properties.contains_key(*it));
            gone.any(|it| to.union.branches.iter().any(|to| to.view.properties.contains_key(it)))
        };
        let moves = moves_to(pair.old, pair.new, &new) || moves_to(pair.new, pair.old, &old);
        if is_alike && (is_plain(pair.old) || !moves) {
            return false;
        }
        let is_other = |one: &Distributed<'a>, of: &Distributed<'a>| {
            one.is_lifted && !one.union.branches.iter().all(|it| of.union.has(it, moves))
        };
        if is_other(&old, &new) || is_other(&new, &old) {
            return false;
        }
        let is_exact = old.is_exact && new.is_exact;
        self.variants(pair, old.union, new.union, Says::Beside);
        if !is_exact {
            let detail = "has another reading of values that match several variants".to_owned();
            self.push(pair, Kind::Unproven, &pair.new.written, detail, None, None);
        }
        true
    }

    fn union(&mut self, pair: &Pair<'_, 'a>, old: &Union<'a>, new: &Union<'a>, lifted: bool) {
        let says = if lifted { Says::Values } else { Says::All };
        let (old, new) = (Variants::of(self.old, old), Variants::of(self.new, new));
        self.variants(pair, old, new, says);
    }

    fn variants(&mut self, pair: &Pair<'_, 'a>, old: Variants<'a>, new: Variants<'a>, says: Says) {
        if self.split(pair, &old, &new) {
            return;
        }
        let types = [all_types(self.old, &old.branches), all_types(self.new, &new.branches)];
        let partners = partners(
            old.branches.iter().map(|it| it.form.as_ref()),
            new.branches.iter().map(|it| it.form.as_ref()),
        );
        let all_matched =
            old.branches.len() == new.branches.len() && partners.iter().all(Option::is_some);
        let apart =
            |of: &Variants<'a>| !of.exclusive || exclusive(of.branches.iter().map(Branch::view));
        let lines_up =
            (all_matched && old.exclusive == new.exclusive) || (apart(&old) && apart(&new));
        let Paired { pairs, left, right } = paired(old.branches, new.branches, &partners);
        if !lines_up {
            let detail = "is another `oneOf`, whose variants may overlap".to_owned();
            self.push(pair, Kind::Unproven, &new.at, detail, None, None);
        }
        for (old, new) in pairs {
            self.branch(pair, &old, &new, says);
        }
        // More in one of several that overlap may be less in all.
        if lines_up {
            let Paired { pairs, left: gone, right: more } = alike(left, right);
            for (old, new) in pairs {
                self.branch(pair, &old, &new, says);
            }
            self.unpaired(pair, gone, more, types);
        }
    }

    /// Records variants that are gone or new.
    fn unpaired(
        &mut self,
        pair: &Pair<'_, 'a>,
        gone: Vec<Branch<'a>>,
        new: Vec<Branch<'a>>,
        [old_types, new_types]: [Types; 2],
    ) {
        // A type that comes or goes does so whether it is listed or has a variant of its own.
        let lost = |branch: &Branch<'a>| !branch.view.effective_types().meets(new_types);
        let gained = |branch: &Branch<'a>| !branch.view.effective_types().meets(old_types);
        if gone.iter().any(lost) || new.iter().any(gained) {
            self.types_moved(pair, old_types, new_types);
        }
        for branch in gone.iter().filter(|it| !lost(it)) {
            self.variant(pair, Kind::EnumNarrowed, branch);
        }
        for branch in new.iter().filter(|it| !gained(it)) {
            self.variant(pair, Kind::EnumWidened, branch);
        }
    }

    /// Records a variant that is gone or new.
    pub(super) fn variant(&mut self, pair: &Pair<'_, 'a>, kind: Kind, branch: &Branch<'a>) {
        let value = Some(branch.schema.value.clone());
        let (detail, old, new) = match kind {
            Kind::EnumNarrowed => ("no longer has the variant", value, None),
            _ => ("has a new variant", None, value),
        };
        let detail = format!("{detail} {}", branch.label());
        self.push(pair, kind, &branch.schema.at, detail, old, new);
    }

    /// Compares a variant with itself.
    fn branch(&mut self, pair: &Pair<'_, 'a>, old: &Branch<'a>, new: &Branch<'a>, says: Says) {
        let views = Pair { path: pair.path, old: &old.view, new: &new.view };
        match says {
            Says::Beside => self.view(&views),
            Says::Values if !is_same(&old.schema, &new.schema) => self.assertions(&views),
            _ => {
                let (old, new) = (old.schema.clone(), new.schema.clone());
                self.schemas(&[old], &[new], pair.path);
            }
        }
    }
}

/// The one union that a view consists of.
fn only_union<'v, 'a>(view: &'v View<'a>) -> Option<&'v Union<'a>> {
    let [union] = view.unions.as_slice() else { return None };
    view.says_only_unions().then_some(union)
}

/// The types that any of the branches accepts.
fn all_types<'a>(document: &Document<'a>, branches: &[Branch<'a>]) -> Types {
    let of = |view: &View<'a>| {
        let types = only_union(view).and_then(|union| union.folded_types(document));
        types.map_or_else(|| view.effective_types(), |folded| folded.types)
    };
    branches.iter().fold(Types::NONE, |all, branch| all.or(of(&branch.view)))
}

/// What a union of one variant says, which says what the variant does.
fn referring(schema: Located<'_>) -> Located<'_> {
    let only = schema.value.as_object().filter(|map| map.len() == 1);
    let inside = ["anyOf", "oneOf", "allOf"].iter().find_map(|keyword| {
        let [value] = only?.get(*keyword)?.as_array()?.as_slice() else { return None };
        Some(Located { value, at: schema.at.child(keyword).child("0") })
    });
    inside.map_or(schema, referring)
}

/// A union, written as `whole`, and `other` as a union of one, where that is a definition which is
/// one of several variants: not where the union is that definition and comes back to itself.
fn among<'a>(
    union: Option<&Union<'a>>,
    whole: Option<Located<'a>>,
    other: Option<Located<'a>>,
) -> Option<(Union<'a>, Union<'a>)> {
    let (union, one) = (union?, referring(other?));
    let is_among = union.branches.len() > 1 && union.branches.iter().any(|it| is_same(it, &one));
    let one_more = Union { exclusive: false, at: one.at.clone(), branches: vec![one.clone()] };
    (is_among && !is_same(&whole?, &one)).then(|| (union.clone(), one_more))
}

/// Whether both are nothing but one definition, as it is now and as it was.
fn is_same(old: &Located<'_>, new: &Located<'_>) -> bool {
    definition(old).is_some() && definition(old) == definition(new)
}

impl<'a> Union<'a> {
    fn keyword(&self) -> &'static str {
        if self.exclusive { "oneOf" } else { "anyOf" }
    }

    /// The normal form of the union alone.
    fn form(&self, document: &Document<'a>) -> Option<Value> {
        let alone = View { unions: vec![self.clone()], ..View::anything(self.at.clone()) };
        normal_view(document, &alone)
    }
}
