//! The source lines that a finding is about, with a label under what it points at.

use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet as Source};
use anstyle::Style;

use super::gutter::Gutter;
use super::style::FRAME;
use crate::finding::Span;
use crate::report::sources::Sources;
use crate::report::visible::visible;

/// So many lines are shown of what goes on over several; of more only the first.
const MAX_LINES: usize = 6;

/// No line that somebody wrote is longer, in bytes.
const MAX_LINE: usize = 4096;

/// What a tab stands for.
const TAB: &str = "    ";

/// Source lines, ready to print.
pub(super) struct Snippet {
    /// With a line end.
    pub(super) text: String,
    /// Beside which it stands.
    pub(super) gutter: Gutter,
}

/// The lines of `span` in the file at `path`, `label` in `style`; `None` where they cannot be shown.
pub(super) fn of(
    sources: &Sources,
    path: &Path,
    span: &Span,
    label: &str,
    style: Style,
) -> Option<Snippet> {
    let text = sources.text(path)?;
    let (shown, from, to) = shown(&text, span)?;
    let annotation = AnnotationKind::Primary.span(from..to).label(label);
    let source = Source::source(&*shown).line_start(span.line).fold(false).annotation(annotation);
    let renderer = Renderer::styled().line_num(FRAME).error(style);
    let lines = shown.matches('\n').count();
    Some(Snippet {
        text: renderer.render(&[Group::with_level(Level::ERROR).element(source)]) + "\n",
        gutter: Gutter::up_to(span.line + lines),
    })
}

/// The lines of a span with every character that is not seen spelled out, and the bytes of them
/// that the span takes.
fn shown(text: &str, span: &Span) -> Option<(String, usize, usize)> {
    let count = (span.end_line.checked_sub(span.line)? + 1).min(MAX_LINES + 1);
    let mut lines = text.split('\n').skip(span.line.checked_sub(1)?).take(count);
    let mut lines = lines.by_ref().map(|line| line.strip_suffix('\r').unwrap_or(line));
    let first = lines.next()?;
    let from = column(first, span.column)?;
    let mut shown = safe(first)?;
    if count == 1 {
        let to = column(first, span.end_column)?.max(from);
        return Some((shown, from, to));
    }
    let rest: Vec<&str> = lines.collect();
    if count > MAX_LINES || rest.len() + 1 < count {
        let to = shown.trim_end().len().max(from);
        return Some((shown, from, to));
    }
    let to = column(rest.last()?, span.end_column)?;
    for line in &rest[..rest.len() - 1] {
        shown = shown + "\n" + &safe(line)?;
    }
    let last = shown.len() + 1;
    shown = shown + "\n" + &safe(rest.last()?)?;
    Some((shown, from, last + to))
}

/// The byte of a line's shown form that a column stands at; `None` behind its end.
fn column(line: &str, column: usize) -> Option<usize> {
    let before = column.checked_sub(1)?;
    let end = line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(before)?;
    Some(safe(&line[..end])?.len())
}

/// A line, safe to print; `None` where it is too long. Each character is shown by itself, so that
/// the form of a line's start is the start of its form.
fn safe(line: &str) -> Option<String> {
    let parts: Vec<String> = line.split('\t').map(|part| visible(part).to_string()).collect();
    (line.len() <= MAX_LINE).then(|| parts.join(TAB))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use proptest::prelude::*;

    use super::*;
    use crate::report::human::style::ERROR;

    fn span(line: usize, column: usize, end_line: usize, end_column: usize) -> Span {
        Span { file: "main.rs".into(), line, column, end_line, end_column }
    }

    /// The snippet of a span in a file with this text, without colours.
    fn plain(text: &str, span: &Span) -> Option<String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("main.rs");
        fs::write(&path, text).unwrap();
        let soon = SystemTime::now() + Duration::from_secs(60);
        let snippet = of(&Sources::written_before(soon), &path, span, "tool `search`", ERROR)?;
        Some(anstream::adapter::strip_str(&snippet.text).to_string())
    }

    #[test]
    fn the_label_stands_under_what_it_names() {
        let text = "struct Input {\n\ta: Größe, 大きい: u8,\r\n}\n";
        insta::assert_snapshot!(plain(text, &span(2, 12, 2, 15)).unwrap(), @r"
          |
        2 |     a: Größe, 大きい: u8,
          |               ^^^^^^ tool `search`
        ");
        insta::assert_snapshot!(plain(text, &span(1, 8, 1, 8)).unwrap(), @r"
          |
        1 | struct Input {
          |        ^ tool `search`
        ");
    }

    #[test]
    fn what_goes_on_over_lines_is_shown_whole_or_by_its_first() {
        let text = format!("{}#[tool(\n\ta = 1,\n)]\nfn f() {{}}\n", "\n".repeat(98));
        insta::assert_snapshot!(plain(&text, &span(99, 3, 101, 2)).unwrap(), @r"
            |
         99 |   #[tool(
            |  ___^
        100 | |     a = 1,
        101 | | )]
            | |_^ tool `search`
        ");
        let long = format!("json!({{  \n{}}})", "  1,\n".repeat(20));
        insta::assert_snapshot!(plain(&long, &span(1, 1, 22, 3)).unwrap(), @r"
          |
        1 | json!({  
          | ^^^^^^^ tool `search`
        ");
    }

    #[test]
    fn what_drives_a_terminal_is_spelled_out() {
        let text = "// \u{1b}[2J\u{202e}\u{200b}x\n";
        insta::assert_snapshot!(plain(text, &span(1, 10, 1, 11)).unwrap(), @r"
          |
        1 | // \u{1b}[2J\u{202e}\u{200b}x
          |                             ^ tool `search`
        ");
    }

    #[test]
    fn what_is_not_there_is_not_shown() {
        let text = "fn f() {}\n";
        for wrong in [span(3, 1, 3, 2), span(1, 11, 1, 12), span(1, 4, 1, 20), span(0, 1, 0, 1)] {
            assert_eq!(plain(text, &wrong), None, "{wrong:?}");
        }
        assert_eq!(plain(text, &span(1, 0, 1, 1)), None);
        assert_eq!(plain(&"x".repeat(MAX_LINE + 1), &span(1, 1, 1, 2)), None, "a long line");
        let shown = plain(&"x ".repeat(2000), &span(1, 2001, 1, 2002)).unwrap();
        assert!(shown.lines().all(|line| line.len() < 200), "{shown}");
    }

    #[test]
    fn a_file_that_changed_is_not_shown() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("main.rs");
        fs::write(&path, "fn f() {}\n").unwrap();
        let written = fs::metadata(&path).unwrap().modified().unwrap();
        let shown = |before: SystemTime, path: &Path| {
            let sources = Sources::written_before(before);
            of(&sources, path, &span(1, 4, 1, 5), "x", ERROR).is_some()
        };
        assert!(shown(written, &path));
        assert!(!shown(written - Duration::from_millis(1), &path));
        assert!(!shown(written, directory.path()), "a directory");
        assert!(!shown(written, &directory.path().join("gone.rs")));
        fs::write(&path, b"fn f() {} // \xff\n").unwrap();
        let soon = SystemTime::now() + Duration::from_secs(60);
        assert!(!shown(soon, &path), "no text");
    }

    proptest! {
        #[test]
        fn whatever_a_file_holds_nothing_hidden_is_printed(
            text in "(\\PC|\\p{C}|[\n\t\r大\u{301}]){0,40}",
            at in (0..5_usize, 0..12_usize, 0..5_usize, 0..12_usize),
        ) {
            if let Some(shown) = plain(&text, &span(at.0, at.1, at.0 + at.2, at.3)) {
                let hidden = |it: char| crate::character::ink(it) == crate::character::Ink::Hidden;
                prop_assert!(shown.lines().all(|line| !line.contains(hidden)), "{shown:?}");
            }
        }
    }
}
