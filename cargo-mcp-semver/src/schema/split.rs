//! An object whose tag may have several values, against a union with a variant for each of some of
//! them: what it says of a value of the tag is compared with what that variant says.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::change::Kind;
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
        let Some((tag, mut left)) = tag_of(one, variants) else { return false };
        let (mut gone, mut more) = (Vec::new(), Vec::new());
        let rest = without(&one.view, tag);
        for variant in &variants.branches {
            let values = variant.view.tag(tag).unwrap_or_default();
            if values.is_disjoint(&left) {
                if is_new {
                    more.push(variant)
                } else {
                    gone.push(variant)
                }
                continue;
            }
            left.retain(|value| !values.contains(value));
            let variant = without(&variant.view, tag);
            let (old, new) = if is_new { (&rest, &variant) } else { (&variant, &rest) };
            self.view(&Pair { old, new, ..*pair });
        }
        for (variants, kind) in [(gone, Kind::EnumNarrowed), (more, Kind::EnumWidened)] {
            variants.into_iter().for_each(|it| self.variant(pair, kind, it));
        }
        if !left.is_empty() {
            let values: Vec<&str> = left.iter().map(String::as_str).collect();
            let values = values.join(", ");
            let (kind, detail) = match is_new {
                true => (Kind::EnumNarrowed, format!("no longer has {values} among its values")),
                false => (Kind::EnumWidened, format!("has {values} among its values now")),
            };
            let path = path::property(pair.path, tag);
            let place = Pair { path: &path, ..*pair };
            let at = one.view.properties.get(tag).and_then(|it| it.first());
            let at = at.map_or(&pair.new.written, |it| &it.at).clone();
            let listed: Value =
                left.iter().filter_map(|it| serde_json::from_str::<Value>(it).ok()).collect();
            let shows = Some(json!({ "enum": listed }));
            let (old, new) = if is_new { (Some(listed), None) } else { (None, Some(listed)) };
            self.push(&place, kind, &at, detail, old, new).shown_by(shows);
        }
        true
    }
}

/// The property that has to be there and may have several values, of which the variants have other
/// ones each and at least two some; with those values.
fn tag_of<'a>(one: &Branch<'a>, variants: &Variants<'a>) -> Option<(&'a str, BTreeSet<String>)> {
    one.view.required.keys().find_map(|name| {
        let values = one.view.tag(name).filter(|values| values.len() > 1)?;
        let (mut seen, mut met) = (BTreeSet::new(), 0);
        for variant in &variants.branches {
            let own =
                variant.view.tag(name).filter(|_| variant.view.required.contains_key(name))?;
            met += usize::from(!own.is_disjoint(&values));
            if !own.is_subset(&values) && !own.is_disjoint(&values)
                || !own.into_iter().all(|value| seen.insert(value))
            {
                return None;
            }
        }
        (met > 1).then_some((*name, values))
    })
}

/// A view without what it says of one property.
fn without<'a>(view: &View<'a>, name: &str) -> View<'a> {
    let mut view = View { complete: false, ..view.clone() };
    view.properties.remove(name);
    view.required.remove(name);
    view
}
