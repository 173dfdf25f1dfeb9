//! The items of every crate of a build, by module and name.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

use proc_macro2::Span;
use semver::Version;
use syn::{Attribute, Ident, Item, UseTree, Visibility};

use super::cfg::Cfg;
use super::declared::{Called, Declared};
use super::names::Resolved;
use crate::scan::{CrateScan, SourceSpan};

/// A crate whose source is at hand.
#[derive(Debug, Clone)]
pub struct Unit {
    /// Absolute path of its root file.
    pub root: PathBuf,
    /// Its name in Rust code.
    pub name: String,
    /// Its edition, as in Cargo.toml (2015, 2018, 2021, 2024).
    pub edition: u16,
    /// What it is compiled with.
    pub cfg: Cfg,
    /// The crates it can name, by the name it knows them by.
    pub dependencies: BTreeMap<String, Dependency>,
    /// The values of `env!`, such as `CARGO_PKG_VERSION`.
    pub environment: BTreeMap<String, String>,
    /// Whether its tools are looked for; otherwise it only holds types.
    pub serves: bool,
}

/// A crate that another one names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dependency {
    /// A crate whose source is not read.
    Package {
        /// The name it is published under, with underscores.
        name: String,
        /// Its version.
        version: Version,
    },
    /// Another unit, by its index.
    Unit(usize),
}

/// One module of one crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ModuleId {
    /// Index of the unit.
    pub(super) unit: usize,
    /// Index of the module in its scan.
    pub(super) module: usize,
}

/// Something that a module declares or imports under a name.
#[derive(Clone)]
pub(super) struct Entry<'t> {
    pub(super) what: What<'t>,
    /// Who sees it.
    pub(super) visibility: &'t Visibility,
    /// Whether it is compiled; `None` where that cannot be told.
    pub(super) active: Option<bool>,
}

/// What a name stands for in one module.
#[derive(Clone)]
pub(super) enum What<'t> {
    /// A struct, enum, type alias, function, constant or anything else that has a name.
    Item(&'t Item),
    /// A child module.
    Module(usize),
    /// An import of this path.
    Use(UsePath),
    /// `extern crate` of this name.
    Extern(String),
}

/// The path of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UsePath {
    /// Whether it starts with `::`.
    pub(super) global: bool,
    pub(super) segments: Vec<String>,
}

/// The names of one module.
#[derive(Default)]
pub(super) struct Names<'t> {
    pub(super) entries: BTreeMap<String, Vec<Entry<'t>>>,
    pub(super) globs: Vec<(UsePath, Entry<'t>)>,
    /// The crates whose macros are brought by `#[macro_use]`.
    pub(super) macro_uses: Vec<String>,
    /// Macro calls and definitions.
    pub(super) macros: Vec<&'t syn::ItemMacro>,
    modules: BTreeMap<String, &'t Visibility>,
    pub(super) impls: Vec<&'t syn::ItemImpl>,
}

/// One crate with the names in it.
pub(super) struct Crate<'t> {
    pub(super) unit: &'t Unit,
    pub(super) scan: &'t CrateScan,
    pub(super) modules: Vec<Names<'t>>,
    /// Whether each module is compiled, and thereby its file read.
    pub(super) active: Vec<Option<bool>>,
}

/// Every crate of a build.
pub(super) struct Program<'t> {
    pub(super) crates: Vec<Crate<'t>>,
    pub(super) resolved: Resolved<'t>,
    /// What the macro calls of a module may declare, where that was asked for.
    pub(super) declared: RefCell<BTreeMap<ModuleId, Rc<Declared>>>,
    /// What macros declare, by their names, where that was asked for.
    pub(super) called: RefCell<BTreeMap<String, Rc<Called>>>,
    pub(super) mentioned: OnceCell<BTreeSet<String>>,
    /// See [`Sdk::keeps_digits`](super::Sdk::keeps_digits).
    pub(super) keeps_digits: bool,
}

impl<'t> Program<'t> {
    pub(super) fn new(
        units: &'t [Unit],
        parsed: &'t [crate::scan::Parsed],
        keeps_digits: bool,
    ) -> Self {
        let crates = units.iter().zip(parsed);
        let crates = crates.map(|(unit, (scan, trees))| Crate::new(unit, scan, trees)).collect();
        Self {
            crates,
            resolved: Resolved::default(),
            declared: RefCell::default(),
            called: RefCell::default(),
            mentioned: OnceCell::new(),
            keeps_digits,
        }
    }

    pub(super) fn krate(&self, module: ModuleId) -> &Crate<'t> {
        &self.crates[module.unit]
    }

    pub(super) fn names(&self, module: ModuleId) -> &Names<'t> {
        &self.crates[module.unit].modules[module.module]
    }

    /// The module that a module stands in.
    pub(super) fn parent(&self, module: ModuleId) -> Option<ModuleId> {
        let parent = self.krate(module).scan.modules[module.module].parent?;
        Some(ModuleId { module: parent, ..module })
    }

    /// Every module.
    pub(super) fn modules(&self) -> impl Iterator<Item = ModuleId> + '_ {
        self.crates.iter().enumerate().flat_map(|(unit, krate)| {
            (0..krate.modules.len()).map(move |module| ModuleId { unit, module })
        })
    }

    /// The module's path as `module_path!()` gives it.
    pub(super) fn path(&self, module: ModuleId) -> String {
        let krate = self.krate(module);
        let mut names = Vec::new();
        let mut next = Some(module);
        while let Some(at) = next {
            next = self.parent(at);
            if next.is_some() {
                names.push(krate.scan.modules[at.module].name.as_str());
            }
        }
        names.push(&krate.unit.name);
        names.reverse();
        names.join("::")
    }

    /// The place of a span in the file of a module.
    pub(super) fn place(&self, module: ModuleId, span: Span) -> SourceSpan {
        SourceSpan::new(self.krate(module).scan.modules[module.module].file.clone(), span)
    }
}

impl<'t> Crate<'t> {
    fn new(unit: &'t Unit, scan: &'t CrateScan, trees: &'t [Vec<Item>]) -> Self {
        let mut active: Vec<Option<bool>> = Vec::with_capacity(scan.modules.len());
        for module in &scan.modules {
            let own = unit.cfg.all(&module.cfgs).filter(|_| !module.from_macro);
            let parent = module.parent.map_or(Some(true), |parent| active[parent]);
            active.push(match (parent, own) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            });
        }
        let modules = trees.iter().map(|items| names(unit, items)).collect();
        let mut krate = Self { unit, scan, modules, active };
        for (index, module) in scan.modules.iter().enumerate() {
            let Some(parent) = module.parent else { continue };
            let name = module.name.trim_start_matches("r#");
            let declared = krate.modules[parent].modules.get(name).copied();
            let entry = Entry {
                what: What::Module(index),
                visibility: declared.unwrap_or(&Visibility::Inherited),
                active: krate.active[index],
            };
            krate.modules[parent].entries.entry(name.to_owned()).or_default().push(entry);
        }
        krate
    }
}

fn names<'t>(unit: &Unit, items: &'t [Item]) -> Names<'t> {
    let mut names = Names::default();
    for item in items {
        let (name, attributes, visibility) = match item {
            Item::Struct(it) => (unraw(&it.ident), &it.attrs, &it.vis),
            Item::Enum(it) => (unraw(&it.ident), &it.attrs, &it.vis),
            Item::Union(it) => (unraw(&it.ident), &it.attrs, &it.vis),
            Item::Type(it) => (unraw(&it.ident), &it.attrs, &it.vis),
            Item::Trait(it) => (unraw(&it.ident), &it.attrs, &it.vis),
            Item::TraitAlias(it) => (unraw(&it.ident), &it.attrs, &it.vis),
            Item::Fn(it) => (unraw(&it.sig.ident), &it.attrs, &it.vis),
            Item::Const(it) => (unraw(&it.ident), &it.attrs, &it.vis),
            Item::Static(it) => (unraw(&it.ident), &it.attrs, &it.vis),
            Item::Impl(it) => {
                names.impls.push(it);
                continue;
            }
            Item::Macro(it) => {
                names.macros.push(it);
                continue;
            }
            Item::Mod(it) => {
                names.modules.insert(unraw(&it.ident), &it.vis);
                continue;
            }
            Item::Use(it) => {
                let active = active(&unit.cfg, &it.attrs);
                let path = UsePath { global: it.leading_colon.is_some(), segments: Vec::new() };
                imports(&it.tree, path, &it.vis, active, &mut names);
                continue;
            }
            Item::ExternCrate(it) => {
                let name = unraw(it.rename.as_ref().map_or(&it.ident, |(_, name)| name));
                let entry = Entry {
                    what: What::Extern(unraw(&it.ident)),
                    visibility: &it.vis,
                    active: active(&unit.cfg, &it.attrs),
                };
                if entry.active != Some(false)
                    && crate::scan::attributes(&it.attrs)
                        .iter()
                        .any(|attribute| attribute.meta.path().is_ident("macro_use"))
                {
                    names.macro_uses.push(unraw(&it.ident));
                }
                names.entries.entry(name).or_default().push(entry);
                continue;
            }
            _ => continue,
        };
        let entry =
            Entry { what: What::Item(item), visibility, active: active(&unit.cfg, attributes) };
        names.entries.entry(name).or_default().push(entry);
    }
    names
}

/// Whether an item with these attributes is compiled.
pub(super) fn active(cfg: &Cfg, attributes: &[Attribute]) -> Option<bool> {
    let conditional = attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr"));
    if conditional { cfg.all(&crate::scan::conditions(attributes)) } else { Some(true) }
}

fn imports<'t>(
    tree: &'t UseTree,
    mut path: UsePath,
    visibility: &'t Visibility,
    active: Option<bool>,
    names: &mut Names<'t>,
) {
    let mut add = |name: String, path: UsePath| {
        let entry = Entry { what: What::Use(path), visibility, active };
        names.entries.entry(name).or_default().push(entry);
    };
    match tree {
        UseTree::Path(tree) => {
            path.segments.push(unraw(&tree.ident));
            imports(&tree.tree, path, visibility, active, names);
        }
        UseTree::Name(tree) if tree.ident == "self" => {
            if let Some(name) = path.segments.last() {
                add(name.clone(), path.clone());
            }
        }
        UseTree::Name(tree) => {
            path.segments.push(unraw(&tree.ident));
            add(unraw(&tree.ident), path);
        }
        UseTree::Rename(tree) => {
            if tree.ident != "self" {
                path.segments.push(unraw(&tree.ident));
            }
            if tree.rename != "_" {
                add(unraw(&tree.rename), path);
            }
        }
        UseTree::Glob(_) => {
            let entry = Entry { what: What::Use(path.clone()), visibility, active };
            names.globs.push((path, entry));
        }
        UseTree::Group(tree) => {
            for tree in &tree.items {
                imports(tree, path.clone(), visibility, active, names);
            }
        }
    }
}

/// An identifier without `r#`, which is no part of a name.
pub(super) fn unraw(ident: &Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}
