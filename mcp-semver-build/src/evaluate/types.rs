//! Types, as far as schemas depend on them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use quote::ToTokens;
use serde_json::Value;
use syn::{
    Expr, ExprPath, GenericArgument, GenericParam, Generics, Ident, Item, PathArguments, Stmt, Type,
};

use super::constants::Constants;
use super::error::{Result, unresolved};
use super::functions::Function;
use super::known::{self, Kind};
use super::names::{Namespace, Target};
use super::program::{ModuleId, Program};
use crate::scan::signature::parameters;

/// More types inside one another than any real signature has.
const MAX_DEPTH: usize = 48;
/// More types in the arguments of one than any real signature has; where they grow with each use,
/// there is no end.
const MAX_PARTS: usize = 200;

/// A type. Pointers (`Box`, `Arc`, `&`, ..) are not told apart from what they point to: schemars
/// does not either.
#[derive(Clone)]
pub(super) enum Ty<'t> {
    /// A type of the language, the standard library or a well-known crate, by a name of its own.
    Leaf(&'static str),
    Option(Box<Ty<'t>>),
    Sequence(Box<Ty<'t>>),
    Set(Box<Ty<'t>>),
    Map(Box<(Ty<'t>, Ty<'t>)>),
    Tuple(Vec<Ty<'t>>),
    Array(Box<Ty<'t>>, usize),
    Result(Box<(Ty<'t>, Ty<'t>)>),
    Range(Box<Ty<'t>>),
    Bound(Box<Ty<'t>>),
    /// What stands for a function that makes a schema.
    Made(Rc<Function<'t>>),
    /// A struct or enum whose source is at hand, with an argument for each type and constant
    /// parameter.
    Adt(Adt<'t>, Vec<Ty<'t>>),
    /// What stands for a constant parameter.
    Constant(Value),
}

/// A struct or enum.
#[derive(Clone, Copy)]
pub(super) struct Adt<'t> {
    pub(super) module: ModuleId,
    pub(super) item: &'t Item,
}

impl Ty<'_> {
    /// How many types it consists of, counted up to `most`.
    fn parts(&self, most: usize) -> usize {
        let sum = |parts: &[&Self]| {
            let count = |sum: usize, part: &&Self| match most.checked_sub(sum) {
                Some(left) => sum + part.parts(left),
                None => sum,
            };
            parts.iter().fold(1, count)
        };
        match self {
            Self::Leaf(_) | Self::Made(_) | Self::Constant(_) => 1,
            Self::Option(inner)
            | Self::Sequence(inner)
            | Self::Set(inner)
            | Self::Array(inner, _)
            | Self::Range(inner)
            | Self::Bound(inner) => sum(&[inner]),
            Self::Map(both) | Self::Result(both) => sum(&[&both.0, &both.1]),
            Self::Tuple(parts) | Self::Adt(_, parts) => sum(&parts.iter().collect::<Vec<_>>()),
        }
    }
}

impl<'t> Adt<'t> {
    pub(super) fn ident(self) -> Option<&'t Ident> {
        match self.item {
            Item::Struct(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            _ => None,
        }
    }

    pub(super) fn generics(self) -> &'t Generics {
        const NONE: &Generics = &Generics {
            lt_token: None,
            params: syn::punctuated::Punctuated::new(),
            gt_token: None,
            where_clause: None,
        };
        match self.item {
            Item::Struct(item) => &item.generics,
            Item::Enum(item) => &item.generics,
            _ => NONE,
        }
    }
}

/// Where a type is written: the module, what `Self` is, and what stands for type parameters.
#[derive(Clone)]
pub(super) struct Scope<'t> {
    pub(super) module: ModuleId,
    pub(super) this: Option<Ty<'t>>,
    pub(super) arguments: BTreeMap<String, Ty<'t>>,
}

impl<'t> Scope<'t> {
    /// A scope without type parameters.
    pub(super) fn of(module: ModuleId) -> Self {
        Self { module, this: None, arguments: BTreeMap::new() }
    }

    /// The scope inside of a type with these arguments.
    pub(super) fn inside(adt: Adt<'t>, arguments: &[Ty<'t>]) -> Self {
        let names = parameters(adt.generics());
        Self {
            module: adt.module,
            this: Some(Ty::Adt(adt, arguments.to_vec())),
            arguments: names.into_iter().zip(arguments.iter().cloned()).collect(),
        }
    }
}

impl<'t> Program<'t> {
    /// What a type written in a scope is.
    pub(super) fn ty(&self, scope: &Scope<'t>, ty: &Type) -> Result<Ty<'t>> {
        self.type_at(scope, ty, 0)
    }

    fn type_at(&self, scope: &Scope<'t>, ty: &Type, depth: usize) -> Result<Ty<'t>> {
        if depth > MAX_DEPTH {
            return unresolved("types are nested too deep");
        }
        let next = |ty: &Type| self.type_at(scope, ty, depth + 1);
        match ty {
            Type::Paren(inner) => next(&inner.elem),
            Type::Group(inner) => next(&inner.elem),
            Type::Reference(inner) => next(&inner.elem),
            Type::Slice(inner) => Ok(Ty::Sequence(Box::new(next(&inner.elem)?))),
            Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(Ty::Leaf("()")),
            Type::Tuple(tuple) if tuple.elems.len() <= 16 => {
                Ok(Ty::Tuple(tuple.elems.iter().map(next).collect::<Result<_>>()?))
            }
            Type::Array(array) => match self.value(scope, &array.len)?.as_u64() {
                Some(len @ 0..=32) => Ok(Ty::Array(Box::new(next(&array.elem)?), len as usize)),
                _ => unresolved("an array of this length has no schema"),
            },
            Type::Path(path) if path.qself.is_none() => self.path_type(scope, &path.path, depth),
            _ => unresolved(format!("the type `{}` is not understood", shown(ty))),
        }
    }

    /// The value of an expression in a type. A constant parameter in it stands alone, or in braces
    /// (Rust Reference, "Const generics").
    fn value(&self, scope: &Scope<'t>, expr: &Expr) -> Result<Value> {
        if let Expr::Block(block) = expr
            && let [Stmt::Expr(inner, None)] = block.block.stmts.as_slice()
        {
            return self.value(scope, inner);
        }
        if let Expr::Path(path) = expr
            && let Some(ident) = path.path.get_ident()
            && let Some(argument) = scope.arguments.get(&ident.to_string())
        {
            return match argument {
                Ty::Constant(value) => Ok(value.clone()),
                _ => unresolved(format!("`{ident}` is a type")),
            };
        }
        let constants = Constants { program: self, included: RefCell::default() };
        constants.json(scope.module, expr)
    }

    fn path_type(&self, scope: &Scope<'t>, path: &syn::Path, depth: usize) -> Result<Ty<'t>> {
        if let Some(ident) = path.get_ident() {
            if ident == "Self" {
                return match &scope.this {
                    Some(this) => Ok(this.clone()),
                    None => unresolved("what `Self` is is not told"),
                };
            }
            match scope.arguments.get(&ident.to_string()) {
                Some(Ty::Constant(_)) => return unresolved(format!("`{ident}` is no type")),
                Some(argument) => return Ok(argument.clone()),
                None => {}
            }
        }
        let segments = path.segments.len();
        let inner = path.segments.iter().take(segments - 1).any(|it| !it.arguments.is_none());
        let Some(last) = path.segments.last().filter(|_| !inner) else {
            return unresolved(format!("the type `{}` is not understood", shown(path)));
        };
        let written = match &last.arguments {
            PathArguments::None => Vec::new(),
            PathArguments::AngleBracketed(list) => {
                let is_lifetime = |it: &&_| matches!(it, GenericArgument::Lifetime(_));
                list.args.iter().filter(|argument| !is_lifetime(argument)).collect()
            }
            _ => return unresolved(format!("the type `{}` is not understood", shown(path))),
        };
        let all = |at, generics| self.arguments(scope, &written, at, generics, depth);
        match self.resolve_path(scope.module, path, Namespace::Type)? {
            Target::Primitive(name) => Ok(Ty::Leaf(if name == "str" { "String" } else { name })),
            Target::Extern(path) => {
                let mut types = written.iter().map(|argument| match argument {
                    GenericArgument::Type(ty) => self.type_at(scope, ty, depth + 1),
                    _ => {
                        unresolved(format!("the arguments of `{}` are not understood", last.ident))
                    }
                });
                self.foreign(&path, &mut types)
            }
            Target::Item(module, item @ (Item::Struct(_) | Item::Enum(_))) => {
                let adt = Adt { module, item };
                Ok(Ty::Adt(adt, all(module, adt.generics())?))
            }
            Target::Item(module, Item::Type(alias)) => {
                let names = parameters(&alias.generics).into_iter();
                let arguments = names.zip(all(module, &alias.generics)?).collect();
                self.type_at(&Scope { module, this: None, arguments }, &alias.ty, depth + 1)
            }
            _ => unresolved(format!("`{}` is no type with a schema", shown(path))),
        }
    }

    /// The arguments for every type and constant parameter of what is declared in the module `at`,
    /// defaults included.
    fn arguments(
        &self,
        scope: &Scope<'t>,
        written: &[&GenericArgument],
        at: ModuleId,
        generics: &Generics,
        depth: usize,
    ) -> Result<Vec<Ty<'t>>> {
        let mut written = written.iter();
        let mut inside = Scope::of(at);
        let mut arguments = Vec::new();
        for param in &generics.params {
            let (ident, argument) = match param {
                GenericParam::Lifetime(_) => continue,
                GenericParam::Type(param) => {
                    let argument = match (written.next(), &param.default) {
                        (Some(GenericArgument::Type(ty)), _) => self.type_at(scope, ty, depth + 1),
                        (None, Some((_, ty))) => self.type_at(&inside, ty, depth + 1),
                        _ => unresolved("a type argument is left out"),
                    };
                    (&param.ident, argument?)
                }
                GenericParam::Const(param) => {
                    let value = match (written.next(), &param.default) {
                        (Some(GenericArgument::Const(expr)), _) => self.value(scope, expr),
                        // A name alone may be that of a type as well.
                        (Some(GenericArgument::Type(Type::Path(path))), _)
                            if path.qself.is_none() =>
                        {
                            let (attrs, path) = (Vec::new(), path.path.clone());
                            self.value(scope, &Expr::Path(ExprPath { attrs, qself: None, path }))
                        }
                        (None, Some((_, expr))) => self.value(&inside, expr),
                        _ => unresolved("a constant argument is not told"),
                    };
                    (&param.ident, Ty::Constant(value?))
                }
            };
            if argument.parts(MAX_PARTS) > MAX_PARTS {
                return unresolved("its type arguments have no end");
            }
            inside.arguments.insert(ident.to_string(), argument.clone());
            arguments.push(argument);
        }
        match written.next() {
            None => Ok(arguments),
            Some(_) => unresolved("a type has more arguments than parameters"),
        }
    }

    /// A type of another crate.
    fn foreign(
        &self,
        path: &[String],
        arguments: &mut dyn Iterator<Item = Result<Ty<'t>>>,
    ) -> Result<Ty<'t>> {
        let Some(kind) = known::kind(path) else {
            return unresolved(format!(
                "`{}` is a type of another crate, whose schema is not known",
                path.join("::")
            ));
        };
        let mut next = || match arguments.next() {
            Some(argument) => argument,
            None => unresolved(format!("a type argument of `{}` is left out", path.join("::"))),
        };
        Ok(match kind {
            Kind::Leaf(name) => Ty::Leaf(name),
            Kind::Pointer => next()?,
            Kind::Option => Ty::Option(Box::new(next()?)),
            Kind::Sequence => Ty::Sequence(Box::new(next()?)),
            Kind::Set => Ty::Set(Box::new(next()?)),
            Kind::Map => Ty::Map(Box::new((next()?, next()?))),
            Kind::Result => Ty::Result(Box::new((next()?, next()?))),
            Kind::Range => Ty::Range(Box::new(next()?)),
            Kind::NonZero => match next()? {
                Ty::Leaf(primitive) => match known::non_zero_of(primitive) {
                    Some(name) => Ty::Leaf(name),
                    None => return unresolved(format!("the schema of a non-zero `{primitive}`")),
                },
                _ => return unresolved("the schema of a non-zero type is not known"),
            },
            Kind::Bound => Ty::Bound(Box::new(next()?)),
            Kind::Object => Ty::Map(Box::new((Ty::Leaf("String"), Ty::Leaf("Value")))),
        })
    }
}

/// Source text for a message.
pub(super) fn shown(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    [" :: ", " < ", " > ", " ,"].iter().fold(text, |text, spaced| {
        text.replace(spaced, if *spaced == " ," { "," } else { spaced.trim() })
    })
}
