//! Finding the tools in Rust source.

use std::path::{Path, PathBuf};

/// A place in Rust source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceSpan {
    /// Absolute path of the file.
    pub file: PathBuf,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

/// One tool attribute found in source.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredTool {
    /// The annotated function's name.
    pub function: String,
    /// The type whose `impl` it stands in, as written; `None` for a free function.
    pub self_type: Option<String>,
    /// Where the function's name stands.
    pub span: SourceSpan,
}

/// What the source of one target declares.
#[derive(Debug, Clone, Default)]
pub struct CrateScan {
    /// Absolute path of the crate root file.
    pub root: PathBuf,
    /// Every file of the module tree, absolute, root first.
    pub files: Vec<PathBuf>,
    /// Every tool attribute, in source order.
    pub tools: Vec<DeclaredTool>,
    /// Whether tools may come out of macros or included files, so that only expansion shows them.
    pub needs_expansion: bool,
    /// Where the crate defines a `main` symbol of its own (`#[no_mangle] extern fn main`), which
    /// the probe's would collide with.
    pub main_symbol: Option<SourceSpan>,
}

/// Why source could not be scanned.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// A file of the module tree could not be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Walks the module tree of the target whose root file is `root`.
///
/// # Errors
/// [`ScanError`] when a file that must exist cannot be read.
pub fn scan(root: &Path) -> Result<CrateScan, ScanError> {
    Ok(CrateScan { root: root.to_owned(), ..CrateScan::default() })
}
