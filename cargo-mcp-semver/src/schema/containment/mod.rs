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

use jsonschema::Draft;
pub(crate) use jsonschema::Validator;
use jsonschema::canonical::{self, CanonicalSchema, Containment, Satisfiability};
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

/// Schemas of more JSON values than this are not handed to the prover, whose effort may grow with
/// the square of their size.
const MAX_WEIGHT: usize = 3_000;

/// Whether `outer` accepts everything that `inner` accepts; both are [`read`] before.
pub(crate) fn decide(inner: &Value, outer: &Value) -> Answer {
    if inner == outer || *outer == Value::Bool(true) || *inner == Value::Bool(false) {
        return Answer::Contained;
    }
    if weight(inner) + weight(outer) > MAX_WEIGHT {
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
    let difference = difference.map(|difference| difference.to_json_schema());
    if let Some(value) = witness(inner, outer, difference.as_ref()) {
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

/// A value that `inner` accepts and `outer` rejects, confirmed by a validator.
fn witness(inner: &Value, outer: &Value, difference: Option<&Value>) -> Option<Value> {
    let (accepts, rejects) = (validator(inner)?, validator(outer)?);
    let refutes = |value: &Value| accepts.is_valid(value) && !rejects.is_valid(value);
    let sampled = difference.into_iter().chain([inner]).map(sample::values);
    sampled.chain([sample::constants(outer)]).flatten().find(refutes)
}

/// How many JSON values a schema is written with.
fn weight(schema: &Value) -> usize {
    match schema {
        Value::Object(map) => 1 + map.values().map(weight).sum::<usize>(),
        Value::Array(list) => 1 + list.iter().map(weight).sum::<usize>(),
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

/// A validator of a schema that was [`read`].
pub(crate) fn validator(schema: &Value) -> Option<Validator> {
    jsonschema::options()
        .offline()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(false)
        .build(schema)
        .ok()
}
