//! The lockfile out of a published crate, through cargo.
//!
//! An empty project that depends on the release is vendored into a temporary directory: so cargo
//! finds registries, mirrors and credentials as it always does, and a crate without a library is
//! there too, which `cargo metadata` leaves out.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

use mcp_semver_build::lockfile::FILE_NAME;
use mcp_semver_build::{Lockfile, LockfileError};
use semver::Version;

use crate::interrupt::Scratch;
use crate::source::build::cargo_program;

/// Which release is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Release {
    /// The highest version that is no pre-release.
    Latest,
    /// This one.
    Exact(Version),
}

impl FromStr for Release {
    type Err = semver::Error;

    fn from_str(text: &str) -> Result<Self, semver::Error> {
        if text == "latest" { Ok(Self::Latest) } else { text.parse().map(Self::Exact) }
    }
}

impl std::fmt::Display for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Latest => f.write_str("latest"),
            Self::Exact(version) => version.fmt(f),
        }
    }
}

/// Why a release gives no lockfile.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// Nothing of that name was ever published.
    #[error("no version of {package} is published")]
    Unpublished {
        /// The package's name.
        package: String,
    },
    /// Other versions are published, or cargo no longer brings this one to anybody.
    #[error("{package} ({release}) cannot be had: {why}")]
    Unavailable {
        /// The package's name.
        package: String,
        /// What was asked for.
        release: Release,
        /// What cargo said of it.
        why: String,
    },
    /// Cargo could not bring it.
    #[error("cargo cannot bring the published {package} ({release}):\n{said}")]
    Cargo {
        /// The package's name.
        package: String,
        /// What was asked for.
        release: Release,
        /// What cargo said.
        said: String,
    },
    /// It was published without a lockfile.
    #[error("the published {package} {version} has no {FILE_NAME} in it")]
    Lockless {
        /// The package's name.
        package: String,
        /// The version that was found.
        version: Version,
    },
    /// Its lockfile is not sound.
    #[error(transparent)]
    Lockfile(#[from] LockfileError),
    /// A temporary project could not be made.
    #[error("cannot make a temporary project: {0}")]
    Temporary(#[from] io::Error),
}

impl PublishedError {
    /// What to do about it, where the message does not say it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Lockless { version, .. } => Some(format!(
                "it was published before the file was there, or `include` or `exclude` in \
                 Cargo.toml leave it out (`cargo package --list` tells); measure against the \
                 release's tag instead, such as `--baseline-rev v{version}`"
            )),
            Self::Unpublished { .. } => Some(
                "`--baseline-version latest` lets the first release pass; a revision works without \
                 a registry: `--baseline-rev <tag>`"
                    .to_owned(),
            ),
            Self::Unavailable { .. } => Some(
                "name another version, or measure against the release's tag: `--baseline-rev <tag>`"
                    .to_owned(),
            ),
            Self::Cargo { .. } | Self::Lockfile(_) | Self::Temporary(_) => None,
        }
    }
}

/// A release of a package, as cargo has to be asked for it.
#[derive(Debug, Clone)]
pub struct Published<'a> {
    /// The package's name.
    pub package: &'a str,
    /// The registry it is published to, where that is not cargo's default one.
    pub registry: Option<&'a str>,
    /// Which release.
    pub release: &'a Release,
    /// Flags of cargo that decide where and whether it looks: `--offline`, `--config`.
    pub flags: &'a [String],
}

impl Published<'_> {
    /// The release's lockfile, and its version.
    ///
    /// # Errors
    /// [`PublishedError`] when it is not published, or not with a sound lockfile.
    pub fn lockfile(&self) -> Result<(Version, Lockfile), PublishedError> {
        let directory = Scratch::new()?;
        let vendored = directory.path().join("vendored");
        fs::write(directory.path().join("lib.rs"), "")?;
        let manifest = directory.path().join("Cargo.toml");
        fs::write(&manifest, self.manifest())?;
        self.vendor(&manifest, &vendored)?;
        let version = self.found(&vendored)?;
        let lockfile = vendored.join(format!("{}-{version}", self.package)).join(FILE_NAME);
        match fs::read(&lockfile) {
            Ok(bytes) => {
                let origin = format!("{FILE_NAME} of the published {} {version}", self.package);
                Ok((version, Lockfile::from_bytes(bytes, Path::new(&origin))?))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(PublishedError::Lockless { package: self.package.to_owned(), version })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A project that depends on the release and is no part of a workspace around it.
    fn manifest(&self) -> String {
        let quoted = |text: &str| toml_edit::Value::from(text).to_string();
        let requirement = match self.release {
            Release::Latest => "*".to_owned(),
            Release::Exact(version) => format!("={version}"),
        };
        let registry = self.registry.map(|name| format!(", registry ={}", quoted(name)));
        format!(
            "[package]\nname = \"mcp-semver-baseline\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
             [lib]\npath = \"lib.rs\"\n[workspace]\n[dependencies]\n\
             {} = {{ version ={}, default-features = false{} }}\n",
            quoted(self.package).trim(),
            quoted(&requirement),
            registry.unwrap_or_default()
        )
    }

    fn vendor(&self, manifest: &Path, to: &Path) -> Result<(), PublishedError> {
        let output = Command::new(cargo_program())
            .args(["vendor", "--versioned-dirs", "--respect-source-config", "--color", "never"])
            .args(self.flags)
            .arg("--manifest-path")
            .arg(manifest)
            .arg(to)
            .stdin(Stdio::null())
            .output();
        let package = || self.package.to_owned();
        let failed = |said| {
            let release = self.release.clone();
            PublishedError::Cargo { package: package(), release, said }
        };
        let output = output.map_err(|error| failed(error.to_string()))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        // Only a registry that was asked can say so: not a cache, nor a directory in its place.
        let asked = !["offline", "directory source", "local registry"]
            .iter()
            .any(|word| said.contains(word));
        if asked && said.contains(&format!("no matching package named `{}` found", self.package)) {
            return Err(PublishedError::Unpublished { package: package() });
        }
        let choice =
            |line: &&str| line.starts_with("candidate versions") || line.ends_with("is yanked");
        if let Some(why) = said.lines().map(str::trim).find(choice) {
            let (release, why) = (self.release.clone(), why.to_owned());
            return Err(PublishedError::Unavailable { package: package(), release, why });
        }
        Err(failed(said))
    }

    /// The version that was vendored.
    fn found(&self, vendored: &Path) -> Result<Version, PublishedError> {
        let prefix = format!("{}-", self.package);
        let mut versions = Vec::new();
        for entry in fs::read_dir(vendored)? {
            let name = entry?.file_name();
            let version = name.to_str().and_then(|name| name.strip_prefix(&prefix)?.parse().ok());
            versions.extend(version);
        }
        let wanted = |version: &Version| match self.release {
            Release::Latest => true,
            Release::Exact(exact) => version.cmp_precedence(exact).is_eq(),
        };
        versions.into_iter().filter(wanted).max().ok_or_else(|| PublishedError::Cargo {
            package: self.package.to_owned(),
            release: self.release.clone(),
            said: "it did not say why".to_owned(),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A directory in place of cargo's default registry, with these packages, and cargo's flags to use it. `files`
    /// are files of a package by name.
    pub(crate) fn registry(directory: &Path, packages: &[(&str, &[(&str, &str)])]) -> Vec<String> {
        for (package, files) in packages {
            let (name, version) = package.split_once('@').unwrap();
            let root = directory.join(format!("{name}-{version}"));
            fs::create_dir_all(root.join("src")).unwrap();
            let manifest = format!(
                "[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2021\"\n"
            );
            fs::write(root.join("Cargo.toml"), manifest).unwrap();
            fs::write(root.join("src/main.rs"), "fn main() {}").unwrap();
            fs::write(root.join(".cargo-checksum.json"), "{\"files\":{}}").unwrap();
            for (file, text) in *files {
                fs::write(root.join(file), text).unwrap();
            }
        }
        let directory = toml_edit::Value::from(directory.to_str().unwrap()).to_string();
        vec![
            "--offline".into(),
            "--config".into(),
            "source.crates-io.replace-with=\"here\"".into(),
            "--config".into(),
            format!("source.here.directory={}", directory.trim()),
        ]
    }

    fn lockfile(version: &str) -> String {
        format!(
            "version: 1\ngenerated_for: srv\npackage: {{name: srv, version: {version}}}\ntools: {{}}\n"
        )
    }

    #[test]
    fn the_lockfile_of_a_release_is_taken_out_of_its_crate() {
        let directory = tempfile::tempdir().unwrap();
        let (one, two) = (lockfile("1.4.0"), lockfile("1.5.0"));
        let flags = registry(
            directory.path(),
            &[
                ("srv@1.4.0", &[(FILE_NAME, &one)]),
                ("srv@1.5.0", &[(FILE_NAME, &two)]),
                ("srv@2.0.0-rc.1", &[]),
                ("srv@1.3.0", &[]),
                ("srv@1.2.0", &[(FILE_NAME, "version: 2\ntools: {}\n")]),
                ("srv-extra@9.0.0", &[]),
            ],
        );
        let read = |package: &str, release: &str| {
            let release: Release = release.parse().unwrap();
            let published = Published { package, registry: None, release: &release, flags: &flags };
            published.lockfile().map(|(version, lockfile)| {
                assert_eq!(lockfile.package.unwrap().version, version);
                version.to_string()
            })
        };
        assert_eq!(read("srv", "1.4.0").unwrap(), "1.4.0");
        assert_eq!(read("srv", "latest").unwrap(), "1.5.0");
        for (package, release, expected) in [
            ("srv", "1.3.0", "the published srv 1.3.0 has no tool-versions.lock.yaml in it"),
            ("srv", "1.2.0", "tool-versions.lock.yaml of the published srv 1.2.0:1: lockfile"),
            (
                "srv",
                "1.9.0",
                "srv (1.9.0) cannot be had: candidate versions found which didn't match: ",
            ),
            ("new", "latest", "cargo cannot bring the published new (latest):\n"),
        ] {
            let error = read(package, release).unwrap_err();
            assert!(error.to_string().starts_with(expected), "{error}");
        }
        let help = read("srv", "1.3.0").unwrap_err().help().unwrap();
        assert!(help.contains("--baseline-rev v1.3.0"), "{help}");
    }

    #[test]
    fn a_yanked_release_is_said_to_be() {
        let directory = tempfile::tempdir().unwrap();
        let index = directory.path().join("index/sr/v-");
        fs::create_dir_all(&index).unwrap();
        let checksum = "0".repeat(64);
        let entry = format!(
            r#"{{"name":"srv-x","vers":"1.4.0","deps":[],"cksum":"{checksum}","features":{{}},"yanked":true}}"#
        );
        fs::write(index.join("srv-x"), entry + "\n").unwrap();
        let directory = toml_edit::Value::from(directory.path().to_str().unwrap()).to_string();
        let flags = [
            "--config".to_owned(),
            "source.crates-io.replace-with=\"here\"".to_owned(),
            "--config".to_owned(),
            format!("source.here.local-registry={}", directory.trim()),
        ];
        for release in ["1.4.0", "latest"] {
            let release: Release = release.parse().unwrap();
            let package = "srv-x";
            let published = Published { package, registry: None, release: &release, flags: &flags };
            let error = published.lockfile().unwrap_err();
            let expected = format!("srv-x ({release}) cannot be had: version 1.4.0 is yanked");
            assert_eq!(error.to_string(), expected);
            assert!(error.help().unwrap().contains("--baseline-rev"));
        }
    }

    #[test]
    fn a_release_is_a_version_or_the_latest() {
        assert_eq!("latest".parse::<Release>().unwrap(), Release::Latest);
        assert_eq!("1.2.3-rc.1".parse::<Release>().unwrap().to_string(), "1.2.3-rc.1");
        for wrong in ["", "1.2", "newest", "=1.2.3"] {
            assert!(wrong.parse::<Release>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn another_registry_is_named_in_the_project() {
        let release = Release::Exact(Version::new(1, 0, 0));
        let published =
            Published { package: "srv", registry: Some("ours"), release: &release, flags: &[] };
        let manifest: toml_edit::DocumentMut = published.manifest().parse().unwrap();
        let dependency = &manifest["dependencies"]["srv"];
        assert_eq!(dependency["registry"].as_str(), Some("ours"));
        assert_eq!(dependency["version"].as_str(), Some("=1.0.0"));
    }
}
