//! Properties that went on under another name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::document::Document;
use super::normal::normal;
use super::view::{View, text};

/// More candidates than this are not compared with each other.
const MAX_CANDIDATES: usize = 10_000;

/// What a property is but for its name.
#[derive(PartialEq)]
struct Trait<'a> {
    form: Value,
    description: Option<&'a Value>,
    /// Those that are told, by their text.
    defaults: Vec<String>,
}

/// Removed properties by the added one that has the same schema: the only one that is spelt with
/// the same letters, as in another case, or described in the same words, or the only one, unless its description is of something else.
pub(super) fn renamed<'a>(
    old_document: &Document<'a>,
    old: &View<'a>,
    new_document: &Document<'a>,
    new: &View<'a>,
) -> BTreeMap<&'a str, &'a str> {
    let names = |view: &View<'a>, other: &View<'a>| -> Vec<&'a str> {
        let names = view.properties.keys().copied();
        names.filter(|name| !other.properties.contains_key(name)).collect()
    };
    let (gone, added) = (names(old, new), names(new, old));
    if gone.is_empty() || added.is_empty() || gone.len() * added.len() > MAX_CANDIDATES {
        return BTreeMap::new();
    }
    let gone = traits(old_document, old, gone);
    let added = traits(new_document, new, added);
    let the_only = |alike: &dyn Fn(&str, &Trait<'a>) -> bool| -> Option<&'a str> {
        let rivals = gone.iter().filter(|(name, it)| alike(name, it)).count();
        let mut targets = added.iter().filter(|(name, it)| alike(name, it));
        match (rivals, targets.next(), targets.next()) {
            (1, Some((name, _)), None) => Some(*name),
            _ => None,
        }
    };
    gone.iter()
        .filter_map(|(name, it)| {
            let is_same =
                |other: &Trait<'a>| other.form == it.form && other.defaults == it.defaults;
            let respelt = the_only(&|to, other| is_same(other) && letters(to) == letters(name));
            let in_same_words = || the_only(&|_, other| it.description.is_some() && other == it);
            let alone = || the_only(&|_, other| is_same(other) && is_told_alike(it, other));
            Some((*name, respelt.or_else(in_same_words).or_else(alone)?))
        })
        .collect()
}

/// A name but for case and separators.
fn letters(name: &str) -> String {
    name.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether two descriptions may be of one property: neither clearly speaks of something else.
fn is_told_alike(one: &Trait<'_>, other: &Trait<'_>) -> bool {
    let words = |it: &Trait<'_>| -> BTreeSet<String> {
        let text = it.description.and_then(Value::as_str).unwrap_or_default().to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
        words.map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    2 * one.intersection(&other).count() >= one.len().min(other.len())
}

fn traits<'a>(
    document: &Document<'a>,
    view: &View<'a>,
    names: Vec<&'a str>,
) -> Vec<(&'a str, Trait<'a>)> {
    names
        .into_iter()
        .filter_map(|name| {
            let parts = view.properties.get(name)?;
            let read = View::of(document, parts);
            let defaults = read.defaults.iter().map(|it| text(it.value)).collect();
            let description = read.description.map(|it| it.value);
            Some((name, Trait { form: normal(document, parts)?, description, defaults }))
        })
        .collect()
}
