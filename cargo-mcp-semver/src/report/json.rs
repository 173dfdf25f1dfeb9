//! The JSON report: stable, versioned, for programs.
//!
//! One package gives one object, several give `{version, exit_code, grade, packages: [..]}` with
//! those objects inside. A field that has nothing to say is absent, never `null`.

use serde::Serialize;
use serde_json::Value;

use crate::finding;
use crate::grade::{Dimension, Grade};
use crate::report::{Failure, Run, Subject};
use crate::verdict::{self, PackageReport, ToolReport};

/// The version of the report's format.
const FORMAT: u32 = 1;

/// Renders a run, indented, with a line end.
pub fn render(run: &Run) -> String {
    let report = match run.subjects.as_slice() {
        [subject] => Report::One(Comparison::of(subject)),
        subjects => Report::Several {
            version: FORMAT,
            exit_code: run.exit_code(),
            grade: run.grade(),
            packages: subjects.iter().map(Comparison::of).collect(),
        },
    };
    // Fails only for maps with keys that are no strings; there are none.
    let mut text = serde_json::to_string_pretty(&report).expect("a report is plain JSON");
    text.push('\n');
    text
}

#[derive(Serialize)]
#[serde(untagged)]
enum Report<'a> {
    One(Comparison<'a>),
    Several {
        version: u32,
        exit_code: u8,
        #[serde(skip_serializing_if = "Option::is_none")]
        grade: Option<Grade>,
        packages: Vec<Comparison<'a>>,
    },
}

#[derive(Serialize)]
struct Comparison<'a> {
    version: u32,
    exit_code: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<Grade>,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<Package<'a>>,
    tools: Vec<Tool<'a>>,
    /// Tools whose contract is not the one in the lockfile, where that is asked for.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stale: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    /// Why it could not be checked; present exactly when `exit_code` is 101.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<&'a str>,
}

#[derive(Serialize)]
struct Package<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_version: Option<String>,
    version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    required: Option<Grade>,
    #[serde(skip_serializing_if = "Option::is_none")]
    declared: Option<Grade>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    /// Present and true when it is covered only until the next release.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deferred: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    status: Status,
    grade: Grade,
    verdict: Verdict,
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    rule: &'a str,
    dimension: Dimension,
    grade: Grade,
    security: bool,
    path: &'a str,
    pointer: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<Span>,
}

#[derive(Serialize)]
struct Span {
    /// With `/` between its parts on every platform.
    file: String,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Unchanged,
    Changed,
    Added,
    Removed,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    Covered,
    Violation,
    NeedsConfirmation,
    Unlocked,
    Removed,
}

impl<'a> Comparison<'a> {
    fn of(subject: &'a Subject) -> Self {
        match &subject.result {
            Ok(outcome) => Self {
                version: FORMAT,
                exit_code: outcome.exit_code,
                grade: Some(outcome.grade),
                package: outcome.package.as_ref().map(Package::of),
                tools: outcome.tools.iter().map(Tool::of).collect(),
                stale: outcome.stale.as_deref().unwrap_or_default(),
                notes: &outcome.notes,
                errors: Vec::new(),
            },
            Err(failure) => Self {
                version: FORMAT,
                exit_code: subject.exit_code(),
                grade: None,
                package: Package::unchecked(subject),
                tools: Vec::new(),
                stale: &[],
                notes: &[],
                errors: texts(failure),
            },
        }
    }
}

fn texts(failure: &Failure) -> Vec<&str> {
    [&failure.messages, &failure.causes, &failure.help]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect()
}

impl<'a> Package<'a> {
    fn of(package: &'a PackageReport) -> Self {
        Self {
            name: &package.name,
            baseline_version: Some(package.baseline_version.to_string()),
            version: package.version.to_string(),
            required: Some(package.required),
            declared: Some(package.declared),
            verdict: Some(package.verdict.into()),
            deferred: package.deferred,
        }
    }

    fn unchecked(subject: &'a Subject) -> Option<Self> {
        Some(Self {
            name: &subject.name,
            baseline_version: None,
            version: subject.version.as_ref()?.to_string(),
            required: None,
            declared: None,
            verdict: None,
            deferred: false,
        })
    }
}

impl<'a> Tool<'a> {
    fn of(tool: &'a ToolReport) -> Self {
        Self {
            name: &tool.name,
            status: tool.status.into(),
            grade: tool.grade,
            verdict: tool.verdict.into(),
            findings: tool.findings.iter().map(Finding::of).collect(),
        }
    }
}

impl<'a> Finding<'a> {
    fn of(finding: &'a finding::Finding) -> Self {
        Self {
            rule: finding.rule.id,
            dimension: finding.rule.dimension,
            grade: finding.grade,
            security: finding.rule.security,
            path: &finding.path,
            pointer: &finding.pointer,
            message: &finding.message,
            witness: finding.witness.as_ref(),
            span: finding.span.as_ref().map(Span::of),
        }
    }
}

impl Span {
    fn of(span: &finding::Span) -> Self {
        Self { file: super::slashes(&span.file), line: span.line, column: span.column }
    }
}

impl From<verdict::Status> for Status {
    fn from(status: verdict::Status) -> Self {
        match status {
            verdict::Status::Unchanged => Self::Unchanged,
            verdict::Status::Changed => Self::Changed,
            verdict::Status::Added => Self::Added,
            verdict::Status::Removed => Self::Removed,
        }
    }
}

impl From<verdict::Verdict> for Verdict {
    fn from(verdict: verdict::Verdict) -> Self {
        match verdict {
            verdict::Verdict::Covered => Self::Covered,
            verdict::Verdict::Violation => Self::Violation,
            verdict::Verdict::NeedsConfirmation => Self::NeedsConfirmation,
            verdict::Verdict::Unlocked => Self::Unlocked,
            verdict::Verdict::Removed => Self::Removed,
        }
    }
}
