//! Annotations and task support, by what they mean rather than how they are written.

use std::collections::BTreeSet;

use mcp_semver_build::pointer::escaped;
use serde_json::Value;

use super::tool;
use crate::finding::Finding;
use crate::rules::{self, Rule};

/// The hints of a tool as clients take them: what is absent has the specification's default.
#[derive(PartialEq)]
struct Hints {
    read_only: bool,
    destructive: bool,
    idempotent: bool,
    open_world: bool,
}

impl Hints {
    fn of(annotations: Option<&Value>) -> Self {
        let hint = |name: &str, default: bool| {
            annotations.and_then(|it| it.get(name)).and_then(Value::as_bool).unwrap_or(default)
        };
        Self {
            read_only: hint("readOnlyHint", false),
            destructive: hint("destructiveHint", true),
            idempotent: hint("idempotentHint", false),
            open_world: hint("openWorldHint", true),
        }
    }

    /// Each hint that counts on both sides with its values, and whether `true` is the safe one.
    fn against(&self, new: &Self) -> Vec<(&'static str, bool, bool, bool)> {
        let mut hints = vec![
            ("readOnlyHint", self.read_only, new.read_only, true),
            ("openWorldHint", self.open_world, new.open_world, false),
        ];
        if !self.read_only && !new.read_only {
            hints.push(("destructiveHint", self.destructive, new.destructive, false));
            hints.push(("idempotentHint", self.idempotent, new.idempotent, true));
        }
        hints
    }
}

/// What the annotations say differently.
pub(super) fn annotations(name: &str, old: Option<&Value>, new: Option<&Value>) -> Vec<Finding> {
    if old == new {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (hint, before, after, safe) in Hints::of(old).against(&Hints::of(new)) {
        let rule: &'static Rule = match () {
            () if before == after => continue,
            () if after == safe => &rules::annotation_safer::RULE,
            () => &rules::annotation_less_safe::RULE,
        };
        found.push(Finding {
            pointer: format!("/annotations/{hint}"),
            old: Some(before.into()),
            new: Some(after.into()),
            ..Finding::new(rule, format!("`{hint}` of `{name}` is {after} now, it was {before}"))
        });
    }
    let title =
        |side: Option<&Value>| side.and_then(|it| it.get("title")?.as_str().map(str::to_owned));
    let (before, after) = (title(old), title(new));
    found.extend(tool::title(name, "/annotations/title", before.as_deref(), after.as_deref()));
    found.extend(strange(name, old, new, &found));
    if found.is_empty() {
        found.push(Finding {
            pointer: "/annotations".to_owned(),
            old: old.cloned(),
            new: new.cloned(),
            ..Finding::new(
                &rules::annotation_reworded::RULE,
                format!("the annotations of `{name}` are written differently and mean the same"),
            )
        });
    }
    found
}

/// What differs in annotations that the specification does not know, or not with such a value,
/// and that nothing was `found` of.
fn strange(
    name: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    found: &[Finding],
) -> Vec<Finding> {
    let maps = [old, new].map(|side| side.and_then(Value::as_object));
    let keys: BTreeSet<&String> = maps.into_iter().flatten().flat_map(|map| map.keys()).collect();
    let differing = |key: &&String| {
        let [before, after] = maps.map(|map| map.and_then(|map| map.get(*key)));
        let said = |it: Option<&Value>| it.is_some_and(|it| !is_understood(key, it));
        before != after && (said(before) || said(after))
    };
    let differing = keys.into_iter().filter(differing).map(|key| {
        let (rule, why): (&'static Rule, _) = match is_known(key) {
            true => (&rules::unproven::RULE, "with a value that it does not have"),
            false => (&rules::contract_changed::RULE, "which the specification does not define"),
        };
        let side = |side: Option<&Value>| side.and_then(|it| it.get(key)).cloned();
        Finding {
            pointer: format!("/annotations/{}", escaped(key)),
            old: side(old),
            new: side(new),
            ..Finding::new(rule, format!("the annotations of `{name}` differ in `{key}`, {why}"))
        }
    });
    differing.filter(|it| found.iter().all(|known| known.pointer != it.pointer)).collect()
}

/// Whether the specification says what such an annotation means.
fn is_understood(annotation: &str, value: &Value) -> bool {
    let typed = if annotation == "title" { value.is_string() } else { value.is_boolean() };
    is_known(annotation) && (typed || value.is_null())
}

fn is_known(annotation: &str) -> bool {
    let known = ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    known.contains(&annotation)
}

/// What the execution object says differently.
pub(super) fn execution(name: &str, old: Option<&Value>, new: Option<&Value>) -> Option<Finding> {
    if old == new {
        return None;
    }
    let (before, after) = (TaskSupport::of(old), TaskSupport::of(new));
    let (rule, what): (&'static Rule, _) = match (before, after) {
        (Some(before), Some(after)) if others(old) == others(new) => {
            let lost = (before.plain && !after.plain) || (before.task && !after.task);
            match (before == after, lost) {
                (true, _) => (
                    &rules::contract_changed::RULE,
                    "is written differently and means the same".to_owned(),
                ),
                (false, true) => (&rules::execution_narrowed::RULE, before.to(after)),
                (false, false) => (&rules::execution_widened::RULE, before.to(after)),
            }
        }
        _ => (&rules::unproven::RULE, "differs in a way that is not understood".to_owned()),
    };
    Some(Finding {
        pointer: "/execution".to_owned(),
        old: old.cloned(),
        new: new.cloned(),
        ..Finding::new(rule, format!("`execution` of `{name}` {what}"))
    })
}

/// How a tool may be run.
#[derive(Clone, Copy, PartialEq)]
struct TaskSupport {
    plain: bool,
    task: bool,
}

impl TaskSupport {
    /// `None` when the value is none that the specification knows.
    fn of(execution: Option<&Value>) -> Option<Self> {
        let (plain, task) = match execution.and_then(|it| it.get("taskSupport")) {
            None => (true, false),
            Some(Value::String(text)) => match text.as_str() {
                "forbidden" => (true, false),
                "optional" => (true, true),
                "required" => (false, true),
                _ => return None,
            },
            Some(_) => return None,
        };
        Some(Self { plain, task })
    }

    fn name(self) -> &'static str {
        match (self.plain, self.task) {
            (true, false) => "forbidden",
            (true, true) => "optional",
            (false, _) => "required",
        }
    }

    fn to(self, new: Self) -> String {
        format!("says that tasks are {}, they were {}", new.name(), self.name())
    }
}

/// What an execution object says beside `taskSupport`.
fn others(execution: Option<&Value>) -> Vec<(&String, &Value)> {
    let map = execution.and_then(Value::as_object);
    map.into_iter().flatten().filter(|(key, _)| *key != "taskSupport").collect()
}
