//! `--message-format`.

use clap::{Args, ValueEnum};

/// `--message-format` of commands that compare.
#[derive(Debug, Args)]
pub struct MessageFormat {
    /// Format of the report on standard output: human, json, github, sarif or markdown
    #[arg(
        long = "message-format",
        value_name = "FMT",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub format: Format,
}

/// The formats of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For a person at a terminal
    #[default]
    Human,
    /// One JSON document
    Json,
    /// Annotations of a GitHub workflow, and its job summary
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// A comment on a pull request
    Markdown,
}

/// `--message-format` of commands that show something.
#[derive(Debug, Args)]
pub struct ListingFormat {
    /// Format on standard output: human or json
    #[arg(
        long = "message-format",
        value_name = "FMT",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub format: Listing,
}

/// The formats of what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Listing {
    /// For a person at a terminal
    #[default]
    Human,
    /// One JSON document
    Json,
}
