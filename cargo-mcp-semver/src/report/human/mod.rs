//! The human report: findings that read like rustc's errors, and what to do at the end.
//!
//! The text carries ANSI styles; the stream it is written to strips them where they are not
//! wanted.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::finding::Finding;
use crate::grade::Grade;
use crate::report::conclusion::{Conclusion, conclusions};
use crate::report::level::Level;
use crate::report::sources::Sources;
use crate::report::visible::visible;
use crate::report::{Failure, Run, Subject, counts};
use crate::verdict::{Outcome, ToolReport};
use gutter::Gutter;
use style::{ERROR, HEADLINE, HELP, NOTE, WARNING, paint};

mod finding;
mod gutter;
mod sdk;
mod snippet;
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
pub fn render(run: &Run, detail: Detail, sources: &Sources) -> String {
    let mut text = String::new();
    for subject in &run.subjects {
        if let Ok(outcome) = &subject.result {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&Comparison { subject, outcome, detail, sources }.render());
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

/// One finding about a tool in full, where nothing is gated.
pub(crate) fn graded(tool: &ToolReport, finding: &Finding) -> String {
    let view = finding::View {
        level: Level::Graded(finding.grade),
        tool,
        finding,
        directory: Path::new(""),
        sources: &Sources::none(),
        detail: Detail::Normal,
        explain: false,
    };
    let mut text = String::new();
    finding::render(&mut text, view);
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
    sources: &'a Sources,
}

impl Comparison<'_> {
    fn render(&self) -> String {
        let gated = self.subject.version.is_some();
        let mut explained = HashSet::new();
        let mut errors = String::new();
        let mut notes = String::new();
        sdk::render(self, gated, &mut errors, &mut notes);
        for tool in &self.outcome.tools {
            let grouped = |finding: &&Finding| {
                self.detail != Detail::Verbose && self.outcome.is_by_sdk(&tool.name, finding)
            };
            for finding in tool.findings.iter().filter(|finding| !grouped(finding)) {
                let mut view = finding::View {
                    level: Level::of(gated, self.outcome, tool, finding),
                    tool,
                    finding,
                    directory: &self.subject.directory,
                    sources: self.sources,
                    detail: self.detail,
                    explain: false,
                };
                if view.level.is_shown_whole() || self.detail == Detail::Verbose {
                    view.explain = explained.insert(finding.rule.id);
                    finding::render(&mut errors, view);
                    errors.push('\n');
                } else if self.detail != Detail::Quiet && is_told(view) {
                    finding::render_line(&mut notes, view);
                }
            }
        }
        for warning in &self.outcome.warnings {
            let word = paint(WARNING, "warning:");
            line(&mut notes, format_args!("{word} {}", visible_lines(warning)));
        }
        if self.detail != Detail::Quiet {
            // The first of the notes leads the report already where an upgrade is the cause.
            for note in self.outcome.notes.iter().skip(usize::from(self.outcome.sdk.is_some())) {
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
        for conclusion in conclusions(self.subject, self.outcome) {
            let Conclusion { fails, sentence, details, help } = conclusion;
            let title = self.subject.title();
            if fails {
                let message = format!(": {title}: {sentence}");
                line(text, format_args!("{}{}", paint(ERROR, "error"), paint(HEADLINE, message)));
                details.iter().for_each(|detail| Gutter::NARROW.bar(text, detail));
            } else {
                let counts = counts(&self.outcome.tools);
                let covered = if sentence.is_empty() { "" } else { ", " };
                let grade = grade(self.outcome.grade);
                line(text, format_args!("{title}: {counts}{grade}{covered}{sentence}"));
            }
            for sentence in help {
                if fails {
                    Gutter::NARROW.property(text, "help", sentence);
                } else {
                    line(text, format_args!("{} {sentence}", paint(HELP, "help:")));
                }
            }
        }
    }
}

/// What is allowed is counted; only what may mislead an agent is named all the same.
fn is_told(view: finding::View<'_>) -> bool {
    view.level != Level::Allowed || view.finding.rule.security
}

fn grade(grade: Grade) -> String {
    if grade == Grade::None { String::new() } else { format!(" ({grade})") }
}
