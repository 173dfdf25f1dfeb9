//! The arguments of tools in rmcp 0.1, which are parameters of the function.

use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, ImplItem, Item, Meta, Pat, PatType, Signature};

use super::error::{At, Result, unresolved};
use super::generator::Generator;
use super::places::Places;
use super::tool::{Describer, ToolFn};
use super::types::{Adt, Ty};
use serde_json::Value;

/// How a parameter takes part in the arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    /// It is all of them.
    Whole,
    /// It is one of them.
    One,
}

fn marker(attributes: &[Attribute]) -> Option<Marker> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("tool") => match list.tokens.to_string().as_str() {
            "aggr" => Some(Marker::Whole),
            "param" => Some(Marker::One),
            _ => None,
        },
        _ => None,
    })
}

/// The name of the struct that the macro makes of the parameters of a function.
fn struct_name(sig: &Signature) -> String {
    format!("__{}ToolCallParam", sig.ident.to_string().to_ascii_uppercase())
}

fn marked(sig: &Signature) -> impl Iterator<Item = (Marker, &PatType)> {
    sig.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(typed) => Some((marker(&typed.attrs)?, typed)),
        FnArg::Receiver(_) => None,
    })
}

/// Adds the structs that the macro makes to the items of a module.
pub(super) fn expand(items: &mut Vec<Item>) {
    let mut made = Vec::new();
    for item in items.iter() {
        let Item::Impl(block) = item else { continue };
        for item in &block.items {
            let ImplItem::Fn(method) = item else { continue };
            let is_tool = crate::scan::attributes(&method.attrs).iter().any(|attribute| {
                attribute.meta.path().segments.last().is_some_and(|last| last.ident == "tool")
            });
            if is_tool {
                made.extend(parameters(&method.sig));
            }
        }
    }
    items.extend(made);
}

/// The struct of the parameters of one tool.
fn parameters(sig: &Signature) -> Option<Item> {
    let fields: Vec<_> = marked(sig)
        .filter(|(marker, _)| *marker == Marker::One)
        .filter_map(|(_, typed)| {
            let Pat::Ident(name) = typed.pat.as_ref() else { return None };
            let (name, ty) = (&name.ident, &typed.ty);
            let attributes = typed.attrs.iter().filter(|attribute| {
                attribute.path().is_ident("serde") || attribute.path().is_ident("schemars")
            });
            Some(quote! { #(#attributes)* pub #name: #ty })
        })
        .collect();
    if fields.is_empty() {
        return None;
    }
    let name = format_ident!("{}", struct_name(sig), span = sig.ident.span());
    syn::parse2(quote! {
        #[derive(rmcp::serde::Serialize, rmcp::serde::Deserialize, rmcp::schemars::JsonSchema)]
        pub struct #name { #(#fields),* }
    })
    .ok()
}

/// The schema of a tool's arguments.
pub(super) fn input<'t>(
    describer: &Describer<'_, '_, 't>,
    function: &ToolFn<'t>,
    places: &mut Places,
) -> Result<Value> {
    let program = describer.world.program;
    let place = |span| program.place(function.module, span);
    // The last marker of a function decides.
    let Some((last, typed)) = marked(function.sig).last() else { return describer.empty() };
    let read = || {
        let ty = match last {
            Marker::Whole => {
                // rmcp's wrapper has the schema of what it holds.
                let held = describer.parameters(function, &typed.ty);
                describer.ty(function, held.unwrap_or(&typed.ty))?
            }
            Marker::One if marked(function.sig).any(|(marker, _)| marker == Marker::Whole) => {
                return unresolved("it takes its arguments both ways");
            }
            Marker::One => {
                let name = struct_name(function.sig);
                let entries = program.names(function.module).entries.get(&name);
                match entries.map(Vec::as_slice).unwrap_or_default() {
                    [entry] => match entry.what {
                        super::program::What::Item(item) => {
                            Ty::Adt(Adt { module: function.module, item }, Vec::new())
                        }
                        _ => return unresolved("its parameters are not understood"),
                    },
                    _ => return unresolved("two tools of one module have the same name"),
                }
            }
        };
        Generator::root(describer.world, describer.sdk.input(), &ty, false)
    };
    let schema = read().at(|| place(typed.span()))?;
    Ok(describer.lifted(schema, "/inputSchema", place(typed.span()), places))
}
