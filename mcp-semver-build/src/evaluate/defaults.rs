//! Default values, as schemars serialises them into schemas.

use serde_json::{Value, json};
use syn::{Expr, ReturnType};

use super::constants::{is_integer, shown};
use super::container::{Container, Data, Default, Field, Style, Tagging, Variant};
use super::error::{Result, unresolved};
use super::functions::{Function, has_method, is_unconditional, method, tail};
use super::known::{Kind, OF_OTHER_CRATES};
use super::names::{Namespace, Target};
use super::owner::Owner;
use super::program::unraw;
use super::relevant;
use super::types::{Adt, Scope, Ty};
use super::world::World;

/// More defaults inside one another than any real type has.
const MAX_DEPTH: usize = 32;

impl<'t> World<'_, 't> {
    /// The default of a field in a schema; `None` where it is left out.
    pub(super) fn default_of(
        &self,
        container: &Container<'t>,
        scope: &Scope<'t>,
        field: &Field<'t>,
        container_default: &Default,
    ) -> Result<Option<Value>> {
        if field.serialize_with {
            return unresolved("its default is serialised by a function");
        }
        let generics = container.adt.generics();
        let constants = generics.const_params().map(|param| param.ident.to_string());
        if relevant::mentions(field.ty, constants.collect()) {
            return unresolved("whether its default is serialised depends on a constant parameter");
        }
        let params = generics.type_params().map(|param| param.ident.to_string());
        if relevant::mentions(field.ty, params.collect()) {
            // Nothing says that a type parameter is `Serialize`, unless a bound does.
            if container.is_bounded {
                return unresolved("whether its default is serialised depends on a bound");
            }
            return Ok(None);
        }
        let ty = self.program.ty(scope, field.ty)?;
        // Types of other crates are what serde reads and writes, or not, by their features.
        let is_read = !field.deserialize_with && !field.skip_deserializing;
        if !self.is_serialize(&ty, container.derives.serialize || is_read)? {
            return Ok(None);
        }
        let value = match &field.default {
            Default::Trait => self.default_value(&ty, 0)?,
            Default::Function(path) => self.call(scope, path, &ty, 0)?,
            Default::None => {
                let Some(this) = &scope.this else { return unresolved("what `Self` is") };
                let fields = match container_default {
                    Default::Function(path) => self.fields_of_call(scope, path, this)?,
                    _ => self.default_fields(container, scope, 0)?,
                };
                match fields.into_iter().find(|(member, _)| *member == field.member) {
                    Some((_, value)) => value,
                    None => return unresolved("its default is not told"),
                }
            }
        };
        let is_none = matches!((&field.default, &ty), (Default::Trait, Ty::Option(_)));
        match &field.skip_serializing_if {
            Some(path) if self.is_skipped(scope, path, &ty, &value, is_none)? => Ok(None),
            _ => Ok(Some(value)),
        }
    }

    /// Whether a type implements serde's `Serialize`; `is_known` where those of other crates do.
    fn is_serialize(&self, ty: &Ty<'t>, is_known: bool) -> Result<bool> {
        Ok(match ty {
            Ty::Leaf(name) if !is_known && OF_OTHER_CRATES.contains(name) => {
                return unresolved(format!("whether `{name}` is serialised is not told"));
            }
            Ty::Leaf(_) | Ty::Constant(_) => true,
            Ty::Made(_) => return unresolved("a function in place of a type"),
            Ty::Option(inner)
            | Ty::Sequence(inner)
            | Ty::Set(inner)
            | Ty::Array(inner, _)
            | Ty::Range(inner)
            | Ty::Bound(inner) => self.is_serialize(inner, is_known)?,
            Ty::Map(parts) | Ty::Result(parts) => {
                self.is_serialize(&parts.0, is_known)? && self.is_serialize(&parts.1, is_known)?
            }
            Ty::Tuple(parts) => {
                for part in parts {
                    if !self.is_serialize(part, is_known)? {
                        return Ok(false);
                    }
                }
                true
            }
            Ty::Adt(adt, arguments) => {
                let container = self.container(*adt)?;
                if !container.derives.serialize {
                    if self.implementation(*adt, "Serialize")?.is_some() {
                        return unresolved(format!(
                            "`{}` implements `Serialize` by hand",
                            container.ident
                        ));
                    }
                    if container.derives.others
                        || self.program.mentioned().contains(&container.ident)
                    {
                        return unresolved(format!(
                            "whether `{}` is serialised is not told",
                            container.ident
                        ));
                    }
                    return Ok(false);
                }
                for argument in arguments {
                    if !self.is_serialize(argument, is_known)? {
                        return unresolved("whether a default is serialised is not told");
                    }
                }
                true
            }
        })
    }

    /// `Default::default()` of a type, serialised.
    fn default_value(&self, ty: &Ty<'t>, depth: usize) -> Result<Value> {
        if depth > MAX_DEPTH {
            return unresolved("defaults are nested too deep");
        }
        Ok(match ty {
            Ty::Leaf(name) => leaf_default(name)?,
            Ty::Constant(_) => return unresolved("a constant in place of a type"),
            Ty::Option(_) => Value::Null,
            Ty::Sequence(_) | Ty::Set(_) => json!([]),
            Ty::Map(_) => json!({}),
            Ty::Tuple(parts) => parts
                .iter()
                .map(|part| self.default_value(part, depth + 1))
                .collect::<Result<_>>()?,
            Ty::Array(inner, len) => {
                let value =
                    if *len == 0 { Value::Null } else { self.default_value(inner, depth + 1)? };
                Value::Array(vec![value; *len])
            }
            Ty::Adt(adt, arguments) => {
                let container = self.container(*adt)?;
                let scope = Scope::inside(*adt, arguments);
                match &container.data {
                    Data::Enum(variants) if container.derives.default => {
                        match variants.iter().find(|variant| variant.is_default) {
                            Some(variant) => unit(&container, variant)?,
                            None => return unresolved("an enum without a default variant"),
                        }
                    }
                    Data::Struct(..) if container.derives.default => {
                        let fields = self.default_fields(&container, &scope, depth)?;
                        self.object(&container, &scope, fields)?
                    }
                    _ => {
                        let function = self.own_default(*adt, &container)?;
                        self.body(&function, ty, depth + 1)?
                    }
                }
            }
            Ty::Result(_) | Ty::Range(_) | Ty::Bound(_) | Ty::Made(_) => {
                return unresolved("a type whose default is not known");
            }
        })
    }

    /// The fields of `Self::default()`, each serialised by itself.
    fn default_fields(
        &self,
        container: &Container<'t>,
        scope: &Scope<'t>,
        depth: usize,
    ) -> Result<Vec<(String, Value)>> {
        let Data::Struct(_, fields) = &container.data else {
            return unresolved("the fields of an enum");
        };
        if !container.derives.default {
            let function = self.own_default(container.adt, container)?;
            return match tail(function.block) {
                Some(Expr::Struct(literal)) => {
                    self.literal_fields(&function.scope, container, scope, literal, depth + 1)
                }
                _ => unresolved("`Default` is implemented by hand"),
            };
        }
        fields
            .iter()
            .map(|field| {
                let ty = self.program.ty(scope, field.ty)?;
                Ok((field.member.clone(), self.default_value(&ty, depth + 1)?))
            })
            .collect()
    }

    fn own_default(&self, adt: Adt<'t>, container: &Container<'t>) -> Result<Function<'t>> {
        let found = self.implementation(adt, "Default")?;
        match found.and_then(|(module, item)| method(module, item, "default", container)) {
            Some(function) => Ok(function),
            None => unresolved(format!("the default of `{}` is not told", container.ident)),
        }
    }

    /// The fields of the struct that a call of a function makes.
    fn fields_of_call(
        &self,
        scope: &Scope<'t>,
        path: &syn::Path,
        this: &Ty<'t>,
    ) -> Result<Vec<(String, Value)>> {
        let (function, Ty::Adt(adt, arguments)) = (self.function(scope, path)?, this) else {
            return unresolved("a default that is no struct");
        };
        let container = self.container(*adt)?;
        let inside = Scope::inside(*adt, arguments);
        match tail(function.block) {
            Some(Expr::Struct(literal)) => {
                self.literal_fields(&function.scope, &container, &inside, literal, 0)
            }
            _ => unresolved("a function whose value is not told"),
        }
    }

    fn literal_fields(
        &self,
        at: &Scope<'t>,
        container: &Container<'t>,
        scope: &Scope<'t>,
        literal: &syn::ExprStruct,
        depth: usize,
    ) -> Result<Vec<(String, Value)>> {
        let Data::Struct(_, fields) = &container.data else {
            return unresolved("a struct variant as a default");
        };
        if literal.rest.is_some() || literal.fields.len() != fields.len() {
            return unresolved("a struct whose fields are not all given");
        }
        let mut values = Vec::new();
        for given in &literal.fields {
            let member = match &given.member {
                syn::Member::Named(name) => name.to_string().trim_start_matches("r#").to_owned(),
                syn::Member::Unnamed(index) => index.index.to_string(),
            };
            let Some(field) = fields.iter().find(|field| field.member == member) else {
                return unresolved("a field that is not there");
            };
            let ty = self.program.ty(scope, field.ty)?;
            values.push((member, self.typed(at, &given.expr, &ty, depth + 1)?));
        }
        Ok(values)
    }

    /// A struct whose fields have these values, serialised.
    fn object(
        &self,
        container: &Container<'t>,
        scope: &Scope<'t>,
        mut values: Vec<(String, Value)>,
    ) -> Result<Value> {
        let Data::Struct(style, fields) = &container.data else {
            return unresolved("an enum in place of a struct");
        };
        let custom = container.into.is_some()
            || container.tagging != Tagging::External
            || fields.iter().any(|field| field.serialize_with || field.flatten);
        if custom || !container.derives.serialize {
            return unresolved(format!("how `{}` is serialised is not told", container.ident));
        }
        let mut take = |member: &str| {
            let at = values.iter().position(|(name, _)| name == member);
            at.map(|at| values.swap_remove(at).1).unwrap_or_default()
        };
        if let (true, Some(field)) =
            (container.transparent, super::shape::transparent_field(container)?)
        {
            return Ok(take(&field.member));
        }
        match (style, fields.as_slice()) {
            (Style::Unit, _) => return Ok(Value::Null),
            (Style::Newtype, [field]) => return Ok(take(&field.member)),
            _ => {}
        }
        let mut written = Vec::new();
        for field in fields.iter().filter(|field| !field.skip_serializing) {
            let value = take(&field.member);
            if let Some(path) = &field.skip_serializing_if {
                let ty = self.program.ty(scope, field.ty)?;
                if self.is_skipped(scope, path, &ty, &value, false)? {
                    continue;
                }
            }
            written.push((field.name.serialize.clone(), value));
        }
        Ok(match style {
            Style::Struct => Value::Object(written.into_iter().collect()),
            _ => written.into_iter().map(|(_, value)| value).collect(),
        })
    }

    /// What a call of a function without arguments returns, serialised.
    fn call(
        &self,
        scope: &Scope<'t>,
        path: &syn::Path,
        ty: &Ty<'t>,
        depth: usize,
    ) -> Result<Value> {
        let owner = self.program.owner(scope, path)?;
        let name = path.segments.last().map(|last| unraw(&last.ident)).unwrap_or_default();
        let is_default = match (name.as_str(), &owner, ty) {
            ("default", Owner::Adt(of), Ty::Adt(adt, _)) if std::ptr::eq(of.item, adt.item) => {
                let own = self.program.impls(*adt, &|_, item| item.trait_.is_none())?;
                own.iter().all(|(_, item)| !has_method(item, "default"))
            }
            ("default", Owner::Type(_), _) => true,
            ("default", Owner::Foreign(_), _) => owner.is_default() || owner.kind().is_some(),
            ("new", _, Ty::Leaf("String" | "Path") | Ty::Sequence(_) | Ty::Set(_) | Ty::Map(_)) => {
                owner.has_form_of(ty)
            }
            _ => false,
        };
        if is_default {
            return self.default_value(ty, depth + 1);
        }
        let function = self.function(scope, path)?;
        self.body(&function, ty, depth + 1)
    }

    /// The value of a function's body, serialised.
    fn body(&self, function: &Function<'t>, ty: &Ty<'t>, depth: usize) -> Result<Value> {
        let Function { scope, sig, block, .. } = function;
        let plain =
            sig.inputs.is_empty() && sig.generics.params.is_empty() && sig.asyncness.is_none();
        let (ReturnType::Type(_, returned), Some(expr), true) = (&sig.output, tail(block), plain)
        else {
            return unresolved(format!("the value of `{}()` is not told", sig.ident));
        };
        let returned = self.program.ty(scope, returned)?;
        if !alike(&returned, ty) {
            return unresolved(format!("the type of `{}()` is another", sig.ident));
        }
        self.typed(scope, expr, &returned, depth)
    }

    /// The value of an expression of a type, serialised.
    fn typed(&self, scope: &Scope<'t>, expr: &Expr, ty: &Ty<'t>, depth: usize) -> Result<Value> {
        if depth > MAX_DEPTH {
            return unresolved("defaults are nested too deep");
        }
        if !is_unconditional(expr) {
            return unresolved(format!("the value of `{}` is not told", shown(expr)));
        }
        let next = |expr: &Expr, ty: &Ty<'t>| self.typed(scope, expr, ty, depth + 1);
        match (expr, ty) {
            (Expr::Paren(inner), _) => next(&inner.expr, ty),
            (Expr::Group(inner), _) => next(&inner.expr, ty),
            (Expr::Reference(inner), _) => next(&inner.expr, ty),
            (Expr::Block(inner), _) if tail(&inner.block).is_some() => match tail(&inner.block) {
                Some(expr) => next(expr, ty),
                None => unresolved("a block without a value"),
            },
            (Expr::Path(path), Ty::Option(_))
                if self.program.is_option(scope.module, &path.path, "None") =>
            {
                Ok(Value::Null)
            }
            (Expr::Call(call), _) => self.typed_call(scope, call, ty, depth),
            (Expr::Macro(call), Ty::Sequence(inner)) if call.mac.path.is_ident("vec") => {
                use syn::parse::Parser;
                self.constants.require_unshadowed(scope.module, "vec")?;
                let parse = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
                match parse.parse2(call.mac.tokens.clone()) {
                    Ok(list) => list.iter().map(|expr| next(expr, inner)).collect(),
                    Err(_) => unresolved("a vector whose elements are not told"),
                }
            }
            (Expr::Array(list), Ty::Array(inner, _) | Ty::Sequence(inner)) => {
                list.elems.iter().map(|expr| next(expr, inner)).collect()
            }
            (Expr::Tuple(list), Ty::Tuple(types)) if list.elems.len() == types.len() => {
                list.elems.iter().zip(types).map(|(expr, ty)| next(expr, ty)).collect()
            }
            (Expr::Struct(literal), Ty::Adt(adt, arguments)) => {
                let container = self.container(*adt)?;
                let inside = Scope::inside(*adt, arguments);
                let fields = self.literal_fields(scope, &container, &inside, literal, depth)?;
                self.object(&container, &inside, fields)
            }
            (Expr::Path(path), Ty::Adt(adt, _)) => self.variant_value(scope, &path.path, *adt),
            (Expr::MethodCall(call), Ty::Leaf("String")) if call.args.is_empty() => {
                let same = ["to_string", "to_owned", "into", "clone"];
                match same.iter().any(|name| call.method == name) {
                    true => next(&call.receiver, ty),
                    false => unresolved(format!("what `{}` returns is not told", call.method)),
                }
            }
            (Expr::Macro(call), Ty::Leaf("Value"))
                if call.mac.path.segments.last().is_some_and(|last| last.ident == "json") =>
            {
                self.constants.json(scope.module, expr)
            }
            (_, Ty::Leaf(name)) => self.leaf_value(scope, expr, name),
            _ => unresolved(format!("the value of `{}` is not told", shown(expr))),
        }
    }

    fn typed_call(
        &self,
        scope: &Scope<'t>,
        call: &syn::ExprCall,
        ty: &Ty<'t>,
        depth: usize,
    ) -> Result<Value> {
        let Expr::Path(path) = call.func.as_ref() else {
            return unresolved("a call of what is no function");
        };
        let owner = self.program.owner(scope, &path.path)?;
        let name = path.path.segments.last().map(|last| unraw(&last.ident)).unwrap_or_default();
        let arguments: Vec<&Expr> = call.args.iter().collect();
        match (name.as_str(), arguments.as_slice(), ty) {
            // `<T as Default>::default()`
            (_, [], _) if path.qself.is_none() || owner.is_default() => {
                self.call(scope, &path.path, ty, depth + 1)
            }
            ("Some", [inner], Ty::Option(ty))
                if self.program.is_option(scope.module, &path.path, "Some") =>
            {
                self.typed(scope, inner, ty, depth + 1)
            }
            ("new", [inner], _) if matches!(owner.kind(), Some(Kind::Pointer)) => {
                self.typed(scope, inner, ty, depth + 1)
            }
            ("from", [inner], Ty::Leaf("String" | "Path")) if owner.has_form_of(ty) => {
                self.typed(scope, inner, &Ty::Leaf("String"), depth + 1)
            }
            _ => {
                let text = super::types::shown(&path.path);
                unresolved(format!("what `{text}` returns is not told"))
            }
        }
    }

    fn leaf_value(&self, scope: &Scope<'t>, expr: &Expr, name: &str) -> Result<Value> {
        let value = self.constants.json(scope.module, expr)?;
        match (&value, name) {
            (Value::Number(number), "f32") if number.is_f64() => self.program.single(number),
            (Value::Number(number), "f64") if number.is_f64() => Ok(value),
            (Value::Number(number), _) if is_integer(name) && !number.is_f64() => Ok(value),
            (Value::String(_), "String" | "char") | (Value::Bool(_), "bool") => Ok(value),
            _ => unresolved(format!("the value of `{}` is not told", shown(expr))),
        }
    }

    /// Whether `skip_serializing_if` leaves out a value; `is_none` where it is known to be `None`.
    fn is_skipped(
        &self,
        scope: &Scope<'t>,
        path: &syn::Path,
        ty: &Ty<'t>,
        value: &Value,
        is_none: bool,
    ) -> Result<bool> {
        let owner = self.program.owner(scope, path)?;
        let name = path.segments.last().map(|last| unraw(&last.ident)).unwrap_or_default();
        match (name.as_str(), ty) {
            ("not", Ty::Leaf("bool")) if owner.is_foreign(&["std", "ops", "Not"]) => {
                Ok(*value == false)
            }
            ("is_none" | "is_some", Ty::Option(inner)) if owner.has_form_of(ty) => {
                if value.is_null() && !is_none && self.may_be_null(inner)? {
                    return unresolved("whether its default is `None` is not told");
                }
                Ok(value.is_null() == (name == "is_none"))
            }
            ("is_empty", Ty::Leaf("String") | Ty::Sequence(_) | Ty::Set(_) | Ty::Map(_))
                if owner.has_form_of(ty) =>
            {
                Ok(*value == "" || *value == json!([]) || *value == json!({}))
            }
            _ => unresolved("when it is left out is decided by a function"),
        }
    }

    /// Whether some value of a type is serialised as `null`.
    fn may_be_null(&self, ty: &Ty<'t>) -> Result<bool> {
        Ok(match ty {
            Ty::Option(_) | Ty::Made(_) | Ty::Leaf("()" | "Value") => true,
            Ty::Adt(adt, _) => {
                let container = self.container(*adt)?;
                let is_plain = !container.transparent && container.into.is_none();
                match &container.data {
                    Data::Struct(Style::Struct | Style::Tuple, _) => !is_plain,
                    Data::Struct(..) => true,
                    Data::Enum(variants) => {
                        !is_plain
                            || container.tagging == Tagging::Untagged
                            || variants.iter().any(|variant| variant.untagged)
                    }
                }
            }
            _ => false,
        })
    }

    /// A unit variant, serialised.
    fn variant_value(&self, scope: &Scope<'t>, path: &syn::Path, adt: Adt<'t>) -> Result<Value> {
        let mut segments: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let name = segments.pop().unwrap_or_default();
        let is_own = segments.as_slice() == ["Self"]
            && matches!(&scope.this, Some(Ty::Adt(this, _)) if std::ptr::eq(this.item, adt.item));
        let is_named = || {
            let global = path.leading_colon.is_some();
            let target = self.program.resolve(scope.module, global, &segments, Namespace::Type);
            matches!(target, Ok(Target::Item(_, item)) if std::ptr::eq(item, adt.item))
        };
        let container = self.container(adt)?;
        if let Data::Enum(variants) = &container.data
            && (is_own || (!segments.is_empty() && is_named()))
            && let Some(variant) = variants.iter().find(|variant| variant.member == name)
        {
            return unit(&container, variant);
        }
        unresolved(format!("what `{}` is is not told", super::types::shown(path)))
    }
}

/// A unit variant, serialised by the derive.
fn unit(container: &Container<'_>, variant: &Variant<'_>) -> Result<Value> {
    let custom = !container.derives.serialize
        || container.into.is_some()
        || variant.style != Style::Unit
        || variant.serialize_with
        || variant.skip_serializing;
    if custom {
        return unresolved(format!("how `{}` is serialised is not told", variant.member));
    }
    let name = Value::from(variant.name.serialize.clone());
    Ok(match &container.tagging {
        _ if variant.untagged => Value::Null,
        Tagging::External => name,
        Tagging::Internal(tag) | Tagging::Adjacent(tag, _) => json!({ tag: name }),
        Tagging::Untagged => Value::Null,
    })
}

/// Whether two types are the same as far as serialising goes.
fn alike(one: &Ty<'_>, other: &Ty<'_>) -> bool {
    let all = |one: &[Ty<'_>], other: &[Ty<'_>]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
    };
    match (one, other) {
        (Ty::Leaf(one), Ty::Leaf(other)) => one == other,
        (Ty::Constant(one), Ty::Constant(other)) => one == other,
        (Ty::Option(one), Ty::Option(other))
        | (Ty::Sequence(one), Ty::Sequence(other))
        | (Ty::Set(one), Ty::Set(other)) => alike(one, other),
        (Ty::Array(one, len), Ty::Array(other, same)) => len == same && alike(one, other),
        (Ty::Map(one), Ty::Map(other)) => alike(&one.0, &other.0) && alike(&one.1, &other.1),
        (Ty::Tuple(one), Ty::Tuple(other)) => all(one, other),
        (Ty::Adt(one, arguments), Ty::Adt(other, others)) => {
            std::ptr::eq(one.item, other.item) && all(arguments, others)
        }
        _ => false,
    }
}

fn leaf_default(name: &str) -> Result<Value> {
    Ok(match name {
        "String" | "Path" => json!(""),
        "bool" => json!(false),
        "()" | "Value" => Value::Null,
        "f32" | "f64" => json!(0.0),
        "char" => json!("\0"),
        "Uuid" => json!("00000000-0000-0000-0000-000000000000"),
        "Duration" => json!({ "secs": 0, "nanos": 0 }),
        _ if is_integer(name) => json!(0),
        _ => return unresolved(format!("the default of `{name}` is not known")),
    })
}
