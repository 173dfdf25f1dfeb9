//! What a kind of change says by itself.

use serde_json::Value;

use super::Proof;
use crate::schema::change::{Change, Direction, Kind};

/// Whether a change says nothing of the values that are accepted.
pub(super) fn is_about_words(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::DescriptionChanged | Kind::DescriptionRemoved | Kind::TitleChanged | Kind::Reworded
    )
}

/// Whether a change tells of formats that break.
pub(super) fn is_about_formats(kind: Kind, direction: Direction) -> bool {
    match direction {
        Direction::Input => matches!(kind, Kind::FormatNarrowed | Kind::IntegerFormatNarrowed),
        Direction::Output => matches!(kind, Kind::FormatWidened | Kind::IntegerFormatWidened),
    }
}

/// A schema of the values that are listed on one side alone, where that is what a change says.
pub(super) fn listed(change: &Change) -> Option<&Value> {
    let is_of_values = matches!(change.kind, Kind::EnumNarrowed | Kind::EnumWidened);
    change.shows.as_ref().filter(|it| is_of_values && it.get("enum").is_some())
}

/// Whether a change says that schemas differ, and not in what.
pub(super) fn is_vague(change: &Change) -> bool {
    let says_nothing = change.old.is_none() && change.new.is_none();
    change.kind == Kind::Narrowed
        || (matches!(change.kind, Kind::ConstraintTightened | Kind::ConstraintLoosened)
            && says_nothing)
}

impl<'d, 'a> Proof<'d, 'a> {
    /// Whether the accepted values alone decide whether such a change breaks.
    pub(super) fn is_decided_by_values(&self, kind: Kind) -> bool {
        matches!(
            (kind, self.direction),
            (Kind::Unproven | Kind::Pattern | Kind::Narrowed, _)
                | (
                    Kind::RequiredAdded
                        | Kind::TypeNarrowed
                        | Kind::EnumNarrowed
                        | Kind::ConstraintTightened,
                    Direction::Input,
                )
                | (
                    Kind::RequiredRemoved
                        | Kind::TypeWidened
                        | Kind::EnumWidened
                        | Kind::ConstraintLoosened,
                    Direction::Output,
                )
        )
    }

    /// Whether a change says that there is more room for whoever is not to be surprised.
    pub(super) fn gives_room(&self, kind: Kind) -> bool {
        match self.direction {
            Direction::Input => matches!(
                kind,
                Kind::TypeWidened
                    | Kind::EnumWidened
                    | Kind::ConstraintLoosened
                    | Kind::RequiredRemoved
                    | Kind::Opened
            ),
            Direction::Output => matches!(
                kind,
                Kind::TypeNarrowed
                    | Kind::EnumNarrowed
                    | Kind::ConstraintTightened
                    | Kind::RequiredAdded
                    | Kind::Closed
            ),
        }
    }

    /// Whether a change says that names are no longer declared or accepted, or, of a result, that
    /// there may be others.
    pub(super) fn is_about_names(&self, kind: Kind) -> bool {
        matches!(
            (kind, self.direction),
            (Kind::PropertyRemoved | Kind::Closed, Direction::Input)
                | (Kind::Opened, Direction::Output)
        )
    }

    /// Whether a change is one that a value has to show, and none does.
    pub(super) fn lacks_a_witness(&self, change: &Change) -> bool {
        let is_open = matches!(change.kind, Kind::Unproven | Kind::Pattern);
        let is_of_calls = self.direction == Direction::Input && self.is_about_names(change.kind);
        change.witness.is_none()
            && !is_open
            && (is_of_calls || self.is_decided_by_values(change.kind))
    }

    /// Whether some rule calls such a change breaking.
    pub(super) fn breaks(&self, kind: Kind) -> bool {
        self.is_decided_by_values(kind)
            || match self.direction {
                Direction::Input => matches!(
                    kind,
                    Kind::PropertyRemoved
                        | Kind::Closed
                        | Kind::DefaultChanged
                        | Kind::FormatNarrowed
                        | Kind::IntegerFormatNarrowed
                ),
                Direction::Output => matches!(
                    kind,
                    Kind::PropertyRemoved
                        | Kind::TypeNarrowed
                        | Kind::FormatWidened
                        | Kind::IntegerFormatWidened
                ),
            }
    }
}
