//! Where the source and the lockfile part.

use std::collections::BTreeSet;
use std::path::Path;

use super::snapshot::Snapshot;
use super::versions::contracts;
use crate::evaluate::{Evaluation, UnresolvedTool};
use crate::lockfile::{FILE_NAME, Lockfile};
use crate::probe::Remark;

/// What has moved away from the lockfile, one sentence each.
pub(super) fn drift(snapshot: &Snapshot, lockfile: &Lockfile) -> Vec<String> {
    let told = moved(snapshot, lockfile).into_iter();
    told.map(|what| format!("{what}; see `cargo mcp-semver check`")).collect()
}

/// Why the package must not be published, one sentence each.
pub(super) fn faults(snapshot: &Snapshot, lockfile: Option<&Lockfile>) -> Vec<String> {
    let Some(lockfile) = lockfile else {
        return vec![format!(
            "{FILE_NAME} is not in the package: write it with `cargo mcp-semver lock`, and let \
             `include`, `exclude` and .gitignore keep it"
        )];
    };
    let mut faults = moved(snapshot, lockfile);
    let locked = lockfile.package.as_ref().map(|it| format!("{} {}", it.name, it.version));
    let published = format!("{} {}", snapshot.package, snapshot.version);
    if locked.as_ref() != Some(&published) {
        faults.push(format!(
            "{FILE_NAME} was written for {}, and {published} is to be published",
            locked.as_deref().unwrap_or("no package")
        ));
    }
    faults.iter_mut().for_each(|fault| fault.push_str("; run `cargo mcp-semver lock` first"));
    faults
}

/// Why no contract at all is known, one sentence; `None` where one is, or where there are no tools.
pub(super) fn nothing_known(snapshot: &Snapshot, directory: &Path) -> Option<String> {
    let Evaluation { tools, unresolved, unread, run_time, .. } = &snapshot.evaluation;
    let others = unread.iter().chain(run_time).cloned();
    let why = others.chain(unresolved.iter().map(remark)).next();
    let why = why.filter(|_| tools.is_empty())?.within(directory);
    Some(format!("the contract of no tool is known to this build: {why}"))
}

/// What the source alone does not tell, and the guard therefore cannot, one sentence each; files
/// are named as in `directory`.
pub(super) fn unchecked(snapshot: &Snapshot, directory: &Path) -> Vec<String> {
    let Evaluation { unresolved, unread, run_time, .. } = &snapshot.evaluation;
    let told = unresolved.iter().map(remark).chain(unread.iter().chain(run_time).cloned());
    told.map(|what| {
        let what = what.within(directory);
        format!("not checked: {what}; `cargo mcp-semver publish` builds to know it")
    })
    .collect()
}

fn remark(tool: &UnresolvedTool) -> Remark {
    let span = tool.why.span.as_ref().unwrap_or(&tool.span);
    Remark { span: Some(span.clone()), text: format!("tool `{}`: {}", tool.name, tool.why) }
}

/// The tools that are not what is locked. What the source does not tell is not among them: `check`
/// builds the package to know it.
fn moved(snapshot: &Snapshot, lockfile: &Lockfile) -> Vec<String> {
    let mut moved = Vec::new();
    let mut known = BTreeSet::new();
    for contract in contracts(snapshot) {
        match lockfile.tools.get(&contract.name) {
            None => moved.push(format!("tool `{}` is not in {FILE_NAME}", contract.name)),
            Some(locked) if !locked.pins(&contract) => {
                moved.push(format!("tool `{}` is not what {FILE_NAME} says", contract.name));
            }
            Some(_) => {}
        }
        known.insert(contract.name);
    }
    let evaluation = &snapshot.evaluation;
    let (named, nameless): (Vec<_>, Vec<_>) =
        evaluation.unresolved.iter().partition(|tool| tool.is_named);
    known.extend(named.iter().map(|tool| tool.name.clone()));
    if !evaluation.unread.is_empty() || !evaluation.run_time.is_empty() {
        return moved;
    }
    let gone = lockfile.tools.keys().filter(|name| !known.contains(*name));
    let gone: Vec<String> = gone.map(|name| format!("`{name}`")).collect();
    match nameless.len() {
        0 => moved.extend(gone.iter().map(|it| format!("tool {it} of {FILE_NAME} is gone"))),
        // Each of those may be one of these.
        count if gone.len() > count => {
            moved.push(format!("some of the tools {} of {FILE_NAME} are gone", gone.join(", ")));
        }
        _ => {}
    }
    moved
}
