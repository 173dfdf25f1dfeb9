//! Schemas as schemars generates them: definitions, references and names.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::container::{Container, With};
use super::error::{At, Result, unresolved};
use super::marks::Object;
use super::types::{Scope, Ty};
use super::world::World;
use super::written::Written;
use super::{builtin, code, old};
use crate::scan::signature::parameters;

/// Deeper than any real type goes; what never ends is a type that schemars cannot inline either.
const MAX_DEPTH: usize = 96;

/// Which side of a type a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contract {
    /// What it reads.
    Deserialize,
    /// What it writes.
    Serialize,
}

/// How a root schema is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) contract: Contract,
    /// Draft 7 keeps definitions in another place.
    pub(super) draft07: bool,
    /// Whether `null` among the types becomes the keyword `nullable`.
    pub(super) nullable: bool,
    /// With schemars 0.8: whether an option is told by `nullable` instead of `null`.
    pub(super) nullable_options: bool,
}

/// One root schema in the making.
pub(super) struct Generator<'w, 'p, 't> {
    pub(super) world: &'w World<'p, 't>,
    pub(super) settings: Settings,
    pub(super) definitions: Object,
    names: BTreeMap<String, String>,
    used: BTreeSet<String>,
    /// The id of what is referred to as the root; with schemars 0.8 nothing is.
    root: String,
    depth: usize,
}

impl<'w, 'p, 't> Generator<'w, 'p, 't> {
    /// The root schema of a type; `wrapped` says that it stands in a wrapper that is known by the
    /// type's name instead of its id, as rmcp's `Parameters` is.
    pub(super) fn root(
        world: &'w World<'p, 't>,
        settings: Settings,
        ty: &Ty<'t>,
        wrapped: bool,
    ) -> Result<Object> {
        let mut generator = Self {
            world,
            settings,
            definitions: Object::new(),
            names: BTreeMap::new(),
            used: BTreeSet::new(),
            root: String::new(),
            depth: 0,
        };
        let name = generator.name(ty)?;
        if !world.is_old() {
            generator.root = if wrapped { name.clone() } else { generator.id(ty)? };
        }
        let mut schema = generator.schema(ty)?;
        let object = ensure_object(&mut schema);
        object.entry("title").or_insert_with(|| name.into());
        let meta = if settings.draft07 {
            "http://json-schema.org/draft-07/schema#"
        } else {
            "https://json-schema.org/draft/2020-12/schema"
        };
        object.insert("$schema".into(), meta.into());
        if !generator.definitions.is_empty() {
            let definitions = std::mem::take(&mut generator.definitions);
            object.insert(generator.definitions_key().into(), Value::Object(definitions));
        }
        if world.is_old() {
            if !settings.nullable_options {
                old::part_references(&mut schema);
            }
        } else if settings.nullable {
            super::nullable::apply(&mut schema);
        }
        match schema {
            Value::Object(object) => Ok(object),
            _ => unresolved("a root schema that is no object"),
        }
    }

    pub(super) fn definitions_key(&self) -> &'static str {
        if self.settings.draft07 { "definitions" } else { "$defs" }
    }

    pub(super) fn reads(&self) -> bool {
        self.settings.contract == Contract::Deserialize
    }

    /// The schema of a type in its place inside another: by reference, unless it is inlined.
    pub(super) fn subschema(&mut self, ty: &Ty<'t>) -> Result<Value> {
        if self.inline(ty)? {
            return self.schema(ty);
        }
        let id = self.id(ty)?;
        if id == self.root {
            return Ok(json!({ "$ref": "#" }));
        }
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
            // In its place before it is made, so that it can refer to itself.
            self.definitions.insert(name.clone(), Value::Bool(false));
            let schema = self.schema(ty)?;
            self.definitions.insert(name.clone(), schema);
        }
        let name = if self.world.is_old() { name } else { reference(&name) };
        Ok(json!({ "$ref": format!("#/{}/{name}", self.definitions_key()) }))
    }

    /// The schema of a type, without a reference to it.
    pub(super) fn schema(&mut self, ty: &Ty<'t>) -> Result<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return unresolved("types are nested too deep");
        }
        let schema = self.schema_of(ty);
        self.depth -= 1;
        schema
    }

    fn schema_of(&mut self, ty: &Ty<'t>) -> Result<Value> {
        Ok(match ty {
            Ty::Leaf(name) if self.world.is_old() => old::leaf(name)?,
            Ty::Leaf(name) => builtin::schema(name)?,
            Ty::Option(inner) => {
                let schema = self.subschema(inner)?;
                match self.world.is_old() {
                    true => old::optional(schema, self.settings.nullable_options),
                    false => super::merge::allow_null(schema),
                }
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
                let key = self.items_key();
                json!({ "type": "array", key: items, "minItems": len, "maxItems": len })
            }
            Ty::Map(parts) if self.world.is_old() => {
                json!({ "type": "object", "additionalProperties": self.subschema(&parts.1)? })
            }
            Ty::Map(parts) => self.map(&parts.0, &parts.1)?,
            Ty::Result(parts) => {
                let ok = self.subschema(&parts.0)?;
                let err = self.subschema(&parts.1)?;
                json!({ "oneOf": [wrapped("Ok", ok), wrapped("Err", err)] })
            }
            Ty::Bound(_) if self.world.is_old() => {
                return unresolved("`Bound` with schemars 0.8");
            }
            Ty::Bound(inner) => {
                let included = self.subschema(inner)?;
                let excluded = self.subschema(inner)?;
                json!({ "oneOf": [
                    wrapped("Included", included),
                    wrapped("Excluded", excluded),
                    { "type": "string", "const": "Unbounded" },
                ] })
            }
            Ty::Range(inner) => {
                let part = self.subschema(inner)?;
                let old = self.world.is_old();
                json!({
                    "type": "object",
                    "properties": { "start": part, "end": part },
                    "required": if old { ["end", "start"] } else { ["start", "end"] },
                })
            }
            Ty::Made(function) => code::made(self, function)?,
            Ty::Constant(_) => return unresolved("a constant in place of a type"),
            Ty::Adt(adt, arguments) => {
                if let Some(written) = self.world.written(ty)? {
                    return self.written(&written);
                }
                let container = self.world.derived(*adt)?;
                match self.transparent(ty)? {
                    Some(inner) => self.schema(&inner)?,
                    None => self.container(&container, &Scope::inside(*adt, arguments))?,
                }
            }
        })
    }

    fn written(&mut self, written: &Written<'t>) -> Result<Value> {
        let function = &written.schema;
        let place = self.world.place(function.scope.module, function.sig.ident.span());
        let mut schema = code::made(self, function).at(|| place.clone())?;
        self.world.marks.whole(&mut schema, &place);
        Ok(schema)
    }

    /// Where the schemas of a tuple's elements stand.
    pub(super) fn items_key(&self) -> &'static str {
        if self.world.is_old() { "items" } else { "prefixItems" }
    }

    fn map(&mut self, key: &Ty<'t>, value: &Ty<'t>) -> Result<Value> {
        let key_schema = self.schema(key)?;
        let value = self.subschema(value)?;
        super::map_keys::schema(self, &key_schema, value)
    }

    /// The schema of what is not `None`.
    pub(super) fn non_optional(&mut self, ty: &Ty<'t>) -> Result<Value> {
        match (ty, self.transparent(ty)?) {
            (Ty::Option(inner), _) => self.non_optional(inner),
            (_, Some(inner)) => self.non_optional(&inner),
            (_, None) => self.schema(ty),
        }
    }

    /// Whether a type stands for the absence of a value, too.
    pub(super) fn is_option(&self, ty: &Ty<'t>) -> Result<bool> {
        match (ty, self.transparent(ty)?) {
            (Ty::Option(_), _) => Ok(true),
            (_, Some(inner)) => self.is_option(&inner),
            (_, None) => Ok(false),
        }
    }

    /// Whether the schema of a type always stands where it is used.
    pub(super) fn inline(&self, ty: &Ty<'t>) -> Result<bool> {
        Ok(match (ty, self.transparent(ty)?) {
            (_, Some(inner)) => self.inline(&inner)?,
            (Ty::Leaf(name), _) => builtin::leaf(name)?.inline,
            (Ty::Result(_) | Ty::Range(_) | Ty::Bound(_), _) => false,
            (Ty::Adt(adt, _), _) => match self.world.written(ty)? {
                Some(written) => written.inline,
                None => self.world.derived(*adt)?.inline,
            },
            _ => true,
        })
    }

    /// The name of a type's schema.
    pub(super) fn name(&self, ty: &Ty<'t>) -> Result<String> {
        if self.world.is_old() {
            return self.old_name(ty);
        }
        Ok(match ty {
            Ty::Leaf(name) => builtin::leaf(name)?.name.to_owned(),
            Ty::Option(inner) => format!("Nullable_{}", self.name(inner)?),
            Ty::Sequence(inner) => format!("Array_of_{}", self.name(inner)?),
            Ty::Set(inner) => format!("Set_of_{}", self.name(inner)?),
            Ty::Array(_, 0) => "EmptyArray".to_owned(),
            Ty::Array(inner, len) => format!("Array_size_{len}_of_{}", self.name(inner)?),
            Ty::Tuple(parts) => {
                let names: Vec<_> =
                    parts.iter().map(|part| self.name(part)).collect::<Result<_>>()?;
                format!("Tuple_of_{}", names.join("_and_"))
            }
            Ty::Map(parts) if self.id(&parts.0)? == "string" => {
                format!("Map_of_{}", self.name(&parts.1)?)
            }
            Ty::Map(parts) => {
                format!("Map_from_{}_to_{}", self.name(&parts.0)?, self.name(&parts.1)?)
            }
            Ty::Result(parts) => {
                format!("Result_of_{}_or_{}", self.name(&parts.0)?, self.name(&parts.1)?)
            }
            Ty::Range(inner) => format!("Range_of_{}", self.name(inner)?),
            Ty::Bound(inner) => format!("Bound_of_{}", self.name(inner)?),
            Ty::Made(function) => function.sig.ident.to_string(),
            Ty::Constant(value) => displayed(value),
            Ty::Adt(adt, arguments) => match (self.world.written(ty)?, self.transparent(ty)?) {
                (Some(written), _) => written.name,
                (None, Some(inner)) => self.name(&inner)?,
                (None, None) => self.own_name(&*self.world.derived(*adt)?, arguments)?,
            },
        })
    }

    fn own_name(&self, container: &Container<'t>, arguments: &[Ty<'t>]) -> Result<String> {
        let mut name = container.name.deserialize.clone();
        if container.is_format {
            for (param, argument) in parameters(container.adt.generics()).iter().zip(arguments) {
                name = name.replace(&format!("{{{param}}}"), &self.name(argument)?);
            }
            if name.contains(['{', '}']) {
                return unresolved("a name with braces in it");
            }
        }
        Ok(name)
    }

    /// What tells the schema of a type from every other.
    pub(super) fn id(&self, ty: &Ty<'t>) -> Result<String> {
        if self.world.is_old() {
            return self.old_id(ty);
        }
        Ok(match ty {
            Ty::Leaf(name) => builtin::leaf(name)?.id.to_owned(),
            Ty::Option(inner) => format!("Option<{}>", self.id(inner)?),
            Ty::Sequence(inner) => format!("[{}]", self.id(inner)?),
            Ty::Set(inner) => format!("Set<{}>", self.id(inner)?),
            Ty::Array(_, 0) => "[]".to_owned(),
            Ty::Array(inner, len) => format!("[{}; {}]", len, self.id(inner)?),
            Ty::Tuple(parts) => {
                let ids: Vec<_> = parts.iter().map(|part| self.id(part)).collect::<Result<_>>()?;
                format!("({})", ids.join(","))
            }
            Ty::Map(parts) => match (self.id(&parts.0)?, self.id(&parts.1)?) {
                (key, value) if key == "string" => format!("Map<{value}>"),
                (key, value) => format!("Map<{key}, {value}>"),
            },
            Ty::Result(parts) => {
                format!("Result<{}, {}>", self.id(&parts.0)?, self.id(&parts.1)?)
            }
            Ty::Range(inner) => format!("Range<{}>", self.id(inner)?),
            Ty::Bound(inner) => format!("Bound<{}>", self.id(inner)?),
            Ty::Made(function) => format!("fn {}", function.sig.ident),
            Ty::Constant(value) => displayed(value),
            Ty::Adt(adt, arguments) => {
                if let Some(written) = self.world.written(ty)? {
                    return Ok(written.id);
                }
                let container = self.world.derived(*adt)?;
                if let Some(inner) = self.transparent(ty)? {
                    return self.id(&inner);
                }
                // The name as it is written, without arguments in it.
                let path = self.world.program.path(adt.module);
                let mut id = format!("{path}::{}", container.name.deserialize);
                let given: BTreeMap<_, _> =
                    parameters(adt.generics()).into_iter().zip(arguments).collect();
                let constants =
                    given.values().filter(|argument| matches!(argument, Ty::Constant(_)));
                let relevant = super::relevant::parameters(&container);
                let types = relevant.iter().filter_map(|param| given.get(param));
                let shown: Vec<_> = constants
                    .chain(types)
                    .map(|argument| self.id(argument))
                    .collect::<Result<_>>()?;
                if !shown.is_empty() {
                    id.push_str(&format!("<{}>", shown.concat()));
                }
                id
            }
        })
    }

    /// The type that takes the place of a struct or enum altogether.
    pub(super) fn transparent(&self, ty: &Ty<'t>) -> Result<Option<Ty<'t>>> {
        let Ty::Adt(adt, arguments) = ty else { return Ok(None) };
        if self.world.written(ty)?.is_some() {
            return Ok(None);
        }
        let container = self.world.derived(*adt)?;
        let scope = Scope::inside(*adt, arguments);
        if self.world.is_old() {
            return match container.transparent.then(|| container.fields().first()).flatten() {
                Some(field) => self.world.field_type(&scope, field).map(Some),
                None => Ok(None),
            };
        }
        if !container.common.is_default() {
            return Ok(None);
        }
        if let Some(With::Type(with)) = &container.with {
            return self.world.program.ty(&scope, with).map(Some);
        }
        match super::shape::transparent_field(&container)? {
            Some(field) if field.is_plain() => self.world.program.ty(&scope, field.ty).map(Some),
            _ => Ok(None),
        }
    }
}

/// A name as a part of a reference.
fn reference(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'~' => text.push_str("~0"),
            b'/' => text.push_str("~1"),
            b'!' | b'$' | b'&'..=b';' | b'=' | b'?'..=b'Z' | b'_' | b'a'..=b'z' => {
                text.push(char::from(byte));
            }
            other => text.push_str(&format!("%{other:2X}")),
        }
    }
    text
}

/// A value as `{}` shows it.
pub(super) fn displayed(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn wrapped(name: &str, schema: Value) -> Value {
    json!({ "type": "object", "properties": { name: schema }, "required": [name] })
}

/// Makes an object of a schema that is a truth value.
pub(super) fn ensure_object(schema: &mut Value) -> &mut Object {
    if !schema.is_object() {
        let is_false = *schema == Value::Bool(false);
        *schema = if is_false { json!({ "not": {} }) } else { json!({}) };
    }
    match schema {
        Value::Object(object) => object,
        // It was made one above.
        _ => unreachable!("a schema is an object or a truth value"),
    }
}
