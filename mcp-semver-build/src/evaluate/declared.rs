//! Which names the item macros of a module may declare.
//!
//! A `macro_rules!` makes items where it is called, not where it is defined, and makes them of its
//! own text and of what it is given. There a name is declared by the word before it (`struct`,
//! `fn`, ..), by an import or by another macro. Whatever else a body mentions, such as derives,
//! attributes, types and all that stands in the braces of an item, declares nothing in the module
//! (Rust Reference, "Macros By Example"). In doubt a name may be declared.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::{Ident, ItemMacro, Macro};

use super::matcher::{Input, Place};
use super::program::{ModuleId, Program, What, active, unraw};
use super::transcriber::{Body, everything};
use crate::scan::{any_ident, is_hook_module};

/// Macros of other crates that declare nothing but what stands behind a word in their input.
const KNOWN: [(&str, &str); 4] = [
    ("bitflags", "struct"),
    ("lazy_static", "ref"),
    ("task_local", "static"),
    ("thread_local", "static"),
];

/// The names that the macro calls of a module may declare.
#[derive(Default)]
pub(super) struct Declared {
    names: BTreeSet<String>,
    /// Whether they may declare any name.
    any: bool,
}

impl Declared {
    pub(super) fn may_be(&self, name: &str) -> bool {
        self.any || self.names.contains(name)
    }

    /// Reads the calls of a module, and of what they call.
    pub(super) fn of(program: &Program<'_>, module: ModuleId) -> Self {
        let mut declared = Self::default();
        let mut calls = Vec::new();
        let mut inputs = BTreeMap::new();
        let cfg = &program.krate(module).unit.cfg;
        let items = program.names(module).macros.iter().filter(|item| item.ident.is_none());
        for item in items.filter(|item| active(cfg, &item.attrs) != Some(false)) {
            let Some(name) = item.mac.path.segments.last().map(|last| unraw(&last.ident)) else {
                declared.any = true;
                continue;
            };
            if name == "include" && is_hook_module(item) {
                declared.names.extend(["TOOLS", "tool"].map(str::to_owned));
                continue;
            }
            let is_alone = item.mac.path.get_ident().is_some();
            let input = inputs
                .entry((name.clone(), is_alone))
                .or_insert_with(|| input(program, module, &item.mac, &name));
            let tokens = item.mac.tokens.clone();
            match input {
                Input::All => {
                    declared.any |= everything(tokens, &mut declared.names, &mut calls);
                }
                Input::At(places) => given(tokens, 0, places, &mut declared.names),
            }
            calls.push(name);
        }
        let mut seen = BTreeSet::new();
        while let Some(name) = calls.pop() {
            if declared.any || seen.contains(&name) {
                continue;
            }
            let called = program.called(&name);
            declared.any |= called.any;
            declared.names.extend(called.names.iter().cloned());
            calls.extend(called.calls.iter().cloned());
            seen.insert(name);
        }
        declared
    }
}

/// What of the input of a call may be declared.
fn input(program: &Program<'_>, module: ModuleId, call: &Macro, name: &str) -> Input {
    // Which macro a name alone means is certain where it is defined around the call.
    let is_alone =
        call.path.get_ident().is_some() && !program.names(module).entries.contains_key(name);
    let around = std::iter::successors(Some(module), |at| program.parent(*at));
    let own: Vec<_> = around.flat_map(|at| definitions(program, at, name)).collect();
    match (own.as_slice(), known(call)) {
        ([], Some(word)) => Input::behind(word),
        ([], None) => Input::All,
        (_, _) if !is_alone => Input::All,
        (own, _) => own.iter().flat_map(|item| arms(item)).fold(Input::none(), |input, arm| {
            input.or(match arm {
                Some((matcher, body)) => Body::read(body).declares_of(matcher),
                None => Input::All,
            })
        }),
    }
}

/// What the macros of a name declare whatever they are given, and what they call.
#[derive(Default)]
pub(super) struct Called {
    names: BTreeSet<String>,
    any: bool,
    calls: Vec<String>,
}

impl Called {
    /// Reads every macro of these crates that a name may mean.
    pub(super) fn of(program: &Program<'_>, name: &str) -> Self {
        let mut called = Self { any: name.starts_with("include"), ..Self::default() };
        let mut is_defined = false;
        for module in program.modules() {
            for arm in definitions(program, module, name).flat_map(arms) {
                is_defined = true;
                match arm {
                    Some((_, body)) => {
                        let mut body = Body::read(body);
                        called.any |= body.any;
                        called.names.append(&mut body.names);
                        called.calls.append(&mut body.calls);
                    }
                    None => called.any = true,
                }
            }
            // It may be the new name of another macro.
            let entries = program.names(module).entries.get(name).into_iter().flatten();
            called.calls.extend(entries.filter_map(|entry| match &entry.what {
                What::Use(path) => path.segments.last().cloned(),
                _ => None,
            }));
        }
        // A macro that another one makes is not seen.
        called.any |= !is_defined && program.mentioned().contains("macro_rules");
        called
    }
}

/// The words of all macros that may implement a trait, or make macros: of what well-known ones are
/// not given, and of definitions that speak of `Serialize` or of macros.
pub(super) fn mentioned(program: &Program<'_>) -> BTreeSet<String> {
    let mut mentioned = BTreeSet::new();
    for item in program.modules().flat_map(|module| &program.names(module).macros) {
        let makes = |ident: &Ident| ident == "Serialize" || ident == "macro_rules";
        let counts = match item.ident {
            Some(_) => any_ident(item.mac.tokens.clone(), &mut |ident| makes(ident)),
            None => known(&item.mac).is_none(),
        };
        if counts {
            any_ident(item.mac.tokens.clone(), &mut |ident| {
                mentioned.insert(unraw(ident));
                false
            });
        }
    }
    mentioned
}

/// The word behind which a well-known macro finds the names that it declares.
fn known(call: &Macro) -> Option<&'static str> {
    let last = &call.path.segments.last()?.ident;
    KNOWN.iter().find(|(known, _)| last == known).map(|(_, word)| *word)
}

/// The macros of a name that a module defines.
fn definitions<'t>(
    program: &Program<'t>,
    module: ModuleId,
    name: &str,
) -> impl Iterator<Item = &'t ItemMacro> {
    let cfg = &program.krate(module).unit.cfg;
    let macros = program.names(module).macros.iter().copied();
    macros.filter(move |item| {
        item.ident.as_ref().is_some_and(|ident| unraw(ident) == name)
            && active(cfg, &item.attrs) != Some(false)
    })
}

/// What the rules of a macro match, and what they make of it; `None` for what is no rule.
fn arms(item: &ItemMacro) -> Vec<Option<(TokenStream, TokenStream)>> {
    let trees: Vec<TokenTree> = item.mac.tokens.clone().into_iter().collect();
    let is_sign =
        |tree: &TokenTree, sign| matches!(tree, TokenTree::Punct(it) if it.as_char() == sign);
    let mut arms = Vec::new();
    let mut rest = trees.as_slice();
    while !rest.is_empty() {
        match rest {
            [semicolon, after @ ..] if is_sign(semicolon, ';') => rest = after,
            [TokenTree::Group(matcher), equal, greater, TokenTree::Group(body), after @ ..]
                if is_sign(equal, '=') && is_sign(greater, '>') =>
            {
                arms.push(Some((matcher.stream(), body.stream())));
                rest = after;
            }
            _ => {
                arms.push(None);
                break;
            }
        }
    }
    arms
}

/// Notes the words at some places of what a macro is given.
fn given(
    tokens: TokenStream,
    depth: usize,
    places: &BTreeSet<Place>,
    names: &mut BTreeSet<String>,
) {
    let mut before = None;
    for tree in tokens {
        if let TokenTree::Ident(ident) = &tree {
            let place = Place { depth, before: before.take() };
            let anywhere = Place { depth: usize::MAX, ..place.clone() };
            if places.contains(&place) || places.contains(&anywhere) {
                names.insert(unraw(ident));
            }
        }
        before = Some(Place::text(&tree));
        if let TokenTree::Group(group) = tree {
            given(group.stream(), depth + 1, places, names);
        }
    }
}
