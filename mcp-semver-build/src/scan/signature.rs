//! What a signature or an `impl` header says: the type and its parameters.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{
    GenericArgument, GenericParam, Generics, ImplItemFn, Path, PathArguments, ReturnType, Type,
};

use super::any_ident;

/// A type as the collectors name it.
#[derive(Clone)]
pub(crate) struct SelfType {
    /// Its last path segment.
    pub(crate) name: String,
    /// How it is written where a path starts: `Server`, or `<Server<'static>>`.
    pub(crate) path: TokenStream,
}

/// The names of type and constant parameters.
pub(crate) fn parameters(generics: &Generics) -> Vec<String> {
    generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(param) => Some(param.ident.to_string()),
            GenericParam::Const(param) => Some(param.ident.to_string()),
            GenericParam::Lifetime(_) => None,
        })
        .collect()
}

/// How collectors name the type of an `impl`; its own lifetimes become `'static`.
pub(crate) fn self_type(ty: &Type, generics: &Generics) -> SelfType {
    let lifetimes: Vec<_> =
        generics.lifetimes().map(|param| param.lifetime.ident.to_string()).collect();
    let tokens = make_static(ty.to_token_stream(), &lifetimes);
    let (name, plain) = match ty {
        Type::Path(path) if path.qself.is_none() => (
            path.path.segments.last().map(|last| last.ident.to_string()),
            path.path.segments.iter().all(|segment| segment.arguments.is_none()),
        ),
        _ => (None, false),
    };
    SelfType {
        name: name.unwrap_or_else(|| tokens.to_string()),
        path: if plain { tokens } else { quote!(<#tokens>) },
    }
}

fn make_static(tokens: TokenStream, lifetimes: &[String]) -> TokenStream {
    let mut after_quote = false;
    tokens
        .into_iter()
        .map(|tree| match tree {
            TokenTree::Ident(ident)
                if after_quote && lifetimes.iter().any(|name| ident == name) =>
            {
                after_quote = false;
                TokenTree::from(format_ident!("static"))
            }
            TokenTree::Group(group) => {
                let inner = make_static(group.stream(), lifetimes);
                proc_macro2::Group::new(group.delimiter(), inner).into()
            }
            other => {
                after_quote = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '\'');
                other
            }
        })
        .collect()
}

/// Puts a type in the place of `Self`.
pub(crate) fn replace_self(tokens: TokenStream, this: &TokenStream) -> TokenStream {
    if !any_ident(tokens.clone(), &mut |ident| ident == "Self") {
        return tokens;
    }
    tokens
        .into_iter()
        .flat_map(|tree| match tree {
            TokenTree::Ident(ident) if ident == "Self" => this.clone(),
            TokenTree::Group(group) => {
                let inner = replace_self(group.stream(), this);
                let mut replaced = proc_macro2::Group::new(group.delimiter(), inner);
                replaced.set_span(group.span());
                TokenTree::from(replaced).into()
            }
            other => other.into(),
        })
        .collect()
}

/// A method with its attributes and signature and a body that does nothing, to be declared on
/// another type: the same tool as long as neither mentions `Self` or one of the type's parameters.
/// The error is the name that it mentions.
pub(crate) fn stub(method: &ImplItemFn, parameters: &[String]) -> Result<TokenStream, String> {
    let (attributes, signature) = (&method.attrs, &method.sig);
    let declaration = quote!(#(#attributes)* #signature);
    let mut mentions = None;
    any_ident(declaration.clone(), &mut |ident| {
        let found = ident == "Self" || parameters.iter().any(|name| ident == name);
        if found {
            mentions = Some(ident.to_string());
        }
        found
    });
    // An endless loop has every type, also those that `unimplemented!()` cannot take.
    mentions.map_or_else(|| Ok(quote!(#declaration { loop {} })), Err)
}

/// The path of a type whose last segment has this name.
pub(crate) fn named<'a>(ty: &'a Type, name: &str) -> Option<&'a Path> {
    match ty {
        Type::Path(path) => {
            path.path.segments.last().is_some_and(|last| last.ident == name).then_some(&path.path)
        }
        _ => None,
    }
}

/// The first type argument of a path.
pub(crate) fn first_argument(path: &Path) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &path.segments.last()?.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// What a function returns inside of a wrapper, which may be the success of a result.
pub(crate) fn result<'t>(
    output: &'t ReturnType,
    results: &[&str],
    wrapper: &str,
) -> Option<&'t Type> {
    let ReturnType::Type(_, returned) = output else { return None };
    let success = results.iter().find_map(|name| first_argument(named(returned, name)?));
    first_argument(named(success.unwrap_or(returned), wrapper)?)
}
