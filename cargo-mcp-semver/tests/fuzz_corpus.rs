//! What fuzzing found worth keeping, fed to the functions that are fuzzed.

// In a test, unwrapping is asserting.
#![allow(clippy::unwrap_used)]

#[path = "../../fuzz/subject.rs"]
mod subject;

fn feed(target: &str, subject: fn(&[u8])) {
    let corpus = format!("{}/../fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(&corpus).unwrap_or_else(|error| panic!("{corpus}: {error}"));
    let mut fed = 0;
    for entry in entries {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        subject(&std::fs::read(path).unwrap());
        fed += 1;
    }
    assert!(fed > 10, "{corpus} holds {fed} files");
}

#[test]
fn dumps() {
    feed("dump", subject::dump);
}

#[test]
fn lockfiles() {
    feed("lockfile", subject::lockfile);
}

#[test]
fn schemas() {
    feed("schemas", subject::schemas);
}
