//! pmcp: tools are handed to a `ServerBuilder` one by one while the server starts, under names that
//! the call gives, so that no listing of them exists before. Its servers are recognised, to say so.

use syn::{Attribute, Ident, Item};

use super::{Framework, functions, through_serde_json};
use crate::scan::attrs::{cfgs, find, flatten};
use crate::scan::{Call, CrateScan, DeclaredTool, Handler, Place, Serves};

/// What is known of pmcp.
const WHY: &str = "pmcp puts its tools together while the server starts";

/// pmcp, every version.
pub(super) static PMCP: Framework = Framework {
    name: "pmcp",
    ident: "pmcp",
    renamable: false,
    generators: &["schemars"],
    needs: &[],
    tried: ((2, 23), (2, 23)),
    evaluated: false,
    impossible: Some(WHY),
    words: &["mcp_server", "mcp_tool", "tool_router", "ServerBuilder"],
    macros: &[],
    starts: &["run_stdio", "run_with_transport"],
    collect,
    json: |value| through_serde_json("serde_json", value),
};

fn collect(scan: &mut CrateScan, place: &Place, items: &[Item]) {
    for item in items {
        let (attributes, ident): (&[Attribute], Option<&Ident>) = match item {
            Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            Item::Impl(item) => (&item.attrs, None),
            _ => continue,
        };
        let flat = flatten(attributes);
        if let Some(ident) = ident
            && find(&flat, "mcp_tool").is_some()
        {
            let call = Call::Unreadable(WHY.into());
            scan.tools.push(DeclaredTool::free(place, ident, cfgs(attributes), call));
        }
        if find(&flat, "mcp_server").is_some() {
            scan.handlers.push(builder(place, syn::spanned::Spanned::span(item)));
        }
    }
    let builders = functions::mentions(items, &["Server", "ServerBuilder", "ServerCoreBuilder"]);
    scan.handlers.extend(builders.into_iter().map(|(_, span)| builder(place, span)));
}

fn builder(place: &Place, span: proc_macro2::Span) -> Handler {
    Handler {
        self_type: "ServerBuilder".into(),
        span: place.at(span),
        module: place.module,
        cfgs: Vec::new(),
        serves: Serves::Opaque(WHY.into()),
    }
}
