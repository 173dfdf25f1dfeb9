//! Function bodies: what server fields are initialised with, and where routers are edited.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprStruct, Local, Member, Pat, Stmt};

use super::routers::{self, SelfType};
use super::walk::Place;
use super::{Expression, FieldEvent, FieldUse};
use super::{attrs, inputs};

/// Methods that change which tools a router holds.
const EDITS: [&str; 8] = [
    "add_route",
    "disable_route",
    "enable_route",
    "merge",
    "remove_route",
    "with_disabled",
    "with_route",
    "insert",
];
/// Methods that change what a router's `map` holds.
const MAP_EDITS: [&str; 9] =
    ["clear", "drain", "entry", "extend", "get_mut", "insert", "iter_mut", "remove", "values_mut"];

/// Collects the field uses in one function body.
pub(super) fn field_uses(place: &Place, this: Option<&SelfType>, block: &Block) -> Vec<FieldUse> {
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
        routers::closed(expr, this, None).ok_or_else(|| routers::shorten(&expr.to_token_stream()))
    }
}

/// The value of a variable that a block builds without any input: `let`, `merge`, `+=`, and edits
/// that mention nothing but the variable and items, each perhaps under a `cfg`. The error is the
/// text of the statement that is none of these and may change it.
fn straight_line(block: &Block, name: &str, this: &SelfType) -> Result<Expression, String> {
    let mut steps = Vec::new();
    let mut calls = Vec::new();
    for stmt in &block.stmts {
        match step(stmt, name, this) {
            Some(step) => {
                steps.push(step.text);
                calls.extend(step.calls);
            }
            None if changes(stmt, name) => {
                return Err(routers::shorten(&stmt.to_token_stream()));
            }
            None => {}
        }
    }
    Ok(Expression { text: format!("{{ {} {name} }}", steps.join(" ")), calls })
}

/// A statement that builds the variable out of nothing but items.
fn step(stmt: &Stmt, name: &str, this: &SelfType) -> Option<Expression> {
    let extended = |attributes: &[syn::Attribute], before: String, value: &Expr, after: &str| {
        let value = routers::closed(value, this, Some(name))?;
        let cfgs: String =
            attrs::cfgs(attributes).iter().map(|cfg| format!("#[cfg({cfg})] ")).collect();
        let text = format!("{cfgs}{before}{}{after};", value.text);
        Some(Expression { text, calls: value.calls })
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
            let text = routers::replace_self(stmt.to_token_stream(), &this.path).to_string();
            Some(Expression { text, calls: Vec::new() })
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
                Expr::MethodCall(call) => {
                    root_is(&call.receiver, self.name)
                        && (EDITS.iter().chain(&MAP_EDITS).any(|edit| call.method == edit)
                            || call.method == "retain")
                }
                Expr::Reference(borrow) => {
                    borrow.mutability.is_some() && root_is(&borrow.expr, self.name)
                }
                Expr::Assign(assign) => root_is(&assign.left, self.name),
                Expr::Binary(sum) => {
                    matches!(sum.op, syn::BinOp::AddAssign(_)) && root_is(&sum.left, self.name)
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

/// Whether `expr` is the variable or reaches into it (`name.map`, `(*name).map`).
fn root_is(expr: &Expr, name: &str) -> bool {
    match expr {
        Expr::Path(_) => is_variable(expr, name),
        Expr::Field(field) => root_is(&field.base, name),
        Expr::MethodCall(call) => root_is(&call.receiver, name),
        Expr::Paren(inner) => root_is(&inner.expr, name),
        Expr::Unary(inner) => root_is(&inner.expr, name),
        Expr::Index(index) => root_is(&index.expr, name),
        _ => false,
    }
}

/// The field that `expr` reaches a router through: `x.field`, `x.field.map`, `x.y().field`.
fn reached_field(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Field(field) => match &field.member {
            Member::Named(name) if name == "map" => reached_field(&field.base),
            Member::Named(name) => Some(name.to_string()),
            Member::Unnamed(_) => None,
        },
        Expr::MethodCall(call) => reached_field(&call.receiver),
        Expr::Paren(inner) => reached_field(&inner.expr),
        Expr::Unary(inner) => reached_field(&inner.expr),
        Expr::Reference(inner) => reached_field(&inner.expr),
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
            Expr::MethodCall(call) => {
                let edits = if ends_in_map(&call.receiver) {
                    MAP_EDITS.iter().any(|edit| call.method == edit) || call.method == "retain"
                } else {
                    EDITS.iter().any(|edit| call.method == edit)
                };
                edits.then(|| reached_field(&call.receiver)).flatten()
            }
            Expr::Assign(assign) => reached_field(&assign.left),
            Expr::Binary(sum) if matches!(sum.op, syn::BinOp::AddAssign(_)) => {
                reached_field(&sum.left)
            }
            _ => None,
        };
        if let Some(field) = edited {
            let tokens = expr.to_token_stream();
            let at = syn::spanned::Spanned::span(expr);
            self.push(None, field, at, FieldEvent::Edit(routers::shorten(&tokens)));
        }
        visit::visit_expr(self, expr);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {
        // Items inside bodies have a `self` of their own.
    }
}
