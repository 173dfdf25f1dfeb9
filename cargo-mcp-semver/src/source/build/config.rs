//! The few settings of cargo's configuration files that a probe build has to know.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, TableLike};

use super::BuildError;

/// Cargo's configuration, highest precedence first.
#[derive(Debug, Default)]
pub(super) struct CargoConfig(Vec<Layer>);

/// One source of configuration.
#[derive(Debug)]
struct Layer {
    table: DocumentMut,
    /// What relative program paths are relative to.
    base: PathBuf,
}

impl CargoConfig {
    /// Reads the `--config` values, the files in `cwd` and above, and the one in `home`, as cargo
    /// does.
    pub(super) fn read(
        cli: &[String],
        cwd: &Path,
        home: Option<&Path>,
    ) -> Result<Self, BuildError> {
        let mut config = Self::default();
        for value in cli.iter().rev() {
            let path = cwd.join(value);
            if path.is_file() {
                config.push_file(&path, 0)?;
            } else if let Ok(table) = value.parse() {
                config.0.push(Layer { table, base: cwd.to_owned() });
            }
        }
        let dirs = cwd.ancestors().map(|dir| dir.join(".cargo"));
        let mut seen = Vec::new();
        for dir in dirs.chain(home.map(Path::to_owned)) {
            let files = [dir.join("config"), dir.join("config.toml")];
            if let Some(file) = files.iter().find(|file| file.is_file() && !seen.contains(*file)) {
                config.push_file(file, 0)?;
                seen.push(file.clone());
            }
        }
        Ok(config)
    }

    /// The text at `section.key`, with the directory that relative paths start from. Of a list,
    /// the first entry.
    pub(super) fn text(&self, section: &str, key: &str) -> Option<(&str, &Path)> {
        self.0.iter().find_map(|layer| {
            let item = layer.table.get(section)?.as_table_like()?.get(key)?;
            Some((first_text(item)?, layer.base.as_path()))
        })
    }

    /// Adds a file, then what it includes: the including file has precedence, and of several
    /// included ones the last.
    fn push_file(&mut self, path: &Path, depth: usize) -> Result<(), BuildError> {
        let text = std::fs::read_to_string(path).map_err(|source| BuildError::File {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        let table: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
            BuildError::Config { path: path.to_owned(), message: error.to_string() }
        })?;
        let dir = path.parent().unwrap_or(Path::new("/"));
        let included: Vec<PathBuf> = includes(&table).map(|include| dir.join(include)).collect();
        self.0.push(Layer { table, base: dir.parent().unwrap_or(dir).to_owned() });
        // Cargo refuses cycles; whoever has one hears of it from cargo.
        for include in included.iter().rev().filter(|file| depth < 8 && file.is_file()) {
            self.push_file(include, depth + 1)?;
        }
        Ok(())
    }
}

fn first_text(item: &Item) -> Option<&str> {
    item.as_str().or_else(|| item.as_array()?.iter().next()?.as_str())
}

fn includes(table: &DocumentMut) -> impl Iterator<Item = &str> {
    let include = table.get("include");
    let single = include.and_then(Item::as_str);
    let listed = include.and_then(Item::as_array).into_iter().flatten();
    single.into_iter().chain(listed.filter_map(|entry| {
        entry.as_str().or_else(|| TableLike::get(entry.as_inline_table()?, "path")?.as_str())
    }))
}

/// Looks up an environment variable.
pub(super) type Environment<'e> = &'e dyn Fn(&str) -> Option<OsString>;

/// The user's own workspace wrapper.
pub(super) fn workspace_wrapper(config: &CargoConfig, env: Environment<'_>) -> Option<PathBuf> {
    // An empty variable switches a configured wrapper off.
    if let Some(set) = env("RUSTC_WORKSPACE_WRAPPER") {
        return Some(PathBuf::from(set)).filter(|set| !set.as_os_str().is_empty());
    }
    if let Some(set) = env("CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER").filter(|set| !set.is_empty()) {
        return Some(set.into());
    }
    let (program, base) = config.text("build", "rustc-workspace-wrapper")?;
    let is_path = program.contains('/') || (cfg!(windows) && program.contains('\\'));
    (!program.is_empty()).then(|| if is_path { base.join(program) } else { program.into() })
}

/// The target that the user's builds are for, where that is configured.
pub(super) fn build_target(config: &CargoConfig, env: Environment<'_>) -> Option<String> {
    let set = env("CARGO_BUILD_TARGET").filter(|set| !set.is_empty());
    set.map(|set| set.to_string_lossy().into_owned())
        .or_else(|| config.text("build", "target").map(|(target, _)| target.to_owned()))
}

/// Cargo's home directory.
pub(super) fn cargo_home(env: Environment<'_>) -> Option<PathBuf> {
    let set = env("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    set.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}

#[cfg(test)]
mod tests;
