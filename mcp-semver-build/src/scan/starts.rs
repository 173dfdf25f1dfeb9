//! Where servers are started, and which types are named there.

use std::collections::BTreeSet;

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Expr};

use super::Start;
use super::macros::any_ident;
use super::walk::Place;

/// Methods and functions that start a server on a transport.
const CALLS: [&str; 7] = [
    "serve",
    "serve_directly",
    "serve_directly_with_ct",
    "serve_server",
    "serve_server_with_ct",
    "serve_with_ct",
    "with_service",
];
/// Types that start a server for each session.
const SERVICES: [&str; 2] = ["LocalSessionManager", "StreamableHttpService"];
/// Crates whose `serve` starts a web server.
const WEB: [&str; 4] = ["axum", "hyper", "tonic", "warp"];

/// Whether a function body starts a server, and the types it names; `this` is what `Self` means.
pub(super) fn start(place: &Place, this: Option<&str>, block: &Block) -> Option<Start> {
    let mut starts = Starts(None);
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
    Some(Start { span: place.at(starts.0?), types })
}

struct Starts(Option<Span>);

impl<'ast> Visit<'ast> for Starts {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let named = |name: &syn::Ident, list: &[&str]| list.iter().any(|entry| name == entry);
        match expr {
            Expr::MethodCall(call) if named(&call.method, &CALLS) => {
                self.0.get_or_insert(call.method.span());
            }
            Expr::Path(path) => {
                let segments = &path.path.segments;
                let web = segments.first().is_some_and(|first| named(&first.ident, &WEB));
                let service = segments.iter().find(|segment| named(&segment.ident, &SERVICES));
                let call = segments.last().filter(|last| named(&last.ident, &CALLS));
                if let Some(found) = service.or(call).filter(|_| !web) {
                    self.0.get_or_insert(found.ident.span());
                }
            }
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}
