//! Old and new side by side: `-` and `+` lines.

use std::time::Duration;

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::finding::Finding;
use crate::report::sides;
use crate::report::signature::signature;
use crate::report::visible::{visible, visible_parts};
use crate::verdict::{Status, ToolReport};

/// Up to this many characters a value stands on one line.
const ONE_LINE: usize = 100;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 1;

/// How many lines in a row one side shows before its rest is counted instead.
const MAX_RUN: usize = 12;

/// How long the search for the smallest difference may take; a larger one is right as well.
const TIME_LIMIT: Duration = Duration::from_millis(200);

/// One line of a difference, safe to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// On both sides.
    Same(String),
    /// Only on the old side.
    Old(Vec<Part>),
    /// Only on the new side.
    New(Vec<Part>),
    /// This many lines are left out.
    Skipped(usize),
}

/// Part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Whether this is what differs from a similar line of the other side.
    pub(super) emphasis: bool,
    /// Its text, safe to print.
    pub(super) text: String,
}

impl Part {
    /// A line's whole text.
    fn whole(text: String) -> Vec<Self> {
        vec![Self { emphasis: false, text }]
    }
}

/// The text of a line's parts.
pub(super) fn text(parts: &[Part]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect()
}

/// What a finding about `tool` changed. A tool that came or went is shown by how it is called,
/// because a whole contract would bury the rest.
pub(super) fn of(tool: &ToolReport, finding: &Finding, whole: bool) -> Vec<Line> {
    match (tool.status, &tool.old, &tool.new) {
        (Status::Added, _, Some(new)) if finding.pointer.is_empty() => {
            vec![Line::New(Part::whole(signature(new)))]
        }
        (Status::Removed, Some(old), _) => vec![Line::Old(Part::whole(signature(old)))],
        _ => {
            let (old, new) = sides::of(tool, finding);
            lines(old.as_ref(), new.as_ref(), whole)
        }
    }
}

/// Old and new, line by line. `whole` shows every line, however many.
fn lines(old: Option<&Value>, new: Option<&Value>, whole: bool) -> Vec<Line> {
    let lines = match (old, new) {
        (Some(Value::String(old)), Some(Value::String(new))) => text_lines(old, new, whole),
        (old, new) => {
            let (old, new) = (value_lines(old), value_lines(new));
            diff(&refs(&old), &refs(&new), whole)
        }
    };
    if whole { lines } else { shortened(lines) }
}

/// Counts what goes beyond [`MAX_RUN`], so that a long old side does not push out the new one.
fn shortened(lines: Vec<Line>) -> Vec<Line> {
    lines
        .chunk_by(|a, b| std::mem::discriminant(a) == std::mem::discriminant(b))
        .flat_map(|run| match run.len().saturating_sub(MAX_RUN) {
            0 | 1 => run.to_vec(),
            more => [&run[..MAX_RUN], &[Line::Skipped(more)]].concat(),
        })
        .collect()
}

/// A value on one line when it is short, indented otherwise; text on its own lines.
fn value_lines(value: Option<&Value>) -> Vec<String> {
    match value {
        None => Vec::new(),
        Some(Value::String(text)) => sentences(text).into_iter().map(str::to_owned).collect(),
        Some(value) => {
            let compact = value.to_string();
            if compact.chars().count() <= ONE_LINE {
                return vec![compact];
            }
            format!("{value:#}").lines().map(str::to_owned).collect()
        }
    }
}

/// Two texts sentence by sentence, so that one reworded sentence of a long description stands out.
fn text_lines(old: &str, new: &str, whole: bool) -> Vec<Line> {
    let shown = |text: &str| -> Vec<String> {
        sentences(text).into_iter().map(|line| visible(line.trim()).to_string()).collect()
    };
    if shown(old) == shown(new) {
        // Only white space at the ends or line breaks differ: quotes and escapes make them seen.
        let quoted = |text: &str| Value::from(text).to_string();
        return diff(&[&quoted(old)], &[&quoted(new)], whole);
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

/// Where the first sentence of a line ends and another follows: the byte after its space. The
/// number of a list's item ends none.
fn sentence_end(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let ends = |at: &usize| {
        matches!(bytes[*at], b'.' | b'!' | b'?')
            && bytes[at + 1] == b' '
            && !bytes[..*at].last().is_some_and(u8::is_ascii_digit)
    };
    (0..bytes.len().saturating_sub(2)).find(ends).map(|at| at + 2)
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
            for change in diff.iter_inline_changes(op) {
                let parts = || {
                    let (emphases, texts): (Vec<bool>, Vec<&str>) =
                        change.values().iter().copied().unzip();
                    let texts = visible_parts(texts.into_iter());
                    let part = |(emphasis, text)| Part { emphasis, text };
                    emphases.into_iter().zip(texts).map(part).collect::<Vec<_>>()
                };
                lines.push(match change.tag() {
                    ChangeTag::Equal => {
                        Line::Same(parts().into_iter().map(|part| part.text).collect())
                    }
                    ChangeTag::Delete => Line::Old(parts()),
                    ChangeTag::Insert => Line::New(parts()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The lines' signs and texts; a count for what is left out.
    fn signs(old: &Value, new: &Value, whole: bool) -> Vec<String> {
        lines(Some(old), Some(new), whole)
            .into_iter()
            .map(|line| match line {
                Line::Same(text) => format!("  {text}"),
                Line::Old(parts) => format!("- {}", text(&parts)),
                Line::New(parts) => format!("+ {}", text(&parts)),
                Line::Skipped(count) => format!(": {count}"),
            })
            .collect()
    }

    #[test]
    fn both_sides_of_a_large_difference_are_seen() {
        let values = |from: u32| json!((from..from + 60).collect::<Vec<_>>());
        let (old, new) = (values(1000), values(2000));
        let short = signs(&old, &new, false);
        assert!(short.contains(&"-   1000,".to_owned()) && short.contains(&"+   2000,".to_owned()));
        assert_eq!(short.iter().filter(|line| *line == ": 48").count(), 2, "{short:#?}");
        let whole = signs(&old, &new, true);
        assert_eq!(whole.len(), 122);
        assert!(whole.iter().all(|line| !line.starts_with(':')));
    }

    #[test]
    fn a_long_text_is_split_into_sentences_and_not_behind_numbers() {
        let text = format!("{} 1. get - Reads one. 2. list - Reads all.", "Does it. ".repeat(12));
        let parts = sentences(&text);
        assert_eq!(parts.len(), 14);
        assert_eq!(parts[12..], [" 1. get - Reads one.", "2. list - Reads all."]);
        assert_eq!(sentences("One. Two.\nThree."), ["One. Two.", "Three."]);
    }

    #[test]
    fn white_space_alone_is_made_visible() {
        assert_eq!(signs(&json!("a b"), &json!("a b "), false), [r#"- "a b""#, r#"+ "a b ""#]);
    }

    #[test]
    fn the_words_that_differ_are_emphasised() {
        let (old, new) = (json!("Results come newest first."), json!("Results come best first."));
        let emphasised: Vec<String> = lines(Some(&old), Some(&new), false)
            .into_iter()
            .flat_map(|line| match line {
                Line::Old(parts) | Line::New(parts) => parts,
                Line::Same(_) | Line::Skipped(_) => Vec::new(),
            })
            .filter(|part| part.emphasis)
            .map(|part| part.text)
            .collect();
        assert_eq!(emphasised, ["newest", "best"]);
    }
}
