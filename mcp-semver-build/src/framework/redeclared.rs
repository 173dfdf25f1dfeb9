//! Tools of a server that nobody can make at build time: each is declared once more, on a type
//! without fields.

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;
use syn::{Attribute, ImplItem, ItemImpl};

use crate::scan::attrs::cfgs;
use crate::scan::signature::{parameters, self_type, stub};
use crate::scan::{Block, Call, CrateScan, DeclaredTool, Place};

/// Whether `#[tool]` stands on a function: the macros of the block that look for it know no other
/// spelling, and run before a `cfg_attr` inside it is expanded. (What stands there fails to compile
/// where its condition holds: with mcp-attr the trait has no such function, and turbomcp refuses
/// `#[tool]` anywhere else.)
pub(super) fn is_tool(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("tool"))
}

/// Declares the `#[tool]` methods of a block; `declare` makes, of a name for the type and of the
/// method, the items that declare it there and the expression that describes it.
pub(super) fn tools(
    scan: &mut CrateScan,
    place: &Place,
    block: &ItemImpl,
    conditions: &[String],
    declare: &dyn Fn(&Ident, &TokenStream) -> (TokenStream, String),
) {
    for item in &block.items {
        let ImplItem::Fn(method) = item else { continue };
        if !is_tool(&method.attrs) {
            continue;
        }
        let name = &method.sig.ident;
        let call = match stub(method, &parameters(&block.generics)) {
            Err(mentioned) => Call::Unreadable(format!(
                "its signature mentions `{mentioned}`, which depends on the server; ask the \
                 running server with `--serve`"
            )),
            Ok(declaration) => {
                let (items, expr) = declare(&format_ident!("__McpSemver_{name}"), &declaration);
                Call::Stub { items: items.to_string(), expr }
            }
        };
        let cfgs = [conditions.to_vec(), cfgs(&method.attrs)].concat();
        scan.tools.push(DeclaredTool {
            self_type: Some(self_type(&block.self_ty, &block.generics).name),
            block: Block::ToolBox,
            ..DeclaredTool::free(place, name, cfgs, call)
        });
    }
}
