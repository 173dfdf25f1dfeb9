//! Where `#[tool]` functions say what their tools are: for those whose contract evaluation does not
//! tell.

use syn::{Attribute, FnArg, Item, Signature};

use crate::framework::written::{Input, Written, items, methods};
use crate::scan::attrs::{find_routed, flatten};
use crate::scan::signature::{first_argument, named, result};

/// The tools among the items of one module. Those of rmcp 0.1, whose arguments are parameters, have
/// no arguments here.
pub(super) fn written(of: &[Item]) -> Vec<Written> {
    let free = of.iter().filter_map(|item| match item {
        Item::Fn(item) => tool(&item.attrs, &item.sig),
        _ => None,
    });
    methods(of, &|_| true, &|method| tool(&method.attrs, &method.sig))
        .into_iter()
        .chain(free)
        .collect()
}

fn tool(attributes: &[Attribute], sig: &Signature) -> Option<Written> {
    find_routed(&flatten(attributes))?;
    let parameters = sig.inputs.iter().find_map(|argument| match argument {
        FnArg::Typed(typed) => first_argument(named(&typed.ty, "Parameters")?),
        FnArg::Receiver(_) => None,
    });
    let input = parameters.map_or_else(Input::none, Input::of);
    let mut tool = Written::new(&sig.ident, attributes, input);
    tool.read(&items(attributes, "tool"));
    tool.output = result(&sig.output, &["Result"], "Json").cloned();
    Some(tool)
}
