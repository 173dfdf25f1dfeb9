//! What cargo tells a build script (The Cargo Book, "Environment variables Cargo sets for build
//! scripts").

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::evaluate::Cfg;

/// The environment of one run of a build script.
#[derive(Debug, Clone)]
pub(super) struct Environment {
    /// `CARGO_MANIFEST_DIR`: where the package's Cargo.toml is.
    pub(super) directory: PathBuf,
    /// `OUT_DIR`.
    pub(super) out_dir: PathBuf,
    /// Every variable.
    pub(super) variables: BTreeMap<String, String>,
}

impl Environment {
    /// The environment of this process, where cargo started it as a build script.
    pub(super) fn of_build_script() -> Option<Self> {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self::new(std::env::vars_os().filter_map(text).collect())
    }

    /// The environment that these variables make.
    pub(super) fn new(variables: BTreeMap<String, String>) -> Option<Self> {
        Some(Self {
            directory: variables.get("CARGO_MANIFEST_DIR")?.into(),
            out_dir: variables.get("OUT_DIR")?.into(),
            variables,
        })
    }

    /// A variable, empty where it is not set.
    pub(super) fn text(&self, name: &str) -> &str {
        self.variables.get(name).map_or("", String::as_str)
    }

    /// Whether cargo verifies the package before it is published: it unpacked the package into the
    /// `package` directory of the directory it builds in. A package that somebody else unpacked has
    /// its own build directory, and a vendored one the checksums of its files.
    pub(super) fn is_verification(&self) -> bool {
        let Some(parent) = self.directory.parent() else { return false };
        let name = format!("{}-{}", self.text("CARGO_PKG_NAME"), self.text("CARGO_PKG_VERSION"));
        let inside = parent.file_name().is_some_and(|name| name == "package")
            && self.directory.file_name().is_some_and(|own| *own == *name)
            && parent.parent().is_some_and(|build| self.out_dir.starts_with(build))
            && !self.out_dir.starts_with(parent);
        let is_vendored = || self.directory.join(".cargo-checksum.json").exists();
        inside && self.has_original_manifest() && !is_vendored()
    }

    /// Whether the package was unpacked from a registry: nobody edits it here.
    pub(super) fn is_dependency(&self) -> bool {
        self.has_original_manifest() && !self.is_verification()
    }

    /// Packaging leaves the manifest as its author wrote it beside the one it makes.
    fn has_original_manifest(&self) -> bool {
        self.directory.join("Cargo.toml.orig").exists()
    }

    /// The Cargo.lock of the build, with its text; `workspace` is where that of the package is. A
    /// package that was unpacked is in no workspace: its own lock counts, else the nearest above.
    pub(super) fn cargo_lock(&self, workspace: &Path) -> Option<(PathBuf, String)> {
        let lock = |directory: &Path| {
            let path = directory.join("Cargo.lock");
            Some((path.clone(), std::fs::read_to_string(&path).ok()?))
        };
        match self.has_original_manifest() {
            true => self.directory.ancestors().find_map(lock),
            false => lock(workspace),
        }
    }

    /// What the package is compiled with; `features` are the names of all it has.
    pub(super) fn cfg(&self, features: &BTreeSet<String>) -> Cfg {
        let is_on = |feature: &&String| {
            let name = feature.to_uppercase().replace('-', "_");
            self.variables.contains_key(&format!("CARGO_FEATURE_{name}"))
        };
        // Of options without a value cargo tells those alone that are on.
        let off = ["unix", "windows"].map(|name| (name.to_owned(), BTreeSet::new()));
        let mut values = BTreeMap::from(off);
        for (name, value) in &self.variables {
            let Some(option) = name.strip_prefix("CARGO_CFG_") else { continue };
            // Those are of the compiler that cargo asked, not of the profile.
            if !matches!(option, "DEBUG_ASSERTIONS" | "OVERFLOW_CHECKS" | "FEATURE") {
                let set = value.split(',').map(str::to_owned).collect();
                values.insert(option.to_lowercase(), set);
            }
        }
        let features = features.iter().filter(is_on).cloned().collect();
        Cfg { features, values, ..Cfg::default() }
    }

    /// What cargo also puts into the environment of rustc, for `env!`.
    pub(super) fn for_rustc(&self) -> BTreeMap<String, String> {
        let is_given = |name: &str| name == "CARGO_MANIFEST_DIR" || name.starts_with("CARGO_PKG_");
        let given = self.variables.iter().filter(|(name, _)| is_given(name));
        given.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_verification_is_told_from_every_other_build() {
        let root = tempfile::tempdir().unwrap();
        let is_verification = |directory: &str, out_dir: &str, files: &[&str]| {
            let directory = root.path().join(directory);
            let _ = fs::remove_dir_all(&directory);
            fs::create_dir_all(&directory).unwrap();
            files.iter().for_each(|file| fs::write(directory.join(file), "").unwrap());
            let text = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
            let variables = [
                ("CARGO_MANIFEST_DIR", text(directory)),
                ("CARGO_PKG_NAME", "server".to_owned()),
                ("CARGO_PKG_VERSION", "1.4.0".to_owned()),
                ("OUT_DIR", text(root.path().join(out_dir))),
            ];
            let variables = variables.map(|(name, value)| (name.to_owned(), value)).into();
            Environment::new(variables).unwrap().is_verification()
        };
        let (unpacked, out_dir) = ("target/package/server-1.4.0", "target/debug/build/server/out");
        let packaged = ["Cargo.toml.orig"];
        assert!(is_verification(unpacked, out_dir, &packaged));
        for (what, directory, out_dir, files) in [
            ("a git or path dependency", unpacked, out_dir, &[][..]),
            ("of a registry", "registry/src/index/server-1.4.0", out_dir, &packaged),
            ("vendored", unpacked, out_dir, &["Cargo.toml.orig", ".cargo-checksum.json"]),
            ("built elsewhere", unpacked, "other/debug/build/server/out", &packaged),
            ("unpacked by hand", unpacked, "target/package/server-1.4.0/target/out", &packaged),
            ("of another name", "target/package/server", out_dir, &packaged),
        ] {
            assert!(!is_verification(directory, out_dir, files), "{what}");
        }
    }
}
