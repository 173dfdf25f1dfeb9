//! Reports: one file a format. A report renders what was decided and decides nothing.
//!
//! A [`Run`] holds one [`Subject`] for each package that was checked, or the one pair of files
//! that was compared. [`human`] writes it for a person, [`json`] for a program.

use std::fmt::Write as _;
use std::path::PathBuf;

use semver::Version;

use crate::finding::Finding;
use crate::gate::Place;
use crate::grade::Grade;
use crate::verdict::{Outcome, Status, ToolReport};
use visible::visible;

pub use remedy::Remedy;
pub(crate) use remedy::quoted;

mod conclusion;
mod difference;
pub mod github;
pub mod human;
pub mod json;
mod level;
pub mod markdown;
pub mod place;
mod remedy;
pub mod sarif;
mod sides;
pub mod signature;
pub mod sources;
pub mod visible;

#[cfg(test)]
mod configured;
#[cfg(test)]
mod realistic;
#[cfg(test)]
mod tests;

/// One run of a command that compares.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What was compared, in the order it is reported; never empty.
    pub subjects: Vec<Subject>,
}

/// One package of a run, or the pair of files that `diff` compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// The package's name, or what `diff` compared.
    pub name: String,
    /// The package's version in Cargo.toml; absent where there is no package.
    pub version: Option<Version>,
    /// Where its package lies, as a person at the command line would write it: spans start there.
    /// Empty for the current directory and where there is no package.
    pub directory: PathBuf,
    /// What came of it.
    pub result: Result<Outcome, Failure>,
    /// How its author goes on; absent where there is nothing to edit.
    pub remedy: Option<Remedy>,
}

/// Why something could not be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What could not be done, one sentence each; never empty.
    pub messages: Vec<String>,
    /// What led to it, outermost first.
    pub causes: Vec<String>,
    /// What to do next, one sentence each.
    pub help: Vec<String>,
}

/// The exit code of whatever could not be checked.
pub const NOT_CHECKED: u8 = 101;

impl Subject {
    /// The exit code it asks for: 0, 1, 2 or [`NOT_CHECKED`].
    pub fn exit_code(&self) -> u8 {
        self.result.as_ref().map_or(NOT_CHECKED, |outcome| outcome.exit_code)
    }

    /// `my-server v1.4.0`, safe to print.
    fn title(&self) -> String {
        let name = visible(&self.name);
        match &self.version {
            Some(version) => format!("{name} v{version}"),
            None => name.to_string(),
        }
    }
}

impl Run {
    /// The worst exit code of its subjects.
    pub fn exit_code(&self) -> u8 {
        self.subjects.iter().map(Subject::exit_code).max().unwrap_or(NOT_CHECKED)
    }

    /// The highest grade over the subjects that could be checked; absent when none could.
    pub fn grade(&self) -> Option<Grade> {
        self.subjects.iter().filter_map(|subject| Some(subject.result.as_ref().ok()?.grade)).max()
    }
}

/// A path for a reader, with `/` between its parts on every platform.
fn slashes(path: &std::path::Path) -> String {
    let text = path.display().to_string();
    if cfg!(windows) { text.replace('\\', "/") } else { text }
}

/// Tool and argument of a finding, in backticks and safe to print.
fn subject(tool: &ToolReport, finding: &Finding) -> String {
    let mut text = format!("tool `{}`", visible(&tool.name));
    if !finding.path.is_empty() {
        let kind = if finding.is_output() { "result field" } else { "argument" };
        let _ = write!(text, ", {kind} `{}`", visible(&finding.path));
    }
    text
}

/// What a finding asks of the version, and where that is set.
fn needs(finding: &Finding) -> String {
    let place = |place: &Place| visible(&place.to_string()).to_string();
    match &finding.configured {
        Some((grade, at)) if finding.grade == Grade::None => {
            format!("nothing, it is allowed in {} ({grade} without)", place(at))
        }
        Some((grade, at)) => {
            format!("a {} step, as set in {} ({grade} without)", finding.grade, place(at))
        }
        None if finding.unconfirmed => {
            format!("a {} step, and a person who confirms it", finding.grade)
        }
        None => format!("a {} step", finding.grade),
    }
}

/// What the witness of a finding shows.
fn witness_means(finding: &Finding) -> &'static str {
    if finding.is_output() {
        "could not be returned before, can be now"
    } else if finding.rule.id == "input_property_removed" {
        // An open object still accepts the name, and pays it no heed.
        "invited by the schema before, not any more"
    } else {
        "accepted before, rejected now"
    }
}

/// `3 tools changed, 1 added, 12 unchanged, 2 findings allowed`.
fn counts(tools: &[ToolReport]) -> String {
    let of = |status: Status| tools.iter().filter(|tool| tool.status == status).count();
    let parts: Vec<(usize, &str)> = [
        (of(Status::Changed), "changed"),
        (of(Status::Added), "added"),
        (of(Status::Removed), "removed"),
        (of(Status::Unchanged), "unchanged"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .collect();
    let mut text = String::new();
    for (index, (count, what)) in parts.iter().enumerate() {
        let _ = match index {
            0 => write!(text, "{count} {} {what}", if *count == 1 { "tool" } else { "tools" }),
            _ => write!(text, ", {count} {what}"),
        };
    }
    if text.is_empty() {
        text.push_str("no tools");
    }
    match tools.iter().flat_map(|tool| &tool.findings).filter(|it| it.is_allowed()).count() {
        0 => {}
        1 => text.push_str(", 1 finding allowed"),
        count => {
            let _ = write!(text, ", {count} findings allowed");
        }
    }
    text
}

/// At most `max` characters of a text, and a sign where there were more.
fn clipped(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
