//! Rust code that makes or changes a schema, run as far as it is understood: what `schema_with`
//! and `transform` name, and what `input_schema` and `output_schema` of a tool are.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use syn::{Expr, ExprLit, FnArg, GenericArgument, Lit, Pat, PathArguments, Stmt, Type};

use super::conditions::Bound;
use super::constants::{json_tokens, shown};
use super::error::{Result, unresolved};
use super::functions::Function;
use super::generator::{Generator, ensure_object};
use super::names::{Namespace, Target};
use super::nullable::each_subschema;
use super::sdk::Sdk;
use super::types::{Scope, Ty};
use super::world::World;

/// More functions in terms of one another than any schema needs.
const MAX_DEPTH: usize = 16;

/// The schema that a function makes which is given the generator.
pub(super) fn made<'t>(
    generator: &mut Generator<'_, '_, 't>,
    function: &Function<'t>,
) -> Result<Value> {
    if generator.world.is_old() {
        return unresolved("a function that makes a schema with schemars 0.8");
    }
    let mut code = Code::inside(generator, &function.scope);
    let mut parameters = function.sig.inputs.iter();
    match (parameters.next(), parameters.next()) {
        (Some(FnArg::Typed(given)), None) => code.generator_name = name(&given.pat),
        _ => return unresolved("a function that is not given the generator"),
    }
    code.body(&function.block.stmts)
}

/// What is left of a schema when a function or closure has changed it.
pub(super) fn changed<'t>(
    generator: &mut Generator<'_, '_, 't>,
    scope: &Scope<'t>,
    transform: &Expr,
    schema: Value,
) -> Result<Value> {
    let world = generator.world;
    if let Some(inner) = recursive(world, scope, transform) {
        let mut schema = changed(generator, scope, inner, schema)?;
        let mut failure = None;
        if let Value::Object(object) = &mut schema {
            each_subschema(object, &mut |part| {
                if failure.is_none() && (part.is_object() || part.is_boolean()) {
                    match changed(generator, scope, transform, std::mem::take(part)) {
                        Ok(changed) => *part = changed,
                        Err(error) => failure = Some(error),
                    }
                }
            });
        }
        return failure.map_or(Ok(schema), Err);
    }
    let mut code = Code::inside(generator, scope);
    let (pattern, stmts) = match transform {
        Expr::Path(path) => {
            let function = world.function(scope, &path.path)?;
            code.scope = function.scope.clone();
            match function.sig.inputs.first() {
                Some(FnArg::Typed(given)) if function.sig.inputs.len() == 1 => {
                    (&*given.pat, function.block.stmts.clone())
                }
                _ => return unresolved("a transform that is not given a schema"),
            }
        }
        Expr::Closure(closure) => {
            let stmts = match closure.body.as_ref() {
                Expr::Block(block) => block.block.stmts.clone(),
                only => vec![Stmt::Expr(only.clone(), None)],
            };
            match closure.inputs.first() {
                Some(Pat::Type(typed)) => (&*typed.pat, stmts),
                Some(pattern) => (pattern, stmts),
                None => return unresolved("a transform that is not given a schema"),
            }
        }
        _ => {
            return unresolved(format!(
                "what the transform `{}` does is not told",
                shown(transform)
            ));
        }
    };
    let Some(name) = name(pattern) else { return Ok(schema) };
    code.variables.insert(name.clone(), schema);
    stmts.iter().try_for_each(|stmt| code.statement(stmt))?;
    code.variables.remove(&name).map_or_else(|| unresolved("a schema that is moved away"), Ok)
}

/// What schemars' `RecursiveTransform(..)` applies to a schema and to every schema in it.
fn recursive<'e>(
    world: &World<'_, '_>,
    scope: &Scope<'_>,
    transform: &'e Expr,
) -> Option<&'e Expr> {
    let Expr::Call(call) = transform else { return None };
    let (Expr::Path(callee), 1) = (call.func.as_ref(), call.args.len()) else { return None };
    let found = world.program.resolve_path(scope.module, &callee.path, Namespace::Value);
    let is_known = matches!(
        found,
        Ok(Target::Extern(path)) if path == ["schemars", "transform", "RecursiveTransform"]
    );
    call.args.first().filter(|_| is_known)
}

/// The schema that an argument of `#[tool(..)]` is.
pub(super) fn schema<'t>(
    world: &World<'_, 't>,
    sdk: &Sdk,
    scope: &Scope<'t>,
    expr: &Expr,
) -> Result<Value> {
    let mut code = Code {
        world,
        sdk: Some(sdk),
        generator: None,
        generator_name: None,
        scope: scope.clone(),
        variables: BTreeMap::new(),
        depth: 0,
    };
    let schema = code.value(expr)?;
    if schema.is_object() { Ok(schema) } else { not_told(expr) }
}

/// The name that a pattern gives to a whole value.
pub(super) fn name(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Ident(name) if name.subpat.is_none() => Some(name.ident.to_string()),
        Pat::Type(typed) => name(&typed.pat),
        _ => None,
    }
}

/// Code that runs.
pub(super) struct Code<'c, 'g, 'w, 'p, 't> {
    pub(super) world: &'c World<'p, 't>,
    /// Absent where the code belongs to no tool.
    sdk: Option<&'c Sdk>,
    /// Absent where the code is not given one.
    generator: Option<&'g mut Generator<'w, 'p, 't>>,
    generator_name: Option<String>,
    pub(super) scope: Scope<'t>,
    pub(super) variables: BTreeMap<String, Value>,
    depth: usize,
}

impl<'g, 'w, 'p, 't> Code<'w, 'g, 'w, 'p, 't> {
    fn inside(generator: &'g mut Generator<'w, 'p, 't>, scope: &Scope<'t>) -> Self {
        Self {
            world: generator.world,
            sdk: None,
            generator: Some(generator),
            generator_name: None,
            scope: scope.clone(),
            variables: BTreeMap::new(),
            depth: 0,
        }
    }
}

impl<'t> Code<'_, '_, '_, '_, 't> {
    /// The value of a block.
    fn body(&mut self, stmts: &[Stmt]) -> Result<Value> {
        let Some((last, before)) = stmts.split_last() else {
            return unresolved("a function without a value");
        };
        before.iter().try_for_each(|stmt| self.statement(stmt))?;
        match last {
            Stmt::Expr(Expr::Return(returned), _) => match &returned.expr {
                Some(expr) => self.value(expr),
                None => unresolved("a function without a value"),
            },
            Stmt::Expr(expr, None) => self.value(expr),
            Stmt::Macro(call) if call.semi_token.is_none() => self.macro_call(&call.mac),
            _ => unresolved("a function without a value"),
        }
    }

    pub(super) fn statement(&mut self, stmt: &Stmt) -> Result<()> {
        match stmt {
            Stmt::Local(local) => match (name(&local.pat), &local.init) {
                (Some(name), Some(init)) if init.diverge.is_none() => {
                    let value = self.value(&init.expr)?;
                    self.variables.insert(name, value);
                    Ok(())
                }
                _ => unresolved("a variable whose value is not told"),
            },
            Stmt::Expr(expr, _) => self.act(expr),
            _ => unresolved("a statement that is not understood"),
        }
    }

    /// Runs an expression for what it changes.
    pub(super) fn act(&mut self, expr: &Expr) -> Result<()> {
        match expr {
            Expr::Block(block) if block.label.is_none() => self.block(&block.block.stmts),
            Expr::MethodCall(call) => {
                let arguments: Vec<&Expr> = call.args.iter().collect();
                let receiver = self.place(&call.receiver)?;
                match (call.method.to_string().as_str(), arguments.as_slice()) {
                    ("insert", [key, value]) => {
                        let (Value::String(key), value) = (self.value(key)?, self.value(value)?)
                        else {
                            return not_told(expr);
                        };
                        let schema = self.variables.entry(receiver).or_default();
                        ensure_object(schema).insert(key, value);
                        Ok(())
                    }
                    ("remove", [key]) => {
                        let Value::String(key) = self.value(key)? else { return not_told(expr) };
                        if let Some(Value::Object(schema)) = self.variables.get_mut(&receiver) {
                            schema.remove(&key);
                        }
                        Ok(())
                    }
                    _ => not_told(expr),
                }
            }
            Expr::If(branch) => self.branch(branch),
            _ => not_told(expr),
        }
    }

    /// The variable that an expression changes.
    pub(super) fn place(&mut self, expr: &Expr) -> Result<String> {
        match expr {
            Expr::Path(path) => match path.path.get_ident().map(ToString::to_string) {
                Some(name) if self.variables.contains_key(&name) => Ok(name),
                _ => not_told(expr),
            },
            Expr::Reference(inner) => self.place(&inner.expr),
            Expr::MethodCall(call) if call.method == "ensure_object" => {
                let name = self.place(&call.receiver)?;
                ensure_object(self.variables.entry(name.clone()).or_default());
                Ok(name)
            }
            _ => not_told(expr),
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &Expr) -> Result<Value> {
        match expr {
            Expr::Paren(inner) => self.value(&inner.expr),
            Expr::Group(inner) => self.value(&inner.expr),
            Expr::Reference(inner) => self.value(&inner.expr),
            Expr::Block(inner) if inner.label.is_none() => {
                let mut bound = Bound::default();
                inner.block.stmts.iter().for_each(|stmt| self.declared(stmt, &mut bound));
                let value = self.body(&inner.block.stmts)?;
                self.release(bound);
                Ok(value)
            }
            Expr::Path(path) if path.path.get_ident().is_some() => {
                let name = path.path.segments[0].ident.to_string();
                match self.variables.get(&name) {
                    Some(value) => Ok(value.clone()),
                    None => self.world.constants.json(self.scope.module, expr),
                }
            }
            Expr::Macro(call) => self.macro_call(&call.mac),
            Expr::MethodCall(call) => self.method(expr, call),
            Expr::Call(call) => self.call(expr, call),
            _ => self.world.constants.json(self.scope.module, expr),
        }
    }

    fn macro_call(&mut self, call: &syn::Macro) -> Result<Value> {
        let name = call.path.segments.last().map(|last| last.ident.to_string());
        let own = ["rmcp", "schemars", "serde_json"];
        let is_own = call.path.segments.len() == 1
            || own.iter().any(|krate| call.path.segments[0].ident == krate);
        match name.as_deref() {
            Some("json" | "json_schema" | "object") if is_own => {
                self.world
                    .constants
                    .require_unshadowed(self.scope.module, name.as_deref().unwrap_or_default())?;
                let code = std::cell::RefCell::new(self);
                json_tokens(call.tokens.clone(), &|expr| code.borrow_mut().value(expr))
            }
            Some("schema_for") if is_own => unresolved("a schema of its own settings"),
            _ => {
                let expr = Expr::Macro(syn::ExprMacro { attrs: Vec::new(), mac: call.clone() });
                self.world.constants.json(self.scope.module, &expr)
            }
        }
    }

    fn method(&mut self, expr: &Expr, call: &syn::ExprMethodCall) -> Result<Value> {
        let method = call.method.to_string();
        if let Expr::Path(path) = call.receiver.as_ref()
            && self.generator_name.is_some()
            && path.path.get_ident().map(ToString::to_string) == self.generator_name
        {
            return match (method.as_str(), only_type(call.turbofish.as_ref())) {
                ("subschema_for", Some(ty)) => self.subschema(ty),
                _ => not_told(expr),
            };
        }
        let is_text = matches!(call.receiver.as_ref(), Expr::Lit(ExprLit { lit: Lit::Str(_), .. }));
        match (method.as_str(), call.args.len()) {
            ("as_object", 0) => {
                let value = self.value(&call.receiver)?;
                if value.is_object() { Ok(value) } else { not_told(expr) }
            }
            // What fails does not come so far.
            (
                "clone" | "cloned" | "into" | "to_value" | "try_into" | "unwrap"
                | "unwrap_or_default",
                0,
            )
            | ("expect" | "unwrap_or_else", 1) => self.value(&call.receiver),
            ("to_owned" | "to_string", 0) if is_text => self.value(&call.receiver),
            _ => not_told(expr),
        }
    }

    fn call(&mut self, expr: &Expr, call: &syn::ExprCall) -> Result<Value> {
        let Expr::Path(callee) = call.func.as_ref() else { return not_told(expr) };
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let path = &callee.path;
        if let Some(qself) = &callee.qself {
            // `<Type>::json_schema(generator)`
            let last = path.segments.last().is_some_and(|last| last.ident == "json_schema");
            return if last { self.whole(expr, &qself.ty, &arguments) } else { not_told(expr) };
        }
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let Some((last, owner)) = names.split_last() else { return not_told(expr) };
        let resolve = |names: &[String], namespace| {
            let global = path.leading_colon.is_some();
            self.world.program.resolve(self.scope.module, global, names, namespace)
        };
        if !owner.is_empty()
            && last == "json_schema"
            && !matches!(resolve(owner, Namespace::Type), Ok(Target::Module(_)))
        {
            let mut ty = path.clone();
            ty.segments.pop();
            ty.segments.pop_punct();
            return self.whole(
                expr,
                &Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path: ty }),
                &arguments,
            );
        }
        if let (
            "from" | "new" | "try_from" | "default" | "Object" | "String" | "Bool" | "Array",
            [_, ..],
        ) = (last.as_str(), owner)
            && let Ok(Target::Extern(found)) = resolve(owner, Namespace::Type)
        {
            return match (known_type(&found), last.as_str(), arguments.as_slice()) {
                (Some(Known::Pointer), "new", [inner])
                | (Some(Known::Json | Known::Text), "from" | "try_from", [inner])
                | (Some(Known::Json), "Object" | "String" | "Bool" | "Array", [inner]) => {
                    self.value(inner)
                }
                (Some(Known::Json), "new" | "default", [])
                    if found.last().is_some_and(|last| last != "Value") =>
                {
                    Ok(json!({}))
                }
                _ => not_told(expr),
            };
        }
        match resolve(&names, Namespace::Value)? {
            Target::Extern(found) => self.foreign(expr, &found, path, &arguments),
            _ => self.local(expr, path, &arguments),
        }
    }

    /// A function of another crate.
    fn foreign(
        &mut self,
        expr: &Expr,
        found: &[String],
        path: &syn::Path,
        arguments: &[&Expr],
    ) -> Result<Value> {
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        match (found.as_slice(), arguments) {
            (["rmcp", "model", "object"] | ["serde_json", "from_value"], [inner]) => {
                self.value(inner)
            }
            (["rmcp", "handler", "server", "tool" | "common", function], []) => {
                let last = path.segments.last();
                let ty = last.and_then(|last| match &last.arguments {
                    PathArguments::AngleBracketed(list) => only_type(Some(list)),
                    _ => None,
                });
                match (ty, self.sdk) {
                    (Some(ty), Some(sdk)) => self.root(sdk, function, ty),
                    _ => not_told(expr),
                }
            }
            _ => not_told(expr),
        }
    }

    /// What rmcp makes of a type.
    fn root(&self, sdk: &Sdk, function: &str, ty: &Type) -> Result<Value> {
        let ty = self.world.program.ty(&self.scope, ty)?;
        let (settings, is_checked, is_stripped) = match function {
            "schema_for_type" | "cached_schema_for_type" => (sdk.input(), false, false),
            "schema_for_input" => (sdk.input(), true, true),
            "schema_for_output" => (sdk.output(), sdk.checks_output(), sdk.strips()),
            _ => return unresolved(format!("what `{function}` returns is not told")),
        };
        if sdk.has_tool_boxes() || self.world.is_old() {
            return unresolved(format!("what `{function}` returns is not told"));
        }
        let mut schema = Value::Object(Generator::root(self.world, settings, &ty, false)?);
        if is_checked && !schema.get("type").is_some_and(|ty| ty == "object") {
            return unresolved("its type is no object, so that the server panics");
        }
        if is_stripped && let Value::Object(schema) = &mut schema {
            schema.remove("title");
            schema.remove("description");
        }
        self.world.marks.lift(&mut schema, "", &mut BTreeMap::new());
        Ok(schema)
    }

    /// A function of a crate whose source is at hand.
    fn local(&mut self, expr: &Expr, path: &syn::Path, arguments: &[&Expr]) -> Result<Value> {
        let function = self.world.function(&self.scope, path)?;
        if self.depth == MAX_DEPTH || function.sig.inputs.len() != arguments.len() {
            return not_told(expr);
        }
        let mut variables = BTreeMap::new();
        let mut generator_name = None;
        for (parameter, argument) in function.sig.inputs.iter().zip(arguments) {
            let FnArg::Typed(parameter) = parameter else { return not_told(expr) };
            let given = match argument {
                Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
                _ => None,
            };
            if given.is_some() && given == self.generator_name {
                generator_name = name(&parameter.pat);
            } else if let Some(name) = name(&parameter.pat) {
                let value = self.value(argument)?;
                variables.insert(name, value);
            }
        }
        let mut scope = function.scope.clone();
        let parameters: Vec<_> = function.sig.generics.type_params().collect();
        let given: Vec<&Type> = match path.segments.last().map(|last| &last.arguments) {
            Some(PathArguments::AngleBracketed(list)) => {
                list.args.iter().filter_map(as_type).collect()
            }
            _ => Vec::new(),
        };
        let has_constants = function.sig.generics.const_params().next().is_some();
        if has_constants || given.len() != parameters.len() {
            return not_told(expr);
        }
        for (parameter, ty) in parameters.iter().zip(given) {
            let ty: Ty<'t> = self.world.program.ty(&self.scope, ty)?;
            scope.arguments.insert(parameter.ident.to_string(), ty);
        }
        let outer = (
            std::mem::replace(&mut self.scope, scope),
            std::mem::replace(&mut self.variables, variables),
            std::mem::replace(&mut self.generator_name, generator_name),
        );
        self.depth += 1;
        let value = self.body(&function.block.stmts);
        self.depth -= 1;
        (self.scope, self.variables, self.generator_name) = outer;
        value
    }

    fn subschema(&mut self, ty: &Type) -> Result<Value> {
        let ty = self.world.program.ty(&self.scope, ty)?;
        match &mut self.generator {
            Some(generator) => generator.subschema(&ty),
            None => unresolved("a schema without a generator"),
        }
    }

    /// `Type::json_schema(generator)`.
    fn whole(&mut self, expr: &Expr, ty: &Type, arguments: &[&Expr]) -> Result<Value> {
        let [Expr::Path(given)] = arguments else { return not_told(expr) };
        if given.path.get_ident().map(ToString::to_string) != self.generator_name {
            return not_told(expr);
        }
        let ty = self.world.program.ty(&self.scope, ty)?;
        match &mut self.generator {
            Some(generator) => generator.schema(&ty),
            None => unresolved("a schema without a generator"),
        }
    }
}

/// A type of another crate that stands for a part of a schema.
#[derive(Clone, Copy)]
enum Known {
    Pointer,
    Json,
    Text,
}

fn known_type(path: &[String]) -> Option<Known> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    Some(match path.as_slice() {
        ["std", "sync", "Arc"] | ["std", "boxed", "Box"] => Known::Pointer,
        ["std", "string", "String"] => Known::Text,
        ["schemars", "Schema"]
        | ["serde_json", "Map" | "Value"]
        | ["serde_json", "map" | "value", "Map" | "Value"]
        | ["rmcp", "model", "JsonObject"] => Known::Json,
        _ => return None,
    })
}

fn as_type(argument: &GenericArgument) -> Option<&Type> {
    match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// The one type between angle brackets.
fn only_type(list: Option<&syn::AngleBracketedGenericArguments>) -> Option<&Type> {
    let list = &list?.args;
    list.first().filter(|_| list.len() == 1).and_then(as_type)
}

pub(super) fn not_told<T>(expr: &Expr) -> Result<T> {
    unresolved(format!("what `{}` gives is not told", shown(expr)))
}
