//! Text into JSON documents, in each of which no key stands twice.

use std::cell::RefCell;
use std::io::Read as _;
use std::sync::Arc;

use mcp_semver_build::pointer::escaped;
use mcp_semver_build::unique::{State, Tracked};
use serde::de::DeserializeSeed as _;
use serde_json::{Deserializer, Value};

use super::digits::{self, Lost};
use super::error::DumpProblem;
use super::listed::{Document, Listed};
use crate::source::events::Events;

/// How many values a dump may hold, those inside others included; a tool has some thirty.
const VALUES: usize = 2_000_000;
/// How long a text may be, in bytes, that is read once more to name a tool in it.
const NAMED: usize = 4 << 20;

/// Line and column, counted from 1.
type Position = Option<(usize, usize)>;

/// All documents of a text: one, several one after the other with or without line breaks between
/// them, or those in the `data` of an event stream.
pub(super) fn documents(text: String) -> Result<Vec<Document>, (Position, DumpProblem)> {
    let state = State::new(VALUES).into();
    let mut documents = Vec::new();
    if is_event_stream(text.as_bytes()) {
        // The last event of a dump may lack its empty line.
        let mut events = Events::new(text.as_bytes().chain(&b"\n\n"[..]), usize::MAX);
        while let Ok(data) = events.next() {
            // Where a document stands in its event is not where it stands in the text.
            let data = String::from_utf8_lossy(&data).into_owned();
            let mut read = in_a_row(data, &state).map_err(|(_, problem)| (None, problem))?;
            if read.len() != 1 {
                return Err((None, DumpProblem::Json("an event holds one message".to_owned())));
            }
            documents.append(&mut read);
        }
        return Ok(documents);
    }
    in_a_row(text, &state)
}

/// One document after the other.
fn in_a_row(
    text: String,
    state: &RefCell<State>,
) -> Result<Vec<Document>, (Position, DumpProblem)> {
    let text = Arc::new(text);
    let read = each_in_a_row(&text, state);
    if let Some(lost) = lost(&text, state, read.is_err()) {
        return Err((Some(end(&text[..lost.start])), lost.into()));
    }
    read
}

fn each_in_a_row(
    text: &Arc<String>,
    state: &RefCell<State>,
) -> Result<Vec<Document>, (Position, DumpProblem)> {
    let mut documents = Vec::new();
    let mut at = 0;
    loop {
        // Files put together may each have a byte order mark.
        let rest = text[at..].trim_start_matches([' ', '\t', '\n', '\r', '\u{feff}']);
        at = text.len() - rest.len();
        if rest.is_empty() {
            return Ok(documents);
        }
        let listed = Listed::new(text, state);
        let (document, length) = listed.next(at).map_err(|(before, error)| {
            (Some(position(&text[..before], &error)), problem(rest, &error, state))
        })?;
        documents.push(document);
        at += length;
    }
}

/// The one document of a text.
pub(crate) fn one(text: &str) -> Result<Value, DumpProblem> {
    let state = RefCell::from(State::new(VALUES));
    let mut json = Deserializer::from_str(text);
    let document = Tracked(Some(&state)).deserialize(&mut json);
    let document = document.and_then(|document| json.end().map(|()| document));
    if let Some(lost) = lost(text, &state, document.is_err()) {
        return Err(lost.into());
    }
    document.map_err(|error| problem(text, &error, &state))
}

/// The number of a text that was read as another one, or could not be read for its size.
fn lost<'t>(text: &'t str, state: &RefCell<State>, failed: bool) -> Option<Lost<'t>> {
    let may_be_lost = failed || state.borrow().doubles;
    may_be_lost.then(|| digits::lost(text)).flatten()
}

/// Line and column behind a text.
fn end(text: &str) -> (usize, usize) {
    let line = text.rsplit('\n').next().map_or(0, str::len);
    (1 + text.matches('\n').count(), 1 + line)
}

/// Line and column of an error in what follows `before`.
fn position(before: &str, error: &serde_json::Error) -> (usize, usize) {
    let (line, column) = end(before);
    match error.line() {
        // Nothing was read.
        0 => (line, column),
        1 => (line, column + error.column() - 1),
        lines => (line + lines - 1, error.column()),
    }
}

/// What is wrong with the first document of `text`, of which `error` was said.
fn problem(text: &str, error: &serde_json::Error, state: &RefCell<State>) -> DumpProblem {
    let state = state.borrow();
    match &state.duplicate {
        Some((key, path)) => {
            // The last of the two wins here, which is good enough to name the tool.
            let text = Some(text).filter(|text| text.len() <= NAMED).unwrap_or_default();
            let mut documents = Deserializer::from_str(text).into_iter();
            let document = documents.next().and_then(Result::ok).unwrap_or_default();
            let tool = tool_at(&document, path).map(str::to_owned);
            DumpProblem::DuplicateKey { tool, key: key.clone(), pointer: pointer(path) }
        }
        None if state.left.is_none() => DumpProblem::TooMany { limit: VALUES },
        None if error.is_eof() => DumpProblem::Half,
        // serde_json has no kind for it.
        None if error.to_string().starts_with("recursion limit") => DumpProblem::TooDeep,
        None => DumpProblem::Json(message(error)),
    }
}

/// Whether a text is what a streamable HTTP server sends and `curl` writes down: an event stream.
pub(crate) fn is_event_stream(text: &[u8]) -> bool {
    // What begins with a colon is a comment: many servers say so that they are still there.
    let fields = [&b":"[..], b"event:", b"data:", b"id:", b"retry:"];
    fields.iter().any(|field| text.trim_ascii_start().starts_with(field))
}

/// The message without the position, which stands in front of ours.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&position).unwrap_or(&text).to_owned()
}

/// The tool in whose entry a path lies.
pub(super) fn tool_at<'a>(document: &'a Value, path: &[String]) -> Option<&'a str> {
    (1..=path.len())
        .filter(|&end| path[end - 1].parse::<usize>().is_ok())
        .find_map(|end| document.pointer(&pointer(&path[..end]))?.get("name")?.as_str())
}

pub(super) fn pointer(path: &[String]) -> String {
    path.iter().map(|key| format!("/{}", escaped(key))).collect()
}
