//! rmcp: `#[tool]` functions, the routers that hold them, and the handlers that serve a router.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::visit::{self, Visit};
use syn::{Expr, ImplItem, ImplItemFn, Item, ItemFn, ItemImpl, Signature};

use super::{Framework, through_serde_json};
use crate::scan::attrs::{self, Conditional};
use crate::scan::signature::{SelfType, parameters, self_type, stub};
use crate::scan::{
    Added, Block, Call, CrateScan, DeclaredTool, Expression, Generated, Handler, Place, RouterFn,
    Serves, SourceSpan, Summand, Unread, any_ident, depth, starts,
};

mod bodies;
mod built;
mod edits;
mod inputs;
pub(crate) mod routers;
mod written;

pub(crate) use routers::returns_router;
use routers::routed_type;

/// rmcp 0.1.5 to 3.x.
pub(crate) static RMCP: Framework = Framework {
    name: "rmcp",
    ident: "rmcp",
    renamable: false,
    generators: &["schemars"],
    needs: &[],
    tried: ((0, 1), (3, 11)),
    evaluated: true,
    impossible: None,
    words: &["tool", "tool_router", "tool_handler", "tool_box", "ToolRouter"],
    macros: &[],
    starts: &[
        "serve",
        "serve_directly",
        "serve_directly_with_ct",
        "serve_server",
        "serve_server_with_ct",
        "serve_with_ct",
        "with_service",
        // Types that start a server for each session.
        "LocalSessionManager",
        "StreamableHttpService",
    ],
    collect,
    written: written::written,
    json: |value| through_serde_json("rmcp::serde_json", value),
};

/// Attributes on an `impl ServerHandler` that leave `list_tools` alone.
const INERT: [&str; 10] = [
    "allow",
    "async_trait",
    "cfg",
    "deny",
    "doc",
    "expect",
    "instrument",
    "prompt_handler",
    "task_handler",
    "warn",
];

fn collect(scan: &mut CrateScan, place: &Place, list: &[Item]) {
    let imported = list.iter().any(imports_tool);
    for item in list {
        match item {
            Item::Impl(block) => {
                let collector = ImplCollector::new(scan, place, block, imported);
                collector.collect();
            }
            Item::Fn(function) => free_function(scan, place, function, imported),
            Item::Trait(item) => {
                for function in &item.items {
                    let syn::TraitItem::Fn(function) = function else { continue };
                    if attrs::find(&attrs::flatten(&function.attrs), "tool").is_some() && imported {
                        unread(scan, place, &function.sig, "it is declared in a trait");
                    }
                    if let Some(block) = &function.default {
                        let uses = bodies::field_uses(place, None, &function.sig, block);
                        scan.fields.extend(uses);
                    }
                }
            }
            Item::Macro(item) => scan.fields.extend(bodies::in_macro(place, &item.mac.tokens)),
            _ => {}
        }
    }
}

/// Whether `use` brings rmcp's `tool` attribute into scope.
fn imports_tool(item: &Item) -> bool {
    let Item::Use(item) = item else { return false };
    let tree = item.tree.to_token_stream();
    let text = tree.to_string();
    let (mut rmcp, mut tool) = (false, false);
    any_ident(tree, &mut |ident| {
        rmcp |= ident == "rmcp";
        tool |= ident == "tool";
        false
    });
    let glob = text.ends_with('*');
    (rmcp && (tool || glob)) || (glob && text.starts_with("super"))
}

fn unread(scan: &mut CrateScan, place: &Place, sig: &Signature, why: &str) {
    scan.unread.push(Unread {
        span: place.at(sig.ident.span()),
        reason: format!("the tool `{}` cannot be read: {why}", sig.ident),
    });
}

fn free_function(scan: &mut CrateScan, place: &Place, function: &ItemFn, imported: bool) {
    let attributes = attrs::flatten(&function.attrs);
    scan.fields.extend(bodies::field_uses(place, None, &function.sig, &function.block));
    scan.starts.extend(starts::start(place, &RMCP, None, &function.block));
    nested(scan, place, &function.block);
    if let Some(self_type) = routed_type(&function.sig).filter(|name| name != "Self") {
        let name = function.sig.ident.to_string();
        // A free function has no `Self`.
        let free = SelfType { name: String::new(), path: TokenStream::new() };
        scan.routers.push(RouterFn {
            self_type,
            call: Some(format!("{name}()")),
            name,
            module: place.module,
            cfgs: attrs::cfgs(&function.attrs),
            span: place.at(function.sig.ident.span()),
            generated: false,
            returns: built::returned(&function.block, &free),
        });
    }
    let Some(tool) = attrs::find(&attributes, "tool") else { return };
    if !imported && tool.meta.path().segments.len() == 1 {
        return;
    }
    let getter = getter(&function.sig);
    scan.tools.push(DeclaredTool {
        function: function.sig.ident.to_string(),
        self_type: None,
        span: place.at(function.sig.ident.span()),
        made_by_macro: false,
        module: place.module,
        cfgs: [attrs::cfgs(&function.attrs), tool.cfgs.clone()].concat(),
        block: Block::Plain,
        call: Call::Direct(quote!(#getter()).to_string()),
    });
}

/// The function that rmcp generates beside a tool to describe it.
fn getter(sig: &Signature) -> proc_macro2::Ident {
    format_ident!("{}_tool_attr", sig.ident)
}

/// Reports tools declared in items inside a function body, which no path reaches.
fn nested(scan: &mut CrateScan, place: &Place, block: &syn::Block) {
    struct Nested<'a>(&'a mut CrateScan, &'a Place);
    impl<'ast> Visit<'ast> for Nested<'_> {
        fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
            let attributes = attrs::flatten(&item.attrs);
            if attrs::find(&attributes, "tool_router").is_some() {
                for item in &item.items {
                    let ImplItem::Fn(method) = item else { continue };
                    if attrs::find(&attrs::flatten(&method.attrs), "tool").is_some() {
                        let why = "it is declared inside a function; move its type to a module";
                        unread(self.0, self.1, &method.sig, why);
                    }
                }
            }
            visit::visit_item_impl(self, item);
        }
    }
    Nested(scan, place).visit_block(block);
}

/// Everything one `impl` block says.
struct ImplCollector<'a> {
    scan: &'a mut CrateScan,
    place: &'a Place,
    item: &'a ItemImpl,
    imported: bool,
    attributes: Vec<Conditional>,
    cfgs: Vec<String>,
    this: SelfType,
    /// Type and constant parameters, which keep an expression from standing on its own.
    parameters: Vec<String>,
}

impl<'a> ImplCollector<'a> {
    fn new(scan: &'a mut CrateScan, place: &'a Place, item: &'a ItemImpl, imported: bool) -> Self {
        Self {
            scan,
            place,
            item,
            imported,
            attributes: attrs::flatten(&item.attrs),
            cfgs: attrs::cfgs(&item.attrs),
            this: self_type(&item.self_ty, &item.generics),
            parameters: parameters(&item.generics),
        }
    }

    fn collect(mut self) {
        match &self.item.trait_ {
            Some((path, _)) if path.segments.last().is_some_and(|s| s.ident == "ServerHandler") => {
                self.handler();
            }
            Some(_) => {}
            None => self.inherent(),
        }
        for item in &self.item.items {
            let ImplItem::Fn(method) = item else { continue };
            let uses = bodies::field_uses(self.place, Some(&self.this), &method.sig, &method.block);
            self.scan.fields.extend(uses);
            let start = starts::start(self.place, &RMCP, Some(&self.this.name), &method.block);
            self.scan.starts.extend(start);
            nested(self.scan, self.place, &method.block);
        }
    }

    fn inherent(&mut self) {
        let block = self.block();
        let routers = attrs::named(&self.attributes, "tool_router").cloned();
        routers.collect::<Vec<_>>().iter().for_each(|router| self.generated_router(router));
        let boxed = self.tool_box_names();
        let imported = self.imported;
        for item in &self.item.items {
            let ImplItem::Fn(method) = item else { continue };
            let attributes = attrs::flatten(&method.attrs);
            let tool = match block {
                Block::Router(_) => attrs::find_routed(&attributes),
                _ => attrs::find(&attributes, "tool"),
            };
            if let Some(tool) = tool {
                let in_box = boxed.contains(&method.sig.ident.to_string());
                // The macro of a block runs before a `cfg_attr` inside it is expanded, and never
                // sees the attribute behind it.
                let registered = match (in_box, tool.cfgs.is_empty()) {
                    (true, _) => Block::ToolBox,
                    (false, true) => block.clone(),
                    (false, false) => Block::Plain,
                };
                // Other crates have an attribute of this name too.
                if in_box
                    || block != Block::Plain
                    || imported
                    || tool.meta.path().segments.len() > 1
                {
                    self.tool(method, tool, registered);
                }
            } else if returns_router(&method.sig) {
                self.router(method);
            }
        }
    }

    /// What the block's own attribute makes of its tools.
    fn block(&self) -> Block {
        let generated = |router| Generated { name: router_name(router), cfgs: router.cfgs.clone() };
        let routers: Vec<_> =
            attrs::named(&self.attributes, "tool_router").map(generated).collect();
        if !routers.is_empty() {
            return Block::Router(routers);
        }
        match attrs::find(&self.attributes, "tool") {
            Some(_) => Block::ToolBox,
            None => Block::Plain,
        }
    }

    fn generated_router(&mut self, attribute: &Conditional) {
        let name = router_name(attribute);
        let cfgs = [self.cfgs.clone(), attribute.cfgs.clone()].concat();
        let serves_too = attrs::arguments(&attribute.meta).iter().any(|(key, value)| {
            key == "server_handler"
                && value.as_ref().is_none_or(|value| value.to_string() == "true")
        });
        let span = self.place.at(syn::spanned::Spanned::span(&attribute.meta));
        if serves_too {
            self.scan.handlers.push(Handler {
                self_type: self.this.name.clone(),
                span: span.clone(),
                module: self.place.module,
                cfgs: cfgs.clone(),
                serves: Serves::Router(Expression {
                    text: self.call(&name),
                    calls: vec![name.clone()],
                    sum: generated(&name),
                }),
            });
        }
        self.push_router(name, cfgs, span, true);
    }

    fn router(&mut self, method: &ImplItemFn) {
        let cfgs = [self.cfgs.clone(), attrs::cfgs(&method.attrs)].concat();
        let span = self.place.at(method.sig.ident.span());
        let other = routed_type(&method.sig).filter(|name| name != "Self");
        self.push_router(method.sig.ident.to_string(), cfgs, span, false);
        if let Some(router) = self.scan.routers.last_mut() {
            router.self_type = other.unwrap_or_else(|| self.this.name.clone());
            router.returns = built::returned(&method.block, &self.this);
        }
    }

    fn push_router(&mut self, name: String, cfgs: Vec<String>, span: SourceSpan, generated: bool) {
        self.scan.routers.push(RouterFn {
            self_type: self.this.name.clone(),
            call: self.parameters.is_empty().then(|| self.call(&name)),
            name,
            module: self.place.module,
            cfgs,
            span,
            generated,
            returns: None,
        });
    }

    fn call(&self, function: &str) -> String {
        format!("{}::{function}()", self.this.path)
    }

    /// The functions that `tool_box!(Type { a, b })` in this block registers.
    fn tool_box_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for item in &self.item.items {
            let ImplItem::Macro(item) = item else { continue };
            if item.mac.path.segments.last().is_none_or(|last| last.ident != "tool_box") {
                continue;
            }
            for tree in item.mac.tokens.clone() {
                if let TokenTree::Group(group) = tree {
                    any_ident(group.stream(), &mut |ident| {
                        names.push(ident.to_string());
                        false
                    });
                }
            }
        }
        names
    }

    fn tool(&mut self, method: &ImplItemFn, attribute: &Conditional, block: Block) {
        let getter = getter(&method.sig);
        let call = if self.parameters.is_empty() {
            let this = &self.this.path;
            Call::Direct(quote!(#this::#getter()).to_string())
        } else {
            self.stub(method, &getter)
        };
        self.scan.tools.push(DeclaredTool {
            function: method.sig.ident.to_string(),
            self_type: Some(self.this.name.clone()),
            span: self.place.at(method.sig.ident.span()),
            made_by_macro: false,
            module: self.place.module,
            cfgs: [self.cfgs.clone(), attrs::cfgs(&method.attrs), attribute.cfgs.clone()].concat(),
            block,
            call,
        });
    }

    /// Re-declares a tool of a generic type on a local unit type: equal as long as the signature
    /// and the attributes do not mention the parameters.
    fn stub(&self, method: &ImplItemFn, getter: &proc_macro2::Ident) -> Call {
        match stub(method, &self.parameters) {
            Err(name) => Call::Unreadable(format!(
                "its type `{}` is generic and its signature mentions `{name}`",
                self.this.name
            )),
            Ok(declaration) => {
                let stub = format_ident!("__McpSemverStub_{}", method.sig.ident);
                let items = quote! {
                    struct #stub;
                    impl #stub { #declaration }
                };
                Call::Stub { items: items.to_string(), expr: quote!(#stub::#getter()).to_string() }
            }
        }
    }

    fn handler(&mut self) {
        let (serves, cfgs) = self.handled();
        self.scan.handlers.push(Handler {
            self_type: self.this.name.clone(),
            span: self.place.at(self.item.impl_token.span),
            module: self.place.module,
            cfgs: [self.cfgs.clone(), cfgs].concat(),
            serves,
        });
    }

    /// What the handler serves, and the conditions of the attribute that makes it so.
    fn handled(&self) -> (Serves, Vec<String>) {
        let by_hand = self.item.items.iter().find_map(|item| match item {
            ImplItem::Fn(method) if method.sig.ident == "list_tools" => Some(method),
            _ => None,
        });
        if let Some(method) = by_hand {
            return (routers::listed(method, &self.this), Vec::new());
        }
        if let Some(handler) = attrs::find(&self.attributes, "tool_handler") {
            let router = attrs::arguments(&handler.meta)
                .into_iter()
                .find_map(|(key, value)| (key == "router").then_some(value).flatten());
            let serves = match router.map(expression) {
                None => Serves::Default(Expression {
                    text: self.call("tool_router"),
                    calls: vec!["tool_router".into()],
                    sum: generated("tool_router"),
                }),
                Some(Some(router)) => routers::serves(&router, &self.this),
                Some(None) => Serves::Opaque("its router expression does not parse".into()),
            };
            return (serves, handler.cfgs.clone());
        }
        let derives_box = self.item.items.iter().any(|item| match item {
            ImplItem::Macro(item) => {
                item.mac.path.segments.last().is_some_and(|last| last.ident == "tool_box")
            }
            _ => false,
        });
        if let Some(tool) = attrs::find(&self.attributes, "tool") {
            return (Serves::ToolBox, tool.cfgs.clone());
        }
        if derives_box {
            return (Serves::ToolBox, Vec::new());
        }
        let unknown = self.attributes.iter().find(|attr| {
            let last = attr.meta.path().segments.last();
            last.is_none_or(|last| !INERT.iter().any(|name| last.ident == name))
        });
        let has_macro = self.item.items.iter().any(|item| matches!(item, ImplItem::Macro(_)));
        match unknown {
            Some(attr) => {
                let path = attr.meta.path().to_token_stream();
                (
                    Serves::Opaque(format!("the attribute `{path}` may write its `list_tools`")),
                    Vec::new(),
                )
            }
            None if has_macro => {
                (Serves::Opaque("a macro in it may write its `list_tools`".into()), Vec::new())
            }
            None => (Serves::Nothing, Vec::new()),
        }
    }
}

/// The router function that a `#[tool_router]` generates.
fn router_name(attribute: &Conditional) -> String {
    let mut arguments = attrs::arguments(&attribute.meta).into_iter();
    let name =
        arguments.find_map(|(key, value)| (key == "router").then(|| unquote(&value?)).flatten());
    name.unwrap_or_else(|| "tool_router".into())
}

/// What a router function adds by itself.
fn generated(name: &str) -> Option<Vec<Summand>> {
    Some(vec![Summand { what: Added::Router(name.to_owned()), cfgs: Vec::new() }])
}

/// An attribute's value as an expression; older macros also take it in a string literal.
fn expression(value: TokenStream) -> Option<Expr> {
    match syn::parse2::<Expr>(value).ok()? {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => depth::parse_within(&text).ok(),
        expr => Some(expr),
    }
}

/// The identifier in `name` or `"name"`.
fn unquote(value: &TokenStream) -> Option<String> {
    let text = value.to_string();
    Some(text.trim_matches('"').to_owned()).filter(|name| !name.is_empty())
}
