//! Adding the build-script hook to a package: its Cargo.toml and its build script, everything else
//! in them as it is written.

use std::io;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned as _;
use toml_edit::{DocumentMut, Item, Table, Value};

/// The crate with the hook.
pub(crate) const LIBRARY: &str = "mcp-semver-build";

/// What a build script calls.
const CALL: &str = "mcp_semver_build::snapshot();";

/// Files with their new text; one that has it already is not among them.
pub type Edits = Vec<(PathBuf, String)>;

/// Why the hook cannot be added; nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The manifest is no TOML.
    #[error("{}: {source}", path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: toml_edit::TomlError,
    },
    /// The package wants no build script.
    #[error("{} says `build = false`; remove that line, so that cargo runs a build script", path.display())]
    NoBuildScript {
        /// The manifest.
        path: PathBuf,
    },
    /// The build script is one that is not edited.
    #[error("{} {why}; call `{CALL}` in it yourself", path.display())]
    Script {
        /// The build script.
        path: PathBuf,
        /// Why not.
        why: String,
    },
}

/// What has to be written so that the package in a directory has the hook.
///
/// # Errors
/// [`HookError`].
pub fn edits(directory: &Path) -> Result<Edits, HookError> {
    let path = directory.join("Cargo.toml");
    let text = read(&path)?;
    let mut manifest: DocumentMut =
        text.parse().map_err(|source| HookError::Toml { path: path.clone(), source })?;
    let build = manifest.get("package").and_then(|package| package.get("build"));
    let script = match build.and_then(Item::as_value) {
        Some(Value::Boolean(on)) if !on.value() => return Err(HookError::NoBuildScript { path }),
        Some(Value::String(script)) => directory.join(script.value()),
        _ => directory.join("build.rs"),
    };
    depend(&mut manifest);
    let mut files = vec![(path, text, manifest.to_string())];
    let (old, new) = match std::fs::read_to_string(&script) {
        Ok(old) => {
            let new =
                called(&old).map_err(|why| HookError::Script { path: script.clone(), why })?;
            (old, new)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            (String::new(), format!("fn main() {{\n    {CALL}\n}}\n"))
        }
        Err(source) => return Err(HookError::Read { path: script, source }),
    };
    files.push((script, old, new));
    let changed = files.into_iter().filter(|(_, old, new)| old != new);
    Ok(changed.map(|(path, _, new)| (path, new)).collect())
}

fn read(path: &Path) -> Result<String, HookError> {
    std::fs::read_to_string(path).map_err(|source| HookError::Read { path: path.into(), source })
}

/// Adds the build-dependency, unless there is one.
fn depend(manifest: &mut DocumentMut) {
    let table = manifest.entry("build-dependencies").or_insert_with(|| Item::Table(Table::new()));
    if let Some(table) = table.as_table_like_mut().filter(|table| !table.contains_key(LIBRARY)) {
        let requirement =
            concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
        table.insert(LIBRARY, toml_edit::value(requirement));
    }
}

/// The build script with the call at the start of its `main`, unless it mentions the library.
fn called(script: &str) -> Result<String, String> {
    if script.contains("mcp_semver_build") {
        return Ok(script.to_owned());
    }
    let file = syn::parse_file(script)
        .map_err(|error| format!("does not parse (line {}: {error})", error.span().start().line))?;
    let main = file.items.iter().find_map(|item| match item {
        syn::Item::Fn(function) if function.sig.ident == "main" => Some(function),
        _ => None,
    });
    let Some(main) = main else { return Err("has no `fn main` of its own".to_owned()) };
    let after = main.block.brace_token.span.open().byte_range().end;
    let line_end = if script.contains("\r\n") { "\r\n" } else { "\n" };
    let line = main.block.brace_token.span.open().start().line;
    let first = main.block.stmts.first().map(|first| first.span().start());
    let indent = first.filter(|first| first.line > line).map_or(4, |first| first.column);
    let (before, rest) = script.split_at(after);
    let call = format!("{line_end}{:indent$}{CALL}", "");
    // `{}` and `{ one(); }` get lines of their own.
    let first_line = rest.lines().next().unwrap_or_default().trim();
    let gap = if first_line.is_empty() || first_line.starts_with("//") {
        String::new()
    } else if first_line.starts_with('}') {
        line_end.to_owned()
    } else {
        format!("{line_end}{:indent$}", "")
    };
    let rest = if gap.is_empty() { rest } else { rest.trim_start_matches(' ') };
    Ok(format!("{before}{call}{gap}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_script_calls_it_first() {
        for (script, expected) in [
            ("fn main() {}\n", "fn main() {\n    mcp_semver_build::snapshot();\n}\n"),
            (
                "// Ours.\nfn main() {\n    one();\n}\n",
                "// Ours.\nfn main() {\n    mcp_semver_build::snapshot();\n    one();\n}\n",
            ),
            (
                "fn main() { one(); }\n",
                "fn main() {\n    mcp_semver_build::snapshot();\n    one(); }\n",
            ),
            (
                "fn helper() {}\r\nfn main() -> R {\r\n  Ok(())\r\n}\r\n",
                "fn helper() {}\r\nfn main() -> R {\r\n  mcp_semver_build::snapshot();\r\n  Ok(())\r\n}\r\n",
            ),
            (
                "fn main() { mcp_semver_build::snapshot() }",
                "fn main() { mcp_semver_build::snapshot() }",
            ),
        ] {
            assert_eq!(called(script).as_deref(), Ok(expected));
        }
        assert!(called("fn main() {").unwrap_err().starts_with("does not parse"));
        assert!(called("include!(\"x.rs\");").unwrap_err().contains("no `fn main`"));
    }

    #[test]
    fn a_package_gets_what_it_lacks_and_keeps_its_formatting() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("Cargo.toml"), "[package] # ours\nname = \"p\"\n").unwrap();
        let edits_of = || edits(directory.path()).unwrap();
        let written = edits_of();
        assert_eq!(
            written,
            [
                (
                    path("Cargo.toml"),
                    "[package] # ours\nname = \"p\"\n\n[build-dependencies]\n\
                     mcp-semver-build = \"0.1\"\n"
                        .to_owned()
                ),
                (path("build.rs"), format!("fn main() {{\n    {CALL}\n}}\n")),
            ]
        );
        for (path, text) in written {
            std::fs::write(path, text).unwrap();
        }
        assert_eq!(edits_of(), []);
        std::fs::write(path("Cargo.toml"), "[package]\nbuild = \"b.rs\"\n[build-dependencies]\n")
            .unwrap();
        std::fs::write(path("b.rs"), "fn main() {}").unwrap();
        assert_eq!(
            edits_of().iter().map(|(path, _)| path.clone()).collect::<Vec<_>>(),
            [path("Cargo.toml"), path("b.rs")]
        );
        std::fs::write(path("Cargo.toml"), "[package]\nbuild = false\n").unwrap();
        assert!(matches!(edits(directory.path()), Err(HookError::NoBuildScript { .. })));
    }
}
