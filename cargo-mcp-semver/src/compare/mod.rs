//! From two sides of a comparison to findings.

mod hints;
mod structural;
mod text;
mod tool;

#[cfg(test)]
mod tests;

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use mcp_semver_build::{Contract, Held};
use serde_json::Value;

use crate::baseline::{Baseline, BaselineTool};
use crate::exact;
use crate::finding::Finding;
use crate::rules;
use crate::verdict::Status;

/// How one tool differs.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolChange {
    /// The tool's name.
    pub name: String,
    /// How it stands against the baseline.
    pub status: Status,
    /// What was observed, the gravest first; empty exactly when it is unchanged.
    pub findings: Vec<Finding>,
    /// The baseline's contract, where there is one and something changed.
    pub old: Option<Held>,
    /// The new side's contract, where there is one and something changed.
    pub new: Option<Held>,
}

/// Compares every tool of either side; sorted by name.
///
/// The new side is a [`Baseline`] too, because `diff` takes a lockfile there, which may hold
/// digests without contracts; a catalogue becomes one by `Baseline::from(&catalogue)`.
pub fn compare(old: &Baseline, new: &Baseline) -> Vec<ToolChange> {
    let pairs = pairs(old, new);
    let renamed = renamed(&pairs);
    let origins: BTreeMap<_, _> = renamed.iter().map(|(from, to)| (*to, *from)).collect();
    pairs
        .into_iter()
        .map(|(name, before, after)| {
            let (status, mut findings) = match (before, after) {
                (Some(before), Some(after)) => in_both(name, before, after),
                (Some(_), None) => {
                    (Status::Removed, vec![removed(name, renamed.get(name).copied())])
                }
                (None, after) => {
                    let from = origins.get(name).copied();
                    let mut findings = vec![added(name, from)];
                    let was = from.and_then(|from| old.tools.get(from)?.contract.as_deref());
                    let contract = after.and_then(|tool| tool.contract.as_ref());
                    findings.extend(contract.into_iter().flat_map(|it| text::findings(was, it)));
                    (Status::Added, findings)
                }
            };
            findings.sort_by_key(|finding| Reverse(finding.grade));
            let contract = |side: Option<&BaselineTool>| {
                let changed = side.filter(|_| status != Status::Unchanged)?;
                changed.contract.clone()
            };
            let (old, new) = (contract(before), contract(after));
            ToolChange { name: name.clone(), status, findings, old, new }
        })
        .collect()
}

/// A tool's name, and how either side has it.
type Pair<'b> = (&'b String, Option<&'b BaselineTool>, Option<&'b BaselineTool>);

/// Every tool of either side, by name: both are sorted, so nothing is looked up.
fn pairs<'b>(old: &'b Baseline, new: &'b Baseline) -> Vec<Pair<'b>> {
    let (mut before, mut after) = (old.tools.iter().peekable(), new.tools.iter().peekable());
    let next = || {
        let order = match (before.peek(), after.peek()) {
            (Some((one, _)), Some((other, _))) => one.cmp(other),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let old = before.next_if(|_| order.is_le());
        let new = after.next_if(|_| order.is_ge());
        Some((old.or(new)?.0, old.map(|it| it.1), new.map(|it| it.1)))
    };
    std::iter::from_fn(next).collect()
}

/// Tools whose texts that need a person's confirmation all stand in the lockfile already: whoever
/// locked them confirmed them.
pub fn confirmed(locked: &Baseline, new: &Baseline) -> BTreeSet<String> {
    let is_confirmed = |(name, after): &(&String, &BaselineTool)| {
        let Some(before) = locked.tools.get(*name) else { return false };
        match (&before.contract, &after.contract) {
            (Some(before), Some(after)) => {
                before == after
                    || text::findings(Some(before), after).iter().all(|it| !it.unconfirmed)
            }
            _ => before.same_digest(after) == Some(true),
        }
    };
    new.tools.iter().filter(is_confirmed).map(|(name, _)| name.clone()).collect()
}

fn in_both(name: &str, old: &BaselineTool, new: &BaselineTool) -> (Status, Vec<Finding>) {
    let same = old.same_digest(new);
    let mut findings = match (&old.contract, &new.contract) {
        // A digest is not the last word where both contracts are here.
        (Some(before), Some(after)) if same == Some(true) && same_beyond_digest(before, after) => {
            return (Status::Unchanged, Vec::new());
        }
        (Some(before), Some(after)) => tool::findings(before, after),
        _ if same == Some(true) => return (Status::Unchanged, Vec::new()),
        // Nothing tells which of its texts are new.
        (None, Some(after)) => text::findings(None, after),
        _ => Vec::new(),
    };
    if old.contract.is_none() || new.contract.is_none() {
        findings.push(moved(name, same));
    } else if findings.is_empty() {
        let message = format!("the contract of `{name}` is written differently");
        findings.push(Finding::new(&rules::contract_changed::RULE, message));
    }
    (Status::Changed, findings)
}

/// Compares what the digest leaves out, and the digits of numbers that it rounds.
fn same_beyond_digest(old: &Held, new: &Held) -> bool {
    let same = |one: &Option<Value>, other: &Option<Value>| match (one, other) {
        (Some(one), Some(other)) => exact::same(one, other),
        _ => one == other,
    };
    old.is_shared(new)
        || (old.title == new.title
            && old.execution == new.execution
            && same(&old.input_schema, &new.input_schema)
            && same(&old.output_schema, &new.output_schema)
            && same(&old.annotations, &new.annotations))
}

/// The finding about a contract of which nothing is known but that it moved, or not even that.
fn moved(name: &str, same: Option<bool>) -> Finding {
    match same {
        // It may be anything, a removed argument too.
        Some(_) => Finding::new(
            &rules::unproven::RULE,
            format!(
                "the contract of `{name}` changed, and what changed cannot be told: one side holds \
                 only its digest"
            ),
        ),
        None => Finding::new(
            &rules::unproven::RULE,
            format!(
                "whether the contract of `{name}` changed cannot be told: neither side holds it, \
                 and the digests are of different schemes"
            ),
        ),
    }
}

fn removed(name: &str, renamed: Option<&String>) -> Finding {
    let rule = &rules::tool_removed::RULE;
    match renamed {
        Some(to) => Finding {
            old: Some(name.into()),
            new: Some(to.as_str().into()),
            ..Finding::new(rule, format!("tool `{name}` was renamed to `{to}`"))
        },
        None => Finding::new(rule, format!("tool `{name}` was removed")),
    }
}

fn added(name: &str, renamed: Option<&String>) -> Finding {
    let rule = &rules::tool_added::RULE;
    match renamed {
        Some(from) => Finding::new(rule, format!("tool `{name}` is new: it was `{from}` before")),
        None => Finding::new(rule, format!("tool `{name}` is new")),
    }
}

/// Removed tools by the added one that has the same contract but for its name and title, where
/// only one does.
fn renamed<'b>(pairs: &[Pair<'b>]) -> BTreeMap<&'b String, &'b String> {
    type Nameless<'b> = BTreeMap<String, Vec<&'b String>>;
    let (mut gone, mut added) = (Nameless::new(), Nameless::new());
    for (name, before, after) in pairs {
        let (side, tool) = match (before, after) {
            (Some(tool), None) => (&mut gone, tool),
            (None, Some(tool)) => (&mut added, tool),
            _ => continue,
        };
        if let Some(contract) = &tool.contract {
            side.entry(without_name(contract)).or_default().push(name);
        }
    }
    gone.into_iter()
        .filter_map(|(contract, from)| match (from.as_slice(), added.get(&contract)?.as_slice()) {
            ([from], [to]) => Some((*from, *to)),
            _ => None,
        })
        .collect()
}

fn without_name(contract: &Contract) -> String {
    let fields = contract.to_fields().into_iter();
    let kept = fields.filter(|(field, _)| !matches!(*field, "name" | "title"));
    let map = kept.map(|(field, value)| (field.to_owned(), value)).collect();
    exact::text(&Value::Object(map))
}
