//! The attributes of a type, field or variant, as the derives read them.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, Token};

use super::cfg::Cfg;
use super::error::{Result, unresolved};
use super::types::Adt;
use crate::scan::depth::parse_within;
use crate::scan::signature::replace_self;

/// Attribute items that schemars reads as serde does, where `#[schemars(..)]` goes before
/// `#[serde(..)]`.
const SHARED: [&str; 18] = [
    "content",
    "default",
    "deny_unknown_fields",
    "flatten",
    "from",
    "into",
    "remote",
    "rename",
    "rename_all",
    "rename_all_fields",
    "skip",
    "skip_deserializing",
    "skip_serializing",
    "skip_serializing_if",
    "tag",
    "transparent",
    "try_from",
    "untagged",
];

/// Whether schemars reads an attribute item as serde does.
pub(super) fn is_shared(name: &str) -> bool {
    SHARED.contains(&name)
}

/// One item of an attribute such as `#[serde(..)]`.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) name: String,
    pub(super) value: Value,
    pub(super) span: Span,
}

/// What stands behind the name of an item.
#[derive(Clone)]
pub(super) enum Value {
    /// Nothing.
    None,
    /// `= expression`.
    Expr(Expr),
    /// `(tokens)`.
    List(TokenStream),
    /// The name is behind `!`.
    Unset,
}

impl Item {
    /// The string in `name = "string"`.
    pub(super) fn string(&self) -> Result<LitStr> {
        match &self.value {
            Value::Expr(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Ok(text.clone()),
            _ => unresolved(format!("`{}` has no string value", self.name)),
        }
    }

    /// The syntax in `name = "syntax"`.
    pub(super) fn parsed<T: Parse>(&self) -> Result<T> {
        let text = self.string()?;
        match parse_within(&text) {
            Ok(parsed) => Ok(parsed),
            Err(_) => unresolved(format!("`{}` is not understood", text.value())),
        }
    }

    /// The items in `name(items)`.
    pub(super) fn nested(&self) -> Result<Vec<Item>> {
        match &self.value {
            Value::List(tokens) => items(tokens.clone()),
            _ => unresolved(format!("`{}` has no list of values", self.name)),
        }
    }

    /// The expression in `name = expression`.
    pub(super) fn expr(&self) -> Result<&Expr> {
        match &self.value {
            Value::Expr(expr) => Ok(expr),
            _ => unresolved(format!("`{}` has no value", self.name)),
        }
    }
}

/// The items of the attributes on one type, field or variant.
#[derive(Default)]
pub(super) struct Metas {
    /// The name of the type they stand on or in.
    pub(super) this: TokenStream,
    /// Every attribute that applies, in source order.
    pub(super) all: Vec<Meta>,
    pub(super) serde: Vec<Item>,
    pub(super) schemars: Vec<Item>,
    pub(super) validate: Vec<Item>,
    pub(super) garde: Vec<Item>,
    /// Those that schemars reads as serde does.
    pub(super) shared: Vec<Item>,
}

impl Metas {
    /// Reads the attributes that stand on or in a type.
    pub(super) fn new(attributes: &[Attribute], cfg: &Cfg, adt: Adt<'_>) -> Result<Self> {
        let this = adt.ident().map(ToTokens::to_token_stream).unwrap_or_default();
        let mut metas = Self { this, ..Self::default() };
        for attribute in crate::scan::attributes(attributes) {
            match cfg.all(&attribute.cfgs) {
                Some(true) => metas.all.push(inside(attribute.meta, adt, &metas.this)?),
                Some(false) => {}
                None => return unresolved("a condition on an attribute cannot be evaluated"),
            }
        }
        metas.serde = named(&metas.all, "serde")?;
        metas.schemars = named(&metas.all, "schemars")?;
        metas.validate = named(&metas.all, "validate")?;
        metas.garde = named(&metas.all, "garde")?;
        let shared = |item: &&Item| is_shared(&item.name);
        let set = |item: &&Item| !matches!(item.value, Value::Unset);
        metas.shared.extend(metas.schemars.iter().filter(shared).filter(set).cloned());
        let mut overruled: BTreeSet<&str> =
            metas.schemars.iter().map(|item| item.name.as_str()).collect();
        if metas.shared.iter().any(|item| item.name == "skip") {
            overruled.extend(["skip_serializing", "skip_deserializing"]);
        }
        let rest = metas.serde.iter().filter(shared);
        metas.shared.extend(
            rest.filter(|item| !overruled.contains(item.name.as_str()))
                .cloned()
                .collect::<Vec<_>>(),
        );
        Ok(metas)
    }

    /// The attributes that are a word, a list or a value of this name.
    pub(super) fn of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Meta> {
        self.all.iter().filter(move |meta| meta.path().is_ident(name))
    }
}

/// An attribute with the name of the type it stands in in place of `Self`: derives put what they
/// are given into an `impl` of it.
fn inside(mut meta: Meta, adt: Adt<'_>, this: &TokenStream) -> Result<Meta> {
    let Meta::List(list) = &mut meta else { return Ok(meta) };
    let mut constants = adt.generics().const_params().map(|param| param.ident.to_string());
    if constants.any(|name| mentions(list.tokens.clone(), &name)) {
        return unresolved("an attribute depends on a constant parameter");
    }
    let mut types = adt.generics().type_params().map(|param| param.ident.to_string());
    if types.any(|name| looks_into(list.tokens.clone(), &name)) {
        return unresolved("an attribute depends on what a type parameter stands for");
    }
    list.tokens = replace_self(std::mem::take(&mut list.tokens), this);
    Ok(meta)
}

/// Whether tokens may mention a name, in a text of their own, too.
pub(super) fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Literal(literal) => literal.to_string().contains(name),
        TokenTree::Punct(_) => false,
    })
}

/// Whether tokens name something inside of a type, in a text of their own, too.
pub(super) fn looks_into(tokens: TokenStream, ty: &str) -> bool {
    let mut before = [String::new(), String::new()];
    tokens.into_iter().any(|tree| {
        let text = tree.to_string();
        let found = match &tree {
            TokenTree::Group(group) => looks_into(group.stream(), ty),
            TokenTree::Literal(_) => text.match_indices(ty).any(|(at, _)| {
                let is_word = |it: char| it.is_alphanumeric() || it == '_';
                !text[..at].ends_with(is_word)
                    && text[at + ty.len()..].trim_start().starts_with("::")
            }),
            TokenTree::Punct(_) => text == ":" && before[1] == ":" && before[0] == ty,
            TokenTree::Ident(_) => false,
        };
        before.rotate_left(1);
        before[1] = text;
        found
    })
}

/// The items of every attribute of this name.
fn named(metas: &[Meta], name: &str) -> Result<Vec<Item>> {
    let mut found = Vec::new();
    for meta in metas.iter().filter(|meta| meta.path().is_ident(name)) {
        match meta {
            Meta::List(list) => found.extend(items(list.tokens.clone())?),
            _ => return unresolved(format!("the attribute `{name}` has no list")),
        }
    }
    Ok(found)
}

/// Parses the comma-separated items of an attribute.
pub(super) fn items(tokens: TokenStream) -> Result<Vec<Item>> {
    match Punctuated::<Item, Token![,]>::parse_terminated.parse2(tokens) {
        Ok(items) => Ok(items.into_iter().collect()),
        Err(error) => unresolved(format!("an attribute does not parse: {error}")),
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let unset = input.parse::<Option<Token![!]>>()?.is_some();
        let meta = if unset { Meta::Path(input.parse()?) } else { input.parse::<Meta>()? };
        let name: Vec<_> =
            meta.path().segments.iter().map(|segment| segment.ident.to_string()).collect();
        let span = meta.span();
        let value = match meta {
            Meta::Path(_) if unset => Value::Unset,
            Meta::Path(_) => Value::None,
            Meta::NameValue(pair) => Value::Expr(pair.value),
            Meta::List(list) => Value::List(list.tokens),
        };
        Ok(Self { name: name.join("::"), value, span })
    }
}
