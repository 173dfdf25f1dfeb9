//! What one rule of a `macro_rules!` makes, as far as names go.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

use super::matcher::Input;
use super::program::unraw;
use crate::scan::any_ident;

/// Words behind which the name of an item stands.
const NAMING: [&str; 13] = [
    "as", "const", "crate", "enum", "fn", "macro", "mod", "mut", "static", "struct", "trait",
    "type", "union",
];

/// Words that an item may begin with, before those.
const MODIFIERS: [&str; 6] = ["async", "auto", "default", "pub", "safe", "unsafe"];

/// What one rule of a macro makes, as far as it stands in the module itself.
#[derive(Default)]
pub(super) struct Body {
    pub(super) names: BTreeSet<String>,
    /// The macros that it calls.
    pub(super) calls: Vec<String>,
    /// Whether it may declare any name.
    pub(super) any: bool,
    /// The fragments that may be names, or whole items.
    holes: BTreeSet<String>,
    /// Whether all that is given may be named by another macro.
    passes_on: bool,
}

/// What stands before a token.
#[derive(PartialEq)]
enum Before {
    /// Nothing, or the end of something: an item may begin.
    Edge,
    /// A fragment, which may be a word that a name stands behind.
    Fragment,
    /// Such a word.
    Naming,
    Other,
}

impl Body {
    pub(super) fn read(body: TokenStream) -> Self {
        let mut read = Self {
            any: any_ident(body.clone(), &mut |ident| joins(&ident.to_string())),
            ..Self::default()
        };
        read.items(body, Before::Edge);
        read
    }

    /// What of its input it may declare, where the input is matched by this.
    pub(super) fn declares_of(&self, matcher: TokenStream) -> Input {
        if self.passes_on { Input::All } else { Input::of(matcher, &self.holes) }
    }

    /// Reads tokens that items are made of.
    fn items(&mut self, tokens: TokenStream, mut before: Before) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let sign = |at: usize, sign| matches!(trees.get(at), Some(TokenTree::Punct(it)) if it.as_char() == sign);
        let group = |at: usize| match trees.get(at) {
            Some(TokenTree::Group(group)) => Some(group),
            _ => None,
        };
        let mut at = 0;
        while let Some(tree) = trees.get(at) {
            at += 1;
            before = match tree {
                TokenTree::Punct(it) if it.as_char() == '#' => {
                    // An attribute, and `!` where it is an inner one.
                    at += usize::from(sign(at, '!'));
                    at += usize::from(group(at).is_some());
                    before
                }
                TokenTree::Punct(it) if it.as_char() == '$' => match trees.get(at) {
                    Some(TokenTree::Ident(name)) => {
                        at += 1;
                        if *name != "crate" && before != Before::Other {
                            self.holes.insert(name.to_string());
                        }
                        // A macro that is given by its name.
                        self.any |= sign(at, '!');
                        Before::Fragment
                    }
                    Some(TokenTree::Group(repeated)) => {
                        at += 1;
                        // Behind itself, too.
                        self.items(repeated.stream(), Before::Fragment);
                        // The separator and how often it is repeated.
                        let is_count = ['*', '+', '?'].into_iter().any(|it| sign(at, it));
                        at += usize::from(!is_count);
                        at += 1;
                        Before::Fragment
                    }
                    _ => {
                        self.any = true;
                        Before::Other
                    }
                },
                TokenTree::Punct(it) if it.as_char() == ';' => Before::Edge,
                TokenTree::Ident(word) if *word == "use" => {
                    let is_end = |tree: &TokenTree| matches!(tree, TokenTree::Punct(it) if it.as_char() == ';');
                    let end = trees[at..].iter().position(is_end);
                    let end = end.map_or(trees.len(), |end| at + end);
                    self.imports(&trees[at..end]);
                    at = end;
                    Before::Edge
                }
                TokenTree::Ident(word) => {
                    let word = unraw(word);
                    if matches!(before, Before::Naming | Before::Fragment) {
                        self.names.insert(word.clone());
                    }
                    if sign(at, '!') {
                        at += 1;
                        if let Some(TokenTree::Ident(name)) = trees.get(at) {
                            // `macro_rules! name`
                            self.names.insert(unraw(name));
                            at += 1;
                        }
                        if let Some(input) = group(at) {
                            at += 1;
                            self.passes_on |= has_fragments(input.stream());
                            everything(input.stream(), &mut self.names, &mut self.calls);
                        }
                        self.calls.push(word);
                        Before::Edge
                    } else if word == "extern" {
                        // What a block of foreign items declares, it declares around it.
                        let literal = matches!(trees.get(at), Some(TokenTree::Literal(_)));
                        if let Some(block) = group(at + usize::from(literal)) {
                            self.items(block.stream(), Before::Edge);
                        }
                        Before::Edge
                    } else if NAMING.contains(&word.as_str()) {
                        Before::Naming
                    } else if MODIFIERS.contains(&word.as_str()) {
                        Before::Edge
                    } else {
                        Before::Other
                    }
                }
                TokenTree::Group(_) | TokenTree::Literal(_) => Before::Edge,
                TokenTree::Punct(_) => Before::Other,
            };
        }
    }

    /// Reads what stands behind `use`.
    fn imports(&mut self, trees: &[TokenTree]) {
        let sign = |at: usize, sign| matches!(trees.get(at), Some(TokenTree::Punct(it)) if it.as_char() == sign);
        let mut at = 0;
        while let Some(tree) = trees.get(at) {
            match tree {
                TokenTree::Punct(it) if it.as_char() == '$' => {
                    at += 1;
                    match trees.get(at) {
                        Some(TokenTree::Ident(name)) => _ = self.holes.insert(name.to_string()),
                        Some(TokenTree::Group(repeated)) => {
                            self.imports(&repeated.stream().into_iter().collect::<Vec<_>>());
                            let is_count = ['*', '+', '?'].into_iter().any(|it| sign(at + 1, it));
                            at += usize::from(!is_count);
                            at += 1;
                        }
                        _ => self.any = true,
                    }
                }
                // A glob.
                TokenTree::Punct(it) if it.as_char() == '*' => self.any = true,
                // What stands before `::` is declared by `self` behind it alone.
                TokenTree::Ident(word) => {
                    let of_self = |tree: &TokenTree| match tree {
                        TokenTree::Group(list) => {
                            any_ident(list.stream(), &mut |ident| ident == "self")
                        }
                        _ => false,
                    };
                    if !sign(at + 1, ':') || trees.get(at + 3).is_some_and(of_self) {
                        self.names.insert(unraw(word));
                    }
                }
                TokenTree::Group(list) => {
                    self.imports(&list.stream().into_iter().collect::<Vec<_>>());
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// Whether some of what a macro is given stands in tokens.
fn has_fragments(tokens: TokenStream) -> bool {
    let mut is_fragment = false;
    tokens.into_iter().any(|tree| {
        let before = std::mem::take(&mut is_fragment);
        match tree {
            TokenTree::Punct(sign) => {
                is_fragment = sign.as_char() == '$';
                false
            }
            TokenTree::Ident(name) => before && name != "crate",
            TokenTree::Group(group) => has_fragments(group.stream()),
            TokenTree::Literal(_) => false,
        }
    })
}

/// Takes every word for a name; whether names may be put together of parts.
pub(super) fn everything(
    tokens: TokenStream,
    names: &mut BTreeSet<String>,
    calls: &mut Vec<String>,
) -> bool {
    let mut last: Option<String> = None;
    let mut any = false;
    for tree in tokens {
        let word = match &tree {
            TokenTree::Ident(ident) => Some(unraw(ident)),
            _ => None,
        };
        match tree {
            TokenTree::Punct(sign) if sign.as_char() == '!' => calls.extend(last.take()),
            TokenTree::Group(group) => any |= everything(group.stream(), names, calls),
            _ => {}
        }
        any |= word.as_deref().is_some_and(joins);
        names.extend(word.clone());
        last = word;
    }
    any
}

/// Whether a macro makes names of parts.
fn joins(name: &str) -> bool {
    name == "paste" || name == "concat_idents"
}
