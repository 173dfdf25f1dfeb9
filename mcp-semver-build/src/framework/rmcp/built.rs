//! Routers that a body builds in a variable, statement by statement.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Local, Pat, Stmt};

use super::edits::edits;
use super::{inputs, routers};
use crate::scan::signature::{SelfType, replace_self};
use crate::scan::{Added, Expression, Summand, attrs, shorten};

/// The value of a variable that a block builds without any input: `let`, `merge`, `+=`, and edits
/// that mention nothing but the variable and items, each perhaps under a `cfg`. The error is the
/// text of the statement that is none of these and may change it.
pub(super) fn straight_line(
    block: &Block,
    name: &str,
    this: &SelfType,
) -> Result<Expression, String> {
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
pub(super) fn binds(local: &Local, name: &str) -> bool {
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
