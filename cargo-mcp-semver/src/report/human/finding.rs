//! One finding, in rustc's shape.

use std::path::Path;

use anstyle::Style;

use crate::finding::{Finding, Span};
use crate::report::difference::{self, Line, Part};
use crate::report::human::gutter::Gutter;
use crate::report::human::style::{ERROR, FRAME, HEADLINE, NEW, NOTE, OLD, WARNING, paint};
use crate::report::human::{Detail, line, snippet};
use crate::report::level::{Level, Severity};
use crate::report::sources::Sources;
use crate::report::visible::visible;
use crate::report::{needs, slashes, subject, witness_means};
use crate::verdict::ToolReport;

/// A finding and what is known around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) level: Level,
    pub(super) tool: &'a ToolReport,
    pub(super) finding: &'a Finding,
    /// What its span starts from.
    pub(super) directory: &'a Path,
    pub(super) sources: &'a Sources,
    pub(super) detail: Detail,
    /// Whether to say why it matters: once for each rule is enough.
    pub(super) explain: bool,
}

/// Headline, place and its source, old and new, why, witness.
pub(super) fn render(text: &mut String, view: View<'_>) {
    let View { finding, .. } = view;
    headline(text, view, "");
    let gutter = place(text, view);
    differences(text, view, gutter);
    gutter.empty(text);
    if view.explain {
        gutter.property(text, "why", finding.rule.why);
    }
    if let Some(witness) = &finding.witness {
        let witness = witness.to_string();
        let meaning = witness_means(finding);
        gutter.property(text, "witness", format_args!("{} ({meaning})", visible(&witness)));
    }
    gutter.property(text, "needs", needs(finding));
}

/// The headline alone, and where configuration made it what it is.
pub(super) fn render_line(text: &mut String, view: View<'_>) {
    match &view.finding.configured {
        Some((_, place)) => {
            headline(text, view, &format!(" (set in {})", visible(&place.to_string())))
        }
        None => headline(text, view, ""),
    }
}

fn headline(text: &mut String, View { level, finding, .. }: View<'_>, suffix: &str) {
    let word = format!("{}[{}]", level.word(), finding.rule.id);
    let message = format!(": {}{suffix}", visible(&finding.message));
    line(text, format_args!("{}{}", paint(style(level), word), paint(HEADLINE, message)));
}

/// Where it stands, with the source lines where there are any; what stands below goes beside the
/// same gutter.
fn place(
    text: &mut String,
    View { level, tool, finding, directory, sources, .. }: View<'_>,
) -> Gutter {
    let label = subject(tool, finding);
    let mut snippet = None;
    if let Some(span) = finding.span.as_ref().or(tool.span.as_ref()) {
        let path = directory.join(&span.file);
        snippet = snippet::of(sources, &path, span, &label, style(level));
        let gutter = snippet.as_ref().map_or(Gutter::NARROW, |snippet| snippet.gutter);
        let Span { line, column, .. } = span;
        gutter.arrow(text, format_args!("{}:{line}:{column}", visible(&slashes(&path))));
    }
    match snippet {
        Some(snippet) => {
            text.push_str(&snippet.text);
            snippet.gutter
        }
        None => {
            Gutter::NARROW.empty(text);
            Gutter::NARROW.bar(text, label);
            Gutter::NARROW
        }
    }
}

fn differences(text: &mut String, View { tool, finding, detail, .. }: View<'_>, gutter: Gutter) {
    let lines = difference::of(tool, finding, detail == Detail::Verbose);
    if !lines.is_empty() {
        gutter.empty(text);
    }
    for entry in lines {
        match entry {
            Line::Same(content) => gutter.bar(text, content),
            Line::Old(parts) => gutter.row(text, paint(OLD, "-"), painted(OLD, &parts)),
            Line::New(parts) => gutter.row(text, paint(NEW, "+"), painted(NEW, &parts)),
            Line::Skipped(count) => {
                let lines = if count == 1 { "line" } else { "lines" };
                gutter.row(text, paint(FRAME, ":"), format_args!("{count} more {lines}"));
            }
        }
    }
}

fn painted(style: Style, parts: &[Part]) -> String {
    let painted = parts.iter().map(|part| {
        let style = if part.emphasis { style.bold().underline() } else { style };
        paint(style, &part.text).to_string()
    });
    painted.collect()
}

pub(super) fn style(level: Level) -> Style {
    match level.severity() {
        Severity::Error => ERROR,
        Severity::Warning => WARNING,
        Severity::Note => NOTE,
    }
}
