//! Why a running server could not be read.

use std::fmt;
use std::io;
use std::process::ExitStatus;

use super::limits::{
    ANSWER_SECONDS, Limits, MESSAGE_BYTES, PAGES, TOOLS, TOTAL_BYTES, TOTAL_SECONDS,
};
use crate::source::dump::DumpProblem;

/// Why a running server could not be read. Neither headers nor more of a URL than its origin ever
/// stand in it.
#[derive(Debug, thiserror::Error)]
#[error("{server}{}: {problem}{}{}", while_(*phase), advice(*phase, problem), said(noise.as_deref(), stderr))]
pub struct ServeError {
    /// The command or the URL's origin.
    pub server: String,
    /// How far the conversation had come.
    pub phase: Phase,
    /// What went wrong.
    #[source]
    pub problem: Box<ServeProblem>,
    /// The first line of standard output that was no message, where there was one.
    pub noise: Option<String>,
    /// The end of what the server wrote to standard error.
    pub stderr: String,
}

/// How far a conversation had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before anything was asked.
    Start,
    /// The server was asked to `initialize`.
    Initialize,
    /// A page of its tools was asked for, counted from 1.
    Page(usize),
    /// The list was whole and the server told to end.
    End,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeProblem {
    /// The system refused to start it.
    #[error("cannot be started: {0}")]
    NotStarted(io::Error),
    /// It ended too early.
    #[error("it ended ({0})")]
    Exited(ExitStatus),
    /// It closed its output, or the connection, without an answer.
    #[error("it closed the connection without an answer")]
    Closed,
    /// Its output ended in the middle of a message.
    #[error("its output ended in the middle of a line")]
    HalfLine,
    /// It does not read what it is sent.
    #[error("it does not read its input")]
    NotReading,
    /// It took too long to one answer.
    #[error(
        "no answer within {} seconds{}; if it needs more time, raise `--limit {ANSWER_SECONDS}=N`",
        limits.answer.as_secs(), if *half { ", only the beginning of a line" } else { "" }
    )]
    TimedOut {
        /// What it was allowed.
        limits: Limits,
        /// Whether it had begun to write a message.
        half: bool,
    },
    /// It took too long in all.
    #[error("not done within {} seconds; if it needs more time, raise `--limit {TOTAL_SECONDS}=N`", _0.total.as_secs())]
    TotalTimedOut(Limits),
    /// One message is too long.
    #[error("a message of more than {} bytes; if that is right, raise `--limit {MESSAGE_BYTES}=N`", _0.message_bytes)]
    MessageTooLong(Limits),
    /// It wrote too much.
    #[error("more than {} bytes of output; if that is right, raise `--limit {TOTAL_BYTES}=N`", _0.total_bytes)]
    TooMuch(Limits),
    /// Reading failed.
    #[error("its output cannot be read: {0}")]
    Read(io::Error),
    /// A message is not UTF-8.
    #[error("a message that is not UTF-8")]
    NotText,
    /// A message that is cut off.
    #[error("a message that ends in the middle")]
    CutOff,
    /// A message that is no sound JSON.
    #[error("a message that cannot be read: {0}")]
    Broken(DumpProblem),
    /// The body of an answer is something else.
    #[error("an answer that is no JSON, though it says so")]
    NotJson,
    /// An answer without a result.
    #[error("an answer with neither a `result` object nor an `error`")]
    NoResult,
    /// An answer to nothing that was asked.
    #[error("an answer with the id {0}, which nobody asked for")]
    UnknownId(String),
    /// A second answer to one question.
    #[error(
        "a second answer to the request with the id {0}; which of the two counts cannot be told"
    )]
    AnsweredTwice(i64),
    /// It answered with an error.
    #[error("it answered with an error: {message} ({code})")]
    Refused {
        /// The code of JSON-RPC.
        code: i64,
        /// What it said.
        message: String,
        /// The protocol revisions it says it speaks.
        supported: Vec<String>,
    },
    /// It sent an error that belongs to no request, and no answer.
    #[error("no answer, only an error that names no request: {message} ({code})")]
    Complained {
        /// The code of JSON-RPC.
        code: i64,
        /// What it said.
        message: String,
    },
    /// It has no tools.
    #[error("it serves no tools: `tools/list` is a method it does not know")]
    NoTools,
    /// What it listed is no list of tools.
    #[error("{0}")]
    List(DumpProblem),
    /// A cursor that is no string.
    #[error("a `nextCursor` that is no string: {0}")]
    BadCursor(String),
    /// A cursor that came before: the list would never end.
    #[error("the same `nextCursor` {0:?} for the second time, so its list never ends")]
    RepeatedCursor(String),
    /// Too many pages.
    #[error("more than {} pages; if that is right, raise `--limit {PAGES}=N`", _0.pages)]
    TooManyPages(Limits),
    /// Too many tools.
    #[error("more than {} tools; if that is right, raise `--limit {TOOLS}=N`", _0.tools)]
    TooManyTools(Limits),
    /// It announced changes over and over.
    #[error("it announced {0} times that its tools changed while they were listed")]
    KeepsChanging(usize),
    /// It announced a change when it was told to end: the list was whole, and is not the last.
    #[error("after its list it announced that its tools changed, so the list is out of date")]
    ChangedAfter,
    /// The URL cannot be used.
    #[error("not a URL that can be asked: write `http://` or `https://` and a host")]
    BadUrl,
    /// A header cannot be used.
    #[error("{0}")]
    BadHeader(String),
    /// The revision it agreed to, of so many bytes, cannot be said in a header.
    #[error(
        "a `protocolVersion` of {0} bytes that is too long for the date of a revision, or holds characters that no header may hold"
    )]
    BadRevision(usize),
    /// The connection failed.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// It answered with an HTTP status of failure.
    #[error("HTTP status {code}{}", hint(*code))]
    Status {
        /// The status.
        code: u16,
    },
    /// It points elsewhere.
    #[error(
        "it redirects to {0}; headers are not sent to another place by themselves, so give that URL if it is right"
    )]
    Redirect(String),
    /// It answered in a form that is not the protocol's.
    #[error(
        "an answer of type `{0}`, which no streamable HTTP server gives; is this the URL of its MCP endpoint?"
    )]
    ContentType(String),
    /// It answered without saying in what form.
    #[error(
        "an answer without a `Content-Type`, where a streamable HTTP server says `application/json` or `text/event-stream`"
    )]
    NoContentType,
    /// It answered in an encoding that was not asked for.
    #[error("an answer in the `Content-Encoding` `{0}`, which was not asked for")]
    Encoded(String),
    /// Another problem in whose text a secret stood, without that.
    #[error("{0}")]
    Masked(String),
}

impl ServeProblem {
    /// The same with `secrets` taken out of what it quotes.
    pub(super) fn without(self, secrets: &[&str]) -> Self {
        let text = self.to_string();
        let masked = masked(&text, secrets);
        if masked == text { self } else { Self::Masked(masked) }
    }
}

/// A text of a server with `secrets` taken out: some quote what they were sent.
pub(super) fn masked(text: &str, secrets: &[&str]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, ".."))
}

/// What a failing status may mean.
fn hint(code: u16) -> &'static str {
    match code {
        401 | 403 => {
            "; give it credentials with `--header 'Authorization: ..'`, or in the environment variable MCP_SEMVER_HEADERS"
        }
        404 | 405 => {
            "; is this the URL of its MCP endpoint? (the HTTP+SSE transport of 2024-11-05 is not spoken here, only streamable HTTP)"
        }
        _ => "",
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("starting it"),
            Self::Initialize => f.write_str("waiting for the answer to `initialize`"),
            Self::Page(1) => f.write_str("waiting for the answer to `tools/list`"),
            Self::Page(page) => write!(f, "waiting for page {page} of `tools/list`"),
            Self::End => f.write_str("ending it"),
        }
    }
}

fn while_(phase: Phase) -> String {
    // A start that failed says so itself.
    if phase == Phase::Start { String::new() } else { format!(", {phase}") }
}

/// What else may be the reason: `rust-mcp-sdk` 0.7 ends a session whose client speaks a newer
/// revision than its own without a word, and goes on running.
fn advice(phase: Phase, problem: &ServeProblem) -> &'static str {
    if phase == Phase::Initialize && matches!(problem, ServeProblem::TimedOut { half: false, .. }) {
        "; a server made with an old SDK may also ignore a client of a newer revision: then have its \
         package built instead, or give its saved list with `--tools`"
    } else {
        ""
    }
}

fn said(noise: Option<&str>, stderr: &str) -> String {
    let mut text = String::new();
    if let Some(noise) = noise {
        text += &format!("\non standard output it wrote, which is no message:\n{noise}");
    }
    let stderr = stderr.trim_end();
    if !stderr.is_empty() {
        text += &format!("\nit wrote to standard error:\n{stderr}");
    }
    text
}
