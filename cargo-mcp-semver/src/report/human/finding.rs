//! One finding, in rustc's shape.

use std::path::Path;

use anstyle::Style;

use crate::finding::{Finding, Span};
use crate::report::difference::{self, Line, Part};
use crate::report::human::style::{ERROR, FRAME, HEADLINE, NEW, NOTE, OLD, WARNING, paint};
use crate::report::human::{Detail, bar, line};
use crate::report::level::{Level, Severity};
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
    pub(super) detail: Detail,
    /// Whether to say why it matters: once for each rule is enough.
    pub(super) explain: bool,
}

/// Headline, place, old and new, why, witness.
pub(super) fn render(text: &mut String, view: View<'_>) {
    let View { tool, finding, .. } = view;
    headline(text, view, "");
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
        let witness = witness.to_string();
        let meaning = witness_means(finding);
        property(text, "witness", &format!("{} ({meaning})", visible(&witness)));
    }
    property(text, "needs", &needs(finding));
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

fn place(directory: &Path, span: &Span) -> String {
    let file = slashes(&directory.join(&span.file));
    format!("{}:{}:{}", visible(&file), span.line, span.column)
}

fn differences(text: &mut String, View { tool, finding, detail, .. }: View<'_>) {
    let lines = difference::of(tool, finding, detail == Detail::Verbose);
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

pub(super) fn style(level: Level) -> Style {
    match level.severity() {
        Severity::Error => ERROR,
        Severity::Warning => WARNING,
        Severity::Note => NOTE,
    }
}

pub(super) fn empty_bar(text: &mut String) {
    line(text, format_args!("  {}", paint(FRAME, "|")));
}

pub(super) fn property(text: &mut String, name: &str, content: &str) {
    line(text, format_args!("  {} {}: {content}", paint(FRAME, "="), paint(HEADLINE, name)));
}
