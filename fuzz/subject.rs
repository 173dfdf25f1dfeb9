//! What the fuzz targets do with their bytes; a test does the same with the corpus.

use std::path::Path;

use cargo_mcp_semver::baseline::Baseline;
use cargo_mcp_semver::compare::compare;
use cargo_mcp_semver::lock::{self, Pin};
use cargo_mcp_semver::schema::{self, Direction};
use cargo_mcp_semver::source::dump;
use cargo_mcp_semver::verdict::Status;
use mcp_semver_build::{Lockfile, LockfileError};
use serde_json::{Value, json};

/// A dump: what is read of it is equal to itself and can be locked, and the file says the same.
pub(crate) fn dump(bytes: &[u8]) {
    let Ok(catalogue) = dump::read(bytes, "dump") else { return };
    let side = Baseline::from(&catalogue);
    assert!(compare(&side, &side).iter().all(|tool| tool.status == Status::Unchanged));
    round_trip(&lock::plan(None, &catalogue, &Pin::default()));
}

/// A lockfile, also where its kind has to be told first.
pub(crate) fn lockfile(bytes: &[u8]) {
    let _ = Baseline::from_reader(bytes, "side");
    if let Ok(lockfile) = Lockfile::from_bytes(bytes.to_vec(), Path::new("lockfile")) {
        round_trip(&lockfile);
    }
}

fn round_trip(lockfile: &Lockfile) {
    match lockfile.to_yaml() {
        Ok(text) => {
            let read = Lockfile::parse(&text, Path::new("written")).expect("it was checked");
            assert_eq!(read, *lockfile);
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
