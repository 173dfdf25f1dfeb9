//! `rules` and `explain`: what can be observed about a change, and what it weighs.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command};

use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::format::{Listing, ListingFormat};
use crate::cli::shell::Shell;
use crate::explain;
use crate::rules;
use crate::suggest::nearest;

/// Arguments of `rules`.
#[derive(Debug, Args)]
pub struct Rules {
    /// How to report.
    #[command(flatten)]
    pub format: ListingFormat,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// Id of the rule, as a report or `cargo mcp-semver rules` names it
    #[arg(value_parser = RuleId, hide_possible_values = true)]
    pub rule: String,
    /// How to report.
    #[command(flatten)]
    pub format: ListingFormat,
}

/// Any text, of which the ids of the rules are completed.
#[derive(Debug, Clone)]
struct RuleId;

impl TypedValueParser for RuleId {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |rule: &&rules::Rule| PossibleValue::new(rule.id).help(rule.summary);
        Some(Box::new(rules::ALL.iter().map(value)))
    }
}

/// Lists the rules.
pub(super) fn list(args: &Rules, shell: Shell) -> Result<Exit, CommandError> {
    match args.format.format {
        Listing::Human => shell.print(&explain::listing())?,
        Listing::Json => shell.print_raw(&explain::json(rules::ALL))?,
    }
    Ok(Exit::Ok)
}

/// Explains one rule.
pub(super) fn explain(args: &Explain, shell: Shell) -> Result<Exit, CommandError> {
    let Some(rule) = rules::by_id(&args.rule) else {
        let typed = args.rule.to_lowercase().replace('-', "_");
        let nearest = nearest(&typed, rules::ALL.iter().map(|rule| rule.id));
        return Err(CommandError::NoRule { id: args.rule.clone(), nearest });
    };
    match args.format.format {
        Listing::Human => shell.print(&explain::explanation(rule))?,
        Listing::Json => shell.print_raw(&explain::json(&[rule]))?,
    }
    Ok(Exit::Ok)
}
