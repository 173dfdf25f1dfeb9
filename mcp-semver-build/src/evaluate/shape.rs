//! The schema that the derive of schemars 1 makes of a struct or enum.

use serde_json::{Value, json};

use super::container::{Common, Container, Data, Default, Field, Style, Tagging, Variant};
use super::error::{At, Result, unresolved};
use super::generator::{Generator, ensure_object};
use super::merge;
use super::types::{Scope, Ty};
use super::validation::{Bounds, Validation};
use crate::scan::SourceSpan;

/// What surrounds a field or variant.
struct Around<'c, 't> {
    container: &'c Container<'t>,
    scope: &'c Scope<'t>,
}

impl<'t> Around<'_, 't> {
    fn place(&self, generator: &Generator<'_, '_, 't>, span: proc_macro2::Span) -> SourceSpan {
        generator.world.place(self.container.adt.module, span)
    }
}

/// The field that a transparent struct stands for.
pub(super) fn transparent_field<'c, 't>(
    container: &'c Container<'t>,
) -> Result<Option<&'c Field<'t>>> {
    let Data::Struct(_, fields) = &container.data else { return Ok(None) };
    if !container.transparent {
        return Ok(None);
    }
    let phantom = |field: &Field<'_>| {
        matches!(field.ty, syn::Type::Path(path)
            if path.path.segments.last().is_some_and(|last| last.ident == "PhantomData"))
    };
    let stands = |field: &&Field<'_>| {
        !phantom(field) && !field.skip_deserializing && field.default.is_none()
    };
    let mut standing = fields.iter().filter(stands);
    match (standing.next(), standing.next()) {
        (Some(field), None) => Ok(Some(field)),
        _ => unresolved("which field a transparent struct stands for is not told"),
    }
}

impl<'t> Generator<'_, '_, 't> {
    /// The schema of a struct or enum that is not replaced by another type's.
    pub(super) fn container(
        &mut self,
        container: &Container<'t>,
        scope: &Scope<'t>,
    ) -> Result<Value> {
        let around = Around { container, scope };
        let mut schema = self.container_body(&around)?;
        self.world.marks.whole(&mut schema, &container.span);
        self.decorate(&mut schema, &container.common, &around);
        self.finish(&mut schema, &container.common);
        Ok(schema)
    }

    fn container_body(&mut self, around: &Around<'_, 't>) -> Result<Value> {
        let container = around.container;
        if let Some(with) = &container.with {
            let ty = self.world.program.ty(around.scope, with)?;
            return self.schema(&ty);
        }
        if let Some(field) = transparent_field(container)? {
            return self.field(around, field, false);
        }
        let other = if self.reads() { &container.from } else { &container.into };
        if let Some(other) = other {
            let ty = self.world.program.ty(around.scope, other)?;
            return self.schema(&ty);
        }
        match &container.data {
            Data::Struct(style, fields) => {
                let deny = container.deny_unknown_fields;
                self.fields(around, *style, fields, &container.default, deny)
            }
            Data::Enum(variants) => self.variants(around, variants),
        }
    }

    /// Title, description, examples and extensions.
    fn decorate(&self, schema: &mut Value, common: &Common, around: &Around<'_, 't>) {
        let marks = &self.world.marks;
        let doc = |text: fn(&super::docs::Doc) -> &String| {
            common.doc.as_ref().map(|doc| (text(doc).clone(), doc.span))
        };
        let title = common.title.clone().or_else(|| doc(|doc| &doc.title));
        let description = common.description.clone().or_else(|| doc(|doc| &doc.description));
        for (key, text) in [("title", title), ("description", description)] {
            let Some((text, span)) = text.filter(|(text, _)| !text.is_empty()) else { continue };
            let object = ensure_object(schema);
            object.insert(key.into(), text.into());
            marks.key(object, key, &around.place(self, span));
        }
        if common.deprecated {
            ensure_object(schema).insert("deprecated".into(), true.into());
        }
        if !common.examples.is_empty() {
            ensure_object(schema).insert("examples".into(), common.examples.clone().into());
        }
        if !self.world.since(1, 2, 1) {
            extend(schema, common);
        }
    }

    /// What comes after everything else.
    fn finish(&self, schema: &mut Value, common: &Common) {
        if self.world.since(1, 2, 1) {
            extend(schema, common);
        }
    }

    /// The type whose schema a field has.
    fn field_type(&self, around: &Around<'_, 't>, field: &Field<'t>) -> Result<Ty<'t>> {
        self.world.program.ty(around.scope, field.with.as_ref().unwrap_or(field.ty))
    }

    /// A field's schema with everything but its default.
    fn field(
        &mut self,
        around: &Around<'_, 't>,
        field: &Field<'t>,
        is_tagged: bool,
    ) -> Result<Value> {
        let mut schema = self.open_field(around, field, is_tagged)?;
        self.finish(&mut schema, &field.common);
        Ok(schema)
    }

    /// The field of a newtype. Its extensions come after what is said of the whole, which is not
    /// followed here.
    fn only_field(
        &mut self,
        around: &Around<'_, 't>,
        field: &Field<'t>,
        is_tagged: bool,
    ) -> Result<Value> {
        if !field.common.extensions.is_empty() {
            return unresolved("an extension on the field of a newtype");
        }
        self.field(around, field, is_tagged)
    }

    /// As [`Generator::field`], before extensions.
    fn open_field(
        &mut self,
        around: &Around<'_, 't>,
        field: &Field<'t>,
        is_tagged: bool,
    ) -> Result<Value> {
        let place = around.place(self, field.span);
        let ty = self.field_type(around, field).at(|| place.clone())?;
        let schema = if field.validation.required {
            self.non_optional(&ty)
        } else if is_tagged {
            self.tagged_newtype(&ty)
        } else {
            self.subschema(&ty)
        };
        let mut schema = schema.at(|| place.clone())?;
        self.world.marks.whole(&mut schema, &place);
        self.decorate(&mut schema, &field.common, around);
        validate(&mut schema, &field.validation);
        if field.skip_deserializing {
            ensure_object(&mut schema).insert("readOnly".into(), true.into());
        }
        if field.skip_serializing {
            ensure_object(&mut schema).insert("writeOnly".into(), true.into());
        }
        Ok(schema)
    }

    fn tagged_newtype(&mut self, ty: &Ty<'t>) -> Result<Value> {
        let mut schema = self.schema(ty)?;
        let opened = merge::open_inside(&mut schema);
        let is_false = |key: &str| schema.get(key) == Some(&Value::Bool(false));
        let stays = self.inline(ty)?
            || schema.get("type").is_some_and(|ty| ty == "null")
            || is_false("additionalProperties")
            || is_false("unevaluatedProperties")
            || opened;
        if stays { Ok(schema) } else { self.subschema(ty) }
    }

    /// Whether something is there under the contract.
    fn is_there(&self, skip_serializing: bool, skip_deserializing: bool) -> bool {
        if self.reads() { !skip_deserializing } else { !skip_serializing }
    }

    fn fields(
        &mut self,
        around: &Around<'_, 't>,
        style: Style,
        fields: &[Field<'t>],
        default: &Default,
        deny_unknown_fields: bool,
    ) -> Result<Value> {
        match (style, fields) {
            (Style::Unit, _) => Ok(json!({ "type": "null" })),
            (Style::Newtype, [field]) => self.only_field(around, field, false),
            (Style::Struct, _) => self.properties(around, fields, default, deny_unknown_fields),
            _ => {
                let mut items = Vec::new();
                for field in fields {
                    if self.is_there(field.skip_serializing, field.skip_deserializing) {
                        items.push(self.field(around, field, false)?);
                    }
                }
                let len = items.len();
                if len == 0 && self.world.since(1, 0, 4) {
                    return Ok(json!({ "type": "array", "maxItems": 0 }));
                }
                Ok(json!({
                    "type": "array", "prefixItems": items, "minItems": len, "maxItems": len,
                }))
            }
        }
    }

    fn properties(
        &mut self,
        around: &Around<'_, 't>,
        fields: &[Field<'t>],
        default: &Default,
        deny_unknown_fields: bool,
    ) -> Result<Value> {
        let mut schema = json!({ "type": "object" });
        if deny_unknown_fields {
            schema["additionalProperties"] = false.into();
        }
        for field in fields {
            if !self.is_there(field.skip_serializing, field.skip_deserializing) {
                continue;
            }
            let place = around.place(self, field.span);
            if field.flatten {
                let flat = self.flattened(around, field).at(|| place)?;
                merge::flatten(&mut schema, flat);
                continue;
            }
            let mut property = self.open_field(around, field, false)?;
            self.add_default(&mut property, around, field, default).at(|| place.clone())?;
            self.finish(&mut property, &field.common);
            let is_optional = self.is_optional(around, field, default).at(|| place)?;
            let name = if self.reads() { &field.name.deserialize } else { &field.name.serialize };
            merge::property(&mut schema, name, is_optional, property);
        }
        Ok(schema)
    }

    fn flattened(&mut self, around: &Around<'_, 't>, field: &Field<'t>) -> Result<Value> {
        let ty = self.field_type(around, field)?;
        let schema = self.non_optional(&ty)?;
        let is_optional = self.is_option(&ty)? && !field.validation.required;
        Ok(merge::flattened(schema, is_optional, self.world.since(1, 1, 0)))
    }

    fn add_default(
        &self,
        property: &mut Value,
        around: &Around<'_, 't>,
        field: &Field<'t>,
        default: &Default,
    ) -> Result<()> {
        if field.skip_serializing || (field.default.is_none() && default.is_none()) {
            return Ok(());
        }
        let value = self.world.default_of(around.container, around.scope, field, default)?;
        if let Some(value) = value {
            let object = ensure_object(property);
            object.insert("default".into(), value);
            if let Some(span) = field.default_span {
                self.world.marks.key(object, "default", &around.place(self, span));
            }
        }
        Ok(())
    }

    fn is_optional(
        &self,
        around: &Around<'_, 't>,
        field: &Field<'t>,
        default: &Default,
    ) -> Result<bool> {
        let has_default = !default.is_none() || !field.default.is_none();
        let may_be_skipped = field.skip_serializing_if.is_some();
        if !self.reads() {
            return Ok(may_be_skipped);
        }
        Ok(has_default
            || (!field.validation.required && self.is_option(&self.field_type(around, field)?)?))
    }

    fn variants(&mut self, around: &Around<'_, 't>, variants: &[Variant<'t>]) -> Result<Value> {
        if variants.is_empty() {
            return Ok(Value::Bool(false));
        }
        let container = around.container;
        let deny = container.deny_unknown_fields;
        let mut schemas = Vec::new();
        let mut rest: Vec<&Variant<'t>> = variants.iter().collect();
        if container.tagging == Tagging::External {
            let (units, complex): (Vec<_>, Vec<_>) = rest.iter().copied().partition(|variant| {
                variant.style == Style::Unit
                    && variant.common.is_default()
                    && variant.with.is_none()
                    && !variant.untagged
            });
            let schema = self.units(around, &units);
            if complex.is_empty() {
                return Ok(schema);
            }
            if !units.is_empty() {
                schemas.push(schema);
            }
            rest = complex;
        }
        for variant in &rest {
            if self.is_there(variant.skip_serializing, variant.skip_deserializing) {
                let place = around.place(self, variant.span);
                let schema = self.variant(around, variant, deny).at(|| place.clone());
                let mut schema = schema?;
                self.world.marks.whole(&mut schema, &place);
                schemas.push(schema);
            }
        }
        let overlaps =
            container.tagging == Tagging::Untagged || rest.iter().any(|variant| variant.untagged);
        Ok(json!({ (if overlaps { "anyOf" } else { "oneOf" }): schemas }))
    }

    fn variant_name<'v>(&self, variant: &'v Variant<'t>) -> &'v str {
        if self.reads() { &variant.name.deserialize } else { &variant.name.serialize }
    }

    /// Unit variants of which nothing more is said.
    fn units(&self, around: &Around<'_, 't>, units: &[&Variant<'t>]) -> Value {
        let mut names: Vec<Value> = Vec::new();
        let mut schema = json!({ "type": "string" });
        let object = ensure_object(&mut schema);
        for unit in units {
            if self.is_there(unit.skip_serializing, unit.skip_deserializing) {
                let name = self.variant_name(unit);
                names.push(name.into());
                self.world.marks.value(object, name, &around.place(self, unit.span));
            }
        }
        object.insert("enum".into(), names.into());
        schema
    }

    fn variant(
        &mut self,
        around: &Around<'_, 't>,
        variant: &Variant<'t>,
        deny: bool,
    ) -> Result<Value> {
        let name = self.variant_name(variant).to_owned();
        let tagging = if variant.untagged { &Tagging::Untagged } else { &around.container.tagging };
        let is_bare = variant.style == Style::Unit && variant.with.is_none();
        let mut schema = match tagging {
            Tagging::Untagged => self.content(around, variant, deny)?,
            Tagging::External if is_bare => json!({ "type": "string", "const": name }),
            Tagging::External => {
                let content = self.content(around, variant, deny)?;
                json!({
                    "type": "object",
                    "properties": { &name: content },
                    "required": [name],
                    "additionalProperties": false,
                })
            }
            Tagging::Internal(tag) => {
                let mut schema = self.tagged_content(around, variant, deny)?;
                merge::tag(&mut schema, tag, &name, deny);
                schema
            }
            Tagging::Adjacent(tag, content) => {
                let mut schema = json!({ "type": "object" });
                if deny {
                    schema["additionalProperties"] = false.into();
                }
                let constant = json!({ "type": "string", "const": name });
                merge::property(&mut schema, tag, false, constant);
                if !is_bare {
                    let inner = self.content(around, variant, deny)?;
                    merge::property(&mut schema, content, false, inner);
                }
                schema
            }
        };
        self.decorate(&mut schema, &variant.common, around);
        self.finish(&mut schema, &variant.common);
        Ok(schema)
    }

    /// What a variant holds.
    fn content(
        &mut self,
        around: &Around<'_, 't>,
        variant: &Variant<'t>,
        deny: bool,
    ) -> Result<Value> {
        if let Some(with) = &variant.with {
            let ty = self.world.program.ty(around.scope, with)?;
            return self.subschema(&ty);
        }
        self.fields(around, variant.style, &variant.fields, &Default::None, deny)
    }

    /// What a variant holds beside its tag.
    fn tagged_content(
        &mut self,
        around: &Around<'_, 't>,
        variant: &Variant<'t>,
        deny: bool,
    ) -> Result<Value> {
        if let Some(with) = &variant.with {
            let ty = self.world.program.ty(around.scope, with)?;
            return self.schema(&ty);
        }
        match (variant.style, variant.fields.as_slice()) {
            (Style::Newtype, [field]) => self.only_field(around, field, true),
            (style, fields) => self.fields(around, style, fields, &Default::None, deny),
        }
    }
}

fn extend(schema: &mut Value, common: &Common) {
    for (key, value) in &common.extensions {
        ensure_object(schema).insert(key.clone(), value.clone());
    }
}

/// Adds the keywords of validations to the schemas they fit.
fn validate(schema: &mut Value, validation: &Validation) {
    if let Some(bounds) = &validation.length {
        bound(schema, bounds, &["string"], "Length");
        bound(schema, bounds, &["array"], "Items");
    }
    if let Some(bounds) = &validation.range {
        bound(schema, bounds, &["number", "integer"], "imum");
    }
    let contained = validation.contains.as_deref().map(escaped);
    for pattern in validation.pattern.iter().cloned().chain(contained) {
        if merge::has_type(schema, "string") {
            ensure_object(schema).insert("pattern".into(), pattern.into());
        }
    }
    if let Some(format) = validation.format {
        ensure_object(schema).insert("format".into(), format.into());
    }
    if let Some(inner) = &validation.inner
        && let Some(items) = schema.get_mut("items")
        && (items.is_object() || items.is_boolean())
    {
        validate(items, inner);
    }
}

fn bound(schema: &mut Value, bounds: &Bounds, types: &[&str], suffix: &str) {
    for (prefix, value) in [("min", &bounds.min), ("max", &bounds.max)] {
        if let Some(value) = value
            && types.iter().any(|ty| merge::has_type(schema, ty))
        {
            ensure_object(schema).insert(format!("{prefix}{suffix}"), value.clone());
        }
    }
}

/// A text as a regular expression that matches it.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut pattern, character| {
        if "\\.+*?()|[]{}^$#&-~".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
        pattern
    })
}
