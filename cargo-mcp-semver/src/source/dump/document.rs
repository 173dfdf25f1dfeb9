//! Text into JSON documents, in each of which no key stands twice.

use std::cell::RefCell;

use mcp_semver_build::unique::{State, Tracked, Unique};
use serde::de::DeserializeSeed as _;
use serde_json::Value;

use super::digits;
use super::error::DumpProblem;

/// Line and column, counted from 1.
type Position = Option<(usize, usize)>;

/// All documents of a text: one, several one after the other with or without line breaks between
/// them, or those in the `data` of an event stream.
pub(super) fn documents(text: &str) -> Result<Vec<Value>, (Position, DumpProblem)> {
    if is_event_stream(text.as_bytes()) {
        // Where a document stands in its event is not where it stands in the text.
        return events(text)
            .iter()
            .map(|data| one(data).map_err(|problem| (None, problem)))
            .collect();
    }
    if let Some((start, number)) = digits::lost(text) {
        let line = text[..start].rsplit('\n').next().map_or(0, str::len);
        let position = (1 + text[..start].matches('\n').count(), 1 + line);
        return Err((Some(position), DumpProblem::LostDigits { number }));
    }
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Unique>();
    let mut documents = Vec::new();
    loop {
        let start = stream.byte_offset();
        match stream.next() {
            Some(Ok(Unique(document))) => documents.push(document),
            Some(Err(error)) => {
                let position = Some((error.line(), error.column()));
                let rest = text.get(start..).unwrap_or_default();
                return Err((position, problem(rest, &error)));
            }
            None => return Ok(documents),
        }
    }
}

/// The one document of a text.
pub(crate) fn one(text: &str) -> Result<Value, DumpProblem> {
    if let Some((_, number)) = digits::lost(text) {
        return Err(DumpProblem::LostDigits { number });
    }
    match serde_json::from_str::<Unique>(text) {
        Ok(Unique(document)) => Ok(document),
        Err(error) => Err(problem(text, &error)),
    }
}

/// What is wrong with the first document of `text`, of which `error` was said.
fn problem(text: &str, error: &serde_json::Error) -> DumpProblem {
    let state = RefCell::new(State::default());
    let mut json = serde_json::Deserializer::from_str(text);
    let _ = Tracked(&state).deserialize(&mut json);
    match state.into_inner().duplicate {
        Some((key, path)) => {
            // The last of the two wins here, which is good enough to name the tool.
            let mut documents = serde_json::Deserializer::from_str(text).into_iter();
            let document = documents.next().and_then(Result::ok).unwrap_or_default();
            let tool = tool_at(&document, &path).map(str::to_owned);
            DumpProblem::DuplicateKey { tool, key, pointer: pointer(&path) }
        }
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

/// The `data` of each event that is a message; where to post to, for one, is told in another.
fn events(text: &str) -> Vec<String> {
    let mut events = Vec::new();
    let mut data: Vec<&str> = Vec::new();
    let mut is_message = true;
    for line in text.lines().chain([""]) {
        if let Some(value) = line.strip_prefix("data:") {
            data.push(value.strip_prefix(' ').unwrap_or(value));
        } else if let Some(kind) = line.strip_prefix("event:") {
            is_message = matches!(kind.trim(), "" | "message");
        } else if line.is_empty() {
            let event = data.join("\n");
            if is_message && !event.trim().is_empty() {
                events.push(event);
            }
            data.clear();
            is_message = true;
        }
    }
    events
}

/// The message without the position, which stands in front of ours.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&position).unwrap_or(&text).to_owned()
}

/// The tool in whose entry a path lies.
fn tool_at<'a>(document: &'a Value, path: &[String]) -> Option<&'a str> {
    (1..=path.len())
        .filter(|&end| path[end - 1].parse::<usize>().is_ok())
        .find_map(|end| document.pointer(&pointer(&path[..end]))?.get("name")?.as_str())
}

fn pointer(path: &[String]) -> String {
    path.iter().map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
}
