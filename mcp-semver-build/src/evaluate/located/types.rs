//! The places of what types say of themselves, as far as a schema has it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;
use serde_json::{Map, Value};
use syn::spanned::Spanned;
use syn::{Attribute, Field, Fields, Ident, Item, ItemEnum, ItemStruct, Variant};

use super::names::Named;
use crate::evaluate::case::Rule;
use crate::evaluate::places::Places;
use crate::evaluate::program::{ModuleId, Program};
use crate::evaluate::renames::Both;
use crate::evaluate::types::{Adt, Scope, Ty};
use crate::framework::written;
use crate::pointer::escaped;
use crate::scan::signature;

/// More types inside one another than any real schema has.
const MAX_DEPTH: usize = 64;
/// More steps than any real contract takes.
const MAX_STEPS: usize = 20_000;

/// Walks through types and the schemas that were made of them, side by side.
pub(super) struct Finder<'w, 'p, 't> {
    program: &'p Program<'t>,
    pub(super) wire: &'w Value,
    pub(super) places: Places,
    /// The definitions that were walked through.
    seen: BTreeSet<String>,
    depth: usize,
    steps: usize,
}

/// What a list of branches in a schema is called.
const BRANCHES: [&str; 2] = ["anyOf", "oneOf"];

impl<'w, 'p, 't> Finder<'w, 'p, 't> {
    pub(super) fn new(program: &'p Program<'t>, wire: &'w Value) -> Self {
        let (places, seen) = (Places::new(), BTreeSet::new());
        Self { program, wire, places, seen, depth: 0, steps: 0 }
    }

    /// As [`Finder::find`], for a type that nothing stands around.
    pub(super) fn start(&mut self, ty: &Ty<'t>, pointer: &str) {
        self.seen.insert(pointer.to_owned());
        self.find(ty, pointer);
    }

    /// Finds what a type says of the schema at a pointer. Who stands around it may know better and
    /// overrules it afterwards.
    fn find(&mut self, ty: &Ty<'t>, pointer: &str) {
        self.steps += 1;
        if self.depth < MAX_DEPTH && self.steps < MAX_STEPS {
            self.depth += 1;
            self.find_inside(ty, pointer);
            self.depth -= 1;
        }
    }

    fn schema(&self, pointer: &str) -> Option<&'w Map<String, Value>> {
        self.wire.pointer(pointer)?.as_object()
    }

    fn find_inside(&mut self, ty: &Ty<'t>, pointer: &str) {
        let Some(schema) = self.schema(pointer) else { return };
        if let Some(target) = crate::evaluate::target(pointer, schema) {
            if self.seen.insert(target.clone()) {
                self.find(ty, &target);
            }
            return;
        }
        // schemars 0.8 writes a reference beside other keywords so.
        if schema.get("allOf").and_then(Value::as_array).is_some_and(|all| all.len() == 1) {
            return self.find(ty, &format!("{pointer}/allOf/0"));
        }
        match ty {
            Ty::Option(inner) => {
                let branch = or_null(schema).map(|branch| format!("{pointer}/{branch}"));
                self.find(inner, branch.as_deref().unwrap_or(pointer));
            }
            Ty::Sequence(inner) | Ty::Set(inner) | Ty::Array(inner, _) => {
                self.find(inner, &format!("{pointer}/items"));
            }
            Ty::Map(entry) => self.find(&entry.1, &format!("{pointer}/additionalProperties")),
            Ty::Tuple(types) => {
                for (at, ty) in types.iter().enumerate() {
                    self.element(ty, pointer, at);
                }
            }
            Ty::Adt(adt, arguments) => self.declared(*adt, arguments, pointer),
            Ty::Leaf(_)
            | Ty::Result(_)
            | Ty::Range(_)
            | Ty::Bound(_)
            | Ty::Made(_)
            | Ty::Constant(_) => {}
        }
    }

    /// An element of a tuple.
    fn element(&mut self, ty: &Ty<'t>, pointer: &str, at: usize) {
        for list in ["prefixItems", "items"] {
            self.find(ty, &format!("{pointer}/{list}/{at}"));
        }
    }

    /// The fields of a tuple.
    fn elements(&mut self, scope: &Scope<'t>, fields: &'t Fields, pointer: &str) {
        for (at, field) in fields.iter().enumerate() {
            for list in ["prefixItems", "items"] {
                let pointer = format!("{pointer}/{list}/{at}");
                if self.schema(&pointer).is_some() {
                    self.typed(scope, field, &pointer);
                    let place = self.program.place(scope.module, field.ty.span());
                    self.places.insert(pointer, place);
                }
            }
        }
    }

    /// A struct or enum: itself, and what its fields and variants are.
    fn declared(&mut self, adt: Adt<'t>, arguments: &[Ty<'t>], pointer: &str) {
        let (ident, attributes) = match adt.item {
            Item::Struct(item) => (&item.ident, &item.attrs),
            Item::Enum(item) => (&item.ident, &item.attrs),
            _ => return,
        };
        let scope = Scope::inside(adt, arguments);
        let named = self.named(&scope, None, attributes, Both::default(), Rule::field);
        let named = named.unwrap_or_default();
        if named.is_derived && !named.is_replaced {
            match adt.item {
                Item::Struct(item) => match stands_for(item, &named) {
                    Some(field) => self.typed(&scope, field, pointer),
                    None => self.fields(&scope, &item.fields, named.rules.all, pointer),
                },
                Item::Enum(item) => self.variants(&scope, item, &named, pointer),
                _ => {}
            }
            self.keywords(adt.module, attributes, pointer);
        }
        if !matches!(adt.item, Item::Struct(item) if stands_for(item, &named).is_some()) {
            let lists = match adt.item {
                Item::Enum(_) => &["enum", "anyOf", "oneOf"][..],
                _ => &["properties"],
            };
            self.whole(adt.module, ident, pointer, lists);
        } else if !self.places.contains_key(pointer) {
            // The type inside of it may have told more.
            let place = self.program.place(adt.module, ident.span());
            self.places.insert(pointer.to_owned(), place);
        }
    }

    /// What the attributes of something on or in a type say of names.
    fn named(
        &self,
        scope: &Scope<'t>,
        ident: Option<&Ident>,
        attributes: &[Attribute],
        rules: Both,
        apply: fn(Rule, &str) -> String,
    ) -> Option<Named> {
        let Some(Ty::Adt(adt, _)) = &scope.this else { return None };
        let cfg = &self.program.krate(adt.module).unit.cfg;
        Named::read(*adt, cfg, ident, attributes, rules, apply).ok().flatten()
    }

    /// Says that a schema stands for a type or variant, where what one of these `lists` in it holds
    /// would stand too.
    fn whole(&mut self, module: ModuleId, ident: &Ident, pointer: &str, lists: &[&str]) {
        let place = self.program.place(module, ident.span());
        for list in lists {
            self.places.insert(format!("{pointer}/{list}"), place.clone());
        }
        self.places.insert(pointer.to_owned(), place);
    }

    /// What the type of a field says.
    fn typed(&mut self, scope: &Scope<'t>, field: &'t Field, pointer: &str) {
        if let Ok(ty) = self.program.ty(scope, &field.ty) {
            self.find(&ty, pointer);
        }
    }

    fn fields(&mut self, scope: &Scope<'t>, fields: &'t Fields, rules: Both, pointer: &str) {
        let read = fields.iter().filter_map(|field| {
            let ident = field.ident.as_ref();
            Some((field, self.named(scope, ident, &field.attrs, rules, Rule::field)?))
        });
        let read: Vec<(&Field, Named)> = read.collect();
        if let Fields::Unnamed(_) = fields {
            match read.as_slice() {
                [(field, named)] if !named.is_replaced => self.typed(scope, field, pointer),
                several if several.len() == fields.len() => self.elements(scope, fields, pointer),
                _ => {}
            }
            return;
        }
        for (field, _) in read.iter().filter(|(_, named)| named.is_flat && !named.is_replaced) {
            self.typed(scope, field, pointer);
        }
        let Some(Value::Object(properties)) =
            self.schema(pointer).and_then(|it| it.get("properties"))
        else {
            return;
        };
        let own = read.iter().filter(|(_, named)| !named.is_flat).filter_map(|(field, named)| {
            Some((named.of(&|name| properties.contains_key(name))?, (*field, named)))
        });
        for (name, (field, named)) in unique(own) {
            let pointer = property(pointer, name);
            if self.places.contains_key(&pointer) {
                // A flattened field has the same name.
                let inside = format!("{pointer}/");
                self.places.retain(|place, _| *place != pointer && !place.starts_with(&inside));
                continue;
            }
            if !named.is_replaced {
                self.typed(scope, field, &pointer);
            }
            self.keywords(scope.module, &field.attrs, &pointer);
            let span = field.ident.as_ref().map_or_else(|| field.ty.span(), Ident::span);
            self.places.insert(pointer, self.program.place(scope.module, span));
        }
    }

    fn variants(&mut self, scope: &Scope<'t>, item: &'t ItemEnum, named: &Named, pointer: &str) {
        let Some(schema) = self.schema(pointer) else { return };
        let read = item.variants.iter().filter_map(|variant| {
            let (ident, rules) = (Some(&variant.ident), named.rules.all);
            Some((variant, self.named(scope, ident, &variant.attrs, rules, Rule::variant)?))
        });
        let read: Vec<(&Variant, Named)> = read.filter(|(_, inner)| !inner.is_untagged).collect();
        let find = |name: &str| {
            let mut same = read.iter().filter(|(_, it)| it.of(&|own| own == name).is_some());
            same.next().filter(|_| same.next().is_none())
        };
        let values = |finder: &mut Self, schema: &Map<String, Value>, pointer: &str| {
            for (at, value) in strings(schema.get("enum")) {
                if let Some((variant, _)) = find(value) {
                    let place = finder.program.place(scope.module, variant.ident.span());
                    finder.places.insert(format!("{pointer}/enum/{at}"), place);
                }
            }
        };
        values(self, schema, pointer);
        for list in BRANCHES {
            let branches = schema.get(list).and_then(Value::as_array).map(Vec::as_slice);
            let branches = branches.unwrap_or_default();
            // Without a name its place in the list tells a variant.
            let in_order = read.len() == branches.len() && read.len() == item.variants.len();
            for (at, branch) in branches.iter().enumerate() {
                let Value::Object(branch) = branch else { continue };
                let pointer = format!("{pointer}/{list}/{at}");
                values(self, branch, &pointer);
                let told = match named.is_untagged {
                    true => in_order.then(|| (&read[at], Some(String::new()))),
                    false => told_apart(branch, named)
                        .and_then(|(name, content)| Some((find(name)?, content))),
                };
                let Some(((variant, inner), content)) = told else { continue };
                if content.is_some()
                    && named.tag.is_none()
                    && !named.is_untagged
                    && variant.fields.is_empty()
                {
                    continue;
                }
                let content = content.map(|content| format!("{pointer}{content}"));
                if let Some(content) = content.filter(|_| !inner.is_replaced) {
                    let rules = inner.rules.all.or(named.rules.fields);
                    self.fields(scope, &variant.fields, rules, &content);
                    self.whole(scope.module, &variant.ident, &content, &["properties"]);
                }
                self.keywords(scope.module, &variant.attrs, &pointer);
                self.whole(scope.module, &variant.ident, &pointer, &["properties"]);
            }
        }
    }

    /// The keywords of a schema that attributes and doc comments give.
    fn keywords(&mut self, module: ModuleId, attributes: &[Attribute], pointer: &str) {
        let mut found: Vec<(&str, Span)> = Vec::new();
        found.extend(written::doc(attributes).map(|span| ("description", span)));
        for attribute in ["serde", "validate", "garde", "schemars", "json_schema"] {
            for item in written::items(attributes, attribute) {
                let items = written::items_of(item.value);
                let has = |inner: &str| inner.is_empty() || items.iter().any(|it| it.name == inner);
                let given =
                    KEYWORDS.iter().filter(|(name, inner, _)| item.name == *name && has(inner));
                found.extend(given.map(|(.., keyword)| (*keyword, item.span)));
            }
        }
        let Some(schema) = self.schema(pointer) else { return };
        for (keyword, span) in
            found.into_iter().filter(|(keyword, _)| schema.contains_key(*keyword))
        {
            self.places.insert(format!("{pointer}/{keyword}"), self.program.place(module, span));
        }
    }
}

/// Items of attributes, what has to stand inside of them, and the keywords that they give.
const KEYWORDS: [(&str, &str, &str); 22] = [
    ("contains", "", "pattern"),
    ("default", "", "default"),
    ("deprecated", "", "deprecated"),
    ("description", "", "description"),
    ("email", "", "format"),
    ("example", "", "examples"),
    ("format", "", "format"),
    ("length", "max", "maxItems"),
    ("length", "max", "maxLength"),
    ("length", "min", "minItems"),
    ("length", "min", "minLength"),
    ("max_items", "", "maxItems"),
    ("max_length", "", "maxLength"),
    ("maximum", "", "maximum"),
    ("min_items", "", "minItems"),
    ("min_length", "", "minLength"),
    ("minimum", "", "minimum"),
    ("pattern", "", "pattern"),
    ("range", "max", "maximum"),
    ("range", "min", "minimum"),
    ("regex", "", "pattern"),
    ("title", "", "title"),
];

/// The one field that a struct stands for.
fn stands_for<'t>(item: &'t ItemStruct, named: &Named) -> Option<&'t Field> {
    let is_phantom = |field: &&Field| signature::named(&field.ty, "PhantomData").is_some();
    let mut fields = item.fields.iter().filter(|field| !is_phantom(field));
    let is_wrapper = named.is_transparent || matches!(item.fields, Fields::Unnamed(_));
    fields.next().filter(|_| is_wrapper && fields.next().is_none())
}

/// The pointer to a property of the schema at a pointer.
pub(super) fn property(pointer: &str, name: &str) -> String {
    format!("{pointer}/properties/{}", escaped(name))
}

/// The values whose names come once.
fn unique<'n, T>(values: impl Iterator<Item = (&'n str, T)>) -> impl Iterator<Item = (&'n str, T)> {
    let mut by_name: BTreeMap<&str, Option<T>> = BTreeMap::new();
    for (name, value) in values {
        by_name.entry(name).and_modify(|known| *known = None).or_insert(Some(value));
    }
    by_name.into_iter().filter_map(|(name, value)| Some((name, value?)))
}

/// The strings of a list, each with its index.
fn strings(list: Option<&Value>) -> impl Iterator<Item = (usize, &str)> {
    let list = list.and_then(Value::as_array).into_iter().flatten().enumerate();
    list.filter_map(|(at, value)| Some((at, value.as_str()?)))
}

/// The one string that a schema accepts.
fn constant(schema: &Map<String, Value>) -> Option<&str> {
    if let Some(value) = schema.get("const") {
        return value.as_str();
    }
    let mut values = strings(schema.get("enum"));
    values.next().map(|(_, value)| value).filter(|_| values.next().is_none())
}

/// The pointer, from a schema, to the branch that stands beside `null`.
fn or_null(schema: &Map<String, Value>) -> Option<String> {
    let is_null = |branch: &Value| branch.get("type").is_some_and(|ty| ty == "null");
    BRANCHES.iter().find_map(|list| {
        let branches = schema.get(*list)?.as_array()?;
        match branches.as_slice() {
            [_, null] if is_null(null) => Some(format!("{list}/0")),
            [null, _] if is_null(null) => Some(format!("{list}/1")),
            _ => None,
        }
    })
}

/// The name of the variant that a branch of an enum's schema stands for, and the pointer, from the
/// branch, to the schema of what the variant holds.
fn told_apart<'s>(
    branch: &'s Map<String, Value>,
    named: &Named,
) -> Option<(&'s str, Option<String>)> {
    if let Some(name) = constant(branch) {
        return Some((name, None));
    }
    let properties = branch.get("properties")?.as_object()?;
    match (&named.tag, &named.content) {
        (Some(tag), content) => {
            let name = constant(properties.get(tag)?.as_object()?)?;
            let content = content.as_ref().map_or_else(String::new, |it| property("", it));
            Some((name, Some(content)))
        }
        (None, _) => {
            let mut names = properties.keys();
            let name = names.next().filter(|_| names.next().is_none())?;
            Some((name, Some(property("", name))))
        }
    }
}
