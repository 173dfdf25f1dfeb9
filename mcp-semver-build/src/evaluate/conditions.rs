//! The conditions of code that changes a schema: what `if`, `matches!` and their patterns ask.

use serde_json::Value;
use syn::parse::{ParseStream, Parser};
use syn::{BinOp, Expr, ExprLit, ExprMethodCall, Lit, Pat, Stmt, Token, UnOp};

use super::code::{Code, name, not_told};
use super::error::Result;
use super::known::Kind;

/// What a condition looks at.
#[derive(Clone)]
enum Seen {
    Plain(Value),
    Option(Option<Value>),
}

/// Names that a condition or a block gave a value to.
#[derive(Default)]
pub(super) struct Bound {
    /// A variable that stands for another one until the branch ends: its name and the other's.
    moved: Vec<(String, String)>,
    /// Variables and what they hid.
    hidden: Vec<(String, Option<Value>)>,
}

impl Code<'_, '_, '_, '_, '_> {
    /// Runs `then` if the condition holds, `otherwise` if not.
    pub(super) fn branch(&mut self, branch: &syn::ExprIf) -> Result<()> {
        let mut bound = Bound::default();
        let holds = self.holds(&branch.cond, &mut bound)?;
        if holds {
            self.block(&branch.then_branch.stmts)?;
        }
        self.release(bound);
        match &branch.else_branch {
            Some((_, otherwise)) if !holds => self.act(otherwise),
            _ => Ok(()),
        }
    }

    /// Runs statements; what they declare is gone behind them.
    pub(super) fn block(&mut self, stmts: &[Stmt]) -> Result<()> {
        let mut bound = Bound::default();
        for stmt in stmts {
            self.declared(stmt, &mut bound);
            self.statement(stmt)?;
        }
        self.release(bound);
        Ok(())
    }

    /// Notes what a statement will hide.
    pub(super) fn declared(&self, stmt: &Stmt, bound: &mut Bound) {
        if let Stmt::Local(local) = stmt
            && let Some(name) = name(&local.pat)
        {
            let hidden = self.variables.get(&name).cloned();
            bound.hidden.push((name, hidden));
        }
    }

    pub(super) fn release(&mut self, bound: Bound) {
        for (inner, outer) in bound.moved.into_iter().rev() {
            let schema = self.variables.remove(&inner).unwrap_or_default();
            self.variables.insert(outer, schema);
        }
        for (name, hidden) in bound.hidden.into_iter().rev() {
            match hidden {
                Some(hidden) => self.variables.insert(name, hidden),
                None => self.variables.remove(&name),
            };
        }
    }

    fn bind(&mut self, name: String, value: Value, bound: &mut Bound) {
        let hidden = self.variables.insert(name.clone(), value);
        bound.hidden.push((name, hidden));
    }

    fn holds(&mut self, condition: &Expr, bound: &mut Bound) -> Result<bool> {
        match condition {
            Expr::Paren(inner) => self.holds(&inner.expr, bound),
            Expr::Unary(inner) if matches!(inner.op, UnOp::Not(_)) => {
                Ok(!self.holds(&inner.expr, bound)?)
            }
            Expr::Binary(both) => match both.op {
                BinOp::And(_) => {
                    Ok(self.holds(&both.left, bound)? && self.holds(&both.right, bound)?)
                }
                BinOp::Or(_) => {
                    Ok(self.holds(&both.left, bound)? || self.holds(&both.right, bound)?)
                }
                _ => not_told(condition),
            },
            Expr::Let(found) => match (found.pat.as_ref(), found.expr.as_ref()) {
                (Pat::TupleStruct(pattern), Expr::MethodCall(call))
                    if call.method == "as_object_mut" =>
                {
                    let inner = pattern.elems.first().filter(|_| pattern.elems.len() == 1);
                    let (true, Some(inner)) =
                        (self.is_option(&pattern.path, "Some"), inner.and_then(name))
                    else {
                        return not_told(condition);
                    };
                    let outer = self.place(&call.receiver)?;
                    if !self.variables.get(&outer).is_some_and(Value::is_object) {
                        return Ok(false);
                    }
                    // Under its own name nothing moves.
                    if inner != outer {
                        let schema = self.variables.remove(&outer).unwrap_or_default();
                        self.bind(inner.clone(), schema, bound);
                        bound.moved.push((inner, outer));
                    }
                    Ok(true)
                }
                (pattern, expr) => {
                    let seen = self.seen(expr)?;
                    self.fits(pattern, seen, bound)
                }
            },
            Expr::Macro(call) if call.mac.path.is_ident("matches") => {
                self.world.constants.require_unshadowed(self.scope.module, "matches")?;
                let parts = |input: ParseStream<'_>| {
                    let expr: Expr = input.parse()?;
                    input.parse::<Token![,]>()?;
                    let pattern = Pat::parse_multi_with_leading_vert(input)?;
                    input.parse::<Option<Token![,]>>()?;
                    Ok((expr, pattern))
                };
                let Ok((expr, pattern)) = parts.parse2(call.mac.tokens.clone()) else {
                    return not_told(condition);
                };
                let (seen, mut inside) = (self.seen(&expr)?, Bound::default());
                let fits = self.fits(&pattern, seen, &mut inside);
                self.release(inside);
                fits
            }
            Expr::MethodCall(call) => self.asks(condition, call),
            _ => not_told(condition),
        }
    }

    /// A method that tells a truth value.
    fn asks(&mut self, condition: &Expr, call: &ExprMethodCall) -> Result<bool> {
        let arguments: Vec<&Expr> = call.args.iter().collect();
        match (call.method.to_string().as_str(), arguments.as_slice()) {
            ("contains_key", [key]) => Ok(self.member(&call.receiver, key)?.is_some()),
            ("is_some" | "is_none", []) => match self.seen(&call.receiver)? {
                Seen::Option(value) => Ok(value.is_some() == (call.method == "is_some")),
                Seen::Plain(_) => not_told(condition),
            },
            _ => not_told(condition),
        }
    }

    /// What a variable that is a schema holds under a key.
    fn member(&mut self, receiver: &Expr, key: &Expr) -> Result<Option<Value>> {
        let variable = self.place(receiver)?;
        let Value::String(key) = self.value(key)? else { return not_told(receiver) };
        Ok(self.variables.get(&variable).and_then(|schema| schema.get(&key)).cloned())
    }

    fn seen(&mut self, expr: &Expr) -> Result<Seen> {
        match expr {
            Expr::Paren(inner) => self.seen(&inner.expr),
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) => match self.variables.get(&name.to_string()) {
                    Some(value) => Ok(Seen::Plain(value.clone())),
                    None => not_told(expr),
                },
                None => not_told(expr),
            },
            Expr::MethodCall(call) => {
                let arguments: Vec<&Expr> = call.args.iter().collect();
                match (call.method.to_string().as_str(), arguments.as_slice()) {
                    ("get", [key]) => Ok(Seen::Option(self.member(&call.receiver, key)?)),
                    ("and_then", [function]) if self.is_as_str(function) => {
                        match self.seen(&call.receiver)? {
                            Seen::Option(value) => Ok(Seen::Option(value.filter(Value::is_string))),
                            Seen::Plain(_) => not_told(expr),
                        }
                    }
                    _ => not_told(expr),
                }
            }
            _ => not_told(expr),
        }
    }

    /// Whether a path is a variant of `Option`.
    fn is_option(&self, path: &syn::Path, variant: &str) -> bool {
        self.world.program.is_option(self.scope.module, path, variant)
    }

    /// Whether a value fits a pattern; binds what it names.
    fn fits(&mut self, pattern: &Pat, seen: Seen, bound: &mut Bound) -> Result<bool> {
        match (pattern, seen) {
            (Pat::Paren(inner), seen) => self.fits(&inner.pat, seen, bound),
            (Pat::Wild(_), _) => Ok(true),
            (Pat::Or(cases), seen) => {
                for case in &cases.cases {
                    if self.fits(case, seen.clone(), bound)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Pat::TupleStruct(some), Seen::Option(value))
                if self.is_option(&some.path, "Some") && some.elems.len() == 1 =>
            {
                match value {
                    Some(value) => self.fits(&some.elems[0], Seen::Plain(value), bound),
                    None => Ok(false),
                }
            }
            (Pat::Ident(none), Seen::Option(value))
                if none.subpat.is_none() && self.is_option(&none.ident.clone().into(), "None") =>
            {
                Ok(value.is_none())
            }
            (Pat::Lit(ExprLit { lit: Lit::Str(text), .. }), Seen::Plain(value)) => {
                Ok(value == text.value())
            }
            // A name in capitals may be that of a constant.
            (Pat::Ident(named), Seen::Plain(value))
                if named.subpat.is_none()
                    && named.ident.to_string().chars().all(|it| !it.is_uppercase()) =>
            {
                self.bind(named.ident.to_string(), value, bound);
                Ok(true)
            }
            _ => super::error::unresolved("a pattern that is not understood"),
        }
    }
    /// Whether a function is `Value::as_str`, as a path or a closure.
    fn is_as_str(&self, function: &Expr) -> bool {
        match function {
            Expr::Path(path) => {
                let owner = self.world.program.owner(&self.scope, &path.path);
                path.path.segments.last().is_some_and(|last| last.ident == "as_str")
                    && owner.is_ok_and(|owner| owner.kind() == Some(Kind::Leaf("Value")))
            }
            Expr::Closure(closure) => match (closure.inputs.first().and_then(name), &*closure.body)
            {
                (Some(given), Expr::MethodCall(call)) => {
                    call.method == "as_str"
                        && matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident(&given))
                }
                _ => false,
            },
            _ => false,
        }
    }
}
