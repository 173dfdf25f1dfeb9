//! Router expressions: which depend on nothing but items, so that the probe can evaluate them.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprMethodCall, ImplItemFn, Member, ReturnType, Signature, Stmt, Type};

use crate::scan::signature::{SelfType, replace_self};
use crate::scan::{Added, Expression, Serves, Summand, shorten};

/// The expression without what does not change the router: parentheses, references, clones, and
/// the pointers it is kept in.
fn peel(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => peel(&inner.expr),
        Expr::Group(inner) => peel(&inner.expr),
        Expr::Reference(inner) => peel(&inner.expr),
        Expr::MethodCall(call) if call.args.is_empty() && is_pass_through(call) => {
            peel(&call.receiver)
        }
        Expr::Call(call) if call.args.len() == 1 && is_pointer(&call.func) => peel(&call.args[0]),
        other => other,
    }
}

fn is_pass_through(call: &ExprMethodCall) -> bool {
    ["clone", "into", "as_ref", "to_owned"].iter().any(|name| call.method == name)
}

fn is_pointer(func: &Expr) -> bool {
    let Expr::Path(path) = func else { return false };
    let segments: Vec<_> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
    matches!(segments.as_slice(), [.., owner, new] if new == "new" && (owner == "Arc" || owner == "Rc" || owner == "Box"))
}

/// Reads a router expression made of calls without arguments, statics, `+`, and `variable`.
pub(crate) fn closed(expr: &Expr, this: &SelfType, variable: Option<&str>) -> Option<Expression> {
    let expr = peel(expr);
    match expr {
        Expr::Binary(sum) if matches!(sum.op, BinOp::Add(_)) => {
            let left = closed(&sum.left, this, variable)?;
            let right = closed(&sum.right, this, variable)?;
            Some(Expression {
                text: format!("{} + {}", left.text, right.text),
                calls: [left.calls, right.calls].concat(),
                sum: left.sum.zip(right.sum).map(|(left, right)| [left, right].concat()),
            })
        }
        // A builder's step: `.with_disabled("name")`.
        Expr::MethodCall(call) if call.args.iter().all(|arg| matches!(arg, Expr::Lit(_))) => {
            let receiver = closed(&call.receiver, this, variable)?;
            let arguments = call.args.to_token_stream();
            let text = format!("({}).{}({arguments})", receiver.text, call.method);
            Some(Expression { text, calls: receiver.calls, sum: None })
        }
        Expr::Call(call) if call.args.is_empty() => match call.func.as_ref() {
            Expr::Path(path) => {
                let name = path.path.segments.last()?.ident.to_string();
                let sum = Some(vec![Summand::plain(Added::Router(name.clone()))]);
                Some(Expression { text: text(expr, this), calls: vec![name], sum })
            }
            _ => None,
        },
        Expr::Path(path) => {
            let name = path.path.segments.last()?.ident.to_string();
            let is_static =
                name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase);
            let is_variable = variable.is_some_and(|variable| path.path.is_ident(variable));
            let sum = is_variable.then(|| vec![Summand::plain(Added::Variable)]);
            (is_static || is_variable).then(|| Expression {
                text: text(expr, this),
                calls: Vec::new(),
                sum,
            })
        }
        _ => None,
    }
}

/// What an expression adds up that is a sum of routers with single routes, and nothing else; a
/// route is `.with_route((name_tool_attr(), name))`.
pub(crate) fn sum(expr: &Expr, this: &SelfType) -> Option<Vec<Summand>> {
    let expr = peel(expr);
    if let Expr::MethodCall(call) = expr
        && call.method == "with_route"
        && let [Expr::Tuple(route)] = call.args.iter().collect::<Vec<_>>().as_slice()
        && let Some(Expr::Call(getter)) = route.elems.first()
        && let Expr::Path(getter) = getter.func.as_ref()
        && let Some(name) = getter.path.get_ident().map(ToString::to_string)
    {
        let mut parts = sum(&call.receiver, this)?;
        let function = name.strip_suffix("_tool_attr")?.to_owned();
        parts.push(Summand::plain(Added::Tool(function)));
        return Some(parts);
    }
    closed(expr, this, None)?.sum
}

impl Summand {
    fn plain(what: Added) -> Self {
        Self { what, cfgs: Vec::new() }
    }
}

fn text(expr: &Expr, this: &SelfType) -> String {
    replace_self(expr.to_token_stream(), &this.path).to_string()
}

/// The name of the field in `self.field`.
pub(crate) fn own_field(expr: &Expr) -> Option<String> {
    match peel(expr) {
        Expr::Field(field) => match (field.base.as_ref(), &field.member) {
            (Expr::Path(base), Member::Named(name)) if base.path.is_ident("self") => {
                Some(name.to_string())
            }
            _ => None,
        },
        _ => None,
    }
}

/// What a router expression given to a handler serves.
pub(crate) fn serves(expr: &Expr, this: &SelfType) -> Serves {
    if let Some(field) = own_field(expr) {
        return Serves::Field(field);
    }
    match closed(expr, this, None) {
        Some(expression) => Serves::Router(expression),
        None => Serves::Opaque(format!(
            "its router `{}` needs a running server",
            shorten(&expr.to_token_stream())
        )),
    }
}

/// What a `list_tools` written by hand serves: a router's whole list, or something unknown.
pub(crate) fn listed(method: &ImplItemFn, this: &SelfType) -> Serves {
    let mut calls = Lists::default();
    calls.visit_block(&method.block);
    match calls.receivers.as_slice() {
        [receiver] if !calls.more => match receiver {
            Expr::Call(call) if ends_in(&call.func, "tool_box") => Serves::ToolBox,
            receiver => serves(receiver, this),
        },
        _ => Serves::Opaque("its `list_tools` is written by hand".into()),
    }
}

fn ends_in(expr: &Expr, name: &str) -> bool {
    matches!(expr, Expr::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == name))
}

/// The `.list_all()` and `.list()` calls of a body, and whether it does more than pass one on.
#[derive(Default)]
struct Lists {
    receivers: Vec<Expr>,
    more: bool,
}

impl<'ast> Visit<'ast> for Lists {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::MethodCall(call)
                if call.args.is_empty() && (call.method == "list_all" || call.method == "list") =>
            {
                self.receivers.push(peel(&call.receiver).clone());
                return;
            }
            // Anything that can choose or change tools. Logging and result building cannot.
            Expr::MethodCall(call) if !HARMLESS_METHODS.iter().any(|name| call.method == name) => {
                self.more = true;
            }
            Expr::If(_)
            | Expr::Match(_)
            | Expr::ForLoop(_)
            | Expr::While(_)
            | Expr::Loop(_)
            | Expr::Assign(_) => self.more = true,
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        if let Stmt::Local(local) = stmt
            && let syn::Pat::Ident(pat) = &local.pat
            && pat.mutability.is_some()
        {
            self.more = true;
        }
        visit::visit_stmt(self, stmt);
    }
}

const HARMLESS_METHODS: [&str; 8] =
    ["as_ref", "clone", "into", "is_some_and", "len", "protocol_version", "then_some", "to_string"];

pub(crate) fn returns_router(sig: &Signature) -> bool {
    routed_type(sig).is_some()
}

/// The `T` of a function without arguments that returns `ToolRouter<T>`, by its last segment.
pub(crate) fn routed_type(sig: &Signature) -> Option<String> {
    let ReturnType::Type(_, ty) = &sig.output else { return None };
    let Type::Path(path) = ty.as_ref() else { return None };
    let last = path.path.segments.last()?;
    let plain = sig.inputs.is_empty() && sig.generics.params.is_empty() && sig.asyncness.is_none();
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        syn::GenericArgument::Type(Type::Path(this)) if plain && last.ident == "ToolRouter" => {
            Some(this.path.segments.last()?.ident.to_string())
        }
        _ => None,
    }
}
