//! SARIF 2.1.0, for code scanning.
//!
//! What the gate concludes is a result like the findings, beside the version in Cargo.toml: a
//! version that goes back fails without any finding.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::finding::{Finding, Span};
use crate::grade::Grade;
use crate::report::conclusion::{Conclusion, conclusions};
use crate::report::level::{Level, Severity};
use crate::report::place::{Place, Repository};
use crate::report::visible::visible;
use crate::report::{Failure, NOT_CHECKED, Run, Subject, slashes};
use crate::rules;
use crate::verdict::{Outcome, ToolReport};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What paths in the report start from.
const ROOT: &str = "%SRCROOT%";

/// The rule of what the gate concludes.
const GATE: &str = "not_covered";

/// How many hexadecimal digits a fingerprint has.
const DIGITS: usize = 16;

/// Renders a run, indented, with a line end.
pub fn render(run: &Run, repository: &Repository) -> String {
    let mut results = Results { repository, seen: BTreeMap::new(), values: Vec::new() };
    let mut notifications = Vec::new();
    for subject in &run.subjects {
        match &subject.result {
            Ok(outcome) => {
                results.comparison(subject, outcome);
                let told = [("warning", &outcome.warnings), ("note", &outcome.notes)];
                for (level, texts) in told {
                    notifications
                        .extend(texts.iter().map(|text| notification(level, subject, text)));
                }
            }
            Err(failure) => notifications.push(not_checked(subject, failure)),
        }
    }
    let report = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": env!("CARGO_PKG_NAME"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": descriptors(&results.values),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": run.exit_code() != NOT_CHECKED,
                "exitCode": run.exit_code(),
                "toolExecutionNotifications": notifications,
            }],
            "results": results.values,
        }],
    });
    format!("{report:#}\n")
}

/// The results so far.
struct Results<'a> {
    repository: &'a Repository,
    /// How often each fingerprint was given.
    seen: BTreeMap<String, usize>,
    values: Vec<Value>,
}

impl Results<'_> {
    fn comparison(&mut self, subject: &Subject, outcome: &Outcome) {
        for conclusion in conclusions(subject, outcome).into_iter().filter(|it| it.fails) {
            self.conclusion(subject, conclusion);
        }
        for tool in &outcome.tools {
            for finding in &tool.findings {
                let level = Level::of(subject.version.is_some(), outcome, tool, finding);
                self.finding(subject, tool, finding, level.severity());
            }
        }
    }

    fn conclusion(&mut self, subject: &Subject, conclusion: Conclusion) {
        let Conclusion { sentence, details, help, .. } = conclusion;
        let headline = format!("{}: {sentence}", subject.title());
        let text = [vec![headline], details, help].concat().join("\n");
        let place = self.repository.manifest_of(subject);
        let fingerprints = self.fingerprints(&[&subject.name, GATE]);
        self.values.push(json!({
            "ruleId": GATE,
            "level": "error",
            "message": { "text": message(&text) },
            "locations": locations(place.as_ref(), None, &visible(&subject.name).to_string()),
            "partialFingerprints": fingerprints,
        }));
    }

    fn finding(&mut self, subject: &Subject, tool: &ToolReport, finding: &Finding, of: Severity) {
        let Finding { rule, grade, path, pointer, .. } = finding;
        let span = finding.span.as_ref().or(tool.span.as_ref());
        let place = match span {
            Some(span) => Some(self.repository.place_of(subject, span)),
            None => self.repository.manifest_of(subject),
        };
        let name = format!("{}/{}{pointer}", subject.name, tool.name);
        let fingerprints = self.fingerprints(&[&subject.name, &tool.name, rule.id, pointer]);
        let mut properties = json!({
            "tool": tool.name, "grade": grade, "dimension": rule.dimension,
            "security": rule.security, "path": path, "pointer": pointer,
        });
        let values = [("old", &finding.old), ("new", &finding.new), ("witness", &finding.witness)];
        for (name, value) in values {
            if let Some(value) = value {
                properties[name] = value.clone();
            }
        }
        let mut result = json!({
            "ruleId": rule.id,
            "level": level(of),
            "message": { "text": message(&visible(&finding.message).to_string()) },
            "locations": locations(place.as_ref(), span, &visible(&name).to_string()),
            "partialFingerprints": fingerprints,
            "properties": properties,
        });
        if let Some((grade, place)) = &finding.configured {
            result["properties"]["defaultGrade"] = json!(grade);
            if finding.is_allowed() {
                let justification = format!("allowed in {place}");
                result["suppressions"] =
                    json!([{ "kind": "external", "justification": justification }]);
            }
        }
        self.values.push(result);
    }

    /// What tells a result from others, whatever is edited around it: neither its line nor its
    /// words. A second one with the same parts is told from the first by its number.
    fn fingerprints(&mut self, parts: &[&str]) -> Value {
        let digest = Sha256::digest(parts.join("\0"));
        let mut hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        hex.truncate(DIGITS);
        let count = self.seen.entry(hex.clone()).or_insert(0);
        *count += 1;
        let fingerprint = format!("{hex}:{count}");
        // The first name is the one that GitHub reads.
        json!({ "primaryLocationLineHash": fingerprint, "contractChange/v1": fingerprint })
    }
}

/// The rules that spoke, in the order of their ids.
fn descriptors(results: &[Value]) -> Vec<Value> {
    let spoke: BTreeSet<&str> =
        results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    spoke.into_iter().filter_map(|id| if id == GATE { Some(gate()) } else { rule(id) }).collect()
}

fn gate() -> Value {
    json!({
        "id": GATE,
        "shortDescription": { "text": "the declared version does not cover what changed" },
        "fullDescription": { "text":
            "Whoever depends on the server takes the new version for compatible, and agents fail." },
        "defaultConfiguration": { "level": "error" },
    })
}

fn rule(id: &str) -> Option<Value> {
    let rule = rules::by_id(id)?;
    let mut tags = vec!["mcp", rule.dimension.as_str()];
    let mut descriptor = json!({
        "id": rule.id,
        "shortDescription": { "text": message(rule.summary) },
        "fullDescription": { "text": message(rule.why) },
        "help": { "text": message(rule.why) },
        "defaultConfiguration": { "level": level(Level::Graded(rule.grade).severity()) },
    });
    if let Some(reference) = rule.reference {
        descriptor["helpUri"] = reference.into();
    }
    let mut properties = json!({ "grade": rule.grade });
    if rule.security {
        tags.push("security");
        properties["security-severity"] = security_severity(rule.grade).into();
    }
    properties["tags"] = tags.into();
    descriptor["properties"] = properties;
    Some(descriptor)
}

/// What GitHub makes "high" and "medium" of.
fn security_severity(grade: Grade) -> &'static str {
    if grade == Grade::Major { "8.0" } else { "5.0" }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn locations(place: Option<&Place>, span: Option<&Span>, name: &str) -> Value {
    let mut location = json!({ "logicalLocations": [{ "fullyQualifiedName": name }] });
    if let Some(place) = place {
        let mut physical = json!({ "artifactLocation": artifact(place) });
        if let Some(span) = span {
            physical["region"] = region(span);
        }
        location["physicalLocation"] = physical;
    }
    json!([location])
}

/// Without an end it is the rest of the line.
fn region(span: &Span) -> Value {
    let mut region = json!({ "startLine": span.line, "startColumn": span.column });
    if (span.line, span.column) < (span.end_line, span.end_column) {
        region["endLine"] = span.end_line.into();
        region["endColumn"] = span.end_column.into();
    }
    region
}

fn artifact(place: &Place) -> Value {
    match place {
        Place::Inside(path) => json!({ "uri": encoded(path), "uriBaseId": ROOT }),
        Place::Outside(path) => json!({ "uri": file_uri(path) }),
    }
}

fn file_uri(path: &Path) -> String {
    let path = slashes(path);
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", encoded(&path))
}

/// A path as a URI has it.
fn encoded(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn not_checked(subject: &Subject, failure: &Failure) -> Value {
    let all = [&failure.messages, &failure.causes, &failure.help];
    let lines: Vec<&str> = all.into_iter().flatten().map(String::as_str).collect();
    notification("error", subject, &lines.join("\n"))
}

fn notification(level: &str, subject: &Subject, text: &str) -> Value {
    let lines: Vec<String> = text.lines().map(|line| visible(line).to_string()).collect();
    let text = lines.join("\n");
    let text = if subject.name.is_empty() { text } else { format!("{}: {text}", subject.title()) };
    json!({ "level": level, "message": { "text": message(&text) } })
}

/// Text without what SARIF reads in a message: placeholders in braces and links.
fn message(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_holds_no_placeholder_and_no_link() {
        assert_eq!(message("{0} [a](https://b) x[].y"), "{{0}} [a] (https://b) x[].y");
    }

    #[test]
    fn paths_are_uris() {
        assert_eq!(encoded("src/größe 1%.rs"), "src/gr%C3%B6%C3%9Fe%201%25.rs");
        assert_eq!(file_uri(Path::new("/tmp/a b.rs")), "file:///tmp/a%20b.rs");
    }
}
