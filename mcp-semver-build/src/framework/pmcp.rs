//! pmcp: tools are handed to a `ServerBuilder` one by one while the server starts, under names that
//! the call gives, so that no listing of them exists before. Its servers are recognised, to say so.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprLit, ExprMethodCall, GenericArgument, Ident, Item, Lit, LitStr, Pat,
    PathArguments, ReturnType, Signature, Type,
};

use super::written::{Input, Written, is_marked, items, methods, parameters, part};
use super::{Framework, functions, through_serde_json};
use crate::scan::attrs::{find, flatten};
use crate::scan::signature::{first_argument, named};
use crate::scan::{Block, Call, CrateScan, DeclaredTool, Handler, Place, Serves};

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
    written,
    json: |value| through_serde_json("serde_json", value),
};

fn collect(scan: &mut CrateScan, place: &Place, items: &[Item]) {
    scan.tools.extend(written(items).into_iter().map(|tool| DeclaredTool {
        function: tool.name,
        self_type: None,
        span: place.at(tool.span),
        made_by_macro: false,
        module: place.module,
        cfgs: tool.cfgs,
        block: Block::Plain,
        call: Call::Unreadable(WHY.into()),
    }));
    for item in items {
        if let Item::Impl(item) = item
            && is_marked(item, "mcp_server")
        {
            scan.handlers.push(builder(place, item.span()));
        }
    }
    let builders = functions::mentions(items, &["Server", "ServerBuilder", "ServerCoreBuilder"]);
    scan.handlers.extend(builders.into_iter().map(|(_, span)| builder(place, span)));
}

/// Tools are functions, methods of a server, and what is handed to a builder under a literal name.
fn written(of: &[Item]) -> Vec<Written> {
    let methods = methods(of, &|block| is_marked(block, "mcp_server"), &|method| {
        tool(&method.attrs, &method.sig)
    });
    let functions = of.iter().filter_map(|item| match item {
        Item::Fn(item) => tool(&item.attrs, &item.sig),
        _ => None,
    });
    let mut handed = Handed { items: of, tools: Vec::new() };
    functions::bodies(of).into_iter().for_each(|(_, body)| handed.visit_block(body));
    methods.into_iter().chain(functions).chain(handed.tools).collect()
}

/// What `#[mcp_tool]` makes of a function.
fn tool(attributes: &[Attribute], sig: &Signature) -> Option<Written> {
    find(&flatten(attributes), "mcp_tool")?;
    let mut tool = Written::new(&sig.ident, attributes, input(sig));
    tool.read(&items(attributes, "mcp_tool"));
    tool.output = match &sig.output {
        ReturnType::Type(_, ty) => named(ty, "Result").and_then(first_argument).cloned(),
        ReturnType::Default => None,
    };
    Some(tool)
}

/// The one parameter that holds the arguments.
fn input(sig: &Signature) -> Input {
    let is_other =
        |ty: &Type| ["State", "RequestHandlerExtra"].iter().any(|it| named(ty, it).is_some());
    let mut arguments = parameters(sig).filter(|(_, typed)| !is_other(&typed.ty));
    arguments.next().map_or_else(Input::none, |(_, typed)| Input::of(&typed.ty))
}

/// Tools that are made or handed to a builder inside of functions, under literal names.
struct Handed<'i> {
    items: &'i [Item],
    tools: Vec<Written>,
}

impl<'ast> Visit<'ast> for Handed<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::MethodCall(call) if hands(&call.method) && self.handed(call) => {
                self.visit_expr(&call.receiver);
            }
            _ => match made(expr) {
                Some((name, ..)) => self.tool(name, expr, None),
                None => visit::visit_expr(self, expr),
            },
        }
    }
}

/// Whether a method of a builder takes a tool.
fn hands(method: &Ident) -> bool {
    method == "tool" || method.to_string().starts_with("tool_typed")
}

/// The name, the type and the handler of a tool in `TypedTool::new(name, handler)`, whatever methods
/// are called on that.
fn made(expr: &Expr) -> Option<(&LitStr, Option<&GenericArgument>, &Expr)> {
    let call = match expr {
        Expr::MethodCall(call) => return made(&call.receiver),
        Expr::Call(call) => call,
        _ => return None,
    };
    let Expr::Path(path) = &*call.func else { return None };
    let mut segments = path.path.segments.iter().rev();
    let (last, owner) = (segments.next()?, segments.next()?);
    let is_tool = owner.ident.to_string().ends_with("Tool")
        || owner.ident.to_string().starts_with("TypedTool");
    let name = literal(call.args.first()?).filter(|_| is_tool && last.ident == "new")?;
    let ty = match &owner.arguments {
        PathArguments::AngleBracketed(types) => types.args.first(),
        _ => None,
    };
    Some((name, ty, call.args.last()?))
}

fn literal(expr: &Expr) -> Option<&LitStr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

impl Handed<'_> {
    /// Takes a tool that a builder is handed; whether its name is told.
    fn handed(&mut self, call: &ExprMethodCall) -> bool {
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let [name, between @ .., handler] = arguments.as_slice() else { return false };
        let Some(name) = literal(name) else { return false };
        let ty = call.turbofish.as_ref().and_then(|types| types.args.first());
        self.tool(name, handler, ty);
        if let (Some(tool), [text]) = (self.tools.last_mut(), between) {
            tool.texts.push(("/description", text.span()));
        }
        true
    }

    fn tool(&mut self, name: &LitStr, handler: &Expr, ty: Option<&GenericArgument>) {
        let mut tool = Written::named(name.value(), name.span());
        let mut at = handler;
        while let Expr::MethodCall(call) = at {
            let method = call.method.to_string();
            let name = if method == "with_description" { "description" } else { &method };
            tool.texts.extend(part(name).map(|part| (part, call.method.span())));
            at = &call.receiver;
        }
        tool.input = match made(handler) {
            Some((_, ty, handler)) => self.input(handler, ty),
            None => self.input(handler, ty),
        };
        self.tools.push(tool);
    }

    /// What a handler takes: a type that is given beside it, or that of its first parameter.
    fn input(&self, handler: &Expr, ty: Option<&GenericArgument>) -> Input {
        match (ty, handler) {
            (Some(GenericArgument::Type(ty)), _) if !matches!(ty, Type::Infer(_)) => Input::of(ty),
            (_, Expr::Closure(closure)) => match closure.inputs.first() {
                Some(Pat::Type(typed)) => Input::of(&typed.ty),
                _ => Input::none(),
            },
            (_, Expr::Path(path)) => {
                let function = self.items.iter().find_map(|item| match item {
                    Item::Fn(item) if path.path.is_ident(&item.sig.ident) => Some(&item.sig),
                    _ => None,
                });
                function.map_or_else(Input::none, input)
            }
            _ => Input::none(),
        }
    }
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
