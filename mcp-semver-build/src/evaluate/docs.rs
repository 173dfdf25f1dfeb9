//! Doc comments, as schemars joins them.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, Meta};

use super::constants::Constants;
use super::error::Result;
use super::metas::Metas;
use super::program::ModuleId;

/// A doc comment.
#[derive(Debug, Clone)]
pub(super) struct Doc {
    /// The title: the first line, where that is a Markdown heading; empty otherwise.
    pub(super) title: String,
    /// What is left.
    pub(super) description: String,
    /// Where it starts.
    pub(super) span: Span,
}

impl Doc {
    /// The doc comment among the attributes of something in a module.
    pub(super) fn read(
        metas: &Metas,
        module: ModuleId,
        constants: &Constants<'_, '_>,
    ) -> Result<Option<Self>> {
        let mut text = String::new();
        let mut start = None;
        for meta in metas.of("doc") {
            let Meta::NameValue(pair) = meta else { continue };
            if start.is_some() {
                text.push('\n');
            }
            start.get_or_insert(pair.span());
            match &pair.value {
                Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) => {
                    let line = line.value();
                    text.push_str(line.strip_prefix(' ').unwrap_or(&line));
                }
                other => text.push_str(&constants.text(module, other)?),
            }
        }
        Ok(start.map(|span| {
            let (title, description) = split(&text);
            Self { title: title.into(), description: description.into(), span }
        }))
    }
}

fn is_blank(character: char) -> bool {
    character.is_ascii_whitespace()
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim_matches(is_blank);
    if !text.starts_with('#') {
        return ("", text);
    }
    let (title, description) = text.split_once('\n').unwrap_or((text, ""));
    (title.trim_start_matches('#').trim_matches(is_blank), description.trim_matches(is_blank))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_the_title() {
        for (text, title, description) in [
            ("", "", ""),
            (" One.\nTwo. ", "", "One.\nTwo."),
            ("# Name", "Name", ""),
            ("\n## Name #\n\n What.\n", "Name #", "What."),
            ("#[x]", "[x]", ""),
        ] {
            assert_eq!(split(text), (title, description), "{text:?}");
        }
    }
}
