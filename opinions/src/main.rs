//! What `jsoncompat` says of the vectors, one JSON object a line:
//! `cargo run --manifest-path opinions/Cargo.toml > cargo-mcp-semver/tests/vectors/jsoncompat.jsonl`
//!
//! `old_in_new` and `new_in_old` of a pair of schemas are containment taken literally, `calls` of a
//! tool is whether what callers of the old input schema send is accepted by the new one. Each is
//! `yes`, `no` (it has a counterexample), `unknown`, or `error` where a schema is not read.

use jsoncompat::{CompatibilityResult, Role, SchemaDocument, analyze_compat};
use serde_json::{Value, json};

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../cargo-mcp-semver/tests/vectors");

fn main() {
    // Some schemas nest deeper than the stack of the main thread carries.
    let recorder = std::thread::Builder::new().stack_size(256 << 20).spawn(record);
    recorder.expect("a thread").join().expect("every verdict");
}

fn record() {
    for row in rows("containment.jsonl") {
        let (old, new) = (&row["old"], &row["new"]);
        // A producer's new schema has to lie within the old one.
        let within = |inner: &Value, outer: &Value| verdict(outer, inner, Role::Serializer);
        let (forwards, backwards) = (within(old, new), within(new, old));
        println!("{}", json!({"id": row["id"], "old_in_new": forwards, "new_in_old": backwards}));
    }
    for row in rows("real_pairs.jsonl") {
        let (old, new) = (&row["old"]["inputSchema"], &row["new"]["inputSchema"]);
        if old.is_object() && new.is_object() && old != new {
            println!("{}", json!({"id": row["id"], "calls": verdict(old, new, Role::Deserializer)}));
        }
    }
}

fn rows(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(format!("{VECTORS}/{file}")).expect("the vectors");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn verdict(old: &Value, new: &Value, role: Role) -> &'static str {
    let read = |schema: &Value| SchemaDocument::from_json(schema);
    let (Ok(old), Ok(new)) = (read(old), read(new)) else { return "error" };
    match analyze_compat(&old, &new, role) {
        Ok(CompatibilityResult::Compatible) => "yes",
        Ok(CompatibilityResult::Incompatible { .. }) => "no",
        Ok(CompatibilityResult::Unknown { .. }) => "unknown",
        Err(_) => "error",
    }
}
