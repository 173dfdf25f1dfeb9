//! What can be wrong with the settings in Cargo.toml.

use std::path::{Path, PathBuf};

use toml_edit::{Document, TableLike};

/// Settings in Cargo.toml that cannot be taken as they are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {problem}", manifest.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct MetadataError {
    /// The Cargo.toml.
    pub manifest: PathBuf,
    /// Line of the key, counted from 1, where it could be found.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: Box<MetadataProblem>,
}

/// What is wrong with the settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetadataProblem {
    /// A key this version does not know.
    #[error(
        "unknown key `{key}` in [{section}.metadata.mcp-semver]; {}",
        match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("known keys are {}", known.join(", ")),
        }
    )]
    UnknownKey {
        /// The key.
        key: String,
        /// `package` or `workspace`.
        section: &'static str,
        /// The known key that looks most like it.
        nearest: Option<&'static str>,
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
        let line = std::fs::read_to_string(manifest).ok().and_then(|text| line_of(&text, path));
        Self { manifest: manifest.to_owned(), line, problem: Box::new(problem) }
    }
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
