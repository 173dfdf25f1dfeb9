//! Whether one schema accepts everything that another does.
//!
//! [`refute`] proves; what it takes for a counterexample, and what [`sample`] tries where it is at
//! a loss, counts once the validator of the `jsonschema` crate has confirmed both halves. All of
//! it is paid for in steps ([`Budget`]), so that every run decides alike and none takes long.

mod budget;
mod company;
mod doubt;
mod effort;
mod embed;
mod hints;
mod polish;
mod reading;
mod refute;
pub(crate) mod sample;
mod terms;
mod words;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use serde_json::Value;

pub(crate) use budget::Budget;
pub(crate) use doubt::{Doubt, parts};
pub(crate) use embed::{embedded, holding, limited};
pub(crate) use hints::hints;
pub(crate) use polish::Polish;
pub(crate) use reading::{World, bounded, meant, read};
use refute::{Outcome, Refuter};

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// Everything that the inner schema accepts, the outer one accepts.
    Contained,
    /// The inner schema accepts this value and the outer one rejects it.
    Refuted(Value),
    /// Neither could be shown.
    Unknown,
}

/// What one question may cost.
const MAX_STEPS: usize = 40_000;

/// Whether `outer` accepts everything that `inner` accepts; both are [`read`] before.
pub(crate) fn decide(
    inner: impl Into<Rc<Value>>,
    outer: impl Into<Rc<Value>>,
    budget: &Budget,
) -> Answer {
    let (inner, outer) = (inner.into(), outer.into());
    if is_plain(&inner, &outer) {
        return Answer::Contained;
    }
    // A schema that the validator does not take is not one, and nothing is said of it.
    Doubt::of(inner, outer, budget).map_or(Answer::Unknown, |doubt| decided(&doubt))
}

/// Whether nothing has to be looked at to see that one schema accepts all that another does.
fn is_plain(inner: &Value, outer: &Value) -> bool {
    inner == outer || *outer == Value::Bool(true) || *inner == Value::Bool(false)
}

/// [`decide`] where the doubt that is to be settled is there.
pub(crate) fn decided(doubt: &Doubt<'_>) -> Answer {
    let (inner, outer, budget) = (doubt.inner(), doubt.outer(), doubt.budget());
    if is_plain(inner, outer) {
        return Answer::Contained;
    }
    if let Some(values) = listed(inner) {
        return match doubt.settled_by(values) {
            Some(true) => doubt.shown_by(values).map_or(Answer::Unknown, Answer::Refuted),
            Some(false) => Answer::Contained,
            None => Answer::Unknown,
        };
    }
    if doubt.is_spent() {
        return Answer::Unknown;
    }
    let outcome = budget.within(MAX_STEPS, |budget| {
        Refuter::new(inner, outer, budget).search(&mut |value| doubt.is_settled_by(value))
    });
    match outcome {
        Outcome::Closed => return Answer::Contained,
        Outcome::Open(Some(value)) => return Answer::Refuted(value),
        Outcome::Open(None) => {}
    }
    let sampled = doubt.shown_by(&sample::values(inner, budget));
    let found = sampled.or_else(|| doubt.shown_by(sample::constants(outer)));
    found.map_or(Answer::Unknown, Answer::Refuted)
}

/// The values of a schema that lists them, whatever else it says of them.
fn listed(schema: &Value) -> Option<&[Value]> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Some(std::slice::from_ref(value)),
        (None, Some(Value::Array(values))) => Some(values),
        _ => None,
    }
}
