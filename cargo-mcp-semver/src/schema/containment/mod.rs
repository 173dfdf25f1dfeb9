//! Whether one schema accepts everything that another does.
//!
//! The answer rests on the `jsonschema` crate alone: its `canonical` module proves, its validator
//! confirms every witness. That module calls itself experimental, so nothing outside this one
//! knows of it.

mod embed;
mod parts;
mod reading;
pub(crate) mod sample;

#[cfg(test)]
mod tests;

use jsonschema::canonical::{self, CanonicalSchema, Containment, Satisfiability};
use jsonschema::{Draft, Validator};
use serde_json::Value;

pub(crate) use embed::embedded;
pub(crate) use reading::{World, read};

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

/// Schemas that are more work than this are not handed to the prover.
const MAX_EFFORT: usize = 2_000;

/// Whether `outer` accepts everything that `inner` accepts; both are [`read`] before.
pub(crate) fn decide(inner: &Value, outer: &Value) -> Answer {
    if inner == outer || *outer == Value::Bool(true) || *inner == Value::Bool(false) {
        return Answer::Contained;
    }
    let Some(doubt) = Doubt::of(inner, outer) else { return Answer::Unknown };
    if let Some(value) = doubt.shown_by(&sample::values(inner)) {
        return Answer::Refuted(value);
    }
    if effort(inner).saturating_add(effort(outer)) > MAX_EFFORT {
        return Answer::Unknown;
    }
    let mut difference = None;
    match (canonical(inner), canonical(outer)) {
        (Some(inner), Some(outer)) if covers(&outer, &inner) => return Answer::Contained,
        (Some(inner), Some(outer)) => {
            difference = inner.subtract(&outer).ok();
            if difference.as_ref().is_some_and(is_empty) {
                return Answer::Contained;
            }
        }
        _ => {}
    }
    let likely = difference.map(|difference| sample::values(&difference.to_json_schema()));
    if let Some(value) = likely.iter().find_map(|values| doubt.shown_by(values)) {
        return Answer::Refuted(value);
    }
    if let Some(value) = doubt.shown_by(&sample::constants(outer)) {
        return Answer::Refuted(value);
    }
    // Parts lose the definitions that stand beside the whole.
    let recurs = |schema: &Value| schema.get("$defs").is_some();
    let mut proven = |inner: &Value, outer: &Value| match (canonical(inner), canonical(outer)) {
        (Some(inner), Some(outer)) => covers(&outer, &inner),
        _ => false,
    };
    if !recurs(inner) && !recurs(outer) && parts::contained(inner, outer, &mut proven) {
        return Answer::Contained;
    }
    Answer::Unknown
}

/// The doubt that a value settles: one that the inner schema accepts and the outer one rejects.
pub(crate) struct Doubt {
    accepts: Validator,
    rejects: Validator,
}

impl Doubt {
    /// `None` when a schema is not one.
    pub(crate) fn of(inner: &Value, outer: &Value) -> Option<Self> {
        Some(Self { accepts: validator(inner)?, rejects: validator(outer)? })
    }

    /// The first of `values` that settles it.
    pub(crate) fn shown_by(&self, values: &[Value]) -> Option<Value> {
        let refutes =
            |value: &&Value| self.accepts.is_valid(value) && !self.rejects.is_valid(value);
        values.iter().find(refutes).cloned()
    }

    /// Where in `value` the outer schema finds its first fault, as a JSON pointer.
    pub(crate) fn fault(&self, value: &Value) -> Option<String> {
        let error = self.rejects.iter_errors(value).next()?;
        Some(error.instance_path().as_str().to_owned())
    }
}

/// How much work a schema is for the prover: the JSON values it is written with, counted once for
/// every branch that a union sets them against.
fn effort(schema: &Value) -> usize {
    match schema {
        Value::Object(map) => map.iter().fold(1, |sum, (keyword, value)| {
            let against = match (keyword.as_str(), value) {
                ("oneOf", Value::Array(branches)) => branches.len(),
                ("anyOf", Value::Array(branches)) => branches.len().saturating_sub(1).max(1),
                _ => 1,
            };
            effort(value).saturating_mul(against).saturating_add(sum)
        }),
        Value::Array(list) => list.iter().map(effort).fold(1, usize::saturating_add),
        _ => 1,
    }
}

fn covers(outer: &CanonicalSchema, inner: &CanonicalSchema) -> bool {
    matches!(outer.covers(inner), Ok(Containment::Yes))
}

fn is_empty(schema: &CanonicalSchema) -> bool {
    schema.satisfiability() == Satisfiability::No
}

fn canonical(schema: &Value) -> Option<CanonicalSchema> {
    canonical::options()
        .offline()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(false)
        .canonicalize(schema)
        .ok()
}

fn validator(schema: &Value) -> Option<Validator> {
    jsonschema::options()
        .offline()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(false)
        .build(schema)
        .ok()
}
