//! Reading a lockfile beside the catalogue that it is compared with.
//!
//! A tool in plain words takes no reader of YAML, and shares its contract with the catalogue where
//! that holds the same.

use std::path::Path;

use memchr::memchr_iter;
use semver::Version;
use serde_json::Map;

use super::{LockedTool, Lockfile, LockfileError, parse, plain};
use crate::contract::Catalogue;
use crate::digest::Digest;

/// As [`parse::parse`], which reads everything but the tools in plain words.
pub(super) fn parse(text: &str, path: &Path, known: &Catalogue) -> Result<Lockfile, LockfileError> {
    match apart(text, path, known) {
        Some(lockfile) => Ok(lockfile),
        // In full, with every complaint at its line.
        None => parse::parse(text, path),
    }
}

/// `None` where the text is not laid out as a lockfile is written, or is not sound. Each part must
/// be whole by itself, so that none lies in a text that another began.
fn apart(text: &str, path: &Path, known: &Catalogue) -> Option<Lockfile> {
    const TOOLS: &str = "\ntools:\n";
    let read = |parts: &[&str]| parse::parse(&parts.concat(), path).ok();
    let (head, mut tools) = text.split_at(text.find(TOOLS)? + TOOLS.len());
    let (mut plain_tools, mut blocks, mut others) = (Vec::new(), 0, String::new());
    while tools.starts_with("  ") {
        let (block, after) = tools.split_at(end_of_tool(tools));
        match plain(block, known) {
            Some(tool) => plain_tools.push(tool),
            // Apart from the tools that go with it, any indentation would do.
            None if block[2..].starts_with(char::is_whitespace) => return None,
            None => {
                blocks += 1;
                others.push_str(block);
            }
        }
        tools = after;
    }
    if plain_tools.is_empty() {
        return None;
    }
    let mut lockfile = read(&[head, "  {}\n"])?;
    if !tools.is_empty() {
        lockfile = read(&[head, "  {}\n", tools])?;
    }
    if blocks > 0 {
        lockfile.tools = read(&["version: 1", TOOLS, &others])?.tools;
    }
    blocks += plain_tools.len();
    lockfile.tools.append(&mut plain_tools.into_iter().collect());
    // None hides another.
    (lockfile.tools.len() == blocks).then_some(lockfile)
}

/// Where the lines end that are indented deeper than the first one, or blank.
fn end_of_tool(tools: &str) -> usize {
    let starts = memchr_iter(b'\n', tools.as_bytes()).map(|end| end + 1);
    let is_inside = |start: &usize| {
        let line = &tools[*start..];
        line.starts_with("    ") || line.starts_with('\n')
    };
    starts.into_iter().find(|start| !is_inside(start)).unwrap_or(tools.len())
}

/// The tool that a block pins, where it does so in plain words. Versions and digests hold no
/// character that is another in quotes.
fn plain(block: &str, known: &Catalogue) -> Option<(String, LockedTool)> {
    let mut rest = block;
    let mut line = |start: &str, end: &str| {
        let (line, after) = rest.split_once('\n')?;
        rest = after;
        line.strip_prefix(start)?.strip_suffix(end)
    };
    let name = line("  ", ":")?;
    let semver: Version = line("    semver: \"", "\"")?.parse().ok()?;
    let digest: Digest = line("    contract_digest: \"", "\"")?.parse().ok()?;
    let is_block = line("    contract:", "")?.is_empty();
    let form = plain::contract(rest, 6)?;
    let is_sound =
        is_block && plain::is_word(name) && form.field("name") == format!("\"{name}\"").as_bytes();
    if !is_sound || form.digest(digest.scheme) != digest {
        return None;
    }
    let contract = match known.pinned(name) {
        Some(pinned) if pinned.is(&form, digest) => pinned.contract.compared(),
        _ => form.contract()?.into(),
    };
    let contract = Some(contract);
    Some((name.to_owned(), LockedTool { semver, digest, contract, rest: Map::new() }))
}
