//! What an independent validator says of a value.

use std::cell::OnceCell;
use std::rc::Rc;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use super::budget::Budget;
use super::effort::Effort;
use super::embed::limited;

/// A value is not shown to a validator that may need more steps for it.
const MAX_PRICE: usize = 400_000;
/// How many parts of a schema are compiled, or looked at, in a step.
pub(super) const PARTS_A_STEP: usize = 16;
/// What a value can cost at most is counted exactly where a rough guess says more steps.
const MAX_GUESSED: usize = 200;

/// The doubt that a value settles: one that the inner schema accepts and the outer one rejects.
pub(crate) struct Doubt<'b> {
    /// Compiled once it is asked; `None` where it is no schema.
    accepts: OnceCell<Option<Validator>>,
    rejects: Rc<Validator>,
    inner: Rc<Value>,
    outer: Rc<Value>,
    /// The parts of both, and those of the outer schema.
    sizes: [Size; 2],
    budget: &'b Budget,
}

/// How large a schema is.
#[derive(Clone, Copy)]
struct Size {
    /// How many parts it has.
    parts: usize,
    /// How many of its parts lead back to a definition: with every level of a value that many
    /// more parts may have to be looked at.
    returns: usize,
}

impl Size {
    fn of(schema: &Value) -> Self {
        let (parts, returns) = parts(schema);
        Self { parts, returns }
    }

    fn larger(self, other: Self) -> Self {
        Self { parts: self.parts.max(other.parts), returns: self.returns.max(other.returns) }
    }

    /// What to read, copy and compile such a schema costs.
    fn price(self) -> usize {
        8 * self.parts / PARTS_A_STEP
    }
}

impl<'b> Doubt<'b> {
    /// `None` when a schema is not one, or there is nothing left to pay with.
    pub(crate) fn of(
        inner: impl Into<Rc<Value>>,
        outer: impl Into<Rc<Value>>,
        budget: &'b Budget,
    ) -> Option<Self> {
        let (inner, outer) = (inner.into(), outer.into());
        let size = Size::of(&outer);
        let sizes = [size.larger(Size::of(&inner)), size];
        if !budget.spend(sizes[0].price()) {
            return None;
        }
        let accepts = OnceCell::from(Some(validator(&inner)?));
        let rejects = Rc::new(validator(&outer)?);
        Some(Self { accepts, rejects, inner, outer, sizes, budget })
    }

    /// The doubt about what is sent with something at the dotted `path` that `limit` accepts.
    pub(crate) fn limited(&self, path: &str, limit: Value) -> Option<Self> {
        let inner = Rc::new(limited(&self.inner, path, limit)?);
        let (size, outer) = (Size::of(&inner), self.sizes[1]);
        self.budget.spend(size.price()).then(|| Self {
            accepts: OnceCell::new(),
            rejects: Rc::clone(&self.rejects),
            outer: Rc::clone(&self.outer),
            sizes: [size.larger(outer), outer],
            budget: self.budget,
            inner,
        })
    }

    /// What is sent.
    pub(crate) fn inner(&self) -> &Value {
        &self.inner
    }

    /// What it is read by.
    pub(crate) fn outer(&self) -> &Rc<Value> {
        &self.outer
    }

    fn accepts(&self) -> Option<&Validator> {
        self.accepts.get_or_init(|| validator(&self.inner)).as_ref()
    }

    /// What it is paid for with.
    pub(super) fn budget(&self) -> &'b Budget {
        self.budget
    }

    /// The first of `values` that settles it.
    pub(crate) fn shown_by<'v>(
        &self,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> Option<Value> {
        values.into_iter().find(|value| self.is_settled_by(value)).cloned()
    }

    /// Whether a value settles it; false as well when that would cost too much.
    pub(crate) fn is_settled_by(&self, value: &Value) -> bool {
        self.affords(value)
            && self.accepts().is_some_and(|it| it.is_valid(value))
            && !self.rejects.is_valid(value)
    }

    /// Whether any of `values` settles it; `None` when that would cost too much.
    pub(crate) fn settled_by(&self, values: &[Value]) -> Option<bool> {
        let mut settled = false;
        for value in values {
            if !self.affords(value) {
                return None;
            }
            settled |= self.accepts()?.is_valid(value) && !self.rejects.is_valid(value);
        }
        Some(settled)
    }

    /// Where in `value` the outer schema finds its first fault, as a JSON pointer.
    pub(crate) fn fault(&self, value: &Value) -> Option<String> {
        let error = self.rejects.iter_errors(value).next()?;
        Some(error.instance_path().as_str().to_owned())
    }

    /// Whether no further value can be paid for.
    pub(crate) fn is_spent(&self) -> bool {
        self.budget.is_spent()
    }

    /// Pays for showing a value to both validators. One that is too dear costs no more than finding
    /// that out.
    fn affords(&self, value: &Value) -> bool {
        let levels = u32::try_from(depth(value)).unwrap_or(u32::MAX);
        let [Size { parts: size, returns }, _] = self.sizes;
        let again = returns.max(1).saturating_pow(levels);
        let mut price = size.saturating_mul(again) / PARTS_A_STEP;
        if price > MAX_GUESSED {
            let mut most = 0;
            for schema in [&self.inner, &self.outer] {
                let mut effort = Effort::new(schema);
                most = most.max(effort.of(value));
                if !self.budget.spend(effort.spent() / PARTS_A_STEP) {
                    return false;
                }
            }
            price = most / PARTS_A_STEP;
        }
        price += 1 + parts(value).0 / 4;
        let affordable = price <= MAX_PRICE && self.budget.has(price);
        self.budget.spend(if affordable { price } else { 1 }) && affordable
    }
}

/// How many JSON values there are in a schema, and how many of them are references.
pub(crate) fn parts(schema: &Value) -> (usize, usize) {
    let sum = |(all, references): (usize, usize), it: &Value| {
        let (more, further) = parts(it);
        (all + more, references + further)
    };
    match schema {
        Value::Object(map) => map.values().fold((1, usize::from(map.contains_key("$ref"))), sum),
        Value::Array(list) => list.iter().fold((1, 0), sum),
        _ => (1, 0),
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn validator(schema: &Value) -> Option<Validator> {
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(10_000)
        .size_limit(1 << 20)
        .dfa_size_limit(1 << 20);
    jsonschema::options()
        .offline()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(false)
        .with_pattern_options(patterns)
        .build(schema)
        .ok()
}
