//! `tool-versions.lock.yaml`: the committed record of a server's tool contracts.
//!
//! ```yaml
//! version: 1
//! generated_for: my-server
//! package: {name: my-server, version: "1.4.0"}
//! sdk: {rmcp: "3.11.0", schemars: "1.2.3"}
//! tools:
//!   search:
//!     semver: "1.2.0"
//!     contract_digest: "mcp-contract-v2-sha256:9aaf5f…"
//!     contract:
//!       name: search
//!       description: search public repositories
//!       inputSchema: …
//! ```
//!
//! The same contents always give the same bytes, and a file that is not sound is an error with its
//! line: a lockfile that was half understood would let a broken contract pass.

mod beside;
mod error;
mod lost;
mod parse;
mod plain;
mod write;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use semver::Version;
use serde_json::{Map, Value};

use crate::contract::{Catalogue, Contract};
use crate::digest::Digest;
use crate::held::Held;

pub use error::{LockfileError, Problem};

/// The file's usual name; it lies beside the package's Cargo.toml.
pub const FILE_NAME: &str = "tool-versions.lock.yaml";

/// What [`Lockfile::generated_for`] says where nobody said anything: the gateway that reads the
/// same file requires the key.
pub const UNSPECIFIED: &str = "unspecified";

/// The largest file that is read, in bytes. A server with a thousand large tools needs a tenth.
pub const SIZE_LIMIT: u64 = 64 << 20;

/// The contents of a lockfile.
#[derive(Debug, Clone, PartialEq)]
pub struct Lockfile {
    /// What server it pins: the package name, or what the user said.
    pub generated_for: String,
    /// The package it was written for; absent for a server known only by its dump.
    pub package: Option<LockedPackage>,
    /// Versions of the crates that generated the schemas, by crate name.
    pub sdk: BTreeMap<String, Version>,
    /// The tools by name.
    pub tools: BTreeMap<String, LockedTool>,
    /// Top-level keys this version does not know, kept as they are.
    pub rest: Map<String, Value>,
}

/// The package a lockfile was written for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedPackage {
    /// Its name.
    pub name: String,
    /// Its version when the file was written.
    pub version: Version,
    /// A later version of which changes were reviewed and not all accepted: tools may be pinned at
    /// it, and the others are still measured from `version`. Absent where everything is locked.
    pub reviewed: Option<Version>,
}

/// One pinned tool.
#[derive(Debug, Clone, PartialEq)]
pub struct LockedTool {
    /// The version at which the contract was pinned.
    pub semver: Version,
    /// What pins the contract.
    pub digest: Digest,
    /// The contract itself; absent in a digest-only lockfile.
    pub contract: Option<Held>,
    /// Keys of the tool this version does not know, kept as they are.
    pub rest: Map<String, Value>,
}

impl LockedTool {
    /// Whether a contract is the one that is locked. A digest does not reach every field: where the
    /// contract is there, that decides.
    pub fn pins(&self, contract: &Contract) -> bool {
        match &self.contract {
            Some(locked) => locked.fields().eq(contract.fields()),
            None => self.digest.matches(contract),
        }
    }
}

impl Lockfile {
    /// Reads the contents of a lockfile; `path` is named in errors. JSON is read too, it is YAML.
    ///
    /// # Errors
    /// [`LockfileError::Invalid`], with the line and the tool where known.
    pub fn parse(text: &str, path: &Path) -> Result<Self, LockfileError> {
        parse::parse(text, path)
    }

    /// Reads a lockfile from disk.
    ///
    /// # Errors
    /// [`LockfileError::Missing`] when there is none, any other variant when it is not sound.
    pub fn read(path: &Path) -> Result<Self, LockfileError> {
        Self::from_bytes(bytes(path)?, path)
    }

    /// As [`Lockfile::parse`], and faster where most tools are still as they were locked: those
    /// share their contract with `known`.
    ///
    /// # Errors
    /// The same.
    pub fn parse_beside(text: &str, path: &Path, known: &Catalogue) -> Result<Self, LockfileError> {
        beside::parse(text, path, known)
    }

    /// As [`Lockfile::read`], with the speed of [`Lockfile::parse_beside`].
    ///
    /// # Errors
    /// As [`Lockfile::read`].
    pub fn read_beside(path: &Path, known: &Catalogue) -> Result<Self, LockfileError> {
        Self::parse_beside(&text(bytes(path)?, path)?, path, known)
    }

    /// Reads the bytes of a lockfile; `path` is named in errors.
    ///
    /// # Errors
    /// [`LockfileError::TooLarge`] or [`LockfileError::Invalid`].
    pub fn from_bytes(bytes: Vec<u8>, path: &Path) -> Result<Self, LockfileError> {
        Self::parse(&text(bytes, path)?, path)
    }

    /// The file's text: tools sorted by name, a contract's fields in the specification's order,
    /// object keys below them sorted.
    ///
    /// # Errors
    /// [`LockfileError::Unwritable`] when the text would not read back as these contents, for
    /// example for a schema nested deeper than a reader accepts.
    pub fn to_yaml(&self) -> Result<String, LockfileError> {
        write::to_yaml(self)
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, LockfileError> {
    read_bounded(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound if path.is_symlink() => LockfileError::Read {
            path: path.to_owned(),
            source: io::Error::new(source.kind(), "it is a symbolic link to nothing"),
        },
        io::ErrorKind::NotFound => LockfileError::Missing { path: path.to_owned() },
        _ => LockfileError::Read { path: path.to_owned(), source },
    })
}

fn text(bytes: Vec<u8>, path: &Path) -> Result<String, LockfileError> {
    if bytes.len() as u64 > SIZE_LIMIT {
        return Err(LockfileError::TooLarge { path: path.to_owned() });
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        LockfileError::Invalid {
            path: path.to_owned(),
            line: Some(1 + valid.iter().filter(|byte| **byte == b'\n').count()),
            tool: None,
            problem: Box::new(Problem::NotText),
        }
    })
}

/// At most one byte more than [`SIZE_LIMIT`].
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    // Asked before it is opened: to open a named pipe is to wait for whoever writes into it.
    let kind = std::fs::metadata(path)?;
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut bytes = Vec::with_capacity(kind.len().min(SIZE_LIMIT) as usize + 1);
    File::open(path)?.take(SIZE_LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
