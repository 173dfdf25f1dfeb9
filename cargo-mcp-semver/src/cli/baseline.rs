//! What a package is measured against: its lockfile, or what the flags name instead.

use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;
use clap::{ArgGroup, Args};

use crate::baseline::{Baseline, RevisionError};
use crate::cli::servers::Pinned;
use crate::gate::Gate;
use crate::published::{Published, PublishedError, Release};
use crate::report::Failure;

mod scanned;

/// `--baseline`, `--baseline-rev`, `--baseline-version`.
#[derive(Debug, Default, Args)]
#[command(group = ArgGroup::new("measured-against"), next_help_heading = "Baseline")]
pub struct BaselineArgs {
    /// Compare with this dump or lockfile instead; `-` is standard input
    #[arg(long, value_name = "FILE", group = "measured-against")]
    pub baseline: Option<PathBuf>,
    /// Compare with the lockfile of this git revision, as a pull request with its base; without
    /// one, with what its source tells
    #[arg(long, value_name = "REV", group = "measured-against")]
    pub baseline_rev: Option<String>,
    /// Compare with the lockfile in this published version, or in the `latest`
    #[arg(long, value_name = "VERSION", group = "measured-against")]
    pub baseline_version: Option<Release>,
}

/// `--gate`.
#[derive(Debug, Default, Args)]
pub struct GateArgs {
    /// When versions must cover changes: always or release [default: `gate` in Cargo.toml]
    #[arg(long, value_name = "WHEN", value_enum, hide_possible_values = true)]
    pub gate: Option<Gate>,
}

/// A baseline that is not the lockfile as it lies in the work tree.
#[derive(Debug)]
pub(super) struct Chosen {
    /// Its tools; none where the package is new.
    pub(super) baseline: Baseline,
    /// What a person calls it.
    pub(super) name: String,
    /// What a person must know about it.
    pub(super) note: Option<String>,
}

impl BaselineArgs {
    /// Whether the baseline comes from standard input.
    pub(super) fn is_stdin(&self) -> bool {
        self.baseline.as_deref() == Some(Path::new("-"))
    }

    /// Whether the lockfile of the work tree is what is measured against.
    pub(super) fn is_lockfile(&self) -> bool {
        self.baseline.is_none() && !self.is_past()
    }

    /// Whether it is an earlier state of the lockfile, beside which the present one must hold too.
    pub(super) fn is_past(&self) -> bool {
        self.baseline_rev.is_some() || self.baseline_version.is_some()
    }

    /// The flags as they were given, for a command that a person is told to run.
    pub(super) fn flags(&self) -> Vec<(&'static str, String)> {
        let file = self.baseline.as_ref().map(|path| path.to_string_lossy().into_owned());
        let release = self.baseline_version.as_ref().map(ToString::to_string);
        let flags = [
            ("--baseline", file),
            ("--baseline-rev", self.baseline_rev.clone()),
            ("--baseline-version", release),
        ];
        flags.into_iter().filter_map(|(flag, value)| Some((flag, value?))).collect()
    }

    /// Reads what the flags name; `None` where they name nothing.
    ///
    /// # Errors
    /// When it cannot be read, or the revision has the package without a lockfile.
    pub(super) fn read(&self, pinned: &Pinned) -> Result<Option<Chosen>, Failure> {
        if let Some((baseline, name)) = self.file()? {
            return Ok(Some(Chosen { baseline, name, note: None }));
        }
        if let Some(release) = &self.baseline_version {
            return published(pinned, release).map(Some);
        }
        let Some(revision) = &self.baseline_rev else { return Ok(None) };
        let package = &pinned.server.name;
        let manifest = &pinned.server.manifest_path;
        let name = format!("{} at {revision}", pinned.lockfile.display());
        let at_revision = Baseline::at_revision(package, manifest, &pinned.lockfile, revision);
        let chosen = match at_revision {
            Ok(Some(baseline)) => Chosen { baseline, name, note: None },
            Ok(None) => Chosen {
                baseline: Baseline::default(),
                name,
                note: Some(format!(
                    "{package} is new since {revision}: there is nothing to compare it with"
                )),
            },
            Err(ref error @ RevisionError::NoLockfile { ref then, .. }) => Chosen {
                baseline: scanned::at(pinned, revision, then, error.help())?,
                name: format!(
                    "the source of {} at {revision}",
                    then.name.as_ref().unwrap_or(package)
                ),
                note: Some(format!(
                    "{revision} has no lockfile: what its tools were was read from its source"
                )),
            },
            Err(error) => {
                let help = error.help().into_iter().collect();
                return Err(Failure { help, ..Failure::of(&error) });
            }
        };
        Ok(Some(chosen))
    }

    /// Reads the file that `--baseline` names, with what a person calls it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn file(&self) -> Result<Option<(Baseline, String)>, Failure> {
        let Some(path) = &self.baseline else { return Ok(None) };
        let baseline = Baseline::read(path).map_err(|error| Failure::of(&error))?;
        let name =
            if self.is_stdin() { "standard input".to_owned() } else { path.display().to_string() };
        Ok(Some((baseline, name)))
    }

    /// Refuses to measure a version by a lockfile that follows every change.
    ///
    /// # Errors
    /// Where versions are gated at releases only and no release is named.
    pub(super) fn require_release(&self, setting: Gate) -> Result<(), Failure> {
        if setting == Gate::Always || !self.is_lockfile() {
            return Ok(());
        }
        Err(Failure {
            messages: vec![
                "with `gate = \"release\"` the lockfile follows every change, so it does not tell \
                 what changed since the last release"
                    .to_owned(),
            ],
            causes: Vec::new(),
            help: vec![
                "name the last release: `--baseline-rev <its tag>` or `--baseline-version latest`"
                    .to_owned(),
            ],
        })
    }
}

/// The lockfile of a release. That nothing was ever released is no error where the latest release
/// is asked for: it is how the first one passes.
fn published(pinned: &Pinned, release: &Release) -> Result<Chosen, Failure> {
    let package = &pinned.server.name;
    let registry = registry(pinned)?;
    let asked =
        Published { package, registry: registry.as_deref(), release, flags: &pinned.cargo_flags };
    match asked.lockfile() {
        Ok((version, lockfile)) => Ok(Chosen {
            baseline: lockfile.into(),
            name: format!("the published {package} {version}"),
            note: None,
        }),
        Err(PublishedError::Unpublished { .. }) if *release == Release::Latest => Ok(Chosen {
            baseline: Baseline::default(),
            name: "no release".to_owned(),
            note: Some(format!(
                "no version of {package} is published: there is nothing to compare it with"
            )),
        }),
        Err(error) => {
            Err(Failure { help: error.help().into_iter().collect(), ..Failure::of(&error) })
        }
    }
}

/// The registry a package is published to, where that is not cargo's default one.
fn registry(pinned: &Pinned) -> Result<Option<String>, Failure> {
    let metadata = MetadataCommand::new()
        .manifest_path(&pinned.server.manifest_path)
        .no_deps()
        .exec()
        .map_err(|error| Failure::of(&error))?;
    let package = metadata.packages.into_iter().find(|it| it.name == pinned.server.name);
    match package.and_then(|package| package.publish) {
        None => Ok(None),
        Some(registries) => match registries.into_iter().next() {
            Some(registry) => Ok(Some(registry).filter(|name| name != "crates-io")),
            None => Err(Failure {
                messages: vec![format!(
                    "{} is not published: its Cargo.toml says `publish = false`",
                    pinned.server.name
                )],
                causes: Vec::new(),
                help: vec!["measure against a revision: `--baseline-rev <tag>`".to_owned()],
            }),
        },
    }
}

#[cfg(test)]
mod tests;
