//! What can differ between two schemas, before anybody judges it.

use serde_json::Value;

use super::document::Pointer;

/// Who sends the values that a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Callers: whatever was accepted has to stay accepted.
    Input,
    /// The tool: whatever arrives has to be what was promised.
    Output,
}

/// How two schemas differ at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A declared property is gone.
    PropertyRemoved,
    /// A declared property is new, and optional on an input.
    PropertyAdded,
    /// A property has to be there now.
    RequiredAdded,
    /// A property may be missing now.
    RequiredRemoved,
    /// Fewer types.
    TypeNarrowed,
    /// More types.
    TypeWidened,
    /// Listed values or union variants are gone.
    EnumNarrowed,
    /// Listed values or union variants are new.
    EnumWidened,
    /// A bound, length, pattern or count excludes more.
    ConstraintTightened,
    /// A bound, length, pattern or count excludes less.
    ConstraintLoosened,
    /// A string has to have a format.
    FormatNarrowed,
    /// A string need not have a format any more, or may have a wider one.
    FormatWidened,
    /// A number has to fit a smaller integer.
    IntegerFormatNarrowed,
    /// A number may be a larger integer.
    IntegerFormatWidened,
    /// The value that stands for an omitted one is another or none.
    DefaultChanged,
    /// There is a value that stands for an omitted one.
    DefaultAdded,
    /// Undeclared properties are limited.
    Closed,
    /// Undeclared properties are limited no longer, or less.
    Opened,
    /// A description reads differently.
    DescriptionChanged,
    /// A description is gone.
    DescriptionRemoved,
    /// A title reads differently.
    TitleChanged,
    /// Written differently, the same values accepted.
    Reworded,
    /// Values are newly rejected (or newly possible, in a result), and no other kind says why.
    Narrowed,
    /// A pattern is another one, and how the two relate is not known.
    Pattern,
    /// Different, and not understood well enough to say more.
    Unproven,
}

/// One difference between two schemas.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// What kind of difference.
    pub kind: Kind,
    /// Where, in dotted form (`filter.stops[].mode`); empty for the whole value.
    pub path: String,
    /// JSON pointer into the new schema, or into the old one for what is gone.
    pub pointer: String,
    /// What follows the name of the place to make a sentence.
    pub detail: String,
    /// What the old schema says there.
    pub old: Option<Value>,
    /// What the new schema says there.
    pub new: Option<Value>,
    /// Further places that the same schema applies to.
    pub uses: Vec<String>,
    /// A whole value that shows the difference, confirmed by a validator on both sides: arguments
    /// that only the old schema accepts, or a result that only the new one allows.
    pub witness: Option<Value>,
    /// A schema of the values, at the place of the two schemas, that show this change.
    pub(super) shows: Option<Value>,
    /// JSON pointers to the two schemas that were being compared, where each is written in one
    /// place.
    pub(super) sides: Option<(String, String)>,
    /// Further schemas that the same was found between.
    pub(super) also: Vec<(String, String)>,
    /// JSON pointer to the new one of the two.
    pub(super) around: String,
}

impl Change {
    /// Every place that it is told of, the nearest to the root first.
    pub(super) fn places(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.path).chain(&self.uses)
    }

    /// JSON pointer into the new schema to the keyword that differs, or to where what is gone
    /// would be; `None` where [`Change::pointer`] leads there.
    pub fn anchor(&self) -> Option<String> {
        let (at, around) = (Pointer::parse(&self.pointer), Pointer::parse(&self.around));
        let anchor = match (self.kind, &self.new) {
            (Kind::PropertyRemoved, Some(Value::String(renamed))) => {
                around.child("properties").child(renamed)
            }
            (_, None) => around,
            (Kind::DescriptionChanged, _) => at.child("description"),
            (Kind::TitleChanged, _) => at.child("title"),
            (Kind::DefaultChanged | Kind::DefaultAdded, _) => at.child("default"),
            _ => return None,
        };
        Some(anchor.to_string())
    }
}
