//! A struct or enum with everything its attributes say.

use proc_macro2::Span;
use syn::{Expr, Type};

use super::docs::Doc;
use super::renames::Name;
use super::types::Adt;
use super::validation::Validation;
use crate::scan::SourceSpan;

/// What `#[serde(default)]` says.
#[derive(Clone)]
pub(super) enum Default {
    None,
    /// `Default::default()` of the type.
    Trait,
    /// A call of this function.
    Function(syn::Path),
}

impl Default {
    pub(super) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

/// What gives the schema of something in place of its own type.
#[derive(Clone)]
pub(super) enum With {
    /// Another type.
    Type(Box<Type>),
    /// A function that is given the generator.
    Function(syn::Path),
}

/// How an enum tells its variants apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tagging {
    External,
    Internal(String),
    Adjacent(String, String),
    Untagged,
}

/// The shape of a struct or variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Unit,
    Newtype,
    Tuple,
    Struct,
}

/// Metadata that schemars puts into the schema.
#[derive(Default, Clone)]
pub(super) struct Common {
    pub(super) doc: Option<Doc>,
    pub(super) title: Option<(String, Span)>,
    pub(super) description: Option<(String, Span)>,
    pub(super) deprecated: bool,
    pub(super) examples: Vec<serde_json::Value>,
    pub(super) extensions: Vec<(String, serde_json::Value)>,
    /// Functions that change the schema.
    pub(super) transforms: Vec<(Expr, Span)>,
}

impl Common {
    pub(super) fn is_default(&self) -> bool {
        self.doc.is_none()
            && self.title.is_none()
            && self.description.is_none()
            && !self.deprecated
            && self.examples.is_empty()
            && self.extensions.is_empty()
            && self.transforms.is_empty()
    }
}

/// A field of a struct or variant.
pub(super) struct Field<'t> {
    /// Its Rust name; a number in a tuple.
    pub(super) member: String,
    pub(super) name: Name,
    pub(super) ty: &'t Type,
    pub(super) common: Common,
    pub(super) validation: Validation,
    pub(super) with: Option<With>,
    pub(super) default: Default,
    /// Where the default is given.
    pub(super) default_span: Option<Span>,
    pub(super) skip_serializing: bool,
    pub(super) skip_deserializing: bool,
    pub(super) skip_serializing_if: Option<syn::Path>,
    pub(super) serialize_with: bool,
    pub(super) deserialize_with: bool,
    pub(super) flatten: bool,
    pub(super) span: Span,
}

impl Field<'_> {
    /// Whether nothing but its type says what it is.
    pub(super) fn is_plain(&self) -> bool {
        self.common.is_default() && self.validation.is_default() && self.with.is_none()
    }
}

/// A variant of an enum.
pub(super) struct Variant<'t> {
    /// Its Rust name.
    pub(super) member: String,
    pub(super) name: Name,
    pub(super) style: Style,
    pub(super) fields: Vec<Field<'t>>,
    pub(super) common: Common,
    pub(super) with: Option<With>,
    pub(super) untagged: bool,
    pub(super) skip_serializing: bool,
    pub(super) skip_deserializing: bool,
    pub(super) serialize_with: bool,
    /// Whether it is the `#[default]`.
    pub(super) is_default: bool,
    pub(super) span: Span,
}

/// What a type consists of.
pub(super) enum Data<'t> {
    Struct(Style, Vec<Field<'t>>),
    Enum(Vec<Variant<'t>>),
}

/// Which traits a type derives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Derives {
    pub(super) schema: bool,
    pub(super) serialize: bool,
    pub(super) default: bool,
    /// Whether there are derives that may implement any of those.
    pub(super) others: bool,
}

/// A struct or enum.
pub(super) struct Container<'t> {
    pub(super) adt: Adt<'t>,
    /// Its name in Rust.
    pub(super) ident: String,
    pub(super) name: Name,
    pub(super) data: Data<'t>,
    pub(super) derives: Derives,
    pub(super) common: Common,
    pub(super) tagging: Tagging,
    pub(super) default: Default,
    pub(super) deny_unknown_fields: bool,
    pub(super) transparent: bool,
    pub(super) from: Option<Type>,
    pub(super) into: Option<Type>,
    pub(super) with: Option<With>,
    pub(super) inline: bool,
    /// A name with type parameters in braces, from `schemars(rename = ..)`.
    pub(super) is_format: bool,
    /// Whether it has another name than in Rust.
    pub(super) is_renamed: bool,
    /// Whether a bound of its own may decide which implementation is meant.
    pub(super) is_bounded: bool,
    pub(super) span: SourceSpan,
}

impl<'t> Container<'t> {
    /// The fields of a struct.
    pub(super) fn fields(&self) -> &[Field<'t>] {
        match &self.data {
            Data::Struct(_, fields) => fields,
            Data::Enum(_) => &[],
        }
    }
}
