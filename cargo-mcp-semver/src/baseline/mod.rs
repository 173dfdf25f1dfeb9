//! The two sides of a comparison.

mod revision;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use mcp_semver_build::contract::Pinned;
use mcp_semver_build::{Catalogue, Digest, Held, Lockfile, LockfileError};
use semver::Version;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::source::dump::{self, DumpError};

pub use revision::{RevisionError, Then};

/// The largest file that is read, in bytes; the largest catalogues in public are a hundredth of it.
const SIZE_LIMIT: u64 = 64 << 20;

/// One side of a comparison: the tools of a lockfile or of a catalogue.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baseline {
    /// The package it was recorded for, with its version; absent for a dump.
    pub package: Option<(String, Version)>,
    /// Versions of the SDK crates that generated the schemas, by crate name.
    pub sdk: BTreeMap<String, Version>,
    /// The tools by name.
    pub tools: BTreeMap<String, BaselineTool>,
}

/// One tool of a baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineTool {
    /// Its version; absent for a dump.
    pub semver: Option<Version>,
    /// What pins its contract: the digest of that, where it is here.
    pub digest: Digest,
    /// The contract itself; absent in a digest-only lockfile.
    pub contract: Option<Held>,
}

/// Why a file could not be read as a side of a comparison.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The system refused.
    #[error("cannot read {origin}: {source}")]
    Read {
        /// The path, or `standard input`.
        origin: String,
        /// What the system said.
        source: io::Error,
    },
    /// Larger than any catalogue is.
    #[error(
        "{origin} is larger than {} MiB, which no list of tools needs; is it a dump or a lockfile?",
        SIZE_LIMIT >> 20
    )]
    TooLarge {
        /// The path, or `standard input`.
        origin: String,
    },
    /// Neither a dump nor a lockfile, by its first bytes.
    #[error(
        "{origin} is neither a `tools/list` dump (JSON) nor a lockfile (YAML with `version` and \
         `tools`)"
    )]
    Neither {
        /// The path, or `standard input`.
        origin: String,
    },
    /// A dump that is not sound.
    #[error(transparent)]
    Dump(#[from] DumpError),
    /// A lockfile that is not sound.
    #[error(transparent)]
    Lockfile(#[from] LockfileError),
}

impl Baseline {
    /// Reads a dump or a lockfile, told apart by content; `-` is standard input.
    ///
    /// # Errors
    /// [`BaselineError`] when it cannot be read or is not sound.
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        let (bytes, origin) = contents(path)?;
        Self::from_bytes(bytes, &origin)
    }

    /// The same from a reader; `origin` is named in errors. Reads no more than the limit.
    ///
    /// # Errors
    /// As [`Baseline::read`].
    pub fn from_reader(reader: impl io::Read, origin: &str) -> Result<Self, BaselineError> {
        Self::from_bytes(bytes(reader, 0, origin)?, origin)
    }

    fn from_bytes(bytes: Vec<u8>, origin: &str) -> Result<Self, BaselineError> {
        match form(&bytes) {
            Form::Dump => Ok(Self::from(&dump::read(bytes, origin)?)),
            Form::Lockfile => Ok(Self::from(Lockfile::from_bytes(bytes, Path::new(origin))?)),
            Form::Neither => Err(BaselineError::Neither { origin: origin.to_owned() }),
        }
    }

    /// Names of the tools of which neither side says enough to tell whether they are the same:
    /// both hold a digest alone, of different schemes.
    pub fn incomparable<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a str> {
        self.tools.iter().filter_map(|(name, tool)| {
            let same = tool.same_digest(other.tools.get(name)?);
            same.is_none().then_some(name.as_str())
        })
    }
}

/// Reads a `tools/list` dump; `-` is standard input.
///
/// # Errors
/// [`BaselineError`] when it cannot be read or is no dump.
pub fn read_dump(path: &Path) -> Result<Catalogue, BaselineError> {
    let (bytes, origin) = contents(path)?;
    Ok(dump::read(bytes, &origin)?)
}

/// What a file holds, or standard input for `-`, and how errors name it.
fn contents(path: &Path) -> Result<(Vec<u8>, String), BaselineError> {
    if path == Path::new("-") {
        let origin = "standard input".to_owned();
        return Ok((bytes(io::stdin().lock(), 0, &origin)?, origin));
    }
    let origin = path.display().to_string();
    match open(path) {
        Ok((file, size)) => Ok((bytes(file, size, &origin)?, origin)),
        Err(source) => Err(BaselineError::Read { origin, source }),
    }
}

/// Reads no more than the limit, into room for what is `expected`, in bytes.
fn bytes(reader: impl io::Read, expected: u64, origin: &str) -> Result<Vec<u8>, BaselineError> {
    let mut bytes = Vec::with_capacity(expected.min(SIZE_LIMIT) as usize + 1);
    reader
        .take(SIZE_LIMIT + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| BaselineError::Read { origin: origin.to_owned(), source })?;
    if bytes.len() as u64 > SIZE_LIMIT {
        return Err(BaselineError::TooLarge { origin: origin.to_owned() });
    }
    Ok(bytes)
}

enum Form {
    Dump,
    Lockfile,
    Neither,
}

/// A file, and how long it says that it is, in bytes.
fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    Ok((file, about.len()))
}

/// What tells a lockfile in JSON, none of which is kept.
#[derive(Deserialize)]
struct ToolsByName {
    #[serde(rename = "tools")]
    _tools: Object,
}

struct Object;

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self)
    }
}

impl<'de> Visitor<'de> for Object {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self, A::Error> {
        IgnoredAny.visit_map(map).map(|_| self)
    }
}

/// A lockfile is YAML, a dump is JSON, and a lockfile in JSON has its tools by name.
fn form(bytes: &[u8]) -> Form {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    match text.first() {
        Some(b'{') if serde_json::from_slice::<ToolsByName>(text).is_ok() => Form::Lockfile,
        // The dump reader has the words for what is empty or no text at all.
        Some(b'{' | b'[') | None => Form::Dump,
        Some(_) if std::str::from_utf8(bytes).is_err() => Form::Dump,
        Some(_) if dump::is_event_stream(text) => Form::Dump,
        Some(_) => {
            let mentions = |key: &[u8]| {
                text.split(|byte| *byte == b'\n').any(|line| {
                    line.strip_prefix(key)
                        .is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"))
                })
            };
            if mentions(b"version") || mentions(b"tools") { Form::Lockfile } else { Form::Neither }
        }
    }
}

impl BaselineTool {
    /// Whether `other` pins the same contract, as far as digests reach; `None` when that cannot be
    /// told: neither side holds its contract and the digests are of different schemes.
    ///
    /// A digest does not cover every field (`title`, `execution`): where both sides hold their
    /// contracts, those decide.
    pub fn same_digest(&self, other: &Self) -> Option<bool> {
        if self.digest.scheme == other.digest.scheme {
            return Some(self.digest == other.digest);
        }
        match (&self.contract, &other.contract) {
            (_, Some(contract)) => Some(self.digest.matches(contract)),
            (Some(contract), None) => Some(other.digest.matches(contract)),
            (None, None) => None,
        }
    }
}

impl From<Lockfile> for Baseline {
    fn from(lockfile: Lockfile) -> Self {
        let tools = lockfile.tools.into_iter().map(|(name, tool)| {
            let semver = Some(tool.semver);
            (name, BaselineTool { semver, digest: tool.digest, contract: tool.contract })
        });
        Self {
            package: lockfile.package.map(|package| (package.name, package.version)),
            sdk: lockfile.sdk,
            tools: tools.collect(),
        }
    }
}

impl From<&Catalogue> for Baseline {
    /// The tools alone: a catalogue knows no versions.
    fn from(catalogue: &Catalogue) -> Self {
        let tools = catalogue.iter_pinned().map(|Pinned { contract, digest, .. }| {
            let (name, contract) = (contract.name().to_owned(), Some(contract.clone()));
            (name, BaselineTool { semver: None, digest: *digest, contract })
        });
        Self { tools: tools.collect(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use mcp_semver_build::Scheme;

    use super::*;

    const DUMP: &str = r#"{"tools": [{"name": "a", "title": "A"}]}"#;

    fn read(text: &str) -> Result<Baseline, BaselineError> {
        Baseline::from_reader(text.as_bytes(), "side")
    }

    fn lockfile(digest: &str, contract: &str) -> String {
        format!(
            "version: 1\npackage: {{name: p, version: 1.2.3}}\nsdk: {{rmcp: 1.0.0}}\ntools:\n  a:\n    \
             semver: 1.1.0\n    contract_digest: {digest}\n{contract}"
        )
    }

    #[test]
    fn dumps_and_lockfiles_are_told_apart() {
        let dump = read(DUMP).unwrap();
        let digest = dump.tools["a"].digest.to_string();
        assert_eq!((dump.tools["a"].semver.as_ref(), &dump.package), (None, &None));
        let yaml = lockfile(&digest, "    contract: {name: a, title: A}\n");
        let json = format!(
            r#"{{"tools": {{"a": {{"semver": "1.1.0", "contract_digest": "{digest}"}}}}, "version": 1}}"#
        );
        let read_yaml = read(&format!("\u{feff}# comment\n{yaml}")).unwrap();
        assert_eq!(read_yaml.tools["a"].contract, dump.tools["a"].contract);
        assert_eq!(read_yaml.package, Some(("p".into(), Version::new(1, 2, 3))));
        assert_eq!(read_yaml.sdk["rmcp"], Version::new(1, 0, 0));
        assert_eq!(read(&json).unwrap().tools["a"].semver, Some(Version::new(1, 1, 0)));
    }

    #[test]
    fn what_is_neither_is_said_to_be() {
        for (text, expected) in [
            ("", "side: the dump is empty"),
            ("fn main() {}", "side is neither"),
            ("name: x\n", "side is neither"),
            ("{\"tools\": [", "side:1:11: the dump ends"),
            ("{\"tools\": {}}", "side:1: `version` is missing"),
            ("version: 2\ntools: {}\n", "side:1: lockfile format version 2"),
            ("version: 1\n<<<<<<< a\n", "side:2: merge conflict"),
        ] {
            let found = read(text).unwrap_err().to_string();
            assert!(found.starts_with(expected), "{expected:?} expected, found {found:?}");
        }
        let binary = Baseline::from_reader(&b"\x7fELF\xff"[..], "side").unwrap_err();
        assert!(binary.to_string().contains("not a text file"), "{binary}");
        let endless = Baseline::from_reader(io::repeat(b' '), "side").unwrap_err();
        assert!(endless.to_string().contains("larger than 64 MiB"), "{endless}");
        let directory = Baseline::read(&std::env::temp_dir()).unwrap_err();
        assert!(directory.to_string().contains("directory"), "{directory}");
        let missing = Baseline::read(Path::new("/nonexistent/x.json")).unwrap_err();
        assert!(missing.to_string().starts_with("cannot read /nonexistent/x.json: "), "{missing}");
    }

    #[test]
    fn digests_alone_are_compared_as_far_as_they_reach() {
        let dump = read(DUMP).unwrap();
        let contract = dump.tools["a"].contract.clone().unwrap();
        let [old, new] = [Scheme::Sha256, Scheme::ContractV2]
            .map(|scheme| read(&lockfile(&Digest::of(scheme, &contract).to_string(), "")).unwrap());
        let same = |one: &Baseline, other: &Baseline| one.tools["a"].same_digest(&other.tools["a"]);
        assert_eq!(same(&old, &dump), Some(true));
        assert_eq!(same(&dump, &old), Some(true));
        assert_eq!(same(&new, &new.clone()), Some(true));
        assert_eq!(same(&old, &new), None);
        assert_eq!(old.incomparable(&new).collect::<Vec<_>>(), ["a"]);
        assert_eq!(old.incomparable(&dump).count(), 0);
        let other = read(r#"[{"name": "a", "description": "changed"}]"#).unwrap();
        assert_eq!(same(&old, &other), Some(false));
        assert_eq!(same(&other, &new), Some(false));
    }
}
