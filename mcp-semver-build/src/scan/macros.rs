//! Item macros: which may make tools, and which modules they declare.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::Parser;
use syn::{Item, ItemMacro, ItemMod};

use super::{CrateScan, SourceSpan, Unread, attrs};
use crate::framework::Framework;
use crate::hook::MODULE_FILE;

/// Well-known item macros that make no tools; any other macro from elsewhere might.
const HARMLESS: [&str; 17] = [
    "assert_impl_all",
    "bitflags",
    "cfg_if",
    "compile_error",
    "const_assert",
    "criterion_group",
    "criterion_main",
    "elicit_safe",
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

/// Attributes on an `impl` that leave it as it is, or whose effect on tools is known.
const KNOWN_ATTRIBUTES: [&str; 18] = [
    "allow",
    "async_trait",
    "automatically_derived",
    "automock",
    "cfg",
    "coverage",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "inline",
    "instrument",
    "must_use",
    "prompt_handler",
    "prompt_router",
    "task_handler",
    "warn",
    "wasm_bindgen",
];

/// Notes in a scan what macros may make that the source does not show.
pub(super) fn look(scan: &mut CrateScan, framework: &'static Framework, trees: &[Vec<Item>]) {
    let alias = scan.alias().map(str::to_owned);
    let mut macros = Macros::new(framework, alias);
    for item in trees.iter().flatten() {
        match item {
            Item::Macro(item) => macros.see(item),
            Item::Impl(block) => macros.see_attributes(&block.attrs),
            _ => {}
        }
    }
    if !macros.may_make_tools(scan) {
        return;
    }
    if framework.evaluated {
        scan.needs_expansion = true;
        return;
    }
    // What is served is evaluated by the compiler, whoever made it; only which type is the server
    // has to be seen.
    let seen = |start: &super::Start| {
        scan.handlers.iter().any(|handler| start.types.contains(&handler.self_type))
    };
    if scan.handlers.is_empty() || !scan.starts.iter().all(seen) {
        scan.unread.push(Unread {
            span: SourceSpan::point(scan.root.clone(), 1, 1),
            reason: format!(
                "macros may make a server on {}, and it could not be looked for; ask the running \
                 server with `--serve`",
                framework.name
            ),
        });
    }
}

/// The item macros a crate defines and invokes.
struct Macros {
    framework: &'static Framework,
    /// See [`CrateScan::alias`].
    alias: Option<String>,
    /// Macros defined here, and whether their text speaks of tools.
    defined: BTreeMap<String, bool>,
    /// Macros invoked as items, and whether their input speaks of tools.
    invoked: BTreeSet<(String, bool)>,
    /// Whether an attribute that is not known stands on an `impl`.
    rewritten: bool,
}

impl Macros {
    fn new(framework: &'static Framework, alias: Option<String>) -> Self {
        let (defined, invoked) = (BTreeMap::new(), BTreeSet::new());
        Self { framework, alias, defined, invoked, rewritten: false }
    }

    fn see(&mut self, item: &ItemMacro) {
        let words = self.framework.words;
        let speaks =
            any_ident(item.mac.tokens.clone(), &mut |ident| words.iter().any(|word| ident == word));
        match (&item.ident, item.mac.path.segments.last()) {
            (Some(name), _) => {
                *self.defined.entry(name.to_string()).or_default() |= speaks;
            }
            (None, Some(last)) if last.ident == "include" && is_hook_module(item) => {}
            // Those of the framework itself have been collected.
            (None, Some(last)) if self.framework.macros.iter().any(|name| last.ident == name) => {}
            (None, Some(last)) => {
                self.invoked.insert((last.ident.to_string(), speaks));
            }
            (None, None) => {}
        }
    }

    /// Notes the attributes of an `impl`, which may rewrite it.
    fn see_attributes(&mut self, attributes: &[syn::Attribute]) {
        self.rewritten |= attrs::flatten(attributes).iter().any(|attribute| {
            let path = attribute.meta.path();
            let last = path.segments.last().map(|last| last.ident.to_string());
            let tool = path.segments.first().is_some_and(|first| {
                // Attributes of tools say nothing about others: `#[rustfmt::skip]`.
                first.ident == self.framework.ident
                    || self.alias.as_ref().is_some_and(|alias| first.ident == alias)
                    || ["clippy", "diagnostic", "rustfmt"].iter().any(|tool| first.ident == tool)
            });
            let known = |last: String| {
                KNOWN_ATTRIBUTES.contains(&last.as_str())
                    || self.framework.words.contains(&last.as_str())
            };
            !tool && !last.is_some_and(known)
        });
    }

    /// Whether some invocation may make tools that the source does not show.
    fn may_make_tools(&self, scan: &CrateScan) -> bool {
        // A macro of this crate may call another, so one that speaks of tools taints all.
        let defined_speaks = self.defined.values().any(|speaks| *speaks);
        let tools = scan.tools.iter().map(|tool| tool.module);
        let routers = scan.routers.iter().map(|router| router.module);
        let handlers = scan.handlers.iter().map(|handler| handler.module);
        let through_modules = tools.chain(routers).chain(handlers).any(|module| {
            let mut module = Some(module);
            std::iter::from_fn(|| {
                let current = module?;
                module = scan.modules[current].parent;
                Some(scan.modules[current].from_macro)
            })
            .any(|from_macro| from_macro)
        });
        through_modules
            || self.rewritten
            || self.invoked.iter().any(|(name, input_speaks)| {
                *input_speaks
                    || match self.defined.get(name) {
                        Some(_) => defined_speaks,
                        None => !HARMLESS.contains(&name.as_str()),
                    }
            })
    }
}

/// Whether an `include!` is of the module that the build-script hook makes.
pub(crate) fn is_hook_module(include: &ItemMacro) -> bool {
    let file = format!("/{MODULE_FILE}\"");
    include.mac.tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Group(group) => group.stream().to_string().ends_with(&file),
        _ => false,
    })
}

/// Whether any identifier at any depth satisfies `test`.
pub(crate) fn any_ident(
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
