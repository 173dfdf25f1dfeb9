//! Function bodies: what server fields are initialised with, and where routers are edited.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprStruct, Local, Member, Pat, Stmt};

use super::{inputs, routers};
use crate::scan::signature::{SelfType, replace_self};
use crate::scan::{Added, Expression, FieldEvent, FieldUse, Place, Summand, attrs, shorten};

/// Methods of a router that leave its tools alone; any other may change them.
const READS: [&str; 19] = [
    "as_ref",
    "bind_peer_notifier",
    "borrow",
    "call",
    "clear_notifier",
    "clone",
    "expect",
    "get",
    "has_route",
    "into",
    "is_disabled",
    "is_empty",
    "len",
    "list_all",
    "lock",
    "read",
    "set_notifier",
    "to_owned",
    "unwrap",
];
/// Methods that lead to the router inside a lock or a handle.
const GUARDS: [&str; 8] =
    ["as_mut", "blocking_write", "borrow_mut", "expect", "get_mut", "lock", "unwrap", "write"];
/// Methods of a router's `map` that leave it alone.
const MAP_READS: [&str; 8] =
    ["clone", "contains_key", "get", "is_empty", "iter", "keys", "len", "values"];

/// Whether a method call on a router, or on its `map`, may change its tools.
fn edits(call: &syn::ExprMethodCall) -> bool {
    let reads: &[&str] = if ends_in_map(&call.receiver) { &MAP_READS } else { &READS };
    !reads.iter().any(|read| call.method == read)
}

/// Collects the field uses in one function body.
pub(crate) fn field_uses(place: &Place, this: Option<&SelfType>, block: &Block) -> Vec<FieldUse> {
    let mut bodies = Bodies { place, this, blocks: Vec::new(), found: Vec::new() };
    bodies.visit_block(block);
    bodies.found
}

struct Bodies<'a> {
    place: &'a Place,
    this: Option<&'a SelfType>,
    /// The blocks around the current expression, innermost last.
    blocks: Vec<&'a Block>,
    found: Vec<FieldUse>,
}

impl Bodies<'_> {
    fn push(
        &mut self,
        self_type: Option<String>,
        field: String,
        at: proc_macro2::Span,
        what: FieldEvent,
    ) {
        self.found.push(FieldUse {
            self_type,
            field,
            span: self.place.at(at),
            module: self.place.module,
            what,
        });
    }

    fn literal(&mut self, literal: &ExprStruct) {
        let Some(last) = literal.path.segments.last() else { return };
        let this = match self.this {
            Some(this) if last.ident == "Self" || last.ident == this.name => this.clone(),
            _ if last.ident == "Self" => return,
            _ => SelfType { name: last.ident.to_string(), path: literal.path.to_token_stream() },
        };
        for field in &literal.fields {
            let Member::Named(name) = &field.member else { continue };
            let what = match self.value(&field.expr, &this) {
                Ok(expression) => FieldEvent::Init(expression),
                Err(text) => FieldEvent::OpaqueInit(text),
            };
            self.push(Some(this.name.clone()), name.to_string(), name.span(), what);
        }
    }

    /// The router expression behind an initialiser; a local variable is followed to its `let`.
    ///
    /// The error is the text that keeps it from being one.
    fn value(&self, expr: &Expr, this: &SelfType) -> Result<Expression, String> {
        if let Expr::Path(path) = expr
            && let Some(variable) = path.path.get_ident().map(ToString::to_string)
            && let Some(block) = self.blocks.iter().rev().find(|block| {
                block
                    .stmts
                    .iter()
                    .any(|stmt| matches!(stmt, Stmt::Local(local) if binds(local, &variable)))
            })
        {
            return straight_line(block, &variable, this);
        }
        routers::closed(expr, this, None).ok_or_else(|| shorten(&expr.to_token_stream()))
    }
}

/// The value of a variable that a block builds without any input: `let`, `merge`, `+=`, and edits
/// that mention nothing but the variable and items, each perhaps under a `cfg`. The error is the
/// text of the statement that is none of these and may change it.
fn straight_line(block: &Block, name: &str, this: &SelfType) -> Result<Expression, String> {
    let mut steps = Vec::new();
    let mut calls = Vec::new();
    let mut sum = Some(Vec::new());
    for stmt in &block.stmts {
        match step(stmt, name, this) {
            Some((step, cfgs)) => {
                steps.push(step.text);
                calls.extend(step.calls);
                sum = sum.zip(step.sum).map(|(sum, added)| summed(sum, added, &cfgs));
            }
            None if changes(stmt, name) => {
                return Err(shorten(&stmt.to_token_stream()));
            }
            None => {}
        }
    }
    Ok(Expression { text: format!("{{ {} {name} }}", steps.join(" ")), calls, sum })
}

/// What a variable holds after a statement that holds under `cfgs`: `before` is what it held, and
/// stands in `added` where the statement keeps it.
fn summed(before: Vec<Summand>, added: Vec<Summand>, cfgs: &[String]) -> Vec<Summand> {
    let (kept, mut added): (Vec<_>, Vec<_>) =
        added.into_iter().partition(|summand| summand.what == Added::Variable);
    added.iter_mut().for_each(|summand| summand.cfgs.extend(cfgs.iter().cloned()));
    let mut sum = before;
    if kept.is_empty() {
        // It is replaced where the conditions hold, and stays what it was elsewhere.
        let otherwise = format!("not(all({}))", cfgs.join(", "));
        sum.iter_mut().for_each(|summand| summand.cfgs.push(otherwise.clone()));
    }
    sum.extend(added);
    sum
}

/// What a function returns that does nothing but add up routers.
pub(crate) fn returned(block: &Block, this: &SelfType) -> Option<Expression> {
    let Some(Stmt::Expr(tail, None)) = block.stmts.last() else { return None };
    match tail {
        Expr::Path(path) if path.path.get_ident().is_some() && block.stmts.len() > 1 => {
            straight_line(block, &path.path.get_ident()?.to_string(), this).ok()
        }
        tail if block.stmts.len() == 1 => {
            let sum = routers::sum(tail, this);
            Some(Expression { text: String::new(), calls: Vec::new(), sum })
        }
        _ => None,
    }
}

/// A statement that builds the variable out of nothing but items, and the conditions on it.
fn step(stmt: &Stmt, name: &str, this: &SelfType) -> Option<(Expression, Vec<String>)> {
    let extended = |attributes: &[syn::Attribute], before: String, value: &Expr, after: &str| {
        let mut value = routers::closed(value, this, Some(name))?;
        let conditions = attrs::cfgs(attributes);
        let cfgs: String = conditions.iter().map(|cfg| format!("#[cfg({cfg})] ")).collect();
        if !before.starts_with("let") {
            let kept = Summand { what: Added::Variable, cfgs: Vec::new() };
            value.sum.iter_mut().for_each(|sum| sum.push(kept.clone()));
        }
        let text = format!("{cfgs}{before}{}{after};", value.text);
        Some((Expression { text, ..value }, conditions))
    };
    match stmt {
        Stmt::Local(local) if binds(local, name) => {
            let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
            extended(&local.attrs, format!("let mut {name} = "), &init.expr, "")
        }
        Stmt::Expr(Expr::Binary(sum), _)
            if is_variable(&sum.left, name) && matches!(sum.op, syn::BinOp::AddAssign(_)) =>
        {
            extended(&sum.attrs, format!("{name} += "), &sum.right, "")
        }
        Stmt::Expr(Expr::MethodCall(call), _)
            if is_variable(&call.receiver, name)
                && call.method == "merge"
                && call.args.len() == 1 =>
        {
            extended(&call.attrs, format!("{name}.merge("), &call.args[0], ")")
        }
        Stmt::Expr(..) if changes(stmt, name) && inputs::takes_none(stmt, name) => {
            let text = replace_self(stmt.to_token_stream(), &this.path).to_string();
            Some((Expression { text, calls: Vec::new(), sum: None }, Vec::new()))
        }
        _ => None,
    }
}

/// Whether a `let` binds exactly this name.
fn binds(local: &Local, name: &str) -> bool {
    match &local.pat {
        Pat::Ident(pat) => pat.ident == name,
        Pat::Type(typed) => matches!(typed.pat.as_ref(), Pat::Ident(pat) if pat.ident == name),
        _ => false,
    }
}

fn is_variable(expr: &Expr, name: &str) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident(name))
}

/// Whether a statement may change the variable: calls a method on it that edits, borrows it
/// mutably, assigns it or its parts, or shadows it.
fn changes(stmt: &Stmt, name: &str) -> bool {
    struct Changes<'a> {
        name: &'a str,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Changes<'_> {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            self.found |= match expr {
                Expr::MethodCall(call) => place_is(&call.receiver, self.name) && edits(call),
                Expr::Reference(borrow) => {
                    borrow.mutability.is_some() && place_is(&borrow.expr, self.name)
                }
                Expr::Assign(assign) => place_is(&assign.left, self.name),
                Expr::Binary(sum) => {
                    matches!(sum.op, syn::BinOp::AddAssign(_)) && place_is(&sum.left, self.name)
                }
                _ => false,
            };
            visit::visit_expr(self, expr);
        }
        fn visit_local(&mut self, local: &'ast Local) {
            self.found |= binds(local, self.name);
            visit::visit_local(self, local);
        }
    }
    let mut changes = Changes { name, found: false };
    changes.visit_stmt(stmt);
    changes.found
}

/// Whether `expr` is the variable or a place in it: `name`, `name.map`, `(*name).map`.
fn place_is(expr: &Expr, name: &str) -> bool {
    match expr {
        Expr::Field(field) => place_is(&field.base, name),
        Expr::Paren(inner) => place_is(&inner.expr, name),
        Expr::Unary(inner) => place_is(&inner.expr, name),
        Expr::Index(index) => place_is(&index.expr, name),
        _ => is_variable(expr, name),
    }
}

/// The field that a place is or is in: `x.field`, `x.field.map`, `(*x.y().field).map`.
fn place_field(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Field(field) => match &field.member {
            Member::Named(name) if name == "map" => place_field(&field.base),
            Member::Named(name) => Some(name.to_string()),
            Member::Unnamed(_) => None,
        },
        Expr::MethodCall(call) if GUARDS.iter().any(|guard| call.method == guard) => {
            place_field(&call.receiver)
        }
        Expr::Await(inner) => place_field(&inner.base),
        Expr::Try(inner) => place_field(&inner.expr),
        Expr::Paren(inner) => place_field(&inner.expr),
        Expr::Unary(inner) => place_field(&inner.expr),
        Expr::Index(index) => place_field(&index.expr),
        _ => None,
    }
}

fn ends_in_map(expr: &Expr) -> bool {
    matches!(expr, Expr::Field(field) if matches!(&field.member, Member::Named(name) if name == "map"))
}

impl<'ast> Visit<'ast> for Bodies<'ast> {
    fn visit_block(&mut self, block: &'ast Block) {
        self.blocks.push(block);
        visit::visit_block(self, block);
        self.blocks.pop();
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        let edited = match expr {
            Expr::Struct(literal) => {
                self.literal(literal);
                None
            }
            Expr::MethodCall(call) if edits(call) => place_field(&call.receiver),
            Expr::Reference(borrow) if borrow.mutability.is_some() => place_field(&borrow.expr),
            Expr::Assign(assign) => place_field(&assign.left),
            Expr::Binary(sum) if matches!(sum.op, syn::BinOp::AddAssign(_)) => {
                place_field(&sum.left)
            }
            _ => None,
        };
        if let Some(field) = edited {
            let tokens = expr.to_token_stream();
            let at = syn::spanned::Spanned::span(expr);
            self.push(None, field, at, FieldEvent::Edit(shorten(&tokens)));
        }
        visit::visit_expr(self, expr);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {
        // Items inside bodies have a `self` of their own.
    }
}
