//! What a path stands for (Rust Reference, "Names", "Name resolution").

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use syn::{Fields, Item, Visibility};

use super::declared::{self, Called, Declared};
use super::error::{Result, unresolved};
use super::known;
use super::program::{Dependency, Entry, ModuleId, Program, UsePath, What, unraw};

/// More steps than any chain of imports has.
const MAX_STEPS: usize = 64;

/// Which of the names of a module is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Namespace {
    Type,
    Value,
    Macro,
}

/// What paths stand for that were asked for before, each as written in its module.
pub(super) type Resolved<'t> =
    RefCell<BTreeMap<(ModuleId, bool, Namespace, Vec<String>), Result<Target<'t>>>>;

/// What a path stands for.
#[derive(Clone)]
pub(super) enum Target<'t> {
    /// An item of a crate whose source is at hand.
    Item(ModuleId, &'t Item),
    /// A module of such a crate.
    Module(ModuleId),
    /// Something in another crate, by its canonical path; the first segment is the crate.
    Extern(Vec<String>),
    /// A primitive type.
    Primitive(&'static str),
}

impl Target<'_> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Item(_, one), Self::Item(_, other)) => std::ptr::eq(*one, *other),
            (Self::Module(one), Self::Module(other)) => one == other,
            (Self::Extern(one), Self::Extern(other)) => one == other,
            (Self::Primitive(one), Self::Primitive(other)) => one == other,
            _ => false,
        }
    }
}

/// One search, with the steps it has made and the globs it is inside of.
struct Search<'p, 't> {
    program: &'p Program<'t>,
    namespace: Namespace,
    steps: usize,
    inside: Vec<(ModuleId, String)>,
    /// The glob imports whose own paths are being resolved.
    finding: Vec<&'p UsePath>,
}

impl<'p, 't> Search<'p, 't> {
    fn new(program: &'p Program<'t>, namespace: Namespace) -> Self {
        Self { program, namespace, steps: 0, inside: Vec::new(), finding: Vec::new() }
    }
}

impl<'t> Program<'t> {
    /// What a path written in a module stands for.
    pub(super) fn resolve(
        &self,
        from: ModuleId,
        global: bool,
        segments: &[String],
        namespace: Namespace,
    ) -> Result<Target<'t>> {
        let key = (from, global, namespace, segments.to_vec());
        if let Some(known) = self.resolved.borrow().get(&key) {
            return known.clone();
        }
        let found = match Search::new(self, namespace).path(from, global, segments) {
            Ok(Some(target)) => Ok(target),
            Ok(None) => unresolved(format!("`{}` is not found", segments.join("::"))),
            Err(error) => Err(error),
        };
        self.resolved.borrow_mut().insert(key, found.clone());
        found
    }

    /// As [`Program::resolve`], for a path as it was parsed.
    pub(super) fn resolve_path(
        &self,
        from: ModuleId,
        path: &syn::Path,
        namespace: Namespace,
    ) -> Result<Target<'t>> {
        let segments: Vec<_> = path.segments.iter().map(|segment| unraw(&segment.ident)).collect();
        self.resolve(from, path.leading_colon.is_some(), &segments, namespace)
    }

    /// Whether no macro has this name in a module.
    pub(super) fn names_no_macro(&self, module: ModuleId, name: &str) -> Result<bool> {
        let mut search = Search::new(self, Namespace::Macro);
        let found = search.member(module, name, module)?;
        // A crate that is imported under its name is no macro.
        Ok(found.is_none_or(|target| matches!(target, Target::Extern(path) if path.len() == 1)))
    }

    /// Whether the name of a known macro may be that of another one in a module: of a crate that is
    /// not known, or made by a macro around the module.
    pub(super) fn has_foreign_macro(&self, module: ModuleId, name: &str) -> Result<bool> {
        let foreign = |krate: &str| !known::OF_KNOWN_MACROS.contains(&krate);
        let mut around = std::iter::successors(Some(module), |at| self.parent(*at));
        let root = ModuleId { module: 0, ..module };
        let mut used = self.names(root).macro_uses.iter();
        if around.any(|at| self.macros_may_declare(at, name))
            || used.any(|krate| foreign(krate) && !known::WITHOUT_KNOWN_MACROS.contains(&&**krate))
        {
            return Ok(true);
        }
        let found = Search::new(self, Namespace::Macro).member(module, name, module)?;
        let is_renamed = |path: &[String]| path.last().is_some_and(|last| last != name);
        Ok(matches!(found, Some(Target::Extern(path))
            if path.len() > 1 && (foreign(&path[0]) || is_renamed(&path))))
    }

    /// Whether a macro of these crates has this name anywhere, or is imported under it.
    pub(super) fn declares_macro(&self, name: &str) -> bool {
        let mut names = vec![name];
        let mut at = 0;
        while let Some(name) = names.get(at).copied() {
            at += 1;
            for module in self.modules().map(|module| self.names(module)) {
                let mut idents = module.macros.iter().filter_map(|item| item.ident.as_ref());
                if idents.any(|ident| unraw(ident) == name) {
                    return true;
                }
                for entry in module.entries.get(name).into_iter().flatten() {
                    if let What::Use(UsePath { segments, .. }) = &entry.what
                        && let Some(last) = segments.last()
                        && !names.contains(&last.as_str())
                    {
                        names.push(last);
                    }
                }
            }
        }
        false
    }

    /// Whether `module` is `outer` or stands in it.
    fn is_within(&self, module: ModuleId, outer: ModuleId) -> bool {
        std::iter::successors(Some(module), |at| self.parent(*at)).any(|at| at == outer)
    }

    /// Whether `from` sees what `module` declares with this visibility; `None` where that is not
    /// told.
    fn sees(&self, from: ModuleId, module: ModuleId, visibility: &Visibility) -> Option<bool> {
        Some(match visibility {
            Visibility::Public(_) => true,
            Visibility::Inherited => self.is_within(from, module),
            Visibility::Restricted(restricted) => match restricted.path.get_ident() {
                Some(ident) if ident == "crate" => from.unit == module.unit,
                Some(ident) if ident == "self" => self.is_within(from, module),
                Some(ident) if ident == "super" => {
                    self.parent(module).is_some_and(|parent| self.is_within(from, parent))
                }
                _ => return None,
            },
        })
    }

    /// The words that macros may implement `Serialize` for, or make macros of.
    pub(super) fn mentioned(&self) -> &BTreeSet<String> {
        self.mentioned.get_or_init(|| declared::mentioned(self))
    }

    /// What the macros of a name declare.
    pub(super) fn called(&self, name: &str) -> Rc<Called> {
        let known = self.called.borrow().get(name).cloned();
        known.unwrap_or_else(|| {
            let called = Rc::new(Called::of(self, name));
            self.called.borrow_mut().insert(name.to_owned(), Rc::clone(&called));
            called
        })
    }

    /// Whether a macro call in a module may declare this name.
    fn macros_may_declare(&self, module: ModuleId, name: &str) -> bool {
        let known = self.declared.borrow().get(&module).cloned();
        let declared = known.unwrap_or_else(|| {
            let declared = Rc::new(Declared::of(self, module));
            self.declared.borrow_mut().insert(module, Rc::clone(&declared));
            declared
        });
        declared.may_be(name)
    }
}

impl<'t> Search<'_, 't> {
    fn path(
        &mut self,
        from: ModuleId,
        global: bool,
        segments: &[String],
    ) -> Result<Option<Target<'t>>> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return unresolved(format!("the imports of `{}` have no end", segments.join("::")));
        }
        let Some((first, rest)) = segments.split_first() else { return Ok(None) };
        let wanted = self.namespace;
        // All but the last segment name modules or types.
        let namespace = |rest: &[String]| if rest.is_empty() { wanted } else { Namespace::Type };
        self.namespace = namespace(rest);
        let found = if global { self.extern_crate(from, first) } else { self.first(from, first) };
        self.namespace = wanted;
        let Some(mut at) = found? else { return Ok(None) };
        let mut rest = rest;
        while let Some((next, after)) = rest.split_first() {
            rest = after;
            at = match at {
                Target::Module(module) if next == "super" => match self.program.parent(module) {
                    Some(parent) => Target::Module(parent),
                    None => return Ok(None),
                },
                Target::Module(module) => {
                    self.namespace = namespace(rest);
                    let found = self.member(module, next, from);
                    self.namespace = wanted;
                    match found? {
                        Some(found) => found,
                        None => return Ok(None),
                    }
                }
                Target::Extern(path) => Target::Extern(known::canonical(path, next)),
                Target::Item(_, Item::Enum(item))
                    if wanted != Namespace::Macro
                        && item.variants.iter().any(|variant| variant.ident == next) =>
                {
                    return unresolved(format!("`{next}` is a variant"));
                }
                // An associated item.
                Target::Item(..) | Target::Primitive(_) => return Ok(None),
            };
        }
        Ok(Some(at))
    }

    /// The first segment of a path.
    fn first(&mut self, from: ModuleId, name: &str) -> Result<Option<Target<'t>>> {
        let program = self.program;
        match name {
            "crate" | "$crate" => {
                return Ok(Some(Target::Module(ModuleId { module: 0, ..from })));
            }
            "self" => return Ok(Some(Target::Module(from))),
            "super" => return Ok(program.parent(from).map(Target::Module)),
            _ => {}
        }
        if program.krate(from).unit.edition < 2018 {
            return unresolved("edition 2015 resolves paths in another way");
        }
        if let Some(found) = self.member(from, name, from)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.extern_crate(from, name)? {
            return Ok(Some(found));
        }
        Ok(known::prelude(name, self.namespace))
    }

    fn extern_crate(&mut self, from: ModuleId, name: &str) -> Result<Option<Target<'t>>> {
        if let "std" | "core" | "alloc" = name {
            return Ok(Some(Target::Extern(vec!["std".into()])));
        }
        Ok(match self.program.krate(from).unit.dependencies.get(name) {
            Some(Dependency::Unit(unit)) => {
                Some(Target::Module(ModuleId { unit: *unit, module: 0 }))
            }
            Some(Dependency::Package { name, .. }) => {
                Some(Target::Extern(known::canonical(Vec::new(), name)))
            }
            None => None,
        })
    }

    /// What a module declares or imports under a name, as `from` sees it.
    fn member(
        &mut self,
        module: ModuleId,
        name: &str,
        from: ModuleId,
    ) -> Result<Option<Target<'t>>> {
        let program = self.program;
        let mut found: Option<Target<'t>> = None;
        for entry in program.names(module).entries.get(name).into_iter().flatten() {
            let Some(target) = self.entry(module, entry)? else { continue };
            if entry.active.is_none() {
                return unresolved(format!("a condition on `{name}` cannot be evaluated"));
            }
            if found.as_ref().is_some_and(|found| !found.same(&target)) {
                return unresolved(format!("`{name}` is declared more than once"));
            }
            found = Some(target);
        }
        if found.is_some() {
            return Ok(found);
        }
        if program.macros_may_declare(module, name) {
            return unresolved(format!("`{name}` may be made by a macro"));
        }
        self.globs(module, name, from)
    }

    fn entry(&mut self, module: ModuleId, entry: &Entry<'t>) -> Result<Option<Target<'t>>> {
        if entry.active == Some(false) {
            return Ok(None);
        }
        match &entry.what {
            What::Item(item) => {
                Ok(is_in(item, self.namespace).then_some(Target::Item(module, item)))
            }
            What::Module(child) => Ok((self.namespace == Namespace::Type)
                .then_some(Target::Module(ModuleId { module: *child, ..module }))),
            What::Extern(name) if name == "self" => {
                Ok(Some(Target::Module(ModuleId { module: 0, ..module })))
            }
            What::Extern(name) => self.extern_crate(module, name),
            What::Use(UsePath { global, segments }) => {
                // An import of a crate's name by itself does not lead back to this entry.
                if let [only] = segments.as_slice()
                    && let Some(krate) = self.extern_crate(module, only)?
                {
                    return Ok(Some(krate));
                }
                self.path(module, *global, segments)
            }
        }
    }

    fn globs(
        &mut self,
        module: ModuleId,
        name: &str,
        from: ModuleId,
    ) -> Result<Option<Target<'t>>> {
        let program = self.program;
        let mut found: Option<Target<'t>> = None;
        if self.inside.iter().any(|(at, of)| *at == module && of == name) {
            return Ok(None);
        }
        self.inside.push((module, name.to_owned()));
        // Why a module whose exports are not known may bring the name.
        let mut unknown = None;
        for (path, entry) in &program.names(module).globs {
            if entry.active == Some(false) {
                continue;
            }
            if program.sees(from, module, entry.visibility) == Some(false) {
                continue;
            }
            // What a glob import brings does not help to find what it imports.
            if self.finding.iter().any(|finding| std::ptr::eq(*finding, path)) {
                continue;
            }
            self.finding.push(path);
            let wanted = std::mem::replace(&mut self.namespace, Namespace::Type);
            let target = self.path(module, path.global, &path.segments);
            self.namespace = wanted;
            self.finding.pop();
            let target = match target? {
                Some(Target::Module(other)) => self.seen(other, name, module)?,
                Some(Target::Extern(path)) => match self.exports(module, &path, name) {
                    Some(true) => Some(Target::Extern(known::canonical(path, name))),
                    Some(false) => None,
                    None => {
                        unknown = Some(path.join("::"));
                        None
                    }
                },
                Some(Target::Item(_, Item::Enum(item))) => {
                    if item.variants.iter().any(|variant| variant.ident == name) {
                        return unresolved(format!("`{name}` is a variant"));
                    }
                    None
                }
                _ => {
                    let path = path.segments.join("::");
                    return unresolved(format!("`{path}::*` is not found"));
                }
            };
            let Some(target) = target else { continue };
            if entry.active.is_none() {
                return unresolved(format!("a condition on `{name}` cannot be evaluated"));
            }
            if found.as_ref().is_some_and(|found| !found.same(&target)) {
                return unresolved(format!("`{name}` comes from more than one glob import"));
            }
            found = Some(target);
        }
        self.inside.pop();
        // A name that two glob imports bring does not compile where it is used.
        match (found, unknown) {
            (None, Some(path)) => unresolved(format!("`{name}` may come from `{path}::*`")),
            (found, _) => Ok(found),
        }
    }

    /// Whether a module of another crate exports a name to `module`; `None` where that is not known.
    fn exports(&self, module: ModuleId, path: &[String], name: &str) -> Option<bool> {
        // No other crate knows of those whose source is at hand here.
        let dependencies = &self.program.krate(module).unit.dependencies;
        if matches!(dependencies.get(name), Some(Dependency::Unit(_))) {
            return Some(false);
        }
        known::exports(path, name)
    }

    /// What a glob import of `module` in `from` brings under a name.
    fn seen(&mut self, module: ModuleId, name: &str, from: ModuleId) -> Result<Option<Target<'t>>> {
        let program = self.program;
        let entries = program.names(module).entries.get(name).map(Vec::as_slice);
        let mut hidden = false;
        for entry in entries.unwrap_or_default() {
            match program.sees(from, module, entry.visibility) {
                Some(true) => {}
                Some(false) => hidden = true,
                None => return unresolved(format!("who sees `{name}` is not told")),
            }
        }
        if hidden {
            // Private items and imports do not pass; with others of that name it gets intricate.
            if entries.is_some_and(|entries| entries.len() > 1) {
                return unresolved(format!("`{name}` is declared more than once"));
            }
            return Ok(None);
        }
        self.member(module, name, from)
    }
}

/// Whether an item's name is in a namespace.
fn is_in(item: &Item, namespace: Namespace) -> bool {
    match item {
        // Those without names for their fields are functions or constants, too.
        Item::Struct(item) => {
            namespace == Namespace::Type
                || (namespace == Namespace::Value && !matches!(item.fields, Fields::Named(_)))
        }
        Item::Enum(_) | Item::Union(_) | Item::Type(_) | Item::Trait(_) | Item::TraitAlias(_) => {
            namespace == Namespace::Type
        }
        Item::Fn(_) | Item::Const(_) | Item::Static(_) => namespace == Namespace::Value,
        _ => false,
    }
}
