//! Schemas that are written out in Rust code.

use quote::ToTokens;
use serde_json::Value;
use syn::{Expr, Item};

use super::error::{Result, unresolved};
use super::functions::tail;
use super::names::{Namespace, Target};
use super::program::ModuleId;
use super::world::World;

/// The schema that an expression gives: `json!`, `object!`, or a function of this crate that
/// returns one of them.
pub(super) fn schema(world: &World<'_, '_>, module: ModuleId, expr: &Expr) -> Result<Value> {
    match expr {
        Expr::Paren(inner) => schema(world, module, &inner.expr),
        Expr::Call(call) => {
            let Expr::Path(path) = call.func.as_ref() else { return not_told(expr) };
            let arguments: Vec<&Expr> = call.args.iter().collect();
            let text = super::types::shown(&path.path);
            match (text.rsplit("::").next().unwrap_or_default(), arguments.as_slice()) {
                ("new", [inner]) if text.ends_with("Arc::new") => schema(world, module, inner),
                ("object", [inner]) => {
                    let target =
                        world.program.resolve_path(module, &path.path, Namespace::Value)?;
                    match target {
                        Target::Extern(path) if path == ["rmcp", "model", "object"] => {
                            schema(world, module, inner)
                        }
                        _ => not_told(expr),
                    }
                }
                (_, []) => {
                    match world.program.resolve_path(module, &path.path, Namespace::Value)? {
                        Target::Item(at, Item::Fn(item)) => match tail(&item.block) {
                            Some(value) if item.sig.inputs.is_empty() => schema(world, at, value),
                            _ => not_told(expr),
                        },
                        _ => not_told(expr),
                    }
                }
                _ => not_told(expr),
            }
        }
        Expr::Macro(call) => {
            let name = call.mac.path.segments.last().map(|last| last.ident.to_string());
            let own = ["rmcp", "serde_json", "schemars"];
            let known = call.mac.path.segments.len() == 1
                || own.iter().any(|krate| call.mac.path.segments[0].ident == krate);
            let object = match name.as_deref() {
                Some("json") if known => world.constants.json(module, expr)?,
                Some("object") if known => {
                    world.constants.json_tokens(module, call.mac.tokens.clone())?
                }
                _ => return not_told(expr),
            };
            if object.is_object() { Ok(object) } else { not_told(expr) }
        }
        _ => not_told(expr),
    }
}

fn not_told<T>(expr: &Expr) -> Result<T> {
    let text: String = expr.to_token_stream().to_string().chars().take(40).collect();
    unresolved(format!("the schema `{text}` is not told"))
}
