//! Which packages are read.

use std::collections::BTreeSet;

use cargo_metadata::Package;
use mcp_semver_build::lockfile::FILE_NAME;

use super::request::BuildRequest;
use super::scans::Scans;
use super::target::{Candidate, Choice, Rejection};
use super::workspace::Workspace;
use super::{BuildError, Failed};

/// The servers to read; there is at least one, chosen or not.
#[derive(Debug)]
pub(super) struct Selection<'w> {
    /// In the order of cargo's selection.
    pub(super) choices: Vec<Choice<'w>>,
    /// Packages that have no target to read and should have one.
    pub(super) failed: Vec<Failed>,
    /// Packages passed over, each one sentence.
    pub(super) skipped: Vec<String>,
}

/// Chooses among the packages of a request those that serve tools, and the target of each.
pub(super) fn select<'w>(
    candidates: &[Candidate<'w>],
    request: &BuildRequest,
    scans: &'w Scans,
) -> Result<Selection<'w>, BuildError> {
    let named = !request.packages.is_empty();
    let mut choices = Vec::new();
    let mut failed = Vec::new();
    let mut skipped = Vec::new();
    for candidate in candidates {
        let package = candidate.package;
        if let Some(fault) = scans.fault(candidate.roots()) {
            failed.push(Failed::new(package, fault.into()));
            continue;
        }
        match candidate.choose(scans) {
            Ok(choice) => choices.push(choice),
            // Where tools are locked there were some.
            Err(why @ Rejection::NoTools { .. }) if !named && !has_lockfile(package) => {
                skipped.push(why);
            }
            // With several packages `--bin` means whichever has it.
            Err(why @ Rejection::NoSuchTarget(_)) if candidates.len() > 1 => skipped.push(why),
            Err(why) => failed.push(Failed::new(package, BuildError::Selection(why.to_string()))),
        }
    }
    if !named {
        drop_served(&mut choices);
    }
    if choices.is_empty() && failed.is_empty() {
        return Err(BuildError::Selection(nothing(&skipped)));
    }
    let skipped = skipped.into_iter().map(|why| match why {
        Rejection::NoTools { brief, .. } => brief,
        other => other.to_string(),
    });
    Ok(Selection { choices, failed, skipped: skipped.collect() })
}

/// Whether tools of the package are locked.
pub(super) fn has_lockfile(package: &Package) -> bool {
    package.manifest_path.with_file_name(FILE_NAME).as_std_path().symlink_metadata().is_ok()
}

/// Drops the libraries that a selected binary serves: they are no servers of their own, unless a
/// lockfile beside them says so.
fn drop_served(choices: &mut Vec<Choice<'_>>) {
    let served: BTreeSet<_> = choices
        .iter()
        .filter(|choice| choice.entry().is_bin())
        .flat_map(|choice| choice.units.iter().map(|unit| unit.package.id.clone()))
        .collect();
    choices.retain(|choice| {
        let package = choice.entry().package;
        choice.entry().is_bin() || !served.contains(&package.id) || has_lockfile(package)
    });
}

/// What to say when no selected package has tools.
fn nothing(skipped: &[Rejection]) -> String {
    let skipped: Vec<_> = skipped.iter().map(Rejection::to_string).collect();
    match skipped.as_slice() {
        [] => "no package is selected".to_owned(),
        [why] => why.clone(),
        several => format!("no selected package declares tools:\n  {}", several.join("\n  ")),
    }
}

/// The packages of a request, in cargo's order.
pub(super) fn packages<'w>(
    workspace: &'w Workspace,
    request: &BuildRequest,
) -> Result<Vec<&'w Package>, BuildError> {
    let wanted = specs(workspace, &request.packages)?;
    let excluded = specs(workspace, &request.exclude)?;
    let mut packages: Vec<&Package> = if !wanted.is_empty() {
        let is_wanted = |package: &&Package| wanted.iter().any(|spec| spec.matches(package));
        workspace.members().filter(is_wanted).collect()
    } else if request.workspace {
        workspace.members().collect()
    } else {
        workspace.default_members()
    };
    packages.retain(|package| !excluded.iter().any(|spec| spec.matches(package)));
    Ok(packages)
}

/// Parses what follows `-p` or `--exclude`; each must mean a member.
fn specs(workspace: &Workspace, texts: &[String]) -> Result<Vec<Spec>, BuildError> {
    let mut specs = Vec::new();
    for text in texts {
        let spec = Spec::parse(text).map_err(BuildError::Selection)?;
        if !workspace.members().any(|package| spec.matches(package)) {
            let members: Vec<_> = workspace.members().map(|member| member.name.as_str()).collect();
            return Err(BuildError::Selection(format!(
                "no package `{text}` in the workspace at {}, which holds {}",
                workspace.metadata().workspace_root,
                members.join(", "),
            )));
        }
        specs.push(spec);
    }
    Ok(specs)
}

/// A package by name or glob, with a version or without.
struct Spec {
    name: glob::Pattern,
    version: Option<String>,
}

impl Spec {
    fn parse(text: &str) -> Result<Self, String> {
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version.to_owned())),
            None => (text, None),
        };
        let name = glob::Pattern::new(name)
            .map_err(|error| format!("`{text}` is no package name: {error}"))?;
        Ok(Self { name, version })
    }

    fn matches(&self, package: &Package) -> bool {
        let actual = package.version.to_string();
        self.name.matches(package.name.as_str())
            && self.version.as_ref().is_none_or(|version| {
                actual == *version || actual.starts_with(&format!("{version}."))
            })
    }
}

#[cfg(test)]
#[path = "tests/select.rs"]
mod tests;
