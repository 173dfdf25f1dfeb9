//! The versions in Cargo.lock (The Cargo Book, "Cargo.toml vs Cargo.lock").
//!
//! Cargo writes that file itself, always in the same form, so that its lines are enough.

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;

use super::sdk::Sdk;

/// One `[[package]]`.
struct Locked<'l> {
    name: &'l str,
    version: &'l str,
    /// Each `name`, `name version` or `name version (source)`.
    dependencies: Vec<&'l str>,
}

impl Sdk {
    /// The versions that the nearest rmcp below a package has, from the text of Cargo.lock; `None`
    /// where there is none, or where the file is not what cargo writes.
    pub fn from_lock(lock: &str, package: &str) -> Option<Self> {
        let packages = packages(lock);
        let start = packages.iter().find(|locked| locked.name == package)?;
        let rmcp = nearest(&packages, start, "rmcp")?;
        let schemars = nearest(&packages, rmcp, "schemars")?;
        Some(Self {
            rmcp: Version::parse(rmcp.version).ok()?,
            schemars: Version::parse(schemars.version).ok()?,
            keeps_order: schemars.dependencies.iter().any(|name| name.starts_with("indexmap")),
            // That file names no features.
            keeps_digits: true,
        })
    }
}

/// The versions of a package's dependencies, by name, from the text of Cargo.lock. A dependency of
/// which there are several versions is left out.
pub(crate) fn locked_versions(lock: &str, package: &str) -> BTreeMap<String, Version> {
    let packages = packages(lock);
    let Some(start) = packages.iter().find(|locked| locked.name == package) else {
        return BTreeMap::new();
    };
    let mut versions: BTreeMap<String, Option<Version>> = BTreeMap::new();
    for locked in dependencies(&packages, start) {
        let version = Version::parse(locked.version).ok();
        versions.entry(locked.name.to_owned()).and_modify(|known| *known = None).or_insert(version);
    }
    versions.into_iter().filter_map(|(name, version)| Some((name, version?))).collect()
}

fn packages(lock: &str) -> Vec<Locked<'_>> {
    let mut packages: Vec<Locked<'_>> = Vec::new();
    for line in lock.lines().map(str::trim) {
        if line == "[[package]]" {
            packages.push(Locked { name: "", version: "", dependencies: Vec::new() });
        }
        let Some(package) = packages.last_mut() else { continue };
        let quoted = |text: &'_ str| -> Option<(usize, usize)> {
            let start = text.find('"')? + 1;
            Some((start, start + text[start..].find('"')?))
        };
        let Some((start, end)) = quoted(line) else { continue };
        let value = &line[start..end];
        if line.starts_with("name = ") {
            package.name = value;
        } else if line.starts_with("version = ") {
            package.version = value;
        } else if line.starts_with('"') {
            package.dependencies.push(value);
        }
    }
    packages
}

/// The nearest dependency of a name, breadth first.
fn nearest<'p, 'l>(
    packages: &'p [Locked<'l>],
    from: &'p Locked<'l>,
    name: &str,
) -> Option<&'p Locked<'l>> {
    let mut seen = BTreeSet::new();
    let mut layer = vec![from];
    while !layer.is_empty() {
        let below = layer.iter().flat_map(|locked| dependencies(packages, locked));
        let next: Vec<_> =
            below.filter(|locked| seen.insert((locked.name, locked.version))).collect();
        if let Some(found) = next.iter().find(|locked| locked.name == name) {
            return Some(found);
        }
        layer = next;
    }
    None
}

/// The packages that one depends on.
fn dependencies<'p, 'l>(
    packages: &'p [Locked<'l>],
    of: &'p Locked<'l>,
) -> impl Iterator<Item = &'p Locked<'l>> {
    of.dependencies.iter().filter_map(|dependency| {
        let mut words = dependency.split(' ');
        let (name, version) = (words.next()?, words.next());
        packages.iter().find(|locked| {
            locked.name == name && version.is_none_or(|version| locked.version == version)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4

[[package]]
name = "server"
version = "1.0.0"
dependencies = [
 "core",
 "rmcp 2.0.0",
]

[[package]]
name = "core"
version = "0.1.0"
dependencies = [
 "rmcp 1.0.0",
]

[[package]]
name = "rmcp"
version = "1.0.0"
source = "registry+https://example.org"
dependencies = [
 "schemars 0.8.1",
]

[[package]]
name = "rmcp"
version = "2.0.0"
dependencies = [
 "schemars 1.2.3",
]

[[package]]
name = "schemars"
version = "0.8.1"
dependencies = [
 "indexmap 1.9.3",
]

[[package]]
name = "schemars"
version = "1.2.3"
"#;

    #[test]
    fn the_nearest_rmcp_and_its_schemars_count() {
        let sdk = |rmcp: &str, schemars: &str| {
            let parse = |text: &str| Version::parse(text).unwrap();
            let keeps_order = schemars.starts_with("0.8");
            Some(Sdk {
                rmcp: parse(rmcp),
                schemars: parse(schemars),
                keeps_order,
                keeps_digits: true,
            })
        };
        assert_eq!(Sdk::from_lock(LOCK, "server"), sdk("2.0.0", "1.2.3"));
        assert_eq!(Sdk::from_lock(LOCK, "core"), sdk("1.0.0", "0.8.1"));
        assert_eq!(Sdk::from_lock(LOCK, "schemars"), None);
        let versions = locked_versions(LOCK, "server");
        let versions: Vec<_> = versions.iter().map(|(name, it)| format!("{name} {it}")).collect();
        assert_eq!(versions, ["core 0.1.0", "rmcp 2.0.0"]);
        assert_eq!(Sdk::from_lock("[[package]]\nname = \"server", "server"), None);
    }
}
