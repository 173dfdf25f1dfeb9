//! Messages of JSON-RPC as they come in.

use serde_json::{Map, Value};

use super::error::ServeProblem;
use crate::source::dump::{self, DumpProblem};

/// One message from the server.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    /// An answer, to be told apart by its id.
    Answer(Map<String, Value>),
    /// A request of the server's own.
    Request {
        /// What an answer to it must carry.
        id: Value,
        /// What it wants.
        method: String,
    },
    /// Something it tells.
    Notification {
        /// What about.
        method: String,
    },
}

/// Whether a line may be a message at all; cheap, for whoever has to pass over a flood of others.
pub(super) fn may_be_message(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    matches!(line.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// The messages of one line: one, several in a batch (revision 2025-03-26 has them), none when it is
/// something else that the server prints.
///
/// # Errors
/// What is meant as a message and cannot be read is an error, not passed over: it may be the answer.
pub(super) fn messages(line: &[u8]) -> Result<Vec<Message>, ServeProblem> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let Ok(text) = std::str::from_utf8(line) else {
        let is_message = is_meant(&String::from_utf8_lossy(line));
        return if is_message { Err(ServeProblem::NotText) } else { Ok(Vec::new()) };
    };
    match dump::one(text) {
        Ok(Value::Array(items)) => Ok(items.into_iter().filter_map(message).collect()),
        Ok(value) => Ok(message(value).into_iter().collect()),
        Err(DumpProblem::Half) if is_meant(text) => Err(ServeProblem::CutOff),
        Err(problem) if is_meant(text) => Err(ServeProblem::Broken(problem)),
        Err(_) => Ok(Vec::new()),
    }
}

/// Whether a text that is no JSON begins as a message does.
fn is_meant(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && text.contains("\"jsonrpc\"")
}

fn message(value: Value) -> Option<Message> {
    let Value::Object(map) = value else { return None };
    map.get("jsonrpc")?;
    let Some(method) = map.get("method") else {
        let is_answer = map.contains_key("result") || map.contains_key("error");
        return is_answer.then_some(Message::Answer(map));
    };
    let method = method.as_str()?.to_owned();
    Some(match map.get("id").filter(|id| !id.is_null()) {
        Some(id) => Message::Request { id: id.clone(), method },
        None => Message::Notification { method },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(line: &[u8]) -> Vec<Message> {
        assert!(may_be_message(line));
        messages(line).unwrap()
    }

    #[test]
    fn each_kind_is_told_apart() {
        let Value::Object(answer) = json!({"jsonrpc": "2.0", "id": 1, "result": {}}) else {
            unreachable!()
        };
        let text = Value::from(answer.clone()).to_string();
        assert_eq!(read(text.as_bytes()), [Message::Answer(answer.clone())]);
        assert_eq!(
            read(format!("\u{feff} {text}\r\n").as_bytes()),
            [Message::Answer(answer.clone())]
        );
        let ping = Message::Request { id: json!("a"), method: "ping".into() };
        assert_eq!(
            read(br#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#),
            std::slice::from_ref(&ping)
        );
        let told = Message::Notification { method: "x".into() };
        assert_eq!(read(br#"{"jsonrpc":"2.0","id":null,"method":"x"}"#), [told]);
        let batch = format!(r#"[{text},{{"jsonrpc":"2.0","id":"a","method":"ping"}},7]"#);
        assert_eq!(read(batch.as_bytes()), [Message::Answer(answer), ping]);
    }

    #[test]
    fn what_a_server_prints_is_none() {
        for line in [
            "{}",
            "[]",
            "[INFO] started",
            "{not json",
            "[1, 2]",
            r#"{"level": "error", "error": "x", "id": 1}"#,
            r#"{"jsonrpc": "2.0"}"#,
            r#"{"jsonrpc": "2.0", "method": 1}"#,
        ] {
            assert_eq!(read(line.as_bytes()), [], "{line}");
        }
        assert_eq!(read(b"{\xff\xfe"), []);
        assert!(!may_be_message(b"started"));
        assert!(!may_be_message(b""));
    }

    #[test]
    fn a_message_that_cannot_be_read_is_an_error() {
        let complaint = |line: &[u8]| messages(line).unwrap_err().to_string();
        assert_eq!(complaint(b"{\"jsonrpc\": \"\xff\"}"), "a message that is not UTF-8");
        assert!(
            complaint(br#"{"jsonrpc": "2.0", "id": 1, "resu"#).ends_with("that ends in the middle")
        );
        assert!(
            complaint(br#"{"jsonrpc": "2.0", "id": 1, "id": 2}"#).contains("`id` appears twice")
        );
        let deep = format!("{{\"jsonrpc\": {}", "[".repeat(1000));
        assert!(complaint(deep.as_bytes()).contains("nested deeper"));
    }
}
