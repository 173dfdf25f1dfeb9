//! The probe: an instrumented copy of a target's source that prints its contracts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::scan::{CrateScan, SourceSpan};

/// The environment variable that names the file the probe writes its records to.
pub const OUTPUT_VAR: &str = "MCP_SEMVER_PROBE_OUT";

/// What a target does in a probe build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is linked as the executable: it gets the probe's `main`.
    Entry,
    /// It is a library below the entry: it gets a public collector only.
    Library,
}

/// One target to instrument.
#[derive(Debug, Clone)]
pub struct ProbeTarget<'a> {
    /// What its source declares.
    pub scan: &'a CrateScan,
    /// What it does in the build.
    pub role: Role,
    /// Its edition, as in Cargo.toml (2015, 2018, 2021, 2024).
    pub edition: u16,
    /// Names by which this crate knows the libraries whose collectors it must call (direct
    /// dependencies that hold tools or lead to some).
    pub libraries: Vec<String>,
    /// The environment variable through which cargo learns that this probe changed. Its value must
    /// be set to [`Instrumented::hash`] in cargo's environment.
    pub hash_var: String,
}

/// The instrumented files of one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instrumented {
    /// Instrumented text by the absolute path of the original file. Every other file is unchanged.
    pub files: BTreeMap<PathBuf, String>,
    /// Hex hash over all of it.
    pub hash: String,
}

/// Writes the collectors into a copy of the target's files. Line numbers hold.
pub fn instrument(target: &ProbeTarget<'_>) -> Instrumented {
    let _ = target;
    Instrumented { files: BTreeMap::new(), hash: String::new() }
}

/// Tools that only macro expansion shows, found in the text `rustc -Zunpretty=expanded` printed
/// for a target; the returned scan holds what `scan` held and those.
///
/// # Errors
/// A sentence when the text does not parse.
pub fn scan_expanded(scan: &CrateScan, expanded: &str) -> Result<CrateScan, String> {
    let _ = expanded;
    Ok(scan.clone())
}

/// One tool as the probe read it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadTool {
    /// The tool in the wire's own form.
    pub wire: Value,
    /// Where it is declared, where known.
    pub span: Option<SourceSpan>,
}

/// What a probe run says about a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// The tools that are served, names may repeat.
    pub tools: Vec<ReadTool>,
    /// What a person must know though the catalogue is exact (declared but not served).
    pub notes: Vec<String>,
    /// What could not be read (routers edited at run time, a schema function that panicked):
    /// while there is any, the catalogue is not known to be the server's.
    pub unread: Vec<String>,
}

/// Why a probe's output could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutputError {
    /// The probe stopped before its end.
    #[error("the probe stopped before its end{}", after.as_ref().map(|tool| format!(", while reading {tool}")).unwrap_or_default())]
    Incomplete {
        /// What it was reading.
        after: Option<String>,
    },
    /// The probe that ran is not the one that was just written.
    #[error("an outdated probe ran")]
    Stale,
    /// A line that no probe writes.
    #[error("line {line} of the probe's output is not a record")]
    Malformed {
        /// Line, counted from 1.
        line: usize,
    },
}

/// Draws the conclusion from the records a probe wrote to the file named by [`OUTPUT_VAR`]:
/// what is served, what is declared but not served, what could not be read.
///
/// `targets` are the instrumented targets, entry first; `hashes` their [`Instrumented::hash`].
///
/// # Errors
/// [`OutputError`] when the records are incomplete, stale or malformed.
pub fn conclude(
    targets: &[ProbeTarget<'_>],
    hashes: &[String],
    output: &str,
) -> Result<Reading, OutputError> {
    let _ = (targets, hashes, output);
    Ok(Reading::default())
}
