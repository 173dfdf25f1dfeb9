//! Numbers of a dump of which a reader keeps another one (RFC 8259, section 6).

use mcp_semver_build::number::{lost_in, shown};
use serde_json::{Deserializer, Value};

use super::document::{pointer, tool_at};
use super::error::DumpProblem;

/// How long a text may be, in bytes, that is read once more to tell what a number in it is about.
const PLACED: usize = 4 << 20;
/// Stands before the index of a number; no key or text of JSON has it unescaped.
const MARK: &str = "\\u0000lost ";

/// A number that would be read as another one.
#[derive(Debug, PartialEq)]
pub(super) struct Lost<'t> {
    /// Where it stands, in bytes.
    pub(super) start: usize,
    /// As it is written.
    pub(super) number: &'t str,
    /// The tool that it is in, and the JSON pointer to it in its document.
    pub(super) place: Option<(String, String)>,
}

impl From<Lost<'_>> for DumpProblem {
    fn from(Lost { number, place, .. }: Lost<'_>) -> Self {
        let (tool, pointer) = place.unzip();
        Self::LostDigits { tool, number: shown(number), pointer }
    }
}

/// The first number of a tool that is read as another one; where its tool cannot be told, any.
pub(super) fn lost(text: &str) -> Option<Lost<'_>> {
    let mut strings = Strings::default();
    let all: Vec<(usize, &str)> =
        lost_in(text).filter(|(start, _)| !strings.hold(text.as_bytes(), *start)).collect();
    let (start, number) = *all.first()?;
    let Some(places) = (text.len() <= PLACED).then(|| places(text, &all)).flatten() else {
        return Some(Lost { start, number, place: None });
    };
    // What no tool says changes no verdict.
    let (index, place) = places.into_iter().min_by_key(|(index, _)| *index)?;
    let (start, number) = *all.get(index)?;
    Some(Lost { start, number, place: Some(place) })
}

/// Those of the numbers that tools hold, by index, with the tool and the pointer; `None` where the
/// text cannot be read.
fn places(text: &str, all: &[(usize, &str)]) -> Option<Vec<(usize, (String, String))>> {
    let (mut marked, mut end) = (String::with_capacity(text.len()), 0);
    for (index, (start, number)) in all.iter().enumerate() {
        marked.push_str(&text[end..*start]);
        marked.push_str(&format!("\"{MARK}{index}\""));
        end = start + number.len();
    }
    marked.push_str(&text[end..]);
    let mut found = Vec::new();
    for document in Deserializer::from_str(&marked.replace('\u{feff}', " ")).into_iter::<Value>() {
        let document = document.ok()?;
        marks(&document, &mut Vec::new(), &mut |index, path| {
            let tool = tool_at(&document, path).filter(|it| mark(it).is_none());
            if let Some(tool) = tool.filter(|_| index < all.len()) {
                found.push((index, (tool.to_owned(), pointer(path))));
            }
        });
    }
    Some(found)
}

/// The index of the number whose mark a text is.
fn mark(text: &str) -> Option<usize> {
    text.strip_prefix("\0lost ")?.parse().ok()
}

/// Looks for marks, with the path to each.
fn marks(value: &Value, path: &mut Vec<String>, found: &mut dyn FnMut(usize, &[String])) {
    let mut below = |step: String, value: &Value| {
        path.push(step);
        marks(value, path, found);
        path.pop();
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| below(key.clone(), value)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| below(index.to_string(), value));
        }
        Value::String(text) => {
            mark(text).into_iter().for_each(|index| found(index, path));
        }
        _ => {}
    }
}

/// What of a text is inside its strings, looked at from the beginning once.
#[derive(Default)]
struct Strings {
    seen: usize,
    inside: bool,
    escaped: bool,
}

impl Strings {
    /// Whether a place, no earlier than any asked for before, is inside one.
    fn hold(&mut self, bytes: &[u8], at: usize) -> bool {
        for byte in &bytes[self.seen..at] {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.inside => self.escaped = true,
                b'"' => self.inside = !self.inside,
                _ => {}
            }
        }
        self.seen = at;
        self.inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(&str, Option<String>)> {
        let lost = lost(text)?;
        assert!(text[lost.start..].starts_with(lost.number));
        Some((lost.number, lost.place.map(|(tool, pointer)| format!("{tool} {pointer}"))))
    }

    #[test]
    fn numbers_of_tools_that_no_double_holds_are_found() {
        let tool = |number: &str| {
            format!(r#"[{{"name":"a"}},{{"name":"b","x":"1e400","y":{{"maximum":{number}}}}}]"#)
        };
        for number in [
            "18446744073709551617",
            "-9223372036854775809",
            "0.1234567890123456789",
            "1e400",
            "1e-400",
        ] {
            let place = "b /1/y/maximum".to_owned();
            assert_eq!(found(&tool(number)), Some((number, Some(place))), "{number}");
        }
        for number in ["18446744073709551615", "18446744073709551616", "0.1", "1.5e-30", "null"] {
            assert_eq!(found(&tool(number)), None, "{number}");
        }
        let page = r#"{"result":{"tools":[{"name":"c","outputSchema":{"const":1.00000000000000000001}}]}}"#;
        let two = format!("{page}\n{page}");
        let place = "c /result/tools/0/outputSchema/const".to_owned();
        assert_eq!(found(&two), Some(("1.00000000000000000001", Some(place))));
    }

    #[test]
    fn what_no_tool_says_is_left_alone_unless_nothing_can_be_told() {
        for text in [
            "",
            "1",
            r#"{"jsonrpc":"2.0","method":"progress","params":{"progress":0.1234567890123456789}}"#,
            r#"{"id":"18446744073709551617","b":"\"","c":"\\","1e400":1}"#,
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        for text in ["[1e400", r#"["\\\"", 1e400, }"#] {
            assert_eq!(found(text), Some(("1e400", None)), "{text}");
        }
    }
}
