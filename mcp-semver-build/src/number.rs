//! Whether a number, as it is written, is one that readers keep (RFC 8259, section 6): most hold
//! integers of 64 bits and doubles.

/// So many digits tell any double from its neighbours; more of them say something only where they
/// are its own.
const TELLING: usize = 17;
/// Fewer characters without an exponent are never lost: a double tells 15 digits apart.
const SHORTEST: usize = 17;
/// Whole numbers of no more digits are written out by ECMAScript, from the shortest digits that tell
/// the double and zeros (ECMA-262, `Number::toString`; RFC 8785 has numbers so).
const WRITTEN_OUT: usize = 21;
/// So many characters of a number are shown.
const SHOWN: usize = 60;
/// No double has more significant digits, however many are written.
const MOST: usize = 800;

/// Whether a decimal number is read as another one: its nearest double, written as precisely, is
/// not the same. Whole numbers of more than 64 bits have to be a double to the last digit, or what
/// ECMAScript writes for one. False for what is no number.
pub fn is_lost(number: &str) -> bool {
    let fits = number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok();
    let double =
        number.parse().ok().filter(|_: &f64| !fits && number.as_bytes().iter().all(is_decimal));
    let Some(double) = double else { return false };
    let is_whole = !number.contains(['.', 'e', 'E']);
    let written = parts(number);
    let precision = match &written {
        Some((digits, _)) if digits.len() <= TELLING && !is_whole => digits.len().max(1),
        _ => MOST,
    };
    let is_as_written_out = is_whole
        && number.trim_start_matches('-').len() <= WRITTEN_OUT
        && written == parts(&format!("{double:e}"));
    let is_kept = is_as_written_out || written == parts(&format!("{double:.*e}", precision - 1));
    !double.is_finite() || !is_kept
}

/// The parts of a text that would be read as other numbers, with the byte at which each begins, in
/// strings and keys as well.
pub fn lost_in(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let may_be_lost = |part: &str| {
        let bytes = part.as_bytes();
        bytes.len() >= SHORTEST
            || bytes.len() > 2 && bytes.iter().any(|it| matches!(it, b'e' | b'E'))
    };
    let bytes = text.as_bytes();
    let mut end = 0;
    // Bytes, not characters: that is cheaper by far, and dumps are long.
    let parts = std::iter::from_fn(move || {
        let start = end + bytes[end..].iter().position(is_decimal)?;
        end = bytes[start..]
            .iter()
            .position(|it| !is_decimal(it))
            .map_or(bytes.len(), |it| start + it);
        Some((start, &text[start..end]))
    });
    parts.filter(move |(_, part)| may_be_lost(part) && is_lost(part))
}

fn is_decimal(byte: &u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')
}

/// A number as it is written, cut where it is long.
pub fn shown(number: &str) -> String {
    match number.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &number[..end]),
        None => number.to_owned(),
    }
}

/// The significant digits of a decimal number, and the power of ten that the first one counts.
fn parts(number: &str) -> Option<(String, i64)> {
    let unsigned = number.strip_prefix(['+', '-']).unwrap_or(number);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().ok()?),
        None => (unsigned, 0_i64),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Some((String::new(), 0));
    }
    let zeros = i64::try_from(digits.len() - significant.len()).ok()?;
    let first = i64::try_from(whole.len()).ok()?.checked_sub(zeros)?.checked_add(exponent)?;
    Some((significant.trim_end_matches('0').to_owned(), first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_no_reader_keeps_are_lost() {
        for (number, lost) in [
            ("18446744073709551615", false),
            ("-9223372036854775808", false),
            ("18446744073709551616", false),
            ("18446744073709551617", true),
            ("18446744073709552000", false),
            ("18446744073709552001", true),
            ("18446744073709553000", true),
            ("-9223372036854776000", false),
            ("-9223372036854777000", true),
            ("100000000000000000000", false),
            ("-9223372036854775809", true),
            ("340282366920938463463374607431768211456", false),
            ("340282366920938463463374607431768211455", true),
            ("100000000000000000000000", true),
            ("1e23", false),
            ("1e400", true),
            ("-1E+400", true),
            ("1e-400", true),
            ("5e-324", false),
            ("2.2250738585072014e-308", false),
            ("0", false),
            ("-0.000e999", false),
            ("0.1", false),
            ("0.10", false),
            ("+.10", false),
            ("1.", false),
            ("0.1000000000000000055511151231257827", true),
            ("0.1000000000000000055511151231257827021181583404541015625", false),
            ("0.30000000000000004", false),
            ("0.10000000000000001", false),
            ("0.10000000000000002", false),
            ("0.10000000000000004", true),
            ("9007199254740993.0", true),
            ("9007199254740992.0", false),
            ("18446744073709551617e3", true),
            ("3.14159265358979323846", true),
            ("1.7976931348623157e308", false),
            ("", false),
            ("e5", false),
            ("1e5e5", false),
            ("inf", false),
            ("nan", false),
            ("2024-01-01", false),
            ("1e99999999999999999999", true),
            ("1e-99999999999999999999", true),
        ] {
            assert_eq!(is_lost(number), lost, "{number}");
        }
        assert!(is_lost(&format!("0.{}", "1".repeat(5_000))));
    }

    #[test]
    fn lost_numbers_are_found_where_they_stand() {
        let text =
            r#"{"e": 0.5, "é": [1e400, 9007199254740993, 9007199254740993.0], "k": "1e-400"}"#;
        let found: Vec<&str> = lost_in(text).map(|(at, it)| &text[at..at + it.len()]).collect();
        assert_eq!(found, ["1e400", "9007199254740993.0", "1e-400"]);
        // Whatever is lost is found, however short it is.
        for digits in 1..=20 {
            for number in
                [format!("0.{}", "3".repeat(digits)), "7".repeat(digits), format!("{digits}e999")]
            {
                assert_eq!(lost_in(&number).count(), usize::from(is_lost(&number)), "{number}");
            }
        }
    }

    #[test]
    fn a_long_number_is_cut() {
        assert_eq!(shown("1e400"), "1e400");
        assert_eq!(shown(&"1".repeat(100)), format!("{}…", "1".repeat(60)));
    }
}
