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
    /// A file that is written in a way that no line of it can be edited.
    #[error(
        "{}: cannot set {} and keep the rest as it is written; write one line `tool: version` for \
         each tool", path.display(), tools.join(", ")
    )]
    Unedited {
        /// The file.
        path: PathBuf,
        /// The tools, each with its version.
        tools: Vec<String>,
    },
}

/// Reads a YAML map of tools to versions.
pub(super) fn read(path: &Path) -> Result<BTreeMap<String, Version>, VersionsError> {
    parse(&text(path)?, path)
}

/// The text of the file with these versions set, everything else as it is written.
pub(super) fn with(
    path: &Path,
    raised: &BTreeMap<String, Version>,
) -> Result<String, VersionsError> {
    let text = text(path)?;
    let before = parse(&text, path)?;
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for (tool, to) in raised {
        match before.get(tool) {
            Some(from) => replace(&mut lines, &entries(&text, path)?, tool, from, to),
            None => append(&mut lines, tool, to),
        }
    }
    let text = lines.concat();
    // Lines are edited, so what they mean is read back.
    let mut expected = before;
    expected.extend(raised.clone());
    if parse(&text, path).is_ok_and(|after| after == expected) {
        return Ok(text);
    }
    let tools = raised.iter().map(|(tool, version)| format!("{tool}: {version}")).collect();
    Err(VersionsError::Unedited { path: path.to_owned(), tools })
}

/// Sets the version on the line on which the tool's stands.
fn replace(
    lines: &mut [String],
    entries: &BTreeMap<String, Spanned<String>>,
    tool: &str,
    from: &Version,
    to: &Version,
) {
    let line = entries.get(tool).and_then(|entry| usize::try_from(entry.referenced.line()).ok());
    let Some(line) = line.and_then(|line| lines.get_mut(line.checked_sub(1)?)) else { return };
    let from = from.to_string();
    // A comment after it may name versions too, and so may the tool's name before it.
    let code = line.find(" #").unwrap_or(line.len());
    if let Some(at) = line.get(..code).and_then(|code| code.rfind(&from)) {
        line.replace_range(at..at + from.len(), &to.to_string());
    }
}

/// Adds a line at the end.
fn append(lines: &mut Vec<String>, tool: &str, version: &Version) {
    if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
        last.push('\n');
    }
    // A JSON string is a YAML string, whatever the name holds.
    lines.push(format!("{}: \"{version}\"\n", serde_json::Value::from(tool)));
}

fn text(path: &Path) -> Result<String, VersionsError> {
    std::fs::read_to_string(path)
        .map_err(|source| VersionsError::Read { path: path.to_owned(), source })
}

fn entries(text: &str, path: &Path) -> Result<BTreeMap<String, Spanned<String>>, VersionsError> {
    serde_saphyr::from_str(text).map_err(|error| {
        let message = error.without_snippet().to_string();
        // The parser speaks to whoever programs with it.
        let message = message.replace(", set DuplicateKeyPolicy in Options if acceptable", "");
        VersionsError::Yaml { path: path.to_owned(), message }
    })
}

fn parse(text: &str, path: &Path) -> Result<BTreeMap<String, Version>, VersionsError> {
    let entries = entries(text, path)?;
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
    fn versions_are_raised_in_place() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let raise = |text: &str, raised: &[(&str, &str)]| {
            std::fs::write(file.path(), text).unwrap();
            let raised = raised.iter().map(|(tool, to)| ((*tool).into(), to.parse().unwrap()));
            with(file.path(), &raised.collect())
        };
        let text =
            "# ours\nsearch:   1.2.0 # not 1.2.0 any more\n\n\"a: 1.0.0\": '1.0.0'\r\nc: 1.0.0";
        let raised = [("search", "2.0.0"), ("a: 1.0.0", "1.0.1"), ("new", "1.0.1")];
        assert_eq!(
            raise(text, &raised).unwrap(),
            "# ours\nsearch:   2.0.0 # not 1.2.0 any more\n\n\"a: 1.0.0\": '1.0.1'\r\nc: 1.0.0\n\
             \"new\": \"1.0.1\"\n"
        );
        assert_eq!(raise("", &[("a", "1.0.1")]).unwrap(), "\"a\": \"1.0.1\"\n");
        for folded in ["{a: 1.0.0}\n", "a: &x 1.0.0\nb: *x\n"] {
            let error = raise(folded, &[("b", "2.0.0")]).map(|text| panic!("{text}"));
            let error = error.unwrap_err().to_string();
            assert!(error.ends_with("write one line `tool: version` for each tool"), "{error}");
        }
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
            assert!(!found.contains("Policy"), "{found}");
        }
        let missing = read(Path::new("/nonexistent/versions.yaml")).unwrap_err();
        assert!(missing.to_string().starts_with("cannot read /nonexistent"), "{missing}");
    }
}
