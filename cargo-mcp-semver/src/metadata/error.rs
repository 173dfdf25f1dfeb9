//! What can be wrong with the settings in Cargo.toml.

use std::path::Path;

use toml_edit::{Document, TableLike};

use crate::gate::Place;
use crate::rules;
use crate::suggest::nearest;

/// Settings in Cargo.toml that cannot be taken as they are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct MetadataError {
    /// Where the key stands.
    pub place: Place,
    /// What is wrong.
    pub problem: Box<MetadataProblem>,
}

/// What is wrong with the settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetadataProblem {
    /// A key this version does not know.
    #[error(
        "unknown key `{key}` in [{table}]; {}",
        match nearest(key, known.iter().copied()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("known keys are {}", known.join(", ")),
        }
    )]
    UnknownKey {
        /// The key.
        key: String,
        /// The table's path in the manifest.
        table: String,
        /// Every key known there.
        known: &'static [&'static str],
    },
    /// A key that a workspace cannot have.
    #[error("`{key}` is a package's own: it belongs in [package.metadata.mcp-semver]")]
    PackageOnly {
        /// The key.
        key: String,
    },
    /// The table has almost the right name.
    #[error(
        "[{section}.metadata.{found}] is not read; did you mean [{section}.metadata.mcp-semver]?"
    )]
    OtherTable {
        /// `package` or `workspace`.
        section: &'static str,
        /// The name it has.
        found: String,
    },
    /// A value of the wrong kind.
    #[error("`{key}` must be {expected}")]
    WrongValue {
        /// The key.
        key: String,
        /// What it must be.
        expected: &'static str,
    },
    /// A rule that does not exist.
    #[error(
        "there is no rule `{id}`; {}",
        match nearest(id, rules::ALL.iter().map(|rule| rule.id)) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`cargo mcp-semver rules` lists them".to_owned(),
        }
    )]
    Rule {
        /// What was written.
        id: String,
    },
    /// A path that is none.
    #[error(
        "`{path}` is no path of an argument; paths are written as reports show them, such as \
         `filter.stops[].mode`, or `[\"a.b\"]` for a name with a dot"
    )]
    Path {
        /// What was written.
        path: String,
    },
    /// A version that is none.
    #[error("the version of tool `{tool}` is not a semantic version: `{text}`: {reason}")]
    Version {
        /// The tool.
        tool: String,
        /// What it says.
        text: String,
        /// Why it is none.
        reason: String,
    },
}

impl MetadataError {
    /// `path` is where the key stands in the manifest.
    pub(super) fn new(manifest: &Path, path: &[&str], problem: MetadataProblem) -> Self {
        Self { place: place_of(manifest, path), problem: Box::new(problem) }
    }
}

/// Where the key at `path` stands.
pub(super) fn place_of(manifest: &Path, path: &[&str]) -> Place {
    let line = std::fs::read_to_string(manifest).ok().and_then(|text| line_of(&text, path));
    Place { manifest: manifest.to_owned(), line }
}

/// The line on which the key at `path` stands, counted from 1.
fn line_of(text: &str, path: &[&str]) -> Option<usize> {
    let document = Document::parse(text).ok()?;
    let (last, tables) = path.split_last()?;
    let mut table: &dyn TableLike = document.as_table();
    for key in tables {
        table = table.get(key)?.as_table_like()?;
    }
    let (key, item) = table.get_key_value(last)?;
    let start = key.span().or_else(|| item.span())?.start;
    Some(text.get(..start)?.matches('\n').count() + 1)
}
