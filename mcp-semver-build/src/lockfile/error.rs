//! What can be wrong with a lockfile.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use crate::contract::ContractError;
use crate::digest::{Digest, DigestError};

/// Why a lockfile could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LockfileError {
    /// There is no file.
    #[error("there is no lockfile at {}", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The system refused to read it.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is larger than [`super::SIZE_LIMIT`].
    #[error(
        "{} is larger than {} MiB, which no catalogue of tools needs; is it a lockfile?",
        path.display(),
        super::SIZE_LIMIT >> 20
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Its contents are not a sound lockfile.
    #[error("{}{problem}", place(path, *line, tool.as_deref()))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1, where known.
        line: Option<usize>,
        /// The tool it is about.
        tool: Option<String>,
        /// What is wrong.
        problem: Box<Problem>,
    },
    /// The text that would be written does not read back as the same contents.
    #[error("the lockfile cannot be written so that it reads back the same: {reason}")]
    Unwritable {
        /// Why.
        reason: String,
    },
}

/// What is wrong with the contents of a lockfile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Not UTF-8, or NUL bytes.
    #[error("not a text file in UTF-8; restore it from version control")]
    NotText,
    /// Nothing but white space and comments.
    #[error("the file is empty; restore it from version control, or delete it and lock again")]
    Empty,
    /// A merge was left unresolved.
    #[error("merge conflict markers at line {line}; resolve them, or take one side and lock again")]
    Conflict {
        /// Line of the first marker, counted from 1.
        line: usize,
    },
    /// It is not YAML, or has duplicate keys, or is nested or aliased beyond bounds.
    #[error("{0}")]
    Yaml(String),
    /// A number that is read as another one.
    #[error(
        "the number {number} is neither one of 64 bits nor a double, so it would be read as another \
         one; restore the file from version control, or delete it and lock again"
    )]
    LostDigits {
        /// As it is written, cut where it is long.
        number: String,
    },
    /// A key that must be there is not.
    #[error("`{key}` is missing")]
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// A key's value has the wrong type.
    #[error("`{key}` must be {expected}, found {found}")]
    WrongType {
        /// The key.
        key: String,
        /// What is asked for.
        expected: &'static str,
        /// JSON type of what was found.
        found: &'static str,
    },
    /// A format this version does not know.
    #[error(
        "lockfile format version {found} is not known to this cargo-mcp-semver, which reads \
         version 1; a newer one may read it"
    )]
    FormatVersion {
        /// What `version` says.
        found: String,
    },
    /// A version number that is none.
    #[error("`{key}` is not a semantic version: `{text}`: {reason}")]
    Semver {
        /// The key.
        key: String,
        /// What it says.
        text: String,
        /// Why it is none.
        reason: String,
    },
    /// A digest that is none, or of an unknown scheme.
    #[error("`contract_digest`: {0}")]
    Digest(#[from] DigestError),
    /// A contract that is none.
    #[error("`contract`: {0}")]
    Contract(#[from] ContractError),
    /// The contract is of another tool.
    #[error("the contract is named `{name}`; it must have the name of its key")]
    OtherName {
        /// Its name.
        name: String,
    },
    /// The contract or its digest was edited.
    #[error(
        "the contract does not match its `contract_digest` (the contract hashes to {actual}): one \
         of them was edited by hand; restore the file from version control, or delete it and lock \
         again"
    )]
    Edited {
        /// The contract's own digest.
        actual: Digest,
    },
    /// A tool without a name.
    #[error("a tool's name is empty")]
    EmptyName,
}

/// `path:line: tool `x`: `
fn place(path: &Path, line: Option<usize>, tool: Option<&str>) -> String {
    let mut place = path.display().to_string();
    // Writing to a `String` does not fail.
    if let Some(line) = line {
        let _ = write!(place, ":{line}");
    }
    place.push_str(": ");
    if let Some(tool) = tool {
        let _ = write!(place, "tool `{tool}`: ");
    }
    place
}
