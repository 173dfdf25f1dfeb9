//! Whether YAML says a contract that is known, found out without reading it into values.
//!
//! Only the plainest forms of YAML are understood, those in which a lockfile is written. What is
//! taken for the contract is the contract to any reader; what is not may still be it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};
use serde_saphyr::DoubleQuoted;

use super::write;
use crate::contract::{Contract, Field};
use crate::order;

/// Keys that are longer are left to the reader: YAML bounds those without a `?` in front.
const LONGEST_KEY: usize = 128;

/// Whether `text` is one block mapping, indented by `indent` spaces, of the contract's own fields
/// in the specification's order.
pub(super) fn says(text: &str, indent: usize, contract: &Contract) -> bool {
    let mut expected = Expected { text };
    let mut fields = contract.fields();
    let said = fields.try_for_each(|(name, value)| {
        expected.indent(indent)?;
        expected.key(name)?;
        match value {
            Field::Text(text) => expected.inline(|it| it.string(text, indent + 2)),
            Field::Json(value) => expected.value(value, indent),
        }
    });
    said.is_some() && expected.text.is_empty()
}

/// What is left of a text that is compared with what it should say. Each step takes what it
/// expects, or there is no going on.
struct Expected<'t> {
    text: &'t str,
}

impl Expected<'_> {
    fn take(&mut self, expected: &str) -> Option<()> {
        self.text = self.text.strip_prefix(expected)?;
        Some(())
    }

    fn indent(&mut self, columns: usize) -> Option<()> {
        let (indent, rest) = self.text.split_at_checked(columns)?;
        self.text = rest;
        indent.bytes().all(|byte| byte == b' ').then_some(())
    }

    fn key(&mut self, key: &str) -> Option<()> {
        if key.len() > LONGEST_KEY {
            return None;
        }
        if self.text.starts_with('"') {
            self.quoted(key)?;
        } else if is_word(key) {
            self.take(key)?;
        } else {
            let written = written(&BTreeMap::from([(key, 1)]))?;
            self.take(written.strip_suffix(": 1\n")?)?;
        }
        self.take(":")
    }

    /// A value on the line of its key or dash.
    fn inline(&mut self, value: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.take(" ")?;
        value(self)
    }

    /// The value of a key in column `column`.
    fn value(&mut self, value: &Value, column: usize) -> Option<()> {
        match value {
            Value::Object(map) if !map.is_empty() => {
                self.take("\n")?;
                self.indent(column + 2)?;
                self.entries(map, column + 2)
            }
            Value::Array(items) if !items.is_empty() => {
                self.take("\n")?;
                self.indent(column)?;
                self.items(items, column)
            }
            scalar => self.inline(|it| it.scalar(scalar, column + 2)),
        }
    }

    /// The entries of a mapping from the first key on, which stands in column `column`.
    fn entries(&mut self, map: &Map<String, Value>, column: usize) -> Option<()> {
        let mut is_first = true;
        order::try_each(map, |key, value| {
            if !std::mem::take(&mut is_first) {
                self.indent(column)?;
            }
            self.key(key)?;
            self.value(value, column)
        })
    }

    /// The items of a sequence from the first dash on, which stands in column `column`.
    fn items(&mut self, items: &[Value], column: usize) -> Option<()> {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.indent(column)?;
            }
            self.take("- ")?;
            match item {
                Value::Object(map) if !map.is_empty() => self.entries(map, column + 2)?,
                Value::Array(items) if !items.is_empty() => self.items(items, column + 2)?,
                scalar => self.scalar(scalar, column + 2)?,
            }
        }
        Some(())
    }

    /// A scalar or an empty collection, with the end of its line; lines that follow are indented by
    /// `indent`.
    fn scalar(&mut self, value: &Value, indent: usize) -> Option<()> {
        match value {
            Value::String(text) => return self.string(text, indent),
            Value::Object(_) => self.take("{}")?,
            Value::Array(_) => self.take("[]")?,
            Value::Null => self.take("null")?,
            Value::Bool(true) => self.take("true")?,
            Value::Bool(false) => self.take("false")?,
            Value::Number(number) if number.is_f64() => return self.take(&written(number)?),
            Value::Number(number) => self.take(&number.to_string())?,
        }
        self.take("\n")
    }

    fn string(&mut self, text: &str, indent: usize) -> Option<()> {
        match self.text.as_bytes().first()? {
            b'"' => {
                self.quoted(text)?;
                self.take("\n")
            }
            b'|' => self.literal(text, indent),
            _ if is_plain(text) => {
                self.take(text)?;
                self.take("\n")
            }
            _ => self.take(&written(&text)?),
        }
    }

    fn quoted(&mut self, text: &str) -> Option<()> {
        if text.chars().any(is_unsafe) {
            return self.take(written(&DoubleQuoted(text))?.strip_suffix('\n')?);
        }
        self.take("\"")?;
        let mut rest = text;
        while let Some(special) = rest.find(['"', '\\']) {
            let (before, after) = rest.split_at(special);
            self.take(before)?;
            self.take("\\")?;
            self.take(&after[..1])?;
            rest = &after[1..];
        }
        self.take(rest)?;
        self.take("\"")
    }

    /// A literal block scalar, whose lines are what stands behind the indentation.
    fn literal(&mut self, text: &str, indent: usize) -> Option<()> {
        let is_safe = |char| matches!(char, '\n' | '\t') || !is_unsafe(char);
        if text.starts_with(char::is_whitespace) || !text.chars().all(is_safe) {
            return None;
        }
        let (lines, chomping) = match text.strip_suffix('\n') {
            None => (text, "|-\n"),
            Some(lines) if lines.ends_with('\n') => (lines, "|+\n"),
            Some(lines) => (lines, "|\n"),
        };
        self.take(chomping)?;
        for line in lines.split('\n') {
            if !line.is_empty() {
                self.indent(indent)?;
                self.take(line)?;
            }
            self.take("\n")?;
        }
        Some(())
    }
}

/// What stands for `value` on a line of its own.
fn written(value: &impl Serialize) -> Option<String> {
    serde_saphyr::to_string_with_options(value, write::options()).ok()
}

/// Whether YAML takes a text for itself and nothing else, as a key too.
pub(super) fn is_word(text: &str) -> bool {
    let is_inner =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'$');
    text.bytes().all(is_inner) && starts_a_word(text)
}

/// Whether YAML takes a text in the place of a value for itself and nothing else.
fn is_plain(text: &str) -> bool {
    let separates = |(index, byte): (usize, u8)| match byte {
        b':' => matches!(text.as_bytes().get(index + 1), None | Some(b' ')),
        b'#' => text.as_bytes()[..index].ends_with(b" "),
        _ => false,
    };
    starts_a_word(text)
        && !text.ends_with(char::is_whitespace)
        && !text.bytes().enumerate().any(separates)
        && !text.chars().any(is_unsafe)
}

/// Whether a text is none of YAML's words and begins as no number and no indicator does.
fn starts_a_word(text: &str) -> bool {
    const WORDS: [&str; 11] =
        ["null", "true", "false", "nan", "inf", "y", "n", "yes", "no", "on", "off"];
    text.starts_with(|char: char| char.is_ascii_alphabetic() || matches!(char, '_' | '$' | '/'))
        && !(text.len() <= 5 && WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)))
}

/// Whether a character stands for itself in quotes only, if at all.
fn is_unsafe(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}
