//! The column that line numbers stand in, and what stands beside it.

use std::fmt::Display;

use super::line;
use super::style::{FRAME, HEADLINE, paint};

/// As wide as the largest line number beside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gutter(usize);

impl Gutter {
    /// Without line numbers.
    pub(super) const NARROW: Self = Self(1);

    /// For line numbers up to this one.
    pub(super) fn up_to(number: usize) -> Self {
        Self(number.to_string().len())
    }

    /// `--> src/server.rs:12:5`.
    pub(super) fn arrow(self, text: &mut String, place: impl Display) {
        line(text, format_args!("{:width$}{} {place}", "", paint(FRAME, "-->"), width = self.0));
    }

    /// `|` and what stands behind it.
    pub(super) fn bar(self, text: &mut String, content: impl Display) {
        self.row(text, paint(FRAME, "|"), content);
    }

    /// `|` alone.
    pub(super) fn empty(self, text: &mut String) {
        line(text, format_args!("{:width$} {}", "", paint(FRAME, "|"), width = self.0));
    }

    /// `= name: content`.
    pub(super) fn property(self, text: &mut String, name: &str, content: impl Display) {
        self.row(text, paint(FRAME, "="), format_args!("{}: {content}", paint(HEADLINE, name)));
    }

    /// A sign in the place of the bar, and what stands behind it.
    pub(super) fn row(self, text: &mut String, sign: impl Display, content: impl Display) {
        line(text, format_args!("{:width$} {sign} {content}", "", width = self.0));
    }
}
