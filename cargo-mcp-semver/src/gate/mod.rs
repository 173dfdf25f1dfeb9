//! The gate: whether a declared version covers what changed.

mod grading;
mod sdk;
mod step;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;

use crate::baseline::Baseline;
use crate::compare::ToolChange;
use crate::grade::Grade;
use crate::suggest::nearest;
use crate::verdict::{Outcome, PackageReport, Status, ToolReport, ToolVersions, Verdict};

pub use grading::{Fields, Grading, LEVELS, Place, RuleSettings, Setting, ToolGrading};
pub use sdk::{SdkChange, SdkCrate, SdkMove};
pub use step::{covered, smallest_covering};

/// When the version must cover what changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Gate {
    /// With every change.
    #[default]
    Always,
    /// When it is released: until then a change is told of, with the version it will need.
    Release,
}

/// What is gated by version, and what it was built with.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    /// The package's name and its version in Cargo.toml; absent where there is no package.
    pub package: Option<(String, Version)>,
    /// Tool versions by tool name; absent where tools are not versioned one by one.
    pub tools: Option<BTreeMap<String, Version>>,
    /// Versions of the SDK crates that generate the schemas now, by crate name.
    pub sdk: BTreeMap<String, Version>,
    /// When versions must cover what changed.
    pub gate: Gate,
    /// What configuration makes of the rules' grades.
    pub grading: Grading,
    /// Tools of which a person has confirmed the texts as they are.
    pub confirmed: BTreeSet<String>,
}

/// Decides.
///
/// A changed tool is judged by its own declared version where tools are versioned one by one, else
/// by the package's step; without either nothing covers a change. A tool that came or went is
/// judged by the package's step, and without a package only told of. Until a release nothing needs
/// to be covered where [`Gate::Release`] says so. What a person has to confirm fails whatever is
/// covered.
pub fn decide(baseline: &Baseline, declared: &Declared, mut changes: Vec<ToolChange>) -> Outcome {
    let mut warnings = declared.grading.unused(baseline, &changes);
    for change in &mut changes {
        declared.grading.apply(change);
        if declared.confirmed.contains(&change.name) {
            change.findings.iter_mut().for_each(|finding| finding.unconfirmed = false);
        }
    }
    let sdk = SdkMove::find(&baseline.sdk, &declared.sdk, &changes);
    let graded: Vec<(Grade, ToolChange)> =
        changes.into_iter().map(|change| (grade(&change), change)).collect();
    let highest = graded.iter().map(|(grade, _)| *grade).max().unwrap_or_default();
    let package = package_report(baseline, declared, highest);
    let step = match &package {
        Some(package) => Some(package.declared),
        // A package whose version in the baseline is not known: no step covers anything.
        None if declared.package.is_some() && !baseline.tools.is_empty() => Some(Grade::None),
        None => None,
    };
    warnings.extend(of_nothing(declared, &graded));
    let mut notes = notes(baseline, declared);
    match &sdk {
        Some(sdk) => notes.insert(0, sdk.sentence()),
        None => notes.extend(perhaps_sdk(baseline, declared, &graded)),
    }
    let tools: Vec<ToolReport> = graded
        .into_iter()
        .map(|(grade, change)| tool_report(baseline, declared, step, grade, change))
        .collect();
    let exit_code = exit_code(package.as_ref(), &tools);
    Outcome { package, tools, grade: highest, exit_code, stale: None, sdk, warnings, notes }
}

fn grade(change: &ToolChange) -> Grade {
    change.findings.iter().map(|finding| finding.grade).max().unwrap_or_default()
}

fn package_report(
    baseline: &Baseline,
    declared: &Declared,
    required: Grade,
) -> Option<PackageReport> {
    let (_, from) = baseline.package.as_ref()?;
    let (name, to) = declared.package.as_ref()?;
    let step = covered(from, to);
    let covered = step >= Some(required);
    let deferred = !covered && declared.gate == Gate::Release;
    Some(PackageReport {
        name: name.clone(),
        baseline_version: from.clone(),
        version: to.clone(),
        required,
        declared: step.unwrap_or_default(),
        required_version: smallest_covering(from, required),
        // Lower than the lockfile is a violation though nothing changed: whoever resolves versions
        // keeps the higher one, so what is released now would not reach them.
        verdict: if covered || deferred { Verdict::Covered } else { Verdict::Violation },
        deferred,
    })
}

/// `step` is what the package's versions cover; absent where there is no package.
fn tool_report(
    baseline: &Baseline,
    declared: &Declared,
    step: Option<Grade>,
    grade: Grade,
    change: ToolChange,
) -> ToolReport {
    let versions = declared.tools.as_ref().and_then(|tools| match change.status {
        Status::Changed => Some(tool_versions(baseline, tools, grade, &change.name)),
        Status::Unchanged => Some(tool_versions(baseline, tools, grade, &change.name))
            .filter(|versions| !covers(versions, grade)),
        Status::Added | Status::Removed => None,
    });
    let covers = match &versions {
        Some(versions) => covers(versions, grade),
        None => step.is_some_and(|step| step >= grade),
    };
    let covers = covers || declared.gate == Gate::Release;
    // Where there is no package, its own entry is all that a tool can be taken out of.
    let is_declared_gone = step.is_none()
        && declared.tools.as_ref().is_some_and(|tools| !tools.contains_key(&change.name));
    let verdict = match change.status {
        // A version that goes back is a violation though nothing changed.
        Status::Unchanged if covers || versions.is_none() => Verdict::Covered,
        Status::Changed if covers || grade == Grade::None => Verdict::Covered,
        Status::Added if covers || step.is_none() => Verdict::Unlocked,
        Status::Removed if covers || is_declared_gone => Verdict::Removed,
        _ => Verdict::Violation,
    };
    let unconfirmed = change.findings.iter().any(|finding| finding.unconfirmed);
    let verdict = match verdict {
        Verdict::Violation => verdict,
        _ if unconfirmed => Verdict::NeedsConfirmation,
        _ => verdict,
    };
    ToolReport {
        name: change.name,
        status: change.status,
        grade,
        verdict,
        findings: change.findings,
        old: change.old,
        new: change.new,
        versions,
        span: None,
    }
}

fn tool_versions(
    baseline: &Baseline,
    declared: &BTreeMap<String, Version>,
    grade: Grade,
    tool: &str,
) -> ToolVersions {
    let from = baseline.tools.get(tool).and_then(|tool| tool.semver.clone());
    ToolVersions {
        required: smallest_covering(&from.clone().unwrap_or(UNVERSIONED), grade),
        baseline: from,
        declared: declared.get(tool).cloned(),
    }
}

/// The version of a tool that nobody gave one, as a dump is locked.
pub(crate) const UNVERSIONED: Version = Version::new(1, 0, 0);

fn covers(versions: &ToolVersions, grade: Grade) -> bool {
    let from = versions.baseline.clone().unwrap_or(UNVERSIONED);
    // A tool without an entry counts as not bumped.
    covered(&from, versions.declared.as_ref().unwrap_or(&from)) >= Some(grade)
}

fn exit_code(package: Option<&PackageReport>, tools: &[ToolReport]) -> u8 {
    let verdicts = tools.iter().map(|tool| tool.verdict);
    verdicts
        .chain(package.map(|package| package.verdict))
        .map(|verdict| match verdict {
            Verdict::Covered => 0,
            Verdict::Unlocked | Verdict::Removed => 1,
            Verdict::NeedsConfirmation | Verdict::Violation => 2,
        })
        .max()
        .unwrap_or(0)
}

fn notes(baseline: &Baseline, declared: &Declared) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some((name, version)) = &declared.package {
        match &baseline.package {
            None if !baseline.tools.is_empty() => notes.push(format!(
                "the baseline does not say which version of {name} it was written for, so no \
                 version step can cover a change; lock again to record it"
            )),
            Some((other, _)) if other != name => notes.push(format!(
                "the baseline was written for the package {other}, and this is {name}"
            )),
            Some((_, from)) if version.cmp_precedence(from).is_lt() => notes.push(format!(
                "version {version} is lower than {from}, for which the baseline was written; a \
                 released version never goes back"
            )),
            _ => {}
        }
    }
    notes
}

/// How many names somebody misspells, at most, for whom similar ones are looked for.
const MOST_SLIPS: usize = 20;

/// Versions that are declared for tools that are not there.
fn of_nothing(declared: &Declared, changes: &[(Grade, ToolChange)]) -> Vec<String> {
    let present = || changes.iter().filter(|(_, change)| change.status != Status::Removed);
    let names: BTreeSet<&str> = present().map(|(_, change)| change.name.as_str()).collect();
    let declared = declared.tools.iter().flat_map(BTreeMap::keys);
    let missing: Vec<&String> = declared.filter(|tool| !names.contains(tool.as_str())).collect();
    let told = missing.iter().map(|tool| {
        // So many are another server's rather than misspelt, and to compare all with all is slow.
        let is_slip = missing.len() <= MOST_SLIPS;
        let meant = is_slip.then(|| nearest(tool, names.iter().copied())).flatten();
        let meant = meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        format!("a version is declared for `{tool}`, but there is no such tool{meant}")
    });
    told.collect()
}

/// What to think of when tools changed after an upgrade that does not explain most of it.
fn perhaps_sdk(
    baseline: &Baseline,
    declared: &Declared,
    changes: &[(Grade, ToolChange)],
) -> Vec<String> {
    let moved = changes.iter().filter(|(_, change)| change.status == Status::Changed).count();
    let note = |(name, now): (&String, &Version)| {
        let then = baseline.sdk.get(name).filter(|then| *then != now)?;
        Some(format!(
            "{name} went from {then} to {now} since the baseline; it generates the schemas and \
             may be why {moved} of the tools changed"
        ))
    };
    declared.sdk.iter().filter(|_| moved > 0).filter_map(note).collect()
}
