//! One finding, in rustc's shape.

use std::fmt::Write as _;
use std::path::Path;

use anstyle::Style;

use crate::finding::{Finding, Span};
use crate::grade::Grade;
use crate::report::human::difference::{self, Line, Part};
use crate::report::human::style::{ERROR, FRAME, HEADLINE, NEW, NOTE, OLD, WARNING, paint};
use crate::report::human::{Detail, bar, line, sides};
use crate::report::signature::signature;
use crate::report::slashes;
use crate::report::visible::visible;
use crate::verdict::{Outcome, Status, ToolReport, Verdict};

/// The word a finding starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// It makes the check fail.
    Error,
    /// It passes, but a person should look.
    Warning,
    /// It is covered.
    Note,
    /// Nothing is gated: the grade itself.
    Graded(Grade),
}

impl Level {
    /// How the gate's verdict on `tool` weighs on one of its findings; `gated` where versions
    /// were compared.
    pub(super) fn of(gated: bool, outcome: &Outcome, tool: &ToolReport, finding: &Finding) -> Self {
        if !gated {
            return Self::Graded(finding.grade);
        }
        // One finding of a tool may be covered by a step that does not cover the others.
        let step = outcome.package.as_ref().filter(|_| tool.versions.is_none());
        match tool.verdict {
            Verdict::NeedsConfirmation => Self::Error,
            Verdict::Violation if step.is_none_or(|step| finding.grade > step.declared) => {
                Self::Error
            }
            _ => Self::covered(finding),
        }
    }

    fn covered(finding: &Finding) -> Self {
        if finding.rule.security { Self::Warning } else { Self::Note }
    }

    /// Whether it is shown with everything known about it.
    pub(super) fn is_shown_whole(self) -> bool {
        matches!(self, Self::Error | Self::Graded(_))
    }

    fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
            Self::Graded(grade) => grade.as_str(),
        }
    }

    fn style(self) -> Style {
        match self {
            Self::Error | Self::Graded(Grade::Major) => ERROR,
            Self::Warning | Self::Graded(Grade::Minor) => WARNING,
            Self::Note | Self::Graded(_) => NOTE,
        }
    }
}

/// A finding and what is known around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) level: Level,
    pub(super) tool: &'a ToolReport,
    pub(super) finding: &'a Finding,
    /// What its span starts from.
    pub(super) directory: &'a Path,
    pub(super) detail: Detail,
    /// Whether to say why it matters: once for each rule is enough.
    pub(super) explain: bool,
}

/// Headline, place, old and new, why, witness.
pub(super) fn render(text: &mut String, view: View<'_>) {
    let View { tool, finding, .. } = view;
    render_short(text, view);
    if let Some(span) = finding.span.as_ref().or(tool.span.as_ref()) {
        line(text, format_args!(" {} {}", paint(FRAME, "-->"), place(view.directory, span)));
    }
    empty_bar(text);
    bar(text, subject(tool, finding));
    differences(text, view);
    empty_bar(text);
    if view.explain {
        property(text, "why", finding.rule.why);
    }
    if let Some(witness) = &finding.witness {
        let meaning = if finding.pointer.starts_with("/outputSchema") {
            "could not be returned before, can be now"
        } else if finding.rule.id == "input_property_removed" {
            // An open object still accepts the name, and pays it no heed.
            "invited by the schema before, not any more"
        } else {
            "accepted before, rejected now"
        };
        let witness = witness.to_string();
        property(text, "witness", &format!("{} ({meaning})", visible(&witness)));
    }
    property(text, "needs", &format!("a {} step", finding.grade));
}

/// The headline alone.
pub(super) fn render_short(text: &mut String, View { level, finding, .. }: View<'_>) {
    let word = format!("{}[{}]", level.word(), finding.rule.id);
    let message = format!(": {}", visible(&finding.message));
    line(text, format_args!("{}{}", paint(level.style(), word), paint(HEADLINE, message)));
}

fn place(directory: &Path, span: &Span) -> String {
    let file = slashes(&directory.join(&span.file));
    format!("{}:{}:{}", visible(&file), span.line, span.column)
}

/// Tool and argument.
fn subject(tool: &ToolReport, finding: &Finding) -> String {
    let mut text = format!("tool `{}`", visible(&tool.name));
    if !finding.path.is_empty() {
        let kind =
            if finding.pointer.starts_with("/outputSchema") { "result field" } else { "argument" };
        let _ = write!(text, ", {kind} `{}`", visible(&finding.path));
    }
    text
}

fn differences(text: &mut String, View { tool, finding, detail, .. }: View<'_>) {
    let lines = match (tool.status, &tool.old, &tool.new) {
        // A whole contract would bury the rest; how it is called says enough.
        (Status::Added, _, Some(new)) => vec![Line::New(Part::whole(signature(new)))],
        (Status::Removed, Some(old), _) => vec![Line::Old(Part::whole(signature(old)))],
        _ => {
            let (old, new) = sides::of(tool, finding);
            difference::lines(old.as_ref(), new.as_ref(), detail == Detail::Verbose)
        }
    };
    if !lines.is_empty() {
        empty_bar(text);
    }
    for entry in lines {
        match entry {
            Line::Same(content) => bar(text, content),
            Line::Old(parts) => changed_line(text, OLD, "-", &parts),
            Line::New(parts) => changed_line(text, NEW, "+", &parts),
            Line::Skipped(count) => {
                let lines = if count == 1 { "line" } else { "lines" };
                line(text, format_args!("  {} {count} more {lines}", paint(FRAME, ":")));
            }
        }
    }
}

fn changed_line(text: &mut String, style: Style, sign: &str, parts: &[Part]) {
    let painted: String = parts
        .iter()
        .map(|part| {
            let style = if part.emphasis { style.bold().underline() } else { style };
            paint(style, &part.text).to_string()
        })
        .collect();
    line(text, format_args!("  {} {painted}", paint(style, sign)));
}

fn empty_bar(text: &mut String) {
    line(text, format_args!("  {}", paint(FRAME, "|")));
}

fn property(text: &mut String, name: &str, content: &str) {
    line(text, format_args!("  {} {}: {content}", paint(FRAME, "="), paint(HEADLINE, name)));
}
