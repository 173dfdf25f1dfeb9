//! Writing a report.
