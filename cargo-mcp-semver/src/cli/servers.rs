//! The servers of a workspace and their lockfiles: the one place where a command meets the `build`
//! source.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use mcp_semver_build::lockfile::FILE_NAME;
use semver::Version;

use crate::baseline::Baseline;
use crate::cli::args::{Build, Lockfile};
use crate::cli::baseline::BaselineArgs;
use crate::cli::error::CommandError;
use crate::cli::locked;
use crate::cli::loose::Loose;
use crate::cli::remedy::{self, near};
use crate::cli::shell::Shell;
use crate::cli::source::{self, IdentityArgs, Kind, SourceArgs};
use crate::cli::versions;
use crate::compare::compare;
use crate::gate::{self, Declared, Gate};
use crate::metadata::{RuntimeRouter, Settings};
use crate::report::human::Detail;
use crate::report::{self, Failure, Remedy, Subject};
use crate::source::Sourced;
use crate::source::build::{self, BuildRequest, Server};
use crate::source::scan;
use crate::source::serve::Program;
use crate::verdict::Outcome;

/// The servers that were read, and a report of each package that could not be.
pub(super) struct Read {
    pub(super) servers: Vec<Server>,
    pub(super) failed: Vec<Subject>,
}

/// Builds and reads what the flags select. What was passed over is said on standard error.
pub(super) fn read(build: &Build, shell: Shell) -> Result<Read, CommandError> {
    let read = told(build::read(&build.request(shell.talk()))?, shell);
    if shell.detail() == Detail::Verbose {
        let issues = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");
        for Server { name, sourced, .. } in &read.servers {
            for sentence in &sourced.disagreements {
                shell.warning(&format!("{name}: {sentence}; please report this to {issues}"));
            }
        }
    }
    Ok(read)
}

/// Evaluates the source of what the flags select. Tools that are not resolved keep a package from
/// being compared, unless the flags allow them.
pub(super) fn scanned(
    build: &Build,
    source: &SourceArgs,
    shell: Shell,
) -> Result<Read, CommandError> {
    let mut read = told(scan::read(&build.request(shell.talk()))?, shell);
    for Server { name, sourced, .. } in &mut read.servers {
        if source.allow_unresolved {
            for (tool, sentence) in std::mem::take(&mut sourced.unresolved) {
                shell.warning(&format!("{name}: {sentence}"));
                sourced.unchecked.insert(tool);
            }
        }
    }
    Ok(read)
}

fn told(servers: build::Servers, shell: Shell) -> Read {
    for skipped in &servers.skipped {
        shell.note(skipped);
    }
    let failed = servers.failed.into_iter().map(|package| {
        let failure = Failure::of(&package.error);
        unread(package.name, package.version, &package.manifest_path, failure)
    });
    Read { failed: failed.collect(), servers: servers.servers }
}

/// The report of a package whose tools were not read.
fn unread(name: String, version: Version, manifest_path: &Path, failure: Failure) -> Subject {
    Subject {
        name,
        version: Some(version),
        directory: near(manifest_path.parent().unwrap_or(Path::new(""))),
        result: Err(failure),
        remedy: None,
    }
}

/// That every tool of a server is in its catalogue.
pub(super) fn whole(server: &Server) -> Result<(), Failure> {
    let Sourced { unread, run_time, unresolved, unchecked, .. } = &server.sourced;
    let unchecked = unchecked.iter().map(|tool| format!("`{tool}` is not resolved"));
    let messages = unread.iter().chain(run_time).chain(unresolved.values()).cloned();
    let messages: Vec<String> = messages.chain(unchecked).collect();
    if messages.is_empty() {
        return Ok(());
    }
    Err(Failure { messages, causes: Vec::new(), help: Vec::new() })
}

/// Builds the selected packages' own binaries, starts them, and reads what they serve.
pub(super) fn started(
    build: &Build,
    source: &SourceArgs,
    shell: Shell,
) -> Result<Read, CommandError> {
    let mut servers = Vec::new();
    for (mut server, binary) in build::binaries(&build.request(shell.talk()))? {
        let program = Program { program: binary.into(), args: Vec::new(), cwd: None };
        let sdk = std::mem::take(&mut server.sourced.sdk);
        server.sourced = Sourced { sdk, ..source.start(&program, shell)? };
        servers.push(server);
    }
    Ok(Read { servers, failed: Vec::new() })
}

/// See [`Subject::directory`].
fn directory(server: &Server) -> PathBuf {
    near(server.manifest_path.parent().unwrap_or(Path::new("")))
}

/// One server with what a comparing command needs beside it.
pub(super) struct Pinned {
    /// The server.
    pub(super) server: Server,
    /// Versions of its tools that take the place of those in Cargo.toml.
    pub(super) declared: Option<BTreeMap<String, Version>>,
    /// Where its lockfile is or will be, as a person in the current directory would write it.
    pub(super) lockfile: PathBuf,
    /// How its author goes on.
    pub(super) remedy: Remedy,
    /// Flags of cargo that decide where and whether it looks for published packages.
    pub(super) cargo_flags: Vec<String>,
    /// How it was to be read.
    pub(super) request: BuildRequest,
    /// Its source, where something else told its tools; read once a finding asks for its place.
    pub(super) source: Option<OnceCell<Sourced>>,
}

/// How a package's tools are judged.
pub(super) struct Judging<'a> {
    pub(super) settings: &'a Settings,
    /// When versions must cover changes.
    pub(super) gate: Gate,
    /// Tools of which a person has confirmed the texts.
    pub(super) confirmed: BTreeSet<String>,
}

/// What a comparing command found to compare.
pub(super) enum Found {
    /// Packages, whose versions gate what changed, and reports of those that could not be read.
    Packages(Vec<Pinned>, Vec<Subject>),
    /// A server that is no package here.
    Loose(Box<Loose>),
}

/// What a comparing command is to read, as its flags say.
pub(super) struct Reading<'a> {
    pub(super) build: &'a Build,
    pub(super) source: &'a SourceArgs,
    pub(super) identity: &'a IdentityArgs,
    pub(super) lockfile: &'a Lockfile,
    pub(super) baseline: &'a BaselineArgs,
    /// What `--gate` says.
    pub(super) gate: Option<Gate>,
}

impl Reading<'_> {
    /// Reads it, each package with the lockfile beside its Cargo.toml.
    pub(super) fn read(&self, shell: Shell) -> Result<Found, CommandError> {
        if self.source.is_stdin() && self.baseline.is_stdin() {
            return Err(CommandError::StdinForBoth);
        }
        let Read { servers, failed } = match self.source.kind() {
            Kind::Build => read(self.build, shell)?,
            Kind::Scan => scanned(self.build, self.source, shell)?,
            Kind::Own => started(self.build, self.source, shell)?,
            Kind::Other => {
                let sourced = self.source.read(shell)?;
                match self.package_around(&sourced, shell)? {
                    Some(server) => {
                        Read { servers: vec![Server { sourced, ..server }], failed: Vec::new() }
                    }
                    None => return self.loose(sourced, PathBuf::new()),
                }
            }
        };
        let several = servers.len() + failed.len() > 1;
        let one = [
            ("--generated-for", self.identity.generated_for.is_some()),
            ("--lockfile", self.lockfile.path.is_some()),
            ("--baseline", self.baseline.baseline.is_some()),
            ("--declared", self.identity.declared.is_some()),
        ];
        if let Some((flag, _)) = one.into_iter().find(|(_, is_given)| several && *is_given) {
            let read = servers.iter().map(|server| &server.name);
            let packages = read.chain(failed.iter().map(|subject| &subject.name)).cloned();
            return Err(CommandError::OneFile { flag, packages: packages.collect() });
        }
        if self.identity.generated_for.is_none() {
            return Ok(Found::Packages(self.pin(servers, several, shell)?, failed));
        }
        match servers.into_iter().next() {
            // No package's settings accept what is left out here.
            Some(server) => match whole(&server) {
                Ok(()) => {
                    let directory = directory(&server);
                    self.loose(server.sourced, directory)
                }
                Err(failure) => {
                    let subject =
                        unread(server.name, server.version, &server.manifest_path, failure);
                    Ok(Found::Packages(Vec::new(), vec![subject]))
                }
            },
            None => Ok(Found::Packages(Vec::new(), failed)),
        }
    }

    fn loose(&self, sourced: Sourced, directory: PathBuf) -> Result<Found, CommandError> {
        Loose::new(sourced, directory, self.source, self.identity, self.lockfile)
            .map(|loose| Found::Loose(Box::new(loose)))
    }

    /// The package whose server a dump, a command or a URL is taken for: the one that cargo would
    /// build here, unless the flags or the lockfile say that it is another's.
    fn package_around(
        &self,
        sourced: &Sourced,
        shell: Shell,
    ) -> Result<Option<Server>, CommandError> {
        if self.identity.generated_for.is_some() || !source::has_manifest(self.build) {
            return Ok(None);
        }
        let packages = build::packages(&self.build.request(shell.talk()))?;
        let Ok([server]) = <[Server; 1]>::try_from(packages) else { return Ok(None) };
        // One that is no lockfile at all is told of when it is compared with.
        let others = locked::read(&self.lockfile_of(&server), &sourced.catalogue)
            .is_ok_and(|lockfile| lockfile.is_some_and(|lockfile| lockfile.package.is_none()));
        Ok((!others).then_some(server))
    }

    fn pin(
        &self,
        servers: Vec<Server>,
        several: bool,
        shell: Shell,
    ) -> Result<Vec<Pinned>, CommandError> {
        let declared = self.identity.declared.as_deref().map(versions::read).transpose()?;
        let pinned = servers.into_iter().map(|server| {
            let mut remedy =
                remedy::remedy(&server, several, self.build, self.lockfile, self.baseline);
            if let Some(path) = &self.identity.declared {
                let path = report::quoted(&path.to_string_lossy());
                remedy.lock_command += &format!(" --declared {path}");
            }
            remedy.lock_command += &self.source.flags();
            if let Some(gate) = self.gate.and_then(|gate| gate.to_possible_value()) {
                remedy.lock_command += &format!(" --gate {}", gate.get_name());
            }
            let lockfile = self.lockfile_of(&server);
            Pinned {
                remedy,
                lockfile,
                declared: declared.clone(),
                cargo_flags: self.build.registry_flags(),
                request: self.build.request(shell.talk()),
                source: matches!(self.source.kind(), Kind::Own | Kind::Other).then(OnceCell::new),
                server,
            }
        });
        Ok(pinned.collect())
    }

    fn lockfile_of(&self, server: &Server) -> PathBuf {
        match &self.lockfile.path {
            Some(path) => path.clone(),
            None => near(&server.manifest_path.with_file_name(FILE_NAME)),
        }
    }
}

/// Builds the selected packages, each with the lockfile beside its Cargo.toml; and reports of those
/// that could not be read.
pub(super) fn packages(
    build: &Build,
    baseline: &BaselineArgs,
    shell: Shell,
) -> Result<(Vec<Pinned>, Vec<Subject>), CommandError> {
    let (source, identity) = (SourceArgs::default(), IdentityArgs::default());
    let lockfile = Lockfile::default();
    let reading = Reading {
        build,
        source: &source,
        identity: &identity,
        lockfile: &lockfile,
        baseline,
        gate: None,
    };
    match reading.read(shell)? {
        Found::Packages(pinned, failed) => Ok((pinned, failed)),
        Found::Loose(_) => Err(CommandError::NoPackage),
    }
}

/// What a package's Cargo.toml says to this tool.
///
/// # Errors
/// A setting that is not understood, or tools that could not be read and that the settings do not
/// accept as they are declared.
pub(super) fn settings(server: &Server, shell: Shell) -> Result<Settings, Failure> {
    let settings = Settings::new(
        (&server.metadata, &near(&server.manifest_path)),
        (&server.workspace_metadata, &near(&server.workspace_manifest_path)),
    )
    .map_err(|error| Failure::of(&error))?;
    let Sourced { unread, run_time, unresolved, .. } = &server.sourced;
    let name = |sentence: &String| format!("{}: {sentence}", server.name);
    let accepted = settings.runtime_router == RuntimeRouter::Declared;
    if accepted {
        run_time.iter().for_each(|sentence| shell.warning(&name(sentence)));
    }
    let open = if accepted { &[] } else { run_time.as_slice() };
    let declared = "ask the running server with `--serve`, or, to check what such a router declares \
        all the same, set `runtime-router = \"declared\"` in [package.metadata.mcp-semver]";
    let built = "a build resolves what a scan does not: leave out `--source scan`, or go on without \
        such tools with `--allow-unresolved`";
    let messages: Vec<String> =
        unread.iter().chain(unresolved.values()).chain(open).map(name).collect();
    if messages.is_empty() {
        return Ok(settings);
    }
    let help = [(!open.is_empty(), declared), (!unresolved.is_empty(), built)];
    let help = help.into_iter().filter(|(is_needed, _)| *is_needed);
    let help = help.map(|(_, help)| help.to_owned()).collect();
    Err(Failure { messages, causes: Vec::new(), help })
}

impl Pinned {
    /// As [`settings()`], with the versions that a flag declares.
    ///
    /// # Errors
    /// As [`settings()`].
    pub(super) fn settings(&self, shell: Shell) -> Result<Settings, Failure> {
        let settings = settings(&self.server, shell)?;
        Ok(Settings { versions: self.declared.clone().or(settings.versions), ..settings })
    }

    /// Compares with `baseline` and decides.
    pub(super) fn compare(&self, baseline: &Baseline, judging: Judging<'_>) -> Outcome {
        self.compare_sides(baseline, &self.side(), judging)
    }

    /// The names of its tools.
    pub(super) fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.server.sourced.catalogue.names()
    }

    /// Its tools as one side of a comparison.
    pub(super) fn side(&self) -> Baseline {
        Baseline::from(&self.server.sourced.catalogue)
    }

    /// As [`Pinned::compare`], for other tools than those that were read.
    pub(super) fn compare_sides(
        &self,
        baseline: &Baseline,
        new: &Baseline,
        Judging { settings, gate, confirmed }: Judging<'_>,
    ) -> Outcome {
        let Server { name, version, sourced, .. } = &self.server;
        let declared = Declared {
            package: Some((name.clone(), version.clone())),
            tools: settings.versions.clone(),
            sdk: sourced.sdk.clone(),
            gate,
            grading: settings.grading.clone(),
            confirmed,
        };
        let (old, new) = (self.checked(baseline), self.checked(new));
        let mut outcome = gate::decide(baseline, &declared, compare(&old, &new));
        outcome.notes.extend(sourced.notes.iter().cloned());
        if outcome.tools.iter().any(|tool| !tool.findings.is_empty()) {
            let source = self.source.as_ref().map(|it| it.get_or_init(|| self.scanned()));
            source.unwrap_or(sourced).locate(&mut outcome.tools);
        }
        outcome
    }

    /// Its source, as far as that can be read: no more than places is wanted of it.
    fn scanned(&self) -> Sourced {
        let Server { manifest_path, sourced, .. } = &self.server;
        scan::places(&self.request, manifest_path, &sourced.catalogue)
    }

    /// One side of a comparison without the tools that are not checked.
    fn checked<'b>(&self, side: &'b Baseline) -> Cow<'b, Baseline> {
        let unchecked = &self.server.sourced.unchecked;
        let mut side = Cow::Borrowed(side);
        if unchecked.iter().any(|tool| side.tools.contains_key(tool)) {
            side.to_mut().tools.retain(|tool, _| !unchecked.contains(tool));
        }
        side
    }

    /// The tools whose contract is not the one in the lockfile, sorted.
    pub(super) fn stale(&self, lockfile: &Baseline) -> Vec<String> {
        locked::stale(&self.checked(lockfile), &self.side())
    }

    /// See [`Subject::directory`].
    pub(super) fn directory(&self) -> PathBuf {
        directory(&self.server)
    }

    /// The same as one subject of a report.
    pub(super) fn subject(&self, result: Result<Outcome, Failure>) -> Subject {
        Subject {
            name: self.server.name.clone(),
            version: Some(self.server.version.clone()),
            directory: self.directory(),
            result,
            remedy: Some(self.remedy.clone()),
        }
    }

    /// `2 tools of my-server v1.4.0`, for progress.
    pub(super) fn tools(&self) -> String {
        let Server { name, version, sourced, .. } = &self.server;
        let count = sourced.catalogue.len();
        let tools = if count == 1 { "tool" } else { "tools" };
        format!("{count} {tools} of {name} v{version}")
    }
}
