//! The canonical form of JSON (RFC 8785, JSON Canonicalization Scheme), which takes all numbers for
//! doubles.

use std::io::Write as _;

use serde::Serialize;
use serde_json::{Number, Value};

use crate::order;

/// RFC 8785 bytes of a JSON value; equal bytes mean the same JSON.
pub fn canonical(value: &Value) -> Vec<u8> {
    let mut written = Canonical::default();
    written.value(value).map_or_else(|| canonical_text(value), |()| written.bytes)
}

pub(crate) fn canonical_text(value: &impl Serialize) -> Vec<u8> {
    // Serialising a `Value` fails only for a map with non-string keys or a non-finite number, and
    // a `Value` can hold neither.
    serde_json_canonicalizer::to_vec(value).expect("a JSON value has a canonical form")
}

/// Writes the canonical form where that takes no sorting, which is far cheaper.
///
/// Where a step gives `None`, it does, or the keys are in another order than that of their bytes.
#[derive(Debug, Default)]
pub(crate) struct Canonical {
    /// What is written.
    pub(crate) bytes: Vec<u8>,
    /// The numbers that say more than their canonical form, such as `1.0`, each with a comma: with
    /// these beside it, it tells the value.
    pub(crate) numbers: String,
}

impl Canonical {
    pub(crate) fn value(&mut self, value: &Value) -> Option<()> {
        match value {
            Value::Null => self.raw("null"),
            Value::Bool(true) => self.raw("true"),
            Value::Bool(false) => self.raw("false"),
            Value::Number(number) => self.number(number)?,
            Value::String(text) => self.string(text)?,
            Value::Array(items) => {
                self.raw("[");
                for (index, item) in items.iter().enumerate() {
                    self.item(index);
                    self.value(item)?;
                }
                self.raw("]");
            }
            Value::Object(map) => {
                if !order::is_sorted(map) {
                    return None;
                }
                self.raw("{");
                for (index, (key, value)) in map.iter().enumerate() {
                    self.key(index, key)?;
                    self.value(value)?;
                }
                self.raw("}");
            }
        }
        Some(())
    }

    /// What stands as it is: a bracket, a word.
    pub(crate) fn raw(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// What stands in front of an item.
    pub(crate) fn item(&mut self, index: usize) {
        if index > 0 {
            self.raw(",");
        }
    }

    /// What stands in front of the value of a member.
    pub(crate) fn key(&mut self, index: usize, key: &str) -> Option<()> {
        // Below the surrogates the order of bytes is that of UTF-16.
        if key.bytes().any(|byte| byte >= 0xed) {
            return None;
        }
        self.item(index);
        self.string(key)?;
        self.raw(":");
        Some(())
    }

    pub(crate) fn number(&mut self, number: &Number) -> Option<()> {
        /// Up to here a double holds every integer.
        const EXACT: u64 = 1 << 53;
        match number.as_i64().filter(|number| number.unsigned_abs() <= EXACT) {
            Some(number) => write!(self.bytes, "{number}").ok(),
            None => {
                let (canonical, exact) = (canonical_text(number), number.to_string());
                if canonical != exact.as_bytes() {
                    self.numbers.push_str(&exact);
                    self.numbers.push(',');
                }
                self.bytes.extend_from_slice(&canonical);
                Some(())
            }
        }
    }

    pub(crate) fn string(&mut self, text: &str) -> Option<()> {
        let is_special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
        // All of it, not up to the first: that is done many bytes at a time.
        if text.bytes().fold(0, |found, byte| found | u8::from(is_special(byte))) > 0 {
            return serde_json::to_writer(&mut self.bytes, text).ok();
        }
        self.verbatim(text);
        Some(())
    }

    /// A string of which no character has to be escaped.
    pub(crate) fn verbatim(&mut self, text: &str) {
        self.bytes.reserve(text.len() + 3);
        self.raw("\"");
        self.raw(text);
        self.raw("\"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_as_it_stands_is_canonical() {
        for text in [
            r#"{"b": [1, -2, 9007199254740992, {"a": "\u0000\u001f\u007f\n\"é\ud83d\ude00/"}], "a": null}"#,
            "[9007199254740993, 1.0, -0, 1e30, 0.1]",
            r#"{"\ufb33": 1, "\ud83d\ude00": 2, "é": 3, "z": 4, "\ud7ff": 5}"#,
            "[-9007199254740993, 0, -0.0, true]",
            "[[], {}, [{}], {\"a\\n\": -9007199254740992, \"\\\"\": [false]}]",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            let canonical = serde_json_canonicalizer::to_vec(&value).unwrap();
            assert_eq!(super::canonical(&value), canonical, "{text}");
        }
    }

    #[test]
    fn numbers_that_say_more_are_kept() {
        let numbers = |text: &str| {
            let mut written = Canonical::default();
            written.value(&serde_json::from_str(text).unwrap()).unwrap();
            written.numbers
        };
        assert_eq!(numbers("[1, 0.5, -3, 9007199254740992, \"1.0\"]"), "");
        assert_eq!(numbers(r#"{"b": 9007199254740993, "a": [2, 1.0]}"#), "1.0,9007199254740993,");
    }
}
