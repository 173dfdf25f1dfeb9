//! Documents into lists of tools.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::error::{CURSOR, DumpProblem};
use super::listed::{Document, Item, Lists, is_message};

/// A whole list of tools, its pages put together.
#[derive(Debug, Default)]
pub(super) struct List {
    /// The tools, in the order of the pages.
    pub(super) tools: Vec<Item>,
    /// Whether the server said, after the list before this one, that its tools had changed.
    pub(super) announced: bool,
}

/// One page of a list.
#[derive(Debug)]
pub(crate) struct Page {
    /// Its tools.
    pub(crate) tools: Vec<Item>,
    /// What asks for the next page; any value but null is a cursor, the empty string too.
    pub(crate) cursor: Option<Value>,
}

/// Every list in the documents of a dump, of which there is at least one.
///
/// A document is a page (a bare result, a response, an array of tools) or another message of a
/// recorded session, which only matters as far as it speaks of the list of tools.
pub(super) fn lists(documents: Vec<Document>) -> Result<Vec<List>, DumpProblem> {
    let mut reader = Reader::default();
    for document in documents.into_iter().flat_map(batch) {
        reader.read(document)?;
    }
    reader.end()
}

/// The messages of a JSON-RPC batch; any other document as it is.
fn batch(document: Document) -> Vec<Document> {
    let is_one = |item: &Item| matches!(item, Item::Value(value) if is_message(value));
    match document {
        Document::Array(items) if !items.is_empty() && items.iter().all(is_one) => {
            let message = |item| match item {
                Item::Value(Value::Object(map)) => Some(Document::Object(map, Lists::default())),
                _ => None,
            };
            items.into_iter().filter_map(message).collect()
        }
        other => vec![other],
    }
}

/// Reads a session from its first message to its last.
#[derive(Debug, Default)]
struct Reader {
    lists: Vec<List>,
    /// Pages of a list that has not come to its end.
    current: Option<Open>,
    /// Whether the client asked for tools or for something else, by id as JSON; empty where the
    /// session does not show it.
    asked: BTreeMap<String, bool>,
    /// Those requests for tools that wait for their answer: by id the cursor that they ask on from,
    /// both as JSON.
    waiting: BTreeMap<String, Option<String>>,
    /// The ids of the server's own requests, as JSON, which may be those of the client's too.
    asked_back: BTreeSet<String>,
    /// Whether the server announced a change since the last list began.
    announced: bool,
    /// The refusal of a request for tools, while no list has come since.
    refused: Option<DumpProblem>,
    /// What there was that says nothing of tools, for when no list is found.
    other: Option<DumpProblem>,
}

/// What servers ask for. Clients may `ping` as well; whose it is makes no difference here.
const ASKED_BACK: [&str; 4] =
    ["ping", "roots/list", "sampling/createMessage", "elicitation/create"];

/// A list whose last page had a cursor.
#[derive(Debug, Default)]
struct Open {
    tools: Vec<Item>,
    cursors: BTreeSet<String>,
    /// What asks for the page that comes next, as JSON.
    next: Option<String>,
    /// See [`List::announced`].
    announced: bool,
}

impl Reader {
    fn read(&mut self, document: Document) -> Result<(), DumpProblem> {
        let (map, lists) = match document {
            Document::Array(tools) => return self.page(Page { tools, cursor: None }),
            Document::Object(map, lists) => (map, lists),
            Document::Other(other) => return Err(DumpProblem::NoTools { found: kind(&other) }),
        };
        if let Some(method) = map.get("method").and_then(Value::as_str) {
            self.message(method, &map);
            return Ok(());
        }
        let is_response = map.contains_key("jsonrpc");
        let id = map.get("id").filter(|id| !id.is_null()).map(Value::to_string);
        let page = match map.get("error").filter(|error| !error.is_null()) {
            Some(error) => Err(DumpProblem::Refused(complaint(error))),
            None => page(map, lists),
        };
        let no_list = |found: &str| DumpProblem::NoTools { found: found.to_owned() };
        let is_waiting = id.as_ref().is_some_and(|id| self.waiting.contains_key(id));
        let is_other = id.as_ref().is_some_and(|id| self.is_other(id, &page));
        let is_shown = |id| self.asked.is_empty() || self.asked.contains_key(id);
        let is_shown = id.as_ref().is_none_or(is_shown);
        let asked = id.filter(|_| !is_other).and_then(|id| self.waiting.remove(&id));
        let problem = match page {
            Ok(_) if is_other => no_list("the answer to another request than `tools/list`"),
            Ok(_) if !is_shown => {
                return Err(no_list("the answer to a request that the session does not show"));
            }
            Ok(page) => {
                self.follows(asked.flatten())?;
                return self.page(page);
            }
            Err(problem) => problem,
        };
        let noted = match problem {
            // Not at once: they may be asked for again, or it was the server that was refused.
            DumpProblem::Refused(_) if is_waiting => &mut self.refused,
            DumpProblem::Refused(_) => &mut self.other,
            DumpProblem::NoTools { .. } if is_response && !is_waiting => &mut self.other,
            _ if is_other => &mut self.other,
            problem => return Err(problem),
        };
        noted.get_or_insert(problem);
        Ok(())
    }

    /// Whether an answer is not to a request for tools.
    fn is_other(&mut self, id: &str, answer: &Result<Page, DumpProblem>) -> bool {
        let is_list = !matches!(answer, Err(DumpProblem::Refused(_) | DumpProblem::NoTools { .. }));
        // No server asks for tools: what has none is the client's, whoever else asked with that id.
        (!is_list && self.asked_back.remove(id)) || self.asked.get(id) == Some(&false)
    }

    fn message(&mut self, method: &str, message: &Map<String, Value>) {
        let id = message.get("id").filter(|id| !id.is_null()).map(Value::to_string);
        match (method, id) {
            ("tools/list", Some(id)) => {
                let cursor = message.get("params").and_then(|params| params.get("cursor"));
                let cursor = cursor.filter(|cursor| !cursor.is_null()).map(Value::to_string);
                if cursor.is_none() {
                    // Asked from the start, whatever had come before.
                    self.current = None;
                }
                self.asked.insert(id.clone(), true);
                self.waiting.insert(id, cursor);
            }
            ("notifications/tools/list_changed", _) => self.announced = true,
            // A client does not ask twice with one id.
            (_, Some(id)) if ASKED_BACK.contains(&method) || self.waiting.contains_key(&id) => {
                self.asked_back.insert(id);
            }
            (_, Some(id)) => {
                self.asked.insert(id, false);
            }
            (_, None) => {}
        }
    }

    fn page(&mut self, page: Page) -> Result<(), DumpProblem> {
        let announced = &mut self.announced;
        let mut open = self
            .current
            .take()
            .unwrap_or_else(|| Open { announced: std::mem::take(announced), ..Open::default() });
        open.tools.extend(page.tools);
        match page.cursor {
            Some(cursor) => {
                let cursor = cursor.to_string();
                if !open.cursors.insert(cursor.clone()) {
                    return Err(DumpProblem::RepeatedCursor { cursor });
                }
                self.current = Some(Open { next: Some(cursor), ..open });
            }
            None => {
                self.refused = None;
                // What was asked before is settled by this.
                self.waiting.clear();
                self.lists.push(List { tools: open.tools, announced: open.announced });
            }
        }
        Ok(())
    }

    /// Whether the page that a cursor asked for is the next one.
    fn follows(&self, cursor: Option<String>) -> Result<(), DumpProblem> {
        let next = self.current.as_ref().and_then(|open| open.next.as_ref());
        match cursor {
            Some(cursor) if next != Some(&cursor) => Err(DumpProblem::Skipped { cursor }),
            _ => Ok(()),
        }
    }

    fn end(self) -> Result<Vec<List>, DumpProblem> {
        if let Some(refused) = self.refused {
            return Err(refused);
        }
        if self.current.is_some() {
            let refused = self.other.filter(|other| matches!(other, DumpProblem::Refused(_)));
            return Err(refused.unwrap_or(DumpProblem::Incomplete));
        }
        if self.lists.is_empty() {
            let found = "messages of which none is a list of tools".to_owned();
            return Err(self.other.unwrap_or(DumpProblem::NoTools { found }));
        }
        if self.announced || !self.waiting.is_empty() {
            return Err(DumpProblem::Stale { announced: self.announced });
        }
        Ok(self.lists)
    }
}

/// The page that a response or a bare result holds, some of it perhaps as lists.
pub(super) fn page(mut map: Map<String, Value>, lists: Lists) -> Result<Page, DumpProblem> {
    if lists.own.is_some() && lists.result.is_some() {
        return Err(DumpProblem::SeveralLists { count: 2 });
    }
    let (mut result, tools) = match map.remove("result") {
        Some(Value::Object(result)) => (result, lists.result),
        Some(other) => {
            return Err(DumpProblem::NoTools { found: format!("{} as `result`", kind(&other)) });
        }
        None => (map, lists.own),
    };
    // Any cursor, the empty one too: the specification says nothing of what it looks like.
    let cursor = result.remove("nextCursor").filter(|cursor| !cursor.is_null());
    let is_renamed = cursor.is_none() && result.get(CURSOR).is_some_and(|cursor| !cursor.is_null());
    let no_tools = |found| Err(DumpProblem::NoTools { found });
    let tools = match (tools, result.remove("tools")) {
        (Some(tools), _) => tools,
        (None, Some(Value::Array(tools))) => tools.into_iter().map(Item::Value).collect(),
        (None, Some(other)) => return no_tools(format!("{} as `tools`", kind(&other))),
        (None, None) => return no_tools(kind(&Value::Object(result))),
    };
    if is_renamed { Err(DumpProblem::RenamedCursor) } else { Ok(Page { tools, cursor }) }
}

/// What an error of JSON-RPC says.
fn complaint(error: &Value) -> String {
    let message = error.get("message").and_then(Value::as_str).map(str::to_owned);
    message.unwrap_or_else(|| error.to_string())
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
