//! One contract against another.

use std::cmp::Ordering;

use mcp_semver_build::Contract;
use serde_json::{Value, json};

use super::{hints, structural, text};
use crate::exact;
use crate::finding::Finding;
use crate::grade::Grade;
use crate::rules;
use crate::schema::{self, Direction};

/// Everything that differs between two contracts of one name.
pub(super) fn findings(old: &Contract, new: &Contract) -> Vec<Finding> {
    let name = &new.name;
    let mut found = Vec::new();
    found.extend(description(name, &old.description, &new.description));
    found.extend(title(name, "/title", old.title.as_deref(), new.title.as_deref()));
    let anything = json!({"type": "object"});
    let (before, after) = (&old.input_schema, &new.input_schema);
    if before != after {
        // Without a schema any arguments go, which is what an object without properties says.
        let sides = [before, after].map(|side| side.as_ref().unwrap_or(&anything));
        let differences = schemas(name, sides[0], sides[1], Direction::Input);
        if differences.is_empty() {
            found.extend(stated(name, before.as_ref(), after.as_ref()));
        }
        found.extend(differences);
    }
    found.extend(output(name, old.output_schema.as_ref(), new.output_schema.as_ref()));
    found.extend(hints::annotations(name, old.annotations.as_ref(), new.annotations.as_ref()));
    found.extend(text::findings(Some(old), new));
    found.extend(hints::execution(name, old.execution.as_ref(), new.execution.as_ref()));
    found
}

fn description(name: &str, old: &Option<String>, new: &Option<String>) -> Option<Finding> {
    let blank = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
    let (rule, what) = match (blank(old), blank(new)) {
        _ if old == new => return None,
        (false, true) => (&rules::description_removed::RULE, "was removed"),
        (true, true) => (&rules::description_changed::RULE, "is as empty as before"),
        (true, false) => (&rules::description_changed::RULE, "is new"),
        (false, false) => (&rules::description_changed::RULE, "was reworded"),
    };
    Some(Finding {
        pointer: "/description".to_owned(),
        old: old.clone().map(Value::String),
        new: new.clone().map(Value::String),
        ..Finding::new(rule, format!("the description of `{name}` {what}"))
    })
}

/// A title at `pointer`, if it differs.
pub(super) fn title(
    name: &str,
    pointer: &str,
    old: Option<&str>,
    new: Option<&str>,
) -> Option<Finding> {
    let what = match (old, new) {
        _ if old == new => return None,
        (Some(_), None) => "was removed",
        (None, _) => "is new",
        _ => "was reworded",
    };
    Some(Finding {
        pointer: pointer.to_owned(),
        old: old.map(Value::from),
        new: new.map(Value::from),
        ..Finding::new(&rules::title_changed::RULE, format!("the title of `{name}` {what}"))
    })
}

fn output(name: &str, old: Option<&Value>, new: Option<&Value>) -> Vec<Finding> {
    let (rule, what) = match (old, new) {
        _ if old == new => return Vec::new(),
        (Some(old), Some(new)) => return schemas(name, old, new, Direction::Output),
        (Some(_), None) => (&rules::output_schema_removed::RULE, "has no output schema any more"),
        (None, _) => (&rules::output_schema_added::RULE, "has an output schema now"),
    };
    vec![Finding {
        pointer: "/outputSchema".to_owned(),
        old: old.cloned(),
        new: new.cloned(),
        ..Finding::new(rule, format!("`{name}` {what}"))
    }]
}

/// An input schema that is written out now, or no longer, and says what its absence says.
fn stated(name: &str, old: Option<&Value>, new: Option<&Value>) -> Option<Finding> {
    let what = match (old, new) {
        (None, Some(_)) => "has an `inputSchema` now, which accepts the same as none",
        (Some(_), None) => "has no `inputSchema` any more, which accepts the same as it did",
        _ => return None,
    };
    Some(Finding {
        pointer: "/inputSchema".to_owned(),
        old: old.cloned(),
        new: new.cloned(),
        ..Finding::new(&rules::schema_reworded::RULE, format!("`{name}` {what}"))
    })
}

fn schemas(name: &str, old: &Value, new: &Value, direction: Direction) -> Vec<Finding> {
    if exact::same(old, new) {
        return Vec::new();
    }
    let mut found: Vec<Finding> = dialect(name, old, new, direction).into_iter().collect();
    let changes = match direction {
        Direction::Input => schema::arguments::differences(old, new),
        Direction::Output => schema::differences(old, new, direction),
    };
    found.extend(changes.into_iter().map(|it| structural::finding(name, direction, it)));
    if found.is_empty() {
        let field = structural::field(direction);
        found.push(Finding {
            pointer: format!("/{field}"),
            ..Finding::new(
                &rules::schema_reworded::RULE,
                format!("`{field}` of `{name}` is written differently and accepts the same values"),
            )
        });
    }
    found
}

fn dialect(name: &str, old: &Value, new: &Value, direction: Direction) -> Option<Finding> {
    let rule = &rules::dialect_changed::RULE;
    let grade = match schema::dialect_move(old, new) {
        Ordering::Equal => return None,
        Ordering::Less => rule.grade,
        Ordering::Greater => Grade::Patch,
    };
    let named = |schema: &Value| match schema.get("$schema") {
        Some(Value::String(uri)) => format!("`{uri}`"),
        Some(other) => format!("{other}, which is no URI"),
        None => "2020-12, which is assumed".to_owned(),
    };
    let field = structural::field(direction);
    let message =
        format!("`{field}` of `{name}` is written in {}, it was {}", named(new), named(old));
    Some(Finding {
        grade,
        pointer: format!("/{field}/$schema"),
        old: old.get("$schema").cloned(),
        new: new.get("$schema").cloned(),
        ..Finding::new(rule, message)
    })
}
