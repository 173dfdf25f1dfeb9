//! Markdown for a pull request comment or a job summary: the verdict, a table of the tools that
//! moved, and each tool's findings folded.
//!
//! Starts with a comment that nobody sees, so that a bot finds its own comment again and edits it.

mod escape;

use std::cmp::Reverse;
use std::fmt::Write as _;

use crate::finding::Finding;
use crate::grade::Grade;
use crate::report::conclusion::{Conclusion, conclusions};
use crate::report::difference::{self, Line};
use crate::report::level::Level;
use crate::report::place::Repository;
use crate::report::{Failure, Run, Subject, clipped, counts, needs, subject, witness_means};
use crate::verdict::{Outcome, Status, ToolReport};
use escape::{code, fence, html_code, sentence};

/// What a bot looks for.
const MARK: &str = "<!-- cargo-mcp-semver -->\n";

/// How many bytes a report may have: GitHub takes comments of 65,536 characters.
const MAX_REPORT: usize = 60_000;

/// How many of them the tables may take from the details.
const MAX_TABLES: usize = 30_000;

/// How many characters of one sentence, value or line are shown.
const MAX_TEXT: usize = 400;

/// Renders a run.
pub fn render(run: &Run, repository: &Repository) -> String {
    let mut text = String::from(MARK);
    let mut left_out = 0;
    for subject in &run.subjects {
        match &subject.result {
            Ok(outcome) => {
                let view = View { subject, outcome, repository };
                view.render(&mut text, &mut left_out);
            }
            Err(failure) => not_checked(&mut text, subject, failure),
        }
    }
    if left_out > 0 {
        let what = if left_out == 1 { "tool is" } else { "tools are" };
        line(&mut text, format_args!("\n{left_out} more {what} left out: there is no room here."));
    }
    text
}

struct View<'a> {
    subject: &'a Subject,
    outcome: &'a Outcome,
    repository: &'a Repository,
}

impl View<'_> {
    fn render(&self, text: &mut String, left_out: &mut usize) {
        heading(text, self.outcome.exit_code == 2, self.subject);
        let conclusions = conclusions(self.subject, self.outcome);
        if !conclusions.iter().any(|conclusion| conclusion.fails) {
            let (counts, grade) = (counts(&self.outcome.tools), self.outcome.grade);
            let grade = if grade == Grade::None { String::new() } else { format!(" ({grade})") };
            line(text, format_args!("\n{counts}{grade}"));
        }
        for Conclusion { sentence: why, details, help, .. } in conclusions {
            if !why.is_empty() {
                line(text, format_args!("\n**{}**", sentence(&why)));
            }
            list(text, "- ", details);
            list(text, "1. ", help);
        }
        list(text, "- **Warning**: ", self.outcome.warnings.clone());
        list(text, "- Note: ", self.outcome.notes.clone());
        let mut moved: Vec<&ToolReport> =
            self.outcome.tools.iter().filter(|tool| tool.status != Status::Unchanged).collect();
        moved.sort_by_key(|tool| (Reverse(self.fails(tool)), Reverse(tool.grade)));
        let shown = self.table(text, &moved);
        *left_out += moved.len() - shown;
        for tool in &moved[..shown] {
            let details = self.details(tool);
            if text.len() + details.len() > MAX_REPORT {
                line(text, "\nThe details of further tools are left out: there is no room here.");
                break;
            }
            text.push_str(&details);
        }
    }

    /// Whether one of a tool's findings makes the check fail.
    fn fails(&self, tool: &ToolReport) -> bool {
        tool.findings.iter().any(|finding| self.level(tool, finding) == Level::Error)
    }

    fn level(&self, tool: &ToolReport, finding: &Finding) -> Level {
        Level::of(self.subject.version.is_some(), self.outcome, tool, finding)
    }

    /// One row a tool, as many as there is room for; returns how many.
    fn table(&self, text: &mut String, moved: &[&ToolReport]) -> usize {
        if moved.is_empty() {
            return 0;
        }
        line(text, "\n| Tool | Change | Grade | What happened |\n| --- | --- | --- | --- |");
        for (index, tool) in moved.iter().enumerate() {
            let row = self.row(tool);
            if text.len() + row.len() > MAX_TABLES {
                return index;
            }
            line(text, row);
        }
        moved.len()
    }

    fn row(&self, tool: &ToolReport) -> String {
        let change = match tool.status {
            Status::Unchanged => "unchanged",
            Status::Changed => "changed",
            Status::Added => "added",
            Status::Removed => "removed",
        };
        let mut grade = tool.grade.to_string();
        if self.fails(tool) {
            grade = format!("**{grade}**");
        }
        if tool.findings.iter().any(|finding| finding.rule.security) {
            grade.push_str(", security");
        }
        let mut what = tool.findings.first().map(|first| short(&first.message)).unwrap_or_default();
        match tool.findings.len() {
            0 | 1 => {}
            count => {
                let _ = write!(what, ", and {} more", count - 1);
            }
        }
        format!("| {} | {change} | {grade} | {what} |", code(&clipped(&tool.name, MAX_TEXT)))
    }

    /// The findings of one tool, folded; not those that the SDK's upgrade explains, which a note
    /// names for all tools at once.
    fn details(&self, tool: &ToolReport) -> String {
        let findings = tool.findings.iter();
        let own: Vec<&Finding> =
            findings.filter(|finding| !self.outcome.is_by_sdk(&tool.name, finding)).collect();
        if own.is_empty() {
            return String::new();
        }
        let count = match own.len() {
            1 => "1 finding".to_owned(),
            count => format!("{count} findings"),
        };
        let name = html_code(&clipped(&tool.name, MAX_TEXT));
        let mut text = String::new();
        line(&mut text, format_args!("\n<details><summary>{name}: {count}</summary>"));
        for finding in own {
            self.finding(&mut text, tool, finding);
        }
        line(&mut text, "\n</details>");
        text
    }

    fn finding(&self, text: &mut String, tool: &ToolReport, finding: &Finding) {
        let word = self.level(tool, finding).word();
        let (rule, message) = (code(finding.rule.id), short(&finding.message));
        line(text, format_args!("\n**{word}** {rule}: {message}\n"));
        let mut place = short(&subject(tool, finding));
        if let Some(span) = finding.span.as_ref().or(tool.span.as_ref()) {
            let file = self.repository.place_of(self.subject, span);
            let file = clipped(&file.to_string(), MAX_TEXT);
            let _ = write!(place, " at {}", code(&format!("{file}:{}:{}", span.line, span.column)));
        }
        line(text, place);
        let lines = difference::of(tool, finding, false);
        if !lines.is_empty() {
            let lines: Vec<String> = lines.into_iter().map(diff_line).collect();
            let content = lines.join("\n");
            let fence = fence(&content);
            line(text, format_args!("\n{fence}diff\n{content}\n{fence}"));
        }
        line(text, format_args!("\n- Why: {}", sentence(finding.rule.why)));
        if let Some(witness) = &finding.witness {
            let value = code(&clipped(&witness.to_string(), MAX_TEXT));
            line(text, format_args!("- Witness: {value} ({})", witness_means(finding)));
        }
        line(text, format_args!("- Needs {}.", sentence(&needs(finding))));
    }
}

fn not_checked(text: &mut String, subject: &Subject, failure: &Failure) {
    heading(text, true, subject);
    line(text, "\n**The tools could not be checked.**");
    let lines: Vec<String> = failure
        .messages
        .iter()
        .chain(&failure.causes)
        .flat_map(|text| text.lines())
        .map(|line| clipped(&crate::report::visible::visible(line).to_string(), MAX_TEXT))
        .collect();
    let content = lines.join("\n");
    let fence = fence(&content);
    line(text, format_args!("\n{fence}text\n{content}\n{fence}"));
    list(text, "- ", failure.help.clone());
}

fn heading(text: &mut String, fails: bool, subject: &Subject) {
    let mark = if fails { "❌" } else { "✅" };
    let name = if subject.name.is_empty() {
        String::new()
    } else {
        code(&clipped(&subject.title(), MAX_TEXT))
    };
    let of = if name.is_empty() { "" } else { " of " };
    line(text, format_args!("\n### {mark} MCP tools{of}{name}"));
}

/// One item a sentence, behind an empty line.
fn list(text: &mut String, sign: &str, sentences: Vec<String>) {
    for (index, sentence) in sentences.iter().enumerate() {
        let before = if index == 0 { "\n" } else { "" };
        line(text, format_args!("{before}{sign}{}", short(sentence)));
    }
}

fn short(text: &str) -> String {
    sentence(&clipped(text, MAX_TEXT))
}

fn diff_line(line: Line) -> String {
    match line {
        Line::Same(text) => format!("  {}", clipped(&text, MAX_TEXT)),
        Line::Old(parts) => format!("- {}", clipped(&difference::text(&parts), MAX_TEXT)),
        Line::New(parts) => format!("+ {}", clipped(&difference::text(&parts), MAX_TEXT)),
        Line::Skipped(count) => format!("@@ {count} more @@"),
    }
}

/// Writes one line. Writing to a string cannot fail.
fn line(text: &mut String, content: impl std::fmt::Display) {
    let _ = writeln!(text, "{content}");
}
