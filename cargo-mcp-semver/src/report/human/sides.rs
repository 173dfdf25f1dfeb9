//! What stood there before and what stands there now, as much of it as a reader needs.

use mcp_semver_build::Contract;
use serde_json::{Value, json};

use crate::finding::Finding;
use crate::grade::Dimension;
use crate::verdict::ToolReport;

/// Where properties stand in a schema.
const PROPERTIES: &str = "/properties/";

/// Old and new.
pub(super) type Sides = (Option<Value>, Option<Value>);

/// Old and new of a finding. A bound, a type or a default alone says little, so the schema around
/// it is shown where it differs; texts and whatever lies elsewhere are shown as the finding has
/// them.
pub(super) fn of(tool: &ToolReport, finding: &Finding) -> Sides {
    let own = (finding.old.clone(), finding.new.clone());
    let pointer = finding.pointer.as_str();
    if let Some(hint) = pointer.strip_prefix("/annotations/") {
        return (own.0.map(|old| named(hint, old)), own.1.map(|new| named(hint, new)));
    }
    let is_schema = pointer.starts_with("/inputSchema") || pointer.starts_with("/outputSchema");
    if !is_schema || finding.rule.dimension == Dimension::Description {
        return own;
    }
    let json = |contract: &Option<Contract>| contract.as_ref().map(Contract::to_json);
    let (Some(old), Some(new)) = (json(&tool.old), json(&tool.new)) else { return own };
    match (old.pointer(pointer), new.pointer(pointer)) {
        (Some(before), Some(after)) if before == after => {
            required(&old, &new, pointer).unwrap_or(own)
        }
        (None, None) => own,
        (before, after) => {
            let renamed = finding.new.as_ref().and_then(Value::as_str);
            let sibling = renamed.and_then(|name| sibling(&new, pointer, name));
            (
                before.map(|before| property(pointer, before)),
                after.map(|after| property(pointer, after)).or(sibling),
            )
        }
    }
}

/// A property's schema under its name; any other schema as it is.
fn property(pointer: &str, schema: &Value) -> Value {
    match pointer.rsplit_once(PROPERTIES) {
        Some((_, name)) if !name.contains('/') => named(name, schema.clone()),
        _ => schema.clone(),
    }
}

/// The property `name` beside the one that `pointer` leads to, with its name.
fn sibling(contract: &Value, pointer: &str, name: &str) -> Option<Value> {
    let (parent, _) = pointer.rsplit_once(PROPERTIES)?;
    let schema = contract.pointer(parent)?.get("properties")?.get(name)?;
    Some(json!({ name: schema }))
}

/// The lists of required properties around a property, where they differ.
fn required(old: &Value, new: &Value, pointer: &str) -> Option<Sides> {
    let (parent, _) = pointer.rsplit_once(PROPERTIES)?;
    let list = |contract: &Value| {
        let list = contract.pointer(parent)?.get("required").cloned();
        Some(json!({ "required": list.unwrap_or(json!([])) }))
    };
    let sides = (list(old)?, list(new)?);
    (sides.0 != sides.1).then_some((Some(sides.0), Some(sides.1)))
}

/// `value` under the name that a token of a JSON pointer stands for.
fn named(token: &str, value: Value) -> Value {
    let name = token.replace("~1", "/").replace("~0", "~");
    json!({ name: value })
}
