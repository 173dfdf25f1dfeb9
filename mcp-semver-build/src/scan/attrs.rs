//! Attributes: conditions, and what stands behind `cfg_attr`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, ItemFn, Meta, Token};

/// An attribute that may apply, and the conditions under which it does.
#[derive(Clone)]
pub(crate) struct Conditional {
    pub(crate) meta: Meta,
    pub(crate) cfgs: Vec<String>,
}

/// Every attribute of a list, those inside `cfg_attr` included.
pub(crate) fn flatten(attrs: &[Attribute]) -> Vec<Conditional> {
    let mut out = Vec::new();
    for attr in attrs {
        push(attr.meta.clone(), Vec::new(), &mut out);
    }
    out
}

fn push(meta: Meta, cfgs: Vec<String>, out: &mut Vec<Conditional>) {
    if meta.path().is_ident("cfg_attr")
        && let Meta::List(list) = &meta
        && let Ok(parts) = metas(list.tokens.clone())
        && let Some((condition, attributes)) = parts.split_first()
    {
        for attribute in attributes {
            let mut cfgs = cfgs.clone();
            cfgs.push(condition.to_token_stream().to_string());
            push(attribute.clone(), cfgs, out);
        }
        return;
    }
    out.push(Conditional { meta, cfgs });
}

fn metas(tokens: TokenStream) -> syn::Result<Vec<Meta>> {
    let parts = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens)?;
    Ok(parts.into_iter().collect())
}

/// The conditions that `#[cfg(..)]` attributes of a list put on their item.
pub(crate) fn cfgs(attrs: &[Attribute]) -> Vec<String> {
    flatten(attrs)
        .into_iter()
        .filter(|attr| attr.meta.path().is_ident("cfg"))
        .filter_map(|attr| {
            let condition = attr.meta.require_list().ok()?.tokens.to_string();
            // `cfg_attr(a, cfg(b))` removes the item only where `a` holds and `b` does not.
            Some(match attr.cfgs.as_slice() {
                [] => condition,
                outer => format!("any(not(all({})), {condition})", outer.join(", ")),
            })
        })
        .collect()
}

/// Whether any of these conditions holds in test builds only.
pub(crate) fn test_only(cfgs: &[String]) -> bool {
    cfgs.iter().any(|cfg| {
        let cfg: String = cfg.split_whitespace().collect();
        cfg == "test"
            || cfg.starts_with("all(test,")
            || cfg.ends_with(",test)") && cfg.starts_with("all(")
    })
}

/// The first attribute of a name, see [`named`].
pub(crate) fn find<'a>(attrs: &'a [Conditional], name: &str) -> Option<&'a Conditional> {
    named(attrs, name).next()
}

/// The attributes whose path ends in `name`. `tool` is a name that other crates use too, so it
/// counts alone or behind `rmcp` only.
pub(crate) fn named<'a>(
    attrs: &'a [Conditional],
    name: &str,
) -> impl Iterator<Item = &'a Conditional> {
    attrs.iter().filter(move |attr| {
        let segments = &attr.meta.path().segments;
        segments.last().is_some_and(|last| last.ident == name)
            && (name != "tool"
                || segments.len() == 1
                || segments[0].ident == "rmcp"
                || segments[0].ident == "rmcp_macros")
    })
}

/// The attribute that makes a function a tool inside `#[tool_router]`, which looks at the last
/// segment of the path alone, and at what stands behind `cfg_attr` not at all.
pub(crate) fn find_routed(attrs: &[Conditional]) -> Option<&Conditional> {
    attrs
        .iter()
        .filter(|attr| attr.meta.path().segments.last().is_some_and(|last| last.ident == "tool"))
        .min_by_key(|attr| attr.cfgs.len())
}

/// The comma-separated arguments of an attribute, as `(key, value tokens)`; a bare key has none.
pub(crate) fn arguments(meta: &Meta) -> Vec<(String, Option<TokenStream>)> {
    let Meta::List(list) = meta else { return Vec::new() };
    let mut out = Vec::new();
    let mut key: Option<String> = None;
    let mut value: Option<TokenStream> = None;
    for tree in list.tokens.clone() {
        match (&tree, &mut value) {
            (proc_macro2::TokenTree::Punct(punct), _) if punct.as_char() == ',' => {
                out.extend(key.take().map(|key| (key, value.take())));
                value = None;
            }
            (_, Some(value)) => value.extend([tree]),
            (proc_macro2::TokenTree::Punct(punct), None) if punct.as_char() == '=' => {
                value = Some(TokenStream::new());
            }
            (_, None) => key.get_or_insert_default().push_str(&tree.to_string()),
        }
    }
    out.extend(key.map(|key| (key, value)));
    out
}

/// Whether a function is the program's `main` symbol by an attribute of its own.
pub(super) fn is_main_symbol(function: &ItemFn) -> bool {
    flatten(&function.attrs).iter().any(|attr| {
        let text: String = attr.meta.to_token_stream().to_string().split_whitespace().collect();
        let text = text.strip_prefix("unsafe(").and_then(|t| t.strip_suffix(')')).unwrap_or(&text);
        (text == "no_mangle" && function.sig.ident == "main") || text == "export_name=\"main\""
    })
}
