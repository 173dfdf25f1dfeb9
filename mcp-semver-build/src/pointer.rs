//! JSON pointers (RFC 6901).

use std::borrow::Cow;

use serde_json::{Map, Value};

/// A key as a token of a pointer (section 3).
pub fn escaped(key: &str) -> Cow<'_, str> {
    match key.contains(['~', '/']) {
        true => key.replace('~', "~0").replace('/', "~1").into(),
        false => key.into(),
    }
}

/// The key that a token of a pointer stands for (section 4).
pub fn unescaped(token: &str) -> Cow<'_, str> {
    match token.contains('~') {
        true => token.replace("~1", "/").replace("~0", "~").into(),
        false => token.into(),
    }
}

/// The pointer into a contract that `$ref` stands for in the schema at `pointer`: it leads to the
/// same field of the contract.
pub fn target(pointer: &str, schema: &Map<String, Value>) -> Option<String> {
    let root = pointer.split('/').nth(1)?;
    let inside = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
    Some(format!("/{root}{inside}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_back_as_its_key() {
        for (key, token) in [("a", "a"), ("a/b", "a~1b"), ("~1", "~01"), ("~/", "~0~1"), ("", "")] {
            assert_eq!(escaped(key), token);
            assert_eq!(unescaped(token), key);
        }
    }
}
