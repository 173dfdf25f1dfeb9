//! JSON by value, to the last digit.
//!
//! RFC 8785 writes every number as the double nearest to it, so 9007199254740993 and
//! 9007199254740992 have the same canonical text, and contracts that say either have the same
//! digest. Here integers keep all digits that were read, and 1.0 is 1 as JSON Schema has it.

use mcp_semver_build::digest::canonical;
use serde_json::{Number, Value};

/// The text of a value; equal for equal JSON.
pub(crate) fn text(value: &Value) -> String {
    let mut written = String::new();
    write(value, &mut written);
    written
}

/// Whether two values are equal, whatever order their members stand in.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || number(one) == number(other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|it| same(one, it)))
        }
        _ => one == other,
    }
}

fn write(value: &Value, written: &mut String) {
    match value {
        Value::Number(value) => written.push_str(&number(value)),
        Value::Array(list) => {
            separated(written, ['[', ']'], list, write);
        }
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            separated(written, ['{', '}'], entries, |(key, value), written| {
                written.push_str(&Value::from(key.as_str()).to_string());
                written.push(':');
                write(value, written);
            });
        }
        scalar => written.push_str(&scalar.to_string()),
    }
}

fn separated<T>(
    written: &mut String,
    [open, close]: [char; 2],
    parts: impl IntoIterator<Item = T>,
    mut write: impl FnMut(T, &mut String),
) {
    written.push(open);
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            written.push(',');
        }
        write(part, written);
    }
    written.push(close);
}

/// Whole numbers by their digits as far as RFC 8785 writes digits, all others as it does.
fn number(number: &Number) -> String {
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e21);
    match (number.as_i128(), float) {
        (Some(whole), _) => whole.to_string(),
        // Exact: a double of this size without a fraction is a whole number.
        (None, Some(float)) => (float as i128).to_string(),
        (None, None) => {
            String::from_utf8_lossy(&canonical(&Value::Number(number.clone()))).into_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn integers_keep_every_digit() {
        for (one, other) in [
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64)),
            (json!(u64::MAX), json!(u64::MAX - 1)),
            (json!(i64::MIN), json!(i64::MIN + 1)),
            (
                json!({"a": [1_122_334_455_667_788_990_u64]}),
                json!({"a": [1_122_334_455_667_788_991_u64]}),
            ),
            (json!(0.1), json!(0.2)),
            (json!("1"), json!(1)),
        ] {
            assert_ne!(text(&one), text(&other));
            assert!(!same(&one, &other), "{one} {other}");
        }
    }

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        for (one, other) in [
            ("1", "1.0"),
            ("-0.0", "0"),
            ("1e18", "1000000000000000000"),
            ("1e300", "1.0E300"),
            (r#"{"a": 2.50, "b": "é\n"}"#, r#"{"b": "\u00e9\n", "a": 2.5}"#),
        ] {
            let [one, other] = [one, other].map(|it| serde_json::from_str::<Value>(it).unwrap());
            assert_eq!(text(&one), text(&other));
            assert!(same(&one, &other), "{one} {other}");
        }
    }

    #[test]
    fn the_text_is_the_canonical_one_where_that_is_exact() {
        for value in [json!({"b": [1, 1.5, null, true], "a": "x\"y"}), json!(1e21), json!(-7)] {
            assert_eq!(text(&value).into_bytes(), canonical(&value));
        }
    }
}
