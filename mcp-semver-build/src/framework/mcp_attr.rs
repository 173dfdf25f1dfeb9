//! mcp-attr: the `#[tool]` functions in `#[mcp_server] impl McpServer for T` are what `T` serves.
//!
//! The list needs a server, which nobody can make at build time, so the tools are declared once
//! more on a type without fields. What the framework's own client is told of it is the list.

use quote::quote;
use syn::{Attribute, ImplItem, Item, ItemFn, ItemImpl, Signature};

use super::written::{Input, Parameter, Written, is_marked, items, methods, parameters};
use super::{Framework, functions, redeclared};
use crate::scan::attrs::{cfgs, find, flatten};
use crate::scan::signature::self_type;
use crate::scan::{Call, CrateScan, DeclaredTool, Handler, Place, Serves};

/// mcp-attr 0.0.7.
pub(super) static MCP_ATTR: Framework = Framework {
    name: "mcp-attr",
    ident: "mcp_attr",
    renamable: false,
    generators: &["schemars"],
    needs: &["tokio"],
    tried: ((0, 0), (0, 0)),
    evaluated: false,
    impossible: None,
    words: &["mcp_server", "McpServer", "McpServerBuilder", "tool"],
    macros: &[],
    starts: &["build_with_server", "into_handler", "serve_stdio", "serve_stdio_with"],
    collect,
    written,
    json,
};

/// Through a value that the framework converts itself: the server's code may know no `serde_json`.
fn json(value: &str) -> String {
    format!(
        "::std::string::ToString::to_string(&::mcp_attr::schema::CallToolRequestParams::new(\"\")\
         .with_argument(\"_\", {value}).unwrap().arguments.unwrap()[\"_\"])"
    )
}

/// What a client is told of the tools of a server.
fn list(server: &str) -> String {
    format!(
        "::tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {{ \
         ::mcp_attr::client::McpClientBuilder::new().build_with_server({server}).await.unwrap()\
         .tools_list(::std::option::Option::None).await.unwrap().tools }})"
    )
}

fn collect(scan: &mut CrateScan, place: &Place, items: &[Item]) {
    functions::look(scan, &MCP_ATTR, place, items);
    for item in items {
        match item {
            Item::Impl(block) => server(scan, place, block),
            Item::Fn(function) => route(scan, place, function),
            _ => {}
        }
    }
    for (name, span) in functions::mentions(items, &["McpServerBuilder"]) {
        scan.handlers.push(Handler {
            self_type: name.into(),
            span: place.at(span),
            module: place.module,
            cfgs: Vec::new(),
            serves: Serves::Opaque("its routes are put together at run time".into()),
        });
    }
}

fn written(of: &[Item]) -> Vec<Written> {
    let free = of.iter().filter_map(|item| match item {
        Item::Fn(item) if redeclared::is_tool(&item.attrs) => Some(tool(&item.attrs, &item.sig)),
        _ => None,
    });
    let methods = methods(of, &|block| is_marked(block, "mcp_server"), &|method| {
        redeclared::is_tool(&method.attrs).then(|| tool(&method.attrs, &method.sig))
    });
    methods.into_iter().chain(free).collect()
}

fn tool(attributes: &[Attribute], sig: &Signature) -> Written {
    let arguments = parameters(sig).map(|(ident, typed)| {
        let given = items(&typed.attrs, "arg").first().and_then(|item| item.text());
        let name = ident.to_string();
        let own = || name.strip_prefix('_').unwrap_or(&name).to_owned();
        Parameter { name: given.unwrap_or_else(own), ..Parameter::new(ident, typed) }
    });
    let mut tool = Written::new(&sig.ident, attributes, Input::Parameters(arguments.collect()));
    items(attributes, "tool").iter().for_each(|item| tool.renamed(item));
    tool
}

fn server(scan: &mut CrateScan, place: &Place, block: &ItemImpl) {
    let Some((path, _)) = &block.trait_ else { return };
    if path.segments.last().is_none_or(|last| last.ident != "McpServer") {
        return;
    }
    let this = self_type(&block.self_ty, &block.generics);
    let attributes = flatten(&block.attrs);
    let attribute = find(&attributes, "mcp_server");
    let methods = || {
        block.items.iter().filter_map(|item| match item {
            ImplItem::Fn(method) => Some(method),
            _ => None,
        })
    };
    let by_hand = methods().any(|method| method.sig.ident == "tools_list");
    let has_macro = block.items.iter().any(|item| matches!(item, ImplItem::Macro(_)));
    let has_tools =
        attribute.is_some() && methods().any(|method| redeclared::is_tool(&method.attrs));
    let conditions =
        [cfgs(&block.attrs), attribute.map(|it| it.cfgs.clone()).unwrap_or_default()].concat();
    if let Some(attribute) = attribute.filter(|_| has_tools) {
        let attribute = &attribute.meta;
        redeclared::tools(scan, place, block, &conditions, &|stub, declaration| {
            let items = quote! {
                struct #stub;
                #[#attribute]
                impl #path for #stub { #declaration }
            };
            (items, format!("{}.remove(0)", list(&stub.to_string())))
        });
    }
    let serves = if has_tools {
        Serves::ToolBox
    } else if by_hand {
        Serves::Opaque("its `tools_list` is written by hand".into())
    } else if has_macro {
        Serves::Opaque("a macro in it may write its `tools_list`".into())
    } else {
        Serves::Nothing
    };
    scan.handlers.push(Handler {
        self_type: this.name,
        span: place.at(block.impl_token.span),
        module: place.module,
        cfgs: conditions,
        serves,
    });
}

/// A free function, which a server that is built of routes may serve.
fn route(scan: &mut CrateScan, place: &Place, function: &ItemFn) {
    let attributes = flatten(&function.attrs);
    let Some(attribute) = attributes.iter().find(|it| it.meta.path().is_ident("tool")) else {
        return;
    };
    let conditions = [cfgs(&function.attrs), attribute.cfgs.clone()].concat();
    let name = function.sig.ident.to_string();
    let server = format!(
        "::mcp_attr::server::McpServerBuilder::new().route(__route_of_{name}().unwrap()).build()"
    );
    let call = Call::Direct(format!("{}.remove(0)", list(&server)));
    scan.tools.push(DeclaredTool::free(place, &function.sig.ident, conditions, call));
}
