//! Writing the collectors into a copy of the source.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use proc_macro2::Literal;
use sha2::{Digest as _, Sha256};

use super::subject::{Subject, subjects};
use super::{Instrumented, OUTPUT_VAR, ProbeTarget, Role};
use crate::framework::rmcp::RMCP;
use crate::scan::{shebang, source_text};

/// The name of every collector.
const COLLECT: &str = "__mcp_semver_collect";
/// Takes a record's key and what makes its JSON.
const SINK: &str =
    "&mut dyn ::std::ops::FnMut(&str, &dyn ::std::ops::Fn() -> ::std::string::String)";

/// Text to insert into one file, by byte offset.
type Insertions = BTreeMap<usize, String>;

/// Writes the collectors into a copy of the target's files. Line numbers hold.
///
/// # Errors
/// When a file that was scanned can no longer be read.
pub fn instrument(target: &ProbeTarget<'_>) -> std::io::Result<Instrumented> {
    let mut insertions: BTreeMap<PathBuf, Insertions> = BTreeMap::new();
    let scan = target.scan;
    let all = subjects(target);
    let leads = leading_modules(target, &all);
    for (index, module) in scan.modules.iter().enumerate() {
        if leads[index] {
            let text = collector(target, &all, &leads, index);
            // A file that is mounted twice gets one collector, which serves both.
            insertions.entry(module.file.clone()).or_default().entry(module.end).or_insert(text);
        }
    }
    let mut files = BTreeMap::new();
    let mut hasher = Sha256::new();
    for (path, insertions) in insertions {
        let original = source_text(&path)?;
        let text = insert(&original, insertions, (path == scan.root).then_some(target.role));
        hasher.update(path.to_string_lossy().as_bytes());
        hasher.update([0]);
        hasher.update(&text);
        hasher.update([0]);
        files.insert(path, text);
    }
    let hash = hasher.finalize().iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    Ok(Instrumented { files, hash })
}

/// Which modules hold a subject or lead to one; the root always does.
fn leading_modules(target: &ProbeTarget<'_>, all: &[Subject<'_>]) -> Vec<bool> {
    let modules = &target.scan.modules;
    let mut leads = vec![false; modules.len()];
    if let Some(root) = leads.first_mut() {
        *root = true;
    }
    for subject in all {
        let path: Vec<usize> = std::iter::successors(Some(subject.module()), |&index| {
            modules.get(index).and_then(|module| module.parent)
        })
        .collect();
        // Without expansion nobody knows whether a module that a macro declares exists.
        if path.iter().all(|&index| modules.get(index).is_some_and(|module| !module.from_macro)) {
            path.iter().for_each(|&index| leads[index] = true);
        }
    }
    leads
}

fn collector(
    target: &ProbeTarget<'_>,
    all: &[Subject<'_>],
    leads: &[bool],
    module: usize,
) -> String {
    let is_root = module == 0;
    let visibility = if is_root && target.role == Role::Library { "pub" } else { "pub(crate)" };
    let mut code = format!(
        "#[doc(hidden)] #[allow(warnings, clippy::all)] {visibility} fn {COLLECT}(__sink: {SINK}) {{ "
    );
    if is_root {
        code += &format!(
            "__sink({}, &|| ::std::string::String::from(::std::option_env!({}).unwrap_or(\"\"))); ",
            Literal::string(&probe_key(&target.scan.root)),
            Literal::string(&target.hash_var),
        );
        for library in &target.libraries {
            code += &format!("::{library}::{COLLECT}(&mut *__sink); ");
        }
    }
    for subject in all.iter().filter(|subject| subject.module() == module) {
        code += &evaluation(target, *subject);
    }
    for (index, child) in target.scan.modules.iter().enumerate() {
        if child.parent == Some(module) && leads[index] {
            code +=
                &format!("{} {{ {}::{COLLECT}(&mut *__sink); }} ", cfgs(&child.cfgs), child.name);
        }
    }
    code += "}";
    if is_root && target.role == Role::Entry {
        code += &entry(target.edition);
    }
    if let (true, Some(alias), Some(framework)) =
        (is_root, target.scan.alias(), target.scan.framework)
    {
        // The collectors call the framework by its own name.
        code += &format!(
            " #[doc(hidden)] #[allow(warnings, clippy::all)] extern crate {alias} as {};",
            framework.ident
        );
    }
    code
}

fn evaluation(target: &ProbeTarget<'_>, subject: Subject<'_>) -> String {
    let framework = target.scan.framework.unwrap_or(&RMCP);
    let (items, value) = match subject.value(target) {
        Some((items, value)) => (items, (framework.json)(&value)),
        None => (String::new(), "::std::string::String::from(\"null\")".into()),
    };
    let key = Literal::string(&subject.key());
    format!("{} {{ {items} __sink({key}, &|| {value}); }} ", cfgs(subject.cfgs()))
}

fn cfgs(conditions: &[String]) -> String {
    conditions.iter().map(|condition| format!("#[cfg({condition})] ")).collect()
}

/// The key of the record by which a target says which probe it was compiled from.
pub(super) fn probe_key(root: &Path) -> String {
    format!("probe|{}", root.display()).escape_debug().to_string()
}

/// The probe's `main`: it writes one line a record, the key before it evaluates anything, so that
/// a crash names what was being read.
fn entry(edition: u16) -> String {
    // The user's own `main` keeps its Rust name.
    let export = if edition >= 2024 {
        "#[unsafe(export_name = \"main\")]"
    } else {
        "#[export_name = \"main\"]"
    };
    format!(
        r#" #[doc(hidden)] #[allow(warnings, clippy::all)] {export} pub extern "C" fn __mcp_semver_main() -> ::std::os::raw::c_int {{
    let path = match ::std::env::var_os("{OUTPUT_VAR}") {{ ::std::option::Option::Some(path) => path, ::std::option::Option::None => return 3 }};
    let mut out = match ::std::fs::File::create(path) {{ ::std::result::Result::Ok(file) => file, ::std::result::Result::Err(_) => return 4 }};
    let mut failed = false;
    let mut line = |text: ::std::string::String| {{ if ::std::io::Write::write_all(&mut out, text.as_bytes()).is_err() {{ failed = true; }} }};
    {COLLECT}(&mut |key: &str, read: &dyn ::std::ops::Fn() -> ::std::string::String| {{
        line(::std::format!("begin\t{{}}\n", key));
        match ::std::panic::catch_unwind(::std::panic::AssertUnwindSafe(|| read())) {{
            ::std::result::Result::Ok(json) => line(::std::format!("ok\t{{}}\t{{}}\n", key, json)),
            ::std::result::Result::Err(panic) => {{
                let text = panic.downcast_ref::<&str>().map(|text| ::std::string::String::from(*text))
                    .or_else(|| panic.downcast_ref::<::std::string::String>().cloned())
                    .unwrap_or_default();
                line(::std::format!("panic\t{{}}\t{{}}\n", key, text.escape_debug()));
            }}
        }}
    }});
    line(::std::string::String::from("end\n"));
    if failed {{ 5 }} else {{ 0 }}
}}"#
    )
}

/// Applies the insertions; the entry's root also gets `#![no_main]`, on its first line.
fn insert(original: &str, mut insertions: Insertions, root: Option<Role>) -> String {
    if root == Some(Role::Entry) {
        let bom = if original.starts_with('\u{feff}') { 3 } else { 0 };
        let start = match shebang(&original[bom..]) {
            // Behind the shebang's newline; a file that is nothing but a shebang has none.
            Some(length) => (bom + length + 1).min(original.len()),
            None => bom,
        };
        insertions.entry(start).or_default().insert_str(0, "#![no_main] ");
    }
    let mut text = String::with_capacity(original.len() + 4096);
    let mut done = 0;
    for (offset, insertion) in insertions {
        text += &original[done..offset];
        // The file may end in a line comment.
        if offset == original.len() && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text += &insertion;
        done = offset;
    }
    text += &original[done..];
    text
}
