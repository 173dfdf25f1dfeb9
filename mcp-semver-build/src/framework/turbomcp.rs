//! turbomcp: the `#[tool]` functions in `#[server] impl T` are what `T` lists.
//!
//! The list needs a server, which nobody can make at build time, so the tools are declared once
//! more on a type without fields.

use proc_macro2::Span;
use quote::quote;
use syn::{Item, ItemImpl, PatType};

use super::written::{Input, Parameter, Written, doc, is_marked, items, methods, parameters};
use super::{Framework, functions, redeclared, through_serde_json};
use crate::scan::attrs::{cfgs, find, flatten};
use crate::scan::signature::{result, self_type};
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
    written,
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

fn written(of: &[Item]) -> Vec<Written> {
    methods(of, &|block| is_marked(block, "server"), &|method| {
        if !redeclared::is_tool(&method.attrs) {
            return None;
        }
        let arguments = parameters(&method.sig).map(|(ident, typed)| Parameter {
            description: described(typed),
            ..Parameter::new(ident, typed)
        });
        let input = Input::Parameters(arguments.collect());
        let mut tool = Written::new(&method.sig.ident, &method.attrs, input);
        tool.output = result(&method.sig.output, &["Result", "McpResult"], "Json").cloned();
        for item in items(&method.attrs, "tool") {
            match item.name.as_str() {
                "" => tool.texts.push(("/description", item.span)),
                "output_schema" => tool.output = syn::parse2(item.value).ok(),
                _ => tool.read(&[item]),
            }
        }
        Some(tool)
    })
}

/// Where a parameter is described: by an attribute, else by its doc comment.
fn described(typed: &PatType) -> Option<Span> {
    let attribute = items(&typed.attrs, "description").into_iter().next();
    attribute.map(|item| item.span).or_else(|| doc(&typed.attrs))
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
