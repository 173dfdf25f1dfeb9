//! The probe: an instrumented copy of a target's source that prints its contracts.
//!
//! [`instrument`] writes a collector function into each module that holds tools, and, for the
//! target that is linked as the executable, a `main` that runs the collectors instead of the
//! user's. What the collectors print is read by [`conclude`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::scan::{CrateScan, SourceSpan};

mod code;
mod output;
mod served;
mod subject;

pub use code::instrument;
pub use output::OutputError;
pub(crate) use output::{Outcome, Records};
pub use served::conclude;
pub(crate) use served::{conclude_records, wire_name};
pub(crate) use subject::{Subject, subjects};

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
    /// What the other targets in the same build declare: a binary may initialise the server of a
    /// library.
    pub siblings: Vec<&'a CrateScan>,
    /// What it does in the build.
    pub role: Role,
    /// Its edition, as in Cargo.toml (2015, 2018, 2021, 2024).
    pub edition: u16,
    /// The version of its framework that it is built with, where known; the latest is assumed
    /// otherwise.
    pub version: Option<Version>,
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

/// One tool as the probe read it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadTool {
    /// The tool in the wire's own form.
    pub wire: Value,
    /// Where it is declared, where known.
    pub span: Option<SourceSpan>,
}

/// Something a person must know, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Remark {
    /// Where, if at one place.
    pub span: Option<SourceSpan>,
    /// What, one sentence without a full stop.
    pub text: String,
}

impl Remark {
    /// `file:line:column: text`, the file as it is named in a directory.
    pub fn within(&self, directory: &Path) -> String {
        let Some(SourceSpan { file, line, column, .. }) = &self.span else {
            return self.text.clone();
        };
        let file = file.strip_prefix(directory).unwrap_or(file);
        format!("{}:{line}:{column}: {}", file.display(), self.text)
    }
}

/// What a probe run says about a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// The tools that are served, sorted by name. A name repeats where the server declares two
    /// tools of one name.
    pub tools: Vec<ReadTool>,
    /// What a person must know though the catalogue is exact (declared but not served).
    pub notes: Vec<Remark>,
    /// What could not be read (a schema function that panicked, a file that does not parse): while
    /// there is any, the catalogue is not known to be the server's.
    pub unread: Vec<Remark>,
    /// Handlers and routers that are made or edited at run time, so that what they serve is not
    /// known; all they declare is counted. Its author may know better and accept that.
    pub run_time: Vec<Remark>,
    /// Where the handlers stand that serve these tools.
    pub handlers: Vec<SourceSpan>,
}

#[cfg(test)]
mod tests;
