//! JSON Schema: how two schemas differ.
//!
//! A schema is read through its `view`, which is independent of spelling; two
//! schemas are walked in step, and every difference becomes a [`Change`]. What a change weighs is
//! not decided here.

mod apart;
pub mod arguments;
mod beside;
mod carriers;
mod change;
mod containers;
mod containment;
mod declared;
mod distributed;
mod document;
mod fold;
mod formats;
mod keywords;
mod names;
mod normal;
mod number;
mod pairing;
pub mod path;
mod places;
mod proof;
mod recorded;
mod renames;
mod resources;
mod scalars;
mod split;
mod texts;
mod types;
mod unchanged;
mod unions;
mod variants;
mod view;
mod walk;

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod naming;
#[cfg(test)]
mod spellings;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod witnesses;

use serde_json::Value;

pub use change::{Change, Direction, Kind};
pub use declared::{find, places, uses};
use document::{Dialect, Document};

/// How `new` differs from `old`.
///
/// Changes come in reading order. When the result is empty both schemas accept the same values
/// and say the same to a reader, though they may be written differently.
pub fn differences(old: &Value, new: &Value, direction: Direction) -> Vec<Change> {
    let [old, new] = Document::pair(old, new);
    all(&old, &new, direction)
}

fn all(old: &Document<'_>, new: &Document<'_>, direction: Direction) -> Vec<Change> {
    let changes = walk::walk(old, new, direction).changes;
    proof::settled(old, new, direction, changes)
}

/// How the dialect moved from `old` to `new`: `Less` when away from 2020-12, which an absent
/// `$schema` stands for, or from or to one that is not known, `Greater` when towards it.
pub fn dialect_move(old: &Value, new: &Value) -> std::cmp::Ordering {
    let (before, after) = (Dialect::of(old), Dialect::of(new));
    let renamed = old.get("$schema") != new.get("$schema");
    if renamed && [before, after].contains(&Dialect::Unknown) {
        return std::cmp::Ordering::Less;
    }
    after.cmp(&before)
}
