//! Whole numbers of which a reader keeps the nearest double (RFC 8259, section 6).

use mcp_semver_build::number::is_lost;

/// Numbers of fewer digits fit into 64 bits.
const DIGITS: usize = 19;

/// The first whole number of a JSON text that is read as another one: where it stands, in bytes, and
/// as it is written.
pub(super) fn lost(text: &str) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    let is_digit = |at: &usize| bytes.get(*at).is_some_and(u8::is_ascii_digit);
    let mut strings = Strings::default();
    // So many digits in a row cannot be stepped over.
    let mut at = DIGITS - 1;
    while at < bytes.len() {
        if !is_digit(&at) {
            at += DIGITS;
            continue;
        }
        let start = (0..at).rev().take_while(is_digit).last().unwrap_or(at);
        let end = (at..).find(|it| !is_digit(it)).unwrap_or(bytes.len());
        if end - start >= DIGITS
            && let Some(signed) = whole_number(bytes, start, end)
            && is_lost(&text[signed..end])
            && !strings.hold(bytes, start)
        {
            return Some((signed, text[signed..end].to_owned()));
        }
        at = end + DIGITS;
    }
    None
}

/// Where the number of these digits begins; `None` where they are part of another.
fn whole_number(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    if matches!(bytes.get(end), Some(b'.' | b'e' | b'E')) {
        return None;
    }
    let signed = start.checked_sub(1).filter(|at| bytes[*at] == b'-').unwrap_or(start);
    if signed > 0 && matches!(bytes[signed - 1], b'.' | b'e' | b'E' | b'+') {
        return None;
    }
    Some(signed)
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

    #[test]
    fn whole_numbers_that_no_double_holds_are_found() {
        for (text, found) in [
            ("[18446744073709551617]", Some("18446744073709551617")),
            (r#"{"maximum":-9223372036854775809}"#, Some("-9223372036854775809")),
            (
                r#"{"a":"\"","b":340282366920938463463374607431768211455}"#,
                Some("340282366920938463463374607431768211455"),
            ),
            ("[18446744073709551615, 18446744073709551616, -9223372036854775808]", None),
            ("[340282366920938463463374607431768211456]", None),
            (r#"{"id":"18446744073709551617","b":0.18446744073709551617}"#, None),
            ("[18446744073709551617.5, 18446744073709551617e3, 1.5e-30]", None),
            (
                r#"["18446744073709551617", "\\\"", 18446744073709551617]"#,
                Some("18446744073709551617"),
            ),
            ("1", None),
            ("", None),
        ] {
            assert_eq!(lost(text).map(|it| it.1).as_deref(), found, "{text}");
        }
    }
}
