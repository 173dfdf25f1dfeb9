//! What the fuzz targets do with their bytes; a test does the same with the corpus.

use std::path::Path;

use cargo_mcp_semver::baseline::Baseline;
use cargo_mcp_semver::compare::compare;
use cargo_mcp_semver::lock::{self, Pin};
use cargo_mcp_semver::schema::{self, Direction};
use cargo_mcp_semver::source::dump;
use cargo_mcp_semver::verdict::Status;
use mcp_semver_build::contract::Pinned;
use mcp_semver_build::{Catalogue, Contract, Lockfile, LockfileError};
use serde_json::{Value, json};

/// A dump: what is read of it is what its values say, is equal to itself and can be locked, and the
/// file says the same.
pub(crate) fn dump(bytes: &[u8]) {
    let Ok(catalogue) = dump::read(bytes, "dump") else { return };
    for pinned in catalogue.iter_pinned() {
        assert_eq!(*pinned, Pinned::from(Contract::clone(&pinned.contract)));
    }
    let side = Baseline::from(&catalogue);
    assert!(compare(&side, &side).iter().all(|tool| tool.status == Status::Unchanged));
    round_trip(&lock::plan(None, &catalogue, &Pin::default()));
}

/// Tools with values of every kind.
const KNOWN: &str = r##"[
    {"name": "search", "description": "search public repositories",
     "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}},
    {"name": "all", "title": "A: b", "description": "One.\n\n  Two: \"x\" # y\n",
     "inputSchema": {"type": "object", "$ref": "#/$defs/a b", "default": [null, true, -1, 0.5,
      "yes", "2020-12", " a", "\t\u0000", "é", [[], {}], [[1, {"a": 1}]], {"b": {}, "1": []}]}}
]"##;

/// A lockfile, also where its kind has to be told first. It reads the same beside the tools that it
/// may have been written for.
pub(crate) fn lockfile(bytes: &[u8]) {
    let _ = Baseline::from_reader(bytes, "side");
    let path = Path::new("lockfile");
    let read = Lockfile::from_bytes(bytes.to_vec(), path);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let known = dump::read(KNOWN.as_bytes(), "known").expect("a list of tools");
        let beside = Lockfile::parse_beside(text, path, &known);
        assert_eq!(format!("{beside:?}"), format!("{read:?}"));
    }
    if let Ok(lockfile) = read {
        round_trip(&lockfile);
    }
}

/// What is written reads as what was to be written, alone and beside its tools, and is written the
/// same again.
fn round_trip(lockfile: &Lockfile) {
    let path = Path::new("written");
    match lockfile.to_yaml() {
        Ok(text) => {
            let read = Lockfile::parse(&text, path).expect("it was checked");
            assert_eq!(read, *lockfile);
            assert_eq!(read.to_yaml().expect("it was written before"), text);
            let contracts = lockfile.tools.values().filter_map(|tool| tool.contract.as_deref());
            let known = Catalogue::new(contracts.cloned()).expect("names are keys");
            let beside = Lockfile::parse_beside(&text, path, &known).expect("it was checked");
            assert_eq!(beside, read);
        }
        Err(LockfileError::Unwritable { .. }) => {}
        Err(error) => panic!("{error}"),
    }
}

/// Two schemas, one JSON document after the other, compared in either direction. Nothing differs
/// from itself, whatever it is, also where something beside it differs.
pub(crate) fn schemas(bytes: &[u8]) {
    let mut documents = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
    let mut next = || documents.next().and_then(Result::ok).filter(Value::is_object);
    let (Some(old), Some(new)) = (next(), next()) else { return };
    let refers =
        ["$ref", "$dynamicRef", "$recursiveRef"].iter().any(|it| old.to_string().contains(it));
    let beside = |other: bool| json!({"properties": {"same": old, "other": other}});
    for direction in [Direction::Input, Direction::Output] {
        schema::differences(&old, &new, direction);
        assert_eq!(schema::differences(&old, &old, direction), []);
        if !refers {
            let changes = schema::differences(&beside(true), &beside(false), direction);
            assert!(changes.iter().all(|it| it.path == "other"), "{changes:?}");
        }
    }
}
