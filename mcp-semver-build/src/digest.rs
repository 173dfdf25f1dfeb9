//! Digests that pin a contract.
//!
//! Both schemes are SHA-256 over RFC 8785 (JSON Canonicalization Scheme) and are shared with the
//! gateway that enforces the lockfile at run time, so they may never change.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::str::FromStr;

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::contract::{Contract, Field};
use crate::order;

/// Which fields are hashed and how the hash is labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Scheme {
    /// `sha256:`, over name, title, description, schemas and annotations.
    Sha256,
    /// `mcp-contract-v2-sha256:`, over the label, a NUL byte, and the same without the title.
    #[default]
    ContractV2,
}

impl Scheme {
    /// The text in front of the colon.
    pub fn label(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::ContractV2 => "mcp-contract-v2-sha256",
        }
    }

    fn covers(self, field: &str) -> bool {
        match field {
            "name" | "description" | "inputSchema" | "outputSchema" | "annotations" => true,
            "title" => self == Self::Sha256,
            _ => false,
        }
    }
}

/// The hash of one contract under one scheme; prints as `<label>:<64 hex digits>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest {
    /// How it was made.
    pub scheme: Scheme,
    bytes: [u8; 32],
}

/// Why a text is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DigestError {
    /// The label in front of the colon is not one this version knows.
    #[error(
        "unknown digest scheme `{scheme}`; this version reads `sha256` and `mcp-contract-v2-sha256`, \
         a newer cargo-mcp-semver may read it"
    )]
    UnknownScheme {
        /// The label found.
        scheme: String,
    },
    /// What follows the colon is not 64 hexadecimal digits.
    #[error("a digest is `<scheme>:` and 64 hexadecimal digits, found `{found}`")]
    NotHex {
        /// The text found.
        found: String,
    },
}

impl Digest {
    /// Hashes a contract.
    pub fn of(scheme: Scheme, contract: &Contract) -> Self {
        Self::of_fields(scheme, contract.fields())
    }

    /// Hashes a tool as some other writers do: in the wire's own form, a field that is `null`
    /// included. Only to recognise their digests; a value that is no object hashes as an empty one.
    pub(crate) fn of_wire(scheme: Scheme, wire: &Value) -> Self {
        let fields = wire.as_object().into_iter().flatten();
        Self::of_fields(scheme, fields.map(|(field, value)| (field.as_str(), Field::Json(value))))
    }

    fn of_fields<'n, 'a>(
        scheme: Scheme,
        fields: impl IntoIterator<Item = (&'n str, Field<'a>)>,
    ) -> Self {
        let hashed: BTreeMap<&str, Field<'_>> =
            fields.into_iter().filter(|(field, _)| scheme.covers(field)).collect();
        let mut hasher = Sha256::new();
        if scheme == Scheme::ContractV2 {
            hasher.update(scheme.label().as_bytes());
            hasher.update([0]);
        }
        hasher.update(canonical_fields(&hashed));
        Self { scheme, bytes: hasher.finalize().into() }
    }

    /// Whether this is the digest of `contract`.
    pub fn matches(&self, contract: &Contract) -> bool {
        *self == Self::of(self.scheme, contract)
    }
}

/// RFC 8785 bytes of a JSON value; equal bytes mean the same JSON.
pub fn canonical(value: &Value) -> Vec<u8> {
    let mut written = Vec::new();
    plain(value, &mut written).map_or_else(|| canonical_text(value), |()| written)
}

fn canonical_fields(fields: &BTreeMap<&str, Field<'_>>) -> Vec<u8> {
    let mut written = Vec::with_capacity(1 << 10);
    let mut write = || {
        written.push(b'{');
        for (index, (field, value)) in fields.iter().enumerate() {
            member(index, field, &mut written)?;
            match value {
                Field::Text(text) => string(text, &mut written)?,
                Field::Json(value) => plain(value, &mut written)?,
            }
        }
        written.push(b'}');
        Some(())
    };
    write().map_or_else(|| canonical_text(fields), |()| written)
}

fn canonical_text(value: &impl Serialize) -> Vec<u8> {
    // Serialising a `Value` fails only for a map with non-string keys or a non-finite number, and
    // a `Value` can hold neither.
    serde_json_canonicalizer::to_vec(value).expect("a JSON value has a canonical form")
}

/// Writes the canonical form of a value where that takes no sorting, which is far cheaper: keys are
/// in order, in the order of bytes as in that of UTF-16. Else `None`, with something written.
fn plain(value: &Value, written: &mut Vec<u8>) -> Option<()> {
    /// Up to here a double holds every integer.
    const EXACT: u64 = 1 << 53;
    match value {
        Value::Null => written.extend_from_slice(b"null"),
        Value::Bool(true) => written.extend_from_slice(b"true"),
        Value::Bool(false) => written.extend_from_slice(b"false"),
        Value::Number(number) => {
            match number.as_i64().filter(|number| number.unsigned_abs() <= EXACT) {
                Some(number) => write!(written, "{number}").ok()?,
                None => written.extend_from_slice(&canonical_text(value)),
            }
        }
        Value::String(text) => string(text, written)?,
        Value::Array(items) => {
            written.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    written.push(b',');
                }
                plain(item, written)?;
            }
            written.push(b']');
        }
        Value::Object(map) => {
            if !order::is_sorted(map) {
                return None;
            }
            written.push(b'{');
            for (index, (key, value)) in map.iter().enumerate() {
                member(index, key, written)?;
                plain(value, written)?;
            }
            written.push(b'}');
        }
    }
    Some(())
}

/// What stands in front of the value of a member.
fn member(index: usize, key: &str, written: &mut Vec<u8>) -> Option<()> {
    if !key.is_ascii() {
        return None;
    }
    if index > 0 {
        written.push(b',');
    }
    string(key, written)?;
    written.push(b':');
    Some(())
}

fn string(text: &str, written: &mut Vec<u8>) -> Option<()> {
    let is_special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    // All of it, not up to the first: that is done many bytes at a time.
    if text.bytes().fold(false, |found, byte| found | is_special(byte)) {
        return serde_json::to_writer(written, text).ok();
    }
    written.push(b'"');
    written.extend_from_slice(text.as_bytes());
    written.push(b'"');
    Some(())
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.scheme.label())?;
        self.bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let not_hex = || DigestError::NotHex { found: text.to_owned() };
        let (label, hex) = text.rsplit_once(':').ok_or_else(not_hex)?;
        let scheme = [Scheme::Sha256, Scheme::ContractV2]
            .into_iter()
            .find(|scheme| scheme.label() == label)
            .ok_or_else(|| DigestError::UnknownScheme { scheme: label.to_owned() })?;
        if hex.len() != 64 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(not_hex());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| not_hex())?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| not_hex())?;
        }
        Ok(Self { scheme, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn search() -> Contract {
        Contract::from_wire(json!({
            "name": "search", "description": "search public repositories",
            "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
        }))
        .unwrap()
    }

    #[test]
    fn known_answers() {
        // The second was computed by another implementation from the canonical form.
        for (scheme, expected) in [
            (
                Scheme::ContractV2,
                "mcp-contract-v2-sha256:9aaf5ff606591ef611788a262874bbe58aa57d39e751c10527aa894d984cb47e",
            ),
            (
                Scheme::Sha256,
                "sha256:56d47fc4c5280f5723d3e355c8149bc402abd636d3c6bebb979b93abaecce0db",
            ),
        ] {
            assert_eq!(Digest::of(scheme, &search()).to_string(), expected);
        }
    }

    #[test]
    fn each_scheme_covers_its_fields() {
        let plain = search();
        let changed = |field: &str| {
            let mut wire = plain.to_wire();
            wire[field] = json!({"x": 1});
            if matches!(field, "title" | "description") {
                wire[field] = json!("other");
            }
            Contract::from_wire(wire).unwrap()
        };
        for (field, sha256, v2) in [
            ("title", true, false),
            ("description", true, true),
            ("inputSchema", true, true),
            ("outputSchema", true, true),
            ("annotations", true, true),
            ("execution", false, false),
            ("icons", false, false),
            ("_meta", false, false),
        ] {
            for (scheme, moves) in [(Scheme::Sha256, sha256), (Scheme::ContractV2, v2)] {
                let digest = Digest::of(scheme, &plain);
                assert!(digest.matches(&plain));
                assert_eq!(digest.matches(&changed(field)), !moves, "{field} {scheme:?}");
            }
        }
    }

    #[test]
    fn the_order_of_keys_and_the_writing_of_numbers_do_not_count() {
        let read = |text: &str| Contract::from_wire(serde_json::from_str(text).unwrap()).unwrap();
        let one = read(r#"{"name": "a", "inputSchema": {"x": 1.0, "y": "\u00e9"}}"#);
        let two = read(r#"{"inputSchema": {"y": "é", "x": 1}, "name": "a", "title": null}"#);
        assert_eq!(Digest::of(Scheme::Sha256, &one), Digest::of(Scheme::Sha256, &two));
    }

    #[test]
    fn what_is_written_as_it_stands_is_canonical() {
        for text in [
            r#"{"b": [1, -2, 9007199254740992, {"a": "\u0000\u001f\u007f\n\"é\ud83d\ude00/"}], "a": null}"#,
            "[9007199254740993, 1.0, -0, 1e30, 0.1]",
            r#"{"\ufb33": 1, "\ud83d\ude00": 2, "é": 3, "z": 4}"#,
            "[-9007199254740993, 0, -0.0, true]",
            "[[], {}, [{}], {\"a\\n\": -9007199254740992, \"\\\"\": [false]}]",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            let canonical = serde_json_canonicalizer::to_vec(&value).unwrap();
            assert_eq!(super::canonical(&value), canonical, "{text}");
        }
    }

    #[test]
    fn digests_come_back_from_their_text() {
        for scheme in [Scheme::Sha256, Scheme::ContractV2] {
            let digest = Digest::of(scheme, &search());
            assert_eq!(digest.to_string().parse(), Ok(digest));
            assert_eq!(Digest::of_wire(scheme, &search().to_wire()), digest);
        }
        let hex = "0".repeat(64);
        for (text, unknown) in [
            (format!("sha512:{hex}"), true),
            (format!(":{hex}"), true),
            (format!("SHA256:{hex}"), true),
            (hex.clone(), false),
            (format!("sha256:{hex}0"), false),
            (format!("sha256:{}g", &hex[1..]), false),
            (format!("sha256:+{}", &hex[1..]), false),
            (format!("sha256:{}é", &hex[2..]), false),
            ("sha256:".into(), false),
            (String::new(), false),
        ] {
            let error = text.parse::<Digest>().unwrap_err();
            assert_eq!(
                matches!(error, DigestError::UnknownScheme { .. }),
                unknown,
                "{text}: {error}"
            );
        }
    }
}
