//! Adding the build-script hook to a package: its Cargo.toml and its build script, everything else
//! in them as it is written.

use std::io;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::File;
use syn::spanned::Spanned as _;
use toml_edit::{DocumentMut, Item, Table, Value};

use mcp_semver_build::scan;

use crate::bump::written_as;

/// The crate with the hook.
pub(crate) const LIBRARY: &str = "mcp-semver-build";

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
    /// The library is a dependency on some platforms alone.
    #[error(
        "{} has `{dependency}` under [target.'{cfg}'.build-dependencies]; move it to \
         [build-dependencies], so that the build script can call it on every platform",
        path.display()
    )]
    Platform {
        /// The manifest.
        path: PathBuf,
        /// The dependency's name there.
        dependency: String,
        /// The platforms.
        cfg: String,
    },
    /// The build script is one that is not edited.
    #[error("{} {why}; call `{call}` in it yourself", path.display())]
    Script {
        /// The build script.
        path: PathBuf,
        /// Why not.
        why: String,
        /// The statement that is missing.
        call: String,
    },
}

/// What has to be written so that the package in a directory has the hook.
///
/// # Errors
/// [`HookError`].
pub fn edits(directory: &Path) -> Result<Edits, HookError> {
    let path = directory.join("Cargo.toml");
    let text = read(&path)?;
    let mut manifest = parse(&text, &path)?;
    let build = manifest.get("package").and_then(|package| package.get("build"));
    let script = match build.and_then(Item::as_value) {
        Some(Value::Boolean(on)) if !on.value() => return Err(HookError::NoBuildScript { path }),
        Some(Value::String(script)) => directory.join(script.value()),
        _ => directory.join("build.rs"),
    };
    let library = depend(&mut manifest, directory)?.replace('-', "_");
    let call = format!("{library}::snapshot();");
    let new = written_as(&text, manifest.to_string());
    let mut files = vec![(path, text, new)];
    let (old, new) = match std::fs::read_to_string(&script) {
        Ok(old) => {
            let new = called(&old, &library, &call).map_err(|why| {
                let (path, call) = (script.clone(), call.clone());
                HookError::Script { path, why, call }
            })?;
            (old, new)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            (String::new(), format!("fn main() {{\n    {call}\n}}\n"))
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

fn parse(text: &str, path: &Path) -> Result<DocumentMut, HookError> {
    text.parse().map_err(|source| HookError::Toml { path: path.into(), source })
}

/// Adds the build-dependency, unless there is one; the name that it has in this package.
fn depend(manifest: &mut DocumentMut, directory: &Path) -> Result<String, HookError> {
    let platforms = manifest.get("target").and_then(Item::as_table_like);
    let platforms = platforms.into_iter().flat_map(|table| table.iter());
    let tables = std::iter::once(None).chain(platforms.map(|(cfg, table)| Some((cfg, table))));
    for platform in tables {
        let of = platform.map_or(manifest.as_item(), |(_, table)| table);
        let known = of.get("build-dependencies").and_then(Item::as_table_like);
        for (name, dependency) in known.into_iter().flat_map(|table| table.iter()) {
            let is_inherited = dependency.get("workspace").is_some();
            let inherited = if is_inherited { inherited(manifest, directory, name)? } else { None };
            let package = |item: &Item| Some(item.get("package")?.as_str()?.to_owned());
            let published = inherited.as_ref().map_or_else(|| package(dependency), package);
            if name != LIBRARY && published.as_deref() != Some(LIBRARY) {
                continue;
            }
            return match platform {
                None => Ok(name.to_owned()),
                Some((cfg, _)) => Err(HookError::Platform {
                    path: directory.join("Cargo.toml"),
                    dependency: name.to_owned(),
                    cfg: cfg.to_owned(),
                }),
            };
        }
    }
    let table = manifest.entry("build-dependencies").or_insert_with(|| Item::Table(Table::new()));
    if let Some(table) = table.as_table_like_mut() {
        let requirement =
            concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
        table.insert(LIBRARY, toml_edit::value(requirement));
    }
    Ok(LIBRARY.to_owned())
}

/// What `[workspace.dependencies]` says of a name, in the nearest manifest with a workspace.
fn inherited(own: &DocumentMut, directory: &Path, name: &str) -> Result<Option<Item>, HookError> {
    let of = |workspace: &Item| workspace.get("dependencies")?.get(name).cloned();
    if let Some(workspace) = own.get("workspace") {
        return Ok(of(workspace));
    }
    for path in directory.ancestors().skip(1).map(|above| above.join("Cargo.toml")) {
        if path.is_file() {
            let manifest = parse(&read(&path)?, &path)?;
            if let Some(workspace) = manifest.get("workspace") {
                return Ok(of(workspace));
            }
        }
    }
    Ok(None)
}

/// The build script with the call at the start of its `main`, unless it has the call; `library` is
/// the name of the library there.
fn called(script: &str, library: &str, call: &str) -> Result<String, String> {
    let parsed = scan::with_parsed(script, |file| match file {
        Ok(file) => inserted(&file, script, library, call),
        Err(error) => Err(format!("does not parse (line {}: {error})", error.span().start().line)),
    });
    parsed.map_err(|error| format!("cannot be parsed: {error}"))?
}

/// As [`called`], of a script with this syntax.
fn inserted(file: &File, script: &str, library: &str, call: &str) -> Result<String, String> {
    let tokens = file.to_token_stream();
    if holds(tokens.clone(), library) && holds(tokens, "snapshot") {
        return Ok(script.to_owned());
    }
    let mains = file.items.iter().filter_map(|item| match item {
        syn::Item::Fn(function) if function.sig.ident == "main" => Some(function),
        _ => None,
    });
    let main = match mains.collect::<Vec<_>>().as_slice() {
        [main] => *main,
        [] => return Err("has no `fn main` of its own".to_owned()),
        several => {
            let lines = several.iter().map(|main| main.sig.ident.span().start().line.to_string());
            let lines = lines.collect::<Vec<_>>().join(", ");
            return Err(format!("has several `fn main` (lines {lines}), and each needs the call"));
        }
    };
    let open = main.block.brace_token.span.open();
    // Inner attributes stand before everything else.
    let inner = main.attrs.iter().filter(|it| matches!(it.style, syn::AttrStyle::Inner(_)));
    let inner: Vec<_> = inner.map(|attribute| attribute.span()).collect();
    let before = inner.last().copied().unwrap_or(open);
    let line_end = if script.contains("\r\n") { "\r\n" } else { "\n" };
    let line = open.start().line;
    let first = inner.into_iter().chain(main.block.stmts.first().map(|first| first.span()));
    let first = first.map(|first| first.start()).find(|first| first.line > line);
    let indent = first.map_or(4, |first| first.column);
    let (before, rest) = script.split_at(before.byte_range().end);
    let call = format!("{line_end}{:indent$}{call}", "");
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

/// Whether a name stands in code; comments and strings are none.
fn holds(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => holds(group.stream(), name),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = "mcp_semver_build::snapshot();";

    fn called(script: &str) -> Result<String, String> {
        super::called(script, "mcp_semver_build", CALL)
    }

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
            (
                "\u{feff}#!/usr/bin/env run\r\nfn main() {\r\n}\r\n",
                "\u{feff}#!/usr/bin/env run\r\nfn main() {\r\n    mcp_semver_build::snapshot();\r\n}\r\n",
            ),
            (
                "fn main() { #![allow(unused)]\n  one();\n}",
                "fn main() { #![allow(unused)]\n  mcp_semver_build::snapshot();\n  one();\n}",
            ),
            (
                "fn main() {\n  //! Ours.\n  #![allow(a)] #![allow(b)] one();\n}",
                "fn main() {\n  //! Ours.\n  #![allow(a)] #![allow(b)]\n  mcp_semver_build::snapshot();\n  one();\n}",
            ),
            (
                "// mcp_semver_build::snapshot()\nfn main() { p!(\"mcp_semver_build::snapshot\"); }",
                "// mcp_semver_build::snapshot()\nfn main() {\n    mcp_semver_build::snapshot();\n    p!(\"mcp_semver_build::snapshot\"); }",
            ),
            (
                "use mcp_semver_build as hook;\nfn main() { hook::snapshot(); }",
                "use mcp_semver_build as hook;\nfn main() { hook::snapshot(); }",
            ),
        ] {
            assert_eq!(called(script).as_deref(), Ok(expected));
        }
        assert!(called("fn main() {").unwrap_err().starts_with("does not parse"));
        let deep = format!("fn main() {{ {} }}", "-".repeat(100_000) + "1");
        assert!(called(&deep).unwrap_err().contains("nested more than"));
        let two = "#[cfg(unix)]\nfn main() {}\n#[cfg(not(unix))]\nfn main() {}";
        let error = called(two).unwrap_err();
        assert_eq!(error, "has several `fn main` (lines 2, 4), and each needs the call");
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
        let platform =
            "[package]\n[target.'cfg(unix)'.build-dependencies]\nmcp-semver-build = \"0\"\n";
        std::fs::write(path("Cargo.toml"), platform).unwrap();
        let error = edits(directory.path()).unwrap_err().to_string();
        assert!(error.contains("[target.'cfg(unix)'.build-dependencies]"), "{error}");
    }

    #[test]
    fn line_ends_and_the_name_of_the_dependency_stay() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("member");
        std::fs::create_dir(&directory).unwrap();
        let of = |manifest: &str| {
            std::fs::write(directory.join("Cargo.toml"), manifest).unwrap();
            let edits = edits(&directory).unwrap();
            edits.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
        };
        let script = |name: &str| format!("fn main() {{\n    {name}::snapshot();\n}}\n");
        let ours = script("mcp_semver_build");
        for (manifest, expected) in [
            (
                "\u{feff}[package]\r\nname = \"p\"\n\r\n[build-dependencies]\r\ncc = \"1\"\r\n\n[features]\n",
                "\u{feff}[package]\r\nname = \"p\"\n\r\n[build-dependencies]\r\ncc = \"1\"\r\n\
                 mcp-semver-build = \"0.1\"\r\n\n[features]\n",
            ),
            (
                "[package]\r\nname = \"p\"",
                "[package]\r\nname = \"p\"\r\n\r\n[build-dependencies]\r\nmcp-semver-build = \"0.1\"\r\n",
            ),
        ] {
            assert_eq!(of(manifest), [expected, &ours]);
        }
        for dependency in [
            "my-hook = { package = \"mcp-semver-build\", version = \"0.1\" }",
            "my-hook.workspace = true",
        ] {
            let workspace = "[workspace.dependencies]\n\
                             my-hook = { package = \"mcp-semver-build\", version = \"0.1\" }\n";
            std::fs::write(root.path().join("Cargo.toml"), workspace).unwrap();
            let manifest = format!("[package]\nname = \"p\"\n[build-dependencies]\n{dependency}\n");
            assert_eq!(of(&manifest), [script("my_hook")]);
        }
    }
}
