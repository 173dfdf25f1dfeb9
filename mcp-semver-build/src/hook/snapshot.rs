//! What a build leaves for `cargo mcp-semver`.

use std::io;

use serde::{Deserialize, Serialize};

use super::environment::Environment;
use crate::evaluate::Evaluation;

/// The snapshot, in `OUT_DIR`.
pub const SNAPSHOT_FILE: &str = "mcp-semver-snapshot.json";

/// The version of the snapshot's form. Whoever reads another one does without.
const FORMAT: u32 = 1;

/// The contracts of a server as its own build read them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    format: u32,
    /// The package's name.
    pub package: String,
    /// The package's version.
    pub version: String,
    /// What the source says of its tools, with the features and the configuration of the build.
    pub evaluation: Evaluation,
}

/// Why a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// It is not what this crate writes.
    #[error("the snapshot of the build-script hook is malformed: {0}")]
    Malformed(#[from] serde_json::Error),
    /// Another version of this crate wrote it.
    #[error(
        "the snapshot of the build-script hook has format {found}, which is not known; use the \
         same version of mcp-semver-build and cargo-mcp-semver"
    )]
    Format {
        /// The format it has.
        found: u64,
    },
}

impl Snapshot {
    pub(super) fn new(environment: &Environment, evaluation: Evaluation) -> Self {
        Self {
            format: FORMAT,
            package: environment.text("CARGO_PKG_NAME").to_owned(),
            version: environment.text("CARGO_PKG_VERSION").to_owned(),
            evaluation,
        }
    }

    pub(super) fn to_json(&self) -> io::Result<String> {
        serde_json::to_string(self).map_err(io::Error::other)
    }

    /// Reads a snapshot.
    ///
    /// # Errors
    /// [`SnapshotError`] when it is of another format or of none.
    pub fn from_json(text: &str) -> Result<Self, SnapshotError> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        match value["format"].as_u64() {
            Some(format) if format != u64::from(FORMAT) => {
                Err(SnapshotError::Format { found: format })
            }
            _ => Ok(serde_json::from_value(value)?),
        }
    }
}
