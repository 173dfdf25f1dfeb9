//! poem-mcpserver: every method in `#[Tools] impl T` is a tool, and `McpServer::new().tools(t)`
//! serves them.
//!
//! What a server answers is more than what the macro lists, and a server needs a value of `T`,
//! which nobody can make at build time; it is given one that lists the same.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{ImplItem, Item, ItemImpl};

use super::written::{Input, Parameter, Written, is_marked, items, methods, parameters};
use super::{Framework, functions};
use crate::scan::attrs::{cfgs, find, flatten};
use crate::scan::signature::{result, self_type};
use crate::scan::{
    Block, Call, CrateScan, DeclaredTool, FieldEvent, FieldUse, Handler, Place, Serves, shorten,
};

/// poem-mcpserver 0.3.
pub(super) static POEM_MCPSERVER: Framework = Framework {
    name: "poem-mcpserver",
    ident: "poem_mcpserver",
    renamable: true,
    generators: &["schemars"],
    needs: &[],
    tried: ((0, 3), (0, 3)),
    evaluated: false,
    impossible: None,
    words: &["Tools", "McpServer"],
    macros: &[],
    starts: &["tools"],
    collect,
    written,
    json: |value| super::through_serde_json("::poem_mcpserver::private::serde_json", value),
};

/// The list that a server with the tools of a type answers with.
fn answer(this: &str) -> String {
    const TOOLS: &str = "::poem_mcpserver::tool::Tools";
    const PROTOCOL: &str = "::poem_mcpserver::protocol";
    const JSON: &str = "::poem_mcpserver::private::serde_json";
    format!(
        r#"{{
struct Same;
impl {TOOLS} for Same {{
    fn instructions() -> &'static str {{ "" }}
    fn list() -> ::std::vec::Vec<{PROTOCOL}::tool::Tool> {{ <{this} as {TOOLS}>::list() }}
    async fn call(&mut self, _: &str, _: {JSON}::Value) -> ::std::result::Result<{PROTOCOL}::tool::ToolsCallResponse, {PROTOCOL}::rpc::RpcError> {{ loop {{}} }}
}}
let request = {JSON}::from_str("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{{}}}}").unwrap();
let mut server = ::poem_mcpserver::McpServer::new().tools(Same);
let mut response = ::std::pin::pin!(server.handle_request(request));
let mut context = ::std::task::Context::from_waker(::std::task::Waker::noop());
match ::std::future::Future::poll(response.as_mut(), &mut context) {{
    ::std::task::Poll::Ready(::std::option::Option::Some(response)) => response.result.unwrap()["tools"].take(),
    _ => ::std::panic!("the server does not answer at once"),
}} }}"#
    )
    .replace('\n', " ")
}

fn collect(scan: &mut CrateScan, place: &Place, items: &[Item]) {
    functions::look(scan, &POEM_MCPSERVER, place, items);
    for item in items {
        if let Item::Impl(block) = item {
            tools(scan, place, block);
        }
    }
    for (_, body) in functions::bodies(items) {
        let mut disabled = Disabled { place, found: Vec::new() };
        disabled.visit_block(body);
        scan.fields.extend(disabled.found);
    }
}

fn written(of: &[Item]) -> Vec<Written> {
    methods(of, &|block| is_marked(block, "Tools"), &|method| {
        let arguments = parameters(&method.sig).map(|(ident, typed)| Parameter::new(ident, typed));
        let input = Input::Parameters(arguments.collect());
        let mut tool = Written::new(&method.sig.ident, &method.attrs, input);
        tool.read(&items(&method.attrs, "mcp"));
        tool.output = result(&method.sig.output, &["Result"], "StructuredContent").cloned();
        Some(tool)
    })
}

fn tools(scan: &mut CrateScan, place: &Place, block: &ItemImpl) {
    let attributes = flatten(&block.attrs);
    let Some(attribute) = find(&attributes, "Tools").filter(|_| block.trait_.is_none()) else {
        return;
    };
    let this = self_type(&block.self_ty, &block.generics);
    let path = this.path.to_string();
    let conditions = [cfgs(&block.attrs), attribute.cfgs.clone()].concat();
    let methods = block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    });
    for (index, method) in methods.enumerate() {
        let call = Call::Direct(format!("{}[{index}]", answer(&path)));
        scan.tools.push(DeclaredTool {
            self_type: Some(this.name.clone()),
            block: Block::ToolBox,
            ..DeclaredTool::free(place, &method.sig.ident, conditions.clone(), call)
        });
    }
    scan.handlers.push(Handler {
        self_type: this.name,
        span: place.at(block.impl_token.span),
        module: place.module,
        cfgs: conditions,
        serves: Serves::Listing(answer(&path)),
    });
}

/// Where tools are taken away from a server.
struct Disabled<'p> {
    place: &'p Place,
    found: Vec<FieldUse>,
}

impl<'ast> Visit<'ast> for Disabled<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if call.method == "disable_tools" {
            self.found.push(FieldUse {
                self_type: None,
                field: "disabled_tools".into(),
                span: self.place.at(call.method.span()),
                module: self.place.module,
                what: FieldEvent::Edit(shorten(&call.to_token_stream())),
            });
        }
        visit::visit_expr_method_call(self, call);
    }
}
