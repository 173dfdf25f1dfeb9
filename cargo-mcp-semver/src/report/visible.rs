//! Text from a contract, made safe to print.
//!
//! Names, descriptions and values are written by whoever wrote the server, and a terminal obeys
//! what it is sent: an escape sequence can erase the finding above it, a bidirectional override
//! can show another order of letters than the one a model reads. Every renderer of human text
//! passes such text through [`visible`], and nothing else in the crate escapes.

use std::fmt;

use crate::character::{Ink, ink};

/// Shows `text` on one line with every character a person could not see or that would drive a
/// terminal spelled out: `\n`, `\r`, `\t`, and `\u{202e}` for the rest.
pub fn visible(text: &str) -> Visible<'_> {
    Visible(text)
}

/// The [`Display`](fmt::Display) that [`visible`] returns.
#[derive(Debug, Clone, Copy)]
pub struct Visible<'a>(&'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        for character in self.0.chars() {
            match character {
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                shown if ink(shown) == Ink::Shown => f.write_char(shown)?,
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

    proptest::proptest! {
        #[test]
        fn nothing_hidden_is_left_in_any_text(text in "\\PC*|.*|\\p{C}*") {
            let shown = visible(&text).to_string();
            proptest::prop_assert!(shown.chars().all(|it| ink(it) == Ink::Shown));
            proptest::prop_assert_eq!(visible(&shown).to_string(), shown);
        }
    }
}
