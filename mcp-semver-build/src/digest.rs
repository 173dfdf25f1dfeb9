//! Digests that pin a contract.
//!
//! Both schemes are SHA-256 over RFC 8785 (JSON Canonicalization Scheme) and are shared with the
//! gateway that enforces the lockfile at run time, so they may never change.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::canonical::canonical_text;
use crate::contract::{Contract, Field};
use crate::form::Form;

pub use crate::canonical::canonical;

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

    /// What a contract is hashed with; the label is in front of it where the scheme asks for it.
    pub(crate) fn hasher(self) -> Sha256 {
        match self {
            Self::Sha256 => Sha256::new(),
            Self::ContractV2 => Sha256::new().chain_update(self.label()).chain_update([0]),
        }
    }

    pub(crate) fn covers(self, field: &str) -> bool {
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
        fields: impl IntoIterator<Item = (&'n str, Field<'a>)> + Clone,
    ) -> Self {
        if let Some(form) = Form::of(fields.clone()) {
            return form.digest(scheme);
        }
        let hashed: BTreeMap<&str, Field<'_>> =
            fields.into_iter().filter(|(field, _)| scheme.covers(field)).collect();
        Self::by(scheme, scheme.hasher().chain_update(canonical_text(&hashed)))
    }

    /// What a scheme's hasher made of a contract.
    pub(crate) fn by(scheme: Scheme, hasher: Sha256) -> Self {
        Self { scheme, bytes: hasher.finalize().into() }
    }

    /// Whether this is the digest of `contract`.
    pub fn matches(&self, contract: &Contract) -> bool {
        *self == Self::of(self.scheme, contract)
    }
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
        let (pairs, []) = hex.as_bytes().as_chunks::<2>() else { return Err(not_hex()) };
        if pairs.len() != 32 {
            return Err(not_hex());
        }
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let mut bytes = [0; 32];
        for (byte, &[high, low]) in bytes.iter_mut().zip(pairs) {
            let value = digit(high).zip(digit(low)).map(|(high, low)| (high << 4) | low);
            *byte = value.and_then(|value| value.try_into().ok()).ok_or_else(not_hex)?;
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
