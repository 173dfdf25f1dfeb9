//! What is known of an MCP server's tool contracts at build time.
//!
//! A *contract* is what an agent sees of one tool; a *catalogue* is every contract of one server;
//! a *digest* is the hash that pins a contract; the *lockfile* is where digests, contracts and
//! versions are committed. The *scan* finds the tools in Rust source, and the *probe* is the
//! instrumented copy of that source which prints their contracts without running the server.
//!
//! This crate knows nothing of grades, rules or gates: those are `cargo-mcp-semver`'s.

mod canonical;
pub mod contract;
pub mod digest;
pub mod evaluate;
mod form;
pub mod framework;
mod held;
pub mod hook;
pub mod lockfile;
pub mod number;
mod order;
pub mod pointer;
pub mod probe;
pub mod scan;
mod stack;
pub mod unique;

pub use contract::{Catalogue, Contract, ContractError};
pub use digest::{Digest, DigestError, Scheme};
pub use held::Held;
pub use hook::snapshot;
pub use lockfile::{LockedPackage, LockedTool, Lockfile, LockfileError};
