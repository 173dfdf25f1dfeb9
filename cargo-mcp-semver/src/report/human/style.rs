//! The colours of the human report, those of rustc and cargo.

use std::fmt::{self, Display};

use anstyle::{AnsiColor, Style};

/// An error's word, and a line that is gone.
pub const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
/// A warning's word.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// A note's word.
pub const NOTE: Style = AnsiColor::BrightGreen.on_default().bold();
/// A help's word.
pub const HELP: Style = AnsiColor::BrightCyan.on_default().bold();
/// What happens, in cargo's progress column.
pub const STATUS: Style = AnsiColor::BrightGreen.on_default().bold();
/// The frame: arrows, bars, `=`.
pub const FRAME: Style = AnsiColor::BrightBlue.on_default().bold();
/// A headline's message.
pub const HEADLINE: Style = Style::new().bold();
/// A line that is gone.
pub const OLD: Style = AnsiColor::Red.on_default();
/// A line that is new.
pub const NEW: Style = AnsiColor::Green.on_default();

/// `content` in `style`.
pub fn paint<T: Display>(style: Style, content: T) -> Painted<T> {
    Painted { style, content }
}

/// The [`Display`] that [`paint`] returns.
#[derive(Debug, Clone, Copy)]
pub struct Painted<T> {
    style: Style,
    content: T,
}

impl<T: Display> Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { style, content } = self;
        write!(f, "{style}{content}{style:#}")
    }
}
