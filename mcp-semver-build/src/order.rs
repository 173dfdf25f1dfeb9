//! The order of an object's members.
//!
//! `serde_json` sorts them, unless some crate of the build turns on the feature that keeps them as
//! they came.

use std::sync::LazyLock;

use serde_json::{Map, Value};

/// Whether objects are sorted however they came about.
static SORTS: LazyLock<bool> = LazyLock::new(|| {
    let keys = ["b", "a"].map(|key| (key.to_owned(), Value::Null));
    Map::from_iter(keys).keys().is_sorted()
});

/// Whether the members stand in the order of their keys' bytes.
pub(crate) fn is_sorted(map: &Map<String, Value>) -> bool {
    *SORTS || map.keys().is_sorted()
}

/// The members in the order of their keys' bytes.
pub(crate) fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = map.iter().collect();
    if !is_sorted(map) {
        members.sort_unstable_by_key(|(key, _)| *key);
    }
    members
}
