//! `cargo mcp-semver`: cargo-semver-checks for the tool contracts of MCP servers.
//!
//! Data flows one way: a [`source`] yields a catalogue, [`compare`] turns a baseline and a
//! catalogue into findings, [`gate`] decides, [`report`] renders.

pub mod baseline;
pub mod bump;
mod character;
pub mod cli;
pub mod compare;
mod exact;
pub mod explain;
pub mod finding;
pub mod gate;
pub mod grade;
pub mod hook;
mod interrupt;
pub mod lock;
pub mod metadata;
pub mod published;
pub mod report;
pub mod rules;
pub mod schema;
pub mod source;
pub mod suggest;
pub mod vcs;
pub mod verdict;
