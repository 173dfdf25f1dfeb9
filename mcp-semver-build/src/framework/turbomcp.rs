//! turbomcp: the `#[tool]` functions in `#[server] impl T` are what `T` lists.
//!
//! The list needs a server, which nobody can make at build time, so the tools are declared once
//! more on a type without fields.

use quote::quote;
use syn::{Item, ItemImpl};

use super::{Framework, functions, redeclared, through_serde_json};
use crate::scan::attrs::{cfgs, find, flatten};
use crate::scan::signature::self_type;
use crate::scan::{CrateScan, FieldEvent, FieldUse, Handler, Place, Serves};

/// turbomcp 3.x.
pub(super) static TURBOMCP: Framework = Framework {
    name: "turbomcp",
    ident: "turbomcp",
    renamable: true,
    generators: &["schemars"],
    needs: &[],
    tried: ((3, 6), (3, 6)),
    evaluated: false,
    impossible: None,
    words: &["server", "McpHandler"],
    macros: &[],
    starts: &[
        "into_server",
        "run",
        "run_http",
        "run_in_process",
        "run_stdio",
        "run_tcp",
        "run_unix",
        "run_websocket",
        "run_with_config",
        "serve",
    ],
    collect,
    json: |value| through_serde_json("::turbomcp::__macro_support::serde_json", value),
};

/// What makes another list of a server's tools, while it runs.
const LAYERS: [&str; 5] =
    ["CompositeHandler", "McpMiddleware", "MiddlewareStack", "VisibilityConfig", "VisibilityLayer"];

fn collect(scan: &mut CrateScan, place: &Place, items: &[Item]) {
    functions::look(scan, &TURBOMCP, place, items);
    for item in items {
        if let Item::Impl(block) = item {
            server(scan, place, block);
        }
    }
    for (layer, span) in functions::mentions(items, &LAYERS) {
        scan.fields.push(FieldUse {
            self_type: None,
            field: "tools".into(),
            span: place.at(span),
            module: place.module,
            what: FieldEvent::Edit(layer.to_owned()),
        });
    }
}

fn server(scan: &mut CrateScan, place: &Place, block: &ItemImpl) {
    let this = self_type(&block.self_ty, &block.generics);
    let attributes = flatten(&block.attrs);
    let (serves, conditions) = match &block.trait_ {
        Some((path, _)) if path.segments.last().is_some_and(|last| last.ident == "McpHandler") => {
            (Serves::Opaque("its `list_tools` is written by hand".into()), Vec::new())
        }
        Some(_) => return,
        None => {
            let Some(attribute) = find(&attributes, "server") else { return };
            let meta = &attribute.meta;
            let conditions = [cfgs(&block.attrs), attribute.cfgs.clone()].concat();
            redeclared::tools(scan, place, block, &conditions, &|stub, declaration| {
                let items = quote! {
                    #[derive(Clone)]
                    struct #stub;
                    #[#meta]
                    impl #stub { #declaration }
                };
                let handler = "::turbomcp::McpHandler";
                (items, format!("{handler}::list_tools(&{stub}).remove(0)"))
            });
            (Serves::ToolBox, conditions)
        }
    };
    scan.handlers.push(Handler {
        self_type: this.name,
        span: place.at(block.impl_token.span),
        module: place.module,
        cfgs: [cfgs(&block.attrs), conditions].concat(),
        serves,
    });
}
