//! Where in the input of a macro its fragments stand, as its matcher tells.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A place in the input of a macro.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// In how many brackets; the greatest number for any.
    pub(super) depth: usize,
    /// The text of the token before; nothing where it is the first in its brackets.
    pub(super) before: Option<String>,
}

impl Place {
    /// The text of a token; of brackets that which opens them.
    pub(super) fn text(tree: &TokenTree) -> String {
        match tree {
            TokenTree::Group(group) => match group.delimiter() {
                Delimiter::Parenthesis => "(".into(),
                Delimiter::Brace => "{".into(),
                Delimiter::Bracket => "[".into(),
                Delimiter::None => String::new(),
            },
            other => other.to_string(),
        }
    }
}

/// Which words of its input a macro may name items by.
pub(super) enum Input {
    All,
    /// Those at these places.
    At(BTreeSet<Place>),
}

impl Input {
    pub(super) fn none() -> Self {
        Self::At(BTreeSet::new())
    }

    /// The words behind another one, in whatever brackets.
    pub(super) fn behind(word: &str) -> Self {
        Self::At([Place { depth: usize::MAX, before: Some(word.to_owned()) }].into())
    }

    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::At(mut one), Self::At(mut other)) => {
                one.append(&mut other);
                Self::At(one)
            }
            _ => Self::All,
        }
    }

    /// The words that a matcher takes for these fragments.
    pub(super) fn of(matcher: TokenStream, fragments: &BTreeSet<String>) -> Self {
        let mut found = Found { fragments, places: Some(BTreeSet::new()) };
        found.read(matcher, 0, Some([None].into()));
        found.places.map_or(Self::All, Self::At)
    }
}

/// What may stand before a token; `None` where that is not known.
type Before = Option<BTreeSet<Option<String>>>;

struct Found<'f> {
    fragments: &'f BTreeSet<String>,
    /// Where they stand; `None` for anywhere.
    places: Option<BTreeSet<Place>>,
}

impl Found<'_> {
    /// Reads one level of a matcher.
    fn read(&mut self, matcher: TokenStream, depth: usize, mut before: Before) {
        let mut trees = matcher.into_iter().peekable();
        while let Some(tree) = trees.next() {
            let is_dollar = matches!(&tree, TokenTree::Punct(sign) if sign.as_char() == '$');
            before = match (is_dollar, tree) {
                (false, TokenTree::Group(group)) => {
                    let opens = Place::text(&TokenTree::Group(group.clone()));
                    self.read(group.stream(), depth + 1, Some([None].into()));
                    Some([Some(opens)].into())
                }
                (false, tree) => Some([Some(tree.to_string())].into()),
                (true, _) => match trees.next() {
                    Some(TokenTree::Ident(name)) => {
                        // `:` and what kind of fragment it is.
                        let kind = trees.by_ref().take(2).last().map(|kind| kind.to_string());
                        if self.fragments.contains(&name.to_string()) {
                            self.fragment(kind.as_deref().unwrap_or_default(), depth, before);
                        }
                        None
                    }
                    Some(TokenTree::Group(repeated)) => {
                        let is_count = |tree: &TokenTree| {
                            matches!(tree, TokenTree::Punct(sign)
                                if ['*', '+', '?'].contains(&sign.as_char()))
                        };
                        let separator = trees.next_if(|tree| !is_count(tree));
                        trees.next();
                        let last = last(repeated.stream());
                        let again = match separator {
                            Some(tree) => Some([Some(Place::text(&tree))].into()),
                            None => last.clone(),
                        };
                        self.read(repeated.stream(), depth, both(before.clone(), again));
                        both(before, last)
                    }
                    _ => {
                        self.places = None;
                        None
                    }
                },
            };
        }
    }

    /// Notes a fragment that may name an item.
    fn fragment(&mut self, kind: &str, depth: usize, before: Before) {
        match (kind, before, &mut self.places) {
            ("ident", Some(before), Some(places)) => {
                places.extend(before.into_iter().map(|before| Place { depth, before }));
            }
            // These are no names, and hold no items.
            (
                "block" | "expr" | "expr_2021" | "lifetime" | "literal" | "meta" | "pat"
                | "pat_param" | "path" | "ty" | "vis",
                ..,
            ) => {}
            _ => self.places = None,
        }
    }
}

/// What a part of a matcher ends with, where that is no fragment and nothing repeated: those take
/// up to four tokens.
fn last(matcher: TokenStream) -> Before {
    let trees: Vec<TokenTree> = matcher.into_iter().collect();
    let is_dollar = |tree: &TokenTree| matches!(tree, TokenTree::Punct(it) if it.as_char() == '$');
    match trees.last() {
        Some(last) if !trees.iter().rev().take(4).any(is_dollar) => {
            Some([Some(Place::text(last))].into())
        }
        _ => None,
    }
}

fn both(one: Before, other: Before) -> Before {
    match (one, other) {
        (Some(mut one), Some(mut other)) => {
            one.append(&mut other);
            Some(one)
        }
        _ => None,
    }
}
