//! Schemas that say the same in the same words, whatever that is.
//!
//! What nobody understands, both sides may still agree on: where neither a schema nor anything it
//! refers to has changed, there is nothing to compare.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::document::{Document, Located, Pointer, Target};
use crate::exact;

/// So many values are compared in one walk.
const MAX_PARTS: usize = 500_000;

/// Two schemas, by address.
type Pair = (*const Value, *const Value);
/// What references of two schemas lead to.
type Led<'a> = Vec<(Located<'a>, Located<'a>)>;

/// Which pairs of schemas of two documents are unchanged.
pub(super) struct Unchanged<'d, 'a> {
    old: &'d Document<'a>,
    new: &'d Document<'a>,
    known: HashMap<Pair, bool>,
    left: usize,
}

impl<'d, 'a> Unchanged<'d, 'a> {
    pub(super) fn new(old: &'d Document<'a>, new: &'d Document<'a>) -> Self {
        Self { old, new, known: HashMap::new(), left: MAX_PARTS }
    }

    /// Whether one schema is written like the other, and all that it leads to as well.
    pub(super) fn is(&mut self, old: &Located<'a>, new: &Located<'a>) -> bool {
        if !self.old.is_like(self.new) {
            return false;
        }
        let first = pair(old, new);
        if let Some(known) = self.known.get(&first) {
            return *known;
        }
        let mut seen = BTreeSet::from([first]);
        let mut waiting = vec![(old.clone(), new.clone())];
        while let Some((old, new)) = waiting.pop() {
            let mut led = Vec::new();
            let is_alike = self.alike(&old, &new, &[], &mut led);
            let is_changed = |(old, new)| self.known.get(&pair(old, new)) == Some(&false);
            if !is_alike || led.iter().map(|(old, new)| (old, new)).any(is_changed) {
                self.known.extend([(pair(&old, &new), false), (first, false)]);
                return false;
            }
            waiting.extend(led.into_iter().filter(|(old, new)| seen.insert(pair(old, new))));
        }
        self.known.extend(seen.into_iter().map(|pair| (pair, true)));
        true
    }

    /// The same, whatever the two say to a reader by these keywords of their own.
    pub(super) fn is_but_for(
        &mut self,
        words: &[&str],
        old: &Located<'a>,
        new: &Located<'a>,
    ) -> bool {
        let mut led = Vec::new();
        self.old.is_like(self.new)
            && self.alike(old, new, words, &mut led)
            && led.iter().all(|(old, new)| self.is(old, new))
    }

    /// Whether both are the same JSON, members with these names left out; `led` takes what their
    /// references lead to.
    fn alike(
        &mut self,
        old: &Located<'a>,
        new: &Located<'a>,
        without: &[&str],
        led: &mut Led<'a>,
    ) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        let below = |it: &Located<'a>, value: &'a Value, token: &str| Located {
            value,
            at: it.at.child(token),
        };
        match (old.value, new.value) {
            (Value::Object(one), Value::Object(other)) => {
                let counts = |key: &&String| !without.contains(&key.as_str());
                one.keys().filter(counts).count() == other.keys().filter(counts).count()
                    && one.iter().filter(|it| counts(&it.0)).all(|(key, value)| {
                        other.get(key).is_some_and(|now| {
                            let text = value.as_str();
                            let led_alike = match (key.as_str(), text) {
                                ("$ref", Some(text)) => self.refers(text, old, new, led),
                                ("$dynamicRef", Some(text)) => {
                                    self.anchored(text, led) && self.refers(text, old, new, led)
                                }
                                ("$recursiveRef", Some(_)) => {
                                    led.push((self.old.root(), self.new.root()));
                                    true
                                }
                                _ => true,
                            };
                            let (old, new) = (below(old, value, key), below(new, now, key));
                            led_alike && self.alike(&old, &new, &[], led)
                        })
                    })
            }
            (Value::Array(one), Value::Array(other)) => {
                one.len() == other.len()
                    && one.iter().zip(other).enumerate().all(|(index, (value, now))| {
                        let token = index.to_string();
                        let (old, new) = (below(old, value, &token), below(new, now, &token));
                        self.alike(&old, &new, &[], led)
                    })
            }
            (one, other) => exact::same(one, other),
        }
    }

    /// Whether a dynamic reference may lead to the same places on both sides.
    fn anchored(&self, text: &str, led: &mut Led<'a>) -> bool {
        let name = text.split_once('#').map_or("", |(_, name)| name);
        let places = |document: &Document<'a>| -> Option<Vec<Located<'a>>> {
            // Where several parts claim a name, any of them may be meant.
            if document.is_ambiguous(text, &Pointer::root()) {
                return None;
            }
            let anchors = document.resources().dynamic_anchors(name);
            anchors.map(|at| document.located(at)).collect()
        };
        let (Some(old), Some(new)) = (places(self.old), places(self.new)) else { return false };
        let is_alike = old.iter().map(|it| &it.at).eq(new.iter().map(|it| &it.at));
        led.extend(old.into_iter().zip(new));
        is_alike
    }

    /// Whether a reference that both sides have leads to the same place by its name.
    fn refers(&self, text: &str, old: &Located<'a>, new: &Located<'a>, led: &mut Led<'a>) -> bool {
        match (self.old.resolve(text, &old.at), self.new.resolve(text, &new.at)) {
            (Target::Local(old), Target::Local(new)) => {
                led.push((old, new));
                true
            }
            // Where several parts claim a name, any of them may be meant.
            (Target::Elsewhere, Target::Elsewhere)
                if self.old.is_ambiguous(text, &old.at) || self.new.is_ambiguous(text, &new.at) =>
            {
                led.push((self.old.root(), self.new.root()));
                true
            }
            (Target::Elsewhere, Target::Elsewhere) => {
                self.old.absolute(text, &old.at) == self.new.absolute(text, &new.at)
            }
            _ => false,
        }
    }
}

fn pair(old: &Located<'_>, new: &Located<'_>) -> Pair {
    (std::ptr::from_ref(old.value), std::ptr::from_ref(new.value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn unchanged(old: &Value, new: &Value) -> bool {
        let [old, new] = Document::pair(old, new);
        let sides = [&old, &new].map(|it| it.located(Pointer::parse("/properties/p")).unwrap());
        Unchanged::new(&old, &new).is(&sides[0], &sides[1])
    }

    #[test]
    fn what_is_not_understood_and_not_touched_is_unchanged() {
        let endless = json!({"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}]});
        let whole = |other: Value, more: Value| {
            json!({"properties": {"p": {"$ref": "#/$defs/T"}, "other": other},
                "$defs": {"T": endless, "More": more}})
        };
        let (old, new) = (whole(json!(true), json!(1)), whole(json!(false), json!(2)));
        assert!(unchanged(&old, &new));
        let mut moved = new.clone();
        moved["$schema"] = json!("http://json-schema.org/draft-07/schema#");
        assert!(!unchanged(&old, &moved));
        let mut other = new;
        other["$defs"]["T"]["anyOf"][1] = json!({"type": "string"});
        assert!(!unchanged(&old, &other));
    }

    #[test]
    fn a_reference_means_what_it_leads_to() {
        let named = |id: &str| {
            json!({"$id": id, "properties": {"p": {"$ref": "other"}, "q": {"$ref": "#/$defs/Q"}},
                "$defs": {"Q": {"type": "null"}}})
        };
        let (one, other) = (named("https://example.com/a/s"), named("https://example.com/b/s"));
        assert!(unchanged(&one, &one));
        assert!(!unchanged(&one, &other));
        let dynamic = |anchored: Value, more: Value| {
            json!({"properties": {"p": {"$dynamicRef": "#d"}, "q": more},
                "$defs": {"D": {"$dynamicAnchor": "d", "const": anchored}}})
        };
        let one = dynamic(json!(1.0), json!(1));
        assert!(unchanged(&one, &dynamic(json!(1), json!(2))));
        assert!(!unchanged(&one, &dynamic(json!(2), json!(1))));
        let mut further = one.clone();
        further["properties"]["q"] = json!({"$id": "https://a/b", "$dynamicAnchor": "d"});
        assert!(!unchanged(&one, &further));
        let claimed = |first: &str, second: &str| {
            json!({"properties": {"p": {"$ref": "#x"}}, "$defs": {
                "a": {"$anchor": "x", "type": first}, "b": {"$anchor": "x", "type": second}}})
        };
        let one = claimed("string", "integer");
        assert!(unchanged(&one, &one));
        assert!(!unchanged(&one, &claimed("integer", "string")));
    }
}
