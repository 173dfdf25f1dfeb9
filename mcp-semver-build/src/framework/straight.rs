//! Functions that answer with a list of tools: which of them say the same at build time.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Item, Member, Pat, Stmt, Token};

use crate::scan::signature::{SelfType, replace_self};
use crate::scan::{any_ident, shorten};

/// What a function lists: the field `tools` of the one struct `result` that it answers with, where
/// that depends on nothing but items. The error is why it cannot be told, to stand behind "what it
/// serves is not known: ".
pub(super) fn listed(block: &Block, result: &str, this: &SelfType) -> Result<String, String> {
    let mut exits = Exits { result, literals: 0, returns: 0, macros: false };
    exits.visit_block(block);
    let tail = block.stmts.last();
    let returns = usize::from(matches!(tail, Some(Stmt::Expr(Expr::Return(_), _))));
    if exits.literals != 1 || exits.returns > returns || exits.macros {
        return Err("its list of tools is put together at run time".into());
    }
    let tools = tools(block, result)?;
    Ok(replace_self(tools, &this.path).to_string())
}

/// Counts the ways out of a function, and what it can answer with.
struct Exits<'a> {
    result: &'a str,
    literals: usize,
    returns: usize,
    macros: bool,
}

impl<'ast> Visit<'ast> for Exits<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Struct(literal) => {
                let last = literal.path.segments.last();
                self.literals += usize::from(last.is_some_and(|last| last.ident == self.result));
            }
            Expr::Return(_) => self.returns += 1,
            // Closures return to the function.
            Expr::Closure(_) => return,
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let result = self.result;
        self.macros |=
            any_ident(mac.tokens.clone(), &mut |ident| ident == "return" || ident == result);
    }
}

/// The list in a block's answer, with the imports it needs.
fn tools(block: &Block, result: &str) -> Result<TokenStream, String> {
    let answer = match block.stmts.split_last() {
        Some((Stmt::Expr(Expr::Return(last), _), before)) => Some((last.expr.as_deref(), before)),
        Some((Stmt::Expr(last, None), before)) => Some((Some(last), before)),
        _ => None,
    };
    let Some((Some(answer), before)) = answer else {
        return Err("its answer is not the last of its body".into());
    };
    let tools = answered(answer, before, result)?;
    let uses = block.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Item(item @ Item::Use(_)) => Some(item),
        _ => None,
    });
    Ok(quote!({ #(#uses)* #tools }))
}

/// The list in an answer that stands behind some statements.
fn answered(answer: &Expr, before: &[Stmt], result: &str) -> Result<TokenStream, String> {
    match answer {
        Expr::Paren(inner) => answered(&inner.expr, before, result),
        Expr::Block(inner) => tools(&inner.block, result),
        Expr::Async(inner) => tools(&inner.block, result),
        Expr::Call(call) if call.args.len() == 1 && wraps(&call.func) => {
            answered(&call.args[0], before, result)
        }
        Expr::MethodCall(call) if call.args.is_empty() && call.method == "into" => {
            answered(&call.receiver, before, result)
        }
        Expr::Path(_) => {
            let (value, before) = bound(answer, before)?;
            answered(value, before, result)
        }
        Expr::Struct(literal) => {
            let field = |wanted: &str| {
                let is = |member: &Member| matches!(member, Member::Named(name) if name == wanted);
                literal.fields.iter().find(|field| is(&field.member)).map(|field| &field.expr)
            };
            let is_none =
                |expr: &Expr| matches!(expr, Expr::Path(path) if path.path.is_ident("None"));
            if field("next_cursor").is_some_and(|cursor| !is_none(cursor)) {
                return Err("its list of tools comes in pages".into());
            }
            closed(field("tools").ok_or("its list of tools is not written out")?, before)
        }
        other => Err(made(other)),
    }
}

fn made(expr: &Expr) -> String {
    format!("its list of tools is made at run time: `{}`", shorten(&expr.to_token_stream()))
}

/// `Ok(..)`, `Box::pin(..)`, or the variant of an enum.
fn wraps(func: &Expr) -> bool {
    let Expr::Path(path) = func else { return false };
    let last = path.path.segments.last().map(|last| last.ident.to_string());
    last.is_some_and(|last| ["ListToolsResult", "Ok", "pin"].contains(&&*last))
}

/// What an immutable variable is bound to by one of some statements, and those before it.
fn bound<'b>(variable: &Expr, before: &'b [Stmt]) -> Result<(&'b Expr, &'b [Stmt]), String> {
    let Expr::Path(path) = variable else { return Err(made(variable)) };
    let mut values = before.iter().enumerate().filter_map(|(index, stmt)| {
        let Stmt::Local(local) = stmt else { return None };
        let pat = match &local.pat {
            Pat::Type(typed) => &typed.pat,
            pat => pat,
        };
        let Pat::Ident(pat) = pat else { return None };
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let constant = pat.mutability.is_none();
        path.path.is_ident(&pat.ident).then_some((constant, &*init.expr, &before[..index]))
    });
    match (values.next(), values.next()) {
        (Some((true, value, before)), None) => Ok((value, before)),
        _ => Err(made(variable)),
    }
}

/// A list that depends on nothing but items: calls without arguments, constants, and what `vec!`
/// and arrays put together of them.
fn closed(expr: &Expr, before: &[Stmt]) -> Result<TokenStream, String> {
    let all = |parts: &Punctuated<Expr, Token![,]>| {
        parts.iter().map(|part| closed(part, before)).collect::<Result<Vec<_>, _>>()
    };
    match expr {
        Expr::Paren(inner) => closed(&inner.expr, before),
        Expr::Call(call) if call.args.is_empty() && matches!(*call.func, Expr::Path(_)) => {
            Ok(expr.to_token_stream())
        }
        Expr::Array(array) => all(&array.elems).map(|parts| quote!([#(#parts),*])),
        Expr::Macro(call) if call.mac.path.is_ident("vec") => {
            let parts = Punctuated::parse_terminated.parse2(call.mac.tokens.clone());
            let parts = all(&parts.map_err(|_| made(expr))?)?;
            Ok(quote!(::std::vec![#(#parts),*]))
        }
        Expr::MethodCall(call)
            if call.args.is_empty()
                && ["clone", "concat", "to_owned", "to_vec"].iter().any(|it| call.method == it) =>
        {
            let (receiver, method) = (closed(&call.receiver, before)?, &call.method);
            Ok(quote!((#receiver).#method()))
        }
        Expr::Path(path) => {
            let name = path.path.segments.last().map(|last| last.ident.to_string());
            let is_constant =
                name.is_some_and(|name| !name.chars().any(char::is_lowercase) && name != "_");
            if is_constant {
                return Ok(expr.to_token_stream());
            }
            let (value, before) = bound(expr, before)?;
            closed(value, before)
        }
        other => Err(made(other)),
    }
}
