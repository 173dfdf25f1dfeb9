//! One Cargo.toml and the versions in it; everything else stays as it is written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use semver::{Version, VersionReq};
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use super::{BumpError, Edit, What};

/// A Cargo.toml that is being edited.
#[derive(Debug)]
pub(super) struct Manifest {
    path: PathBuf,
    text: String,
    document: DocumentMut,
}

impl Manifest {
    pub(super) fn read(path: &Path) -> Result<Self, BumpError> {
        let text = fs::read_to_string(path)
            .map_err(|source| BumpError::Read { path: path.to_owned(), source })?;
        let document =
            text.parse().map_err(|source| BumpError::Toml { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), text, document })
    }

    /// The directory it lies in.
    pub(super) fn directory(&self) -> PathBuf {
        canonical(self.path.parent().unwrap_or(Path::new("")))
    }

    /// Whether the package takes its version from `[workspace.package]`.
    pub(super) fn inherits_version(&self) -> bool {
        let version = self.document.get("package").and_then(|package| package.get("version"));
        version.and_then(|version| version.get("workspace")?.as_bool()).unwrap_or(false)
    }

    pub(super) fn set_package_version(&mut self, version: &Version) -> Result<Edit, BumpError> {
        let package = self.document.get_mut("package").and_then(Item::as_table_like_mut);
        let name = |package: &&mut dyn TableLike| {
            package.get("name").and_then(Item::as_str).unwrap_or_default().to_owned()
        };
        let what = What::Package(package.as_ref().map(name).unwrap_or_default());
        let from = package.and_then(|package| replace(package.get_mut("version")?, version));
        let missing = || BumpError::NoVersion { path: self.path.clone(), table: "[package]" };
        let from = Some(from.ok_or_else(missing)?);
        Ok(Edit { what, from, to: version.to_string(), manifest: self.path.clone() })
    }

    pub(super) fn set_workspace_version(&mut self, version: &Version) -> Result<Edit, BumpError> {
        let workspace = self.document.get_mut("workspace");
        let package = workspace.and_then(|workspace| workspace.get_mut("package"));
        let from = package
            .and_then(|package| replace(package.as_table_like_mut()?.get_mut("version")?, version));
        let missing =
            || BumpError::NoVersion { path: self.path.clone(), table: "[workspace.package]" };
        let from = Some(from.ok_or_else(missing)?);
        let to = version.to_string();
        Ok(Edit { what: What::Workspace, from, to, manifest: self.path.clone() })
    }

    /// Sets the version of a tool in `[package.metadata.mcp-semver.versions]`; `None` where there
    /// is no such table.
    pub(super) fn set_tool_version(&mut self, tool: &str, version: &Version) -> Option<Edit> {
        let mut item = self.document.get_mut("package")?;
        for key in ["metadata", "mcp-semver", "versions"] {
            item = item.as_table_like_mut()?.get_mut(key)?;
        }
        let versions = item.as_table_like_mut()?;
        let from = match versions.get_mut(tool) {
            Some(item) => replace(item, version),
            None => {
                versions.insert(tool, toml_edit::value(version.to_string()));
                None
            }
        };
        let what = What::Tool(tool.to_owned());
        Some(Edit { what, from, to: version.to_string(), manifest: self.path.clone() })
    }

    /// Raises what the manifest asks of packages at these directories, where their new versions
    /// would not satisfy it: the workspace would not build any more.
    pub(super) fn raise_requirements(&mut self, raised: &BTreeMap<PathBuf, Version>) -> Vec<Edit> {
        let directory = self.directory();
        let path = self.path.clone();
        let root = self.document.as_table_mut();
        let mut edits = Vec::new();
        let mut raise = |dependencies: &mut dyn TableLike| {
            for (key, item) in dependencies.iter_mut() {
                if let Some((from, to)) = raise_requirement(item, &directory, raised) {
                    let what = What::Requirement(key.get().to_owned());
                    edits.push(Edit { what, from: Some(from), to, manifest: path.clone() });
                }
            }
        };
        each_dependency_table(root, &mut raise);
        edits
    }

    /// The new text, where it is another.
    pub(super) fn edited(self) -> Option<String> {
        let text = written_as(&self.text, self.document.to_string());
        (text != self.text).then_some(text)
    }
}

/// An edited manifest with the line ends and the byte order mark of the old one: the TOML writer
/// has neither. Edits stay on their lines or add lines in one place.
pub(crate) fn written_as(old: &str, new: String) -> String {
    const MARK: char = '\u{feff}';
    let mut text = new.trim_start_matches(MARK).to_owned();
    if old.contains("\r\n") && !text.contains("\r\n") {
        let old: Vec<&str> = old.trim_start_matches(MARK).split_inclusive('\n').collect();
        let new: Vec<&str> = text.split_inclusive('\n').collect();
        let same = old.iter().zip(&new).take_while(|(old, new)| old.trim_end() == new.trim_end());
        let (same, added) = (same.count(), new.len().saturating_sub(old.len()));
        let was_short = |at: usize| {
            let before =
                if at < same { at } else { at.checked_sub(added).filter(|it| *it >= same)? };
            let line = old.get(before)?;
            Some(line.ends_with('\n') && !line.ends_with("\r\n"))
        };
        let lines = new.iter().enumerate().map(|(at, line)| match line.strip_suffix('\n') {
            Some(line) if was_short(at) != Some(true) => format!("{line}\r\n"),
            _ => (*line).to_owned(),
        });
        text = lines.collect();
    }
    if old.starts_with(MARK) {
        text.insert(0, MARK);
    }
    text
}

/// Calls `visit` with every table of dependencies in a manifest.
fn each_dependency_table(root: &mut Table, visit: &mut dyn FnMut(&mut dyn TableLike)) {
    const KINDS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
    let mut below = |item: Option<&mut Item>, kinds: &[&str]| {
        let Some(table) = item.and_then(Item::as_table_like_mut) else { return };
        for kind in kinds {
            if let Some(table) = table.get_mut(kind).and_then(Item::as_table_like_mut) {
                visit(table);
            }
        }
    };
    below(root.get_mut("workspace"), &["dependencies"]);
    if let Some(targets) = root.get_mut("target").and_then(Item::as_table_like_mut) {
        targets.iter_mut().for_each(|(_, target)| below(Some(target), &KINDS));
    }
    for kind in KINDS {
        if let Some(table) = root.get_mut(kind).and_then(Item::as_table_like_mut) {
            visit(table);
        }
    }
}

/// What a dependency asked for and asks for now, if that had to change.
fn raise_requirement(
    dependency: &mut Item,
    directory: &Path,
    raised: &BTreeMap<PathBuf, Version>,
) -> Option<(String, String)> {
    let dependency = dependency.as_table_like_mut()?;
    let path = dependency.get("path")?.as_str()?;
    let version = raised.get(&canonical(&directory.join(path)))?;
    let old = dependency.get("version")?.as_str()?.to_owned();
    if VersionReq::parse(&old).ok()?.matches(version) {
        return None;
    }
    // `=1.2.3` stays exact; of anything with several parts only the plain form surely holds.
    let operator: String = old.chars().take_while(|c| "=~^".contains(*c)).collect();
    let new = match old.contains(',') {
        true => version.to_string(),
        false => format!("{operator}{version}"),
    };
    set(dependency.get_mut("version")?, &new)?;
    Some((old, new))
}

/// Sets a version and returns the one that stood there; `None` where none did.
fn replace(item: &mut Item, version: &Version) -> Option<String> {
    set(item, &version.to_string())
}

/// Sets a string, keeping its quotes and what surrounds it.
fn set(item: &mut Item, text: &str) -> Option<String> {
    let value = item.as_value_mut()?;
    let old = value.as_str()?.to_owned();
    let decor = value.decor().clone();
    let written = match value {
        Value::String(string) => string.as_repr().and_then(|written| written.as_raw().as_str()),
        _ => None,
    };
    // No version holds a quote.
    let is_literal = written.is_some_and(|written| written.starts_with('\''));
    let literal = is_literal.then(|| format!("'{text}'").parse().ok()).flatten();
    *value = literal.unwrap_or_else(|| Value::from(text));
    *value.decor_mut() = decor;
    Some(old)
}

/// The same directory always has the same path.
fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
