//! What a signature or an `impl` header says: the type, its parameters, the router it returns.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{GenericParam, Generics, ReturnType, Signature, Type};

use super::routers::SelfType;

pub(super) fn returns_router(sig: &Signature) -> bool {
    routed_type(sig).is_some()
}

/// The `T` of a function without arguments that returns `ToolRouter<T>`, by its last segment.
pub(super) fn routed_type(sig: &Signature) -> Option<String> {
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

/// The names of type and constant parameters.
pub(super) fn parameters(generics: &Generics) -> Vec<String> {
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
pub(super) fn self_type(ty: &Type, generics: &Generics) -> SelfType {
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
