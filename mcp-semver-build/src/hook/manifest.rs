//! What Cargo.toml says of a package's targets and dependencies (The Cargo Book, "Cargo Targets"
//! and "Specifying Dependencies"), as far as the source of its server is looked for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use semver::Version;
use toml::{Table, Value};

/// A package's manifest.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    /// The file.
    pub(super) path: PathBuf,
    /// Where the workspace of the package is; the package's own directory outside of one.
    pub(super) workspace: PathBuf,
    /// The library.
    pub(super) library: Option<Target>,
    /// The binaries, sorted by name.
    pub(super) binaries: Vec<Target>,
    /// The binary that `cargo run` runs, where the manifest says.
    pub(super) default_run: Option<String>,
    /// The build script.
    pub(super) script: PathBuf,
    /// The names of its features, those of optional dependencies included.
    pub(super) features: BTreeSet<String>,
    /// The dependencies: the published name by the name in code, with underscores.
    pub(super) dependencies: BTreeMap<String, String>,
    /// `server` under [package.metadata.mcp-semver].
    pub(super) servers: Vec<String>,
    /// `target` there.
    pub(super) target: Option<String>,
    /// `versions` there.
    pub(super) versions: BTreeMap<String, Version>,
}

/// A library or a binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Its name in code, with underscores.
    pub(super) name: String,
    /// The root file.
    pub(super) root: PathBuf,
    /// Its edition.
    pub(super) edition: u16,
    /// The features without which it is not built.
    pub(super) required_features: Vec<String>,
}

impl Manifest {
    /// Reads the Cargo.toml in a directory.
    ///
    /// # Errors
    /// It cannot be read, or is no manifest.
    pub(super) fn read(directory: &Path) -> io::Result<Self> {
        let path = directory.join("Cargo.toml");
        let table = table(&path)?;
        let (root, workspace) = workspace(directory, &table);
        Ok(Self { path, workspace: root, ..Self::of(directory, &table, &workspace) })
    }

    fn of(directory: &Path, manifest: &Table, workspace: &Table) -> Self {
        let package = sub(manifest, "package");
        let name = text(package, "name").unwrap_or_default();
        let edition = inherited(package, sub(workspace, "package"), "edition");
        let edition = edition.and_then(|year| year.as_str()?.parse().ok()).unwrap_or(2015);
        let target = |table: &Table, name: &str, root: PathBuf| Target {
            name: name.replace('-', "_"),
            root,
            edition: text(table, "edition").and_then(|year| year.parse().ok()).unwrap_or(edition),
            required_features: strings(table.get("required-features")),
        };
        let settings = sub(sub(package, "metadata"), "mcp-semver");
        let dependencies = dependencies(manifest, sub(workspace, "dependencies"));
        let mut features: BTreeSet<String> = sub(manifest, "features").keys().cloned().collect();
        features.extend(dependencies.iter().map(|dependency| dependency.key.to_owned()));
        Self {
            path: PathBuf::new(),
            workspace: PathBuf::new(),
            library: library(directory, manifest, name)
                .map(|(table, name, root)| target(table, &name, root)),
            binaries: binaries(directory, manifest, name)
                .into_iter()
                .map(|(name, (table, root))| target(table, &name, root))
                .collect(),
            script: directory.join(text(package, "build").unwrap_or("build.rs")),
            default_run: text(package, "default-run").map(|name| name.replace('-', "_")),
            features,
            dependencies: dependencies
                .into_iter()
                .map(|dependency| (dependency.key.replace('-', "_"), dependency.package))
                .collect(),
            servers: strings(settings.get("server")),
            target: text(settings, "target").map(str::to_owned),
            versions: sub(settings, "versions")
                .iter()
                .filter_map(|(tool, version)| Some((tool.clone(), version.as_str()?.parse().ok()?)))
                .collect(),
        }
    }
}

fn table(path: &Path) -> io::Result<Table> {
    let invalid = |error: toml::de::Error| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("{}: {}", path.display(), error.message()),
        )
    };
    fs::read_to_string(path)?.parse::<Table>().map_err(invalid)
}

/// `[workspace]` of the manifest that the package belongs to, and where that is (The Cargo Book,
/// "Workspaces"): its own, the one that `package.workspace` names, or the nearest above that does
/// not exclude it.
fn workspace(directory: &Path, own: &Table) -> (PathBuf, Table) {
    let of = |mut manifest: Table| match manifest.remove("workspace") {
        Some(Value::Table(workspace)) => Some(workspace),
        _ => None,
    };
    if let Some(workspace) = of(own.clone()) {
        return (directory.to_owned(), workspace);
    }
    let at = |root: &Path| {
        let workspace = of(table(&root.join("Cargo.toml")).ok()?)?;
        Some((root.to_owned(), workspace))
    };
    let owns = |(root, workspace): &(PathBuf, Table)| {
        let lists = |key: &str| {
            strings(workspace.get(key)).iter().any(|it| directory.starts_with(root.join(it)))
        };
        lists("members") || !lists("exclude")
    };
    let found = match text(sub(own, "package"), "workspace") {
        Some(root) => at(&directory.join(root)),
        None => directory.ancestors().skip(1).find_map(|above| at(above).filter(owns)),
    };
    found.unwrap_or_else(|| (directory.to_owned(), Table::new()))
}

/// A table of a table, empty where there is none.
fn sub<'t>(table: &'t Table, key: &str) -> &'t Table {
    static NONE: std::sync::LazyLock<Table> = std::sync::LazyLock::new(Table::new);
    table.get(key).and_then(Value::as_table).unwrap_or(&NONE)
}

fn text<'t>(table: &'t Table, key: &str) -> Option<&'t str> {
    table.get(key)?.as_str()
}

/// A string or a list of strings.
fn strings(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => {
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// A value that may be `{ workspace = true }`.
fn inherited<'t>(own: &'t Table, workspace: &'t Table, key: &str) -> Option<&'t Value> {
    let value = own.get(key)?;
    let is_inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
    if is_inherited { workspace.get(key) } else { Some(value) }
}

fn library<'t>(
    directory: &Path,
    manifest: &'t Table,
    package: &str,
) -> Option<(&'t Table, String, PathBuf)> {
    let table = sub(manifest, "lib");
    let is_off = sub(manifest, "package").get("autolib").and_then(Value::as_bool) == Some(false);
    if table.is_empty() && is_off {
        return None;
    }
    let root = directory.join(text(table, "path").unwrap_or("src/lib.rs"));
    let name = text(table, "name").unwrap_or(package).to_owned();
    root.is_file().then_some((table, name, root))
}

/// The table and root of each binary, by name.
fn binaries<'t>(
    directory: &Path,
    manifest: &'t Table,
    package: &str,
) -> BTreeMap<String, (&'t Table, PathBuf)> {
    let mut binaries = BTreeMap::new();
    let is_on = sub(manifest, "package").get("autobins").and_then(Value::as_bool) != Some(false);
    if is_on {
        let inside = fs::read_dir(directory.join("src/bin")).into_iter().flatten().flatten();
        let found = inside.filter_map(|entry| {
            let path = entry.path();
            let name = path.file_stem()?.to_str()?.to_owned();
            let main = path.join("main.rs");
            if main.is_file() {
                return Some((name, main));
            }
            let is_source = path.extension().is_some_and(|extension| extension == "rs");
            (is_source && path.is_file()).then_some((name, path))
        });
        let main = directory.join("src/main.rs");
        let main = main.is_file().then(|| (package.to_owned(), main));
        for (name, root) in found.chain(main) {
            binaries.insert(name, (sub(manifest, ""), root));
        }
    }
    let declared = manifest.get("bin").and_then(Value::as_array).into_iter().flatten();
    for table in declared.filter_map(Value::as_table) {
        let Some(name) = text(table, "name") else { continue };
        let usual = || binaries.get(name).map(|(_, root)| root.clone());
        let root = text(table, "path").map(|path| directory.join(path)).or_else(usual);
        let root = root.unwrap_or_else(|| directory.join("src/bin").join(format!("{name}.rs")));
        // `src/main.rs` under another name is that one binary, not a second.
        binaries.retain(|_, (_, other)| *other != root);
        binaries.insert(name.to_owned(), (table, root));
    }
    binaries
}

/// A dependency of the package.
struct Dependency<'t> {
    /// Its key in the manifest.
    key: &'t str,
    /// The name it is published under.
    package: String,
}

fn dependencies<'t>(manifest: &'t Table, workspace: &Table) -> Vec<Dependency<'t>> {
    let platforms = sub(manifest, "target").values().filter_map(Value::as_table);
    let tables = std::iter::once(manifest).chain(platforms);
    let entries = tables.flat_map(|table| sub(table, "dependencies"));
    entries
        .map(|(key, value)| {
            let is_inherited = value.get("workspace").is_some();
            let value = if is_inherited { workspace.get(key).unwrap_or(value) } else { value };
            let renamed = value.get("package").and_then(Value::as_str);
            Dependency { key, package: renamed.unwrap_or(key).to_owned() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)]) -> Manifest {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut manifest = Manifest::read(&directory.path().join("member")).unwrap();
        let targets = manifest.library.iter_mut().chain(&mut manifest.binaries);
        for target in targets {
            target.root = target.root.strip_prefix(directory.path().join("member")).unwrap().into();
        }
        manifest
    }

    fn targets(manifest: &Manifest) -> Vec<String> {
        let all = manifest.library.iter().chain(&manifest.binaries);
        all.map(|it| format!("{} {} {}", it.name, it.root.display(), it.edition)).collect()
    }

    #[test]
    fn targets_are_found_as_cargo_finds_them() {
        let manifest = read(&[
            ("Cargo.toml", "[workspace.package]\nedition = \"2024\""),
            ("member/Cargo.toml", "[package]\nname = \"my-server\"\nedition.workspace = true"),
            ("member/src/lib.rs", ""),
            ("member/src/main.rs", ""),
            ("member/src/bin/other.rs", ""),
            ("member/src/bin/third/main.rs", ""),
            ("member/src/bin/README.md", ""),
        ]);
        assert_eq!(
            targets(&manifest),
            [
                "my_server src/lib.rs 2024",
                "my_server src/main.rs 2024",
                "other src/bin/other.rs 2024",
                "third src/bin/third/main.rs 2024",
            ]
        );
    }

    #[test]
    fn declared_targets_take_the_place_of_found_ones() {
        let manifest = read(&[
            (
                "member/Cargo.toml",
                "[package]\nname = \"p\"\ndefault-run = \"my-serve\"\n\
                 [lib]\nname = \"core\"\npath = \"core.rs\"\n\
                 [[bin]]\nname = \"my-serve\"\npath = \"src/main.rs\"\nrequired-features = [\"net\"]\n\
                 [[bin]]\nname = \"tool\"\nedition = \"2021\"\n",
            ),
            ("member/core.rs", ""),
            ("member/src/main.rs", ""),
            ("member/src/bin/tool.rs", ""),
        ]);
        assert_eq!(
            targets(&manifest),
            ["core core.rs 2015", "my_serve src/main.rs 2015", "tool src/bin/tool.rs 2021"]
        );
        assert_eq!(manifest.binaries[0].required_features, ["net"]);
        assert_eq!(manifest.default_run.as_deref(), Some("my_serve"));
    }

    #[test]
    fn dependencies_have_the_names_of_the_code() {
        let manifest = read(&[
            (
                "Cargo.toml",
                "[workspace.dependencies]\nsdk = { package = \"rmcp\", version = \"3\" }",
            ),
            (
                "member/Cargo.toml",
                "[package]\nname = \"p\"\n[features]\nnet = []\n\
                 [dependencies]\nserde = \"1\"\nsdk.workspace = true\n\
                 my-json = { package = \"serde_json\", version = \"1\" }\n\
                 [target.'cfg(unix)'.dependencies]\nlibc = { version = \"0.2\", optional = true }\n\
                 [package.metadata.mcp-semver]\nserver = \"S\"\ntarget = \"lib\"\n\
                 versions = { search = \"1.2.0\", broken = \"one\" }\n",
            ),
        ]);
        let names: Vec<_> = manifest.dependencies.iter().map(|(a, b)| format!("{a}={b}")).collect();
        assert_eq!(names, ["libc=libc", "my_json=serde_json", "sdk=rmcp", "serde=serde"]);
        assert!(manifest.features.contains("net") && manifest.features.contains("libc"));
        assert_eq!((manifest.servers, manifest.target), (vec!["S".to_owned()], Some("lib".into())));
        assert_eq!(manifest.versions.keys().collect::<Vec<_>>(), ["search"]);
    }
}
