//! Validation attributes, which schemars turns into keywords: `length`, `range`, `regex`, ..
//! of `#[schemars(..)]`, `#[validate(..)]` and `#[garde(..)]`.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use serde_json::Value as Json;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, Lit, LitStr, Token};

use super::constants::Constants;
use super::error::{Result, unresolved};
use super::metas::{Item, Metas, Value};
use super::program::ModuleId;
use crate::scan::depth::parse_within;
use crate::scan::signature::replace_self;

/// Bounds of a length or a number.
#[derive(Debug, Clone, Default)]
pub(super) struct Bounds {
    pub(super) min: Option<Json>,
    pub(super) max: Option<Json>,
}

/// What the validation attributes of a field say, and where.
#[derive(Debug, Clone, Default)]
pub(super) struct Validation {
    pub(super) length: Option<(Bounds, Span)>,
    pub(super) range: Option<(Bounds, Span)>,
    pub(super) pattern: Option<(String, Span)>,
    pub(super) contains: Option<(String, Span)>,
    pub(super) required: bool,
    pub(super) format: Option<(&'static str, Span)>,
    pub(super) inner: Option<Box<Validation>>,
}

/// Whether an item of an attribute is a validation.
pub(super) fn is_item(name: &str) -> bool {
    format(name).is_some()
        || matches!(
            name,
            "contains" | "inner" | "length" | "pattern" | "range" | "regex" | "required"
        )
}

fn format(name: &str) -> Option<&'static str> {
    Some(match name {
        "email" => "email",
        "url" => "uri",
        "ip" => "ip",
        "ipv4" => "ipv4",
        "ipv6" => "ipv6",
        _ => return None,
    })
}

/// Who reads an attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Schemars,
    Validate,
    Garde,
}

/// What expressions are evaluated with.
struct Context<'r, 'p, 't> {
    module: ModuleId,
    constants: &'r Constants<'p, 't>,
    /// What `Self` is.
    this: &'r TokenStream,
}

impl Validation {
    pub(super) fn is_default(&self) -> bool {
        let Self { length, range, pattern, contains, required, format, inner } = self;
        length.is_none()
            && range.is_none()
            && pattern.is_none()
            && contains.is_none()
            && !required
            && format.is_none()
            && inner.is_none()
    }

    /// Reads the attributes of a field.
    pub(super) fn read(
        metas: &Metas,
        module: ModuleId,
        constants: &Constants<'_, '_>,
        old: bool,
    ) -> Result<Self> {
        let mut validation = Self::default();
        let context = Context { module, constants, this: &metas.this };
        validation.add(&metas.schemars, Dialect::Schemars, &context)?;
        validation.add(&metas.validate, Dialect::Validate, &context)?;
        validation.add(&metas.garde, Dialect::Garde, &context)?;
        if old && !validation.is_default() {
            return validation.in_old(metas);
        }
        Ok(validation)
    }

    /// What schemars 0.8 makes of it: it knows neither garde nor nested items, lengths are whole
    /// and bounds of numbers are not.
    fn in_old(mut self, metas: &Metas) -> Result<Self> {
        if !metas.garde.is_empty() || self.inner.is_some() || self.contains.is_some() {
            return unresolved("a validation that schemars 0.8 reads in another way");
        }
        let whole = |bound: &Option<Json>| bound.as_ref().is_none_or(Json::is_u64);
        if !self.length.iter().all(|(length, _)| whole(&length.min) && whole(&length.max)) {
            return unresolved("a length that is no whole number");
        }
        for bound in self.range.iter_mut().flat_map(|(it, _)| [&mut it.min, &mut it.max]) {
            *bound = bound.take().and_then(|bound| bound.as_f64()).map(Json::from);
        }
        Ok(self)
    }

    fn add(
        &mut self,
        items: &[Item],
        dialect: Dialect,
        context: &Context<'_, '_, '_>,
    ) -> Result<()> {
        for item in items {
            let garde = dialect == Dialect::Garde;
            match item.name.as_str() {
                "length" if self.length.is_none() => {
                    self.length = Some((bounds(item, dialect, context)?, item.span));
                }
                "range" if self.range.is_none() => {
                    self.range = Some((bounds(item, dialect, context)?, item.span));
                }
                "required" => self.required = true,
                "pattern" if dialect != Dialect::Validate => {
                    self.set_pattern(context.text(&only(item)?)?, item.span)?;
                }
                "regex" if !garde => {
                    let key = if dialect == Dialect::Validate { "path" } else { "pattern" };
                    let nested = item.nested()?;
                    let Some(found) = nested.iter().find(|nested| nested.name == key) else {
                        return unresolved("a `regex` without a pattern");
                    };
                    self.set_pattern(context.text(found.expr()?)?, item.span)?;
                }
                "contains" => {
                    let nested = item.nested().ok();
                    let named = nested.iter().flatten().find(|nested| nested.name == "pattern");
                    let text = match named {
                        Some(named) => context.text(named.expr()?)?,
                        None => context.text(&only(item)?)?,
                    };
                    if self.contains.is_some() || self.pattern.is_some() {
                        return unresolved("`contains` beside another pattern");
                    }
                    self.contains = Some((text, item.span));
                }
                "inner" if dialect != Dialect::Validate => {
                    let inner = self.inner.get_or_insert_default();
                    inner.add(&item.nested()?, dialect, context)?;
                }
                name => match (format(name), self.format) {
                    (Some(format), None) => self.format = Some((format, item.span)),
                    (Some(format), Some((other, _))) if other != format => {
                        return unresolved("two formats on one field");
                    }
                    _ => {}
                },
            }
        }
        Ok(())
    }

    fn set_pattern(&mut self, pattern: String, span: Span) -> Result<()> {
        if self.contains.is_some() || self.pattern.is_some() {
            return unresolved("two patterns on one field");
        }
        self.pattern = Some((pattern, span));
        Ok(())
    }
}

impl Context<'_, '_, '_> {
    fn text(&self, expr: &Expr) -> Result<String> {
        self.constants.text(self.module, expr)
    }

    /// A number, perhaps in a string.
    fn number(&self, item: &Item) -> Result<Json> {
        let value = match item.expr()? {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                let parsed = parse_within::<Expr>(text).and_then(|expr| {
                    syn::parse2::<Expr>(replace_self(expr.to_token_stream(), self.this))
                });
                match parsed {
                    Ok(expr) => self.constants.json(self.module, &expr)?,
                    Err(_) => return unresolved(format!("`{}` is no number", text.value())),
                }
            }
            expr => self.constants.json(self.module, expr)?,
        };
        if value.is_number() { Ok(value) } else { unresolved("a bound that is no number") }
    }
}

fn bounds(item: &Item, dialect: Dialect, context: &Context<'_, '_, '_>) -> Result<Bounds> {
    let mut bounds = Bounds::default();
    for nested in item.nested()? {
        match nested.name.as_str() {
            "min" => bounds.min = Some(context.number(&nested)?),
            "max" => bounds.max = Some(context.number(&nested)?),
            "equal" => {
                let equal = context.number(&nested)?;
                bounds = Bounds { min: Some(equal.clone()), max: Some(equal) };
            }
            other if dialect == Dialect::Schemars => {
                return unresolved(format!("`{other}` in a validation is not understood"));
            }
            _ => {}
        }
    }
    Ok(bounds)
}

/// The expression in `name(expression)`.
fn only(item: &Item) -> Result<Expr> {
    let Value::List(tokens) = &item.value else {
        return unresolved(format!("`{}` has no argument", item.name));
    };
    match syn::parse2(tokens.clone()) {
        Ok(expr) => Ok(expr),
        Err(_) => unresolved(format!("the argument of `{}` is not understood", item.name)),
    }
}

/// Reads `"key" = value, ..` of `extend(..)`.
pub(super) fn extensions(
    tokens: TokenStream,
    eval: &dyn Fn(TokenStream) -> Result<Json>,
) -> Result<Vec<(String, Json)>> {
    let parse = |input: ParseStream<'_>| {
        let mut entries: Vec<(String, TokenStream)> = Vec::new();
        while !input.is_empty() {
            let key: LitStr = input.parse()?;
            input.parse::<Token![=]>()?;
            let mut value = TokenStream::new();
            while !input.is_empty() && !input.peek(Token![,]) {
                value.extend([input.parse::<proc_macro2::TokenTree>()?]);
            }
            input.parse::<Option<Token![,]>>()?;
            entries.push((key.value(), value));
        }
        Ok(entries)
    };
    match parse.parse2(tokens) {
        Ok(entries) => entries.into_iter().map(|(key, value)| Ok((key, eval(value)?))).collect(),
        Err(error) => unresolved(format!("`extend` does not parse: {error}")),
    }
}
