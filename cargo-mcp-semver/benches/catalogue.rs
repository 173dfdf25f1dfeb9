//! What `check` of a big catalogue costs beside reading the same two files in Python.
//!
//! For dumps of 1,000, 10,000 and 50,000 tools, of which one in twenty changed since the lockfile:
//! processor time (user and system) and peak memory of `check`, and the processor time of
//! `json.load` of the dump and SHA-256 of both files. Needs `python3` on Unix. Reports, asserts
//! nothing.
#![allow(clippy::unwrap_used)] // a bench may stop at what it did not expect

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use cargo_mcp_semver::lock::{self, Pin};
use mcp_semver_build::{Catalogue, Contract};
use serde_json::{Value, json};

/// Runs of each command; the cheapest counts.
const RUNS: usize = 3;
/// Tools larger than this are left out, so that 50,000 stay below the size that is read.
const LARGEST: usize = 1_500;
const CHANGED_ONE_IN: usize = 20;

/// Runs a command and prints its exit code, processor seconds and peak memory in MB.
const MEASURE: &str = "import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
scale = 1 << 20 if sys.platform == 'darwin' else 1 << 10
print(code, used.ru_utime + used.ru_stime, used.ru_maxrss / scale)";

const READ: &str = "import hashlib, json, sys
for path in sys.argv[1:]:
    hashlib.sha256(open(path, 'rb').read()).hexdigest()
json.load(open(sys.argv[1]))";

fn main() {
    let pairs = pairs();
    println!("| tools | dump, MB | lockfile, MB | check, s | check, MB | Python, s |");
    println!("|---|---|---|---|---|---|");
    for count in [1_000, 10_000, 50_000] {
        let directory = tempfile::tempdir().unwrap();
        let [dump, lockfile] = ["dump.json", "lock.yaml"].map(|it| directory.path().join(it));
        write(&pairs, count, &dump, &lockfile);
        let (dump, lockfile) = (dump.to_str().unwrap(), lockfile.to_str().unwrap());
        let check = measure(&[
            env!("CARGO_BIN_EXE_cargo-mcp-semver"),
            "mcp-semver",
            "check",
            "--generated-for=bench",
            "--tools",
            dump,
            "--lockfile",
            lockfile,
        ]);
        assert_eq!(check.code, 2, "one tool in twenty breaks and no version covers that");
        let read = measure(&["python3", "-c", READ, dump, lockfile]);
        let size = |path: &str| std::fs::metadata(path).unwrap().len() as f64 / 1e6;
        println!(
            "| {count} | {:.1} | {:.1} | {:.2} | {:.0} | {:.2} |",
            size(dump),
            size(lockfile),
            check.seconds,
            check.megabytes,
            read.seconds
        );
    }
}

/// Versions of real tools, old and new.
fn pairs() -> Vec<(Value, Value)> {
    let path = format!("{}/tests/vectors/real_pairs.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|row| (row["old"].clone(), row["new"].clone()))
        .filter(|(old, new)| [old, new].iter().all(|it| it.to_string().len() <= LARGEST))
        .collect()
}

/// The dump and the lockfile of its tools before one in twenty changed.
fn write(pairs: &[(Value, Value)], count: usize, dump: &Path, lockfile: &Path) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for number in 0..count {
        let (old, new) = &pairs[number % pairs.len()];
        let new = if number % CHANGED_ONE_IN == 0 { new } else { old };
        let named = |tool: &Value| {
            let mut tool = tool.clone();
            tool["name"] = json!(format!("tool_{number}"));
            tool
        };
        before.push(Contract::from_wire(named(old)).unwrap());
        after.push(named(new));
    }
    let plan = lock::plan(None, &Catalogue::new(before).unwrap(), &Pin::default());
    lock::write(lockfile, &plan).unwrap();
    let dump = std::fs::File::create(dump).unwrap();
    let mut dump = std::io::BufWriter::new(dump);
    serde_json::to_writer(&mut dump, &json!({ "tools": after })).unwrap();
    dump.flush().unwrap();
}

struct Measured {
    code: i32,
    seconds: f64,
    megabytes: f64,
}

/// The cheapest of several runs.
fn measure(command: &[&str]) -> Measured {
    let runs = (0..RUNS).map(|_| {
        let output = Command::new("python3").args(["-c", MEASURE]).args(command).output();
        let output = output.expect("python3 measures the processes").stdout;
        let output = String::from_utf8(output).unwrap();
        let mut fields = output.split_whitespace();
        let mut next = || fields.next().expect("three numbers");
        Measured {
            code: next().parse().unwrap(),
            seconds: next().parse().unwrap(),
            megabytes: next().parse().unwrap(),
        }
    });
    runs.min_by(|one, other| one.seconds.total_cmp(&other.seconds)).unwrap()
}
