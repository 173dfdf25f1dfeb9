//! The contract that `#[tool]` makes of a function.
use proc_macro2::Span;
use quote::ToTokens;
use serde_json::{Map, Value, json};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, FnArg, Lit, Meta, Signature, Type};

use super::error::{At, Result, unresolved};
use super::generator::Generator;
use super::marks::Object;
use super::metas::{self, Item};
use super::names::{Namespace, Target};
use super::places::Places;
use super::program::ModuleId;
use super::sdk::{Empty, Sdk};
use super::types::{Scope, shown};
use super::world::World;
use crate::scan::SourceSpan;
use crate::scan::signature::{first_argument, named, replace_self, result};

/// A function that `#[tool]` stands on.
pub(super) struct ToolFn<'t> {
    pub(super) module: ModuleId,
    pub(super) attributes: &'t [Attribute],
    pub(super) sig: &'t Signature,
    /// What `Self` is, and what its type parameters are called.
    pub(super) generics: Vec<String>,
    /// The type of the `impl` it stands in.
    pub(super) block: Option<&'t Type>,
}

/// A tool in the wire's form, and where its parts come from.
pub(super) struct Described {
    pub(super) wire: Value,
    pub(super) places: Places,
    /// The type of the `impl` it stands in.
    pub(super) block: Option<SourceSpan>,
}

/// Evaluates one tool.
pub(super) struct Describer<'w, 'p, 't> {
    pub(super) world: &'w World<'p, 't>,
    pub(super) sdk: &'w Sdk,
}

/// Attributes of the language that leave a function as it is.
const INERT: [&str; 13] = [
    "allow",
    "cfg",
    "cfg_attr",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "forbid",
    "inline",
    "must_use",
    "track_caller",
    "warn",
];

impl<'t> Describer<'_, '_, 't> {
    /// The contract of a tool.
    pub(super) fn describe(&self, function: &ToolFn<'t>) -> Result<Described> {
        let place = self.place(function, function.sig.ident.span());
        self.described(function).at(|| place)
    }

    /// The name that agents know a tool by, as far as it can be told.
    pub(super) fn name(&self, function: &ToolFn<'t>) -> Option<String> {
        let (arguments, _) = self.arguments(function).ok()?;
        match arguments.iter().find(|item| item.name == "name") {
            None => Some(function.sig.ident.to_string()),
            Some(item) => self.world.constants.text(function.module, item.expr().ok()?).ok(),
        }
    }

    fn place(&self, function: &ToolFn<'t>, span: Span) -> SourceSpan {
        self.world.place(function.module, span)
    }

    /// The arguments of the attribute, and the attributes beside it that the macro sees.
    fn arguments(&self, function: &ToolFn<'t>) -> Result<(Vec<Item>, Vec<Meta>)> {
        let cfg = &self.world.program.krate(function.module).unit.cfg;
        let mut arguments = None;
        let mut others = Vec::new();
        for attribute in crate::scan::attributes(function.attributes) {
            match cfg.all(&attribute.cfgs) {
                Some(true) => {}
                Some(false) => continue,
                None => return unresolved("a condition on an attribute cannot be evaluated"),
            }
            let mut meta = attribute.meta;
            // The macro puts what it is given into the `impl`.
            if let (Meta::List(list), Some(block)) = (&mut meta, function.block) {
                list.tokens = replace_self(list.tokens.clone(), &block.to_token_stream());
            }
            let last = meta.path().segments.last().map(|last| last.ident.to_string());
            let name = last.unwrap_or_default();
            if name == "tool" && arguments.is_none() {
                arguments = Some(match &meta {
                    Meta::List(list) => metas::items(list.tokens.clone())?,
                    _ => Vec::new(),
                });
                continue;
            }
            let is_tool = meta.path().segments.len() > 1
                && ["clippy", "rustfmt"].iter().any(|tool| meta.path().segments[0].ident == tool);
            // What stands before `#[tool]` has changed the function before it is read.
            if !is_tool && !INERT.contains(&name.as_str()) && arguments.is_none() {
                return unresolved(format!("the attribute `{name}` may change the tool"));
            }
            if name != "cfg" {
                others.push(meta);
            }
        }
        Ok((arguments.unwrap_or_default(), others))
    }

    fn described(&self, function: &ToolFn<'t>) -> Result<Described> {
        let (arguments, others) = self.arguments(function)?;
        let mut places = Places::new();
        let mut wire = Map::new();
        let text = |item: &Item| self.world.constants.text(function.module, item.expr()?);
        let mut name = function.sig.ident.to_string();
        places.insert(String::new(), self.place(function, function.sig.ident.span()));
        let mut description = None;
        let mut input = None;
        for item in &arguments {
            let place = || self.place(function, item.span);
            match item.name.as_str() {
                "name" => {
                    name = text(item).at(place)?;
                    places.insert("/name".into(), place());
                }
                "title" => {
                    wire.insert("title".into(), text(item).at(place)?.into());
                    places.insert("/title".into(), place());
                }
                "description" => description = Some((text(item).at(place)?, item.span)),
                "annotations" => {
                    let annotations = self.annotations(function, item, &mut places).at(place)?;
                    wire.insert("annotations".into(), annotations);
                    places.insert("/annotations".into(), place());
                }
                "execution" => {
                    wire.insert("execution".into(), execution(item).at(place)?);
                    places.insert("/execution".into(), place());
                }
                "input_schema" => {
                    input = Some(self.written(function, item.expr()?).at(place)?);
                    places.insert("/inputSchema".into(), place());
                }
                "output_schema" => {
                    let schema = self.written(function, item.expr()?).at(place)?;
                    wire.insert("outputSchema".into(), schema);
                    places.insert("/outputSchema".into(), place());
                }
                "icons" | "local" | "meta" | "vis" => {}
                other => {
                    return unresolved(format!("`tool({other})` is not understood")).at(place);
                }
            }
        }
        if self.sdk.has_tool_boxes() {
            // Doc comments are not read; without a description there is an empty one.
            wire.insert("description".into(), "".into());
        } else if description.is_none() {
            description = self.doc(function, &others)?;
        }
        if let Some((text, span)) = description {
            wire.insert("description".into(), text.into());
            places.insert("/description".into(), self.place(function, span));
        }
        wire.insert("name".into(), name.into());
        let input = match input {
            Some(schema) => schema,
            None => self.input(function, &mut places)?,
        };
        wire.insert("inputSchema".into(), input);
        if !wire.contains_key("outputSchema")
            && let Some(schema) = self.output(function, &mut places)?
        {
            wire.insert("outputSchema".into(), schema);
        }
        let block = function.block.map(|ty| self.place(function, ty.span()));
        Ok(Described { wire: Value::Object(wire), places, block })
    }

    /// The description from doc comments: each line trimmed, empty ones left out. Any other
    /// attribute behind them makes the macro forget them.
    fn doc(&self, function: &ToolFn<'t>, attributes: &[Meta]) -> Result<Option<(String, Span)>> {
        let mut found: Option<(String, Span)> = None;
        for meta in attributes {
            let line = match meta {
                Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                    Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                        let text = text.value().trim().to_owned();
                        if text.is_empty() {
                            continue;
                        }
                        text
                    }
                    expr @ Expr::Macro(_) if self.sdk.has_doc_macros() => {
                        self.world.constants.text(function.module, expr)?
                    }
                    _ => {
                        found = None;
                        continue;
                    }
                },
                _ => {
                    found = None;
                    continue;
                }
            };
            let span = meta.span();
            found = Some(match found {
                Some((text, span)) => (format!("{text}\n{line}"), span),
                None => (line, span),
            });
        }
        Ok(found)
    }

    fn annotations(
        &self,
        function: &ToolFn<'t>,
        item: &Item,
        places: &mut Places,
    ) -> Result<Value> {
        let mut annotations = Map::new();
        for hint in item.nested()? {
            let (key, value) = match hint.name.as_str() {
                "title" => {
                    ("title", self.world.constants.text(function.module, hint.expr()?)?.into())
                }
                "read_only_hint" => ("readOnlyHint", truth(&hint)?),
                "destructive_hint" => ("destructiveHint", truth(&hint)?),
                "idempotent_hint" => ("idempotentHint", truth(&hint)?),
                "open_world_hint" => ("openWorldHint", truth(&hint)?),
                other => return unresolved(format!("the annotation `{other}` is not understood")),
            };
            annotations.insert(key.into(), value);
            places.insert(format!("/annotations/{key}"), self.place(function, hint.span));
        }
        Ok(Value::Object(annotations))
    }

    /// The scope of types in the signature; type parameters of the server have no schema.
    fn scope(&self, function: &ToolFn<'t>) -> Scope<'t> {
        Scope::of(function.module)
    }

    pub(super) fn ty(&self, function: &ToolFn<'t>, ty: &Type) -> Result<super::types::Ty<'t>> {
        let generics = function.generics.iter().cloned().collect();
        if super::relevant::mentions(ty, generics) {
            return unresolved(format!("`{}` depends on a type parameter", shown(ty)));
        }
        self.world.program.ty(&self.scope(function), ty)
    }

    fn input(&self, function: &ToolFn<'t>, places: &mut Places) -> Result<Value> {
        if self.sdk.has_tool_boxes() {
            return super::tool_box::input(self, function, places);
        }
        let wrapper = function.sig.inputs.iter().find_map(|argument| match argument {
            FnArg::Typed(typed) => named(&typed.ty, "Parameters").map(|path| (&typed.ty, path)),
            FnArg::Receiver(_) => None,
        });
        let Some((ty, path)) = wrapper else { return self.empty() };
        let place = self.place(function, ty.span());
        let read = || {
            self.require_rmcp(function, path, "Parameters")?;
            let Some(inner) = first_argument(path) else {
                return unresolved("`Parameters` without a type");
            };
            let inner = self.ty(function, inner)?;
            let settings = self.sdk.input();
            let mut schema = Generator::root(self.world, settings, &inner, true)?;
            let is_object = schema.get("type").is_some_and(|ty| ty == "object");
            if self.sdk.checks_input() && !is_object {
                return unresolved("its arguments are no object, so that the server panics");
            }
            if self.sdk.strips() {
                schema.remove("title");
                schema.remove("description");
            }
            Ok(schema)
        };
        let schema = read().at(|| place.clone())?;
        Ok(self.lifted(schema, "/inputSchema", place, places))
    }

    /// What rmcp's `Parameters` holds, where a type is that.
    pub(super) fn parameters<'a>(&self, function: &ToolFn<'t>, ty: &'a Type) -> Option<&'a Type> {
        let path = named(ty, "Parameters")?;
        self.require_rmcp(function, path, "Parameters").ok()?;
        first_argument(path)
    }

    /// Takes the marks out of a schema.
    pub(super) fn lifted(
        &self,
        schema: Object,
        pointer: &str,
        place: SourceSpan,
        places: &mut Places,
    ) -> Value {
        let mut schema = Value::Object(schema);
        places.insert(pointer.to_owned(), place);
        self.world.marks.lift(&mut schema, pointer, places);
        schema
    }

    /// What a tool without parameters takes.
    pub(super) fn empty(&self) -> Result<Value> {
        let version = &self.sdk.rmcp;
        match self.sdk.empty() {
            Some(Empty::Object) => Ok(json!({ "type": "object", "properties": {} })),
            Some(Empty::Nothing) => Ok(json!({})),
            Some(Empty::Struct { described }) => {
                let mut schema = json!({
                    "$schema": "http://json-schema.org/draft-07/schema#",
                    "title": "EmptyObject",
                    "type": "object",
                });
                if described {
                    schema["description"] = EMPTY_OBJECT.into();
                }
                Ok(schema)
            }
            None => unresolved(format!("what rmcp {version} makes of no parameters is not known")),
        }
    }

    fn output(&self, function: &ToolFn<'t>, places: &mut Places) -> Result<Option<Value>> {
        let Some(inner) = result(&function.sig.output, &["Result"], "Json") else {
            return Ok(None);
        };
        match self.sdk.has_output() {
            Some(true) => {}
            Some(false) => return Ok(None),
            None => return unresolved("whether this rmcp gives an output schema is not known"),
        }
        let place = self.place(function, inner.span());
        let read = || {
            let inner = self.ty(function, inner)?;
            let settings = self.sdk.output();
            let mut schema = Generator::root(self.world, settings, &inner, false)?;
            let is_object = schema.get("type").is_some_and(|ty| ty == "object");
            if self.sdk.checks_output() && !is_object {
                return unresolved("its result is no object, so that the server panics");
            }
            if self.sdk.strips() {
                schema.remove("title");
                schema.remove("description");
            }
            Ok(schema)
        };
        let schema = read().at(|| place.clone())?;
        Ok(Some(self.lifted(schema, "/outputSchema", place, places)))
    }

    /// A wrapper must be rmcp's own: others may have schemas of their own.
    fn require_rmcp(&self, function: &ToolFn<'t>, path: &syn::Path, name: &str) -> Result<()> {
        let target = self.world.program.resolve_path(function.module, path, Namespace::Type)?;
        match target {
            Target::Extern(path)
                if path.first().is_some_and(|krate| krate == "rmcp")
                    && path.last().is_some_and(|last| last == name) =>
            {
                Ok(())
            }
            _ => unresolved(format!("`{name}` is not rmcp's")),
        }
    }

    /// A schema that an expression gives.
    fn written(&self, function: &ToolFn<'t>, expr: &Expr) -> Result<Value> {
        super::code::schema(self.world, self.sdk, &self.scope(function), expr)
    }
}

/// The doc comment of rmcp's type without fields.
const EMPTY_OBJECT: &str = "This is commonly used for representing empty objects in MCP messages.\n\nwithout returning any specific data.";

/// The value of `hint = true`, `hint = "true"` or `hint` alone.
fn truth(item: &Item) -> Result<Value> {
    let Ok(expr) = item.expr() else { return Ok(Value::Bool(true)) };
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Ok(Value::Bool(value.value)),
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => match text.value().as_str() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => unresolved("a hint that is neither true nor false"),
        },
        _ => unresolved("a hint that is neither true nor false"),
    }
}

fn execution(item: &Item) -> Result<Value> {
    let mut execution = Map::new();
    for part in item.nested()? {
        match part.name.as_str() {
            "task_support" => {
                execution.insert("taskSupport".into(), part.string()?.value().into());
            }
            other => return unresolved(format!("`execution({other})` is not understood")),
        }
    }
    Ok(Value::Object(execution))
}
