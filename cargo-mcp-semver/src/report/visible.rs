//! Text from a contract, made safe to print.
//!
//! Names, descriptions and values are written by whoever wrote the server, and a terminal obeys
//! what it is sent: an escape sequence can erase the finding above it, a bidirectional override
//! can show another order of letters than the one a model reads. Every renderer of human text
//! passes such text through [`visible`], and nothing else in the crate escapes.
//!
//! A log is obeyed as well: GitHub's runner takes a line that begins with `::`, after spaces, for
//! a command, and `##[` anywhere in it, on standard output and standard error alike.

use std::fmt;

use crate::character::{Ink, ink};

/// Shows `text` on one line with every character a person could not see or that would drive a
/// terminal or a runner of workflows spelled out: `\n`, `\r`, `\t`, and `\u{202e}` for the rest.
pub fn visible(text: &str) -> Visible<'_> {
    Visible(text)
}

/// The [`Display`](fmt::Display) that [`visible`] returns.
#[derive(Debug, Clone, Copy)]
pub struct Visible<'a>(&'a str);

/// The same of a line that is put together from parts.
pub(super) fn visible_parts<'a>(
    parts: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = String> {
    let mut state = State::default();
    parts.map(move |part| {
        let mut shown = String::new();
        // Writing to a string cannot fail.
        let _ = state.show(part, &mut shown);
        shown
    })
}

/// JSON that no runner obeys and in which nothing hides: the same values, written with escapes.
pub(crate) fn visible_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    // What is not shown can only stand in a text, but for the line breaks between values.
    for character in json.replace("##[", r"##\u005b").chars() {
        if character == '\n' || ink(character) == Ink::Shown {
            shown.push(character);
            continue;
        }
        let units = &mut [0; 2];
        shown.extend(character.encode_utf16(units).iter().map(|unit| format!("\\u{unit:04x}")));
    }
    shown
}

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        State::default().show(self.0, f)
    }
}

/// What came before in the line, as far as a runner of workflows cares.
#[derive(Debug, Default)]
struct State {
    /// Whether it was anything but spaces and one colon after them.
    is_past: bool,
    /// Whether it ends in that colon.
    colon: bool,
    /// How many number signs it ends in.
    hashes: usize,
}

impl State {
    fn show(&mut self, text: &str, f: &mut impl fmt::Write) -> fmt::Result {
        for character in text.chars() {
            let is_command = match character {
                ':' => self.colon && !self.is_past,
                '[' => self.hashes >= 2,
                _ => false,
            };
            self.is_past |= self.colon || ![' ', ':'].contains(&character);
            self.colon = character == ':';
            self.hashes = if character == '#' { self.hashes + 1 } else { 0 };
            match character {
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                shown if ink(shown) == Ink::Shown && !is_command => f.write_char(shown)?,
                hidden => write!(f, "{}", hidden.escape_unicode())?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        for text in
            ["search public repositories", "größer → 大きい", "नमस्ते", "e\u{301}", "🚀", "\\u{1b}"]
        {
            assert_eq!(visible(text).to_string(), text);
        }
    }

    #[test]
    fn what_drives_a_terminal_is_spelled_out() {
        let text = "a\x1b[2Jb\x07\r\n\t\u{9b}31m\x7f";
        assert_eq!(visible(text).to_string(), r"a\u{1b}[2Jb\u{7}\r\n\t\u{9b}31m\u{7f}");
    }

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        let hidden = [
            '\u{ad}',
            '\u{a0}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{17b4}',
            '\u{180e}',
            '\u{200b}',
            '\u{200d}',
            '\u{200e}',
            '\u{2028}',
            '\u{2029}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{2800}',
            '\u{3000}',
            '\u{3164}',
            '\u{e000}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{fff9}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{10ffff}',
        ];
        for character in hidden {
            let text = format!("<{character}>");
            let expected = format!("<\\u{{{:x}}}>", u32::from(character));
            assert_eq!(visible(&text).to_string(), expected);
        }
    }

    #[test]
    fn what_drives_a_runner_is_spelled_out() {
        for (text, expected) in [
            ("::set-output name=a::b", r":\u{3a}set-output name=a::b"),
            ("  ::add-mask::b", r"  :\u{3a}add-mask::b"),
            (":::::a", r":\u{3a}:::a"),
            (": :a", ": :a"),
            ("a\n::error::b", r"a\n::error::b"),
            ("a ##[add-mask]b ###[error]c", r"a ##\u{5b}add-mask]b ###\u{5b}error]c"),
            ("std::fs #[tool] # #[x] ##", "std::fs #[tool] # #[x] ##"),
        ] {
            assert_eq!(visible(text).to_string(), expected);
            for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (head, tail) = text.split_at(at);
                let parts: String = visible_parts([head, tail].into_iter()).collect();
                assert_eq!(parts, expected, "cut at {at}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_hidden_is_left_in_any_text(text in "\\PC*|.*|\\p{C}*|[:#\\[ a\\]]*") {
            let shown = visible(&text).to_string();
            proptest::prop_assert!(!shown.trim_start().starts_with("::"));
            proptest::prop_assert!(!shown.contains("##["));
            proptest::prop_assert!(shown.chars().all(|it| ink(it) == Ink::Shown));
            proptest::prop_assert_eq!(visible(&shown).to_string(), shown);
        }
    }

    #[test]
    fn nothing_hides_in_json_and_it_says_the_same() {
        let value = serde_json::json!({"a\u{202e}": "b\u{e0041}\n##[error]", "c": "größer 🚀"});
        let shown = visible_json(&format!("{value:#}\n"));
        assert!(shown.contains(r"a\u202e") && shown.contains(r"b\udb40\udc41\n"), "{shown}");
        assert!(shown.contains("größer 🚀") && !shown.contains("##["), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }
}
