//! `anyOf` and `oneOf`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::change::Kind;
use super::distributed::Distributed;
use super::document::{Document, Located, Pointer};
use super::normal::{normal, normal_view};
use super::types::Types;
use super::view::{Union, View, text};
use super::walk::{Pair, Walk};

/// One branch of a union, read.
pub(super) struct Branch<'a> {
    pub(super) schema: Located<'a>,
    pub(super) view: View<'a>,
    form: Option<Value>,
}

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
        let mut left: Vec<&Union<'a>> = pair.old.unions.iter().collect();
        let mut unmatched: Vec<&Union<'a>> = pair.new.unions.iter().collect();
        if left.len().max(unmatched.len()) > 1 {
            unmatched.retain(|new| {
                let form = new.form(self.new);
                let same = |old: &&Union<'a>| form.is_some() && old.form(self.old) == form;
                let same = left.iter().position(same).map(|index| left.remove(index));
                same.inspect(|old| self.union(pair, old, new, false)).is_none()
            });
        }
        if left.len() == unmatched.len() {
            for (old, new) in left.into_iter().zip(unmatched) {
                self.union(pair, old, new, false);
            }
            return;
        }
        for new in unmatched {
            let detail = format!("has a further `{}` that has to hold", new.keyword());
            self.push(pair, Kind::ConstraintTightened, &new.at, detail, None, None);
        }
        for old in left {
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
        let is_one_of = |one: &View<'a>, of: &Distributed<'a>| is_plain(one) && !of.union.has(one);
        if is_one_of(pair.old, &new) || is_one_of(pair.new, &old) {
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
        let types = [all_types(self.old, &old.branches), all_types(self.new, &new.branches)];
        let (mut before, mut after) = (old.branches, new.branches);
        let matched = matched_by_form(&mut before, &mut after);
        let all_matched = before.is_empty() && after.is_empty();
        let apart = |is_exclusive: bool, left: &[Branch<'a>], right: Vec<&Branch<'a>>| {
            !is_exclusive || exclusive(left.iter().chain(right))
        };
        let lines_up = (all_matched && old.exclusive == new.exclusive)
            || (apart(old.exclusive, &before, matched.iter().map(|it| &it.0).collect())
                && apart(new.exclusive, &after, matched.iter().map(|it| &it.1).collect()));
        if !lines_up {
            let detail = "is another `oneOf`, whose variants may overlap".to_owned();
            self.push(pair, Kind::Unproven, &new.at, detail, None, None);
        }
        for (old, new) in matched {
            self.branch(pair, &old, &new, says);
        }
        // More in one of several that overlap may be less in all.
        if lines_up {
            let (gone, more) = self.paired(pair, before, after, says);
            self.unpaired(pair, gone, more, types);
        }
    }

    /// Compares branches that no branch of the other side equals with the same variant as it is
    /// there; returns those that are gone or new.
    fn paired(
        &mut self,
        pair: &Pair<'_, 'a>,
        old: Vec<Branch<'a>>,
        mut new: Vec<Branch<'a>>,
        says: Says,
    ) -> (Vec<Branch<'a>>, Vec<Branch<'a>>) {
        let mut unlike = Vec::new();
        for branch in old {
            let label = branch.label();
            let same = new.iter().position(|other| is_same(&branch.schema, &other.schema));
            match same.or_else(|| new.iter().position(|other| other.label() == label)) {
                Some(index) => self.branch(pair, &branch, &new.remove(index), says),
                None => unlike.push(branch),
            }
        }
        let single = unlike.len() == 1 && new.len() == 1;
        let mut gone = Vec::new();
        for branch in unlike {
            let alike = the_only_of_type(&new, branch.view.effective_types());
            match if single { Some(0) } else { alike } {
                Some(index) => self.branch(pair, &branch, &new.remove(index), says),
                None => gone.push(branch),
            }
        }
        (gone, new)
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
        for branch in gone.into_iter().filter(|it| !lost(it)) {
            let detail = format!("no longer has the variant {}", branch.label());
            let old = Some(branch.schema.value.clone());
            self.push(pair, Kind::EnumNarrowed, &branch.schema.at, detail, old, None);
        }
        for branch in new.into_iter().filter(|it| !gained(it)) {
            let detail = format!("has a new variant {}", branch.label());
            let new = Some(branch.schema.value.clone());
            self.push(pair, Kind::EnumWidened, &branch.schema.at, detail, None, new);
        }
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

/// The branches of a union, read.
pub(super) struct Variants<'a> {
    exclusive: bool,
    pub(super) branches: Vec<Branch<'a>>,
    at: Pointer,
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

    /// Whether a view is one of several variants, told by its tag.
    fn has(&self, view: &View<'a>) -> bool {
        let tagged = self.branches.iter().filter_map(|it| Some((it.view.tagged()?, it)));
        view.tagged().is_some_and(|tag| tagged.into_iter().any(|(of, _)| of == tag))
    }
}

impl<'a> Variants<'a> {
    pub(super) fn of(document: &Document<'a>, union: &Union<'a>) -> Self {
        let read = |schema: &Located<'a>| Branch {
            schema: schema.clone(),
            view: View::of(document, std::slice::from_ref(schema)),
            form: normal(document, std::slice::from_ref(schema)),
        };
        let branches = union.branches.iter().map(read).filter(|branch| !branch.view.never);
        Self { exclusive: union.exclusive, branches: branches.collect(), at: union.at.clone() }
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
    let name = |schema: &Located<'_>| match schema.value.as_object() {
        Some(map) if map.len() == 1 => map.get("$ref").cloned(),
        _ => None,
    };
    name(old).is_some() && name(old) == name(new)
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

/// Takes out the branches that are equal on both sides.
fn matched_by_form<'a>(
    old: &mut Vec<Branch<'a>>,
    new: &mut Vec<Branch<'a>>,
) -> Vec<(Branch<'a>, Branch<'a>)> {
    let mut matched = Vec::new();
    let mut left = Vec::new();
    for branch in old.drain(..) {
        let same = new.iter().position(|other| branch.form.is_some() && other.form == branch.form);
        match same {
            Some(index) => matched.push((branch, new.remove(index))),
            None => left.push(branch),
        }
    }
    *old = left;
    matched
}

/// The one branch of exactly these types.
fn the_only_of_type(branches: &[Branch<'_>], types: Types) -> Option<usize> {
    let mut alike = branches.iter().enumerate().filter(|it| it.1.view.effective_types() == types);
    match (alike.next(), alike.next()) {
        (Some((index, _)), None) => Some(index),
        _ => None,
    }
}

/// Whether no value can match two of these schemas, as far as can be seen from types and tags.
pub(super) fn are_apart<'a>(document: &Document<'a>, schemas: &[Located<'a>]) -> bool {
    let read = |schema: &Located<'a>| Branch {
        schema: schema.clone(),
        view: View::of(document, std::slice::from_ref(schema)),
        form: None,
    };
    let branches: Vec<Branch<'a>> = schemas.iter().map(read).collect();
    branches.iter().all(|branch| branch.view.unknown.is_none()) && exclusive(branches.iter())
}

/// Whether no value can match two branches, as far as can be seen from types and tags.
fn exclusive<'b, 'a: 'b>(branches: impl Iterator<Item = &'b Branch<'a>>) -> bool {
    let branches: Vec<&Branch<'a>> = branches.collect();
    branches.iter().enumerate().all(|(index, one)| {
        branches[index + 1..].iter().all(|other| one.excludes(other) || other.excludes(one))
    })
}

impl<'a> Branch<'a> {
    /// The same, with what stands beside the union.
    pub(super) fn beside(self, document: &Document<'a>, rest: &View<'a>, is_own: bool) -> Self {
        let mut view = rest.clone();
        view.meet_part(self.view, is_own);
        view.unevaluated_is_additional();
        Self { form: normal_view(document, &view), view, ..self }
    }

    fn excludes(&self, other: &Self) -> bool {
        let (one, two) = (self.view.effective_types(), other.view.effective_types());
        if !one.meets(two) {
            return true;
        }
        let both_objects = one == Types::OBJECT && two == Types::OBJECT;
        both_objects
            && self.view.required.keys().any(|name| {
                let refuses = || {
                    let closed = other.view.additional.as_ref();
                    closed.is_some_and(|it| *it.value == Value::Bool(false))
                        && !other.view.rest.contains_key("patternProperties")
                        && !other.view.properties.contains_key(name)
                };
                let tags = || {
                    let (one, two) = (self.view.tag(name)?, other.view.tag(name)?);
                    Some(other.view.required.contains_key(name) && one.is_disjoint(&two))
                };
                refuses() || tags() == Some(true)
            })
    }

    /// What identifies the variant to a reader.
    fn label(&self) -> String {
        if let Some(tag) = self.view.tagged() {
            return format!("`{tag}`");
        }
        if let [name] = self.view.required.keys().copied().collect::<Vec<_>>().as_slice()
            && self.view.properties.len() == 1
        {
            return format!("`{name}`");
        }
        let named = |key: &str| self.schema.value.get(key).and_then(Value::as_str);
        if let Some(title) = named("title") {
            return format!("`{title}`");
        }
        if let Some(name) = named("$ref").and_then(|it| it.rsplit('/').next()) {
            return format!("`{name}`");
        }
        match self.view.finite() {
            Some(values) => format!("`{}`", values.into_keys().collect::<Vec<_>>().join(" | ")),
            None => format!("of type {}", self.view.effective_types()),
        }
    }
}

impl<'a> View<'a> {
    /// The values that the property `name` may have, where it is written as `const` or `enum`.
    fn tag(&self, name: &str) -> Option<BTreeSet<String>> {
        let [property] = self.properties.get(name)?.as_slice() else { return None };
        let map = property.value.as_object()?;
        match (map.get("const"), map.get("enum")) {
            (Some(value), None) => Some([text(value)].into()),
            (None, Some(Value::Array(list))) => Some(list.iter().map(text).collect()),
            _ => None,
        }
    }

    /// The first property that has to have one value, with it.
    fn tagged(&self) -> Option<String> {
        self.required.keys().find_map(|name| {
            let values = self.tag(name).filter(|values| values.len() == 1)?;
            Some(format!("{name}: {}", values.into_iter().collect::<String>()))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn variants_are_apart_where_no_value_is_of_both() {
        let object = |properties: Value, required: &[&str], additional: bool| {
            json!({"type": "object", "properties": properties, "required": required,
                   "additionalProperties": additional})
        };
        let tagged =
            |tag: &str, required: &[&str]| object(json!({"kind": {"const": tag}}), required, true);
        let closed = object(json!({"b": {}}), &["b"], false);
        let a = object(json!({"a": {}}), &["a"], true);
        let mut patterned = closed.clone();
        patterned["patternProperties"] = json!({"^a": {}});
        let listed = |tags: Value| object(json!({"kind": {"enum": tags}}), &["kind"], true);
        let mut untyped = closed.clone();
        untyped.as_object_mut().unwrap().remove("type");
        for (one, other, apart) in [
            (json!({"type": "string"}), json!({"type": "null"}), true),
            (json!({"type": "number"}), json!({"type": "integer"}), false),
            (a.clone(), closed.clone(), true),
            (a.clone(), patterned, false),
            (a.clone(), untyped, false),
            (a.clone(), object(json!({"a": {}, "b": {}}), &["b"], false), false),
            (a.clone(), object(json!({"b": {}}), &["b"], true), false),
            (object(json!({"a": {}}), &[], true), closed, false),
            (tagged("x", &["kind"]), tagged("y", &["kind"]), true),
            (tagged("x", &["kind"]), tagged("x", &["kind"]), false),
            (tagged("x", &["kind"]), tagged("y", &[]), false),
            (listed(json!(["x", "y"])), tagged("z", &["kind"]), true),
            (listed(json!(["x", "y"])), tagged("y", &["kind"]), false),
            (json!({"type": "null"}), json!({"type": "string", "$ref": "https://a/"}), true),
            (json!({"type": "null"}), json!({"type": "string", "minLength": "1"}), false),
        ] {
            for pair in [json!([one, other]), json!([other, one])] {
                let document = Document::new(&pair);
                let at =
                    |index: usize| document.located(document.root().at.child(&index.to_string()));
                assert_eq!(
                    are_apart(&document, &[at(0).unwrap(), at(1).unwrap()]),
                    apart,
                    "{pair}"
                );
            }
        }
    }
}
