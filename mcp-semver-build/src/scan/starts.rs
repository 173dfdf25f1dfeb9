//! Where servers are started, and which types are named there.

use std::collections::BTreeSet;

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Expr};

use super::{Place, Start, any_ident};
use crate::framework::Framework;

/// Crates whose `serve` starts a web server.
const WEB: [&str; 4] = ["axum", "hyper", "tonic", "warp"];

/// Whether a function body starts a server, and the types it names; `this` is what `Self` means.
pub(crate) fn start(
    place: &Place,
    framework: &Framework,
    this: Option<&str>,
    block: &Block,
) -> Option<Start> {
    let mut starts = Starts { names: framework.starts, found: None };
    starts.visit_block(block);
    let mut types = BTreeSet::new();
    any_ident(block.to_token_stream(), &mut |ident| {
        let name = ident.to_string();
        match (name.as_str(), this) {
            ("Self" | "self", Some(this)) => _ = types.insert(this.to_owned()),
            _ if name.starts_with(char::is_uppercase) => _ = types.insert(name),
            _ => {}
        }
        false
    });
    Some(Start { span: place.at(starts.found?), types })
}

struct Starts {
    names: &'static [&'static str],
    found: Option<Span>,
}

impl<'ast> Visit<'ast> for Starts {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let named = |name: &syn::Ident, list: &[&str]| list.iter().any(|entry| name == entry);
        match expr {
            Expr::MethodCall(call) if named(&call.method, self.names) => {
                self.found.get_or_insert(call.method.span());
            }
            Expr::Path(path) => {
                let segments = &path.path.segments;
                let web = segments.first().is_some_and(|first| named(&first.ident, &WEB));
                let call = segments.iter().find(|segment| {
                    let is_type = segment.ident.to_string().starts_with(char::is_uppercase);
                    // A function's name is the last of its path; a type's may stand before `new`.
                    (is_type || Some(*segment) == segments.last())
                        && named(&segment.ident, self.names)
                });
                if let Some(found) = call.filter(|_| !web) {
                    self.found.get_or_insert(found.ident.span());
                }
            }
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}
