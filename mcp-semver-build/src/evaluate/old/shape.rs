//! The schema that the derive of schemars 0.8 makes of a struct or enum.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Old;
use crate::evaluate::container::{
    Common, Container, Data, Default, Field, Style, Tagging, Variant,
};
use crate::evaluate::error::{At, Result, unresolved};
use crate::evaluate::generator::ensure_object;
use crate::evaluate::merge::{has_type, property};
use crate::evaluate::types::{Scope, Ty};
use crate::evaluate::validation::Validation;
use crate::scan::SourceSpan;

/// What surrounds a field or variant.
struct Around<'c, 't> {
    container: &'c Container<'t>,
    scope: &'c Scope<'t>,
}

impl<'t> Old<'_, '_, 't> {
    fn place(&self, around: &Around<'_, 't>, span: proc_macro2::Span) -> SourceSpan {
        self.world.place(around.container.adt.module, span)
    }

    /// The schema of a struct or enum.
    pub(super) fn container(
        &mut self,
        container: &Container<'t>,
        scope: &Scope<'t>,
    ) -> Result<Value> {
        if container.from.is_some() || container.into.is_some() {
            return unresolved("a conversion with schemars 0.8");
        }
        let around = Around { container, scope };
        let mut schema = match &container.data {
            Data::Struct(style, fields) => {
                let deny = container.deny_unknown_fields;
                self.fields(&around, *style, fields, &container.default, deny)?
            }
            Data::Enum(variants) => self.variants(&around, variants)?,
        };
        self.world.marks.whole(&mut schema, &container.span);
        self.decorate(&mut schema, &container.common, &around);
        Ok(schema)
    }

    fn decorate(&self, schema: &mut Value, common: &Common, around: &Around<'_, 't>) {
        let doc = |text: fn(&crate::evaluate::docs::Doc) -> &String| {
            common.doc.as_ref().map(|doc| (text(doc).clone(), doc.span))
        };
        let title = common.title.clone().or_else(|| doc(|doc| &doc.title));
        let description = common.description.clone().or_else(|| doc(|doc| &doc.description));
        for (key, text) in [("title", title), ("description", description)] {
            let Some((text, span)) = text.filter(|(text, _)| !text.is_empty()) else { continue };
            let object = ensure_object(schema);
            object.insert(key.into(), text.into());
            self.world.marks.key(object, key, &self.place(around, span));
        }
        if common.deprecated {
            ensure_object(schema).insert("deprecated".into(), true.into());
        }
    }

    fn field_type(&self, around: &Around<'_, 't>, field: &Field<'t>) -> Result<Ty<'t>> {
        self.world.program.ty(around.scope, field.with.as_ref().unwrap_or(field.ty))
    }

    /// The schema of a field that is not a property: what is said of it is not read, except how
    /// it is validated.
    fn element(
        &mut self,
        around: &Around<'_, 't>,
        field: &Field<'t>,
        may_refer: bool,
    ) -> Result<Value> {
        let place = self.place(around, field.span);
        let mut read = || {
            let ty = self.field_type(around, field)?;
            if field.validation.required {
                self.non_optional(&ty)
            } else if may_refer {
                self.subschema(&ty)
            } else {
                self.schema(&ty)
            }
        };
        let mut schema = read().at(|| place.clone())?;
        self.world.marks.whole(&mut schema, &place);
        validate(&mut schema, &field.validation)?;
        Ok(schema)
    }

    fn fields(
        &mut self,
        around: &Around<'_, 't>,
        style: Style,
        fields: &[Field<'t>],
        default: &Default,
        deny: bool,
    ) -> Result<Value> {
        match (style, fields) {
            (Style::Unit, _) => Ok(json!({ "type": "null" })),
            (Style::Newtype, [field]) => self.element(around, field, true),
            (Style::Struct, _) => self.properties(around, fields, default, deny),
            _ => {
                let read = fields.iter().filter(|field| !field.skip_deserializing);
                let items: Vec<Value> =
                    read.map(|field| self.element(around, field, true)).collect::<Result<_>>()?;
                let len = items.len();
                Ok(json!({ "type": "array", "items": items, "minItems": len, "maxItems": len }))
            }
        }
    }

    fn properties(
        &mut self,
        around: &Around<'_, 't>,
        fields: &[Field<'t>],
        default: &Default,
        deny: bool,
    ) -> Result<Value> {
        let mut schema = json!({ "type": "object" });
        if deny {
            schema["additionalProperties"] = false.into();
        }
        let is_there = |field: &&Field<'_>| !field.skip_serializing || !field.skip_deserializing;
        for field in fields.iter().filter(is_there).filter(|field| !field.flatten) {
            let place = self.place(around, field.span);
            let mut read = || {
                let ty = self.field_type(around, field)?;
                let required = field.validation.required;
                let mut schema =
                    if required { self.non_optional(&ty)? } else { self.subschema(&ty)? };
                self.world.marks.whole(&mut schema, &place);
                self.decorate(&mut schema, &field.common, around);
                if field.skip_deserializing {
                    ensure_object(&mut schema).insert("readOnly".into(), true.into());
                }
                if field.skip_serializing {
                    ensure_object(&mut schema).insert("writeOnly".into(), true.into());
                }
                let is_given = !field.default.is_none() || !default.is_none();
                let has_default = is_given && !field.skip_serializing;
                if has_default
                    && let Some(value) =
                        self.world.default_of(around.container, around.scope, field, default)?
                {
                    ensure_object(&mut schema).insert("default".into(), value);
                }
                validate(&mut schema, &field.validation)?;
                let is_optional = has_default || (!required && self.is_option(&ty)?);
                Ok((schema, is_optional))
            };
            let (inner, is_optional) = read().at(|| place.clone())?;
            property(&mut schema, &field.name.deserialize, is_optional, inner);
        }
        sort_required(&mut schema);
        for field in fields.iter().filter(is_there).filter(|field| field.flatten) {
            let place = self.place(around, field.span);
            let mut read = || {
                let ty = self.field_type(around, field)?;
                let mut flat = self.non_optional(&ty)?;
                if self.is_option(&ty)? && !field.validation.required {
                    flat.as_object_mut().and_then(|object| object.remove("required"));
                }
                flatten(&mut schema, flat)
            };
            read().at(|| place)?;
        }
        Ok(schema)
    }

    fn variants(&mut self, around: &Around<'_, 't>, variants: &[Variant<'t>]) -> Result<Value> {
        let read: Vec<&Variant<'t>> =
            variants.iter().filter(|variant| !variant.skip_deserializing).collect();
        if read.iter().any(|variant| variant.untagged) {
            return unresolved("a single untagged variant with schemars 0.8");
        }
        let names: BTreeSet<&str> =
            read.iter().map(|variant| variant.name.deserialize.as_str()).collect();
        let is_unique = names.len() == read.len();
        let tagging = &around.container.tagging;
        let mut schemas = Vec::new();
        let mut rest = read;
        if *tagging == Tagging::External {
            let (units, complex): (Vec<_>, Vec<_>) = rest.into_iter().partition(|variant| {
                variant.style == Style::Unit
                    && variant.common.is_default()
                    && variant.with.is_none()
            });
            let names: Vec<&str> =
                units.iter().map(|variant| variant.name.deserialize.as_str()).collect();
            let mut schema = json!({ "type": "string", "enum": names });
            for unit in &units {
                let place = self.place(around, unit.span);
                let object = ensure_object(&mut schema);
                self.world.marks.value(object, &unit.name.deserialize, &place);
            }
            if complex.is_empty() {
                return Ok(schema);
            }
            if !units.is_empty() {
                schemas.push(schema);
            }
            rest = complex;
        }
        for variant in rest {
            let place = self.place(around, variant.span);
            let mut schema = self.variant(around, variant).at(|| place.clone())?;
            self.world.marks.whole(&mut schema, &place);
            schemas.push(schema);
        }
        let is_one = is_unique && *tagging != Tagging::Untagged;
        Ok(json!({ (if is_one { "oneOf" } else { "anyOf" }): schemas }))
    }

    fn variant(&mut self, around: &Around<'_, 't>, variant: &Variant<'t>) -> Result<Value> {
        let deny = around.container.deny_unknown_fields;
        let name = &variant.name.deserialize;
        let is_bare = variant.style == Style::Unit && variant.with.is_none();
        let constant = json!({ "type": "string", "enum": [name] });
        let mut schema = match &around.container.tagging {
            Tagging::Untagged => self.content(around, variant)?,
            Tagging::External if is_bare => constant,
            Tagging::External => json!({
                "type": "object",
                "properties": { name: self.content(around, variant)? },
                "required": [name],
                "additionalProperties": false,
            }),
            Tagging::Internal(tag) => {
                let mut schema = json!({ "type": "object" });
                property(&mut schema, tag, false, constant);
                if deny {
                    schema["additionalProperties"] = false.into();
                }
                self.decorate(&mut schema, &variant.common, around);
                if !is_bare {
                    let content = self.tagged_content(around, variant)?;
                    flatten(&mut schema, content)?;
                }
                return Ok(schema);
            }
            Tagging::Adjacent(tag, content) => {
                let mut schema = json!({ "type": "object" });
                if deny {
                    schema["additionalProperties"] = false.into();
                }
                property(&mut schema, tag, false, constant);
                if !is_bare {
                    let inner = self.content(around, variant)?;
                    property(&mut schema, content, false, inner);
                }
                sort_required(&mut schema);
                schema
            }
        };
        self.decorate(&mut schema, &variant.common, around);
        Ok(schema)
    }

    fn content(&mut self, around: &Around<'_, 't>, variant: &Variant<'t>) -> Result<Value> {
        if let Some(with) = &variant.with {
            let ty = self.world.program.ty(around.scope, with)?;
            return self.subschema(&ty);
        }
        let deny = around.container.deny_unknown_fields;
        self.fields(around, variant.style, &variant.fields, &Default::None, deny)
    }

    fn tagged_content(&mut self, around: &Around<'_, 't>, variant: &Variant<'t>) -> Result<Value> {
        if let Some(with) = &variant.with {
            let ty = self.world.program.ty(around.scope, with)?;
            return self.schema(&ty);
        }
        match (variant.style, variant.fields.as_slice()) {
            (Style::Newtype, [field]) => self.element(around, field, false),
            _ => self.content(around, variant),
        }
    }
}

/// Required properties are a sorted set.
fn sort_required(schema: &mut Value) {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        let names: BTreeSet<String> =
            required.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
        *required = names.into_iter().map(Value::from).collect();
    }
}

/// Merges the schema of a flattened field into that of what it is flattened into.
fn flatten(schema: &mut Value, other: Value) -> Result<()> {
    let is_null = |schema: &Value| schema.get("type").is_some_and(|ty| ty == "null");
    // What says nothing changes nothing.
    if is_null(&other) || other == Value::Bool(true) {
        return Ok(());
    }
    let (Value::Object(object), Value::Object(other)) = (&mut *schema, other) else {
        return unresolved("what is flattened is not understood");
    };
    let is_object = other.get("type").is_some_and(|ty| ty == "object");
    if other.contains_key("type") && !is_object {
        return unresolved("what is flattened is no object");
    }
    if is_object {
        match (object.get("additionalProperties"), other.get("additionalProperties")) {
            (_, Some(Value::Bool(true))) => {
                object.insert("additionalProperties".into(), true.into());
            }
            (Some(Value::Bool(true)), _) => {}
            (None, _) | (_, None) => {
                object.remove("additionalProperties");
            }
            (Some(one), Some(other)) if one == other => {}
            _ => return unresolved("two kinds of further properties"),
        }
    }
    for (key, value) in other {
        match (key.as_str(), object.get_mut(&key), value) {
            ("additionalProperties", ..) => {}
            ("required", Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            ("properties", Some(Value::Object(map)), Value::Object(more)) => map.extend(more),
            ("enum", Some(_), _) => return unresolved("two enums in one"),
            (_, Some(_), _) => {}
            (_, None, value) => {
                object.insert(key, value);
            }
        }
    }
    sort_required(schema);
    Ok(())
}

/// Adds the keywords of validations to the schemas they fit.
fn validate(schema: &mut Value, validation: &Validation) -> Result<()> {
    let Validation { length, range, pattern, contains, format, inner, required: _ } = validation;
    if contains.is_some() || inner.is_some() {
        return unresolved("a validation that schemars 0.8 reads in another way");
    }
    if !schema.is_object() {
        return Ok(());
    }
    let mut add = |types: &[&str], key: &str, value: Value| {
        if types.iter().any(|ty| has_type(schema, ty)) {
            ensure_object(schema).insert(key.to_owned(), value);
        }
    };
    for bounds in length.iter() {
        for (bound, text, array) in
            [(&bounds.min, "minLength", "minItems"), (&bounds.max, "maxLength", "maxItems")]
        {
            let Some(bound) = bound else { continue };
            if !bound.is_u64() {
                return unresolved("a length that is no whole number");
            }
            add(&["string"], text, bound.clone());
            add(&["array"], array, bound.clone());
        }
    }
    for bounds in range.iter() {
        for (bound, key) in [(&bounds.min, "minimum"), (&bounds.max, "maximum")] {
            if let Some(bound) = bound.as_ref().and_then(Value::as_f64) {
                add(&["integer", "number"], key, bound.into());
            }
        }
    }
    if let Some(pattern) = pattern {
        add(&["string"], "pattern", pattern.clone().into());
    }
    if let Some(format) = format {
        ensure_object(schema).insert("format".into(), (*format).into());
    }
    Ok(())
}
