//! How much work a value is for a validator.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// Deeper is dearer than anything.
const MAX_DEPTH: usize = 400;

/// Counts the parts of a schema that a validator looks at for a value, each as often as it does:
/// alternatives that lead back to one definition multiply with every level of the value.
pub(super) struct Effort<'s> {
    root: &'s Value,
    /// By schema and value, by address.
    known: HashMap<(*const Value, *const Value), usize>,
}

impl<'s> Effort<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        Self { root, known: HashMap::new() }
    }

    /// How many pairs of a schema and a value were counted.
    pub(super) fn spent(&self) -> usize {
        self.known.len()
    }

    pub(super) fn of(&mut self, value: &Value) -> usize {
        self.schema(self.root, value, 0)
    }

    fn schema(&mut self, schema: &'s Value, value: &Value, depth: usize) -> usize {
        let Value::Object(map) = schema else { return 1 };
        let key = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if depth > MAX_DEPTH {
            return usize::MAX;
        }
        // What comes back to itself at the same value is left to the validator, which ends it.
        self.known.insert(key, 0);
        let mut all = 1 + map.len();
        for (keyword, it) in map {
            all = all.saturating_add(self.keyword(keyword, it, value, depth + 1));
        }
        if map.contains_key("unevaluatedProperties") || map.contains_key("unevaluatedItems") {
            // Everything beside it is looked at once more.
            all = all.saturating_mul(2);
        }
        self.known.insert(key, all);
        all
    }

    fn keyword(&mut self, keyword: &str, it: &'s Value, value: &Value, depth: usize) -> usize {
        let members = value.as_object().into_iter().flat_map(Map::values);
        let items = value.as_array().into_iter().flatten();
        let mut all = 0_usize;
        let mut add = |schema: &'s Value, value: &Value| {
            all = all.saturating_add(self.schema(schema, value, depth));
        };
        match (keyword, it) {
            ("$ref", Value::String(reference)) => {
                let target = reference.strip_prefix('#').and_then(|it| self.root.pointer(it));
                return target.map_or(0, |it| self.schema(it, value, depth));
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                branches.iter().for_each(|it| add(it, value));
            }
            ("not" | "if" | "then" | "else", it) => add(it, value),
            ("propertyNames", it) => members.for_each(|member| add(it, member)),
            ("properties", Value::Object(map)) => {
                let named = map.iter().filter_map(|(name, it)| Some((it, value.get(name)?)));
                named.for_each(|(it, member)| add(it, member));
            }
            ("patternProperties", Value::Object(map)) => {
                members.for_each(|member| map.values().for_each(|it| add(it, member)));
            }
            ("additionalProperties" | "unevaluatedProperties", it) => {
                members.for_each(|member| add(it, member));
            }
            ("dependentSchemas", Value::Object(map)) => map.values().for_each(|it| add(it, value)),
            ("prefixItems", Value::Array(list)) => {
                list.iter().zip(items).for_each(|(it, item)| add(it, item));
            }
            ("items" | "contains" | "unevaluatedItems", it) => items.for_each(|item| add(it, item)),
            ("enum", Value::Array(values)) => return values.len(),
            _ => {}
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn alternatives_that_lead_back_multiply_and_others_do_not() {
        let node = |next: Value| json!({"$ref": "#/$defs/N", "$defs": {"N": {"properties": {"n": next}, "items": true}}});
        let back = json!({"$ref": "#/$defs/N"});
        let (one, two) = (node(back.clone()), node(json!({"anyOf": [back, back]})));
        let nested = |levels: usize| (0..levels).fold(json!({}), |it, _| json!({"n": it}));
        let of = |schema: &Value, levels| Effort::new(schema).of(&nested(levels));
        assert!(of(&one, 20) < 2 * of(&one, 10));
        assert!(of(&two, 20) > 1_000 * of(&two, 10));
        assert_eq!(of(&two, 300), usize::MAX);
        let unending = json!({"$ref": "#/$defs/N", "$defs": {"N": {"$ref": "#/$defs/N"}}});
        assert!(of(&unending, 3) < 10);
    }
}
