//! A `tools/list` dump as a source: a full JSON-RPC response, a bare result, or a plain array.

#[cfg(test)]
mod tests;

use std::cell::RefCell;

use mcp_semver_build::unique::{State, Tracked};
use mcp_semver_build::{Catalogue, Contract, ContractError};
use serde::de::DeserializeSeed as _;
use serde_json::Value;

/// Why a dump could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}{}: {problem}", position.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default())]
pub struct DumpError {
    /// The dump's path, or `standard input`.
    pub origin: String,
    /// Line and column, counted from 1, where it is no JSON.
    pub position: Option<(usize, usize)>,
    /// What is wrong.
    pub problem: Box<DumpProblem>,
}

/// What is wrong with a dump.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DumpProblem {
    /// Nothing but white space.
    #[error("the dump is empty; it should hold the JSON answer to `tools/list`")]
    Empty,
    /// Not UTF-8.
    #[error("not a text file in UTF-8{}", if *utf16 { " but in UTF-16, as the `>` of some shells writes it" } else { "" })]
    NotText {
        /// Whether it begins as UTF-16 does.
        utf16: bool,
    },
    /// The JSON ends in the middle.
    #[error("the dump ends in the middle of its JSON; was it cut off?")]
    Half,
    /// More than JSON readers accept.
    #[error("nested deeper than 128 levels, which no tool's schema needs and JSON readers refuse")]
    TooDeep,
    /// No JSON.
    #[error("not JSON: {0}")]
    Json(String),
    /// A key appears twice in one object, so that readers disagree about what it says.
    #[error("{}the key `{key}` appears twice in one object, at {pointer}", in_tool(tool.as_deref()))]
    DuplicateKey {
        /// The tool it is in.
        tool: Option<String>,
        /// The key.
        key: String,
        /// JSON pointer of the object's entry in the dump.
        pointer: String,
    },
    /// The server answered with an error.
    #[error("the server answered with an error: {0}")]
    Refused(String),
    /// It is JSON and no catalogue.
    #[error(
        "no list of tools: expected {{\"tools\": [...]}}, a JSON-RPC response with that as its \
         `result`, or an array of tools; found {found}"
    )]
    NoTools {
        /// What was found.
        found: String,
    },
    /// One page of several.
    #[error(
        "the catalogue is incomplete: it has a `nextCursor`, so this is one page of several; fetch \
         the pages that follow and put all tools into one list"
    )]
    Incomplete,
    /// An entry is no tool.
    #[error("tool number {number} of the list: {error}")]
    Tool {
        /// Its place in the list, counted from 1.
        number: usize,
        /// What is wrong with it.
        error: ContractError,
    },
    /// Two entries share a name.
    #[error("tools number {first} and {second} of the list are both named `{name}`")]
    DuplicateTool {
        /// The name.
        name: String,
        /// Place in the list, counted from 1.
        first: usize,
        /// Place in the list, counted from 1.
        second: usize,
    },
}

fn in_tool(tool: Option<&str>) -> String {
    tool.map(|tool| format!("tool `{tool}`: ")).unwrap_or_default()
}

/// Reads a dump; `origin` is named in errors.
///
/// # Errors
/// [`DumpError`] when it is no single JSON document, holds no list of tools, or not the whole one.
pub fn read(bytes: &[u8], origin: &str) -> Result<Catalogue, DumpError> {
    let fail = |position, problem| DumpError {
        origin: origin.to_owned(),
        position,
        problem: Box::new(problem),
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(fail(None, DumpProblem::Empty));
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        let utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        return Err(fail(None, DumpProblem::NotText { utf16 }));
    };
    let document = parse(text).map_err(|(position, problem)| fail(position, problem))?;
    tools(document).and_then(catalogue).map_err(|problem| fail(None, problem))
}

type Position = Option<(usize, usize)>;

fn parse(text: &str) -> Result<Value, (Position, DumpProblem)> {
    let state = RefCell::new(State::default());
    let mut json = serde_json::Deserializer::from_str(text);
    let result =
        Tracked(&state).deserialize(&mut json).and_then(|value| json.end().map(|()| value));
    let error = match result {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let problem = match state.into_inner().duplicate {
        Some((key, path)) => {
            // The last of the two wins here, which is good enough to name the tool.
            let document = serde_json::from_str(text).unwrap_or_default();
            let tool = tool_at(&document, &path).map(str::to_owned);
            DumpProblem::DuplicateKey { tool, key, pointer: pointer(&path) }
        }
        None if error.is_eof() => DumpProblem::Half,
        // serde_json has no kind for it.
        None if error.to_string().starts_with("recursion limit") => DumpProblem::TooDeep,
        None => DumpProblem::Json(message(&error)),
    };
    Err((Some((error.line(), error.column())), problem))
}

/// The message without the position, which stands in front of ours.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&position).unwrap_or(&text).to_owned()
}

/// The list of tools of any form of dump.
fn tools(document: Value) -> Result<Vec<Value>, DumpProblem> {
    let mut map = match document {
        Value::Array(tools) => return Ok(tools),
        Value::Object(map) => map,
        other => return Err(DumpProblem::NoTools { found: kind(&other) }),
    };
    if let Some(error) = map.get("error").filter(|error| !error.is_null()) {
        let message = error.get("message").and_then(Value::as_str).map(str::to_owned);
        return Err(DumpProblem::Refused(message.unwrap_or_else(|| error.to_string())));
    }
    let mut result = match map.remove("result") {
        Some(Value::Object(result)) => result,
        Some(other) => {
            return Err(DumpProblem::NoTools { found: format!("{} as `result`", kind(&other)) });
        }
        None => map,
    };
    // Any cursor, the empty one too: the specification says nothing of what it looks like.
    if result.get("nextCursor").is_some_and(|cursor| !cursor.is_null()) {
        return Err(DumpProblem::Incomplete);
    }
    match result.remove("tools") {
        Some(Value::Array(tools)) => Ok(tools),
        Some(other) => Err(DumpProblem::NoTools { found: format!("{} as `tools`", kind(&other)) }),
        None => Err(DumpProblem::NoTools { found: kind(&Value::Object(result)) }),
    }
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(map) if map.is_empty() => "an empty object".to_owned(),
        Value::Object(map) => {
            let keys: Vec<_> = map.keys().take(5).map(|key| format!("`{key}`")).collect();
            format!("an object with {}", keys.join(", "))
        }
    }
}

fn catalogue(tools: Vec<Value>) -> Result<Catalogue, DumpProblem> {
    let mut contracts: Vec<Contract> = Vec::with_capacity(tools.len());
    for (index, tool) in tools.into_iter().enumerate() {
        let contract = Contract::from_wire(tool)
            .map_err(|error| DumpProblem::Tool { number: index + 1, error })?;
        contracts.push(contract);
    }
    let names: Vec<String> = contracts.iter().map(|contract| contract.name.clone()).collect();
    Catalogue::new(contracts).map_err(|error| match error {
        ContractError::Duplicate { name } => {
            let mut places = (1..).zip(&names).filter(|(_, other)| **other == name);
            let mut place = || places.next().map_or(0, |(place, _)| place);
            DumpProblem::DuplicateTool { first: place(), second: place(), name: name.clone() }
        }
        error => DumpProblem::Tool { number: 0, error },
    })
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
