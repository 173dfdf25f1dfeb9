//! SARIF 2.1.0, for code scanning.
//!
//! What the gate concludes is a result like the findings, beside the version in Cargo.toml: a
//! version that goes back fails without any finding.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::finding::Finding;
use crate::gate::SdkMove;
use crate::report::conclusion::{Conclusion, conclusions, upgraded};
use crate::report::level::{Level, Severity};
use crate::report::place::Repository;
use crate::report::visible::{visible, visible_json};
use crate::report::{Failure, NOT_CHECKED, Run, Subject};
use crate::verdict::{Outcome, ToolReport};
use descriptors::descriptors;
use location::location;

mod descriptors;
mod location;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The rule of what the gate concludes.
const GATE: &str = "not_covered";

/// The rule of an SDK's upgrade that explains many findings.
const SDK: &str = "sdk_upgraded";

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
                // The first of the notes is a result already where an upgrade is the cause.
                let notes = outcome.notes.get(usize::from(outcome.sdk.is_some())..);
                let told =
                    [("warning", &outcome.warnings[..]), ("note", notes.unwrap_or_default())];
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
    visible_json(&format!("{report:#}\n"))
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
        if let Some(sdk) = &outcome.sdk {
            self.upgrade(subject, outcome, sdk);
        }
        for tool in &outcome.tools {
            for finding in tool.findings.iter().filter(|it| !outcome.is_by_sdk(&tool.name, it)) {
                let level = Level::of(subject.version.is_some(), outcome, tool, finding);
                self.finding(subject, tool, finding, level.severity());
            }
        }
    }

    /// An upgrade of an SDK with the places of all that it explains: one alert to look at, and to
    /// dismiss, where the same thing happened in fifty tools.
    fn upgrade(&mut self, subject: &Subject, outcome: &Outcome, sdk: &SdkMove) {
        let explained: Vec<(&ToolReport, &Finding)> = outcome
            .tools
            .iter()
            .flat_map(|tool| tool.findings.iter().map(move |finding| (tool, finding)))
            .filter(|(tool, finding)| sdk.explains(&tool.name, finding))
            .collect();
        let gated = subject.version.is_some();
        let severity = explained
            .iter()
            .map(|(tool, finding)| Level::of(gated, outcome, tool, finding).severity())
            .min();
        let lines: Vec<String> = std::iter::once(visible(&sdk.sentence()).to_string())
            .chain(sdk.changes.iter().map(upgraded))
            .collect();
        let crates: Vec<&str> = sdk.crates.iter().map(|it| it.name.as_str()).collect();
        let place = self.repository.manifest_of(subject);
        let fingerprints =
            self.fingerprints(&[&[subject.name.as_str(), SDK], &crates[..]].concat());
        let mut related: Vec<Value> = explained
            .iter()
            .map(|(tool, finding)| {
                let mut location = self.location(subject, tool, finding);
                let text = message(&visible(&finding.message).to_string());
                location["message"] = json!({ "text": text });
                location
            })
            .collect();
        // The schema of SARIF wants none twice.
        related.dedup();
        self.values.push(json!({
            "ruleId": SDK,
            "level": level(severity.unwrap_or(Severity::Note)),
            "message": { "text": message(&lines.join("\n")) },
            "locations": [location(place.as_ref(), None, &visible(&subject.name).to_string())],
            "relatedLocations": related,
            "partialFingerprints": fingerprints,
        }));
    }

    /// Where a finding is.
    fn location(&self, subject: &Subject, tool: &ToolReport, finding: &Finding) -> Value {
        let span = finding.span.as_ref().or(tool.span.as_ref());
        let place = match span {
            Some(span) => Some(self.repository.place_of(subject, span)),
            None => self.repository.manifest_of(subject),
        };
        let name = format!("{}/{}{}", subject.name, tool.name, finding.pointer);
        location(place.as_ref(), span, &visible(&name).to_string())
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
            "locations": [location(place.as_ref(), None, &visible(&subject.name).to_string())],
            "partialFingerprints": fingerprints,
        }));
    }

    fn finding(&mut self, subject: &Subject, tool: &ToolReport, finding: &Finding, of: Severity) {
        let Finding { rule, grade, path, pointer, .. } = finding;
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
            "locations": [self.location(subject, tool, finding)],
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

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
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
}
