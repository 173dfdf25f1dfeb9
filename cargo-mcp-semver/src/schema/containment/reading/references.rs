//! What references lead to.

use serde_json::{Value, json};

use super::{MAX_WRITTEN_OUT, Reader};
use crate::schema::document::{Located, Pointer, Target};

/// Whether a schema refers to what applies to the same value, and so may come back to itself there.
fn refers_in_place(schema: &Value) -> bool {
    let below = |keyword: &str, value: &Value| match keyword {
        "$ref" | "$dynamicRef" | "$recursiveRef" => true,
        "allOf" | "anyOf" | "oneOf" => {
            value.as_array().is_some_and(|it| it.iter().any(refers_in_place))
        }
        "not" | "if" | "then" | "else" => refers_in_place(value),
        "dependentSchemas" | "dependencies" => {
            value.as_object().is_some_and(|it| it.values().any(refers_in_place))
        }
        _ => false,
    };
    schema.as_object().is_some_and(|map| map.iter().any(|(keyword, it)| below(keyword, it)))
}

impl<'a> Reader<'_, 'a> {
    /// What stands for a reference that cannot be followed.
    pub(super) fn led_elsewhere(&mut self) -> Option<Value> {
        self.led_elsewhere = true;
        self.elsewhere.map(Value::Bool)
    }

    /// Enters the resource that a schema belongs to; returns how many there were before.
    pub(super) fn enter(&mut self, at: &Pointer) -> usize {
        let outside = self.scope.len();
        let root = self.document.resources().root_of(at);
        if !self.scope.contains(&root) {
            self.scope.push(root);
        }
        outside
    }

    pub(super) fn has_dynamic_references(&self) -> bool {
        self.document.has_prefix_items()
    }

    /// Where a `$dynamicRef` leads: to what a `$ref` would lead to, unless that has a dynamic
    /// anchor of this name; then to the outermost resource entered that has one (JSON Schema core
    /// 2020-12, section 8.2.3.2).
    pub(super) fn dynamic(&self, reference: &str, from: &Pointer) -> Option<Located<'a>> {
        let Target::Local(target) = self.document.resolve(reference, from) else { return None };
        let resources = self.document.resources();
        let name = reference.split_once('#').map_or("", |(_, name)| name);
        let root = resources.root_of(&target.at);
        if resources.dynamic_anchor(&root, name).as_ref() != Some(&target.at) {
            return Some(target);
        }
        let outermost = self.scope.iter().find_map(|root| resources.dynamic_anchor(root, name));
        self.document.located(outermost.unwrap_or(target.at))
    }

    /// What a reference leads to. Where it comes back to itself at the same value, what is accepted
    /// is undefined (JSON Schema core 2020-12, section 9.4.1), to some validators everything, while
    /// others never end: as little is known of it as of what lies elsewhere.
    pub(super) fn follow(&mut self, target: Located<'a>, depth: usize) -> Option<Value> {
        let dynamic = self.document.resources().has_dynamic_anchors();
        let scope = if dynamic { self.scope.clone() } else { Vec::new() };
        let place = (target.at.clone(), scope, self.context(&target.at));
        let open = self.open.iter().rfind(|(open, _)| *open == place);
        if open.is_some_and(|(_, level)| *level == self.level) {
            return self.led_elsewhere();
        }
        // Nor is written out again and again what everything refers to.
        let again = !self.followed.insert(place.clone())
            && self.keywords > MAX_WRITTEN_OUT
            && !self.literal
            && !refers_in_place(target.value);
        if again || open.is_some() || target.at.as_str().is_empty() {
            let next = self.recurring.len();
            let world = self.world;
            let entry = self.recurring.entry(place);
            let (name, _) = entry.or_insert_with(|| (format!("{world:?}{next}"), target));
            return Some(json!({ "$ref": format!("#/$defs/{name}") }));
        }
        self.open.push((place, self.level));
        let body = self.in_place(&target, depth);
        self.open.pop();
        body
    }
}
