//! What all evaluations of one build share.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use proc_macro2::Span;
use semver::Version;
use syn::Item;

use super::constants::Constants;
use super::container::{Container, Field, With};
use super::error::{Result, unresolved};
use super::marks::Marks;
use super::program::{ModuleId, Program};
use super::reader::Reader;
use super::types::{Adt, Scope, Ty};
use crate::scan::SourceSpan;

type Containers<'t> = BTreeMap<*const Item, Result<Rc<Container<'t>>>>;

/// A build, and what has been read of it so far.
pub(super) struct World<'p, 't> {
    pub(super) program: &'p Program<'t>,
    pub(super) constants: Constants<'p, 't>,
    pub(super) marks: Marks,
    /// The version of schemars that makes the schemas.
    pub(super) schemars: Version,
    containers: RefCell<Containers<'t>>,
}

impl<'p, 't> World<'p, 't> {
    pub(super) fn new(program: &'p Program<'t>, schemars: Version) -> Self {
        Self {
            program,
            constants: Constants { program, included: RefCell::default() },
            marks: Marks::default(),
            schemars,
            containers: RefCell::default(),
        }
    }

    /// Whether schemars is at least of this version.
    pub(super) fn since(&self, major: u64, minor: u64, patch: u64) -> bool {
        self.schemars >= Version::new(major, minor, patch)
    }

    /// Whether schemars 0.8 makes the schemas.
    pub(super) fn is_old(&self) -> bool {
        self.schemars.major == 0
    }

    /// The type whose schema a field has.
    pub(super) fn field_type(&self, scope: &Scope<'t>, field: &Field<'t>) -> Result<Ty<'t>> {
        match &field.with {
            Some(with) => self.with(scope, with),
            None => self.program.ty(scope, field.ty),
        }
    }

    /// The type that stands for what gives a schema.
    pub(super) fn with(&self, scope: &Scope<'t>, with: &With) -> Result<Ty<'t>> {
        match with {
            With::Type(ty) => self.program.ty(scope, ty),
            With::Function(path) => Ok(Ty::Made(Rc::new(self.function(scope, path)?))),
        }
    }

    /// A type with what its attributes say.
    pub(super) fn container(&self, adt: Adt<'t>) -> Result<Rc<Container<'t>>> {
        let key = std::ptr::from_ref(adt.item);
        if let Some(known) = self.containers.borrow().get(&key) {
            return known.clone();
        }
        let reader = Reader { constants: &self.constants, old: self.is_old(), adt };
        let read = reader.read().and_then(|container| {
            self.require_one_schema(&container)?;
            Ok(Rc::new(container))
        });
        self.containers.borrow_mut().insert(key, read.clone());
        read
    }

    /// A type whose schema the derive makes.
    pub(super) fn derived(&self, adt: Adt<'t>) -> Result<Rc<Container<'t>>> {
        let container = self.container(adt)?;
        if container.derives.schema {
            return Ok(container);
        }
        unresolved(format!("`{}` does not derive `JsonSchema`", container.ident))
            .at_span(&container)
    }

    pub(super) fn place(&self, module: ModuleId, span: Span) -> SourceSpan {
        self.program.place(module, span)
    }
}

trait AtSpan<T> {
    fn at_span(self, container: &Container<'_>) -> Result<T>;
}

impl<T> AtSpan<T> for Result<T> {
    fn at_span(self, container: &Container<'_>) -> Result<T> {
        use super::error::At;
        self.at(|| container.span.clone())
    }
}
