//! `JsonSchema` implemented by hand, as far as its functions are understood.

use syn::{Expr, ExprCall, ExprLit, ImplItem, Lit};

use super::container::Container;
use super::error::{At, Result, unresolved};
use super::functions::{Function, method, tail};
use super::names::{Namespace, Target};
use super::types::Ty;
use super::world::World;

/// What an implementation says of its type.
pub(super) struct Written<'t> {
    pub(super) inline: bool,
    pub(super) name: String,
    pub(super) id: String,
    /// The function that makes the schema.
    pub(super) schema: Function<'t>,
}

/// Attributes that leave a function as it is.
const INERT: [&str; 5] = ["allow", "doc", "expect", "inline", "must_use"];

impl<'t> World<'_, 't> {
    /// The implementation for a type that does not derive it; `None` where there is none.
    pub(super) fn written(&self, ty: &Ty<'t>) -> Result<Option<Written<'t>>> {
        let Ty::Adt(adt, _) = ty else { return Ok(None) };
        let container = self.container(*adt)?;
        if container.derives.schema || self.is_old() {
            return Ok(None);
        }
        let Some((module, item)) = self.implementation(*adt, "JsonSchema")? else {
            return Ok(None);
        };
        let path = item.trait_.as_ref().map(|(path, _)| path);
        let of = path.map(|path| self.program.resolve_path(module, path, Namespace::Type));
        if !matches!(of, Some(Ok(Target::Extern(path))) if path == ["schemars", "JsonSchema"]) {
            return Ok(None);
        }
        let is_plain = |item: &ImplItem| match item {
            ImplItem::Fn(function) => {
                let known = ["inline_schema", "json_schema", "schema_id", "schema_name"];
                known.iter().any(|name| function.sig.ident == name)
                    && function
                        .attrs
                        .iter()
                        .all(|attribute| INERT.iter().any(|name| attribute.path().is_ident(name)))
            }
            _ => false,
        };
        let generic = !item.generics.params.is_empty() || !adt.generics().params.is_empty();
        let function = |name| method(module, item, name, &container);
        let (false, true, Some(schema), Some(name)) = (
            generic,
            item.items.iter().all(is_plain),
            function("json_schema"),
            function("schema_name"),
        ) else {
            return unresolved(format!(
                "how `{}` implements `JsonSchema` is not told",
                container.ident
            ))
            .at(|| container.span.clone());
        };
        let name = self.borrowed(&name)?;
        let id = match function("schema_id") {
            Some(function) => self.borrowed(&function)?,
            None => name.clone(),
        };
        let inline = match function("inline_schema") {
            Some(function) => match tail(function.block) {
                Some(Expr::Lit(ExprLit { lit: Lit::Bool(inline), .. })) => inline.value,
                _ => return unresolved("whether a schema is inlined is not told"),
            },
            None => false,
        };
        Ok(Some(Written { inline, name, id, schema }))
    }

    /// A type may implement the trait of two versions of schemars; which one counts is not told.
    pub(super) fn require_one_schema(&self, container: &Container<'t>) -> Result<()> {
        let implements = |module, item: &_| self.program.implements(module, item, "JsonSchema");
        let blocks = self.program.impls(container.adt, &implements)?;
        if blocks.len() + usize::from(container.derives.schema) < 2 {
            return Ok(());
        }
        unresolved(format!("`{}` implements `JsonSchema` more than once", container.ident))
            .at(|| container.span.clone())
    }

    /// The text that a function returns as a `Cow`.
    fn borrowed(&self, function: &Function<'t>) -> Result<String> {
        let mut expr = tail(function.block);
        loop {
            expr = match expr {
                Some(Expr::MethodCall(call))
                    if call.args.is_empty()
                        && ["into", "to_owned", "to_string"]
                            .iter()
                            .any(|name| call.method == name) =>
                {
                    Some(&call.receiver)
                }
                Some(Expr::Call(call)) if call.args.len() == 1 && makes_text(call) => {
                    call.args.first()
                }
                Some(expr) => return self.constants.text(function.scope.module, expr),
                None => return unresolved("the name of a schema is not told"),
            }
        }
    }
}

/// `Cow::Borrowed(..)` and its like.
fn makes_text(call: &ExprCall) -> bool {
    let Expr::Path(callee) = call.func.as_ref() else { return false };
    let mut names = callee.path.segments.iter().rev().map(|segment| segment.ident.to_string());
    matches!(
        (names.next().as_deref(), names.next().as_deref()),
        (Some("Borrowed" | "Owned" | "from"), Some("Cow")) | (Some("from"), Some("String"))
    )
}
