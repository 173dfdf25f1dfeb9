//! Documents into lists of tools.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::error::DumpProblem;
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
    /// Requests for tools that wait for their answer, where the session shows them: by id the
    /// cursor that they ask on from, both as JSON.
    asked: BTreeMap<String, Option<String>>,
    /// Whether the server announced a change since the last list began.
    announced: bool,
    /// The refusal of a request for tools, while no list has come since.
    refused: Option<DumpProblem>,
    /// What there was that says nothing of tools, for when no list is found.
    other: Option<DumpProblem>,
}

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
        let asked = map.get("id").and_then(|id| self.asked.remove(&id.to_string()));
        if let Some(error) = map.get("error").filter(|error| !error.is_null()) {
            let problem = DumpProblem::Refused(complaint(error));
            // Not at once: a request of the server's own may have had the same id.
            let refused = if asked.is_some() { &mut self.refused } else { &mut self.other };
            refused.get_or_insert(problem);
            return Ok(());
        }
        match page(map, lists) {
            Ok(page) => {
                self.follows(asked.flatten())?;
                self.page(page)
            }
            // The answer to something else.
            Err(problem) if is_response && asked.is_none() => {
                self.other.get_or_insert(problem);
                Ok(())
            }
            Err(problem) => Err(problem),
        }
    }

    fn message(&mut self, method: &str, message: &Map<String, Value>) {
        match (method, message.get("id")) {
            ("tools/list", Some(id)) => {
                let cursor = message.get("params").and_then(|params| params.get("cursor"));
                let cursor = cursor.filter(|cursor| !cursor.is_null()).map(Value::to_string);
                if cursor.is_none() {
                    // Asked from the start, whatever had come before.
                    self.current = None;
                }
                self.asked.insert(id.to_string(), cursor);
            }
            ("notifications/tools/list_changed", _) => self.announced = true,
            _ => {}
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
                self.asked.clear();
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
        if self.announced || !self.asked.is_empty() {
            return Err(DumpProblem::Stale { announced: self.announced });
        }
        Ok(self.lists)
    }
}

/// The page that a response or a bare result holds, some of it perhaps as lists.
pub(super) fn page(mut map: Map<String, Value>, lists: Lists) -> Result<Page, DumpProblem> {
    let (mut result, tools) = match map.remove("result") {
        Some(Value::Object(result)) => (result, lists.result),
        Some(other) => {
            return Err(DumpProblem::NoTools { found: format!("{} as `result`", kind(&other)) });
        }
        None => (map, lists.own),
    };
    // Any cursor, the empty one too: the specification says nothing of what it looks like.
    let cursor = result.remove("nextCursor").filter(|cursor| !cursor.is_null());
    if let Some(tools) = tools {
        return Ok(Page { tools, cursor });
    }
    match result.remove("tools") {
        Some(Value::Array(tools)) => {
            Ok(Page { tools: tools.into_iter().map(Item::Value).collect(), cursor })
        }
        Some(other) => Err(DumpProblem::NoTools { found: format!("{} as `tools`", kind(&other)) }),
        None => Err(DumpProblem::NoTools { found: kind(&Value::Object(result)) }),
    }
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
