//! `lock --review`: a person decides about each change at the terminal.

use std::io::{self, BufRead, IsTerminal as _, Write};
use std::path::PathBuf;

use mcp_semver_build::Lockfile;

use crate::cli::error::CommandError;
use crate::report::human::{self, Detail};
use crate::report::sources::Sources;
use crate::report::visible::visible;
use crate::report::{Failure, Run, Subject, quoted};
use crate::verdict::{Outcome, Status, ToolReport};

/// What was decided; tools by name, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Review {
    /// Changes that are to be taken back.
    pub(super) rejected: Vec<String>,
    /// Changes that nobody decided about.
    pub(super) skipped: Vec<String>,
    /// Tools whose texts were shown and accepted.
    pub(super) confirmed: Vec<String>,
}

/// What is to be decided.
pub(super) struct Reviewed<'a> {
    pub(super) name: &'a str,
    /// Where the source of its tools lies, see [`Subject::directory`].
    pub(super) directory: PathBuf,
    pub(super) outcome: &'a Outcome,
    pub(super) sources: Sources,
}

/// What a person answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Accept,
    AcceptAll,
    Reject,
    Skip,
    Quit,
}

/// Refuses where nobody can answer, and names the command that needs no answer.
///
/// # Errors
/// [`CommandError::NoTerminal`].
pub(super) fn require_terminal() -> Result<(), CommandError> {
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        return Ok(());
    }
    let own = |argument: &String| argument != "mcp-semver" && argument != "--review";
    let arguments: Vec<String> = std::env::args().skip(1).filter(own).collect();
    let arguments: Vec<String> = arguments.iter().map(|argument| quoted(argument)).collect();
    let command = format!("cargo mcp-semver {}", arguments.join(" "));
    Err(CommandError::NoTerminal { command })
}

impl Review {
    /// Asks about each change, where `input` is whom to ask; else all are accepted.
    pub(super) fn of(
        reviewed: &Reviewed<'_>,
        input: Option<&mut dyn BufRead>,
    ) -> Result<Self, Failure> {
        let Some(mut input) = input else { return Ok(Self::default()) };
        review(reviewed, &mut input, &mut anstream::stderr()).map_err(|error| Failure::of(&error))
    }

    /// Puts back into the next lockfile what was not accepted.
    pub(super) fn put_back(&self, previous: Option<&Lockfile>, next: &mut Lockfile) {
        for tool in self.rejected.iter().chain(&self.skipped) {
            match previous.and_then(|previous| previous.tools.get(tool)) {
                Some(before) => next.tools.insert(tool.clone(), before.clone()),
                None => next.tools.remove(tool),
            };
        }
    }

    /// Whether the change of a tool was accepted, or it has none.
    pub(super) fn accepts(&self, tool: &str) -> bool {
        !self.rejected.iter().chain(&self.skipped).any(|name| name == tool)
    }

    /// What is left to do, if anything is.
    pub(super) fn left(&self) -> Option<Failure> {
        let lists = [
            (&self.rejected, "rejected; take the change back in the source"),
            (&self.skipped, "skipped; the lockfile still says what it said"),
        ];
        let messages: Vec<String> = lists
            .iter()
            .filter(|(tools, _)| !tools.is_empty())
            .map(|(tools, what)| format!("{}: {what}", tools.join(", ")))
            .collect();
        (!messages.is_empty()).then_some(Failure { messages, causes: Vec::new(), help: Vec::new() })
    }
}

/// Walks through the tools of a comparison that changed. The end of the input skips the rest.
///
/// # Errors
/// When the terminal cannot be read or written.
fn review(
    reviewed: &Reviewed<'_>,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<Review> {
    let moved: Vec<&ToolReport> =
        reviewed.outcome.tools.iter().filter(|tool| tool.status != Status::Unchanged).collect();
    let mut review = Review::default();
    let mut decided: Option<Answer> = None;
    for (index, tool) in moved.iter().enumerate() {
        let answer = match decided {
            // Texts that need a person's confirmation are never accepted unseen.
            Some(answer) if answer != Answer::AcceptAll || !tool.needs_confirmation() => answer,
            _ => {
                output.write_all(reviewed.shown(tool).as_bytes())?;
                let place = format!("change {} of {}", index + 1, moved.len());
                ask(&format!("{place}: `{}`", visible(&tool.name)), input, output)?
            }
        };
        match answer {
            Answer::Accept if tool.needs_confirmation() => review.confirmed.push(tool.name.clone()),
            Answer::Accept => {}
            Answer::AcceptAll => {
                if decided.is_none() && tool.needs_confirmation() {
                    review.confirmed.push(tool.name.clone());
                }
                decided = Some(answer);
            }
            Answer::Reject => review.rejected.push(tool.name.clone()),
            Answer::Skip => review.skipped.push(tool.name.clone()),
            Answer::Quit => {
                review.skipped.push(tool.name.clone());
                decided = Some(answer);
            }
        }
    }
    Ok(review)
}

impl Reviewed<'_> {
    /// One tool as the report shows it in full.
    fn shown(&self, tool: &ToolReport) -> String {
        let outcome = Outcome {
            package: None,
            tools: vec![tool.clone()],
            grade: tool.grade,
            exit_code: 0,
            stale: None,
            sdk: None,
            warnings: Vec::new(),
            notes: Vec::new(),
        };
        let subject = Subject {
            name: self.name.to_owned(),
            version: None,
            directory: self.directory.clone(),
            result: Ok(outcome),
            remedy: None,
        };
        human::render(&Run { subjects: vec![subject] }, Detail::Verbose, &self.sources)
    }
}

/// Asks until there is an answer.
fn ask(what: &str, input: &mut impl BufRead, output: &mut impl Write) -> io::Result<Answer> {
    loop {
        write!(
            output,
            "\n{what}: accept, reject, skip, all (accept the rest), quit? [a/r/s/all/q] "
        )?;
        output.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            writeln!(output)?;
            return Ok(Answer::Quit);
        }
        match line.trim() {
            "a" | "accept" | "y" | "yes" => return Ok(Answer::Accept),
            "all" | "A" => return Ok(Answer::AcceptAll),
            "r" | "reject" | "n" | "no" => return Ok(Answer::Reject),
            "s" | "skip" => return Ok(Answer::Skip),
            "q" | "quit" => return Ok(Answer::Quit),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::baseline::Baseline;
    use crate::cli::baseline::BaselineArgs;
    use crate::cli::lock::{Locking, lock_with};
    use crate::cli::testing::{package, quiet};
    use crate::compare::compare;
    use crate::finding::Span;
    use crate::gate::{self, Declared};

    fn side(text: &str) -> Baseline {
        Baseline::from_reader(text.as_bytes(), "side").unwrap()
    }

    fn reviewed(outcome: &Outcome) -> Reviewed<'_> {
        Reviewed { name: "srv", directory: PathBuf::new(), outcome, sources: Sources::none() }
    }

    fn walk(answers: &str) -> (Review, String) {
        let old = side(r#"[{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "same"}]"#);
        let new = side(
            r#"[{"name": "a", "title": "A"}, {"name": "b", "description": "B."}, {"name": "d"},
                {"name": "same"}]"#,
        );
        let outcome = gate::decide(&old, &Declared::default(), compare(&old, &new));
        let mut output = Vec::new();
        let review = review(&reviewed(&outcome), &mut answers.as_bytes(), &mut output).unwrap();
        (review, String::from_utf8(output).unwrap())
    }

    fn names(review: &Review) -> (Vec<&str>, Vec<&str>) {
        (
            review.rejected.iter().map(String::as_str).collect(),
            review.skipped.iter().map(String::as_str).collect(),
        )
    }

    #[test]
    fn each_change_is_shown_and_answered() {
        for (answers, rejected, skipped, asked) in [
            ("a\na\na\na\n", &[][..], &[][..], 4),
            ("r\nskip\naccept\nno\n", &["a", "d"], &["b"], 4),
            ("r\nall\n", &["a"], &[], 2),
            ("a\nq\n", &[], &["b", "c", "d"], 2),
            ("what\n\na\n", &[], &["b", "c", "d"], 4),
            ("", &[], &["a", "b", "c", "d"], 1),
        ] {
            let (review, output) = walk(answers);
            assert_eq!(names(&review), (rejected.to_vec(), skipped.to_vec()), "{answers:?}");
            assert_eq!(output.matches("[a/r/s/all/q]").count(), asked, "{answers:?}");
            assert_eq!(review.left().is_none(), answers.starts_with("a\na\n"), "{answers:?}");
            assert!(output.contains("change 1 of 4: `a`"), "{output}");
            assert!(output.contains("title_changed"), "{output}");
            assert!(!output.contains("`same`"), "{output}");
        }
    }

    #[test]
    fn the_line_of_a_change_is_shown() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("main.rs"), "/// Finds.\nfn a() {}\n").unwrap();
        let (old, new) = (side(r#"[{"name": "a"}]"#), side(r#"[{"name": "a", "title": "A"}]"#));
        let mut outcome = gate::decide(&old, &Declared::default(), compare(&old, &new));
        let span = Span { file: "main.rs".into(), line: 2, column: 4, end_line: 2, end_column: 5 };
        outcome.tools[0].findings[0].span = Some(span);
        let soon = SystemTime::now() + Duration::from_secs(60);
        let reviewed = Reviewed {
            directory: directory.path().to_owned(),
            sources: Sources::written_before(soon),
            ..reviewed(&outcome)
        };
        let mut output = Vec::new();
        review(&reviewed, &mut "a\n".as_bytes(), &mut output).unwrap();
        let shown = anstream::adapter::strip_str(std::str::from_utf8(&output).unwrap()).to_string();
        assert!(shown.contains("main.rs:2:4\n  |\n2 | fn a() {}\n  |    ^ tool `a`\n"), "{shown}");
    }

    #[test]
    fn what_is_not_accepted_keeps_its_entry() {
        let directory = tempfile::tempdir().unwrap();
        let against = BaselineArgs::default();
        let answers = |version: &str, tool: &str, answers: &str| {
            let pinned = package(directory.path(), version, tool, "Does.");
            let mut input = answers.as_bytes();
            let locking =
                Locking { force: false, confirmed: &[], gate: None, review: Some(&mut input) };
            let outcome = lock_with(&pinned, &against, locking, quiet()).unwrap();
            (outcome.exit_code, fs::read_to_string(&pinned.lockfile).unwrap_or_default())
        };
        let (code, first) = answers("1.4.0", "search", "a\n");
        assert_eq!(code, 0);
        assert!(first.contains("search:"));
        // `find` is new, `search` is gone.
        let (code, text) = answers("1.5.0", "find", "a\nr\n");
        assert_eq!(code, 2, "a change is left");
        assert!(text.contains("find:") && text.contains("search:"), "{text}");
        assert!(text.contains("version: \"1.4.0\""), "the rest is measured from there: {text}");
        assert!(text.contains("reviewed: \"1.5.0\""), "tools may be pinned at it: {text}");
        let (code, text) = answers("1.5.0", "find", "q\n");
        assert!(code == 2 && text.contains("search:"), "{text}");
        // Accepting what the version does not cover is refused like without a review.
        let (code, refused) = answers("1.5.0", "find", "a\n");
        assert_eq!((code, refused), (2, text));
        let (code, text) = answers("2.0.0", "find", "a\n");
        assert_eq!(code, 0);
        assert!(text.contains("find:") && !text.contains("search:"), "{text}");
        assert!(text.contains("version: \"2.0.0\"") && !text.contains("reviewed"), "{text}");
    }

    #[test]
    fn texts_that_instruct_are_never_accepted_unseen() {
        let directory = tempfile::tempdir().unwrap();
        let pinned = package(directory.path(), "1.4.0", "search", "Do not tell the user.");
        let locked = |answers: &str| {
            let mut input = answers.as_bytes();
            let locking =
                Locking { force: false, confirmed: &[], gate: None, review: Some(&mut input) };
            lock_with(&pinned, &BaselineArgs::default(), locking, quiet()).unwrap().exit_code
        };
        assert_eq!(locked("a\n"), 0);
        let old = side(r#"[{"name": "z"}]"#);
        let new = side(r#"[{"name": "a"}, {"name": "b", "title": "<system>"}, {"name": "z"}]"#);
        let outcome = gate::decide(&old, &Declared::default(), compare(&old, &new));
        for (answers, confirmed) in [("all\na\n", &["b"][..]), ("all\n", &[])] {
            let mut output = Vec::new();
            let review = review(&reviewed(&outcome), &mut answers.as_bytes(), &mut output).unwrap();
            assert_eq!(review.confirmed, confirmed);
            assert_eq!(review.skipped.is_empty(), !confirmed.is_empty());
        }
    }
}
