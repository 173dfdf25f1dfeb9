//! An object whose tag may have several values, against a union with a variant for each of some of
//! them: what it says of a value of the tag is compared with what that variant says.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::change::Kind;
use super::document::Document;
use super::path;
use super::variants::{Branch, Variants};
use super::view::View;
use super::walk::{Pair, Walk};

impl<'a> Walk<'_, 'a> {
    /// Compares an object with variants that have its tag. Returns whether that was so.
    pub(super) fn split(
        &mut self,
        pair: &Pair<'_, 'a>,
        old: &Variants<'a>,
        new: &Variants<'a>,
    ) -> bool {
        let (one, variants, is_new) = match (old.branches.as_slice(), new.branches.as_slice()) {
            ([one], [_, _, ..]) => (one, new, true),
            ([_, _, ..], [one]) => (one, old, false),
            _ => return false,
        };
        let (of_one, of_variants) = ordered(is_new, self.old, self.new);
        let Some((tag, mut left)) = tag_of((of_one, one), (of_variants, variants)) else {
            return false;
        };
        let (mut met, mut others) = (Vec::new(), Vec::new());
        for variant in &variants.branches {
            let values = values_of(of_variants, variant, tag).unwrap_or_default();
            let is_met = !values.is_disjoint(&left);
            left.retain(|value| !values.contains(value));
            if is_met { met.push(variant) } else { others.push(variant) }
        }
        let path = path::property(pair.path, tag);
        let of_tag = |of: &Branch<'a>| of.view.properties.get(tag).cloned().unwrap_or_default();
        for variant in met {
            let (old, new) = ordered(is_new, of_tag(one), of_tag(variant));
            let (old, new) = (View::of(self.old, &old), View::of(self.new, &new));
            let place = Pair { path: &path, old: &old, new: &new };
            self.texts(&place);
            self.default(&place);
            let (old, new) = ordered(is_new, without(&one.view, tag), without(&variant.view, tag));
            self.assertions(&Pair { path: pair.path, old: &old, new: &new });
        }
        let (fewer, more) = (Kind::EnumNarrowed, Kind::EnumWidened);
        for variant in others {
            self.variant(pair, if is_new { more } else { fewer }, variant);
        }
        if !left.is_empty() {
            let values = left.iter().cloned().collect::<Vec<_>>().join(", ");
            let (kind, detail) = match is_new {
                true => (fewer, format!("no longer has {values} among its values")),
                false => (more, format!("has {values} among its values now")),
            };
            let at = of_tag(one).first().map_or(pair.new.written.clone(), |it| it.at.clone());
            let listed = left.iter().filter_map(|it| serde_json::from_str::<Value>(it).ok());
            let listed: Value = listed.collect();
            let shows = Some(json!({ "enum": listed }));
            let (old, new) = ordered(is_new, Some(listed), None);
            let place = Pair { path: &path, ..*pair };
            self.push(&place, kind, &at, detail, old, new).shown_by(shows);
        }
        true
    }
}

/// What the object has and what the variants have, as what was and what is.
fn ordered<T>(is_new: bool, one: T, variants: T) -> (T, T) {
    if is_new { (one, variants) } else { (variants, one) }
}

/// The property that may have several values, of which the variants have other ones each and at
/// least two some; with those values. It has to be there in all of them or in none.
fn tag_of<'a>(
    (document, one): (&Document<'a>, &Branch<'a>),
    (of_variants, variants): (&Document<'a>, &Variants<'a>),
) -> Option<(&'a str, BTreeSet<String>)> {
    one.view.properties.keys().find_map(|name| {
        let values = values_of(document, one, name).filter(|values| values.len() > 1)?;
        let is_required = |of: &Branch<'a>| of.view.required.contains_key(name);
        let (mut seen, mut met) = (BTreeSet::new(), 0);
        for variant in &variants.branches {
            let own = values_of(of_variants, variant, name)?;
            met += usize::from(!own.is_disjoint(&values));
            if is_required(one) != is_required(variant)
                || !own.is_subset(&values) && !own.is_disjoint(&values)
                || !own.into_iter().all(|value| seen.insert(value))
            {
                return None;
            }
        }
        (met > 1).then_some((*name, values))
    })
}

/// The values that a property may have, where they are listed.
fn values_of<'a>(document: &Document<'a>, of: &Branch<'a>, name: &str) -> Option<BTreeSet<String>> {
    let property = View::of(document, of.view.properties.get(name)?);
    Some(property.finite()?.into_keys().collect())
}

/// A view without what it says of one property.
fn without<'a>(view: &View<'a>, name: &str) -> View<'a> {
    let mut view = View { complete: false, ..view.clone() };
    view.properties.remove(name);
    view.required.remove(name);
    view
}

#[cfg(test)]
mod tests {
    use crate::schema::change::Direction;
    use crate::schema::differences;

    use super::*;

    #[test]
    fn what_is_said_of_the_tag_and_of_the_object_is_compared_with_each_variant() {
        let whole = |it: Value| json!({"type": "object", "properties": {"p": it}});
        let object = |tag: Value| json!({"properties": {"k": tag}, "required": ["k"]});
        let told = json!({"enum": ["a", "b"], "description": "which"});
        let tagged = |tag: &str, said: Option<&str>| match said {
            Some(said) => object(json!({"const": tag, "description": said})),
            None => object(json!({ "const": tag })),
        };
        let old = whole(object(told));
        for (said, expected) in [
            ([Some("which"), Some("which")], &[][..]),
            ([Some("which"), Some("whether")], &[Kind::DescriptionChanged]),
            ([None, Some("which")], &[Kind::DescriptionRemoved]),
        ] {
            let variants = [tagged("a", said[0]), tagged("b", said[1])];
            let new = whole(json!({ "anyOf": variants }));
            let changes = differences(&old, &new, Direction::Input);
            let kinds: Vec<(Kind, &str)> =
                changes.iter().map(|it| (it.kind, it.path.as_str())).collect();
            let expected: Vec<(Kind, &str)> = expected.iter().map(|it| (*it, "p.k")).collect();
            assert_eq!(kinds, expected, "{new}");
        }
    }
}
