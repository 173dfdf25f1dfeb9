//! Functions and `impl` blocks, found by name.

use quote::ToTokens as _;
use syn::{
    Attribute, Block, Expr, GenericParam, Generics, ImplItem, Item, ItemImpl, Signature, Stmt, Type,
};

use super::container::Container;
use super::error::{Result, unresolved};
use super::metas::{looks_into, mentions};
use super::names::{Namespace, Target};
use super::program::{ModuleId, Program, unraw};
use super::types::{Adt, Scope, Ty};
use super::world::World;

/// A function whose body tells its value.
pub(super) struct Function<'t> {
    pub(super) scope: Scope<'t>,
    pub(super) sig: &'t Signature,
    pub(super) block: &'t Block,
    /// The parameters of the `impl` block that it stands in.
    outer: Option<&'t Generics>,
}

impl Function<'_> {
    /// Unless its value depends on what a parameter stands for, which may have the name of an item.
    fn told(self) -> Result<Self> {
        let parameters = self.outer.iter().flat_map(|it| &it.params);
        let depends = |parameter: &GenericParam| {
            let tokens = self.block.to_token_stream();
            match parameter {
                GenericParam::Type(it) => looks_into(tokens, &it.ident.to_string()),
                GenericParam::Const(it) => mentions(tokens, &it.ident.to_string()),
                GenericParam::Lifetime(_) => false,
            }
        };
        match parameters.chain(&self.sig.generics.params).any(depends) {
            true => unresolved(format!(
                "the value of `{}` depends on what a parameter stands for",
                self.sig.ident
            )),
            false => Ok(self),
        }
    }
}

impl<'t> Program<'t> {
    /// The `impl` blocks of a type that are wanted.
    pub(super) fn impls(
        &self,
        adt: Adt<'t>,
        wanted: &dyn Fn(ModuleId, &ItemImpl) -> bool,
    ) -> Result<Vec<(ModuleId, &'t ItemImpl)>> {
        let mut found = Vec::new();
        let name = match adt.item {
            Item::Struct(item) => unraw(&item.ident),
            Item::Enum(item) => unraw(&item.ident),
            _ => return Ok(found),
        };
        for module in self.modules() {
            for item in &self.names(module).impls {
                let Type::Path(path) = item.self_ty.as_ref() else { continue };
                if path.path.segments.last().is_none_or(|last| unraw(&last.ident) != name)
                    || !wanted(module, item)
                {
                    continue;
                }
                let target = self.resolve_path(module, &path.path, Namespace::Type);
                if matches!(target, Ok(Target::Item(_, item)) if std::ptr::eq(item, adt.item)) {
                    let krate = self.krate(module);
                    let own = super::program::active(&krate.unit.cfg, &item.attrs);
                    match (krate.active[module.module], own) {
                        (Some(true), Some(true)) => found.push((module, *item)),
                        (Some(false), _) | (_, Some(false)) => {}
                        _ => return unresolved("a condition cannot be evaluated"),
                    }
                }
            }
        }
        Ok(found)
    }

    /// Whether an `impl` may be of a trait of another crate that is called so there.
    pub(super) fn implements(&self, module: ModuleId, item: &ItemImpl, of: &str) -> bool {
        let Some((path, _)) = &item.trait_ else { return false };
        let is_named = path.segments.last().is_some_and(|last| last.ident == of);
        match self.resolve_path(module, path, Namespace::Type) {
            Ok(Target::Item(..)) => false,
            Ok(Target::Extern(path)) => is_named || path.last().is_some_and(|last| last == of),
            _ => is_named,
        }
    }
}

impl<'t> World<'_, 't> {
    /// The `impl` of a trait of another crate for a type, by the trait's name there.
    pub(super) fn implementation(
        &self,
        adt: Adt<'t>,
        of: &str,
    ) -> Result<Option<(ModuleId, &'t ItemImpl)>> {
        let implements = |module, item: &_| self.program.implements(module, item, of);
        let mut found = self.program.impls(adt, &implements)?;
        match found.len() {
            0 | 1 => Ok(found.pop()),
            _ => unresolved(format!("there is more than one implementation of `{of}`")),
        }
    }

    /// The function that a path names.
    pub(super) fn function(&self, scope: &Scope<'t>, path: &syn::Path) -> Result<Function<'t>> {
        let mut segments: Vec<String> =
            path.segments.iter().map(|segment| unraw(&segment.ident)).collect();
        let global = path.leading_colon.is_some();
        if segments.len() > 1 {
            let name = segments.pop().unwrap_or_default();
            let owner = match (segments.as_slice(), &scope.this) {
                ([only], Some(Ty::Adt(adt, _))) if only == "Self" => Some(*adt),
                _ => match self.program.resolve(scope.module, global, &segments, Namespace::Type) {
                    Ok(Target::Item(module, item)) => Some(Adt { module, item }),
                    _ => None,
                },
            };
            if let Some(adt) = owner {
                let container = self.container(adt)?;
                let blocks = self.program.impls(adt, &|_, item| item.trait_.is_none())?;
                let mut found = blocks
                    .into_iter()
                    .filter_map(|(module, item)| method(module, item, &name, &container));
                return match (found.next(), found.next()) {
                    (Some(function), None) => function.told(),
                    _ => unresolved(format!("the function `{name}` is not found")),
                };
            }
            segments.push(name);
        }
        match self.program.resolve(scope.module, global, &segments, Namespace::Value)? {
            Target::Item(module, Item::Fn(item)) => {
                let (scope, sig, block) = (Scope::of(module), &item.sig, &item.block);
                Function { scope, sig, block, outer: None }.told()
            }
            _ => unresolved(format!("`{}` is no function", segments.join("::"))),
        }
    }
}

/// Whether an `impl` block has a function of a name.
pub(super) fn has_method(item: &ItemImpl, name: &str) -> bool {
    let is_named =
        |item: &ImplItem| matches!(item, ImplItem::Fn(it) if unraw(&it.sig.ident) == name);
    item.items.iter().any(is_named)
}

/// The function of a name in an `impl` block, unless a condition stands on it.
pub(super) fn method<'t>(
    module: ModuleId,
    block: &'t ItemImpl,
    name: &str,
    container: &Container<'t>,
) -> Option<Function<'t>> {
    let this = container.adt.generics().params.is_empty();
    let this = this.then(|| Ty::Adt(container.adt, Vec::new()));
    block.items.iter().find_map(|item| match item {
        ImplItem::Fn(method) if unraw(&method.sig.ident) == name && plain(&method.attrs) => {
            Some(Function {
                scope: Scope { this: this.clone(), ..Scope::of(module) },
                sig: &method.sig,
                block: &method.block,
                outer: Some(&block.generics),
            })
        }
        _ => None,
    })
}

fn plain(attributes: &[Attribute]) -> bool {
    let has = |name| attributes.iter().any(|attribute| attribute.path().is_ident(name));
    !has("cfg") && !has("cfg_attr")
}

/// Whether no condition stands on an expression, as it may in a list.
pub(super) fn is_unconditional(expr: &Expr) -> bool {
    plain(match expr {
        Expr::Array(it) => &it.attrs,
        Expr::Binary(it) => &it.attrs,
        Expr::Block(it) => &it.attrs,
        Expr::Cast(it) => &it.attrs,
        Expr::Call(it) => &it.attrs,
        Expr::Lit(it) => &it.attrs,
        Expr::Macro(it) => &it.attrs,
        Expr::MethodCall(it) => &it.attrs,
        Expr::Paren(it) => &it.attrs,
        Expr::Path(it) => &it.attrs,
        Expr::Reference(it) => &it.attrs,
        Expr::Struct(it) => &it.attrs,
        Expr::Tuple(it) => &it.attrs,
        Expr::Unary(it) => &it.attrs,
        _ => &[],
    })
}

/// The value of a block that is nothing else.
pub(super) fn tail(block: &Block) -> Option<&Expr> {
    match block.stmts.as_slice() {
        [Stmt::Expr(Expr::Return(expr), _)] => expr.expr.as_deref(),
        [Stmt::Expr(expr, None)] => Some(expr),
        _ => None,
    }
}
