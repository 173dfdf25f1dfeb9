//! A `tools/list` dump as a source: a full JSON-RPC response, a bare result, or a plain array of
//! tools; its pages one after the other; or a recorded session (JSON Lines, or the event stream
//! that a streamable HTTP server sends), of which the answers to `tools/list` count.

mod digits;
mod document;
mod error;
mod listed;
mod pages;

#[cfg(test)]
mod tests;

use mcp_semver_build::contract::Pinned;
use mcp_semver_build::{Catalogue, ContractError};
use serde_json::{Map, Value};

use listed::{Document, Lists};
use pages::Page;

pub(crate) use document::{is_event_stream, one};
pub use error::{DumpError, DumpProblem, ToolError};
pub(crate) use listed::Item;

/// Reads a dump; `origin` is named in errors.
///
/// # Errors
/// [`DumpError`] when it is no JSON, holds no list of tools, not the whole one, or several that
/// differ although the server announced no change between them.
pub fn read(bytes: impl Into<Vec<u8>>, origin: &str) -> Result<Catalogue, DumpError> {
    let fail = |position, problem| DumpError {
        origin: origin.to_owned(),
        position,
        problem: Box::new(problem),
    };
    let mut bytes = bytes.into();
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    if bytes.trim_ascii().is_empty() {
        return Err(fail(None, DumpProblem::Empty));
    }
    let utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| fail(None, DumpProblem::NotText { utf16 }))?;
    let documents =
        document::documents(text).map_err(|(position, problem)| fail(position, problem))?;
    last(documents).map_err(|problem| fail(None, problem))
}

/// The catalogue at the end of a dump.
fn last(documents: Vec<Document>) -> Result<Catalogue, DumpProblem> {
    let lists = pages::lists(documents)?;
    let count = lists.len();
    let mut latest: Option<Catalogue> = None;
    for list in lists {
        let catalogue = catalogue(list.tools)?;
        if !list.announced && latest.is_some_and(|latest| latest != catalogue) {
            return Err(DumpProblem::SeveralLists { count });
        }
        latest = Some(catalogue);
    }
    Ok(latest.unwrap_or_default())
}

/// The page that the result of a request holds.
pub(crate) fn page(result: Map<String, Value>) -> Result<Page, DumpProblem> {
    pages::page(result, Lists::default())
}

/// The catalogue of a list of tools.
pub(crate) fn catalogue(tools: Vec<Item>) -> Result<Catalogue, DumpProblem> {
    let mut contracts: Vec<Pinned> = Vec::with_capacity(tools.len());
    for (index, tool) in tools.into_iter().enumerate() {
        contracts
            .push(tool.tool().map_err(|error| DumpProblem::Tool { number: index + 1, error })?);
    }
    let name = |pinned: &Pinned| pinned.contract.name().to_owned();
    let names: Vec<String> = contracts.iter().map(name).collect();
    Catalogue::new(contracts).map_err(|error| match error {
        ContractError::Duplicate { name } => {
            let mut places = (1..).zip(&names).filter(|(_, other)| **other == name);
            let mut place = || places.next().map_or(0, |(place, _)| place);
            DumpProblem::DuplicateTool { first: place(), second: place(), name: name.clone() }
        }
        error => DumpProblem::Tool { number: 0, error: error.into() },
    })
}
