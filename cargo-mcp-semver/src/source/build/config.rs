//! The few settings of cargo's configuration files that a probe build has to know.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, TableLike};

use super::BuildError;

/// Looks up an environment variable.
pub(super) type Environment<'e> = &'e dyn Fn(&str) -> Option<OsString>;

/// Cargo's configuration files and `--config` values.
#[derive(Debug, Default)]
pub(super) struct CargoConfig {
    /// Highest precedence first; environment variables stand between those of the command line
    /// and those of files.
    layers: Vec<Layer>,
    /// How many of them are of the command line.
    cli: usize,
}

/// One source of configuration.
#[derive(Debug)]
struct Layer {
    table: DocumentMut,
    /// What relative program paths are relative to.
    base: PathBuf,
}

impl CargoConfig {
    /// Reads the `--config` values, the files in `cwd` and above, and the one in cargo's home
    /// directory, as cargo does.
    pub(super) fn read(
        cli: &[String],
        cwd: &Path,
        env: Environment<'_>,
    ) -> Result<Self, BuildError> {
        let mut config = Self::default();
        for value in cli.iter().rev() {
            let path = cwd.join(value);
            if path.is_file() {
                config.push_file(&path, 0)?;
            } else if let Ok(table) = value.parse() {
                config.layers.push(Layer { table, base: cwd.to_owned() });
            }
        }
        config.cli = config.layers.len();
        let dirs = cwd.ancestors().map(|dir| dir.join(".cargo")).chain(cargo_home(env));
        let mut seen = Vec::new();
        for dir in dirs {
            let files = [dir.join("config"), dir.join("config.toml")];
            if let Some(file) = files.into_iter().find(|file| file.is_file())
                && !seen.contains(&file)
            {
                config.push_file(&file, 0)?;
                seen.push(file);
            }
        }
        Ok(config)
    }

    /// The user's own workspace wrapper.
    pub(super) fn workspace_wrapper(&self, env: Environment<'_>) -> Option<PathBuf> {
        // An empty variable switches a configured wrapper off.
        if let Some(set) = env("RUSTC_WORKSPACE_WRAPPER") {
            return Some(PathBuf::from(set)).filter(|set| !set.as_os_str().is_empty());
        }
        let (program, base) = self.build_setting("rustc-workspace-wrapper", env)?;
        let is_path = program.contains('/') || (cfg!(windows) && program.contains('\\'));
        (!program.is_empty()).then(|| match base {
            Some(base) if is_path => base.join(program),
            _ => program.into(),
        })
    }

    /// The target that the user's builds are for, where one is configured; of several, the first.
    pub(super) fn build_target(&self, env: Environment<'_>) -> Option<String> {
        self.build_setting("target", env).map(|(target, _)| target)
    }

    /// The text at `build.<key>`, with the directory that relative paths start from where it does
    /// not come from the environment.
    fn build_setting(&self, key: &str, env: Environment<'_>) -> Option<(String, Option<&Path>)> {
        let (cli, files) = self.layers.split_at(self.cli);
        let find = |layers: &[Layer]| -> Option<(String, usize)> {
            layers.iter().enumerate().find_map(|(at, layer)| {
                let item = layer.table.get("build")?.as_table_like()?.get(key)?;
                Some((first_text(item)?.to_owned(), at))
            })
        };
        let variable = format!("CARGO_BUILD_{}", key.to_uppercase().replace('-', "_"));
        if let Some((text, at)) = find(cli) {
            return Some((text, Some(&cli[at].base)));
        }
        if let Some(text) = env(&variable).filter(|text| !text.is_empty()) {
            return Some((text.to_string_lossy().into_owned(), None));
        }
        find(files).map(|(text, at)| (text, Some(files[at].base.as_path())))
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
        self.layers.push(Layer { table, base: dir.parent().unwrap_or(dir).to_owned() });
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

/// Cargo's home directory.
fn cargo_home(env: Environment<'_>) -> Option<PathBuf> {
    let set = env("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    set.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}

#[cfg(test)]
#[path = "tests/config.rs"]
mod tests;
