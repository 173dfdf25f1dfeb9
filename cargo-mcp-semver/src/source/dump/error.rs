//! Why a dump could not be read.

use mcp_semver_build::ContractError;

/// What Python's models call `inputSchema`, `outputSchema` and `nextCursor`.
pub(super) const INPUT: &str = "input_schema";
pub(super) const OUTPUT: &str = "output_schema";
pub(super) const CURSOR: &str = "next_cursor";

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
    /// More than memory is spent on.
    #[error("more than {limit} JSON values, which no list of tools needs")]
    TooMany {
        /// How many may be there.
        limit: usize,
    },
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
    /// A number is read as another one.
    #[error(
        "{}the number {number}{} is neither one of 64 bits nor a double, so it would be read as \
         another one, and a change to it would go unnoticed; write one that JSON readers keep",
        in_tool(tool.as_deref()),
        pointer.as_ref().map(|pointer| format!(" at {pointer}")).unwrap_or_default()
    )]
    LostDigits {
        /// The tool it is in.
        tool: Option<String>,
        /// As it is written, cut where it is long.
        number: String,
        /// JSON pointer to it in the dump.
        pointer: Option<String>,
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
    /// The last page has a cursor.
    #[error(
        "the catalogue is incomplete: its last page has a `nextCursor`; fetch the pages that \
         follow and append them"
    )]
    Incomplete,
    /// What asks for the next page stands under another name.
    #[error("no `nextCursor`, but `{CURSOR}`; {}", advice(CURSOR))]
    RenamedCursor,
    /// The answer to a request for a later page, without the pages before it.
    #[error(
        "the catalogue is incomplete: there is the page that the cursor {cursor} asked for, and \
         not the ones before it"
    )]
    Skipped {
        /// The cursor as JSON.
        cursor: String,
    },
    /// A recorded session goes on after its last list.
    #[error(
        "the last list of tools is out of date: after it {}, and what came of that is not in the \
         dump; record until the tools are listed again",
        if *announced { "the server announced that its tools changed" } else { "they were asked for again" }
    )]
    Stale {
        /// Whether the server said that its tools changed.
        announced: bool,
    },
    /// Two pages of one list have the same cursor, so that following it would never end.
    #[error(
        "two pages of one list have the same `nextCursor` {cursor}; was a page put in twice, or listed twice at once?"
    )]
    RepeatedCursor {
        /// The cursor as JSON.
        cursor: String,
    },
    /// Several whole lists that are not the same.
    #[error(
        "{count} whole lists of tools that are not the same; keep one of them, or, if they are \
         pages of one list, keep the `nextCursor` of each page"
    )]
    SeveralLists {
        /// How many.
        count: usize,
    },
    /// An entry is no tool.
    #[error("tool number {number} of the list: {error}")]
    Tool {
        /// Its place in the list, counted from 1.
        number: usize,
        /// What is wrong with it.
        error: ToolError,
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

/// Why an entry of a list is no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// It is no contract.
    #[error(transparent)]
    Contract(#[from] ContractError),
    /// It lacks a schema, and has what may be that under another name than the wire's.
    #[error("tool `{tool}`: no `{field}`, but `{key}`, which may stand for it; {}", advice(key))]
    Renamed {
        /// The tool's name.
        tool: String,
        /// What the wire calls it.
        field: &'static str,
        /// What it is called.
        key: String,
    },
}

/// What to do about a name that is not the wire's.
fn advice(key: &str) -> &'static str {
    if [INPUT, OUTPUT, CURSOR].contains(&key) {
        "write the wire form, in Python with `model_dump(by_alias=True)`"
    } else {
        "give the tools as MCP's `tools/list` has them"
    }
}

fn in_tool(tool: Option<&str>) -> String {
    tool.map(|tool| format!("tool `{tool}`: ")).unwrap_or_default()
}
