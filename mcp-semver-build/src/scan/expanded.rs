//! Tools that only macro expansion shows.

use std::collections::BTreeSet;
use std::io;

use quote::{format_ident, quote};
use syn::{ImplItem, Item, ItemImpl, ReturnType, Signature, Type};

use super::signature::{SelfType, parameters, self_type};
use super::{Block, Call, CrateScan, DeclaredTool, Handler, RouterFn, SourceSpan, Unread, depth};
use crate::framework::rmcp::{returns_router, routers};

/// Why the text of an expanded crate could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the expanded source does not parse at line {line}: {message}")]
pub struct ExpandedError {
    /// Line of the expanded text, counted from 1.
    pub line: usize,
    /// What the parser said.
    pub message: String,
}

/// Adds to `scan` what the text that `rustc -Zunpretty=expanded` printed for the same target shows
/// beyond it: tools, routers and handlers that macros or included files make, and whether the
/// modules that macros declare exist.
///
/// # Errors
/// [`ExpandedError`] when the text does not parse.
pub fn scan_expanded(scan: &CrateScan, expanded: &str) -> Result<CrateScan, ExpandedError> {
    let told = |error: io::Error| ExpandedError { line: 1, message: error.to_string() };
    depth::with_stack(|| added(scan, expanded)).map_err(told)?
}

fn added(scan: &CrateScan, expanded: &str) -> Result<CrateScan, ExpandedError> {
    let file = depth::parse::<syn::File>(expanded).map_err(|error| ExpandedError {
        line: error.span().start().line,
        message: error.to_string(),
    })?;
    let mut expansion = Expansion { scan: scan.clone(), real: BTreeSet::new() };
    expansion.items(&[0], &file.items);
    let Expansion { mut scan, real } = expansion;
    for (index, module) in scan.modules.iter_mut().enumerate() {
        module.from_macro &= !real.contains(&index);
    }
    Ok(scan)
}

struct Expansion {
    scan: CrateScan,
    /// Modules that exist in the expanded crate.
    real: BTreeSet<usize>,
}

impl Expansion {
    /// Walks the items of one module. Alternatives under different `cfg`s share a name, and the
    /// expanded text does not tell which was taken: `modules` are all that it may be.
    fn items(&mut self, modules: &[usize], list: &[Item]) {
        self.real.extend(modules);
        for item in list {
            match item {
                Item::Mod(item) => {
                    let Some((_, inner)) = &item.content else { continue };
                    let name = item.ident.to_string();
                    let inside: Vec<usize> = (0..self.scan.modules.len())
                        .filter(|&index| {
                            let module = &self.scan.modules[index];
                            module.name == name
                                && module.parent.is_some_and(|parent| modules.contains(&parent))
                        })
                        .collect();
                    if inside.is_empty() {
                        self.unreachable(modules[0], &name, inner);
                    } else {
                        self.items(&inside, inner);
                    }
                }
                Item::Impl(block) => self.block(modules, block),
                Item::Fn(function) => self.getter(modules, None, &function.sig),
                _ => {}
            }
        }
    }

    /// A module that a macro makes whole: its items may be private, so they are not reachable.
    fn unreachable(&mut self, parent: usize, name: &str, list: &[Item]) {
        let holds = list.iter().any(|item| {
            match item {
            Item::Impl(block) => block.items.iter().any(|item| {
                matches!(item, ImplItem::Fn(method) if described_tool(&method.sig).is_some())
            }),
            _ => false,
        }
        });
        if holds {
            self.scan.unread.push(Unread {
                span: self.start_of(parent),
                reason: format!(
                    "the module `{name}` is made by a macro and declares tools that cannot be \
                     reached; declare the module itself outside the macro"
                ),
            });
        }
    }

    fn start_of(&self, module: usize) -> SourceSpan {
        SourceSpan::point(self.scan.modules[module].file.clone(), 1, 1)
    }

    fn block(&mut self, modules: &[usize], block: &ItemImpl) {
        let this = self_type(&block.self_ty, &block.generics);
        let generic = !parameters(&block.generics).is_empty();
        match &block.trait_ {
            Some((path, _)) if path.segments.last().is_some_and(|s| s.ident == "ServerHandler") => {
                self.handler(modules, &this, block);
            }
            Some(_) => {}
            None => {
                for item in &block.items {
                    let ImplItem::Fn(method) = item else { continue };
                    if returns_router(&method.sig) {
                        self.router(modules, &this, generic, &method.sig);
                    } else {
                        self.getter(modules, Some((&this, generic)), &method.sig);
                    }
                }
            }
        }
    }

    fn handler(&mut self, modules: &[usize], this: &SelfType, block: &ItemImpl) {
        let known =
            |handler: &Handler| handler.self_type == this.name && modules.contains(&handler.module);
        if self.scan.handlers.iter().any(known) {
            return;
        }
        let serves = block
            .items
            .iter()
            .find_map(|item| match item {
                ImplItem::Fn(method) if method.sig.ident == "list_tools" => {
                    Some(routers::listed(method, this))
                }
                _ => None,
            })
            .unwrap_or(super::Serves::Nothing);
        self.scan.handlers.push(Handler {
            self_type: this.name.clone(),
            span: self.start_of(modules[0]),
            module: modules[0],
            cfgs: Vec::new(),
            serves,
        });
    }

    fn router(&mut self, modules: &[usize], this: &SelfType, generic: bool, sig: &Signature) {
        let name = sig.ident.to_string();
        let known = |router: &RouterFn| {
            router.self_type == this.name && router.name == name && modules.contains(&router.module)
        };
        if self.scan.routers.iter().any(known) {
            return;
        }
        self.scan.routers.push(RouterFn {
            self_type: this.name.clone(),
            call: (!generic).then(|| format!("{}::{name}()", this.path)),
            name,
            module: modules[0],
            cfgs: Vec::new(),
            span: self.start_of(modules[0]),
            generated: true,
            returns: None,
        });
    }

    fn getter(&mut self, modules: &[usize], this: Option<(&SelfType, bool)>, sig: &Signature) {
        let Some(function) = described_tool(sig) else { return };
        let type_name = this.map(|(this, _)| this.name.clone());
        let known = |tool: &DeclaredTool| {
            tool.function == function
                && tool.self_type == type_name
                && modules.contains(&tool.module)
        };
        if self.scan.tools.iter().any(known) {
            return;
        }
        let getter = format_ident!("{}", sig.ident);
        let call = match this {
            None => Call::Direct(quote!(#getter()).to_string()),
            Some((this, false)) => {
                let path = &this.path;
                Call::Direct(quote!(#path::#getter()).to_string())
            }
            Some((this, true)) => {
                Call::Unreadable(format!("a macro declares it on the generic type `{}`", this.name))
            }
        };
        self.scan.tools.push(DeclaredTool {
            function,
            self_type: type_name,
            span: self.start_of(modules[0]),
            made_by_macro: true,
            module: modules[0],
            cfgs: Vec::new(),
            block: Block::Plain,
            call,
        });
    }
}

/// The tool that a generated description function belongs to: `search` of
/// `search_tool_attr() -> Tool`.
fn described_tool(sig: &Signature) -> Option<String> {
    let name = sig.ident.to_string();
    let function = name.strip_suffix("_tool_attr")?;
    let ReturnType::Type(_, ty) = &sig.output else { return None };
    let is_tool = matches!(ty.as_ref(), Type::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "Tool"));
    (is_tool && sig.inputs.is_empty()).then(|| function.to_owned())
}
