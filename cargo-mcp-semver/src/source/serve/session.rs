//! The conversation: agree on a revision, ask for every page, end.
//!
//! Servers before the revision 2026-07-28 want to be initialised, so that is what is tried; one
//! that refuses is asked without, as that revision has it. The list of tools is the same in all.

use std::collections::{BTreeSet, VecDeque};

use serde_json::{Map, Value, json};

use super::error::{Phase, ServeProblem};
use super::limits::{Deadline, Limits};
use super::message::{Message, messages};
use crate::source::Sourced;
use crate::source::dump::{self, Item};

/// The revisions of the protocol with a handshake that are known, oldest first.
const HANDSHAKES: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The revision that did away with the handshake.
const STATELESS: &str = "2026-07-28";
/// How often a list may be begun again because the server said that it changed meanwhile.
const RESTARTS: usize = 5;

/// JSON-RPC's code for a method that is not known.
const METHOD_NOT_FOUND: i64 = -32601;

/// What carries messages to a server and back.
pub(super) trait Transport {
    /// Sends one message.
    fn send(&mut self, message: &Value, deadline: Deadline) -> Result<(), ServeProblem>;

    /// Waits for what comes next: one line or one event, never longer than the limits say.
    fn receive(&mut self, deadline: Deadline) -> Result<Vec<u8>, ServeProblem>;

    /// What the server wrote after its last answer, as far as that can be told from an answer to
    /// what is asked next.
    fn rest(&mut self) -> Vec<Vec<u8>>;

    /// Says which revision was agreed upon.
    ///
    /// # Errors
    /// It cannot be said on the wire.
    fn agreed(&mut self, revision: &str) -> Result<(), ServeProblem>;

    /// Tells the server to end, and returns what it wrote on the way out.
    fn end(&mut self) -> Vec<Vec<u8>>;
}

/// A conversation over a transport.
pub(super) struct Session<'t, T> {
    transport: &'t mut T,
    limits: Limits,
    deadline: Deadline,
    /// How far it has come.
    pub(super) phase: Phase,
    /// The id of the last request; all before it have their answers.
    last_id: i64,
    /// Messages of a batch that are still to be looked at.
    waiting: VecDeque<Message>,
    /// An error without an id, which explains an answer that never comes.
    complaint: Option<ServeProblem>,
    /// Whether the server said that its tools changed.
    changed: bool,
    /// What goes into every request as `_meta`; absent where the handshake says it once.
    meta: Option<Value>,
    /// What a person must know.
    notes: Vec<String>,
}

impl<'t, T: Transport> Session<'t, T> {
    /// A conversation that begins now.
    pub(super) fn new(transport: &'t mut T, limits: Limits, deadline: Deadline) -> Self {
        Self {
            transport,
            limits,
            deadline,
            phase: Phase::Start,
            last_id: 0,
            waiting: VecDeque::new(),
            complaint: None,
            changed: false,
            meta: None,
            notes: Vec::new(),
        }
    }

    /// Holds the conversation.
    pub(super) fn run(&mut self) -> Result<Sourced, ServeProblem> {
        self.phase = Phase::Initialize;
        let server_name = self.start()?;
        let tools = self.list()?;
        let catalogue = dump::catalogue(tools).map_err(ServeProblem::List)?;
        self.phase = Phase::End;
        self.settle()?;
        for line in self.transport.end() {
            for message in messages(&line).unwrap_or_default() {
                self.sort(message)?;
            }
        }
        if self.changed {
            return Err(ServeProblem::ChangedAfter);
        }
        let notes = std::mem::take(&mut self.notes);
        Ok(Sourced { catalogue, notes, server_name, ..Sourced::default() })
    }

    /// Agrees on a revision; returns the name the server gives itself.
    fn start(&mut self) -> Result<Option<String>, ServeProblem> {
        let newest = HANDSHAKES[HANDSHAKES.len() - 1];
        let refused = match self.initialize(newest) {
            Err(refused @ ServeProblem::Refused { .. }) => refused,
            done => return done,
        };
        let ServeProblem::Refused { supported, .. } = &refused else { return Err(refused) };
        let speaks = |revision: &str| supported.iter().any(|supported| supported == revision);
        if !speaks(STATELESS)
            && let Some(older) = HANDSHAKES.into_iter().rev().find(|revision| speaks(revision))
        {
            return self.initialize(older);
        }
        self.stateless(STATELESS)?;
        // Whatever a server without that revision makes of it, its first answer is the one to show.
        let discovered = self.request("server/discover", Map::new()).map_err(|_| refused)?;
        Ok(name(&discovered, "serverInfo"))
    }

    fn initialize(&mut self, revision: &str) -> Result<Option<String>, ServeProblem> {
        let Value::Object(params) = json!({
            "protocolVersion": revision,
            "capabilities": {},
            "clientInfo": client(),
        }) else {
            return Err(ServeProblem::NoResult);
        };
        let result = self.request("initialize", params)?;
        let agreed = result.get("protocolVersion").and_then(Value::as_str).unwrap_or(revision);
        if agreed == STATELESS {
            self.stateless(agreed)?;
        } else {
            if !HANDSHAKES.contains(&agreed) {
                self.notes.push(format!(
                    "the server speaks the protocol revision `{agreed}`, which this tool does not \
                     know; its tools are read as those of {revision}"
                ));
            }
            self.transport.agreed(agreed)?;
        }
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(name(&result, "serverInfo"))
    }

    /// Says in every request from now on who asks and how.
    fn stateless(&mut self, revision: &str) -> Result<(), ServeProblem> {
        self.transport.agreed(revision)?;
        self.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": client(),
            "io.modelcontextprotocol/clientCapabilities": {},
        }));
        Ok(())
    }

    /// Every tool as it stands on the wire. Begins again when the server says meanwhile that its
    /// tools changed: pages from before and after would be no list it ever had.
    fn list(&mut self) -> Result<Vec<Item>, ServeProblem> {
        for _ in 0..=RESTARTS {
            self.changed = false;
            let tools = self.pages()?;
            if !self.changed {
                return Ok(tools);
            }
        }
        Err(ServeProblem::KeepsChanging(RESTARTS + 1))
    }

    fn pages(&mut self) -> Result<Vec<Item>, ServeProblem> {
        let mut tools = Vec::new();
        let mut cursors = BTreeSet::new();
        let mut params = Map::new();
        for page in 1..=self.limits.pages {
            self.phase = Phase::Page(page);
            let result = match self.request("tools/list", params) {
                Err(ServeProblem::Refused { code: METHOD_NOT_FOUND, .. }) if page == 1 => {
                    return Err(ServeProblem::NoTools);
                }
                result => result?,
            };
            let answer = dump::page(result).map_err(ServeProblem::List)?;
            tools.extend(answer.tools);
            if tools.len() > self.limits.tools {
                return Err(ServeProblem::TooManyTools(self.limits));
            }
            let cursor = match answer.cursor {
                None => return Ok(tools),
                // The empty string is a cursor as any other.
                Some(Value::String(cursor)) => cursor,
                Some(other) => return Err(ServeProblem::BadCursor(other.to_string())),
            };
            params = Map::from_iter([("cursor".to_owned(), cursor.clone().into())]);
            if !cursors.insert(cursor.clone()) {
                return Err(ServeProblem::RepeatedCursor(cursor));
            }
        }
        Err(ServeProblem::TooManyPages(self.limits))
    }

    /// Sees to what came with the last answer; none of it answers what is not asked yet.
    fn settle(&mut self) -> Result<(), ServeProblem> {
        while let Some(message) = self.waiting.pop_front() {
            if self.sort(message)?.is_some() {
                return Err(ServeProblem::AnsweredTwice(self.last_id));
            }
        }
        Ok(())
    }

    /// Asks, and waits for the answer to it.
    fn request(
        &mut self,
        method: &str,
        mut params: Map<String, Value>,
    ) -> Result<Map<String, Value>, ServeProblem> {
        for line in self.transport.rest() {
            self.waiting.extend(messages(&line)?);
        }
        self.settle()?;
        self.last_id += 1;
        let deadline = self.deadline.of_answer();
        if let Some(meta) = &self.meta {
            params.insert("_meta".to_owned(), meta.clone());
        }
        let id = self.last_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.transport.send(&request, deadline)?;
        loop {
            let message = match self.waiting.pop_front() {
                Some(message) => message,
                None => {
                    let line =
                        self.transport.receive(deadline).map_err(|problem| self.why(problem))?;
                    self.waiting.extend(messages(&line)?);
                    continue;
                }
            };
            if let Some(answer) = self.sort(message)? {
                return result(answer);
            }
        }
    }

    /// Sees to a message; returns it when it is the answer to the last request.
    fn sort(&mut self, message: Message) -> Result<Option<Map<String, Value>>, ServeProblem> {
        let answer = match message {
            Message::Notification { method } => {
                self.changed |= method == "notifications/tools/list_changed";
                return Ok(None);
            }
            Message::Request { id, method } => {
                // Once it was told to end nobody waits for an answer.
                if self.phase != Phase::End {
                    self.send(&reply(id, &method))?;
                }
                return Ok(None);
            }
            Message::Answer(answer) => answer,
        };
        let done = self.phase == Phase::End;
        match answer.get("id").unwrap_or(&Value::Null) {
            Value::Null => {
                if let Err(ServeProblem::Refused { code, message, .. }) = result(answer) {
                    self.complaint = Some(ServeProblem::Complained { code, message });
                }
                Ok(None)
            }
            id if !done && whole(id) == Some(self.last_id) => Ok(Some(answer)),
            id => match whole(id) {
                Some(id) if (1..=self.last_id).contains(&id) => {
                    Err(ServeProblem::AnsweredTwice(id))
                }
                _ => Err(ServeProblem::UnknownId(id.to_string())),
            },
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), ServeProblem> {
        let deadline = self.deadline.of_answer();
        self.transport.send(message, deadline)
    }

    /// Why an answer never came: what the server said about it, if it did.
    fn why(&mut self, problem: ServeProblem) -> ServeProblem {
        self.complaint.take().unwrap_or(problem)
    }
}

/// The whole number that an id is: JSON does not tell `1.0` from `1` (RFC 8259, section 6).
fn whole(id: &Value) -> Option<i64> {
    let float = || id.as_f64().filter(|it| it.fract() == 0.0 && it.abs() < f64::from(u32::MAX));
    // It has no fraction, and is small.
    #[allow(clippy::cast_possible_truncation)]
    id.as_i64().or_else(|| float().map(|float| float as i64))
}

/// Who asks.
fn client() -> Value {
    json!({"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")})
}

/// The name in an implementation's description of itself.
fn name(result: &Map<String, Value>, field: &str) -> Option<String> {
    let name = result.get(field)?.get("name")?.as_str()?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The result of an answer.
fn result(mut answer: Map<String, Value>) -> Result<Map<String, Value>, ServeProblem> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Err(refused(error));
    }
    match answer.remove("result") {
        Some(Value::Object(result)) => Ok(result),
        _ => Err(ServeProblem::NoResult),
    }
}

/// The error in an answer.
pub(super) fn refused(error: &Value) -> ServeProblem {
    let supported = error.get("data").and_then(|data| data.get("supported"));
    let supported = supported.and_then(Value::as_array).into_iter().flatten();
    ServeProblem::Refused {
        code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
        message: match error.get("message").and_then(Value::as_str) {
            Some(message) => message.to_owned(),
            None => error.to_string(),
        },
        supported: supported.filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}

/// The answer to a request of the server's own. We offered it nothing, so it gets nothing, in the
/// form that lets it go on.
fn reply(id: Value, method: &str) -> Value {
    let refusal = |code: i64, message: &str| ("error", json!({"code": code, "message": message}));
    let (field, content) = match method {
        "ping" => ("result", json!({})),
        "roots/list" => ("result", json!({"roots": []})),
        "elicitation/create" => ("result", json!({"action": "decline"})),
        "sampling/createMessage" => refusal(-1, "sampling is not offered"),
        _ => refusal(METHOD_NOT_FOUND, "only the list of tools is read here"),
    };
    json!({"jsonrpc": "2.0", "id": id, field: content})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_number_however_it_is_written() {
        for (id, expected) in [("1", Some(1)), ("1.0", Some(1)), ("1e0", Some(1)), ("1.5", None)] {
            assert_eq!(whole(&serde_json::from_str(id).unwrap()), expected, "{id}");
        }
        assert_eq!((whole(&json!("1")), whole(&json!(1e300))), (None, None));
    }
}
