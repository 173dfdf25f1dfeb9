//! Reads a struct or enum, and everything its attributes say.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, Fields, Item, Meta};

use super::case::Rule;
use super::constants::Constants;
use super::container::{
    Common, Container, Data, Default, Derives, Field, Style, Tagging, Variant, With,
};
use super::docs::Doc;
use super::error::{At, Result, unresolved};
use super::metas::{self, Metas, Value};
use super::names::{Namespace, Target};
use super::program::{ModuleId, unraw};
use super::renames::{Both, Name, Renames, Rules};
use super::types::Adt;
use super::validation::Validation;
use crate::scan::SourceSpan;

/// Attributes of the language that leave a type as it is.
const INERT: [&str; 14] = [
    "allow",
    "automatically_derived",
    "cfg",
    "cfg_attr",
    "cold",
    "deny",
    "deprecated",
    "derive",
    "doc",
    "expect",
    "forbid",
    "must_use",
    "non_exhaustive",
    "repr",
];

/// Crates whose derives, but for those that are told apart here, implement no `Serialize`.
const NOT_SERIALIZING: [&str; 19] = [
    "arbitrary",
    "bon",
    "clap",
    "derive_builder",
    "derive_more",
    "garde",
    "getset",
    "rmcp",
    "schemars",
    "serde",
    "smart_default",
    "std",
    "strum",
    "strum_macros",
    "thiserror",
    "ts_rs",
    "typed_builder",
    "utoipa",
    "validator",
];

/// Reads types.
pub(super) struct Reader<'r, 'p, 't> {
    pub(super) constants: &'r Constants<'p, 't>,
    /// Whether the source is read as schemars 0.8 does.
    pub(super) old: bool,
    /// The type that is read.
    pub(super) adt: Adt<'t>,
}

impl<'t> Reader<'_, '_, 't> {
    fn place(&self, module: ModuleId, span: Span) -> SourceSpan {
        self.constants.program.place(module, span)
    }

    /// Reads the type and its attributes.
    pub(super) fn read(&self) -> Result<Container<'t>> {
        let adt = self.adt;
        let (attributes, generics) = match adt.item {
            Item::Struct(item) => (&item.attrs, &item.generics),
            Item::Enum(item) => (&item.attrs, &item.generics),
            _ => return unresolved("a type that is neither struct nor enum"),
        };
        let Some(ident) = adt.ident() else { return unresolved("a type without a name") };
        let span = self.place(adt.module, ident.span());
        let read = || {
            let metas = self.metas(adt.module, attributes)?;
            let derives = self.derives(adt.module, &metas)?;
            let mut container = Container {
                adt,
                ident: unraw(ident),
                name: Name { serialize: unraw(ident), deserialize: unraw(ident) },
                data: Data::Enum(Vec::new()),
                derives,
                common: self.common(adt.module, &metas)?,
                tagging: Tagging::External,
                default: Default::None,
                deny_unknown_fields: false,
                transparent: false,
                from: None,
                into: None,
                with: None,
                inline: false,
                is_format: false,
                is_renamed: false,
                is_bounded: !generics.params.is_empty()
                    && (generics.where_clause.is_some()
                        || generics.type_params().any(|param| !param.bounds.is_empty())),
                span: span.clone(),
            };
            let rules = self.container(&metas, &mut container)?;
            container.data = match adt.item {
                Item::Struct(item) => {
                    let (style, fields) =
                        self.fields(adt.module, &item.fields, rules.all, &container.default)?;
                    Data::Struct(style, fields)
                }
                Item::Enum(item) => Data::Enum(
                    item.variants
                        .iter()
                        .filter_map(|variant| {
                            let span = variant.ident.span();
                            let variant = self.variant(adt.module, variant, rules);
                            variant.at(|| self.place(adt.module, span)).transpose()
                        })
                        .collect::<Result<_>>()?,
                ),
                _ => return unresolved("a type that is neither struct nor enum"),
            };
            Ok(container)
        };
        read().at(|| span.clone())
    }

    fn metas(&self, module: ModuleId, attributes: &[Attribute]) -> Result<Metas> {
        Metas::new(attributes, &self.constants.program.krate(module).unit.cfg, self.adt)
    }

    /// The traits that a type derives; an attribute that may rewrite it is not understood.
    fn derives(&self, module: ModuleId, metas: &Metas) -> Result<Derives> {
        let program = self.constants.program;
        let mut derives = Derives::default();
        for meta in &metas.all {
            let path = meta.path();
            if path.is_ident("derive") {
                let Meta::List(list) = meta else { continue };
                for item in metas::items(list.tokens.clone())? {
                    let segments: Vec<String> =
                        item.name.split("::").filter(|it| !it.is_empty()).map(Into::into).collect();
                    let Some(last) = segments.last() else { continue };
                    let is_named = matches!(last.as_str(), "JsonSchema" | "Serialize" | "Default");
                    let target = match program.resolve(module, false, &segments, Namespace::Macro) {
                        Ok(Target::Extern(path)) => path,
                        Err(error) if is_named => return Err(error),
                        _ => Vec::new(),
                    };
                    let target: Vec<&str> = target.iter().map(String::as_str).collect();
                    match target.as_slice() {
                        ["schemars", "JsonSchema"] => derives.schema = true,
                        ["serde", "Serialize"] => derives.serialize = true,
                        ["std", "prelude" | "default", "Default"] => derives.default = true,
                        _ if is_named => {
                            return unresolved(format!("the derive `{}` is not known", item.name));
                        }
                        [krate, ..] if NOT_SERIALIZING.contains(krate) => {}
                        _ => derives.others = true,
                    }
                }
                continue;
            }
            let first = path.segments.first().map(|first| first.ident.to_string());
            let first = first.unwrap_or_default();
            let inert = if path.segments.len() > 1 {
                ["clippy", "diagnostic", "rust_analyzer", "rustfmt"].contains(&first.as_str())
            } else {
                // What no import gives a meaning to is for a derive.
                INERT.contains(&first.as_str()) || program.names_no_macro(module, &first)?
            };
            if !inert {
                return unresolved(format!("the attribute `{first}` may change the type"));
            }
        }
        Ok(derives)
    }

    /// Titles, descriptions, examples and extensions.
    fn common(&self, module: ModuleId, metas: &Metas) -> Result<Common> {
        let mut common = Common {
            doc: Doc::read(metas, module, self.constants, self.old)?,
            deprecated: metas.of("deprecated").next().is_some(),
            ..Common::default()
        };
        for item in &metas.schemars {
            match item.name.as_str() {
                "title" => {
                    let text = self.constants.text(module, item.expr()?)?;
                    common.title = Some((text, item.span));
                }
                "description" => {
                    let text = self.constants.text(module, item.expr()?)?;
                    common.description = Some((text, item.span));
                }
                "example" if self.old => {
                    return unresolved("an example is the result of a function");
                }
                "example" => common.examples.push(self.constants.json(module, item.expr()?)?),
                "extend" => common.extensions.extend(self.extensions(module, item)?),
                "transform" if !self.old => {
                    common.transforms.push((item.expr()?.clone(), item.span));
                }
                "deprecated" if self.old => common.deprecated = true,
                _ => {}
            }
        }
        Ok(common)
    }

    fn extensions(
        &self,
        module: ModuleId,
        item: &metas::Item,
    ) -> Result<Vec<(String, serde_json::Value)>> {
        let Value::List(tokens) = &item.value else { return unresolved("`extend` has no list") };
        super::validation::extensions(tokens.clone(), &|tokens| {
            self.constants.json_tokens(module, tokens)
        })
    }

    fn container(&self, metas: &Metas, container: &mut Container<'t>) -> Result<Rules> {
        let mut rules = Rules::default();
        let mut name = Renames::default();
        let (mut tag, mut content, mut untagged) = (None, None, false);
        for item in &metas.shared {
            match item.name.as_str() {
                "rename" => {
                    container.is_renamed = true;
                    name.read(item)?;
                }
                "rename_all" => rules.all.read(item)?,
                "rename_all_fields" if self.old => {
                    return unresolved("`rename_all_fields` with schemars 0.8");
                }
                "rename_all_fields" => rules.fields.read(item)?,
                "deny_unknown_fields" => container.deny_unknown_fields = true,
                "tag" => tag = Some(item.string()?.value()),
                "content" => content = Some(item.string()?.value()),
                "untagged" => untagged = true,
                "default" => container.default = default(item)?,
                "transparent" => container.transparent = true,
                "from" | "try_from" => container.from = Some(item.parsed()?),
                "into" => container.into = Some(item.parsed()?),
                "remote" => return unresolved("it describes a type of another crate"),
                other => return unresolved(format!("`{other}` on a type is not understood")),
            }
        }
        container.name = name.or(&container.ident, Both::default(), |_, name| name.to_owned())?;
        container.tagging = match (tag, content, untagged) {
            (None, None, false) => Tagging::External,
            (Some(tag), None, false) => Tagging::Internal(tag),
            (Some(tag), Some(content), false) => Tagging::Adjacent(tag, content),
            (None, None, true) => Tagging::Untagged,
            _ => return unresolved("its tagging contradicts itself"),
        };
        for item in &metas.schemars {
            match item.name.as_str() {
                "inline" if !self.old => container.inline = true,
                "with" | "schema_with" if !self.old => container.with = Some(with(item)?),
                "bound" => container.is_bounded = true,
                "rename" => container.is_format = item.string()?.value().contains('{'),
                name if is_general(name) => {}
                other => return unresolved(format!("`schemars({other})` is not understood")),
            }
        }
        for item in &metas.serde {
            match item.name.as_str() {
                "inline" if !self.old => container.inline = true,
                "bound" | "expecting" => {}
                name if is_general(name) => {}
                other => return unresolved(format!("`serde({other})` is not understood")),
            }
        }
        Ok(rules)
    }

    fn variant(
        &self,
        module: ModuleId,
        variant: &'t syn::Variant,
        rules: Rules,
    ) -> Result<Option<Variant<'t>>> {
        if !self.is_compiled(module, &variant.attrs)? {
            return Ok(None);
        }
        let metas = self.metas(module, &variant.attrs)?;
        let ident = unraw(&variant.ident);
        let mut name = Renames::default();
        let mut inner = Both::default();
        let (mut untagged, mut skip_serializing, mut skip_deserializing) = (false, false, false);
        for item in &metas.shared {
            match item.name.as_str() {
                "rename" => name.read(item)?,
                "rename_all" => inner.read(item)?,
                "untagged" => untagged = true,
                "skip" => (skip_serializing, skip_deserializing) = (true, true),
                "skip_serializing" => skip_serializing = true,
                "skip_deserializing" => skip_deserializing = true,
                other => return unresolved(format!("`{other}` on a variant is not understood")),
            }
        }
        let mut replacement = None;
        for item in metas.schemars.iter().chain(&metas.serde) {
            match item.name.as_str() {
                "with" | "schema_with" => replacement = replacement.or(Some(with(item)?)),
                "alias" | "borrow" | "bound" | "deserialize_with" | "other" | "serialize_with" => {}
                name if is_general(name) => {}
                other => return unresolved(format!("`{other}` on a variant is not understood")),
            }
        }
        let (style, fields) =
            self.fields(module, &variant.fields, inner.or(rules.fields), &Default::None)?;
        Ok(Some(Variant {
            name: name.or(&ident, rules.all, Rule::variant)?,
            member: ident,
            style,
            fields,
            common: self.common(module, &metas)?,
            with: replacement,
            untagged,
            skip_serializing,
            skip_deserializing,
            serialize_with: has_function(&metas, "serialize_with"),
            is_default: metas.of("default").next().is_some(),
            span: variant.ident.span(),
        }))
    }

    fn fields(
        &self,
        module: ModuleId,
        fields: &'t Fields,
        rules: Both,
        container_default: &Default,
    ) -> Result<(Style, Vec<Field<'t>>)> {
        let style = match fields {
            Fields::Named(_) => Style::Struct,
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Style::Newtype,
            Fields::Unnamed(_) => Style::Tuple,
            Fields::Unit => Style::Unit,
        };
        let mut read = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            let span = field.ident.as_ref().map_or_else(|| field.ty.span(), syn::Ident::span);
            if self.is_compiled(module, &field.attrs).at(|| self.place(module, span))? {
                let field = self.field(module, at, field, rules, container_default);
                read.push(field.at(|| self.place(module, span))?);
            } else if style != Style::Struct {
                return unresolved("a condition removes a field of a tuple");
            }
        }
        Ok((style, read))
    }

    fn field(
        &self,
        module: ModuleId,
        at: usize,
        field: &'t syn::Field,
        rules: Both,
        container_default: &Default,
    ) -> Result<Field<'t>> {
        let metas = self.metas(module, &field.attrs)?;
        let member = field.ident.as_ref().map_or_else(|| at.to_string(), unraw);
        let mut name = Renames::default();
        let mut read = Field {
            name: Name { serialize: String::new(), deserialize: String::new() },
            ty: &field.ty,
            common: self.common(module, &metas)?,
            validation: Validation::read(&metas, module, self.constants, self.old)?,
            with: None,
            default: Default::None,
            default_span: None,
            skip_serializing: false,
            skip_deserializing: false,
            skip_serializing_if: None,
            serialize_with: has_function(&metas, "serialize_with"),
            deserialize_with: has_function(&metas, "deserialize_with"),
            flatten: false,
            span: field.ident.as_ref().map_or_else(|| field.ty.span(), syn::Ident::span),
            member,
        };
        for item in &metas.shared {
            match item.name.as_str() {
                "rename" => name.read(item)?,
                "default" => {
                    read.default = default(item)?;
                    read.default_span = Some(item.span);
                }
                "skip" => (read.skip_serializing, read.skip_deserializing) = (true, true),
                "skip_serializing" => read.skip_serializing = true,
                "skip_deserializing" => read.skip_deserializing = true,
                "skip_serializing_if" => read.skip_serializing_if = Some(item.parsed()?),
                "flatten" => read.flatten = true,
                other => return unresolved(format!("`{other}` on a field is not understood")),
            }
        }
        for item in metas.schemars.iter().chain(&metas.serde) {
            match item.name.as_str() {
                "with" | "schema_with" => read.with = read.with.or(Some(with(item)?)),
                "alias" | "borrow" | "bound" | "deserialize_with" | "getter" | "serialize_with" => {
                }
                name if is_general(name) || super::validation::is_item(name) => {}
                other => return unresolved(format!("`{other}` on a field is not understood")),
            }
        }
        if read.skip_deserializing && container_default.is_none() && read.default.is_none() {
            read.default = Default::Trait;
        }
        read.name = name.or(&read.member, rules, Rule::field)?;
        Ok(read)
    }

    /// Whether something with these attributes is compiled.
    fn is_compiled(&self, module: ModuleId, attributes: &[Attribute]) -> Result<bool> {
        match super::program::active(&self.constants.program.krate(module).unit.cfg, attributes) {
            Some(compiled) => Ok(compiled),
            None => unresolved("a condition cannot be evaluated"),
        }
    }
}

fn default(item: &metas::Item) -> Result<Default> {
    Ok(match item.value {
        Value::None => Default::Trait,
        _ => Default::Function(item.parsed()?),
    })
}

/// What `with = "Type"` or `schema_with = "function"` names.
fn with(item: &metas::Item) -> Result<With> {
    Ok(match item.name.as_str() {
        "with" => With::Type(Box::new(item.parsed()?)),
        _ => With::Function(item.parsed()?),
    })
}

/// Whether functions stand for what the type itself does.
fn has_function(metas: &Metas, name: &str) -> bool {
    metas.serde.iter().any(|item| item.name == "with" || item.name == name)
}

/// Whether an item is read elsewhere, or for the derive itself.
fn is_general(name: &str) -> bool {
    metas::is_shared(name)
        || matches!(
            name,
            "crate" | "deprecated" | "description" | "example" | "extend" | "title" | "transform"
        )
}
