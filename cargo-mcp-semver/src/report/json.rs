//! The JSON report: stable, versioned, for programs.
//!
//! One package gives one object, several give `{version, exit_code, grade, packages: [..]}` with
//! those objects inside. A field that has nothing to say is absent, never `null`.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::finding;
use crate::gate::{self, SdkMove};
use crate::grade::{Dimension, Grade};
use crate::report::visible::visible_json;
use crate::report::{Failure, Run, Subject};
use crate::verdict::{self, Outcome, PackageReport, ToolReport};

/// The version of the report's format.
const FORMAT: u32 = 1;

/// The JSON Schema of the report.
pub const SCHEMA: &str = include_str!("schema.json");

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
    visible_json(&text)
}

/// What `check`, `lock` and `diff` report: of one package or pair of files the comparison itself,
/// of several packages one comparison each.
#[derive(Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
enum Report<'a> {
    /// One package, or one pair of files.
    One(Comparison<'a>),
    /// Several packages of a workspace.
    Several {
        /// The version of this format.
        version: u32,
        /// The worst exit code of the packages.
        exit_code: u8,
        /// The highest grade over the packages; absent when none could be checked.
        #[serde(skip_serializing_if = "Option::is_none")]
        grade: Option<Grade>,
        /// One comparison a package.
        packages: Vec<Comparison<'a>>,
    },
}

/// One comparison, decided.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Comparison<'a> {
    /// The version of this format: 1. Fields may be added under the same version.
    version: u32,
    /// 0: unchanged or covered; 1: tools are only new or removed, and covered; 2: a violation;
    /// 101: it could not be checked.
    exit_code: u8,
    /// The highest grade over all tools; absent when it could not be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<Grade>,
    /// The package and its version gate, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<Package<'a>>,
    /// The upgrade of an SDK that explains most of the changes at once, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    sdk: Option<Sdk<'a>>,
    /// Every tool of either side, sorted by name.
    tools: Vec<Tool<'a>>,
    /// Tools whose contract is not the one in the lockfile, where that is asked for.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stale: &'a [String],
    /// What may be wrong with the settings, one sentence each.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
    /// What a reader must know that is no finding, one sentence each.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    /// Why it could not be checked; present exactly when `exit_code` is 101.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<&'a str>,
}

/// The package of a comparison.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Package<'a> {
    /// Its name.
    name: &'a str,
    /// The version in the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_version: Option<String>,
    /// The version in Cargo.toml.
    version: String,
    /// The highest grade over all tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    required: Option<Grade>,
    /// The grade that the step between the two versions covers.
    #[serde(skip_serializing_if = "Option::is_none")]
    declared: Option<Grade>,
    /// `covered` or `violation`; absent when it could not be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    /// Present and true when it is covered only until the next release.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deferred: bool,
}

/// One tool of a comparison.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Tool<'a> {
    /// Its name.
    name: &'a str,
    /// How it stands against the baseline.
    status: Status,
    /// The highest grade of its findings.
    grade: Grade,
    /// What the gate says.
    verdict: Verdict,
    /// What was observed, the gravest first.
    findings: Vec<Finding<'a>>,
}

/// One observation by one rule.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Finding<'a> {
    /// The rule's id.
    rule: &'a str,
    /// What of the tool the change touches.
    dimension: Dimension,
    /// The weight of the change, after configuration; `none` where it is allowed.
    grade: Grade,
    /// What configuration set, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    configured: Option<Configured>,
    /// Present and true when a person still has to confirm that it is meant.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unconfirmed: bool,
    /// Whether the rule speaks of security.
    security: bool,
    /// The argument or result field (`filter.stops[].mode`, `["a.b"]` for a name with a dot);
    /// empty for the tool itself.
    path: &'a str,
    /// Further places that the same cause shows at, spelt like `path`.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    uses: &'a [String],
    /// JSON pointer (RFC 6901) into the contract; empty for the whole tool.
    pointer: &'a str,
    /// What happened, in one sentence.
    message: &'a str,
    /// A value that proves the finding: arguments that were accepted and no longer are, or a
    /// result that could not be returned and now can.
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<&'a Value>,
    /// Present and true when the upgrade under `sdk` explains it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    sdk: bool,
    /// Where in the Rust source it comes from, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<Span>,
}

/// What configuration made of a grade.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Configured {
    /// The grade without it.
    default: Grade,
    /// The Cargo.toml and, where known, the line that sets it: `Cargo.toml:12`.
    place: String,
}

/// An upgrade of the crates that write schemas, as the cause of many changes.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Sdk<'a> {
    /// The crates whose version changed, sorted by name.
    crates: Vec<SdkCrate<'a>>,
    /// What the upgrade explains, an entry for each rule, the gravest first.
    changes: Vec<SdkChange<'a>>,
}

/// A crate that writes schemas.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SdkCrate<'a> {
    /// Its name.
    name: &'a str,
    /// The version that wrote the baseline.
    from: String,
    /// The version now.
    to: String,
}

/// One way in which schemas moved with an upgrade.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SdkChange<'a> {
    /// The id of the rule that observed it.
    rule: &'a str,
    /// The highest grade of its findings.
    grade: Grade,
    /// The tools it was observed in, sorted.
    tools: &'a BTreeSet<String>,
}

/// A place in Rust source.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Span {
    /// With `/` between its parts on every platform; relative to the package where it lies inside.
    file: String,
    /// Counted from 1.
    line: usize,
    /// In characters, counted from 1.
    column: usize,
}

/// How a tool stands against the baseline.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Status {
    /// Same contract.
    Unchanged,
    /// In both, and different.
    Changed,
    /// Not in the baseline.
    Added,
    /// Only in the baseline.
    Removed,
}

/// What the gate says.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    /// Nothing changed, or the declared version covers the change.
    Covered,
    /// The declared version does not cover the change.
    Violation,
    /// A person has to look before it passes.
    NeedsConfirmation,
    /// New, and not in the baseline.
    Unlocked,
    /// In the baseline only.
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
                sdk: outcome.sdk.as_ref().map(Sdk::of),
                tools: outcome.tools.iter().map(|tool| Tool::of(tool, outcome)).collect(),
                stale: outcome.stale.as_deref().unwrap_or_default(),
                warnings: &outcome.warnings,
                notes: &outcome.notes,
                errors: Vec::new(),
            },
            Err(failure) => Self {
                version: FORMAT,
                exit_code: subject.exit_code(),
                grade: None,
                package: Package::unchecked(subject),
                sdk: None,
                tools: Vec::new(),
                stale: &[],
                warnings: &[],
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
    fn of(tool: &'a ToolReport, outcome: &Outcome) -> Self {
        let finding = |it| Finding { sdk: outcome.is_by_sdk(&tool.name, it), ..Finding::of(it) };
        Self {
            name: &tool.name,
            status: tool.status.into(),
            grade: tool.grade,
            verdict: tool.verdict.into(),
            findings: tool.findings.iter().map(finding).collect(),
        }
    }
}

impl<'a> Finding<'a> {
    fn of(finding: &'a finding::Finding) -> Self {
        Self {
            rule: finding.rule.id,
            dimension: finding.rule.dimension,
            grade: finding.grade,
            configured: finding.configured.as_ref().map(|(default, place)| Configured {
                default: *default,
                place: super::slashes(Path::new(&place.to_string())),
            }),
            unconfirmed: finding.unconfirmed,
            security: finding.rule.security,
            path: &finding.path,
            uses: &finding.uses,
            pointer: &finding.pointer,
            message: &finding.message,
            witness: finding.witness.as_ref(),
            sdk: false,
            span: finding.span.as_ref().map(Span::of),
        }
    }
}

impl<'a> Sdk<'a> {
    fn of(sdk: &'a SdkMove) -> Self {
        let one = |it: &'a gate::SdkCrate| SdkCrate {
            name: &it.name,
            from: it.from.to_string(),
            to: it.to.to_string(),
        };
        let change = |it: &'a gate::SdkChange| SdkChange {
            rule: it.rule.id,
            grade: it.grade,
            tools: &it.tools,
        };
        Self {
            crates: sdk.crates.iter().map(one).collect(),
            changes: sdk.changes.iter().map(change).collect(),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `MCP_SEMVER_RECORD=1 cargo test json_schema` writes the schema anew.
    #[test]
    fn the_published_json_schema_is_that_of_the_report() {
        let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<Report<'static>>();
        let text = format!("{:#}\n", schema.to_value());
        if std::env::var_os("MCP_SEMVER_RECORD").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/schema.json");
            std::fs::write(path, &text).unwrap();
        }
        assert_eq!(SCHEMA, text);
    }
}
