//! The schema that the derive of schemars makes of a struct or enum.

use serde_json::{Value, json};

use super::container::{Common, Container, Data, Default, Field, Style, Tagging, Variant};
use super::error::{At, Result, unresolved};
use super::generator::{Generator, ensure_object};
use super::types::{Scope, Ty};
use super::{code, keywords, merge, old};
use crate::scan::SourceSpan;

/// Where a field stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a struct.
    Property,
    /// In a tuple or newtype.
    Element,
    /// In the newtype variant of an internally tagged enum.
    Tagged,
}

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
        self.decorate(&mut schema, &container.common, &around)?;
        self.finish(&mut schema, &container.common, &around)?;
        Ok(schema)
    }

    fn container_body(&mut self, around: &Around<'_, 't>) -> Result<Value> {
        let container = around.container;
        if let Some(with) = &container.with {
            let ty = self.world.with(around.scope, with)?;
            return self.schema(&ty);
        }
        if let Some(field) = transparent_field(container)? {
            return self.field(around, field, Place::Element);
        }
        if self.world.is_old() && (container.from.is_some() || container.into.is_some()) {
            return unresolved("a conversion with schemars 0.8");
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
    fn decorate(
        &mut self,
        schema: &mut Value,
        common: &Common,
        around: &Around<'_, 't>,
    ) -> Result<()> {
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
        if self.world.since(1, 2, 1) { Ok(()) } else { self.extend(schema, common, around) }
    }

    /// What comes after everything else.
    fn finish(
        &mut self,
        schema: &mut Value,
        common: &Common,
        around: &Around<'_, 't>,
    ) -> Result<()> {
        if self.world.since(1, 2, 1) { self.extend(schema, common, around) } else { Ok(()) }
    }

    /// Extensions and transforms.
    fn extend(
        &mut self,
        schema: &mut Value,
        common: &Common,
        around: &Around<'_, 't>,
    ) -> Result<()> {
        for (key, value) in &common.extensions {
            ensure_object(schema).insert(key.clone(), value.clone());
        }
        for (transform, span) in &common.transforms {
            let changed = code::changed(self, around.scope, transform, std::mem::take(schema));
            *schema = changed.at(|| around.place(self, *span))?;
        }
        Ok(())
    }

    /// A field's schema with everything but its default.
    fn field(&mut self, around: &Around<'_, 't>, field: &Field<'t>, at: Place) -> Result<Value> {
        let mut schema = self.open_field(around, field, at)?;
        self.finish(&mut schema, &field.common, around)?;
        Ok(schema)
    }

    /// The field of a newtype. Its extensions come after what is said of the whole, which is not
    /// followed here.
    fn only_field(
        &mut self,
        around: &Around<'_, 't>,
        field: &Field<'t>,
        at: Place,
    ) -> Result<Value> {
        if !field.common.extensions.is_empty() || !field.common.transforms.is_empty() {
            return unresolved("an extension on the field of a newtype");
        }
        self.field(around, field, at)
    }

    /// As [`Generator::field`], before extensions.
    fn open_field(
        &mut self,
        around: &Around<'_, 't>,
        field: &Field<'t>,
        at: Place,
    ) -> Result<Value> {
        let is_old = self.world.is_old();
        let place = around.place(self, field.span);
        let ty = self.world.field_type(around.scope, field).at(|| place.clone())?;
        let schema = if field.validation.required {
            self.non_optional(&ty)
        } else if at != Place::Tagged {
            self.subschema(&ty)
        } else if is_old {
            self.schema(&ty)
        } else {
            self.tagged_newtype(&ty)
        };
        let mut schema = schema.at(|| place.clone())?;
        self.world.marks.whole(&mut schema, &place);
        // What schemars 0.8 cannot say anything of, it does not.
        if !is_old || schema.is_object() {
            let marks = &self.world.marks;
            let mark = |object: &mut _, key: &str, span| {
                marks.key(object, key, &around.place(self, span));
            };
            keywords::add(&mut schema, &field.validation, &mark);
        }
        if is_old && at != Place::Property {
            return Ok(schema);
        }
        self.decorate(&mut schema, &field.common, around)?;
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
            (Style::Newtype, [field]) => self.only_field(around, field, Place::Element),
            (Style::Struct, _) => self.properties(around, fields, default, deny_unknown_fields),
            _ => {
                let mut items = Vec::new();
                for field in fields {
                    if self.is_there(field.skip_serializing, field.skip_deserializing) {
                        items.push(self.field(around, field, Place::Element)?);
                    }
                }
                let len = items.len();
                if len == 0 && self.world.since(1, 0, 4) {
                    return Ok(json!({ "type": "array", "maxItems": 0 }));
                }
                let key = self.items_key();
                Ok(json!({ "type": "array", key: items, "minItems": len, "maxItems": len }))
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
        let is_old = self.world.is_old();
        let is_there = |field: &&Field<'_>| {
            if is_old {
                !(field.skip_serializing && field.skip_deserializing)
            } else {
                self.is_there(field.skip_serializing, field.skip_deserializing)
            }
        };
        let mut there: Vec<&Field<'t>> = fields.iter().filter(is_there).collect();
        if is_old {
            there.sort_by_key(|field| field.flatten);
        }
        for field in there {
            let place = around.place(self, field.span);
            if field.flatten {
                let flat = self.flattened(around, field).at(|| place.clone())?;
                if is_old {
                    old::flatten(&mut schema, flat).at(|| place)?;
                } else {
                    merge::flatten(&mut schema, flat);
                }
                continue;
            }
            let mut property = self.open_field(around, field, Place::Property)?;
            self.add_default(&mut property, around, field, default).at(|| place.clone())?;
            self.finish(&mut property, &field.common, around)?;
            let is_optional = self.is_optional(around, field, default).at(|| place)?;
            let name = if self.reads() { &field.name.deserialize } else { &field.name.serialize };
            merge::property(&mut schema, name, is_optional, property);
        }
        if is_old {
            old::sort_required(&mut schema);
        }
        Ok(schema)
    }

    fn flattened(&mut self, around: &Around<'_, 't>, field: &Field<'t>) -> Result<Value> {
        let ty = self.world.field_type(around.scope, field)?;
        let mut schema = self.non_optional(&ty)?;
        let is_optional = self.is_option(&ty)? && !field.validation.required;
        if !self.world.is_old() {
            return Ok(merge::flattened(schema, is_optional, self.world.since(1, 1, 0)));
        }
        if is_optional {
            schema.as_object_mut().and_then(|object| object.remove("required"));
        }
        Ok(schema)
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
        if !self.reads() {
            return Ok(field.skip_serializing_if.is_some());
        }
        let is_given = !default.is_none() || !field.default.is_none();
        if is_given && !(self.world.is_old() && field.skip_serializing) {
            return Ok(true);
        }
        let ty = self.world.field_type(around.scope, field)?;
        Ok(!field.validation.required && self.is_option(&ty)?)
    }

    fn variants(&mut self, around: &Around<'_, 't>, variants: &[Variant<'t>]) -> Result<Value> {
        let is_old = self.world.is_old();
        if variants.is_empty() && !is_old {
            return Ok(Value::Bool(false));
        }
        if is_old && variants.iter().any(|it| it.untagged && !it.skip_deserializing) {
            return unresolved("a single untagged variant with schemars 0.8");
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
        let overlaps = container.tagging == Tagging::Untagged
            || rest.iter().any(|variant| variant.untagged)
            || is_old && old::share_names(variants);
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
            Tagging::External if is_bare => self.constant(&name),
            Tagging::External => {
                let content = self.content(around, variant, deny)?;
                json!({
                    "type": "object",
                    "properties": { &name: content },
                    "required": [name],
                    "additionalProperties": false,
                })
            }
            Tagging::Internal(tag) if self.world.is_old() => {
                let mut schema = json!({ "type": "object" });
                merge::property(&mut schema, tag, false, self.constant(&name));
                if deny {
                    schema["additionalProperties"] = false.into();
                }
                if !is_bare {
                    let content = self.tagged_content(around, variant, deny)?;
                    old::flatten(&mut schema, content)?;
                    old::sort_required(&mut schema);
                }
                schema
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
                merge::property(&mut schema, tag, false, self.constant(&name));
                if !is_bare {
                    let inner = self.content(around, variant, deny)?;
                    merge::property(&mut schema, content, false, inner);
                }
                if self.world.is_old() {
                    old::sort_required(&mut schema);
                }
                schema
            }
        };
        self.decorate(&mut schema, &variant.common, around)?;
        self.finish(&mut schema, &variant.common, around)?;
        Ok(schema)
    }

    /// The schema of one text.
    fn constant(&self, text: &str) -> Value {
        match self.world.is_old() {
            true => json!({ "type": "string", "enum": [text] }),
            false => json!({ "type": "string", "const": text }),
        }
    }

    /// What a variant holds.
    fn content(
        &mut self,
        around: &Around<'_, 't>,
        variant: &Variant<'t>,
        deny: bool,
    ) -> Result<Value> {
        if let Some(with) = &variant.with {
            let ty = self.world.with(around.scope, with)?;
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
            let ty = self.world.with(around.scope, with)?;
            return self.schema(&ty);
        }
        match (variant.style, variant.fields.as_slice()) {
            (Style::Newtype, [field]) => self.only_field(around, field, Place::Tagged),
            (style, fields) => self.fields(around, style, fields, &Default::None, deny),
        }
    }
}
