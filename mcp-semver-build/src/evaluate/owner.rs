//! What the type or trait is whose function a path names.

use syn::{Item, Type, TypePath};

use super::error::Result;
use super::known::{self, Kind};
use super::names::{Namespace, Target};
use super::program::{ModuleId, Program};
use super::types::{Adt, Scope, Ty};

/// What stands before the last segment of a path.
pub(super) enum Owner<'t> {
    /// Nothing, a module, or something else whose functions the source shows.
    Other,
    /// A struct or enum whose source is at hand.
    Adt(Adt<'t>),
    /// Any other type that is wholly told.
    Type(Ty<'t>),
    /// A type or trait of another crate, by its canonical path.
    Foreign(Vec<String>),
}

impl Owner<'_> {
    /// Whether it is the trait `Default`.
    pub(super) fn is_default(&self) -> bool {
        self.is_foreign(&["std", "prelude", "Default"])
            || self.is_foreign(&["std", "default", "Default"])
    }

    /// Whether it is what another crate has at a canonical path.
    pub(super) fn is_foreign(&self, path: &[&str]) -> bool {
        matches!(self, Self::Foreign(own) if own == path)
    }

    /// What it is to schemars, where another crate has it and that is known.
    pub(super) fn kind(&self) -> Option<Kind> {
        match self {
            Self::Foreign(path) => known::kind(path),
            _ => None,
        }
    }

    /// Whether it is a type of this form, whatever is inside.
    pub(super) fn has_form_of(&self, ty: &Ty<'_>) -> bool {
        if let Self::Type(own) = self {
            return match (own, ty) {
                (Ty::Leaf(own), Ty::Leaf(ty)) => own == ty,
                _ => std::mem::discriminant(own) == std::mem::discriminant(ty),
            };
        }
        match (self.kind(), ty) {
            (Some(Kind::Leaf(own)), Ty::Leaf(ty)) => own == *ty,
            (Some(Kind::Option), Ty::Option(_))
            | (Some(Kind::Sequence), Ty::Sequence(_))
            | (Some(Kind::Set), Ty::Set(_))
            | (Some(Kind::Map | Kind::Object), Ty::Map(_)) => true,
            _ => false,
        }
    }
}

impl<'t> Program<'t> {
    /// What stands before the last segment of a path.
    pub(super) fn owner(&self, scope: &Scope<'t>, path: &syn::Path) -> Result<Owner<'t>> {
        let mut owner = path.clone();
        owner.segments.pop();
        owner.segments.pop_punct();
        if owner.segments.is_empty() {
            return Ok(Owner::Other);
        }
        let is_argument = owner.get_ident().is_some_and(|ident| {
            ident == "Self" || scope.arguments.contains_key(&ident.to_string())
        });
        if !is_argument {
            match self.resolve_path(scope.module, &owner, Namespace::Type)? {
                Target::Extern(path) => return Ok(Owner::Foreign(path)),
                Target::Item(module, item @ (Item::Struct(_) | Item::Enum(_))) => {
                    return Ok(Owner::Adt(Adt { module, item }));
                }
                Target::Item(_, Item::Type(_)) | Target::Primitive(_) => {}
                Target::Item(..) | Target::Module(_) => return Ok(Owner::Other),
            }
        }
        let ty = Type::Path(TypePath { attrs: Vec::new(), qself: None, path: owner });
        Ok(match self.ty(scope, &ty)? {
            Ty::Adt(adt, _) => Owner::Adt(adt),
            ty => Owner::Type(ty),
        })
    }

    /// Whether a path is a variant of `Option`.
    pub(super) fn is_option(&self, module: ModuleId, path: &syn::Path, variant: &str) -> bool {
        if path.segments.last().is_none_or(|last| last.ident != variant) {
            return false;
        }
        let target = self.resolve_path(module, path, Namespace::Value);
        let Ok(Target::Extern(path)) = target else { return false };
        matches!(path.as_slice(), [krate, module, ..] if krate == "std" && module == "option")
    }
}
