//! Schemas as schemars 0.8 generates them, for rmcp before 0.3.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::builtin;
use super::error::{Result, unresolved};
use super::generator::{Settings, ensure_object};
use super::marks::{self, Object};
use super::types::{Scope, Ty};
use super::world::World;

mod shape;

/// Deeper than any real type goes.
const MAX_DEPTH: usize = 96;

/// One root schema in the making.
pub(super) struct Old<'w, 'p, 't> {
    pub(super) world: &'w World<'p, 't>,
    /// Whether an option is told by the keyword `nullable`, as in rmcp 0.2.
    nullable: bool,
    definitions: Object,
    names: BTreeMap<String, String>,
    used: BTreeSet<String>,
    depth: usize,
}

/// The root schema of a type.
pub(super) fn root<'t>(world: &World<'_, 't>, settings: Settings, ty: &Ty<'t>) -> Result<Object> {
    let mut old = Old {
        world,
        nullable: settings.nullable_options,
        definitions: Object::new(),
        names: BTreeMap::new(),
        used: BTreeSet::new(),
        depth: 0,
    };
    let mut schema = old.schema(ty)?;
    let object = ensure_object(&mut schema);
    if !object.contains_key("title") {
        object.insert("title".into(), old.name(ty)?.into());
    }
    object.insert("$schema".into(), "http://json-schema.org/draft-07/schema#".into());
    if !old.definitions.is_empty() {
        object.insert("definitions".into(), Value::Object(std::mem::take(&mut old.definitions)));
    }
    if !settings.nullable_options {
        part_references(&mut schema);
    }
    match schema {
        Value::Object(object) => Ok(object),
        _ => unresolved("a root schema that is no object"),
    }
}

/// Puts references that have other keywords beside them into `allOf`.
fn part_references(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    super::nullable::each_subschema(object, &mut part_references);
    if marks::keywords(object) > 1
        && let Some(reference) = object.remove("$ref")
        && let Value::Array(all) = object.entry("allOf").or_insert_with(|| json!([]))
    {
        all.push(json!({ "$ref": reference }));
    }
}

impl<'t> Old<'_, '_, 't> {
    /// The schema of a type in its place inside another.
    fn subschema(&mut self, ty: &Ty<'t>) -> Result<Value> {
        if self.inline(ty)? {
            return self.schema(ty);
        }
        let id = self.id(ty)?;
        let name = match self.names.get(&id) {
            Some(name) => name.clone(),
            None => {
                let base = self.name(ty)?;
                let numbered = (2..).map(|number| format!("{base}{number}"));
                let mut names = std::iter::once(base.clone()).chain(numbered);
                let name = names.find(|name| !self.used.contains(name)).unwrap_or_default();
                self.used.insert(name.clone());
                self.names.insert(id, name.clone());
                name
            }
        };
        if !self.definitions.contains_key(&name) {
            self.definitions.insert(name.clone(), Value::Bool(false));
            let schema = self.schema(ty)?;
            self.definitions.insert(name.clone(), schema);
        }
        Ok(json!({ "$ref": format!("#/definitions/{name}") }))
    }

    /// The schema of a type, without a reference to it.
    fn schema(&mut self, ty: &Ty<'t>) -> Result<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return unresolved("types are nested too deep");
        }
        let schema = self.schema_of(ty);
        self.depth -= 1;
        schema
    }

    fn schema_of(&mut self, ty: &Ty<'t>) -> Result<Value> {
        let wrapped = |name: &str, schema: Value| json!({ "type": "object", "properties": { name: schema }, "required": [name] });
        Ok(match ty {
            Ty::Leaf(name) => leaf(name)?,
            Ty::Option(inner) => {
                let schema = self.subschema(inner)?;
                self.optional(schema)
            }
            Ty::Sequence(inner) => json!({ "type": "array", "items": self.subschema(inner)? }),
            Ty::Set(inner) => {
                json!({ "type": "array", "uniqueItems": true, "items": self.subschema(inner)? })
            }
            Ty::Array(_, 0) => json!({ "type": "array", "maxItems": 0 }),
            Ty::Array(inner, len) => json!({
                "type": "array", "items": self.subschema(inner)?, "minItems": len, "maxItems": len,
            }),
            Ty::Tuple(parts) => {
                let items: Vec<Value> =
                    parts.iter().map(|part| self.subschema(part)).collect::<Result<_>>()?;
                let len = items.len();
                json!({ "type": "array", "items": items, "minItems": len, "maxItems": len })
            }
            Ty::Map(parts) => {
                json!({ "type": "object", "additionalProperties": self.subschema(&parts.1)? })
            }
            Ty::Result(parts) => {
                let ok = self.subschema(&parts.0)?;
                let err = self.subschema(&parts.1)?;
                json!({ "oneOf": [wrapped("Ok", ok), wrapped("Err", err)] })
            }
            Ty::Range(inner) => {
                let part = self.subschema(inner)?;
                json!({
                    "type": "object",
                    "properties": { "start": part, "end": part },
                    "required": ["end", "start"],
                })
            }
            Ty::Bound(_) => return unresolved("`Bound` with schemars 0.8"),
            Ty::Adt(adt, arguments) => {
                let container = self.world.derived(*adt)?;
                match self.transparent(ty)? {
                    Some(inner) => self.schema(&inner)?,
                    None => self.container(&container, &Scope::inside(*adt, arguments))?,
                }
            }
        })
    }

    fn optional(&self, mut schema: Value) -> Value {
        if self.nullable {
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

    /// The schema of what is not `None`.
    fn non_optional(&mut self, ty: &Ty<'t>) -> Result<Value> {
        match ty {
            Ty::Option(inner) => self.non_optional(inner),
            _ => match self.transparent(ty)? {
                Some(inner) => self.non_optional(&inner),
                None => self.schema(ty),
            },
        }
    }

    fn is_option(&self, ty: &Ty<'t>) -> Result<bool> {
        match (ty, self.transparent(ty)?) {
            (Ty::Option(_), _) => Ok(true),
            (_, Some(inner)) => self.is_option(&inner),
            (_, None) => Ok(false),
        }
    }

    fn inline(&self, ty: &Ty<'t>) -> Result<bool> {
        Ok(match (ty, self.transparent(ty)?) {
            (_, Some(inner)) => self.inline(&inner)?,
            (Ty::Leaf(name), None) => builtin::leaf(name)?.inline,
            (Ty::Result(_) | Ty::Range(_) | Ty::Bound(_) | Ty::Adt(..), None) => false,
            _ => true,
        })
    }

    fn name(&self, ty: &Ty<'t>) -> Result<String> {
        self.called(ty, &|old, ty| old.name(ty))
    }

    /// What tells the schema of a type from every other.
    fn id(&self, ty: &Ty<'t>) -> Result<String> {
        Ok(match ty {
            Ty::Adt(adt, _) if self.transparent(ty)?.is_none() => {
                let path = self.world.program.path(adt.module);
                format!("{path}::{}", self.called(ty, &|old, ty| old.id(ty))?)
            }
            _ => self.called(ty, &|old, ty| old.id(ty))?,
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
                    let names: Vec<_> = arguments.iter().map(of).collect::<Result<_>>()?;
                    name += &format!("_for_{}", names.join("_and_"));
                }
                name
            }
        })
    }

    /// The type that takes the place of a transparent struct.
    fn transparent(&self, ty: &Ty<'t>) -> Result<Option<Ty<'t>>> {
        let Ty::Adt(adt, arguments) = ty else { return Ok(None) };
        let container = self.world.derived(*adt)?;
        match &container.data {
            super::container::Data::Struct(_, fields) if container.transparent => {
                let Some(field) = fields.first() else { return Ok(None) };
                let scope = Scope::inside(*adt, arguments);
                let ty = field.with.as_ref().unwrap_or(field.ty);
                self.world.program.ty(&scope, ty).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// The schema of a type without parameters.
fn leaf(name: &str) -> Result<Value> {
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
