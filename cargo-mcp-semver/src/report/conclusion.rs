//! What the gate says and how to go on, in the words that every report for people uses.
//!
//! The sentences quote names and commands in backticks, and are safe to print.

use semver::Version;

use crate::gate::SdkChange;
use crate::grade::Grade;
use crate::report::visible::visible;
use crate::report::{Remedy, Subject, counts, slashes};
use crate::verdict::{Outcome, PackageReport, ToolReport, Verdict};

/// So many tools are named for each kind of change that an upgrade made.
const NAMED: usize = 5;

/// One thing that follows from a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conclusion {
    /// Whether the check fails because of it.
    pub(super) fails: bool,
    /// Why it fails, or what covers the changes; empty where there is nothing to say.
    pub(super) sentence: String,
    /// What it speaks of in particular.
    pub(super) details: Vec<String>,
    /// What to do next, one sentence each, in order.
    pub(super) help: Vec<String>,
}

/// Puts what was decided into words: what the gate says, and besides it that the lockfile is not
/// what it must be.
pub(super) fn conclusions(subject: &Subject, outcome: &Outcome) -> Vec<Conclusion> {
    let mut gate = gate(subject, outcome);
    if gate.fails {
        gate.details = vec![counts(&outcome.tools)];
        gate.details.extend(outcome.tools.iter().filter_map(tool_versions));
    }
    let confirmation = confirmation(subject, outcome);
    if confirmation.is_some() && !gate.fails {
        // Nothing is recorded before that.
        gate.help.clear();
    }
    [Some(gate), confirmation, stale(subject, outcome)].into_iter().flatten().collect()
}

fn gate(subject: &Subject, outcome: &Outcome) -> Conclusion {
    let remedy = subject.remedy.as_ref();
    let fails = |sentence: &str| Conclusion::failure(sentence.into(), Vec::new());
    let version_of_its_own = |tool: &ToolReport| tool.versions.is_some();
    let violations = || outcome.tools.iter().filter(|tool| tool.verdict == Verdict::Violation);
    match &outcome.package {
        Some(package) if package.verdict == Verdict::Violation => violation(package, remedy),
        _ if violations().any(version_of_its_own) => {
            fails("the versions declared for tools do not cover what changed")
        }
        Some(package) => covered(package, outcome, remedy),
        None if subject.version.is_some() && violations().next().is_some() => Conclusion::failure(
            "the baseline names no package version, so no step covers a change".into(),
            remedy.map(lock_by_force).into_iter().collect(),
        ),
        None if remedy.is_some() && violations().next().is_some() => Conclusion::failure(
            "no version is declared for these tools, so nothing covers a change".into(),
            remedy.map_or_else(Vec::new, |remedy| {
                let command = remedy.force_command();
                vec![
                    "declare one for each tool that does: `--declared versions.yaml`".into(),
                    format!("or record the changes all the same: `{}`", visible(&command)),
                ]
            }),
        ),
        None => Conclusion::pass(String::new(), Vec::new()),
    }
}

/// What a person still has to confirm, whatever the version covers.
fn confirmation(subject: &Subject, outcome: &Outcome) -> Option<Conclusion> {
    let tools = outcome.tools.iter().filter(|tool| tool.needs_confirmation());
    let names: Vec<&str> = tools.map(|tool| tool.name.as_str()).collect();
    if names.is_empty() {
        return None;
    }
    let confirm = |remedy: &Remedy| {
        let command = remedy.confirm_command(names.iter().copied());
        format!("read them, and if they are meant: `{}`", visible(&command))
    };
    Some(Conclusion {
        details: vec![visible(&names.join(", ")).to_string()],
        ..Conclusion::failure(
            "a person has to confirm texts that tell a model what to do".into(),
            subject.remedy.as_ref().map(confirm).into_iter().collect(),
        )
    })
}

fn stale(subject: &Subject, outcome: &Outcome) -> Option<Conclusion> {
    let stale = outcome.stale.as_deref().filter(|stale| !stale.is_empty())?;
    let tools = match stale.len() {
        1 => "1 tool differs".into(),
        count => format!("{count} tools differ"),
    };
    let record = |remedy: &Remedy| format!("record them: `{}`", visible(&remedy.lock_command));
    Some(Conclusion {
        details: vec![visible(&stale.join(", ")).to_string()],
        ..Conclusion::failure(
            format!("the lockfile is out of date: {tools} from it"),
            subject.remedy.as_ref().map(record).into_iter().collect(),
        )
    })
}

impl Conclusion {
    fn pass(sentence: String, help: Vec<String>) -> Self {
        Self { fails: false, sentence, details: Vec::new(), help }
    }

    fn failure(sentence: String, help: Vec<String>) -> Self {
        Self { fails: true, ..Self::pass(sentence, help) }
    }
}

/// The versions of a tool whose own version does not cover what changed.
fn tool_versions(tool: &ToolReport) -> Option<String> {
    let versions = tool.versions.as_ref().filter(|_| tool.verdict == Verdict::Violation)?;
    let or_none = |version: &Option<Version>| {
        version.as_ref().map_or_else(|| "none".to_owned(), Version::to_string)
    };
    Some(format!(
        "tool `{}`: locked {}, declared {}, needs {}",
        visible(&tool.name),
        or_none(&versions.baseline),
        or_none(&versions.declared),
        versions.required
    ))
}

fn violation(package: &PackageReport, remedy: Option<&Remedy>) -> Conclusion {
    let PackageReport { baseline_version, version, required, required_version, .. } = package;
    let step = if version < baseline_version {
        format!("{version} is older than the locked {baseline_version}")
    } else if version == baseline_version {
        format!("the version is still {version}")
    } else if package.declared == Grade::None {
        format!("{baseline_version} -> {version} covers no change")
    } else {
        format!("{baseline_version} -> {version} is a {} step", package.declared)
    };
    let changed = *required != Grade::None;
    let needs = if changed { format!(", the changes are {required}") } else { String::new() };
    let mut help = Vec::new();
    if let Some(remedy) = remedy {
        help.extend(set_version(remedy, required_version));
        if changed {
            let command = visible(&remedy.lock_command);
            help.push(format!("then record the new contracts: `{command}`"));
            help.push("or, if a change was not meant, take it back: `-` is what is locked".into());
        }
    }
    Conclusion::failure(format!("{step}{needs}: {required_version} is needed"), help)
}

fn covered(package: &PackageReport, outcome: &Outcome, remedy: Option<&Remedy>) -> Conclusion {
    if outcome.grade == Grade::None {
        return Conclusion::pass(String::new(), Vec::new());
    }
    let sentence = if package.deferred {
        format!("the next release needs {}", package.required_version)
    } else if package.version == package.baseline_version {
        format!("covered by {}", package.version)
    } else {
        format!("covered by {} -> {}", package.baseline_version, package.version)
    };
    let record = |remedy: &Remedy| format!("record it: `{}`", visible(&remedy.lock_command));
    // Where the lockfile itself is not the baseline it is told of separately.
    let remedy = remedy.filter(|_| outcome.stale.is_none());
    Conclusion::pass(sentence, remedy.map(record).into_iter().collect())
}

fn set_version(remedy: &Remedy, version: &Version) -> Option<String> {
    let manifest = slashes(remedy.manifest.as_ref()?);
    let table = if remedy.shared_version { " under [workspace.package]" } else { "" };
    Some(format!("set `version = \"{version}\"`{table} in {}", visible(&manifest)))
}

fn lock_by_force(remedy: &Remedy) -> String {
    format!("record the tools with it: `{}`", visible(&remedy.force_command()))
}

/// `dialect_changed (major) in 9 tools: a, b, c, d, e and 4 more`
pub(super) fn upgraded(change: &SdkChange) -> String {
    let SdkChange { rule, grade, tools } = change;
    let named: Vec<&str> = tools.iter().take(NAMED).map(String::as_str).collect();
    let more = match tools.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let count = if tools.len() == 1 { "1 tool".into() } else { format!("{} tools", tools.len()) };
    format!("{} ({grade}) in {count}: {}{more}", rule.id, visible(&named.join(", ")))
}
