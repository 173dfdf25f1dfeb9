//! rust-mcp-sdk: `#[mcp_tool]` makes `T::tool()`, `tool_box!` makes `Box::tools()`, and a handler
//! that is written by hand answers with either.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Attribute, Block as Body, Expr, Ident, ImplItem, Item, ItemImpl, Stmt, parse_quote};

use super::written::{Input, Written, items};
use super::{Framework, functions, straight, through_serde_json};
use crate::scan::attrs::{cfgs, find, flatten};
use crate::scan::signature::{SelfType, parameters, self_type};
use crate::scan::{Call, CrateScan, DeclaredTool, Handler, Place, Serves, any_ident};

/// rust-mcp-sdk 0.7 to 2.x.
pub(super) static RUST_MCP_SDK: Framework = Framework {
    name: "rust-mcp-sdk",
    ident: "rust_mcp_sdk",
    renamable: false,
    generators: &["rust-mcp-macros"],
    needs: &["serde_json"],
    tried: ((0, 7), (2, 0)),
    evaluated: false,
    impossible: None,
    words: &["mcp_tool", "tool_box", "ServerHandler", "ServerHandlerCore"],
    macros: &["tool_box"],
    starts: &["create_server", "to_mcp_server_handler"],
    collect,
    written,
    json: |value| through_serde_json("serde_json", value),
};

fn collect(scan: &mut CrateScan, place: &Place, items: &[Item]) {
    functions::look(scan, &RUST_MCP_SDK, place, items);
    for item in items {
        match item {
            Item::Struct(item) => tool(scan, place, &item.ident, &item.attrs),
            Item::Type(item) => tool(scan, place, &item.ident, &item.attrs),
            Item::Impl(block) => handler(scan, place, block),
            _ => {}
        }
    }
}

fn tool(scan: &mut CrateScan, place: &Place, ident: &Ident, attributes: &[Attribute]) {
    let flat = flatten(attributes);
    let Some(attribute) = find(&flat, "mcp_tool") else { return };
    let cfgs = [cfgs(attributes), attribute.cfgs.clone()].concat();
    let call = Call::Direct(format!("{ident}::tool()"));
    scan.tools.push(DeclaredTool::free(place, ident, cfgs, call));
}

/// A tool's arguments are the fields of its type; it is listed where a box names it.
fn written(of: &[Item]) -> Vec<Written> {
    let tool = |item: &Item| {
        let (ident, attributes) = match item {
            Item::Struct(item) => (&item.ident, &item.attrs),
            Item::Type(item) => (&item.ident, &item.attrs),
            _ => return None,
        };
        find(&flatten(attributes), "mcp_tool")?;
        let input = Input::of(&parse_quote!(#ident));
        let mut tool =
            Written { block: tool_box(of, ident), ..Written::new(ident, attributes, input) };
        tool.read(&items(attributes, "mcp_tool"));
        Some(tool)
    };
    of.iter().filter_map(tool).collect()
}

/// The name of the one `tool_box!` that lists a type.
fn tool_box(items: &[Item], tool: &Ident) -> Option<Span> {
    let mut boxes = items.iter().filter_map(|item| match item {
        Item::Macro(call) if call.mac.path.segments.last()?.ident == "tool_box" => {
            let tokens = &call.mac.tokens;
            let lists = any_ident(tokens.clone(), &mut |ident| ident == tool);
            tokens.clone().into_iter().next().filter(|_| lists).map(|name| name.span())
        }
        _ => None,
    });
    boxes.next().filter(|_| boxes.next().is_none())
}

fn handler(scan: &mut CrateScan, place: &Place, block: &ItemImpl) {
    let Some((path, _)) = &block.trait_ else { return };
    let (method, of_core) = match path.segments.last() {
        Some(last) if last.ident == "ServerHandler" => ("handle_list_tools_request", false),
        Some(last) if last.ident == "ServerHandlerCore" => ("handle_request", true),
        _ => return,
    };
    let this = self_type(&block.self_ty, &block.generics);
    let body = block.items.iter().find_map(|item| match item {
        ImplItem::Fn(function) if function.sig.ident == method => Some(&function.block),
        _ => None,
    });
    let has_macro = block.items.iter().any(|item| matches!(item, ImplItem::Macro(_)));
    let serves = match body {
        Some(body) if of_core => from_core(body, &this),
        Some(body) => listed(body, &this),
        None if has_macro => Serves::Opaque(format!("a macro in it may write its `{method}`")),
        None => Serves::Nothing,
    };
    let serves = match serves {
        Serves::Listing(_) if mentions(body, &parameters(&block.generics)) => {
            Serves::Opaque("its list of tools depends on a type parameter".into())
        }
        serves => serves,
    };
    scan.handlers.push(Handler {
        self_type: this.name,
        span: place.at(block.impl_token.span),
        module: place.module,
        cfgs: cfgs(&block.attrs),
        serves,
    });
}

fn listed(body: &Body, this: &SelfType) -> Serves {
    match straight::listed(body, "ListToolsResult", this) {
        Ok(expression) => Serves::Listing(expression),
        Err(why) => Serves::Opaque(why),
    }
}

/// What the one arm of a `match` over all requests answers.
fn from_core(body: &Body, this: &SelfType) -> Serves {
    let choice = match body.stmts.last() {
        Some(Stmt::Expr(Expr::Match(choice), _)) => choice,
        _ => return Serves::Opaque("its `handle_request` is no `match` over the request".into()),
    };
    let mut arms = choice.arms.iter().filter(|arm| {
        any_ident(arm.pat.to_token_stream(), &mut |ident| ident == "ListToolsRequest")
    });
    match (arms.next(), arms.next()) {
        (None, _) => Serves::Nothing,
        (Some(arm), None) if !matches!(arm.pat, syn::Pat::Guard(_)) => {
            let answer = Stmt::Expr((*arm.body).clone(), None);
            listed(&Body { brace_token: body.brace_token, stmts: vec![answer] }, this)
        }
        _ => Serves::Opaque("several arms of its `handle_request` list tools".into()),
    }
}

fn mentions(body: Option<&Body>, parameters: &[String]) -> bool {
    !parameters.is_empty()
        && body.is_some_and(|body| {
            any_ident(body.to_token_stream(), &mut |ident| {
                ident == "Self" || parameters.iter().any(|name| ident == name)
            })
        })
}
