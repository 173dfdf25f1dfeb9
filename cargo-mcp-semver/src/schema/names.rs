//! Names of properties that are told by other keywords than `properties`.

use serde_json::{Map, Value};

use super::document::{Document, Located};
use super::view::{FALSE, View};

/// Patterns of a name that leave none out, line feeds apart, which no name has.
const EVERY: &[&str] = &["", "^", "^.*", "^.*$", ".*", ".*$", "^(.*)$", "(.*)", "[\\s\\S]*"];

/// Whether a pattern leaves no name out.
pub(super) fn is_every(pattern: &str) -> bool {
    EVERY.contains(&pattern)
}

/// The names that `propertyNames` lists, where it lists some.
pub(super) fn listed<'a>(
    document: &Document<'a>,
    schema: &Located<'a>,
    map: &'a Map<String, Value>,
) -> Option<Vec<&'a str>> {
    let (keyword, at) = ("propertyNames", schema.at.child("propertyNames"));
    let value = map.get(keyword).filter(|it| it.is_object() && document.knows(keyword))?;
    let names = View::gather(document, &Located { value, at }, 1);
    let is_more = names.unknown.is_some() || !names.is_blank();
    let names = if is_more { None } else { names.finite() }?;
    Some(names.into_values().filter_map(Value::as_str).collect())
}

impl<'a> View<'a> {
    /// What is said of all names, or of listed ones, is said of what is not declared, or declares
    /// them.
    pub(super) fn names_are_declared(
        &mut self,
        document: &Document<'a>,
        schema: &Located<'a>,
        map: &'a Map<String, Value>,
    ) {
        let patterns = self.rest.get("patternProperties").and_then(|it| it.value.as_object());
        if let Some((pattern, value)) =
            patterns.filter(|it| it.len() == 1).and_then(|it| it.iter().next())
            && is_every(pattern)
        {
            let at = schema.at.child("patternProperties").child(pattern);
            let every = Located { value, at };
            self.properties.values_mut().for_each(|parts| parts.push(every.clone()));
            self.additional = Some(every);
            self.rest.remove("patternProperties");
        }
        let Some(further) = self.additional.clone().filter(|it| *it.value != FALSE) else { return };
        if self.rest.contains_key("patternProperties") {
            return;
        }
        let Some(names) = listed(document, schema, map).filter(|it| document.spend(it.len()))
        else {
            return;
        };
        self.properties.retain(|name, _| names.contains(name));
        for name in names {
            self.properties.entry(name).or_insert_with(|| vec![further.clone()]);
        }
        self.additional = Some(Located { value: &FALSE, at: schema.at.clone() });
        self.rest.remove("propertyNames");
    }
}
