//! `--declared`: the versions of tools in a file of their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use semver::Version;
use serde_saphyr::Spanned;

/// Why the versions of tools could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum VersionsError {
    /// The system refused.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No map of texts.
    #[error("{}: {message}; write one line `tool: version` for each tool", path.display())]
    Yaml {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A version that is none.
    #[error("{}:{line}: tool `{tool}`: `{text}` is no version: {reason}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: u64,
        /// The tool.
        tool: String,
        /// What stands there.
        text: String,
        /// What is wrong with it.
        reason: semver::Error,
    },
}

/// Reads a YAML map of tools to versions.
pub(super) fn read(path: &Path) -> Result<BTreeMap<String, Version>, VersionsError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| VersionsError::Read { path: path.to_owned(), source })?;
    let entries: BTreeMap<String, Spanned<String>> =
        serde_saphyr::from_str(&text).map_err(|error| {
            let message = error.without_snippet().to_string();
            VersionsError::Yaml { path: path.to_owned(), message }
        })?;
    let version = |(tool, text): (String, Spanned<String>)| match Version::parse(&text.value) {
        Ok(version) => Ok((tool, version)),
        Err(reason) => Err(VersionsError::Version {
            path: path.to_owned(),
            line: text.referenced.line(),
            tool,
            text: text.value,
            reason,
        }),
    };
    entries.into_iter().map(version).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Result<BTreeMap<String, Version>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let name = file.path().display().to_string();
        read(file.path()).map_err(|error| error.to_string().replace(&name, "versions.yaml"))
    }

    #[test]
    fn each_tool_has_a_version() {
        let versions = said("# ours\nsearch: 1.2.0\n\"ping\": \"0.1.0-rc.1\"\n").unwrap();
        assert_eq!(versions["search"], Version::new(1, 2, 0));
        assert_eq!(versions["ping"].to_string(), "0.1.0-rc.1");
        assert!(said("").unwrap().is_empty(), "then no tool was bumped");
    }

    #[test]
    fn what_is_no_version_is_named_with_its_line() {
        for (text, expected) in [
            ("search: 1.2.0\nping: 1.2\n", "versions.yaml:2: tool `ping`: `1.2` is no version: "),
            ("search: 1.2.0\nsearch: 1.3.0\n", "versions.yaml: "),
            ("- search\n", "versions.yaml: "),
            ("search: [1]\n", "versions.yaml: "),
        ] {
            let found = said(text).unwrap_err();
            assert!(found.starts_with(expected), "{text:?}: {found}");
        }
        let missing = read(Path::new("/nonexistent/versions.yaml")).unwrap_err();
        assert!(missing.to_string().starts_with("cannot read /nonexistent"), "{missing}");
    }
}
