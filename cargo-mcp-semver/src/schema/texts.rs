//! What schemas say to whoever reads them: titles, descriptions and defaults.

use std::collections::BTreeSet;

use serde_json::Value;

use super::change::Kind;
use super::document::Located;
use super::view::{Texts, View, text};
use super::walk::{Pair, Walk};

impl<'a> Walk<'_, 'a> {
    pub(super) fn texts(&mut self, pair: &Pair<'_, 'a>) {
        self.text(pair, Kind::TitleChanged, "title", &pair.old.title, &pair.new.title);
        let (old, old_values) = descriptions(pair.old, pair.new);
        let (new, new_values) = descriptions(pair.new, pair.old);
        self.text(pair, Kind::DescriptionChanged, "description", &old, &new);
        let keys: BTreeSet<&String> = old_values.keys().chain(new_values.keys()).collect();
        for key in keys {
            let offered = |view: &View<'_>| {
                view.values.as_ref().is_some_and(|values| values.contains_key(key))
            };
            // A value that is new or gone is told by its own change, text and all.
            if offered(pair.old) && offered(pair.new) {
                let (old, new) = (old_values.get(key), new_values.get(key));
                let what = format!("description of {key}");
                self.text(pair, Kind::DescriptionChanged, &what, &old.cloned(), &new.cloned());
            }
        }
    }

    fn text(
        &mut self,
        pair: &Pair<'_, 'a>,
        kind: Kind,
        what: &str,
        old: &Option<Located<'a>>,
        new: &Option<Located<'a>>,
    ) {
        let value = |side: &Option<Located<'a>>| side.as_ref().map(|it| it.value.clone());
        let (old_text, new_text) = (value(old), value(new));
        if old_text == new_text {
            return;
        }
        let blank = |text: &Option<Value>| {
            text.as_ref().is_none_or(|it| it.as_str().is_some_and(|it| it.trim().is_empty()))
        };
        let (kind, detail) = match (blank(&old_text), blank(&new_text)) {
            (false, true) if kind == Kind::DescriptionChanged && is_property(pair) => {
                (Kind::DescriptionRemoved, format!("lost its {what}"))
            }
            (false, true) => (kind, format!("lost its {what}")),
            (true, false) => (kind, format!("has a {what} now")),
            _ => (kind, format!("has another {what}")),
        };
        let at = new.as_ref().or(old.as_ref()).map_or(&pair.new.written, |it| &it.at);
        self.push(pair, kind, at, detail, old_text, new_text);
    }

    pub(super) fn default(&mut self, pair: &Pair<'_, 'a>) {
        // Without a default an omitted field is null to its reader, so a null default says
        // nothing.
        // Where several schemas have one each, what both sides have is the same default.
        let told = |view: &View<'a>, other: &View<'a>| {
            let others: Vec<String> = other.defaults.iter().map(|it| text(it.value)).collect();
            let mut told = view.defaults.iter().filter(|it| !it.value.is_null());
            let first = told.clone().next().cloned();
            (first, told.find(|it| !others.contains(&text(it.value))).cloned())
        };
        let ((old, gone), (new, come)) = (told(pair.old, pair.new), told(pair.new, pair.old));
        let (is_old, is_new) = (pair.old.defaults.first(), pair.new.defaults.first());
        let at = come.as_ref().or(is_new).or(gone.as_ref()).or(is_old);
        let at = at.map_or(&pair.new.at, |it| &it.at).clone();
        let is_same = gone.is_none() && come.is_none();
        let value = |it: Option<Located<'a>>| it.map(|it| it.value.clone());
        let (old, new) = (value(gone.or(old)), value(come.or(new)));
        let (kind, detail) = match (&old, &new) {
            _ if is_same && is_old.is_some() == is_new.is_some() => return,
            _ if is_same => (Kind::Reworded, "writes its absent default differently".to_owned()),
            (Some(old), Some(new)) => (
                Kind::DefaultChanged,
                format!("has another default: {}, was {}", text(new), text(old)),
            ),
            (Some(old), None) => {
                (Kind::DefaultChanged, format!("has no default any more, it was {}", text(old)))
            }
            (None, Some(new)) if self.has_default_beside(pair.new) => {
                (Kind::DefaultChanged, format!("has another default in some cases: {}", text(new)))
            }
            (None, Some(new)) => (Kind::DefaultAdded, format!("has a default now: {}", text(new))),
            (None, None) => return,
        };
        self.push(pair, kind, &at, detail, old, new);
    }

    /// Whether a property of a variant has a default where the object itself declares it.
    fn has_default_beside(&self, view: &View<'a>) -> bool {
        let declared = || self.old.located(view.at.declared_beside()?);
        declared().is_some_and(|it| !View::of(self.old, &[it]).defaults.is_empty())
    }
}
/// What a view says of the place, and of single values. The description of a list of one value is
/// that of the value where the `other` side, which may list more, describes it as such.
fn descriptions<'a>(view: &View<'a>, other: &View<'a>) -> (Option<Located<'a>>, Texts<'a>) {
    let in_variants = || other.description.clone().filter(|it| is_said_by_variants(view, it.value));
    let (mut own, mut values) =
        (view.description.clone().or_else(in_variants), view.value_text.clone());
    if let Some(key) = view.only_value().filter(|key| !values.contains_key(*key))
        && let Some(theirs) = other.value_text.get(key)
        && let Some(it) =
            own.take_if(|own| other.description.is_none() || own.value == theirs.value)
    {
        values.insert(key.clone(), it);
    }
    (own, values)
}

/// Whether each variant has this description, so that the place needs none.
fn is_said_by_variants(view: &View<'_>, description: &Value) -> bool {
    let said = |it: &Located<'_>| it.value.get("description") == Some(description);
    view.unions.iter().any(|union| union.branches.iter().all(said))
}

/// Whether the place is a property, which a reader knows by its description, rather than the whole,
/// an item or a variant.
fn is_property(pair: &Pair<'_, '_>) -> bool {
    pair.old.at.as_str().rsplit('/').nth(1) == Some("properties")
}
