//! What a difference between two schemas is called, and what it weighs in either direction.

use crate::finding::Finding;
use crate::rules::{self, Rule};
use crate::schema::{Change, Direction, Kind};

/// So many further uses of a schema are named in a message.
const USES_NAMED: usize = 5;

/// The contract's field that holds the schema.
pub(super) fn field(direction: Direction) -> &'static str {
    match direction {
        Direction::Input => "inputSchema",
        Direction::Output => "outputSchema",
    }
}

/// The finding that a change is.
pub(super) fn finding(tool: &str, direction: Direction, change: Change) -> Finding {
    let rule = rule(direction, change.kind);
    let place = match (direction, change.path.as_str()) {
        (Direction::Input, "") => "the argument object".to_owned(),
        (Direction::Output, "") => "the result".to_owned(),
        (Direction::Input, path) => format!("argument `{path}`"),
        (Direction::Output, path) => format!("result field `{path}`"),
    };
    let uses = uses(&change.uses);
    let inside = |pointer: &str| format!("/{}{pointer}", field(direction));
    Finding {
        pointer: inside(&change.pointer),
        anchor: change.anchor().as_deref().map(inside),
        old: change.old,
        new: change.new,
        path: change.path,
        uses: change.uses,
        witness: change.witness,
        ..Finding::new(rule, format!("{place} of `{tool}` {}{uses}", change.detail))
    }
}

fn uses(uses: &[String]) -> String {
    if uses.is_empty() {
        return String::new();
    }
    let named: Vec<String> = uses.iter().take(USES_NAMED).map(|path| format!("`{path}`")).collect();
    let more = match uses.len().saturating_sub(USES_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("; likewise {}{more}, by the same definition", named.join(", "))
}

fn rule(direction: Direction, kind: Kind) -> &'static Rule {
    match direction {
        Direction::Input => input(kind),
        Direction::Output => output(kind),
    }
}

fn input(kind: Kind) -> &'static Rule {
    match kind {
        Kind::PropertyRemoved => &rules::input_property_removed::RULE,
        Kind::PropertyAdded => &rules::input_property_added::RULE,
        Kind::RequiredAdded => &rules::input_required_added::RULE,
        Kind::RequiredRemoved => &rules::input_required_removed::RULE,
        Kind::TypeNarrowed => &rules::input_type_narrowed::RULE,
        Kind::TypeWidened => &rules::input_type_widened::RULE,
        Kind::EnumNarrowed => &rules::input_enum_narrowed::RULE,
        Kind::EnumWidened => &rules::input_enum_widened::RULE,
        Kind::ConstraintTightened => &rules::input_constraint_tightened::RULE,
        Kind::ConstraintLoosened => &rules::input_constraint_loosened::RULE,
        Kind::FormatNarrowed => &rules::input_format_narrowed::RULE,
        Kind::FormatWidened => &rules::input_format_widened::RULE,
        Kind::IntegerFormatNarrowed => &rules::input_integer_format_narrowed::RULE,
        Kind::IntegerFormatWidened => &rules::input_integer_format_widened::RULE,
        Kind::DefaultChanged => &rules::input_default_changed::RULE,
        Kind::DefaultAdded => &rules::input_default_added::RULE,
        Kind::Closed => &rules::input_closed::RULE,
        Kind::Opened => &rules::input_opened::RULE,
        Kind::Narrowed => &rules::input_narrowed::RULE,
        either => either_way(either),
    }
}

fn output(kind: Kind) -> &'static Rule {
    match kind {
        Kind::PropertyRemoved => &rules::output_property_removed::RULE,
        Kind::PropertyAdded => &rules::output_property_added::RULE,
        Kind::RequiredAdded => &rules::output_required_added::RULE,
        Kind::RequiredRemoved => &rules::output_required_removed::RULE,
        Kind::TypeNarrowed => &rules::output_type_narrowed::RULE,
        Kind::EnumNarrowed => &rules::output_enum_narrowed::RULE,
        Kind::ConstraintTightened | Kind::FormatNarrowed | Kind::IntegerFormatNarrowed => {
            &rules::output_constraint_tightened::RULE
        }
        Kind::TypeWidened
        | Kind::EnumWidened
        | Kind::ConstraintLoosened
        | Kind::FormatWidened
        | Kind::Narrowed
        | Kind::IntegerFormatWidened => &rules::output_widened::RULE,
        Kind::Closed => &rules::output_closed::RULE,
        Kind::Opened => &rules::output_opened::RULE,
        // Results leave nothing out that a reader would fill in.
        Kind::DefaultChanged | Kind::DefaultAdded => &rules::schema_reworded::RULE,
        either => either_way(either),
    }
}

/// Rules that do not ask who sends the values. Every other kind is judged before.
fn either_way(kind: Kind) -> &'static Rule {
    match kind {
        Kind::DescriptionChanged => &rules::description_changed::RULE,
        Kind::DescriptionRemoved => &rules::description_removed::RULE,
        Kind::TitleChanged => &rules::title_changed::RULE,
        Kind::Reworded => &rules::schema_reworded::RULE,
        _ => &rules::unproven::RULE,
    }
}
