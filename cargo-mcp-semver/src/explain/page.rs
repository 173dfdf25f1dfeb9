//! `docs/rules.md`, made of the rules.

use std::fmt::Write as _;

use super::{CONFIRMATION, by_dimension, fired, instead, kind, sides, weight};
use crate::report::human;
use crate::rules::{Pair, Rule};

const HEAD: &str = "\
# Rules

<!-- Made of the rules in cargo-mcp-semver/src/rules by
     `MCP_SEMVER_RECORD=1 cargo test -p cargo-mcp-semver --lib rules_page`; do not edit. -->

What `cargo mcp-semver` can observe about a change, and what it weighs. `cargo mcp-semver rules`
lists the same at a terminal, `cargo mcp-semver explain RULE` tells of one.

- **major**: something that worked no longer does, or no longer means the same.
- **minor**: more is possible than before; everything that worked still works.
- **patch**: worded or written differently.

The grade of a tool is that of its gravest finding. Rules marked *security* are about an agent being
misled rather than a call failing. Each rule can be set to another grade or to `\"allow\"` in
Cargo.toml, for a workspace, a package, one tool, or one argument or result field:

```toml
[workspace.metadata.mcp-semver.rules]
title_changed = \"allow\"

[package.metadata.mcp-semver.rules]
description_changed = \"allow\"

[package.metadata.mcp-semver.tools.search.rules]
input_default_changed = \"minor\"

[package.metadata.mcp-semver.tools.search.arguments.\"filter.stops[].mode\".rules]
input_enum_narrowed = \"patch\"    # `results` in place of `arguments` for fields of the result
```
";

fn render() -> String {
    let mut text = String::from(HEAD);
    for (dimension, rules) in by_dimension() {
        let _ = writeln!(text, "\n## {}\n", capitalised(dimension.as_str()));
        text.push_str("| rule | grade | says that |\n| --- | --- | --- |\n");
        for rule in &rules {
            let Rule { id, summary, .. } = rule;
            let _ = writeln!(text, "| [`{id}`](#{id}) | {} | {summary} |", weight(rule));
        }
        rules.into_iter().for_each(|rule| section(&mut text, rule));
    }
    text
}

fn section(text: &mut String, rule: &Rule) {
    let _ = writeln!(text, "\n### {}\n\n**{}**. {}", rule.id, weight(rule), rule.why);
    if rule.confirmation {
        let _ = writeln!(text, "{CONFIRMATION}");
    }
    if let Some(reference) = rule.reference {
        let _ = writeln!(text, "See <{reference}>.");
    }
    let _ = writeln!(text, "\n{}:\n\n{}", kind(&rule.example), diff(&rule.example));
    if let Some((tool, finding)) = fired(rule) {
        let shown = human::graded(&tool, &finding);
        let shown = anstream::adapter::strip_str(&shown).to_string();
        let _ = writeln!(text, "```text\n{}\n```\n", shown.trim_end());
    }
    let instead = match instead(rule) {
        findings if findings.is_empty() => "yields nothing".to_owned(),
        findings => format!("yields {}", findings.join(", ")),
    };
    let _ = write!(text, "A near miss, which {instead}:\n\n{}", diff(&rule.near_miss));
}

fn diff(pair: &Pair) -> String {
    let [old, new] = sides(pair);
    format!("```diff\n- {old}\n+ {new}\n```\n")
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    format!("{}{rest}", first.to_uppercase())
}

#[test]
fn the_rules_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/rules.md");
    let page = render();
    if std::env::var_os("MCP_SEMVER_RECORD").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == page,
        "docs/rules.md is not what the rules say; write it anew with \
         `MCP_SEMVER_RECORD=1 cargo test -p cargo-mcp-semver --lib rules_page`"
    );
}
