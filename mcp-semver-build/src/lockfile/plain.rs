//! Contracts in the plainest form of YAML (1.2), in which a lockfile is written, read without a
//! reader of YAML and without building values.
//!
//! What is read here, any reader of YAML reads as the same; what is not may still be a contract.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter};
use serde::Serialize;
use serde_json::Number;

use super::write;
use crate::canonical::Canonical;
use crate::form::Form;
use crate::number::is_lost;

/// Keys that are longer are left to the reader of YAML, which bounds those without a `?` in front.
const LONGEST_KEY: usize = 128;

/// How deep collections may be nested, as in JSON.
const DEEPEST: usize = 128;

/// Reads one block mapping, indented by `column` spaces, of a contract's own fields, with the keys
/// below them sorted. `None` where the text is anything else.
pub(super) fn contract(text: &str, column: usize) -> Option<Form> {
    let mut form = Form::with_capacity(text.len());
    let mut rest = Rest { text, depth: 0 };
    while rest.is_line_in(column) {
        rest.take_indent(column)?;
        let key = rest.key()?;
        let (is_text, is_own) = match &*key {
            "name" | "title" | "description" => (true, true),
            "inputSchema" | "outputSchema" | "annotations" | "execution" => (false, true),
            _ => (false, false),
        };
        if !is_own {
            return None;
        }
        form.add(&key, |out| rest.value(column, out))?;
        if !form.field(&key).starts_with(if is_text { b"\"" } else { b"{" }) {
            return None;
        }
    }
    rest.text.is_empty().then_some(form)
}

/// What is left of a text. Each step takes what it reads, or there is no going on.
#[derive(Clone)]
struct Rest<'t> {
    text: &'t str,
    depth: usize,
}

impl<'t> Rest<'t> {
    fn take(&mut self, expected: &str) -> Option<()> {
        self.text = self.text.strip_prefix(expected)?;
        Some(())
    }

    fn take_indent(&mut self, columns: usize) -> Option<()> {
        let (indent, rest) = self.text.split_at_checked(columns)?;
        self.text = rest;
        indent.bytes().all(|byte| byte == b' ').then_some(())
    }

    /// Whether a line begins here that is indented by `column` spaces.
    fn is_line_in(&self, column: usize) -> bool {
        let Some((indent, rest)) = self.text.as_bytes().split_at_checked(column) else {
            return false;
        };
        indent.iter().all(|byte| *byte == b' ')
            && !matches!(rest.first(), None | Some(b' ' | b'\n'))
    }

    fn deeper<T>(&mut self, step: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let read = if self.depth > DEEPEST { None } else { step(self) };
        self.depth -= 1;
        read
    }

    /// What is left of the line, without its end.
    fn line(&mut self) -> Option<&'t str> {
        let (line, rest) = self.text.split_at(memchr(b'\n', self.text.as_bytes())?);
        self.text = &rest[1..];
        Some(line)
    }

    /// A key with its colon.
    fn key(&mut self) -> Option<Cow<'t, str>> {
        let key = match self.text.as_bytes().first()? {
            b'"' => self.double_quoted()?,
            b'\'' => self.single_quoted()?,
            _ => {
                let bytes = self.text.as_bytes();
                let is_end = |colon: &usize| matches!(bytes.get(colon + 1), Some(b' ' | b'\n'));
                let word = bytes.iter().take_while(|byte| is_inner(**byte)).count();
                let colon = match bytes.get(word)? {
                    b'\n' => return None,
                    b':' if is_end(&word) => word,
                    _ => memchr_iter(b':', &bytes[..memchr(b'\n', bytes)?]).find(is_end)?,
                };
                let (key, rest) = self.text.split_at(colon);
                if !is_word(key)
                    && !is_plain(key)
                    && written(&BTreeMap::from([(key, 1)]))?.strip_suffix(": 1\n")? != key
                {
                    return None;
                }
                self.text = rest;
                Cow::Borrowed(key)
            }
        };
        self.take(":")?;
        (key.len() <= LONGEST_KEY).then_some(key)
    }

    /// The value of a key in column `column`.
    fn value(&mut self, column: usize, out: &mut Canonical) -> Option<()> {
        if self.take("\n").is_none() {
            self.take(" ")?;
            return self.scalar(column + 2, out);
        }
        let is_sequence = self.is_line_in(column);
        let column = if is_sequence { column } else { column + 2 };
        self.take_indent(column)?;
        if is_sequence { self.items(column, out) } else { self.entries(column, out) }
    }

    /// The entries of a mapping from the first key on, which stands in column `column`.
    fn entries(&mut self, column: usize, out: &mut Canonical) -> Option<()> {
        out.raw("{");
        let mut before: Option<Cow<'_, str>> = None;
        self.deeper(|it| {
            loop {
                let key = it.key()?;
                if before.as_ref().is_some_and(|before| *before >= key) {
                    return None;
                }
                out.key(usize::from(before.is_some()), &key)?;
                before = Some(key);
                it.value(column, out)?;
                if !it.is_line_in(column) {
                    return Some(());
                }
                it.take_indent(column)?;
            }
        })?;
        out.raw("}");
        Some(())
    }

    /// The items of a sequence from the first dash on, which stands in column `column`.
    fn items(&mut self, column: usize, out: &mut Canonical) -> Option<()> {
        out.raw("[");
        self.deeper(|it| {
            for index in 0.. {
                it.take("- ")?;
                out.item(index);
                it.item(column + 2, out)?;
                // The key behind a sequence stands in the same column.
                let is_item = it.is_line_in(column) && it.text[column..].starts_with("- ");
                if !is_item {
                    break;
                }
                it.take_indent(column)?;
            }
            Some(())
        })?;
        out.raw("]");
        Some(())
    }

    /// An item, which stands in column `column`.
    fn item(&mut self, column: usize, out: &mut Canonical) -> Option<()> {
        if self.text.starts_with("- ") {
            self.items(column, out)
        } else if self.clone().key().is_some() {
            self.entries(column, out)
        } else {
            self.scalar(column, out)
        }
    }

    /// A scalar or an empty collection, with the end of its line; lines that follow are indented by
    /// `indent`.
    fn scalar(&mut self, indent: usize, out: &mut Canonical) -> Option<()> {
        let text = match self.text.as_bytes().first()? {
            b'"' => self.double_quoted()?,
            b'\'' => self.single_quoted()?,
            b'|' => return out.string(&self.literal(indent)?),
            _ => {
                let line = self.line()?;
                return match line {
                    "{}" | "[]" | "null" | "true" | "false" => {
                        out.raw(line);
                        Some(())
                    }
                    _ if is_word(line) => {
                        out.verbatim(line);
                        Some(())
                    }
                    _ if is_plain(line) => out.string(line),
                    _ => match number(line) {
                        Some(number) => out.number(&number),
                        None if written(&line)?.strip_suffix('\n')? == line => out.string(line),
                        None => None,
                    },
                };
            }
        };
        self.take("\n")?;
        out.string(&text)
    }

    fn double_quoted(&mut self) -> Option<Cow<'t, str>> {
        self.take("\"")?;
        let mut read = Cow::Borrowed("");
        loop {
            let (part, rest) = self.text.split_at(memchr2(b'"', b'\\', self.text.as_bytes())?);
            if is_unsafe(part) {
                return None;
            }
            read = joined(read, part);
            self.text = &rest[1..];
            if rest.starts_with('"') {
                return Some(read);
            }
            let escaped = self.text.chars().next()?;
            self.text = &self.text[escaped.len_utf8()..];
            let digits = match escaped {
                'x' => 2,
                'u' => 4,
                'U' => 8,
                _ => 0,
            };
            let (hex, rest) = self.text.split_at_checked(digits)?;
            self.text = rest;
            read.to_mut().push(match escaped {
                '"' | '\\' | '/' => escaped,
                '0' => '\0',
                'a' => '\u{7}',
                'b' => '\u{8}',
                't' => '\t',
                'n' => '\n',
                'v' => '\u{b}',
                'f' => '\u{c}',
                'r' => '\r',
                'e' => '\u{1b}',
                'N' => '\u{85}',
                '_' => '\u{a0}',
                'L' => '\u{2028}',
                'P' => '\u{2029}',
                _ if !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                    char::from_u32(u32::from_str_radix(hex, 16).ok()?)?
                }
                _ => return None,
            });
        }
    }

    fn single_quoted(&mut self) -> Option<Cow<'t, str>> {
        self.take("'")?;
        let mut read = Cow::Borrowed("");
        loop {
            let (part, rest) = self.text.split_once('\'')?;
            if is_unsafe(part) {
                return None;
            }
            read = joined(read, part);
            self.text = rest;
            if self.take("'").is_none() {
                return Some(read);
            }
            read.to_mut().push('\'');
        }
    }

    /// A literal block scalar, whose lines are what stands behind the indentation.
    fn literal(&mut self, indent: usize) -> Option<String> {
        let chomping = self.line()?;
        let mut read = String::new();
        let mut blank = 0;
        loop {
            if self.text.starts_with('\n') {
                // The first line tells the indentation.
                if read.is_empty() {
                    return None;
                }
                self.text = &self.text[1..];
                blank += 1;
                continue;
            }
            let mut line = self.clone();
            if line.take_indent(indent).is_none() {
                break;
            }
            let text = line.line()?;
            let is_first = read.is_empty();
            let is_odd = text.is_empty() || (is_first && text.starts_with(char::is_whitespace));
            if is_odd || text.split('\t').any(is_unsafe) {
                return None;
            }
            *self = line;
            read.extend(std::iter::repeat_n('\n', std::mem::take(&mut blank)));
            read.push_str(text);
            read.push('\n');
        }
        match (chomping, blank) {
            ("|-", 0) => read.pop().map(|_| read),
            ("|", 0) => Some(read),
            ("|+", _) => {
                read.extend(std::iter::repeat_n('\n', blank));
                Some(read)
            }
            _ => None,
        }
        .filter(|read| !read.is_empty())
    }
}

/// `read` with a part behind it, borrowed where it is all of it.
fn joined<'t>(read: Cow<'t, str>, part: &'t str) -> Cow<'t, str> {
    if read.is_empty() { Cow::Borrowed(part) } else { read + part }
}

/// A number as JSON writes it and every version of YAML reads it.
fn number(text: &str) -> Option<Number> {
    let is_whole = !text.contains('.');
    let fits = text.parse::<u64>().is_ok() || text.parse::<i64>().is_ok();
    let has_sign =
        text.split_once(['e', 'E']).is_none_or(|(_, power)| power.starts_with(['+', '-']));
    let is_plain = if is_whole { fits && text != "-0" } else { has_sign && !is_lost(text) };
    // Without blanks, which a reader of JSON leaves out.
    let is_number = is_plain && !text.contains(char::is_whitespace);
    is_number.then(|| serde_json::from_str(text).ok()).flatten()
}

/// What stands for `value` on a line of its own.
fn written(value: &impl Serialize) -> Option<String> {
    serde_saphyr::to_string_with_options(value, write::options()).ok()
}

/// Whether YAML takes a text for itself and nothing else, as a key or as a value.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let separates = |index: usize| match bytes[index] {
        b':' => matches!(bytes.get(index + 1), None | Some(b' ')),
        _ => bytes[..index].ends_with(b" "),
    };
    starts_a_word(text)
        && !text.ends_with(char::is_whitespace)
        && !memchr2_iter(b':', b'#', bytes).any(separates)
        && !is_unsafe(text)
}

/// Whether a text holds nothing but what words hold, so that it is plain wherever it stands.
pub(super) fn is_word(text: &str) -> bool {
    text.bytes().all(is_inner) && starts_a_word(text)
}

fn is_inner(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'$')
}

/// Whether a text is none of YAML's words and begins as no number and no indicator does.
fn starts_a_word(text: &str) -> bool {
    const WORDS: [&str; 11] =
        ["null", "true", "false", "nan", "inf", "y", "n", "yes", "no", "on", "off"];
    text.starts_with(|char: char| char.is_alphabetic() || matches!(char, '_' | '$' | '/'))
        && !(text.len() <= 5 && WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)))
}

/// Whether a text has characters that stand for themselves in quotes only, if at all.
fn is_unsafe(text: &str) -> bool {
    // All bytes, not up to the first: that is done many at a time.
    let is_control = |byte: u8| byte < b' ' || byte == 0x7f;
    if text.bytes().fold(0, |found, byte| found | u8::from(is_control(byte))) > 0 {
        return true;
    }
    let is_odd = |char: char| {
        char.is_control()
            || matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    !text.is_ascii() && text.chars().any(is_odd)
}
