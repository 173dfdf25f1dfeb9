//! `[package.metadata.mcp-semver]` in Cargo.toml.
//!
//! ```toml
//! [package.metadata.mcp-semver]
//! server = "MyServer"            # the type whose tools are read, where several serve tools
//! target = "my-server"           # the binary whose tools are read, where there are several
//! runtime-router = "declared"    # check what is declared though the router is edited at run time
//! gate = "release"               # versions cover changes when released, not with every change
//!
//! [package.metadata.mcp-semver.versions]
//! search = "1.2.0"               # tools that have versions of their own
//! ```
//!
//! `[workspace.metadata.mcp-semver]` takes `gate`, `runtime-router` and `rules`, for every member
//! that does not say otherwise.
//!
//! ```toml
//! [package.metadata.mcp-semver.rules]
//! description_changed = "allow"  # or "patch", "minor", "major"
//!
//! [package.metadata.mcp-semver.tools.search.rules]
//! input_default_changed = "minor"
//!
//! [package.metadata.mcp-semver.tools.search.arguments."filter.stops".rules]
//! input_type_narrowed = "patch"  # `results` in place of `arguments` for fields of the result
//! ```

mod error;
mod rules;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use semver::Version;
use serde_json::{Map, Value};

use crate::gate::{Gate, Grading};
use crate::suggest::nearest;

pub use error::{MetadataError, MetadataProblem};

/// What a package's Cargo.toml says to this tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Tool versions by tool name; absent where tools are not versioned one by one.
    pub versions: Option<BTreeMap<String, Version>>,
    /// Name of the binary whose tools are read.
    pub target: Option<String>,
    /// What to make of a router that is edited at run time.
    pub runtime_router: RuntimeRouter,
    /// When versions must cover what changed.
    pub gate: Gate,
    /// What the rules' grades are set to.
    pub grading: Grading,
}

/// What to make of a router that is edited at run time, which no build can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RuntimeRouter {
    /// The catalogue is not known, and nothing that compares it passes.
    #[default]
    Unread,
    /// The author knows, and has the declared tools checked.
    Declared,
}

/// The table's name under `metadata`.
const TABLE: &str = "mcp-semver";

/// The keys of a package's table.
const KEYS: &[&str] = &["gate", "rules", "runtime-router", "server", "target", "tools", "versions"];

/// The keys of a workspace's table.
const SHARED_KEYS: &[&str] = &["gate", "rules", "runtime-router"];

impl Settings {
    /// Reads the `metadata` values that `cargo metadata` gives for a package and for its
    /// workspace, each with the path of its Cargo.toml; null where there are none. The paths are
    /// named in errors, and the files read again to find the line.
    ///
    /// # Errors
    /// [`MetadataError`] for a key that is not known or a value of the wrong kind.
    pub fn new(
        (package, manifest): (&Value, &Path),
        (workspace, root): (&Value, &Path),
    ) -> Result<Self, MetadataError> {
        let mut settings = Self::default();
        if let Some(table) = Table::find(workspace, "workspace", root)? {
            table.read(&mut settings)?;
        }
        if let Some(table) = Table::find(package, "package", manifest)? {
            table.read(&mut settings)?;
        }
        Ok(settings)
    }
}

/// Whether a table's name is [`TABLE`] misspelt; one for servers is its own.
fn is_meant(name: &str) -> bool {
    let plain = name.to_lowercase().replace('_', "-");
    let plain = plain.strip_prefix("cargo-").unwrap_or(&plain);
    name != TABLE && !plain.contains("serve") && nearest(plain, [TABLE]).is_some()
}

/// One of the tables and where it stands.
struct Table<'a> {
    entries: &'a Map<String, Value>,
    /// `package` or `workspace`.
    section: &'static str,
    manifest: &'a Path,
}

impl<'a> Table<'a> {
    fn find(
        metadata: &'a Value,
        section: &'static str,
        manifest: &'a Path,
    ) -> Result<Option<Self>, MetadataError> {
        let Some(metadata) = metadata.as_object() else { return Ok(None) };
        let fault =
            |key: &str, problem| MetadataError::new(manifest, &[section, "metadata", key], problem);
        // Under a name so near to ours nobody means anything else, and it would go unread.
        if let Some(key) = metadata.keys().find(|key| is_meant(key)) {
            return Err(fault(key, MetadataProblem::OtherTable { section, found: key.clone() }));
        }
        match metadata.get(TABLE) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(entries)) => Ok(Some(Self { entries, section, manifest })),
            Some(_) => Err(fault(TABLE, wrong_value(TABLE, "a table"))),
        }
    }

    fn read(&self, settings: &mut Settings) -> Result<(), MetadataError> {
        for (key, value) in self.entries {
            match (self.section, key.as_str()) {
                (_, "gate") => settings.gate = self.gate(value)?,
                (_, "runtime-router") => settings.runtime_router = self.runtime_router(value)?,
                ("workspace", "rules") => settings.grading.workspace = self.rules(&[key], value)?,
                (_, "rules") => settings.grading.package = self.rules(&[key], value)?,
                ("package", "tools") => settings.grading.tools = self.tools(value)?,
                ("package", "server") => self.server(value)?,
                ("package", "target") => settings.target = Some(self.target(value)?),
                ("package", "versions") => settings.versions = Some(self.versions(value)?),
                _ => return Err(self.fault(&[key], self.unknown(key))),
            }
        }
        Ok(())
    }

    fn unknown(&self, key: &str) -> MetadataProblem {
        if KEYS.contains(&key) {
            return MetadataProblem::PackageOnly { key: key.to_owned() };
        }
        let known = if self.section == "package" { KEYS } else { SHARED_KEYS };
        MetadataProblem::UnknownKey { key: key.to_owned(), table: self.name(&[]), known }
    }

    fn runtime_router(&self, value: &Value) -> Result<RuntimeRouter, MetadataError> {
        match value.as_str() {
            Some("declared") => Ok(RuntimeRouter::Declared),
            _ => Err(self.fault(
                &["runtime-router"],
                wrong_value("runtime-router", "\"declared\", or left out"),
            )),
        }
    }

    fn gate(&self, value: &Value) -> Result<Gate, MetadataError> {
        match value.as_str() {
            Some("always") => Ok(Gate::Always),
            Some("release") => Ok(Gate::Release),
            _ => Err(self.fault(&["gate"], wrong_value("gate", "\"always\" or \"release\""))),
        }
    }

    fn target(&self, value: &Value) -> Result<String, MetadataError> {
        match value.as_str() {
            Some(name) if !name.trim().is_empty() => Ok(name.to_owned()),
            _ => Err(self.fault(&["target"], wrong_value("target", "the name of a binary"))),
        }
    }

    /// Which types are the servers; the build source uses it where it reads the crate.
    fn server(&self, value: &Value) -> Result<(), MetadataError> {
        let name = |value: &Value| value.as_str().is_some_and(|name| !name.trim().is_empty());
        let named = match value {
            Value::Array(names) => !names.is_empty() && names.iter().all(name),
            value => name(value),
        };
        if named {
            return Ok(());
        }
        let problem = wrong_value("server", "the name of a type, or an array of such names");
        Err(self.fault(&["server"], problem))
    }

    fn versions(&self, value: &Value) -> Result<BTreeMap<String, Version>, MetadataError> {
        let Some(entries) = value.as_object() else {
            let problem = wrong_value("versions", "a table of tool = \"version\"");
            return Err(self.fault(&["versions"], problem));
        };
        let version = |(tool, value): (&String, &Value)| {
            let problem = match value.as_str().map(Version::parse) {
                Some(Ok(version)) => return Ok((tool.clone(), version)),
                Some(Err(error)) => MetadataProblem::Version {
                    tool: tool.clone(),
                    text: value.as_str().unwrap_or_default().to_owned(),
                    reason: error.to_string(),
                },
                None => wrong_value(tool, "a version in quotes, such as \"1.2.0\""),
            };
            Err(self.fault(&["versions", tool], problem))
        };
        entries.iter().map(version).collect()
    }

    fn fault(&self, keys: &[&str], problem: MetadataProblem) -> MetadataError {
        MetadataError::new(self.manifest, &self.path(keys), problem)
    }

    /// Where a key stands in the manifest.
    fn path<'k>(&'k self, keys: &[&'k str]) -> Vec<&'k str> {
        [&[self.section, "metadata", TABLE], keys].concat()
    }

    /// A table below this one, as its header names it.
    fn name(&self, keys: &[&str]) -> String {
        let quoted = |key: &&str| {
            let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            let is_bare = !key.is_empty() && key.chars().all(bare);
            if is_bare { (*key).to_owned() } else { toml_edit::Value::from(*key).to_string() }
        };
        self.path(keys).iter().map(quoted).collect::<Vec<_>>().join(".")
    }
}

fn wrong_value(key: &str, expected: &'static str) -> MetadataProblem {
    MetadataProblem::WrongValue { key: key.to_owned(), expected }
}
