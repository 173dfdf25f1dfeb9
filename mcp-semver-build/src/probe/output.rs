//! The records a probe wrote.

use std::collections::BTreeMap;

use serde_json::Value;

/// Why a probe's output could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutputError {
    /// The probe stopped before its end.
    #[error(
        "the probe stopped before its end{}; a schema or router function ended the process",
        after.as_ref().map(|what| format!(", while reading {what}")).unwrap_or_default()
    )]
    Incomplete {
        /// What it was reading.
        after: Option<String>,
    },
    /// The probe that ran is not the one that was just written.
    #[error(
        "an outdated probe ran; remove the folder `mcp-semver` in the target directory and try again"
    )]
    Stale,
    /// Several types serve tools, and the source does not tell which of them this target starts.
    #[error(
        "{} serve tools, and the source does not tell which of them this target starts; name the \
         one with `server = \"{}\"` under [package.metadata.mcp-semver], or several as an array",
        list(servers),
        servers.first().map(String::as_str).unwrap_or_default()
    )]
    SeveralServers {
        /// The types.
        servers: Vec<String>,
    },
    /// The settings name a server that does not exist.
    #[error(
        "no type `{server}` serves tools; {} {}",
        list(servers),
        if servers.len() == 1 { "does" } else { "do" }
    )]
    NoSuchServer {
        /// The type that was named.
        server: String,
        /// The types that serve tools.
        servers: Vec<String>,
    },
    /// A line that no probe writes.
    #[error("line {line} of the probe's output is not a record")]
    Malformed {
        /// Line, counted from 1.
        line: usize,
    },
}

/// `A`, `B` and `C`.
fn list(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// What became of one evaluation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// Its JSON.
    Value(Value),
    /// It panicked, with this message.
    Panic(String),
}

/// The records by key. A key that two targets share is kept once.
pub(crate) type Records = BTreeMap<String, Outcome>;

/// Reads the records; `probes` are the record keys and hashes every target must answer with.
pub(super) fn parse(output: &str, probes: &[(String, &str)]) -> Result<Records, OutputError> {
    let mut records = Records::new();
    let mut current = None;
    let mut complete = false;
    let mut found = BTreeMap::new();
    for (index, line) in output.lines().enumerate() {
        let malformed = || OutputError::Malformed { line: index + 1 };
        let mut parts = line.splitn(3, '\t');
        match (parts.next(), parts.next(), parts.next()) {
            (Some("begin"), Some(key), None) => current = Some(key.to_owned()),
            (Some("ok"), Some(key), Some(hash)) if key.starts_with("probe|") => {
                found.insert(key.to_owned(), hash.to_owned());
                current = None;
            }
            (Some("ok"), Some(key), Some(json)) => {
                let value = serde_json::from_str(json).map_err(|_| malformed())?;
                records.entry(key.to_owned()).or_insert(Outcome::Value(value));
                current = None;
            }
            (Some("panic"), Some(key), Some(message)) => {
                records.entry(key.to_owned()).or_insert(Outcome::Panic(message.to_owned()));
                current = None;
            }
            (Some("end"), None, None) => complete = true,
            _ if output.ends_with('\n') => return Err(malformed()),
            // The last line of a probe that was killed is half a record.
            _ => {}
        }
    }
    if !complete {
        return Err(OutputError::Incomplete { after: current.map(|key| describe(&key)) });
    }
    let stale = probes.iter().any(|(key, hash)| found.get(key).map(String::as_str) != Some(*hash));
    if stale { Err(OutputError::Stale) } else { Ok(records) }
}

/// `tool|Server|search|/a/b.rs:1:2` for a person.
fn describe(key: &str) -> String {
    match key.splitn(4, '|').collect::<Vec<_>>().as_slice() {
        [kind, "", function, place] => format!("the {kind} `{function}` ({place})"),
        [kind, owner, "", place] => format!("the {kind} of `{owner}` ({place})"),
        [kind, owner, name, place] => format!("the {kind} `{owner}::{name}` ({place})"),
        _ => format!("`{key}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROBES: [(&str, &str); 1] = [("probe|/x/main.rs", "h1")];

    fn parsed(output: &str) -> Result<Records, OutputError> {
        let probes: Vec<_> = PROBES.iter().map(|(key, hash)| ((*key).to_owned(), *hash)).collect();
        parse(output, &probes)
    }

    #[test]
    fn records_are_read_by_key() {
        let records = parsed(
            "begin\tprobe|/x/main.rs\nok\tprobe|/x/main.rs\th1\nbegin\tk\nok\tk\t{\"a\":\"\\t\"}\n\
             begin\tp\npanic\tp\tboom\nend\n",
        )
        .unwrap();
        assert_eq!(records["k"], Outcome::Value(serde_json::json!({"a": "\t"})));
        assert_eq!(records["p"], Outcome::Panic("boom".into()));
    }

    #[test]
    fn a_probe_that_dies_names_what_it_was_reading() {
        let error = parsed("begin\ttool|Server|search|/x/main.rs:3:5\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the probe stopped before its end, while reading the tool `Server::search` (/x/main.rs:3:5); \
             a schema or router function ended the process"
        );
        assert_eq!(parsed(""), Err(OutputError::Incomplete { after: None }));
    }

    #[test]
    fn another_hash_or_none_is_stale() {
        assert_eq!(parsed("end\n"), Err(OutputError::Stale));
        assert_eq!(parsed("ok\tprobe|/x/main.rs\th0\nend\n"), Err(OutputError::Stale));
    }

    #[test]
    fn a_line_no_probe_writes_is_refused() {
        assert_eq!(parsed("hello\nend\n"), Err(OutputError::Malformed { line: 1 }));
        assert_eq!(parsed("ok\tk\t{\nend\n"), Err(OutputError::Malformed { line: 1 }));
    }
}
