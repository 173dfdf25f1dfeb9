//! Reading a lockfile beside the catalogue that it is compared with.
//!
//! What would be written for a tool is known. Where the text of a tool is just that, to the byte,
//! it says the contract that the catalogue holds, and reading it would build the same once more.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use semver::Version;
use serde_json::Map;

use super::{LockedTool, Lockfile, LockfileError, parse, write};
use crate::contract::{Catalogue, Contract};
use crate::digest::Digest;

/// As [`parse::parse`]: everything but the tools that are written as `known` would be is read in
/// full.
pub(super) fn parse(text: &str, path: &Path, known: &Catalogue) -> Result<Lockfile, LockfileError> {
    let apart = split(text, known)
        .and_then(|(rest, same)| Some((parse::parse(&rest, path).ok()?, same)))
        .filter(|(rest, same)| same.keys().all(|name| !rest.tools.contains_key(name)));
    match apart {
        Some((mut lockfile, same)) => {
            lockfile.tools.extend(same);
            Ok(lockfile)
        }
        // In full, with every complaint at its line.
        None => parse::parse(text, path),
    }
}

/// The text without the tools that need no reading, and those tools; `None` where it is not laid
/// out as a lockfile is written.
fn split(text: &str, known: &Catalogue) -> Option<(String, BTreeMap<String, LockedTool>)> {
    const TOOLS: &str = "\ntools:\n";
    let start = text.find(TOOLS)? + TOOLS.len();
    let (head, mut tools) = text.split_at(start);
    let (mut rest, mut same) = (head.to_owned(), BTreeMap::new());
    while tools.starts_with("  ") {
        let (block, after) = tools.split_at(end_of_tool(tools));
        match unread(block, known) {
            Some((name, tool)) => {
                if same.insert(name, tool).is_some() {
                    return None;
                }
            }
            None => rest.push_str(block),
        }
        tools = after;
    }
    if same.is_empty() {
        return None;
    }
    if rest.len() == start {
        rest.push_str("  {}\n");
    }
    rest.push_str(tools);
    Some((rest, same))
}

/// Where the lines end that are indented deeper than the first one, or blank.
fn end_of_tool(tools: &str) -> usize {
    let mut end = tools.find('\n').map_or(tools.len(), |end| end + 1);
    while tools[end..].starts_with("    ") || tools[end..].starts_with('\n') {
        end += tools[end..].find('\n').map_or(tools.len() - end, |line| line + 1);
    }
    end
}

/// The tool that a block pins, where it is what would be written for a contract of `known`.
fn unread(block: &str, known: &Catalogue) -> Option<(String, LockedTool)> {
    let (name, rest) = block.strip_prefix("  ")?.split_once(":\n    semver: \"")?;
    let (semver, rest) = rest.split_once("\"\n    contract_digest: \"")?;
    let (digest, _) = rest.split_once("\"\n    contract:\n")?;
    let contract = known.shared(name)?;
    let (semver, digest): (Version, Digest) = (semver.parse().ok()?, digest.parse().ok()?);
    if !digest.matches(contract) || !write::is_written(block, &semver, digest, contract) {
        return None;
    }
    // What is carried on the wire and not compared is not locked.
    let contract = match contract.rest.is_empty() {
        true => Arc::clone(contract),
        false => Arc::new(Contract { rest: Map::new(), ..Contract::clone(contract) }),
    };
    let tool = LockedTool { semver, digest, contract: Some(contract), rest: Map::new() };
    Some((name.to_owned(), tool))
}
