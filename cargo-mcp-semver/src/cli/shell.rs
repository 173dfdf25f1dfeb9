//! Standard output and standard error.
//!
//! Results go to standard output, progress and errors to standard error, both through `anstream`,
//! which drops colours where the stream is no terminal, or `NO_COLOR`, `CLICOLOR` or `TERM` say
//! so. What it does not know, cargo's `--color` and `CARGO_TERM_COLOR`, is set here.

use std::io::{self, ErrorKind, Write as _};
use std::time::SystemTime;

use anstream::ColorChoice;

use crate::cli::args::{Color, Talk};
use crate::report::Failure;
use crate::report::human::style::{NOTE, STATUS, WARNING, paint};
use crate::report::human::{self, Detail};
use crate::report::sources::Sources;
use crate::report::visible::visible;

/// Where a command talks to the person.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shell {
    talk: Talk,
    /// When the command began.
    began: SystemTime,
}

/// Sets the colours that cargo's environment variable asks for; `--color` overrides them later.
pub(super) fn colors_from_environment() {
    let choice = match std::env::var("CARGO_TERM_COLOR").as_deref() {
        Ok("always") => ColorChoice::Always,
        Ok("never") => ColorChoice::Never,
        _ => return,
    };
    choice.write_global();
}

impl Shell {
    /// A shell that talks as the flags say.
    pub(super) fn new(talk: Talk) -> Self {
        let choice = match talk.color {
            Some(Color::Auto) => Some(ColorChoice::Auto),
            Some(Color::Always) => Some(ColorChoice::Always),
            Some(Color::Never) => Some(ColorChoice::Never),
            None => None,
        };
        if let Some(choice) = choice {
            choice.write_global();
        }
        Self { talk, began: SystemTime::now() }
    }

    /// The flags it follows.
    pub(super) fn talk(self) -> Talk {
        self.talk
    }

    /// How much a report tells.
    pub(super) fn detail(self) -> Detail {
        match (self.talk.quiet, self.talk.verbose) {
            (true, _) => Detail::Quiet,
            (false, 0) => Detail::Normal,
            (false, _) => Detail::Verbose,
        }
    }

    /// The source files that a report may show: those that nobody wrote while the command ran.
    pub(super) fn sources(self) -> Sources {
        Sources::written_before(self.began)
    }

    /// One line of progress in cargo's style.
    pub(super) fn status(self, verb: &str, message: &str) {
        if !self.talk.quiet {
            let verb = paint(STATUS, format!("{verb:>12}"));
            say(&format!("{verb} {}\n", visible(message)));
        }
    }

    /// Something that is no error and that a person should know.
    pub(super) fn note(self, message: &str) {
        if !self.talk.quiet {
            say(&format!("{} {}\n", paint(NOTE, "note:"), visible(message)));
        }
    }

    /// Something that may be wrong; said even when quiet.
    pub(super) fn warning(self, message: &str) {
        say(&format!("{} {}\n", paint(WARNING, "warning:"), visible(message)));
    }

    /// Why something could not be done; said even when quiet.
    pub(super) fn failure(self, failure: &Failure) {
        say(&human::failure(failure));
    }

    /// Writes a result for a person, with colours where they are wanted.
    ///
    /// # Errors
    /// When standard output cannot be written to; a reader that has gone away (`| head`) is none.
    pub(super) fn print(self, text: &str) -> io::Result<()> {
        write_all(anstream::stdout().lock(), text)
    }

    /// Writes a result for a program, as it is.
    ///
    /// # Errors
    /// As [`Shell::print`].
    pub(super) fn print_raw(self, text: &str) -> io::Result<()> {
        write_all(io::stdout().lock(), text)
    }
}

/// Writes to standard error. Where that is gone there is nobody left to tell.
fn say(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

fn write_all(mut stream: impl io::Write, text: &str) -> io::Result<()> {
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
