//! Where a catalogue comes from: one file a source.

use std::collections::{BTreeMap, BTreeSet};

use mcp_semver_build::Catalogue;
use semver::Version;

use crate::finding::Span;

pub use origin::Origins;

pub mod build;
pub mod dump;
mod events;
mod origin;
mod process;
pub mod scan;
pub mod serve;

/// A catalogue and what its source knows about it.
#[derive(Debug, Clone, Default)]
pub struct Sourced {
    /// The tools.
    pub catalogue: Catalogue,
    /// Where each tool is declared, by tool name, where known.
    pub spans: BTreeMap<String, Span>,
    /// Where the server is implemented, where that is one place.
    pub handler: Option<Span>,
    /// Where the parts of each tool come from, as far as the source tells.
    pub origins: Origins,
    /// Where evaluation of the source says otherwise than this catalogue, which a build made, each
    /// one sentence: a fault of this program.
    pub disagreements: Vec<String>,
    /// Versions of the SDK crates that generated the schemas, by crate name.
    pub sdk: BTreeMap<String, Version>,
    /// The name a running server gives itself.
    pub server_name: Option<String>,
    /// What a person must know though the catalogue is exact, each one sentence.
    pub notes: Vec<String>,
    /// What could not be read, each one sentence: while there is any, the catalogue is not known
    /// to be the server's, and nothing that compares it may exit 0.
    pub unread: Vec<String>,
    /// Routers that are edited at run time, each one sentence: the catalogue holds what they
    /// declare, and nothing that compares it may exit 0 unless the author accepts that.
    pub run_time: Vec<String>,
    /// Tools that are served and whose contract is not known, by name, each with one sentence that
    /// says why: while there is any, nothing that compares the catalogue may exit 0.
    pub unresolved: BTreeMap<String, String>,
    /// Such tools that the author goes on without: they are neither checked nor removed.
    pub unchecked: BTreeSet<String>,
}
