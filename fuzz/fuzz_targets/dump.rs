#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../subject.rs"]
#[allow(dead_code, reason = "each target has one of them")]
mod subject;

fuzz_target!(|bytes: &[u8]| subject::dump(bytes));
