//! The module walk: from a crate root to every file and inline module rustc would read.
//!
//! File lookup follows the Rust Reference, "Module source filenames" and "The path attribute".

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use proc_macro2::Span;
use syn::{Item, ItemMod};

use super::{CrateScan, Missing, Module, ScanError, SourceSpan, Unread, attrs, depth, macros};
use crate::framework::{FRAMEWORKS, Framework, Renamed, rmcp::RMCP};

/// More modules than any real crate has; a `#[path]` that includes itself would never end.
const MAX_MODULES: usize = 20_000;

/// Where the items of one module stand.
#[derive(Clone)]
pub(crate) struct Place {
    /// Index of the module.
    pub(crate) module: usize,
    /// The file.
    pub(crate) file: PathBuf,
}

impl Place {
    /// Where `span` stands in this file.
    pub(crate) fn at(&self, span: Span) -> SourceSpan {
        SourceSpan::new(self.file.clone(), span)
    }
}

/// Where a module's child modules are looked for.
struct Directories {
    /// Directory that `mod child;` is looked up in.
    children: PathBuf,
    /// Directory that a `#[path]` on a child is relative to.
    paths: PathBuf,
}

/// What the source declares, and the items of each of [`CrateScan::modules`].
pub(crate) type Parsed = (CrateScan, Vec<Vec<Item>>);

/// Reads and parses every file of a target, each once.
pub(crate) fn walk(root: &Path, renamed: &Renamed) -> Result<Parsed, ScanError> {
    let text =
        source_text(root).map_err(|source| ScanError::Read { path: root.to_owned(), source })?;
    let mut walker = Walker {
        scan: CrateScan { root: root.to_owned(), renamed: renamed.clone(), ..CrateScan::default() },
        ..Walker::default()
    };
    let directory = root.parent().unwrap_or(Path::new("")).to_owned();
    walker.file(
        text,
        Module {
            name: "crate".into(),
            parent: None,
            file: root.to_owned(),
            end: 0,
            cfgs: Vec::new(),
            from_macro: false,
        },
        Directories { children: directory.clone(), paths: directory },
    );
    Ok(walker.finish())
}

#[derive(Default)]
struct Walker {
    scan: CrateScan,
    /// The items of each module; those of inline modules are moved out of their parents.
    trees: Vec<Vec<Item>>,
    /// The frameworks that some file names.
    named: Vec<&'static Framework>,
}

impl Walker {
    fn finish(mut self) -> Parsed {
        self.trees.resize_with(self.scan.modules.len(), Vec::new);
        // Other crates have attributes of the same names, so a framework counts where it is named.
        // rmcp also does behind a prelude of another crate, where its routers tell.
        let is_named = |framework: &&&Framework| self.named.contains(*framework);
        let candidates =
            FRAMEWORKS.iter().filter(|framework| is_named(framework) || ***framework == RMCP);
        let (mut declaring, mut silent): (Vec<_>, Vec<_>) = candidates
            .map(|framework| (*framework, self.collected(framework)))
            .filter(|(framework, scan)| {
                is_named(&framework) || scan.routers.iter().any(|router| router.generated)
            })
            .partition(|(_, scan)| scan.declares());
        if declaring.len() > 1 {
            let names: Vec<_> = declaring.iter().map(|(it, _)| format!("`{}`", it.name)).collect();
            let reason = format!(
                "tools are declared through {}, and one catalogue cannot be told from both; ask \
                 the running server with `--serve`",
                names.join(" and ")
            );
            let span = SourceSpan::point(self.scan.root.clone(), 1, 1);
            declaring[0].1.unread.push(Unread { span, reason });
        }
        declaring.append(&mut silent);
        if declaring.is_empty() {
            self.scan.unread.clear();
            return (self.scan, self.trees);
        }
        let (framework, mut scan) = declaring.swap_remove(0);
        scan.framework = Some(framework);
        macros::look(&mut scan, framework, &self.trees);
        (scan, self.trees)
    }

    /// What a framework's collector finds.
    fn collected(&self, framework: &Framework) -> CrateScan {
        let mut scan = self.scan.clone();
        for (module, items) in self.trees.iter().enumerate() {
            let place = Place { module, file: self.scan.modules[module].file.clone() };
            (framework.collect)(&mut scan, &place, items);
        }
        scan
    }

    /// Parses one file and walks its items as `module`.
    fn file(&mut self, text: String, module: Module, directories: Directories) {
        let index = self.scan.modules.len();
        if index >= MAX_MODULES {
            return;
        }
        let file = module.file.clone();
        if !self.scan.files.contains(&file) {
            self.scan.files.push(file.clone());
        }
        let renamed = &self.scan.renamed;
        let names = |framework: &&&Framework| {
            let mut others = renamed.iter().filter(|(_, ident)| *ident == framework.ident);
            mentions(&text, framework.ident) || others.any(|(name, _)| mentions(&text, name))
        };
        self.named.extend(FRAMEWORKS.iter().filter(names));
        self.scan.wraps_servers |= text.contains(".with_tools(") || text.contains(".with_tool(");
        let place = Place { module: index, file };
        self.scan.modules.push(Module { end: text.len(), ..module });
        match depth::parse::<syn::File>(&mask_prelude(&text)) {
            Ok(parsed) => {
                self.scan.modules[index].cfgs.extend(attrs::cfgs(&parsed.attrs));
                self.items(&place, &directories, parsed.items);
            }
            Err(error) => {
                let at = error.span().start();
                self.unread(&place, at.line, at.column + 1, format!("it does not parse: {error}"));
            }
        }
    }

    fn unread(&mut self, place: &Place, line: usize, column: usize, reason: String) {
        let span = SourceSpan::point(place.file.clone(), line, column);
        let reason = format!("{reason}; tools in this file cannot be seen");
        self.scan.unread.push(Unread { span, reason });
    }

    fn items(&mut self, place: &Place, directories: &Directories, mut list: Vec<Item>) {
        for item in &mut list {
            match item {
                Item::Mod(module) => self.module(place, directories, module, false),
                Item::Macro(item) => {
                    for mut module in macros::modules(item.mac.tokens.clone()) {
                        self.module(place, directories, &mut module, true);
                    }
                }
                Item::Fn(function) if attrs::is_main_symbol(function) => {
                    let span = place.at(function.sig.ident.span());
                    self.scan.main_symbol.get_or_insert(span);
                }
                _ => {}
            }
        }
        if self.trees.len() <= place.module {
            self.trees.resize_with(place.module + 1, Vec::new);
        }
        self.trees[place.module] = list;
    }

    fn module(
        &mut self,
        place: &Place,
        directories: &Directories,
        item: &mut ItemMod,
        from_macro: bool,
    ) {
        let cfgs = attrs::cfgs(&item.attrs);
        if attrs::test_only(&cfgs) {
            return;
        }
        let ident = item.ident.to_string();
        let name = ident.trim_start_matches("r#");
        let path_attribute = |attr: &attrs::Conditional| match &attr.meta {
            syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) => Some(path.value()),
                _ => None,
            },
            _ => None,
        };
        let explicit: Vec<_> = attrs::flatten(&item.attrs)
            .iter()
            .filter_map(|attr| Some((path_attribute(attr)?, !attr.cfgs.is_empty())))
            .collect();
        let module = Module {
            name: ident.clone(),
            parent: Some(place.module),
            file: place.file.clone(),
            end: 0,
            cfgs,
            from_macro,
        };
        if let Some((brace, list)) = &mut item.content {
            let directory = match explicit.first() {
                Some((path, _)) => directories.paths.join(path),
                None => directories.children.join(name),
            };
            let inner = Place { module: self.scan.modules.len(), file: place.file.clone() };
            let below = Directories { children: directory.clone(), paths: directory };
            self.scan.modules.push(Module { end: brace.span.close().byte_range().start, ..module });
            return self.items(&inner, &below, std::mem::take(list));
        }
        let known = self.scan.modules.len() + self.scan.unread.len();
        let mut files = Vec::new();
        for (path, _) in &explicit {
            let file = directories.paths.join(path);
            let directory = file.parent().unwrap_or(Path::new("")).to_owned();
            files.push((file, Directories { children: directory.clone(), paths: directory }));
        }
        // A `path` behind `cfg_attr` leaves the default file for when the condition is false.
        if explicit.iter().all(|(_, conditional)| *conditional) {
            let flat = directories.children.join(format!("{name}.rs"));
            let nested = directories.children.join(name);
            let paths = directories.children.clone();
            files.push((flat, Directories { children: nested.clone(), paths }));
            let below = Directories { children: nested.clone(), paths: nested.clone() };
            files.push((nested.join("mod.rs"), below));
        }
        let mut is_circular = false;
        let files: Vec<_> = files
            .into_iter()
            .map(|(file, below)| {
                let file = normalize(&file);
                is_circular |= self.module_file(&module, file.clone(), below);
                file
            })
            .collect();
        if self.scan.modules.len() + self.scan.unread.len() == known {
            let span = place.at(item.ident.span());
            self.scan.missing.push(Missing { module, span, files, is_circular });
        }
    }

    /// Reads the file of a module, if it is there; whether that would never end.
    fn module_file(&mut self, module: &Module, file: PathBuf, directories: Directories) -> bool {
        if self.includes_itself(module, &file) {
            return true;
        }
        match source_text(&file) {
            Ok(text) => self.file(text, Module { file, ..module.clone() }, directories),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.scan.unread.push(Unread {
                span: SourceSpan::point(file, 1, 1),
                reason: format!("it cannot be read ({error}); tools in this file cannot be seen"),
            }),
        }
        false
    }

    /// Whether `file` is already one of the module's ancestors: rustc refuses that.
    fn includes_itself(&self, module: &Module, file: &Path) -> bool {
        let mut ancestor = module.parent;
        while let Some(index) = ancestor {
            if self.scan.modules[index].file == file {
                // An inline module shares its parent's file; only a `mod x;` leads to a new one.
                return true;
            }
            ancestor = self.scan.modules[index].parent;
        }
        false
    }
}

/// The text of a source file as rustc takes it: every CRLF is a line feed. Offsets such as
/// [`Module::end`] are offsets in this text.
pub(crate) fn source_text(path: &Path) -> io::Result<String> {
    // A pipe may be written to by nobody.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let text = fs::read_to_string(path)?;
    Ok(if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text })
}

/// Whether a text has a word in it.
fn mentions(text: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(start, _)| {
        !text[..start].ends_with(inside) && !text[start + word.len()..].starts_with(inside)
    })
}

/// Replaces a byte order mark and a shebang line by spaces, so that offsets and lines hold.
pub(super) fn mask_prelude(text: &str) -> String {
    let mut masked = text.to_owned();
    if let Some(rest) = masked.strip_prefix('\u{feff}') {
        masked = format!("   {rest}");
    }
    let start = masked.len() - masked.trim_start_matches(' ').len();
    if let Some(end) = shebang(&masked[start..]) {
        masked.replace_range(start..start + end, &" ".repeat(end));
    }
    masked
}

/// The length in bytes of a shebang line without its newline. `#![attr]` is none.
pub(crate) fn shebang(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("#!")?;
    if rest.trim_start().starts_with('[') {
        return None;
    }
    Some(text.find('\n').unwrap_or(text.len()))
}

/// Resolves `.` and `..` by name, as rustc's own paths are compared by name.
fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
