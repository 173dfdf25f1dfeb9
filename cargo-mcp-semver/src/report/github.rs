//! GitHub's workflow commands: a line for each finding, which GitHub shows beside the source.
//!
//! GitHub keeps ten errors, warnings and notices of a step, so what matters most comes first. A
//! line is a command where it starts with `::`; nothing else is written, so no text of others can
//! start one.

use std::fmt::Write as _;

use crate::finding::Finding;
use crate::report::conclusion::{Conclusion, conclusions, upgraded};
use crate::report::difference::{self, Line};
use crate::report::human::Detail;
use crate::report::level::{Level, Severity};
use crate::report::place::{Place, Repository};
use crate::report::visible::visible;
use crate::report::{Failure, Run, Subject, clipped, counts, needs, witness_means};
use crate::verdict::{Outcome, ToolReport};

/// How much of a value is shown.
const MAX_VALUE: usize = 500;

/// Renders a run as workflow commands. When quiet, only what fails or warns.
pub fn render(run: &Run, repository: &Repository, detail: Detail) -> String {
    let mut text = String::new();
    for subject in &run.subjects {
        match &subject.result {
            Ok(outcome) => comparison(&mut text, subject, outcome, repository, detail),
            Err(failure) => not_checked(&mut text, subject, failure, repository),
        }
    }
    text
}

fn comparison(
    text: &mut String,
    subject: &Subject,
    outcome: &Outcome,
    repository: &Repository,
    detail: Detail,
) {
    for conclusion in conclusions(subject, outcome).into_iter().filter(|it| it.fails) {
        let Conclusion { sentence, details, help, .. } = conclusion;
        Command {
            name: Severity::Error,
            place: repository.manifest_of(subject),
            position: None,
            title: subject.title(),
            lines: [vec![sentence], details, help].concat(),
        }
        .write(text);
    }
    let findings = outcome.tools.iter();
    let mut commands: Vec<Command> = upgrade(subject, outcome, repository)
        .into_iter()
        .chain(findings.flat_map(|tool| commands(subject, outcome, tool, repository)))
        .filter(|command| detail != Detail::Quiet || command.name != Severity::Note)
        .collect();
    // Stable: within one severity the order stays that of the tools.
    commands.sort_by_key(|command| command.name);
    commands.iter().for_each(|command| command.write(text));
    // The first of the notes is said already where an upgrade is the cause.
    let notes = outcome.notes.iter().skip(usize::from(outcome.sdk.is_some()));
    let allowed = outcome.tools.iter().flat_map(|tool| &tool.findings).any(Finding::is_allowed);
    let allowed = allowed.then(|| counts(&outcome.tools));
    let warnings = outcome.warnings.iter().map(|it| (Severity::Warning, it));
    let notes = notes.chain(&allowed).map(|it| (Severity::Note, it));
    for (name, sentence) in warnings.chain(notes.filter(|_| detail != Detail::Quiet)) {
        let (title, lines) = (subject.title(), safe_lines(sentence));
        Command { name, place: None, position: None, title, lines }.write(text);
    }
}

/// The upgrade of an SDK, once for all findings that it explains: they would push out the others.
fn upgrade(subject: &Subject, outcome: &Outcome, repository: &Repository) -> Option<Command> {
    let sdk = outcome.sdk.as_ref()?;
    let explained = outcome.tools.iter().flat_map(|tool| {
        let findings = tool.findings.iter().filter(|it| sdk.explains(&tool.name, it));
        findings.map(|it| Level::of(subject.version.is_some(), outcome, tool, it).severity())
    });
    Some(Command {
        name: explained.min().unwrap_or(Severity::Note),
        place: repository.manifest_of(subject),
        position: None,
        title: subject.title(),
        lines: std::iter::once(visible(&sdk.sentence()).to_string())
            .chain(sdk.changes.iter().map(upgraded))
            .collect(),
    })
}

/// A command for each finding about one tool that no upgrade explains.
fn commands<'a>(
    subject: &'a Subject,
    outcome: &'a Outcome,
    tool: &'a ToolReport,
    repository: &'a Repository,
) -> impl Iterator<Item = Command> + 'a {
    let findings = tool.findings.iter();
    // What is allowed is counted; only what may mislead an agent is named all the same.
    let is_told = |it: &&Finding| !it.is_allowed() || it.rule.security;
    findings.filter(|it| !outcome.is_by_sdk(&tool.name, it)).filter(is_told).map(move |finding| {
        let level = Level::of(subject.version.is_some(), outcome, tool, finding);
        let span = finding.span.as_ref().or(tool.span.as_ref());
        let mut lines = vec![visible(&finding.message).to_string()];
        for line in difference::of(tool, finding, false) {
            lines.push(match line {
                Line::Same(text) => format!("  {text}"),
                Line::Old(parts) => format!("- {}", difference::text(&parts)),
                Line::New(parts) => format!("+ {}", difference::text(&parts)),
                Line::Skipped(count) => format!("  ({count} more)"),
            });
        }
        lines.push(format!("Why: {}", finding.rule.why));
        if let Some(witness) = &finding.witness {
            let witness = witness.to_string();
            lines.push(format!("Witness ({}): {}", witness_means(finding), visible(&witness)));
        }
        lines.push(format!("Needs {}.", needs(finding)));
        Command {
            name: level.severity(),
            place: span.map(|span| repository.place_of(subject, span)),
            position: span.map(|span| (span.line, span.column)),
            title: format!("{} in {}", finding.rule.id, visible(&tool.name)),
            lines,
        }
    })
}

fn not_checked(text: &mut String, subject: &Subject, failure: &Failure, repository: &Repository) {
    let all = [&failure.messages, &failure.causes, &failure.help];
    let name = if subject.name.is_empty() { "cargo mcp-semver".into() } else { subject.title() };
    Command {
        name: Severity::Error,
        place: repository.manifest_of(subject),
        position: None,
        title: format!("{name} could not be checked"),
        lines: all.into_iter().flatten().flat_map(|text| safe_lines(text)).collect(),
    }
    .write(text);
}

/// Text of our own that may hold line ends on purpose around text of others.
fn safe_lines(text: &str) -> Vec<String> {
    text.lines().map(|line| visible(line).to_string()).collect()
}

/// One workflow command.
struct Command {
    name: Severity,
    place: Option<Place>,
    /// Line and column, from 1.
    position: Option<(usize, usize)>,
    title: String,
    /// Safe to print.
    lines: Vec<String>,
}

impl Command {
    fn write(&self, text: &mut String) {
        let name = match self.name {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let mut properties = Vec::new();
        if let Some(place) = &self.place {
            properties.push(format!("file={}", property(&visible(&place.to_string()).to_string())));
        }
        if let Some((line, column)) = self.position {
            properties.push(format!("line={line},col={column}"));
        }
        properties.push(format!("title={}", property(&self.title)));
        let lines: Vec<String> = self.lines.iter().map(|line| clipped(line, MAX_VALUE)).collect();
        let message = data(&lines.join("\n"));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "::{name} {}::{message}", properties.join(","));
    }
}

/// What a command says, as the runner reads it back.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, as the runner reads it back.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_command_or_property_is_escaped() {
        assert_eq!(data("50%\r\n::error::x, y"), "50%25%0D%0A::error::x, y");
        assert_eq!(property("a:b,c%2C\n"), "a%3Ab%2Cc%252C%0A");
    }
}
