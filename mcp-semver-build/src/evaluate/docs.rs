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
        old: bool,
    ) -> Result<Option<Self>> {
        if old {
            return Ok(Self::read_old(metas));
        }
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

impl Doc {
    /// As schemars 0.8 reads it: paragraphs become lines, and only literals count.
    fn read_old(metas: &Metas) -> Option<Self> {
        let mut lines: Vec<String> = Vec::new();
        let mut start = None;
        for meta in metas.of("doc") {
            let Meta::NameValue(pair) = meta else { continue };
            let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else { continue };
            start.get_or_insert(pair.span());
            lines.extend(text.value().split('\n').map(|line| line.trim().to_owned()));
        }
        let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
        lines.drain(..first);
        lines.pop_if(|line| line.is_empty());
        if lines.iter().all(|line| line.starts_with('*')) {
            lines = lines.iter().map(|line| line[1..].trim().to_owned()).collect();
            let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
            lines.drain(..first);
        }
        let text = lines.join("\n");
        let (title, description) = match text.strip_prefix('#') {
            Some(heading) => {
                let (title, rest) = heading.split_once('\n').unwrap_or((heading, ""));
                (title.trim_start_matches('#').trim(), rest)
            }
            None => ("", text.as_str()),
        };
        let paragraphs =
            description.trim().split("\n\n").map(|text| text.trim().replace('\n', " "));
        let paragraphs: Vec<String> = paragraphs.filter(|text| !text.is_empty()).collect();
        let (title, description) = (title.to_owned(), paragraphs.join("\n\n"));
        // What says nothing is as good as not there.
        (!title.is_empty() || !description.is_empty()).then_some(Self {
            title,
            description,
            span: start?,
        })
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
