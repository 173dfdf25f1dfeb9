//! Unions that say no more than a type or a list of values.

use super::document::Document;
use super::types::Types;
use super::view::{NULL, Union, Values, View, text};

impl<'a> Union<'a> {
    /// The union as one view, where one says exactly the same.
    pub(super) fn folded(&self, document: &Document<'a>, depth: usize) -> Option<View<'a>> {
        let mut views: Vec<View<'a>> = self
            .branches
            .iter()
            .map(|branch| View::gather(document, branch, depth + 1))
            .filter(|view| !view.never)
            .collect();
        if views.iter().any(|view| view.unknown.is_some()) {
            return None;
        }
        if views.len() == 1 {
            return views.pop();
        }
        if views.iter().all(|view| view.is_blank() && view.finite().is_some()) {
            return self.folded_values(views);
        }
        let null = views
            .iter()
            .position(|view| view.is_blank() && view.effective_types() == Types::NULL)?;
        views.remove(null);
        let [mut other] = <[View<'a>; 1]>::try_from(views).ok()?;
        let concerns_null = ["not", "if", "$ref"].iter().any(|it| other.rest.contains_key(it));
        if concerns_null || !other.unions.is_empty() || !other.and.is_empty() {
            return None;
        }
        if self.exclusive && other.types.meets(Types::NULL) {
            return None;
        }
        other.types = other.types.or(Types::NULL);
        if let Some(values) = &mut other.values {
            values.insert(text(&NULL), &NULL);
        }
        Some(other)
    }

    /// The union as a list of types, where its branches say nothing but one each.
    pub(super) fn folded_types(&self, document: &Document<'a>) -> Option<View<'a>> {
        let mut folded = View { complete: true, ..View::anything(self.at.clone()) };
        folded.types = Types::NONE;
        for branch in &self.branches {
            let view = View::gather(document, branch, 0);
            let says =
                view.title.is_some() || view.description.is_some() || !view.defaults.is_empty();
            let plain = view.unknown.is_none() && !view.never && view.values.is_none() && !says;
            if !plain || !view.is_blank() || (self.exclusive && folded.types.meets(view.types)) {
                return None;
            }
            folded.types = folded.types.or(view.types);
        }
        Some(folded)
    }

    fn folded_values(&self, views: Vec<View<'a>>) -> Option<View<'a>> {
        let mut folded = View::anything(self.at.clone());
        let mut all = Values::new();
        // A list beside null is found where it is written.
        let mut lists = views.iter().filter(|view| view.effective_types() != Types::NULL);
        if let (Some(list), None) = (lists.next(), lists.next()) {
            folded.values_at = list.values_at.clone();
        }
        for view in views {
            let values = view.finite()?;
            if let (Some(description), 1) = (&view.description, values.len()) {
                folded.value_text.extend(values.keys().map(|it| (it.clone(), description.clone())));
            }
            folded.value_text.extend(view.value_text);
            for (key, value) in values {
                if all.insert(key, value).is_some() && self.exclusive {
                    return None;
                }
            }
        }
        folded.types = all.values().fold(Types::NONE, |types, it| types.or(Types::of(it)));
        folded.values = Some(all);
        Some(folded)
    }
}
