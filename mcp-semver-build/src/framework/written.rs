//! Where the syntax that declares a tool says the parts of its contract.
//!
//! A framework tells of each tool where its texts, hints and arguments are written and which types
//! they have; what those types say of themselves is looked up in one place for all frameworks.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, ExprLit, FnArg, Ident, ImplItem, ImplItemFn, ItemImpl, Lit, LitStr, Meta, Pat,
    PatType, Signature, Type,
};

use crate::scan::attrs::{cfgs, find, flatten};

/// A tool as it is declared.
pub(crate) struct Written {
    /// Its name on the wire.
    pub(crate) name: String,
    /// Where it stands; that of its [`DeclaredTool`](crate::scan::DeclaredTool), where it is one.
    pub(crate) span: Span,
    /// What it would stand in if it were gone.
    pub(crate) block: Option<Span>,
    /// Conditions on it.
    pub(crate) cfgs: Vec<String>,
    /// Where parts of the contract outside of its schemas are written, by JSON pointer.
    pub(crate) texts: Vec<(&'static str, Span)>,
    /// What it takes.
    pub(crate) input: Input,
    /// The type of what it returns, where that has a schema.
    pub(crate) output: Option<Type>,
}

/// The arguments of a tool.
pub(crate) enum Input {
    /// Each is a parameter of the function.
    Parameters(Vec<Parameter>),
    /// They are the fields of a type.
    Type(Box<Type>),
}

impl Input {
    /// They are the fields of this type.
    pub(super) fn of(ty: &Type) -> Self {
        Self::Type(Box::new(ty.clone()))
    }

    /// Nothing is told of the arguments.
    pub(super) fn none() -> Self {
        Self::Parameters(Vec::new())
    }
}

/// An argument that is a parameter.
pub(crate) struct Parameter {
    /// Its name on the wire.
    pub(crate) name: String,
    /// Where its name stands.
    pub(crate) span: Span,
    /// Where its own description starts.
    pub(crate) description: Option<Span>,
    /// Its type.
    pub(crate) ty: Type,
}

impl Written {
    /// A tool of the name that its item has in Rust, described by its doc comment.
    pub(super) fn new(ident: &Ident, attributes: &[Attribute], input: Input) -> Self {
        let doc = doc(attributes).map(|span| ("/description", span));
        Self {
            cfgs: cfgs(attributes),
            texts: doc.into_iter().collect(),
            input,
            ..Self::named(ident.unraw().to_string(), ident.span())
        }
    }

    /// A tool of which nothing is told but its name and where it stands.
    pub(super) fn named(name: String, span: Span) -> Self {
        Self {
            name,
            span,
            block: None,
            cfgs: Vec::new(),
            texts: Vec::new(),
            input: Input::none(),
            output: None,
        }
    }

    /// Whether nothing but its name and its place is told.
    pub(crate) fn is_bare(&self) -> bool {
        let takes_nothing = matches!(&self.input, Input::Parameters(list) if list.is_empty());
        takes_nothing && self.texts.is_empty() && self.output.is_none()
    }

    /// Takes what the items of an attribute say.
    pub(super) fn read(&mut self, items: &[Item]) {
        for item in items {
            match item.name.as_str() {
                "annotations" => {
                    self.texts.push(("/annotations", item.span));
                    let hints = items_of(item.value.clone());
                    self.texts.extend(hints.iter().filter_map(|hint| match hint.name.as_str() {
                        "title" => Some((TITLE_HINT, hint.span)),
                        name => Some((part(name)?, hint.span)),
                    }));
                }
                "name" => self.renamed(item),
                "title" => self.texts.extend([("/title", item.span), (TITLE_HINT, item.span)]),
                name => self.texts.extend(part(name).map(|part| (part, item.span))),
            }
        }
    }

    /// Takes the name that an item gives.
    pub(super) fn renamed(&mut self, item: &Item) {
        if let Some(name) = item.text() {
            self.name = name;
            self.texts.push(("/name", item.span));
        }
    }
}

/// Where some frameworks repeat the title.
const TITLE_HINT: &str = "/annotations/title";

/// The part of a contract that an item of a tool's attribute gives, whatever the framework: all of
/// them use these names.
pub(super) fn part(item: &str) -> Option<&'static str> {
    Some(match item.trim_end_matches("_hint") {
        "description" => "/description",
        "read_only" => "/annotations/readOnlyHint",
        "destructive" => "/annotations/destructiveHint",
        "idempotent" => "/annotations/idempotentHint",
        "open_world" => "/annotations/openWorldHint",
        "execution" | "task_support" => "/execution",
        _ => return None,
    })
}

/// Whether an attribute of this name stands on a block.
pub(super) fn is_marked(block: &ItemImpl, attribute: &str) -> bool {
    find(&flatten(&block.attrs), attribute).is_some()
}

/// The methods that are tools, in the blocks that hold tools.
pub(super) fn methods(
    items: &[syn::Item],
    holds_tools: &dyn Fn(&ItemImpl) -> bool,
    tool: &dyn Fn(&ImplItemFn) -> Option<Written>,
) -> Vec<Written> {
    let blocks = items.iter().filter_map(|item| match item {
        syn::Item::Impl(block) if holds_tools(block) => Some(block),
        _ => None,
    });
    let methods = blocks.flat_map(|block| {
        block.items.iter().filter_map(move |item| match item {
            ImplItem::Fn(method) => {
                let tool = tool(method)?;
                let cfgs = [cfgs(&block.attrs), tool.cfgs].concat();
                Some(Written { block: Some(block.self_ty.span()), cfgs, ..tool })
            }
            _ => None,
        })
    });
    methods.collect()
}

/// The parameters of a function but the receiver, each with the name that its pattern gives.
pub(super) fn parameters(sig: &Signature) -> impl Iterator<Item = (&Ident, &PatType)> {
    sig.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(pat) => Some((&pat.ident, typed)),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    })
}

impl Parameter {
    /// The parameter as it is written.
    pub(super) fn new(ident: &Ident, typed: &PatType) -> Self {
        Self {
            name: ident.unraw().to_string(),
            span: ident.span(),
            description: doc(&typed.attrs),
            ty: (*typed.ty).clone(),
        }
    }
}

/// Where the doc comment of something starts to say something.
pub(crate) fn doc(attributes: &[Attribute]) -> Option<Span> {
    flatten(attributes).iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => {
            let is_empty = matches!(&pair.value, Expr::Lit(ExprLit { lit: Lit::Str(text), .. })
                if text.value().trim().is_empty());
            (!is_empty).then(|| pair.span())
        }
        _ => None,
    })
}

/// One of the things between the commas of an attribute.
pub(crate) struct Item {
    /// What it starts with; empty where that is no name.
    pub(crate) name: String,
    /// All of it.
    pub(crate) span: Span,
    /// What stands behind `=`, between parentheses, or alone.
    pub(crate) value: TokenStream,
}

impl Item {
    /// Its value, where that is a string.
    pub(crate) fn text(&self) -> Option<String> {
        syn::parse2::<LitStr>(self.value.clone()).ok().map(|text| text.value())
    }
}

/// The items of every attribute of a name; its value, where it has one, is an item without a name.
pub(crate) fn items(attributes: &[Attribute], name: &str) -> Vec<Item> {
    let is_meant = |meta: &Meta| meta.path().segments.last().is_some_and(|last| last.ident == name);
    let metas = flatten(attributes).into_iter().map(|attribute| attribute.meta).filter(is_meant);
    let items = metas.flat_map(|meta| match meta {
        Meta::List(list) => items_of(list.tokens),
        Meta::NameValue(pair) => {
            vec![Item {
                name: String::new(),
                span: pair.span(),
                value: pair.value.to_token_stream(),
            }]
        }
        Meta::Path(_) => Vec::new(),
    });
    items.collect()
}

/// The items between commas.
pub(crate) fn items_of(tokens: TokenStream) -> Vec<Item> {
    let mut items = Vec::new();
    let mut trees: Vec<TokenTree> = Vec::new();
    for tree in tokens {
        match &tree {
            TokenTree::Punct(punct) if punct.as_char() == ',' => {
                items.extend(item(std::mem::take(&mut trees)));
            }
            _ => trees.push(tree),
        }
    }
    items.extend(item(trees));
    items
}

fn item(trees: Vec<TokenTree>) -> Option<Item> {
    let (first, last) = (trees.first()?.span(), trees.last()?.span());
    let span = first.join(last).unwrap_or(first);
    let mut trees = trees.into_iter().peekable();
    let mut name = String::new();
    if let Some(TokenTree::Ident(ident)) = trees.next_if(|it| matches!(it, TokenTree::Ident(_))) {
        name = ident.to_string();
    }
    let value = match trees.next() {
        Some(TokenTree::Group(group)) if !name.is_empty() => group.stream(),
        Some(TokenTree::Punct(punct)) if punct.as_char() == '=' => trees.collect(),
        Some(tree) => std::iter::once(tree).chain(trees).collect(),
        None => TokenStream::new(),
    };
    Some(Item { name, span, value })
}
