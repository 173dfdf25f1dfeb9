//! The human report: findings that read like rustc's errors, and what to do at the end.
//!
//! The text carries ANSI styles; the stream it is written to strips them where they are not
//! wanted.

use std::collections::HashSet;
use std::fmt::Write as _;

use semver::Version;

use crate::grade::Grade;
use crate::report::visible::visible;
use crate::report::{Failure, Remedy, Run, Subject, slashes};
use crate::verdict::{Outcome, PackageReport, Status, ToolReport, Verdict};
use style::{ERROR, FRAME, HEADLINE, HELP, NOTE, paint};

mod difference;
mod finding;
mod sides;
pub mod style;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// What fails, and the result.
    Quiet,
    /// That, and a line for each change that is covered.
    #[default]
    Normal,
    /// Every change in full.
    Verbose,
}

/// Renders the findings and results of a run. What could not be checked is not part of it: that is
/// an error and goes where errors go, see [`failure`].
pub fn render(run: &Run, detail: Detail) -> String {
    let mut text = String::new();
    for subject in &run.subjects {
        if let Ok(outcome) = &subject.result {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&Comparison { subject, outcome, detail }.render());
        }
    }
    text
}

/// Renders why something could not be checked, for standard error.
pub fn failure(failure: &Failure) -> String {
    let mut text = String::new();
    for message in &failure.messages {
        line(&mut text, format_args!("{} {}", paint(ERROR, "error:"), visible_lines(message)));
    }
    if !failure.causes.is_empty() {
        line(&mut text, "\nCaused by:");
        for cause in &failure.causes {
            line(&mut text, format_args!("  {}", visible_lines(cause).replace('\n', "\n  ")));
        }
    }
    for help in &failure.help {
        line(&mut text, format_args!("{} {}", paint(HELP, "help:"), visible_lines(help)));
    }
    text
}

/// Writes one line. Writing to a string cannot fail.
fn line(text: &mut String, content: impl std::fmt::Display) {
    let _ = writeln!(text, "{content}");
}

/// Text of our own that may hold line ends on purpose around text of others.
fn visible_lines(text: &str) -> String {
    text.lines().map(|line| visible(line).to_string()).collect::<Vec<_>>().join("\n")
}

struct Comparison<'a> {
    subject: &'a Subject,
    outcome: &'a Outcome,
    detail: Detail,
}

impl Comparison<'_> {
    fn render(&self) -> String {
        let gated = self.subject.version.is_some();
        let mut explained = HashSet::new();
        let mut errors = String::new();
        let mut notes = String::new();
        for tool in &self.outcome.tools {
            for finding in &tool.findings {
                let mut view = finding::View {
                    level: finding::Level::of(gated, self.outcome, tool, finding),
                    tool,
                    finding,
                    directory: &self.subject.directory,
                    detail: self.detail,
                    explain: false,
                };
                if view.level.is_shown_whole() || self.detail == Detail::Verbose {
                    view.explain = explained.insert(finding.rule.id);
                    finding::render(&mut errors, view);
                    errors.push('\n');
                } else if self.detail != Detail::Quiet {
                    finding::render_short(&mut notes, view);
                }
            }
        }
        if self.detail != Detail::Quiet {
            for note in &self.outcome.notes {
                line(&mut notes, format_args!("{} {}", paint(NOTE, "note:"), visible_lines(note)));
            }
        }
        let mut text = errors + &notes;
        if self.outcome.exit_code == 2 && !notes.is_empty() {
            text.push('\n');
        }
        self.result(&mut text);
        text
    }

    /// The closing lines: what the gate says and how to go on.
    fn result(&self, text: &mut String) {
        let counts = counts(&self.outcome.tools);
        match &self.outcome.package {
            Some(package) if package.verdict == Verdict::Violation => {
                self.violation(text, package, &counts);
            }
            _ if self.tool_violations().next().is_some() => {
                self.headline(text, "the versions declared for tools do not cover what changed");
                self.tools(text, &counts);
            }
            _ if self.needs_confirmation() => {
                self.headline(text, "a person has to read what changed before this passes");
                self.tools(text, &counts);
            }
            Some(package) => self.covered(text, package, &counts),
            None if self.outcome.exit_code == 2 && self.subject.version.is_some() => {
                self.headline(
                    text,
                    "the baseline names no package version, so no step covers a change",
                );
                self.tools(text, &counts);
                if let Some(remedy) = &self.subject.remedy {
                    let command = visible(&remedy.lock_command);
                    help(text, format_args!("record the tools with it: `{command} --force`"));
                }
            }
            None => {
                line(text, format_args!("{}: {counts}{}", self.title(), grade(self.outcome.grade)));
            }
        }
        self.stale(text);
    }

    /// That the lockfile is not what it must be, besides what the versions must be.
    fn stale(&self, text: &mut String) {
        let Some(stale) = self.outcome.stale.as_deref().filter(|stale| !stale.is_empty()) else {
            return;
        };
        let tools =
            if stale.len() == 1 { "1 tool".into() } else { format!("{} tools", stale.len()) };
        self.headline(text, format_args!("the lockfile is out of date: {tools} differ from it"));
        bar(text, visible(&stale.join(", ")));
        if let Some(remedy) = &self.subject.remedy {
            help(text, format_args!("record them: `{}`", visible(&remedy.lock_command)));
        }
    }

    fn violation(&self, text: &mut String, package: &PackageReport, counts: &str) {
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
        self.headline(text, format_args!("{step}{needs}: {required_version} is needed"));
        self.tools(text, counts);
        self.how_to_release(text, required_version, changed);
    }

    /// How many tools there are of each status, and those whose own version is too low.
    fn tools(&self, text: &mut String, counts: &str) {
        bar(text, counts);
        for tool in self.tool_violations() {
            self.tool_versions(text, tool);
        }
    }

    fn tool_versions(&self, text: &mut String, tool: &ToolReport) {
        let Some(versions) = &tool.versions else { return };
        let locked = versions.baseline.as_ref().map_or("none".into(), Version::to_string);
        let declared = versions.declared.as_ref().map_or("none".into(), Version::to_string);
        let name = visible(&tool.name);
        bar(
            text,
            format_args!(
                "tool `{name}`: locked {locked}, declared {declared}, needs {}",
                versions.required
            ),
        );
    }

    fn headline(&self, text: &mut String, message: impl std::fmt::Display) {
        let title = format!(": {}: {message}", self.title());
        line(text, format_args!("{}{}", paint(ERROR, "error"), paint(HEADLINE, title)));
    }

    fn how_to_release(&self, text: &mut String, version: &Version, changed: bool) {
        let Some(remedy) = &self.subject.remedy else { return };
        help(text, set_version(remedy, version));
        if changed {
            let command = visible(&remedy.lock_command);
            help(text, format_args!("then record the new contracts: `{command}`"));
            help(text, "or, if a change was not meant, take it back: `-` is what is locked");
        }
    }

    fn covered(&self, text: &mut String, package: &PackageReport, counts: &str) {
        if self.outcome.grade == Grade::None {
            return line(text, format_args!("{}: {counts}", self.title()));
        }
        let step = if package.deferred {
            format!("the next release needs {}", package.required_version)
        } else if package.version == package.baseline_version {
            format!("covered by {}", package.version)
        } else {
            format!("covered by {} -> {}", package.baseline_version, package.version)
        };
        line(text, format_args!("{}: {counts}{}, {step}", self.title(), grade(package.required)));
        // Where the lockfile itself is not the baseline it is told of separately.
        if let Some(remedy) = self.subject.remedy.as_ref().filter(|_| self.outcome.stale.is_none())
        {
            let command = visible(&remedy.lock_command);
            line(text, format_args!("{} record it: `{command}`", paint(HELP, "help:")));
        }
    }

    fn title(&self) -> String {
        let name = visible(&self.subject.name);
        match &self.subject.version {
            Some(version) => format!("{name} v{version}"),
            None => name.to_string(),
        }
    }

    fn tool_violations(&self) -> impl Iterator<Item = &ToolReport> {
        self.outcome
            .tools
            .iter()
            .filter(|tool| tool.versions.is_some() && tool.verdict == Verdict::Violation)
    }

    fn needs_confirmation(&self) -> bool {
        self.outcome.tools.iter().any(|tool| tool.verdict == Verdict::NeedsConfirmation)
    }
}

fn set_version(remedy: &Remedy, version: &Version) -> String {
    let manifest = slashes(&remedy.manifest);
    let table = if remedy.shared_version { " under [workspace.package]" } else { "" };
    format!("set `version = \"{version}\"`{table} in {}", visible(&manifest))
}

fn bar(text: &mut String, content: impl std::fmt::Display) {
    line(text, format_args!("  {} {content}", paint(FRAME, "|")));
}

fn help(text: &mut String, content: impl std::fmt::Display) {
    line(text, format_args!("  {} {}: {content}", paint(FRAME, "="), paint(HEADLINE, "help")));
}

fn grade(grade: Grade) -> String {
    if grade == Grade::None { String::new() } else { format!(" ({grade})") }
}

/// `3 tools changed, 1 added, 12 unchanged`.
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
    if text.is_empty() { "no tools".into() } else { text }
}
