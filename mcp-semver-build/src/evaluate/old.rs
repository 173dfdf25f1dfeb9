//! Where schemars 0.8, which rmcp before 0.3 uses, makes other schemas than schemars 1.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::builtin;
use super::container::Variant;
use super::error::{Result, unresolved};
use super::generator::{Generator, displayed, ensure_object};
use super::marks;
use super::types::Ty;

impl<'t> Generator<'_, '_, 't> {
    /// The name of a type's schema.
    pub(super) fn old_name(&self, ty: &Ty<'t>) -> Result<String> {
        self.called(ty, &|old, ty| old.old_name(ty))
    }

    /// What tells the schema of a type from every other.
    pub(super) fn old_id(&self, ty: &Ty<'t>) -> Result<String> {
        let id = self.called(ty, &|old, ty| old.old_id(ty))?;
        Ok(match ty {
            Ty::Adt(adt, _) if self.transparent(ty)?.is_none() => {
                format!("{}::{id}", self.world.program.path(adt.module))
            }
            _ => id,
        })
    }

    /// A name made of those that `part` gives the parts of a type.
    fn called(
        &self,
        ty: &Ty<'t>,
        part: &dyn Fn(&Self, &Ty<'t>) -> Result<String>,
    ) -> Result<String> {
        let of = |ty: &Ty<'t>| part(self, ty);
        Ok(match ty {
            Ty::Leaf("String" | "Path" | "SocketAddr") => "String".to_owned(),
            Ty::Leaf("bool") => "Boolean".to_owned(),
            Ty::Leaf("()") => "Null".to_owned(),
            Ty::Leaf(name) => builtin::leaf(name)?.name.to_owned(),
            Ty::Option(inner) => format!("Nullable_{}", of(inner)?),
            Ty::Sequence(inner) => format!("Array_of_{}", of(inner)?),
            Ty::Set(inner) => format!("Set_of_{}", of(inner)?),
            Ty::Array(_, 0) => "EmptyArray".to_owned(),
            Ty::Array(inner, len) => format!("Array_size_{len}_of_{}", of(inner)?),
            Ty::Tuple(parts) => {
                let names: Vec<_> = parts.iter().map(of).collect::<Result<_>>()?;
                format!("Tuple_of_{}", names.join("_and_"))
            }
            Ty::Map(parts) => format!("Map_of_{}", of(&parts.1)?),
            Ty::Result(parts) => format!("Result_of_{}_or_{}", of(&parts.0)?, of(&parts.1)?),
            Ty::Range(inner) => format!("Range_of_{}", of(inner)?),
            Ty::Bound(inner) => format!("Bound_of_{}", of(inner)?),
            Ty::Made(function) => function.sig.ident.to_string(),
            Ty::Constant(value) => displayed(value),
            Ty::Adt(adt, arguments) => {
                let container = self.world.derived(*adt)?;
                if let Some(inner) = self.transparent(ty)? {
                    return of(&inner);
                }
                let mut name = container.name.deserialize.clone();
                if container.is_format || (container.is_renamed && !arguments.is_empty()) {
                    return unresolved("a generic type with a name of its own");
                }
                if !arguments.is_empty() {
                    let is_constant = |it: &&_| matches!(it, Ty::Constant(_));
                    let types = arguments.iter().filter(|it| !is_constant(it));
                    let all = types.chain(arguments.iter().filter(is_constant));
                    let names: Vec<_> = all.map(of).collect::<Result<_>>()?;
                    name += &format!("_for_{}", names.join("_and_"));
                }
                name
            }
        })
    }
}

/// Puts references that have other keywords beside them into `allOf`.
pub(super) fn part_references(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    super::nullable::each_subschema(object, &mut part_references);
    if marks::keywords(object) > 1
        && let Some(reference) = object.remove("$ref")
        && let Value::Array(all) = object.entry("allOf").or_insert_with(|| json!([]))
    {
        all.push(json!({ "$ref": reference }));
    }
}

/// The schema of an `Option`, told by the keyword `nullable` or by another type.
pub(super) fn optional(mut schema: Value, nullable: bool) -> Value {
    if nullable {
        ensure_object(&mut schema).insert("nullable".into(), true.into());
        return schema;
    }
    let nothing = json!("null");
    match &mut schema {
        Value::Bool(true) => {}
        Value::Object(object) if object.contains_key("type") => match object.get_mut("type") {
            Some(Value::Array(types)) if !types.contains(&nothing) => types.push(nothing),
            Some(ty @ Value::String(_)) if *ty != nothing => *ty = json!([ty.take(), nothing]),
            _ => {}
        },
        Value::Object(_) => return json!({ "anyOf": [schema, { "type": "null" }] }),
        _ => return json!({ "type": "null" }),
    }
    schema
}

/// Whether two variants that are read have one name.
pub(super) fn share_names(variants: &[Variant<'_>]) -> bool {
    let mut names = BTreeSet::new();
    let mut read = variants.iter().filter(|variant| !variant.skip_deserializing);
    !read.all(|variant| names.insert(&variant.name.deserialize))
}

/// Required properties are a sorted set.
pub(super) fn sort_required(schema: &mut Value) {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        let names: BTreeSet<String> =
            required.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
        *required = names.into_iter().map(Value::from).collect();
    }
}

/// Merges the schema of a flattened field into that of what it is flattened into.
pub(super) fn flatten(schema: &mut Value, other: Value) -> Result<()> {
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
    Ok(())
}

/// The schema of a type without parameters.
pub(super) fn leaf(name: &str) -> Result<Value> {
    let seconds = |secs: &str, nanos: &str| -> Result<Value> {
        Ok(json!({
            "type": "object",
            "required": [nanos, secs],
            "properties": { secs: leaf("u64")?, nanos: leaf("u32")? },
        }))
    };
    match name {
        "NaiveTime" => return Ok(json!({ "type": "string", "format": "partial-date-time" })),
        "Duration" => return seconds("secs", "nanos"),
        "SystemTime" => return seconds("secs_since_epoch", "nanos_since_epoch"),
        _ => {}
    }
    let mut schema = builtin::schema(name)?;
    if let Value::Object(object) = &mut schema
        && object.get("type").is_some_and(|ty| ty == "integer")
    {
        object.remove("maximum");
        match object.get("minimum").and_then(Value::as_u64) {
            Some(minimum) => object.insert("minimum".into(), (minimum as f64).into()),
            None => object.remove("minimum"),
        };
    }
    Ok(schema)
}
