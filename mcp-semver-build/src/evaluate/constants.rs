//! Constant expressions: the texts and JSON values that attributes hold.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use proc_macro2::TokenStream;
use serde_json::{Map, Number, Value};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{
    BinOp, Expr, ExprLit, ImplItem, ImplItemConst, Item, Lit, Macro, Stmt, Token, Type, UnOp,
};

use super::error::{Result, unresolved};
use super::functions::is_unconditional;
use super::known;
use super::names::{Namespace, Target};
use super::program::{ModuleId, Program, unraw};
use super::types::{Adt, Scope, Ty};

/// More constants in terms of one another than any crate has.
const MAX_DEPTH: usize = 32;

/// Evaluates expressions whose value the source tells.
pub(super) struct Constants<'p, 't> {
    pub(super) program: &'p Program<'t>,
    /// Files that were included.
    pub(super) included: RefCell<BTreeSet<PathBuf>>,
}

impl<'t> Constants<'_, 't> {
    /// The string that an expression in a module is.
    pub(super) fn text(&self, module: ModuleId, expr: &Expr) -> Result<String> {
        match self.json(module, expr)? {
            Value::String(text) => Ok(text),
            _ => unresolved(format!("`{}` is no text", shown(expr))),
        }
    }

    /// What an expression serialises as.
    pub(super) fn json(&self, module: ModuleId, expr: &Expr) -> Result<Value> {
        self.value(module, expr, 0)
    }

    fn value(&self, module: ModuleId, expr: &Expr, depth: usize) -> Result<Value> {
        if depth > MAX_DEPTH {
            return unresolved("constants are nested too deep");
        }
        if !is_unconditional(expr) {
            return not_told(expr);
        }
        let next = |expr: &Expr| self.value(module, expr, depth + 1);
        match expr {
            Expr::Lit(ExprLit { lit, .. }) => literal(lit),
            Expr::Paren(inner) => next(&inner.expr),
            Expr::Group(inner) => next(&inner.expr),
            Expr::Reference(inner) if inner.mutability.is_none() => next(&inner.expr),
            Expr::Unary(inner) if matches!(inner.op, UnOp::Neg(_)) => negative(next(&inner.expr)?),
            Expr::Unary(inner) if matches!(inner.op, UnOp::Not(_)) => match next(&inner.expr)? {
                Value::Bool(value) => Ok(Value::Bool(!value)),
                _ => not_told(expr),
            },
            Expr::Binary(sum) => match (next(&sum.left)?.as_i64(), next(&sum.right)?.as_i64()) {
                (Some(left), Some(right)) => arithmetic(left, &sum.op, right),
                _ => not_told(expr),
            },
            Expr::Block(block) if block.label.is_none() => match block.block.stmts.as_slice() {
                [Stmt::Expr(inner, None)] => next(inner),
                _ => not_told(expr),
            },
            Expr::Cast(cast) => {
                let ty = self.program.ty(&Scope::of(module), &cast.ty)?;
                match (next(&cast.expr)?, ty) {
                    (Value::Number(number), Ty::Leaf(ty)) if fits(&number, ty) => {
                        Ok(Value::Number(number))
                    }
                    _ => not_told(expr),
                }
            }
            Expr::Array(list) => list.elems.iter().map(next).collect(),
            Expr::Tuple(list) if !list.elems.is_empty() => list.elems.iter().map(next).collect(),
            Expr::Macro(call) => self.call(module, &call.mac, depth),
            Expr::Path(path) if path.qself.is_none() => {
                if self.program.is_option(module, &path.path, "None") {
                    return Ok(Value::Null);
                }
                self.constant(module, &path.path, depth)
            }
            Expr::Call(call) if call.args.len() == 1 && self.is_some(module, &call.func) => {
                next(&call.args[0])
            }
            _ => not_told(expr),
        }
    }

    fn constant(&self, module: ModuleId, path: &syn::Path, depth: usize) -> Result<Value> {
        if let Some(value) = self.limit(module, path) {
            return Ok(value);
        }
        if let Some((at, item)) = self.associated(module, path)? {
            return self.typed(at, &item.ty, &item.expr, depth);
        }
        let (at, ty, expr) = match self.program.resolve_path(module, path, Namespace::Value)? {
            Target::Item(at, Item::Const(item)) => (at, &item.ty, &item.expr),
            Target::Item(at, Item::Static(item)) => (at, &item.ty, &item.expr),
            _ => {
                let name = quote::ToTokens::to_token_stream(path).to_string();
                return unresolved(format!("`{}` is no constant", name.replace(' ', "")));
            }
        };
        self.typed(at, ty, expr, depth)
    }

    /// The least or the greatest number of a type whose size is the same everywhere.
    fn limit(&self, module: ModuleId, path: &syn::Path) -> Option<Value> {
        let (owner, name) = owner(path)?;
        let owner = self.program.resolve(module, false, &owner, Namespace::Type).ok()?;
        let Target::Primitive(primitive) = owner else { return None };
        Some(match (primitive, name.as_str()) {
            ("u8" | "u16" | "u32" | "u64", "MIN") => 0.into(),
            ("u8", "MAX") => u8::MAX.into(),
            ("u16", "MAX") => u16::MAX.into(),
            ("u32", "MAX") => u32::MAX.into(),
            ("u64", "MAX") => u64::MAX.into(),
            ("i8", "MIN") => i8::MIN.into(),
            ("i8", "MAX") => i8::MAX.into(),
            ("i16", "MIN") => i16::MIN.into(),
            ("i16", "MAX") => i16::MAX.into(),
            ("i32", "MIN") => i32::MIN.into(),
            ("i32", "MAX") => i32::MAX.into(),
            ("i64", "MIN") => i64::MIN.into(),
            ("i64", "MAX") => i64::MAX.into(),
            _ => return None,
        })
    }

    /// The constant in an `impl` of a type without parameters that a path names.
    fn associated(
        &self,
        module: ModuleId,
        path: &syn::Path,
    ) -> Result<Option<(ModuleId, &'t ImplItemConst)>> {
        let Some((owner, name)) = owner(path) else { return Ok(None) };
        let global = path.leading_colon.is_some();
        let adt = match self.program.resolve(module, global, &owner, Namespace::Type) {
            Ok(Target::Item(module, item @ (Item::Struct(_) | Item::Enum(_)))) => {
                Adt { module, item }
            }
            _ => return Ok(None),
        };
        let mut found = Vec::new();
        for (at, block) in self.program.impls(adt, &|_, block| block.trait_.is_none())? {
            let constants = block.items.iter().filter_map(|item| match item {
                ImplItem::Const(item) if unraw(&item.ident) == name => Some(item),
                _ => None,
            });
            found.extend(constants.map(|item| (at, &block.generics, item)));
        }
        match found.as_slice() {
            [(at, generics, item)] if generics.params.is_empty() && is_as_written(item) => {
                Ok(Some((*at, *item)))
            }
            [] => Ok(None),
            _ => unresolved(format!("which `{name}` is meant is not told")),
        }
    }

    /// The value of a constant of this type.
    fn typed(&self, at: ModuleId, ty: &Type, expr: &Expr, depth: usize) -> Result<Value> {
        let value = self.value(at, expr, depth + 1)?;
        match (&value, self.program.ty(&Scope::of(at), ty)?) {
            (Value::Number(number), Ty::Leaf("f32")) => self.program.single(number),
            (Value::String(_), Ty::Leaf("String" | "char"))
            | (Value::Bool(_), Ty::Leaf("bool"))
            | (Value::Number(_), Ty::Leaf("f64")) => Ok(value),
            (Value::Number(number), Ty::Leaf(name)) if is_integer(name) && !number.is_f64() => {
                Ok(value)
            }
            _ => unresolved("the type of a constant is more than its value tells"),
        }
    }

    /// A macro call in place of a literal.
    fn call(&self, module: ModuleId, call: &Macro, depth: usize) -> Result<Value> {
        let Some(name) = call.path.segments.last().map(|last| last.ident.to_string()) else {
            return unresolved("a macro without a name");
        };
        let foreign = call.path.segments.len() > 1
            && !known::OF_KNOWN_MACROS.iter().any(|krate| call.path.segments[0].ident == krate);
        if foreign {
            return unresolved(format!("what the macro `{name}` makes is not known"));
        }
        self.require_unshadowed(module, &name)?;
        let arguments =
            || match Punctuated::<Expr, Token![,]>::parse_terminated.parse2(call.tokens.clone()) {
                Ok(list) => Ok(list),
                Err(_) => unresolved(format!("the arguments of `{name}!` are not understood")),
            };
        match name.as_str() {
            "concat" => {
                let mut text = String::new();
                for argument in arguments()? {
                    match self.value(module, &argument, depth + 1)? {
                        Value::String(part) => text.push_str(&part),
                        Value::Bool(part) => text.push_str(&part.to_string()),
                        Value::Number(part) if !part.is_f64() => text.push_str(&part.to_string()),
                        _ => return not_told(&argument),
                    }
                }
                Ok(Value::String(text))
            }
            "stringify" => {
                let mut tokens = call.tokens.clone().into_iter();
                match (tokens.next(), tokens.next()) {
                    (Some(proc_macro2::TokenTree::Ident(ident)), None) => {
                        Ok(Value::String(ident.to_string()))
                    }
                    _ => unresolved("`stringify!` of more than one word"),
                }
            }
            "env" => {
                let arguments = arguments()?;
                let variable = match arguments.first() {
                    Some(first) => self.value(module, first, depth + 1)?,
                    None => Value::Null,
                };
                let unit = self.program.krate(module).unit;
                match variable.as_str().and_then(|name| unit.environment.get(name)) {
                    Some(value) => Ok(Value::String(value.clone())),
                    None => unresolved(format!("`env!({variable})` is known to a build only")),
                }
            }
            "module_path" => Ok(Value::String(self.program.path(module))),
            "include_str" => {
                let arguments = arguments()?;
                let path = match arguments.first() {
                    Some(first) => self.value(module, first, depth + 1)?,
                    None => Value::Null,
                };
                self.included(module, path.as_str().unwrap_or_default())
            }
            "json" => json_tokens(call.tokens.clone(), &|expr| self.value(module, expr, depth + 1)),
            "vec" => arguments()?.iter().map(|expr| self.value(module, expr, depth + 1)).collect(),
            _ => unresolved(format!("what the macro `{name}` makes is not known")),
        }
    }

    /// No macro of these crates, and none that the module imports or macros make, may have the name
    /// of a known one.
    pub(super) fn require_unshadowed(&self, module: ModuleId, name: &str) -> Result<()> {
        match self.program.declares_macro(name) || self.program.has_foreign_macro(module, name)? {
            true => unresolved(format!("what the macro `{name}` makes is not known")),
            false => Ok(()),
        }
    }

    fn is_some(&self, module: ModuleId, func: &Expr) -> bool {
        matches!(func, Expr::Path(path) if self.program.is_option(module, &path.path, "Some"))
    }

    /// The text of a file, named as in the file of a module.
    fn included(&self, module: ModuleId, path: &str) -> Result<Value> {
        let file = &self.program.krate(module).scan.modules[module.module].file;
        let path = file.parent().unwrap_or(file).join(path);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                self.included.borrow_mut().insert(path);
                Ok(Value::String(text))
            }
            Err(error) => unresolved(format!("{} cannot be read: {error}", path.display())),
        }
    }

    /// What the tokens behind `=` in `extend("key" = ..)` stand for.
    pub(super) fn json_tokens(&self, module: ModuleId, tokens: TokenStream) -> Result<Value> {
        json_tokens(tokens, &|expr| self.value(module, expr, 0))
    }
}

/// The value of a literal.
pub(super) fn literal(lit: &Lit) -> Result<Value> {
    match lit {
        Lit::Str(text) => Ok(Value::String(text.value())),
        Lit::Char(text) => Ok(Value::String(text.value().to_string())),
        Lit::Bool(value) => Ok(Value::Bool(value.value)),
        Lit::Int(number) if matches!(number.suffix(), "f32" | "f64") => {
            float(number.base10_digits(), number.suffix())
        }
        Lit::Int(number) => match number.base10_parse::<u64>() {
            Ok(value) => Ok(Value::from(value)),
            Err(_) => unresolved(format!("the number {number} is too large")),
        },
        Lit::Float(number) => float(number.base10_digits(), number.suffix()),
        _ => unresolved("a literal that is no text, number or truth value"),
    }
}

fn float(digits: &str, suffix: &str) -> Result<Value> {
    let Some(number) = digits.parse::<f64>().ok().and_then(Number::from_f64) else {
        return unresolved(format!("`{digits}` is no number"));
    };
    Ok(if suffix == "f32" {
        digits.parse::<f32>().map_or(Value::Null, Value::from)
    } else {
        Value::Number(number)
    })
}

impl Program<'_> {
    /// A number as it comes out of 32 bits.
    pub(super) fn single(&self, number: &Number) -> Result<Value> {
        // Precision is lost in Rust, too.
        #[allow(clippy::cast_possible_truncation)]
        let single = number.as_f64().map_or(Value::Null, |value| Value::from(value as f32));
        match self.keeps_digits && single.as_f64() != number.as_f64() {
            true => {
                unresolved("how a number of 32 bits is written depends on serde_json's features")
            }
            false => Ok(single),
        }
    }
}

fn negative(value: Value) -> Result<Value> {
    let Value::Number(number) = &value else { return unresolved("the negative of no number") };
    let whole = number.as_u64().map(|value| i64::try_from(-i128::from(value)));
    match (whole, number.as_f64()) {
        (Some(Ok(value)), _) => Ok(Value::from(value)),
        (None, Some(value)) if number.is_f64() => Ok(Value::from(-value)),
        _ => unresolved("a number that is too large"),
    }
}

/// Whether a constant is what its text says, under every condition.
fn is_as_written(item: &ImplItemConst) -> bool {
    const INERT: [&str; 4] = ["allow", "deprecated", "doc", "expect"];
    item.attrs.iter().all(|attribute| INERT.iter().any(|name| attribute.path().is_ident(name)))
}

/// Whether a whole number is the same as one of this type, on every machine.
fn fits(number: &Number, ty: &str) -> bool {
    let within = |least: i128, most: i128| {
        let number = number.as_u64().map(i128::from).or(number.as_i64().map(i128::from));
        number.is_some_and(|number| least <= number && number <= most)
    };
    match ty {
        "u8" => within(0, u8::MAX.into()),
        "u16" => within(0, u16::MAX.into()),
        "u32" | "usize" => within(0, u32::MAX.into()),
        "u64" => within(0, u64::MAX.into()),
        "i8" => within(i8::MIN.into(), i8::MAX.into()),
        "i16" => within(i16::MIN.into(), i16::MAX.into()),
        "i32" | "isize" => within(i32::MIN.into(), i32::MAX.into()),
        "i64" => within(i64::MIN.into(), i64::MAX.into()),
        _ => false,
    }
}

/// Whole numbers; what would overflow does not compile.
fn arithmetic(left: i64, op: &BinOp, right: i64) -> Result<Value> {
    let result = match op {
        BinOp::Add(_) => left.checked_add(right),
        BinOp::Sub(_) => left.checked_sub(right),
        BinOp::Mul(_) => left.checked_mul(right),
        BinOp::Div(_) => left.checked_div(right),
        BinOp::Rem(_) => left.checked_rem(right),
        _ => None,
    };
    match result {
        Some(value) => Ok(Value::from(value)),
        None => unresolved("a calculation that is not understood"),
    }
}

/// The type before the last segment of a path, and that segment.
fn owner(path: &syn::Path) -> Option<(Vec<String>, String)> {
    let mut segments: Vec<_> = path.segments.iter().map(|it| unraw(&it.ident)).collect();
    let name = segments.pop()?;
    (!segments.is_empty()).then_some((segments, name))
}

pub(super) fn is_integer(name: &str) -> bool {
    name.strip_prefix(['i', 'u'])
        .is_some_and(|bits| matches!(bits, "8" | "16" | "32" | "64" | "128" | "size"))
}

pub(super) fn shown(expr: &Expr) -> String {
    let text = quote::ToTokens::to_token_stream(expr).to_string();
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push_str("..");
    }
    short
}

fn not_told<T>(expr: &Expr) -> Result<T> {
    unresolved(format!("the value of `{}` is not told", shown(expr)))
}

/// Reads the input of `json!`.
pub(super) fn json_tokens(
    tokens: TokenStream,
    eval: &dyn Fn(&Expr) -> Result<Value>,
) -> Result<Value> {
    let mut failure = None;
    let parse = |input: ParseStream<'_>| json_value(input, eval, &mut failure);
    match parse.parse2(tokens) {
        Ok(value) => Ok(value),
        Err(error) => match failure {
            Some(failure) => Err(failure),
            None => unresolved(format!("a JSON value does not parse: {error}")),
        },
    }
}

type Failure = Option<Box<super::error::Unresolved>>;

fn json_value(
    input: ParseStream<'_>,
    eval: &dyn Fn(&Expr) -> Result<Value>,
    failure: &mut Failure,
) -> syn::Result<Value> {
    let content;
    if input.peek(syn::token::Bracket) {
        syn::bracketed!(content in input);
        let mut list = Vec::new();
        while !content.is_empty() {
            list.push(json_value(&content, eval, failure)?);
            content.parse::<Option<Token![,]>>()?;
        }
        return Ok(Value::Array(list));
    }
    if input.peek(syn::token::Brace) {
        syn::braced!(content in input);
        let mut map = Map::new();
        while !content.is_empty() {
            let Value::String(key) = json_value(&content, eval, failure)? else {
                return Err(content.error("a key that is no text"));
            };
            content.parse::<Token![:]>()?;
            map.insert(key, json_value(&content, eval, failure)?);
            content.parse::<Option<Token![,]>>()?;
        }
        return Ok(Value::Object(map));
    }
    let expr: Expr = input.parse()?;
    if matches!(&expr, Expr::Path(path) if path.path.is_ident("null")) {
        return Ok(Value::Null);
    }
    eval(&expr).map_err(|error| {
        let text = error.to_string();
        *failure = Some(error);
        input.error(text)
    })
}
