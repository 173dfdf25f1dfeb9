//! Finding the tools in Rust source.
//!
//! [`scan`] walks a target's module tree and records what its source says about tools: which
//! functions are annotated, which routers hold them, which handlers serve which router. Nothing is
//! evaluated here; the [probe](crate::probe) turns a scan into code that rustc evaluates.
//!
//! Source text, not token streams, is what a scan keeps, so that it can be sent between threads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::framework::{Framework, Renamed};

pub(crate) mod attrs;
pub(crate) mod depth;
mod expanded;
mod macros;
pub(crate) mod signature;
pub(crate) mod starts;
mod walk;

pub(crate) use attrs::{cfgs as conditions, flatten as attributes};
pub use depth::with_parsed;
pub use expanded::{ExpandedError, scan_expanded};
pub(crate) use macros::{any_ident, is_hook_module};
pub(crate) use walk::{Parsed, Place, shebang, source_text, walk};

/// A place in Rust source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceSpan {
    /// Absolute path of the file.
    pub file: PathBuf,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// Line of its end; [`SourceSpan::line`] in most cases.
    pub end_line: usize,
    /// Column in characters behind its last character, counted from 1.
    pub end_column: usize,
}

impl SourceSpan {
    /// Where `span` stands in the file that it was parsed from.
    pub(crate) fn new(file: PathBuf, span: proc_macro2::Span) -> Self {
        let (start, end) = (span.start(), span.end());
        Self {
            file,
            line: start.line,
            column: start.column + 1,
            end_line: end.line,
            end_column: end.column + 1,
        }
    }

    /// A place without extent.
    pub fn point(file: PathBuf, line: usize, column: usize) -> Self {
        Self { file, line, column, end_line: line, end_column: column }
    }
}

/// What the source of one target declares.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CrateScan {
    /// Absolute path of the crate root file.
    pub root: PathBuf,
    /// The framework that its tools are declared through; `None` where it names none.
    pub framework: Option<&'static Framework>,
    /// What its code calls frameworks.
    pub renamed: Renamed,
    /// Every file of the module tree, absolute, root first.
    pub files: Vec<PathBuf>,
    /// The module tree; the first is the crate root.
    pub modules: Vec<Module>,
    /// Every tool attribute, in source order.
    pub tools: Vec<DeclaredTool>,
    /// Every function without arguments that returns a `ToolRouter`.
    pub routers: Vec<RouterFn>,
    /// Every `impl ServerHandler`.
    pub handlers: Vec<Handler>,
    /// What fields of server types are initialised with, and where they are edited.
    pub fields: Vec<FieldUse>,
    /// Where servers are started.
    pub starts: Vec<Start>,
    /// Whether tools may come out of macros or included files, so that only expansion shows them.
    pub needs_expansion: bool,
    /// Where the crate defines a `main` symbol of its own (`#[no_mangle] extern fn main`), which
    /// the probe's would collide with.
    pub main_symbol: Option<SourceSpan>,
    /// Whether `rmcp`'s `Router` wraps a server and adds tools to it.
    pub wraps_servers: bool,
    /// What may hold tools and could not be read.
    pub unread: Vec<Unread>,
    /// Modules whose file is not there: rustc refuses them, unless a condition removes them.
    pub missing: Vec<Missing>,
}

impl CrateScan {
    /// What its code calls the crate of its framework, where that is another name.
    pub(crate) fn alias(&self) -> Option<&str> {
        let framework = self.framework?;
        let mut names = self.renamed.iter().filter(|(_, ident)| *ident == framework.ident);
        names.next().map(|(name, _)| name.as_str())
    }

    /// Whether the target holds tools that are visible without expansion.
    pub fn holds_tools(&self) -> bool {
        !self.tools.is_empty() || !self.routers.is_empty() || self.listings().next().is_some()
    }

    /// The handlers that list what an expression yields.
    pub fn listings(&self) -> impl Iterator<Item = &Handler> {
        self.handlers.iter().filter(|handler| matches!(handler.serves, Serves::Listing(_)))
    }

    /// Whether it declares tools or serves some.
    pub(crate) fn declares(&self) -> bool {
        self.holds_tools() || self.handlers.iter().any(|handler| handler.serves != Serves::Nothing)
    }
}

/// A part of the source that may hold tools and could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Where it stands.
    pub span: SourceSpan,
    /// What it is and what to do, one sentence.
    pub reason: String,
}

/// A module that is declared and has no file of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The module; its file is the one that declares it.
    pub module: Module,
    /// Where it is declared.
    pub span: SourceSpan,
    /// Where its file may be.
    pub files: Vec<PathBuf>,
    /// Whether its file is one that it stands in.
    pub is_circular: bool,
}

/// One module of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Its name; `crate` for the root.
    pub name: String,
    /// Index of the module it stands in; `None` for the root.
    pub parent: Option<usize>,
    /// The file its items stand in.
    pub file: PathBuf,
    /// Byte offset behind its last item, in the text of that file with line feeds for CRLF.
    pub end: usize,
    /// Conditions on it, each the text inside a `cfg(..)`.
    pub cfgs: Vec<String>,
    /// Whether a macro invocation declares it, so that only expansion tells if it exists.
    pub from_macro: bool,
}

/// One tool attribute found in source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredTool {
    /// The annotated function's name.
    pub function: String,
    /// The type whose `impl` it stands in, by its last path segment; `None` for a free function.
    pub self_type: Option<String>,
    /// Where the function's name stands; the start of its file where a macro makes it.
    pub span: SourceSpan,
    /// Whether only expansion shows it, so that its place in the source is not known.
    pub made_by_macro: bool,
    /// Index of its module.
    pub module: usize,
    /// Conditions on it and on its `impl`.
    pub cfgs: Vec<String>,
    /// What registers it.
    pub block: Block,
    /// How its contract is evaluated.
    pub call: Call,
}

impl DeclaredTool {
    /// A tool that its framework declares with an item in the source, in no `impl`.
    pub(crate) fn free(
        place: &Place,
        ident: &proc_macro2::Ident,
        cfgs: Vec<String>,
        call: Call,
    ) -> Self {
        Self {
            function: ident.to_string(),
            self_type: None,
            span: place.at(ident.span()),
            made_by_macro: false,
            module: place.module,
            cfgs,
            block: Block::Plain,
            call,
        }
    }
}

/// What kind of `impl` block a tool stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// `#[tool_router]`, which generates a router function; several where conditions choose one.
    Router(Vec<Generated>),
    /// The type's handler serves all of it: `#[tool(tool_box)]` of rmcp 0.1, the one block that a
    /// server is in other frameworks.
    ToolBox,
    /// Neither: something else has to register it.
    Plain,
}

/// A router function that `#[tool_router]` generates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// Its name.
    pub name: String,
    /// Conditions of the attribute itself, each the text inside a `cfg(..)`.
    pub cfgs: Vec<String>,
}

/// How the contract of a declared tool is evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// An expression of type `Tool`, valid in the tool's module.
    Direct(String),
    /// For a generic type: items that re-declare the signature on a local type, and the
    /// expression that uses them.
    Stub {
        /// Items to place before the expression.
        items: String,
        /// An expression of type `Tool`.
        expr: String,
    },
    /// It cannot be evaluated, and why.
    Unreadable(String),
}

/// A function that returns a router and takes no argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouterFn {
    /// The type whose tools it routes, by its last path segment.
    pub self_type: String,
    /// Its name.
    pub name: String,
    /// Index of its module.
    pub module: usize,
    /// Conditions on it and on its `impl`.
    pub cfgs: Vec<String>,
    /// Where it, or the attribute that generates it, stands.
    pub span: SourceSpan,
    /// A call of it, valid in its module; `None` on a generic type.
    pub call: Option<String>,
    /// Whether `#[tool_router]` generates it.
    pub generated: bool,
    /// What it returns, where it is written by hand and does nothing else.
    pub returns: Option<Expression>,
}

/// What makes a type a server: `impl ServerHandler for T` in rmcp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handler {
    /// `T`, by its last path segment.
    pub self_type: String,
    /// Where it stands.
    pub span: SourceSpan,
    /// Index of its module.
    pub module: usize,
    /// Conditions on it.
    pub cfgs: Vec<String>,
    /// Which tools it serves.
    pub serves: Serves,
}

/// A function that starts a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Where the call that starts it stands.
    pub span: SourceSpan,
    /// The types its body names, by their last path segments.
    pub types: BTreeSet<String>,
}

/// Which tools a handler serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Serves {
    /// `#[tool_handler]` without a router: the field `tool_router` before rmcp 1.4, this call of
    /// `Self::tool_router()` from then on.
    Default(Expression),
    /// What this router expression holds.
    Router(Expression),
    /// What the field of this name holds.
    Field(String),
    /// The tools that the type's own block declares as [`Block::ToolBox`].
    ToolBox,
    /// What this expression lists: a list of tools, valid in the module of the handler.
    Listing(String),
    /// No tools at all: the default of `list_tools`.
    Nothing,
    /// It cannot be told from the source, and why.
    Opaque(String),
}

/// A router expression that depends on nothing but items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    /// The expression, with `Self` replaced; valid in the module it stands in.
    pub text: String,
    /// The router functions it calls, by name.
    pub calls: Vec<String>,
    /// What it adds up, where it does nothing else.
    pub sum: Option<Vec<Summand>>,
}

/// One part of a sum of routers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summand {
    /// What is added.
    pub what: Added,
    /// Conditions on it.
    pub cfgs: Vec<String>,
}

/// What is added to a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// What the router function of this name returns.
    Router(String),
    /// The tool of this free function.
    Tool(String),
    /// The variable that the sum is kept in.
    Variable,
}

/// One use of a field of a server type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldUse {
    /// The type, by its last path segment; `None` where only the field's name is known.
    pub self_type: Option<String>,
    /// The field.
    pub field: String,
    /// Where.
    pub span: SourceSpan,
    /// Index of the module it stands in.
    pub module: usize,
    /// What happens to the field.
    pub what: FieldEvent,
}

/// What happens to a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldEvent {
    /// It is initialised with a router expression.
    Init(Expression),
    /// It is initialised with something that depends on more than items: the text.
    OpaqueInit(String),
    /// The router in it is edited: the text of the edit.
    Edit(String),
}

/// Why source could not be scanned.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The crate root could not be read.
    #[error("cannot read the crate root {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system gave no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// Walks the module tree of the target whose root file is `root` (absolute).
///
/// A module file that does not exist is listed in [`CrateScan::missing`]: rustc decides whether that
/// is an error. A file that exists and cannot be read or parsed is listed in [`CrateScan::unread`].
///
/// # Errors
/// [`ScanError`] when the root file itself cannot be read.
pub fn scan(root: &Path) -> Result<CrateScan, ScanError> {
    scan_renamed(root, &Renamed::new())
}

/// As [`scan`], of code that calls frameworks by other names.
///
/// # Errors
/// As of [`scan`].
pub fn scan_renamed(root: &Path, renamed: &Renamed) -> Result<CrateScan, ScanError> {
    let scan = || walk::walk(root, renamed).map(|(scan, _)| scan);
    depth::with_stack(scan).map_err(ScanError::Thread)?
}

/// Source text for a message: one line, at most sixty characters.
pub(crate) fn shorten(tokens: &proc_macro2::TokenStream) -> String {
    let text = tokens.to_string().replace(" . ", ".").replace(" :: ", "::").replace(" (", "(");
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests;
