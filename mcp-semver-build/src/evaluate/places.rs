//! Places in a contract as they are written down: a file once for the parts that share it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serializer};

use crate::scan::SourceSpan;

/// The place of each part of a contract, by JSON pointer.
pub(super) type Places = BTreeMap<String, SourceSpan>;

/// A file, and the first and the last line and column of each part that stands there.
type InFile = (PathBuf, Vec<(String, [usize; 4])>);

pub(super) fn serialize<S: Serializer>(places: &Places, serializer: S) -> Result<S::Ok, S::Error> {
    let places: Vec<_> = places.iter().collect();
    let in_files =
        places.chunk_by(|(_, one), (_, next)| one.file.as_os_str() == next.file.as_os_str());
    serializer.collect_seq(in_files.map(|parts| {
        let numbers = |at: &SourceSpan| [at.line, at.column, at.end_line, at.end_column];
        let parts_at = parts.iter().map(|(pointer, at)| (pointer, numbers(at)));
        (&parts[0].1.file, parts_at.collect::<Vec<_>>())
    }))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Places, D::Error> {
    let in_files = Vec::<InFile>::deserialize(deserializer)?;
    let places = in_files.into_iter().flat_map(|(file, parts)| {
        parts.into_iter().map(move |(pointer, [line, column, end_line, end_column])| {
            let file = file.clone();
            (pointer, SourceSpan { file, line, column, end_line, end_column })
        })
    });
    Ok(places.collect())
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::json;

    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Written(#[serde(with = "super")] Places);

    #[test]
    fn what_is_written_is_read_again() {
        let at = |file: &str, line| {
            let file = PathBuf::from(file);
            SourceSpan { file, line, column: 2, end_line: line, end_column: 4 }
        };
        let places = [
            ("", at("a.rs", 1)),
            ("/a", at("b.rs", 2)),
            ("/a/b", at("b.rs", 3)),
            ("/b", at("a.rs", 4)),
        ];
        let places: Places = places.map(|(pointer, at)| (pointer.to_owned(), at)).into();
        let written = serde_json::to_value(Written(places.clone())).unwrap();
        let in_b = json!([["/a", [2, 2, 2, 4]], ["/a/b", [3, 2, 3, 4]]]);
        assert_eq!(written[1], json!(["b.rs", in_b]));
        assert_eq!(serde_json::from_value::<Written>(written).unwrap().0, places);
    }
}
