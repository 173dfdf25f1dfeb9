//! For a person at a terminal.

use std::fmt::Write as _;

use super::{CONFIRMATION, by_dimension, fired, instead, kind, settings, sides, weight};
use crate::report::human;
use crate::report::human::style::{HEADLINE, NEW, OLD, paint};
use crate::rules::{self, Pair, Rule};

/// Every rule, one line each, by dimension.
pub fn listing() -> String {
    let id = rules::ALL.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (dimension, rules) in by_dimension() {
        let _ = writeln!(text, "{}", paint(HEADLINE, dimension.as_str()));
        for rule in rules {
            let Rule { id: name, summary, .. } = rule;
            let _ = writeln!(text, "  {name:id$}  {}: {summary}", weight(rule));
        }
        text.push('\n');
    }
    text.push_str("`cargo mcp-semver explain RULE` tells more of one\n");
    text
}

/// All that is known of one rule.
pub fn explanation(rule: &Rule) -> String {
    let mut text = String::new();
    let title = paint(HEADLINE, format!("{} ({})", rule.id, weight(rule)));
    let _ = writeln!(text, "{title}: {}\n\n{}", rule.summary, rule.why);
    if rule.confirmation {
        let _ = writeln!(text, "{CONFIRMATION}");
    }
    if let Some(reference) = rule.reference {
        let _ = writeln!(text, "See {reference}");
    }
    let _ = writeln!(text, "\nExample, {}:\n{}", kind(&rule.example), diff(&rule.example));
    if let Some((tool, finding)) = fired(rule) {
        let _ = writeln!(text, "{}", human::graded(&tool, &finding));
    }
    let instead = match instead(rule) {
        findings if findings.is_empty() => "nothing".to_owned(),
        findings => findings.join(", "),
    };
    let _ = writeln!(text, "Near miss, {}:\n{}", kind(&rule.near_miss), diff(&rule.near_miss));
    let _ = writeln!(text, "It yields {instead}.\n");
    let _ = writeln!(
        text,
        "Set it in Cargo.toml to \"allow\", \"patch\", \"minor\" or \"major\":\n\n{}",
        settings(rule).trim_end()
    );
    text
}

fn diff(pair: &Pair) -> String {
    let [old, new] = sides(pair);
    format!("  {}\n  {}\n", paint(OLD, format!("- {old}")), paint(NEW, format!("+ {new}")))
}
