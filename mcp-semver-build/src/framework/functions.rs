//! Function bodies: where servers are started, and what is declared where no path leads.

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ImplItem, Item, Type};

use super::Framework;
use crate::scan::{CrateScan, Place, SourceSpan, Unread, any_ident, attributes, starts};

/// Notes in a scan where the functions of a module start servers, and the tools that they declare
/// inside, which a probe cannot reach.
pub(super) fn look(scan: &mut CrateScan, framework: &Framework, place: &Place, items: &[Item]) {
    for (this, block) in bodies(items) {
        scan.starts.extend(starts::start(place, framework, this.as_deref(), block));
        let mut nested = Nested { framework, place, found: Vec::new() };
        nested.visit_block(block);
        scan.unread.extend(nested.found.into_iter().map(|span| {
            Unread {
                span,
                reason:
                    "tools are declared inside a function, where they cannot be read; move them \
                     to a module, or ask the running server with `--serve`"
                        .into(),
            }
        }));
    }
}

/// Every function with a body among the items of a module, and the name of what `Self` is there.
pub(super) fn bodies(items: &[Item]) -> Vec<(Option<String>, &Block)> {
    let mut bodies = Vec::new();
    for item in items {
        match item {
            Item::Fn(function) => bodies.push((None, &*function.block)),
            Item::Impl(block) => {
                let this = match &*block.self_ty {
                    Type::Path(path) => path.path.segments.last().map(|it| it.ident.to_string()),
                    _ => None,
                };
                bodies.extend(block.items.iter().filter_map(|item| match item {
                    ImplItem::Fn(method) => Some((this.clone(), &method.block)),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    bodies
}

/// For each function body that mentions one of `names`, the first that it does and where.
pub(super) fn mentions<'n>(items: &[Item], names: &[&'n str]) -> Vec<(&'n str, Span)> {
    let mention = |body: &Block| {
        let mut found = None;
        any_ident(body.to_token_stream(), &mut |ident| {
            let name = names.iter().find(|name| ident == *name);
            found = name.map(|name| (*name, ident.span()));
            found.is_some()
        });
        found
    };
    bodies(items).into_iter().filter_map(|(_, body)| mention(body)).collect()
}

struct Nested<'a> {
    framework: &'a Framework,
    place: &'a Place,
    found: Vec<SourceSpan>,
}

impl Nested<'_> {
    fn is_word(&self, ident: &syn::Ident) -> bool {
        self.framework.words.iter().any(|word| ident == word)
    }

    fn see(&mut self, attributes_of: &[Attribute]) {
        let marked = attributes(attributes_of).into_iter().find(|attribute| {
            attribute.meta.path().segments.last().is_some_and(|last| self.is_word(&last.ident))
        });
        self.found.extend(
            marked.map(|attribute| self.place.at(syn::spanned::Spanned::span(&attribute.meta))),
        );
    }
}

impl<'ast> Visit<'ast> for Nested<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(item) => self.see(&item.attrs),
            Item::Impl(item) => {
                let named = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
                match named.filter(|last| self.is_word(&last.ident)) {
                    Some(last) => self.found.push(self.place.at(last.ident.span())),
                    None => self.see(&item.attrs),
                }
            }
            Item::Struct(item) => self.see(&item.attrs),
            _ => {}
        }
        visit::visit_item(self, item);
    }
}
