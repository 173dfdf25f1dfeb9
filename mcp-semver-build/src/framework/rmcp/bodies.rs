//! Function bodies: what server fields are initialised with, and where routers are edited.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ExprStruct, FieldPat, ImplItem, Item, Member, Pat, Signature, Stmt, Token,
    TraitItem,
};

use super::built::{binds, straight_line};
use super::edits::{GUARDS, MAP_READS, READS, edits};
use super::routers;
use crate::scan::signature::{SelfType, self_type};
use crate::scan::{Expression, FieldEvent, FieldUse, Place, shorten};

/// Macros that leave alone what they are called with.
const READING_MACROS: [&str; 22] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "eprint",
    "eprintln",
    "error",
    "format",
    "info",
    "json",
    "matches",
    "panic",
    "print",
    "println",
    "trace",
    "vec",
    "warn",
    "write",
    "writeln",
];

/// Collects the field uses in one function.
pub(crate) fn field_uses(
    place: &Place,
    this: Option<&SelfType>,
    sig: &Signature,
    block: &Block,
) -> Vec<FieldUse> {
    let mut bodies = Bodies::new(place, this);
    sig.inputs.iter().for_each(|input| bodies.visit_fn_arg(input));
    bodies.visit_block(block);
    bodies.found
}

/// Collects the field uses in what a macro is called with or defined by.
pub(crate) fn in_macro(place: &Place, tokens: &TokenStream) -> Vec<FieldUse> {
    let mut bodies = Bodies::new(place, None);
    bodies.tokens(tokens);
    bodies.found
}

struct Bodies<'a> {
    place: &'a Place,
    this: Option<&'a SelfType>,
    /// The blocks around the current expression, innermost last.
    blocks: Vec<&'a Block>,
    /// The fields that variables stand for, which a pattern has bound.
    bound: BTreeMap<String, String>,
    found: Vec<FieldUse>,
}

impl<'a> Bodies<'a> {
    fn new(place: &'a Place, this: Option<&'a SelfType>) -> Self {
        Self { place, this, blocks: Vec::new(), bound: BTreeMap::new(), found: Vec::new() }
    }

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

    fn edit(&mut self, field: String, at: proc_macro2::Span, tokens: &TokenStream) {
        self.push(None, field, at, FieldEvent::Edit(shorten(tokens)));
    }

    /// The field that a place is or is in: `x.field`, `x.field.map`, `(*x.y().field).map`.
    fn field(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Field(field) => match &field.member {
                Member::Named(name) if name == "map" => self.field(&field.base),
                Member::Named(name) => Some(name.to_string()),
                Member::Unnamed(_) => None,
            },
            Expr::MethodCall(call) if GUARDS.iter().any(|guard| call.method == guard) => {
                self.field(&call.receiver)
            }
            Expr::Await(inner) => self.field(&inner.base),
            Expr::Try(inner) => self.field(&inner.expr),
            Expr::Paren(inner) => self.field(&inner.expr),
            Expr::Unary(inner) => self.field(&inner.expr),
            Expr::Index(index) => self.field(&index.expr),
            Expr::Path(path) => self.bound.get(&path.path.get_ident()?.to_string()).cloned(),
            _ => None,
        }
    }

    /// Whether a place is in what a pattern has bound to a variable.
    fn is_bound(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Field(field) => self.is_bound(&field.base),
            Expr::Paren(inner) => self.is_bound(&inner.expr),
            Expr::Unary(inner) => self.is_bound(&inner.expr),
            expr => matches!(expr, Expr::Path(_)) && self.field(expr).is_some(),
        }
    }

    /// Looks for fields in tokens of which only a macro knows the meaning: `.field` with anything
    /// behind it but what reads.
    fn tokens(&mut self, tokens: &TokenStream) {
        let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let name = |at: usize| match tokens.get(at..at + 2) {
            Some([TokenTree::Punct(dot), TokenTree::Ident(name)]) if dot.as_char() == '.' => {
                Some(name)
            }
            _ => None,
        };
        for (at, token) in tokens.iter().enumerate() {
            if let TokenTree::Group(group) = token {
                self.tokens(&group.stream());
            }
            let is_call = matches!(tokens.get(at + 2), Some(TokenTree::Group(_)));
            let Some(field) = name(at).filter(|_| !is_call) else { continue };
            let is_map = name(at + 2).is_some_and(|name| name == "map");
            let (reads, method) =
                if is_map { (&MAP_READS[..], name(at + 4)) } else { (&READS[..], name(at + 2)) };
            if !method.is_some_and(|method| reads.iter().any(|read| method == read)) {
                let text = tokens.iter().take(at + 6).skip(at.saturating_sub(2));
                self.edit(field.to_string(), field.span(), &text.cloned().collect());
            }
        }
    }

    /// Collects the field uses in an item inside a body, which has a `self` of its own.
    fn item(&mut self, item: &Item) {
        match item {
            Item::Fn(function) => {
                self.found.extend(field_uses(self.place, None, &function.sig, &function.block));
            }
            Item::Impl(block) => {
                let this = self_type(&block.self_ty, &block.generics);
                for item in &block.items {
                    let ImplItem::Fn(method) = item else { continue };
                    let uses = field_uses(self.place, Some(&this), &method.sig, &method.block);
                    self.found.extend(uses);
                }
            }
            Item::Trait(item) => {
                for item in &item.items {
                    let TraitItem::Fn(method) = item else { continue };
                    let Some(block) = &method.default else { continue };
                    self.found.extend(field_uses(self.place, None, &method.sig, block));
                }
            }
            Item::Macro(item) => self.tokens(&item.mac.tokens),
            Item::Mod(module) => {
                let items = module.content.iter().flat_map(|(_, items)| items);
                items.for_each(|item| self.item(item));
            }
            _ => {}
        }
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
            Expr::MethodCall(call) if edits(call) => self.field(&call.receiver),
            Expr::MethodCall(call) if self.is_bound(&call.receiver) => {
                return call.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            Expr::Reference(borrow) if borrow.mutability.is_some() => self.field(&borrow.expr),
            Expr::Reference(borrow) if self.is_bound(&borrow.expr) => return,
            Expr::Assign(assign) => self.field(&assign.left),
            Expr::Binary(sum) if matches!(sum.op, syn::BinOp::AddAssign(_)) => {
                self.field(&sum.left)
            }
            // What a pattern has bound may be a mutable reference.
            Expr::Path(_) => self.field(expr),
            _ => None,
        };
        if let Some(field) = edited {
            self.edit(field, expr.span(), &expr.to_token_stream());
        }
        visit::visit_expr(self, expr);
    }

    fn visit_field_pat(&mut self, pattern: &'ast FieldPat) {
        if let Member::Named(name) = &pattern.member {
            match pattern.pat.as_ref() {
                Pat::Wild(_) => {}
                Pat::Ident(ident) if ident.subpat.is_none() => {
                    self.bound.insert(ident.ident.to_string(), name.to_string());
                }
                _ => self.edit(name.to_string(), name.span(), &pattern.to_token_stream()),
            }
        }
        visit::visit_field_pat(self, pattern);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let parse = Punctuated::<Expr, Token![,]>::parse_terminated;
        let Ok(arguments) = parse.parse2(call.tokens.clone()) else {
            return self.tokens(&call.tokens);
        };
        let mut inside = Bodies::new(self.place, self.this);
        inside.bound.clone_from(&self.bound);
        let takes = call.path.segments.last();
        let reads = takes.is_some_and(|last| READING_MACROS.iter().any(|it| last.ident == it));
        for argument in &arguments {
            if let Some(field) = inside.field(argument).filter(|_| !reads) {
                inside.edit(field, argument.span(), &argument.to_token_stream());
            } else if !reads || !inside.is_bound(argument) {
                inside.visit_expr(argument);
            }
        }
        self.found.append(&mut inside.found);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        self.item(item);
    }
}
