//! Item macros: which may make tools, and which modules they declare.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::Parser;
use syn::{ItemMacro, ItemMod};

use super::CrateScan;
use super::walk::Place;

/// Words of which at least one stands wherever tools are made.
const TOOL_WORDS: [&str; 5] = ["tool", "tool_router", "tool_handler", "tool_box", "ToolRouter"];

/// Well-known item macros that make no tools; any other macro from elsewhere might.
const HARMLESS: [&str; 16] = [
    "assert_impl_all",
    "bitflags",
    "cfg_if",
    "compile_error",
    "const_assert",
    "criterion_group",
    "criterion_main",
    "embed_migrations",
    "global_asm",
    "i18n",
    "include_proto",
    "lazy_static",
    "pin_project",
    "setup_scaffolding",
    "task_local",
    "thread_local",
];

/// The item macros a crate defines and invokes.
#[derive(Default)]
pub(super) struct Macros {
    /// Macros defined here, and whether their text speaks of tools.
    defined: BTreeMap<String, bool>,
    /// Macros invoked as items, and whether their input speaks of tools.
    invoked: BTreeSet<(String, bool)>,
}

impl Macros {
    pub(super) fn see(&mut self, _place: &Place, item: &ItemMacro) {
        let speaks = speaks_of_tools(item.mac.tokens.clone());
        match (&item.ident, item.mac.path.segments.last()) {
            (Some(name), _) => {
                *self.defined.entry(name.to_string()).or_default() |= speaks;
            }
            (None, Some(last)) => {
                self.invoked.insert((last.ident.to_string(), speaks));
            }
            (None, None) => {}
        }
    }

    /// Whether some invocation may make tools that the source does not show.
    pub(super) fn may_make_tools(&self, scan: &CrateScan) -> bool {
        // A macro of this crate may call another, so one that speaks of tools taints all.
        let defined_speaks = self.defined.values().any(|speaks| *speaks);
        let through_modules = scan.tools.iter().any(|tool| {
            let mut module = Some(tool.module);
            std::iter::from_fn(|| {
                let current = module?;
                module = scan.modules[current].parent;
                Some(scan.modules[current].from_macro)
            })
            .any(|from_macro| from_macro)
        });
        through_modules
            || self.invoked.iter().any(|(name, input_speaks)| {
                *input_speaks
                    || match self.defined.get(name) {
                        Some(_) => defined_speaks,
                        None => !HARMLESS.contains(&name.as_str()),
                    }
            })
    }
}

fn speaks_of_tools(tokens: TokenStream) -> bool {
    any_ident(tokens, &mut |ident| TOOL_WORDS.iter().any(|word| ident == word))
}

/// Whether any identifier at any depth satisfies `test`.
pub(super) fn any_ident(
    tokens: TokenStream,
    test: &mut dyn FnMut(&proc_macro2::Ident) -> bool,
) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => test(&ident),
        TokenTree::Group(group) => any_ident(group.stream(), test),
        _ => false,
    })
}

/// The `mod name;` declarations in a macro's input, as `cfg_if!` has them.
pub(super) fn modules(tokens: TokenStream) -> Vec<ItemMod> {
    let mut out = Vec::new();
    let mut pending: Vec<TokenTree> = Vec::new();
    for tree in tokens {
        match &tree {
            TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Brace => {
                out.extend(modules(group.stream()));
                pending.clear();
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => {
                pending.push(tree);
                let declaration: TokenStream = pending.drain(..).collect();
                let parse = |input: syn::parse::ParseStream<'_>| input.parse::<ItemMod>();
                out.extend(parse.parse2(declaration).ok());
            }
            _ => pending.push(tree),
        }
    }
    out
}
