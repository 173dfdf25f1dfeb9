//! Lockfiles in the work tree: whether there is one, and whether it can be its package's.

use std::path::Path;

use mcp_semver_build::Catalogue;
use mcp_semver_build::lockfile::{Lockfile, LockfileError};

use crate::baseline::Baseline;
use crate::cli::servers::Pinned;
use crate::compare::compare;
use crate::metadata::Settings;
use crate::report::Failure;
use crate::verdict::Status;

/// A lockfile, if there is one, that `catalogue` is compared with.
pub(super) fn read(path: &Path, catalogue: &Catalogue) -> Result<Option<Lockfile>, Failure> {
    match Lockfile::read_beside(path, catalogue) {
        Ok(lockfile) => Ok(Some(lockfile)),
        Err(LockfileError::Missing { .. }) => Ok(None),
        Err(error) => Err(Failure::of(&error)),
    }
}

/// The tools whose contract is not the one that is locked, sorted.
pub(super) fn stale(locked: &Baseline, now: &Baseline) -> Vec<String> {
    let changes = compare(locked, now).into_iter();
    let moved = changes.filter(|change| change.status != Status::Unchanged);
    moved.map(|change| change.name).collect()
}

impl Pinned {
    /// The lockfile as it lies in the work tree, to measure this package against.
    ///
    /// # Errors
    /// There is none, it cannot be read, or it says what this package's lockfile cannot say.
    pub(super) fn own_lockfile(&self, settings: &Settings) -> Result<Baseline, Failure> {
        let lock_command = &self.remedy.lock_command;
        let Some(lockfile) = read(&self.lockfile, &self.server.sourced.catalogue)? else {
            let mut failure = Failure::of(&LockfileError::Missing { path: self.lockfile.clone() });
            failure.help.push(format!(
                "record the tools as they are now with `{lock_command}`, and commit the file"
            ));
            return Err(failure);
        };
        let name = &self.server.name;
        if let Some(other) = lockfile.package.as_ref().filter(|package| package.name != *name) {
            return Err(Failure {
                messages: vec![format!(
                    "{} was written for the package {}, and this is {name}",
                    self.lockfile.display(),
                    other.name
                )],
                causes: Vec::new(),
                help: vec![format!(
                    "restore the file from version control, or, if the package was renamed, record \
                     its new name with `{lock_command}`"
                )],
            });
        }
        self.require_possible_versions(&lockfile, settings)?;
        Ok(Baseline::from(lockfile))
    }

    /// No tool can have been pinned at a version that the package had not reached: a step measured
    /// from a version that somebody lowered would cover too much. Tools that are versioned one by
    /// one have versions of their own.
    pub(super) fn require_possible_versions(
        &self,
        lockfile: &Lockfile,
        settings: &Settings,
    ) -> Result<(), Failure> {
        let Some(package) = lockfile.package.as_ref().filter(|_| settings.versions.is_none())
        else {
            return Ok(());
        };
        let reached = package.reviewed.as_ref().unwrap_or(&package.version);
        let ahead = lockfile.tools.iter().filter(|(_, tool)| tool.semver > *reached);
        let messages: Vec<String> = ahead
            .map(|(name, tool)| {
                format!(
                    "{}: tool `{name}` is locked at {}, which is higher than {reached}, the \
                     version of {} at which the file was written",
                    self.lockfile.display(),
                    tool.semver,
                    package.name
                )
            })
            .collect();
        if messages.is_empty() {
            return Ok(());
        }
        Err(Failure {
            messages,
            causes: Vec::new(),
            help: vec![format!(
                "restore the file from version control, or record the tools as they are now with \
                 `{}`",
                self.remedy.force_command()
            )],
        })
    }
}
