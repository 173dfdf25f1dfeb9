//! Old and new side by side: `-` and `+` lines.

use std::time::Duration;

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::report::visible::visible;

/// Up to this many characters a value stands on one line.
const ONE_LINE: usize = 100;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 1;

/// How many lines a difference takes before the rest is counted instead.
const MAX_LINES: usize = 24;

/// How long the search for the smallest difference may take; a larger one is right as well.
const TIME_LIMIT: Duration = Duration::from_millis(200);

/// One line of a difference, safe to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// On both sides.
    Same(String),
    /// Only on the old side.
    Old(String),
    /// Only on the new side.
    New(String),
    /// This many lines are left out.
    Skipped(usize),
}

/// Old and new, line by line. `whole` shows every line, however many.
pub(super) fn lines(old: Option<&Value>, new: Option<&Value>, whole: bool) -> Vec<Line> {
    let mut lines = match (old, new) {
        (Some(Value::String(old)), Some(Value::String(new))) => text_lines(old, new, whole),
        (Some(old), Some(new)) if short(old) && short(new) => {
            vec![Line::Old(one_line(old)), Line::New(one_line(new))]
        }
        (old, new) => {
            let (old, new) = (value_lines(old), value_lines(new));
            diff(&refs(&old), &refs(&new), whole)
        }
    };
    if !whole && lines.len() > MAX_LINES {
        let more = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
        lines.push(Line::Skipped(more));
    }
    lines
}

fn one_line(value: &Value) -> String {
    visible(&value.to_string()).to_string()
}

fn short(value: &Value) -> bool {
    value.to_string().chars().count() <= ONE_LINE
}

/// A value on one line when it is short, indented otherwise; text on its own lines.
fn value_lines(value: Option<&Value>) -> Vec<String> {
    match value {
        None => Vec::new(),
        Some(Value::String(text)) => sentences(text).into_iter().map(str::to_owned).collect(),
        Some(value) if short(value) => vec![value.to_string()],
        Some(value) => format!("{value:#}").lines().map(str::to_owned).collect(),
    }
}

/// Two texts sentence by sentence, so that one reworded sentence of a long description stands out.
fn text_lines(old: &str, new: &str, whole: bool) -> Vec<Line> {
    let shown = |text: &str| -> Vec<String> {
        sentences(text).into_iter().map(|line| visible(line.trim()).to_string()).collect()
    };
    if shown(old) == shown(new) {
        // Only white space at the ends or line breaks differ: quotes and escapes make them seen.
        let quoted = |text: &str| one_line(&Value::String(text.to_owned()));
        return vec![Line::Old(quoted(old)), Line::New(quoted(new))];
    }
    diff(&sentences(old), &sentences(new), whole)
}

/// The lines of a text; of a long text its sentences.
fn sentences(text: &str) -> Vec<&str> {
    if text.chars().count() <= ONE_LINE {
        return text.split('\n').collect();
    }
    let mut parts = Vec::new();
    for mut line in text.split('\n') {
        while let Some(end) = sentence_end(line) {
            let (sentence, rest) = line.split_at(end);
            parts.push(sentence.trim_end_matches(' '));
            line = rest;
        }
        parts.push(line);
    }
    parts
}

/// Where the first sentence of a line ends and another follows: the byte after its space.
fn sentence_end(line: &str) -> Option<usize> {
    [". ", "! ", "? "]
        .iter()
        .filter_map(|end| line.find(end).map(|at| at + end.len()))
        .filter(|at| *at < line.len())
        .min()
}

fn diff(old: &[&str], new: &[&str], whole: bool) -> Vec<Line> {
    let diff = TextDiff::configure().timeout(TIME_LIMIT).diff_slices(old, new);
    let context = if whole { old.len() } else { CONTEXT };
    let mut lines = Vec::new();
    let mut next = 0;
    for group in diff.grouped_ops(context) {
        if let Some(first) = group.first() {
            let skipped = first.old_range().start - next;
            if skipped > 0 {
                lines.push(Line::Skipped(skipped));
            }
        }
        for op in &group {
            next = op.old_range().end;
            for change in diff.iter_changes(op) {
                let text = visible(change.value()).to_string();
                lines.push(match change.tag() {
                    ChangeTag::Equal => Line::Same(text),
                    ChangeTag::Delete => Line::Old(text),
                    ChangeTag::Insert => Line::New(text),
                });
            }
        }
    }
    if next < old.len() && !lines.is_empty() {
        lines.push(Line::Skipped(old.len() - next));
    }
    lines
}

fn refs(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}
