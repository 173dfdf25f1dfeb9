//! Every keyword that has no reader of its own: what it carries is compared where it applies, and
//! what cannot be is left to containment.

use std::collections::BTreeSet;

use serde_json::Value;

use super::change::{Direction, Kind};
use super::containers::{Undeclared, undeclared};
use super::document::Located;
use super::keywords::{CONTEXTUAL, EVALUATING, OF_THE_VALUE};
use super::normal::normal_keyword;
use super::path::{self, Step};
use super::types::{Types, types_of};
use super::view::{ANYTHING, View};
use super::walk::{Pair, Walk};

/// A keyword that carries schemas, of which the whole accepts no more where none of them does: so
/// what a rule says of a change inside holds outside too. `not` is none, and `if` neither.
struct Carrier {
    keyword: &'static str,
    /// Where the schemas apply, seen from the schema that the keyword stands in.
    step: Option<Step>,
    /// What follows a detail where they apply to no place of its own.
    of: Option<&'static str>,
    when: When,
}

/// When a whole accepts no more where what is carried does not.
enum When {
    Always,
    /// This stands beside on neither side.
    Without(&'static str),
    /// This stands beside, the same on both sides; then a missing carrier accepts everything.
    Same(&'static str),
}

const fn carrier(keyword: &'static str, step: Option<Step>, when: When) -> Carrier {
    Carrier { keyword, step, of: None, when }
}

const CARRIERS: &[Carrier] = &[
    carrier("patternProperties", Some(Step::Undeclared), When::Always),
    carrier("unevaluatedProperties", Some(Step::Undeclared), When::Always),
    carrier("unevaluatedItems", Some(Step::Items), When::Always),
    carrier("contains", Some(Step::Items), When::Without("maxContains")),
    carrier("dependentSchemas", None, When::Always),
    carrier("dependencies", None, When::Always),
    carrier("then", None, When::Same("if")),
    carrier("else", None, When::Same("if")),
    Carrier {
        keyword: "propertyNames",
        step: None,
        of: Some(", in the names of its properties"),
        when: When::Always,
    },
];

impl<'a> Walk<'_, 'a> {
    /// Keywords that no other reader compares.
    pub(super) fn others(&mut self, pair: &Pair<'_, 'a>, common: Types) {
        let keywords = pair.old.rest.keys().chain(pair.new.rest.keys());
        let keywords: BTreeSet<&str> = keywords.copied().collect();
        let is_met = |it: &&str| !OF_THE_VALUE.contains(it) && types_of(it).meets(common);
        for keyword in keywords.into_iter().filter(is_met) {
            if keyword == "patternProperties" && self.patterns_move(pair) {
                continue;
            }
            let carrier = CARRIERS.iter().find(|carrier| carrier.keyword == keyword);
            if !carrier.is_some_and(|carrier| self.carried(pair, carrier)) {
                self.as_a_whole(pair, keyword);
            }
        }
    }

    /// Compares what the names of some pattern may have with what others may have, where one side
    /// has no patterns. Returns whether that and what is undeclared say all.
    fn patterns_move(&mut self, pair: &Pair<'_, 'a>) -> bool {
        // A name that is declared may match a pattern as well.
        if !pair.old.properties.is_empty() || !pair.new.properties.is_empty() {
            return false;
        }
        let path = path::join(pair.path, Step::Undeclared);
        let located = |view: &View<'a>| view.rest.get("patternProperties").cloned();
        let of = |it: &Located<'a>| {
            let at = it.at.child("patternProperties");
            let patterns = it.value.as_object().into_iter().flatten();
            let of = patterns.map(|(name, value)| Located { value, at: at.child(name) });
            of.collect::<Vec<_>>()
        };
        match (located(pair.old), located(pair.new), undeclared(pair.old), undeclared(pair.new)) {
            (Some(old), None, _, Undeclared::Limited(rest)) => {
                of(&old)
                    .into_iter()
                    .for_each(|it| self.schemas(&[it], std::slice::from_ref(&rest), &path));
            }
            (None, Some(new), Undeclared::Limited(rest), _) => {
                of(&new)
                    .into_iter()
                    .for_each(|it| self.schemas(std::slice::from_ref(&rest), &[it], &path));
            }
            (Some(_), None, Undeclared::Refused, Undeclared::Accepted) => {
                return self.direction == Direction::Input;
            }
            _ => return false,
        }
        true
    }

    /// Compares what a keyword carries; returns whether that is all that it says.
    fn carried(&mut self, pair: &Pair<'_, 'a>, carrier: &Carrier) -> bool {
        let Carrier { keyword, step, of, when } = carrier;
        let holds = match when {
            When::Always => true,
            When::Without(beside) => {
                !pair.old.rest.contains_key(beside) && !pair.new.rest.contains_key(beside)
            }
            When::Same(beside) => {
                pair.old.rest.contains_key(beside) && self.is_same_keyword(pair, beside)
            }
        };
        let schema = |view: &View<'a>| {
            let missing = matches!(when, When::Same(_)).then_some(&ANYTHING);
            let located = view.rest.get(keyword);
            let value = located.map_or(missing, |it| Some(it.value))?;
            Some(Located { value, at: located.map_or(&view.at, |it| &it.at).child(keyword) })
        };
        let (true, Some(old), Some(new)) = (holds, schema(pair.old), schema(pair.new)) else {
            return false;
        };
        let path = step
            .as_ref()
            .map_or_else(|| pair.path.to_owned(), |step| path::join(pair.path, step.clone()));
        let of = of.or(self.of);
        let around = std::mem::replace(&mut self.of, of);
        let is_all = match (old.value, new.value) {
            (Value::Object(before), Value::Object(after)) if carries_by_name(keyword) => {
                let mut is_all = before.keys().eq(after.keys());
                for (name, value) in before {
                    let Some(now) = after.get(name) else { continue };
                    if value.is_array() || now.is_array() {
                        is_all &= value == now;
                        continue;
                    }
                    let old = Located { value, at: old.at.child(name) };
                    let new = Located { value: now, at: new.at.child(name) };
                    self.schemas(&[old], &[new], &path);
                }
                is_all
            }
            // What refuses all and what limits are told apart by their own kinds.
            (Value::Bool(_), _) | (_, Value::Bool(_)) if closes(keyword) => false,
            _ => {
                self.schemas(&[old], &[new], &path);
                true
            }
        };
        self.of = around;
        is_all
    }

    /// Whether both sides say the same by a keyword, and both is understood.
    fn is_same_keyword(&self, pair: &Pair<'_, 'a>, keyword: &str) -> bool {
        let form = |document, view: &View<'a>| {
            view.rest.get(keyword).map(|it| normal_keyword(document, keyword, it))
        };
        let (old, new) = (form(self.old, pair.old), form(self.new, pair.new));
        old == new && old != Some(None)
    }

    /// Compares what a keyword says by its form.
    pub(super) fn as_a_whole(&mut self, pair: &Pair<'_, 'a>, keyword: &'a str) {
        let (before, after) = (pair.old.rest.get(keyword), pair.new.rest.get(keyword));
        let is_same = match keyword {
            // They say nothing without it.
            "then" | "else" => !self.is_same_keyword(pair, "if"),
            _ => self.is_same_keyword(pair, keyword),
        };
        if is_same {
            return;
        }
        let kind = match (before, after) {
            _ if closes(keyword) => match (Undeclared::by(before), Undeclared::by(after)) {
                (_, Undeclared::Refused) | (Undeclared::Accepted, Undeclared::Limited(_)) => {
                    Kind::Closed
                }
                (_, Undeclared::Accepted) | (Undeclared::Refused, Undeclared::Limited(_)) => {
                    Kind::Opened
                }
                _ => Kind::Unproven,
            },
            (None, Some(_)) if is_plain(keyword, pair.new) => Kind::ConstraintTightened,
            (Some(_), None) if is_plain(keyword, pair.old) => Kind::ConstraintLoosened,
            _ => Kind::Unproven,
        };
        let elsewhere = "which is not in this schema and is never fetched";
        let detail = match (before, after) {
            (_, Some(it)) if keyword == "$ref" => format!("refers to {}, {elsewhere}", it.value),
            (Some(it), None) if keyword == "$ref" => {
                format!(
                    "referred to {}, which is not in that schema and is never fetched",
                    it.value
                )
            }
            (None, _) => format!("has `{keyword}` now"),
            (_, None) => format!("has no `{keyword}` any more"),
            _ => format!("has another `{keyword}`"),
        };
        let at = after.or(before).map_or(&pair.new.written, |it| &it.at);
        let value = |side: Option<&Located<'a>>| side.map(|it| it.value.clone());
        self.push(pair, kind, at, detail, value(before), value(after));
    }
}

fn carries_by_name(keyword: &str) -> bool {
    matches!(keyword, "patternProperties" | "dependentSchemas" | "dependencies")
}

/// Whether `keyword` only ever excludes values, whatever stands beside it.
fn is_plain(keyword: &str, view: &View<'_>) -> bool {
    match keyword {
        // What it declares is evaluated, so that less is left to what refuses the rest.
        it if it.starts_with("depend")
            && CONTEXTUAL[..EVALUATING].iter().any(|it| view.rest.contains_key(it)) =>
        {
            false
        }
        "not" | "propertyNames" | "dependencies" | "dependentRequired" | "dependentSchemas" => true,
        "contains" => {
            !view.rest.contains_key("minContains") && !view.rest.contains_key("maxContains")
        }
        _ => false,
    }
}

/// Whether `keyword` says what an object takes that it does not declare.
fn closes(keyword: &str) -> bool {
    keyword == "unevaluatedProperties"
}
