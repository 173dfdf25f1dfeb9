//! The rules: what can be observed about a change, and what it weighs.
//!
//! Each rule is one file of data. To add one, write its file and name it in the two lists below;
//! its example and near miss are tested with the others.

use serde_json::{Value, json};

use crate::grade::{Dimension, Grade};

pub(crate) mod annotation_less_safe;
pub(crate) mod annotation_reworded;
pub(crate) mod annotation_safer;
pub(crate) mod contract_changed;
pub(crate) mod description_changed;
pub(crate) mod description_removed;
pub(crate) mod dialect_changed;
pub(crate) mod execution_narrowed;
pub(crate) mod execution_widened;
pub(crate) mod hidden_text;
pub(crate) mod input_closed;
pub(crate) mod input_constraint_loosened;
pub(crate) mod input_constraint_tightened;
pub(crate) mod input_default_added;
pub(crate) mod input_default_changed;
pub(crate) mod input_enum_narrowed;
pub(crate) mod input_enum_widened;
pub(crate) mod input_format_narrowed;
pub(crate) mod input_format_widened;
pub(crate) mod input_integer_format_narrowed;
pub(crate) mod input_integer_format_widened;
pub(crate) mod input_narrowed;
pub(crate) mod input_opened;
pub(crate) mod input_property_added;
pub(crate) mod input_property_removed;
pub(crate) mod input_required_added;
pub(crate) mod input_required_removed;
pub(crate) mod input_type_narrowed;
pub(crate) mod input_type_widened;
pub(crate) mod instruction_text;
pub(crate) mod output_closed;
pub(crate) mod output_constraint_tightened;
pub(crate) mod output_enum_narrowed;
pub(crate) mod output_opened;
pub(crate) mod output_property_added;
pub(crate) mod output_property_removed;
pub(crate) mod output_required_added;
pub(crate) mod output_required_removed;
pub(crate) mod output_schema_added;
pub(crate) mod output_schema_removed;
pub(crate) mod output_type_narrowed;
pub(crate) mod output_widened;
pub(crate) mod schema_reworded;
pub(crate) mod title_changed;
pub(crate) mod tool_added;
pub(crate) mod tool_removed;
pub(crate) mod unproven;

#[cfg(test)]
mod tests;

/// Every rule, sorted by id.
pub static ALL: &[&Rule] = &[
    &annotation_less_safe::RULE,
    &annotation_reworded::RULE,
    &annotation_safer::RULE,
    &contract_changed::RULE,
    &description_changed::RULE,
    &description_removed::RULE,
    &dialect_changed::RULE,
    &execution_narrowed::RULE,
    &execution_widened::RULE,
    &hidden_text::RULE,
    &input_closed::RULE,
    &input_constraint_loosened::RULE,
    &input_constraint_tightened::RULE,
    &input_default_added::RULE,
    &input_default_changed::RULE,
    &input_enum_narrowed::RULE,
    &input_enum_widened::RULE,
    &input_format_narrowed::RULE,
    &input_format_widened::RULE,
    &input_integer_format_narrowed::RULE,
    &input_integer_format_widened::RULE,
    &input_narrowed::RULE,
    &input_opened::RULE,
    &input_property_added::RULE,
    &input_property_removed::RULE,
    &input_required_added::RULE,
    &input_required_removed::RULE,
    &input_type_narrowed::RULE,
    &input_type_widened::RULE,
    &instruction_text::RULE,
    &output_closed::RULE,
    &output_constraint_tightened::RULE,
    &output_enum_narrowed::RULE,
    &output_opened::RULE,
    &output_property_added::RULE,
    &output_property_removed::RULE,
    &output_required_added::RULE,
    &output_required_removed::RULE,
    &output_schema_added::RULE,
    &output_schema_removed::RULE,
    &output_type_narrowed::RULE,
    &output_widened::RULE,
    &schema_reworded::RULE,
    &title_changed::RULE,
    &tool_added::RULE,
    &tool_removed::RULE,
    &unproven::RULE,
];

/// One rule. Rules are data: the comparison names one, configuration re-grades it, reports
/// explain it.
#[derive(Debug, PartialEq)]
pub struct Rule {
    /// Stable snake-case id; consumers and configuration rely on it.
    pub id: &'static str,
    /// What of a tool it is about.
    pub dimension: Dimension,
    /// The grade of its findings unless configured otherwise.
    pub grade: Grade,
    /// Whether it is about an agent being misled rather than a call failing.
    pub security: bool,
    /// Whether a person has to confirm what it finds, whatever the version covers.
    pub confirmation: bool,
    /// What it says, in one line.
    pub summary: &'static str,
    /// What an agent would notice, in one or two sentences.
    pub why: &'static str,
    /// Where to read more, if anywhere.
    pub reference: Option<&'static str>,
    /// A change that fires it at its default grade.
    pub example: Pair,
    /// A change much like it that does not.
    pub near_miss: Pair,
}

/// Two versions of something, as JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pair {
    /// Two `tools` arrays of a `tools/list` result.
    Tools {
        /// Before.
        old: &'static str,
        /// After.
        new: &'static str,
    },
    /// Two input schemas of one tool.
    Input {
        /// Before.
        old: &'static str,
        /// After.
        new: &'static str,
    },
    /// Two output schemas of one tool.
    Output {
        /// Before.
        old: &'static str,
        /// After.
        new: &'static str,
    },
}

impl Pair {
    /// Both versions as `tools` arrays.
    ///
    /// # Errors
    /// When the text is not JSON; the tests see to it that it is.
    pub fn tools(&self) -> serde_json::Result<[Value; 2]> {
        let (old, new, around): (_, _, fn(Value) -> Value) = match self {
            Self::Tools { old, new } => (old, new, |tools| tools),
            Self::Input { old, new } => {
                (old, new, |schema| json!([{"name": "search", "inputSchema": schema}]))
            }
            Self::Output { old, new } => (old, new, |schema| {
                let input = json!({"type": "object"});
                json!([{"name": "search", "inputSchema": input, "outputSchema": schema}])
            }),
        };
        Ok([around(serde_json::from_str(old)?), around(serde_json::from_str(new)?)])
    }
}

/// The rule with this id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.id == id)
}

/// What every rule's file needs.
mod prelude {
    pub(super) use super::{Pair, Rule};
    pub(super) use crate::grade::{Dimension, Grade};
}
