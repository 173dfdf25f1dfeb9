//! Makes a witness small and readable, without ever taking its word for it.

use serde_json::Value;

use super::doubt::Doubt;
use crate::schema::path::Step;

/// So many values are tried for one witness.
const MAX_TRIED: usize = 400;

/// A value that settles a doubt and is being changed.
pub(crate) struct Polish<'w> {
    /// The doubt it settles and goes on to settle.
    pub(crate) doubt: &'w Doubt<'w>,
    /// What the schema shows for a place.
    pub(crate) hints: &'w dyn Fn(&[Step]) -> Vec<Value>,
    /// The place that the witness is about: what leads there and stands there is kept.
    pub(crate) about: &'w [Step],
}

impl Polish<'_> {
    /// Leaves out every member and item that is not needed, then puts what the schema shows in
    /// place of what was made up.
    pub(crate) fn polished(&self, mut witness: Value) -> Value {
        let mut left = MAX_TRIED;
        self.shorten(&mut witness, &mut Vec::new(), &mut left);
        self.dress_below(&mut witness, &mut Vec::new(), &mut left);
        witness
    }

    /// The same for a value that the schema may show as a whole, or for which a simpler one does.
    pub(crate) fn replaced(&self, witness: Value) -> Value {
        let mut shown = (self.hints)(&[]).into_iter().chain(simpler(&witness));
        let shown = shown.find(|hint| self.doubt.is_settled_by(hint));
        shown.unwrap_or_else(|| self.polished(witness))
    }

    fn shorten(&self, whole: &mut Value, at: &mut Vec<Step>, left: &mut usize) {
        for step in steps_of(whole, at).into_iter().rev() {
            if self.is_over(*left) {
                return;
            }
            at.push(step);
            let mut shorter = whole.clone();
            if self.leads_there(at)
                || self.stands_before(at)
                || !remove(&mut shorter, at)
                || !self.takes(whole, shorter, left)
            {
                self.shorten(whole, at, left);
            }
            at.pop();
        }
    }

    fn dress_below(&self, whole: &mut Value, at: &mut Vec<Step>, left: &mut usize) {
        for step in steps_of(whole, at) {
            if self.is_over(*left) {
                return;
            }
            at.push(step);
            let dressed = !self.leads_there(at)
                && (self.hints)(at).into_iter().any(|hint| {
                    let mut other = whole.clone();
                    match find(&mut other, at) {
                        Some(place) if *place == hint => return true,
                        Some(place) => *place = hint,
                        None => return false,
                    }
                    self.takes(whole, other, left)
                });
            if !dressed {
                self.dress_below(whole, at, left);
            }
            at.pop();
        }
    }

    /// Whether `at` is on the way to what the witness is about, or within it.
    fn leads_there(&self, at: &[Step]) -> bool {
        let matches = |(about, step): (&Step, &Step)| match (about, step) {
            (Step::Items, Step::Item(_)) => true,
            (Step::Undeclared, Step::Name(name)) => name == "x" || name == "undeclared",
            (about, step) => about == step,
        };
        !self.about.is_empty() && self.about.iter().zip(at).all(matches)
    }

    /// Whether `at` is an item in front of one that the witness is about.
    fn stands_before(&self, at: &[Step]) -> bool {
        let (Some((Step::Item(item), list)), Some(Step::Item(about))) =
            (at.split_last(), self.about.get(at.len().saturating_sub(1)))
        else {
            return false;
        };
        item < about && self.leads_there(list)
    }

    /// Whether nothing else would be taken: a value is copied to be tried, and may be large.
    fn is_over(&self, left: usize) -> bool {
        left == 0 || self.doubt.is_spent()
    }

    fn takes(&self, whole: &mut Value, other: Value, left: &mut usize) -> bool {
        let Some(rest) = left.checked_sub(1) else { return false };
        *left = rest;
        let settled = self.doubt.is_settled_by(&other);
        if settled {
            *whole = other;
        }
        settled
    }
}

/// Numbers in place of one that nobody reads at a glance.
fn simpler(number: &Value) -> Vec<Value> {
    let is_long = number.as_f64().is_some_and(|it| it.abs() >= 1e6);
    if is_long { vec![0.5.into(), (-1).into()] } else { Vec::new() }
}

/// The members or items of what stands at a place.
fn steps_of(whole: &mut Value, at: &[Step]) -> Vec<Step> {
    match find(whole, at) {
        Some(Value::Object(map)) => map.keys().cloned().map(Step::Name).collect(),
        Some(Value::Array(list)) => (0..list.len()).map(Step::Item).collect(),
        _ => Vec::new(),
    }
}

fn find<'v>(whole: &'v mut Value, at: &[Step]) -> Option<&'v mut Value> {
    at.iter().try_fold(whole, |value, step| match step {
        Step::Name(name) => value.get_mut(name),
        Step::Item(index) => value.get_mut(*index),
        _ => None,
    })
}

fn remove(whole: &mut Value, at: &[Step]) -> bool {
    let Some((last, holder)) = at.split_last() else { return false };
    match (find(whole, holder), last) {
        (Some(Value::Object(map)), Step::Name(name)) => map.remove(name).is_some(),
        (Some(Value::Array(list)), Step::Item(index)) if *index < list.len() => {
            list.remove(*index);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::containment::Budget;

    #[test]
    fn what_is_not_needed_goes_and_what_it_is_about_stays() {
        let budget = Budget::new(100_000);
        let outer = json!({"properties": {"a": {"maxItems": 1}}});
        let doubt = Doubt::of(json!({"type": "object"}), outer, &budget).unwrap();
        let made_up = json!({"a": [1, 2, 3], "b": {"c": 1}});
        assert_eq!(doubt.fault(&made_up), Some("/a".to_owned()));
        let name = |name: &str| Step::Name(name.to_owned());
        let silent = |_: &[Step]| Vec::new();
        let shows = |at: &[Step]| match at {
            [Step::Name(name)] if name == "a" => vec![json!([]), json!(["x", "y"])],
            [Step::Name(name), _] if name == "a" => vec![json!(7)],
            _ => Vec::new(),
        };
        let polished = |hints: &dyn Fn(&[Step]) -> Vec<Value>, about: &[Step]| {
            Polish { doubt: &doubt, hints, about }.polished(made_up.clone())
        };
        assert_eq!(polished(&silent, &[]), json!({"a": [1, 2]}));
        assert_eq!(polished(&silent, &[name("b")]), json!({"a": [1, 2], "b": {"c": 1}}));
        assert_eq!(polished(&silent, &[name("a"), Step::Items]), json!({"a": [1, 2, 3]}));
        assert_eq!(polished(&silent, &[name("a"), Step::Item(2)]), json!({"a": [1, 2, 3]}));
        assert_eq!(polished(&shows, &[]), json!({"a": ["x", "y"]}));
        assert_eq!(polished(&shows, &[name("a"), Step::Item(0)]), json!({"a": [1, 7]}));
    }
}
