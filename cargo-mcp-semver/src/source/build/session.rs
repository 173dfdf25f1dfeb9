//! Reading one server after another: prepare, build, run, conclude.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use cargo_metadata::Package;
use mcp_semver_build::evaluate::{Evaluation, evaluate, locate};
use mcp_semver_build::hook::Snapshot;
use mcp_semver_build::probe::{self, OutputError, ReadTool, Reading, Remark};
use mcp_semver_build::scan::SourceSpan;
use mcp_semver_build::{Catalogue, Contract};

use super::cargo::Cargo;
use super::compile::{Built, compile};
use super::config::CargoConfig;
use super::overlay::write_if_changed;
use super::prepare::Prepared;
use super::request::BuildRequest;
use super::run::{Ended, How, Run};
use super::target::Choice;
use super::workspace::Workspace;
use super::wrapper::Plan;
use super::{BuildError, Server, binary, sdk, units};
use crate::finding::Span;
use crate::source::{Origins, Sourced};

/// What all servers of one request have in common.
#[derive(Debug)]
pub(super) struct Session<'r> {
    pub(super) cargo: &'r Cargo,
    pub(super) request: &'r BuildRequest,
    pub(super) workspace: &'r Workspace,
    /// The user's own workspace wrapper.
    pub(super) chain: Option<PathBuf>,
    /// This machine's target triple, where the user's builds are configured for another.
    pub(super) host: Option<String>,
    /// Whether one package alone was selected, so that `--features` means it.
    pub(super) single: bool,
    /// See [`Sourced::notes`]; they concern every server.
    notes: Vec<String>,
    /// The directory of our own in the user's target directory.
    base: PathBuf,
    /// Held while that directory is in use.
    _lock: File,
}

impl<'r> Session<'r> {
    pub(super) fn new(
        cargo: &'r Cargo,
        request: &'r BuildRequest,
        workspace: &'r Workspace,
        single: bool,
    ) -> Result<Self, BuildError> {
        let env = |name: &str| std::env::var_os(name);
        let cwd = std::env::current_dir().map_err(|source| file("find", ".", source))?;
        let config = CargoConfig::read(&request.config, &cwd, &env)?;
        let mut notes = Vec::new();
        let mut other_host = None;
        if let Some(target) = config.build_target(&env) {
            let host = cargo.host()?;
            if target != host {
                notes.push(format!(
                    "built for {host}, not for {target} as `build.target` says, because the probe runs on this machine"
                ));
                other_host = Some(host);
            }
        }
        let base = base(workspace.metadata().target_directory.as_std_path())?;
        for dir in ["plan", "out", "expanded", "stamp"] {
            let dir = base.join(dir);
            std::fs::create_dir_all(&dir).map_err(|source| file("create", &dir, source))?;
        }
        let lock = lock(&base.join("lock"), request.quiet)?;
        let chain = config.workspace_wrapper(&env);
        Ok(Self {
            cargo,
            request,
            workspace,
            chain,
            host: other_host,
            single,
            notes,
            base,
            _lock: lock,
        })
    }

    /// Where cargo puts what is final.
    pub(super) fn target_dir(&self) -> PathBuf {
        self.base.join("target")
    }

    /// Writes the wrapper's plan for a server.
    pub(super) fn write_plan(&self, package: &Package, plan: &Plan) -> Result<PathBuf, BuildError> {
        let path = self.base.join("plan").join(format!("{}.json", package.name));
        let text = serde_json::to_string(plan)
            .map_err(|error| file("write", &path, std::io::Error::other(error)))?;
        write_if_changed(&path, &text).map_err(|source| file("write", &path, source))?;
        Ok(path)
    }

    /// Reads one server.
    pub(super) fn read(&self, choice: &Choice<'_>) -> Result<Server, BuildError> {
        let entry = choice.entry();
        let package = entry.package;
        let spans = Places { package: dir(package) };
        if let Some(span) = choice.units.iter().find_map(|unit| unit.scan.main_symbol.as_ref()) {
            let package = package.name.to_string();
            return Err(BuildError::MainSymbol { package, span: spans.span(span) });
        }
        if let Some(why) = choice.refused(self.workspace) {
            return Err(BuildError::Selection(why));
        }
        let prepared: Vec<Prepared<'_>> = choice
            .units
            .iter()
            .map(|unit| {
                let others = choice.units.iter().filter(|other| !std::ptr::eq(*other, unit));
                let siblings = others.map(|other| other.scan).collect();
                Prepared::new(self.workspace, unit, siblings, &self.base)
            })
            .collect::<Result<_, _>>()?;
        let attempts = || match self.attempt(choice, &prepared) {
            // Something answered in cargo's place (a compiler cache, a clock set back).
            Err(
                BuildError::Output { source: OutputError::Stale, .. }
                | BuildError::NotSwapped { .. },
            ) => {
                prepared.iter().try_for_each(Prepared::touch)?;
                self.attempt(choice, &prepared)
            }
            attempt => attempt,
        };
        let plan = units::plan(self.workspace, self.request, choice);
        let (attempt, evaluation) = beside(&plan, attempts);
        let Attempt { reading, unread, snapshot } = attempt?;
        // The package's own build knows its configuration best.
        let evaluation = snapshot.or(evaluation);
        let evaluated = evaluation.iter().flat_map(|it| &it.tools);
        let evaluated: BTreeSet<&str> =
            evaluated.filter_map(|tool| tool.wire["name"].as_str()).collect();
        let is_evaluated =
            |tool: &&ReadTool| tool.wire["name"].as_str().is_some_and(|it| evaluated.contains(it));
        let others = reading.tools.iter().filter(|tool| !is_evaluated(tool));
        let others: Vec<ReadTool> = others.cloned().collect();
        let mut sourced = sourced(package, &spans, reading)?;
        if let Some(evaluation) = evaluation {
            sourced.compare_source(spans.package, evaluation);
        }
        if !others.is_empty() {
            // What cannot be read only has no places.
            let located = locate(&plan.units, &others).unwrap_or_default();
            sourced.origins.extend(Origins::new(spans.package, located));
        }
        sourced.sdk = sdk::versions(self.workspace, package, choice.framework());
        sourced.notes.extend(self.notes.iter().chain(&choice.notes).cloned());
        sourced.unread.extend(choice.unread.iter().cloned().chain(unread));
        Ok(Server { sourced, ..binary::server(self.workspace, package) })
    }

    /// Builds the probe, runs it and reads what it wrote.
    fn attempt(
        &self,
        choice: &Choice<'_>,
        prepared: &[Prepared<'_>],
    ) -> Result<Attempt, BuildError> {
        let built = compile(self, choice, prepared)?;
        let package = choice.entry().package;
        let ended = self.run(package, &built)?;
        let (scans, unread): (Vec<_>, Vec<_>) = prepared.iter().map(Prepared::scan).unzip();
        let targets: Vec<_> =
            prepared.iter().zip(&scans).map(|(prepared, scan)| prepared.target(scan)).collect();
        let hashes: Vec<String> =
            prepared.iter().map(|prepared| prepared.variable().1.to_owned()).collect();
        let reading = probe::conclude(&targets, &hashes, &named_servers(package), &ended.output);
        let reading = self.judged(package, reading, ended.how, ended.stderr)?;
        let unread = unread.into_iter().flatten().collect();
        Ok(Attempt { reading, unread, snapshot: built.snapshot.as_deref().and_then(snapshot) })
    }

    /// The reading of a run that ended well, or why there is none.
    fn judged(
        &self,
        package: &Package,
        reading: Result<Reading, OutputError>,
        how: How,
        stderr: String,
    ) -> Result<Reading, BuildError> {
        let name = package.name.to_string();
        let ended = match (how, reading) {
            (How::Exited(status), Ok(reading)) if status.success() => return Ok(reading),
            (
                How::Exited(status),
                Err(
                    error @ (OutputError::SeveralServers { .. } | OutputError::NoSuchServer { .. }),
                ),
            ) if status.success() => {
                return Err(BuildError::Selection(format!("in `{name}` {error}")));
            }
            (How::Exited(status), Err(source)) if status.success() => {
                return Err(BuildError::Output { package: name, source, stderr });
            }
            (How::TimedOut, reading) => {
                let reading = match reading {
                    Err(OutputError::Incomplete { after }) => after,
                    _ => None,
                };
                let limit = self.request.timeout;
                return Err(BuildError::Timeout { package: name, limit, reading, stderr });
            }
            (How::Exited(status), _) if matches!(status.code(), Some(4 | 5)) => {
                format!("could not write its records to {}", self.records(package).display())
            }
            (How::Exited(status), Err(error @ OutputError::Incomplete { .. })) => {
                format!("ended with {status}: {error}")
            }
            (How::Exited(status), _) => format!("ended with {status}"),
            (How::TooMuch, _) => "was stopped because it wrote without end".to_owned(),
        };
        Err(BuildError::ProbeFailed { package: name, how: ended, stderr })
    }

    /// The file for the records of a package's probe.
    fn records(&self, package: &Package) -> PathBuf {
        self.base.join("out").join(format!("{}.records", package.name))
    }

    fn run(&self, package: &Package, built: &Built) -> Result<Ended, BuildError> {
        let run = Run {
            executable: &built.executable,
            cwd: dir(package),
            libraries: &built.libraries,
            output: self.records(package),
            limit: self.request.timeout,
        };
        run.run().map_err(|source| file("run", &built.executable, source))
    }
}

/// What one build of the probe gave.
struct Attempt {
    reading: Reading,
    /// What expansion could not show.
    unread: Vec<String>,
    /// What the hook in the package's build script evaluated, where it has one.
    snapshot: Option<Evaluation>,
}

/// What the hook of this version left; without it the source is evaluated here.
fn snapshot(path: &Path) -> Option<Evaluation> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(Snapshot::from_json(&text).ok()?.evaluation)
}

/// Runs `build`, and beside it evaluates the source of the same server, which is quicker. What
/// cannot be evaluated only has no places.
fn beside<T>(plan: &units::Plan, build: impl FnOnce() -> T) -> (T, Option<Evaluation>) {
    let units::Plan { units, sdk, named, .. } = plan;
    std::thread::scope(|scope| {
        let evaluation = scope.spawn(move || evaluate(units, sdk.as_ref()?, named).ok());
        let built = build();
        (built, evaluation.join().ok().flatten())
    })
}

/// Makes the directory of our own in the target directory, and that as cargo makes it.
fn base(target: &Path) -> Result<PathBuf, BuildError> {
    let base = target.join("mcp-semver");
    let is_new = !target.exists();
    std::fs::create_dir_all(&base).map_err(|source| file("create", &base, source))?;
    if is_new {
        // Backups leave a directory with this file out; cargo writes it only where the directory
        // does not exist yet.
        let tag = target.join("CACHEDIR.TAG");
        let text = "Signature: 8a477f597d28d172789f06886806bc55\n# This file is a cache directory tag created by cargo.\n# For information about cache directory tags see https://bford.info/cachedir/\n";
        std::fs::write(&tag, text).map_err(|source| file("write", &tag, source))?;
    }
    Ok(base)
}

/// Takes the lock at `path`, waiting for another run to end.
fn lock(path: &Path, quiet: bool) -> Result<File, BuildError> {
    let failed = |source| file("lock", path, source);
    let lock = File::create(path).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => return Ok(lock),
        Err(TryLockError::Error(source)) if source.kind() != ErrorKind::Unsupported => {
            return Err(failed(source));
        }
        // Some network file systems know no locks; cargo does without them there, too.
        Err(TryLockError::Error(_)) => return Ok(lock),
        Err(TryLockError::WouldBlock) => {}
    }
    if !quiet {
        let style = anstyle::AnsiColor::Cyan.on_default().bold();
        anstream::eprintln!(
            "{style}{:>12}{style:#} waiting for another cargo mcp-semver",
            "Blocking"
        );
    }
    lock.lock().map_err(failed)?;
    Ok(lock)
}

/// The types that the package's settings name as its servers.
pub(super) fn named_servers(package: &Package) -> Vec<String> {
    match package.metadata.get("mcp-semver").and_then(|table| table.get("server")) {
        Some(serde_json::Value::Array(names)) => {
            names.iter().filter_map(|name| name.as_str()).map(str::to_owned).collect()
        }
        Some(name) => name.as_str().map(str::to_owned).into_iter().collect(),
        None => Vec::new(),
    }
}

/// Turns a reading into what every source yields.
fn sourced(package: &Package, spans: &Places<'_>, reading: Reading) -> Result<Sourced, BuildError> {
    let mut contracts: BTreeMap<String, Contract> = BTreeMap::new();
    let mut places: BTreeMap<String, Vec<Span>> = BTreeMap::new();
    let mut twice = None;
    for tool in reading.tools {
        let contract = Contract::from_wire(tool.wire)
            .map_err(|source| BuildError::Contract { package: package.name.to_string(), source })?;
        let name = contract.name.clone();
        places.entry(name.clone()).or_default().extend(tool.span.map(|span| spans.span(&span)));
        if contracts.insert(name.clone(), contract).is_some() {
            twice = Some(name);
        }
    }
    if let Some(name) = twice {
        let spans = places.remove(&name).unwrap_or_default();
        return Err(BuildError::Duplicate { package: package.name.to_string(), name, spans });
    }
    let catalogue = Catalogue::new(contracts.into_values())
        .map_err(|source| BuildError::Contract { package: package.name.to_string(), source })?;
    let texts =
        |remarks: Vec<Remark>| remarks.into_iter().map(|remark| spans.text(remark)).collect();
    Ok(Sourced {
        catalogue,
        spans: places
            .into_iter()
            .filter_map(|(name, places)| Some((name, places.into_iter().next()?)))
            .collect(),
        handler: spans.only(&reading.handlers),
        notes: texts(reading.notes),
        unread: texts(reading.unread),
        run_time: texts(reading.run_time),
        ..Sourced::default()
    })
}

/// Places relative to a package.
pub(in crate::source) struct Places<'p> {
    pub(in crate::source) package: &'p Path,
}

impl Places<'_> {
    /// The one place there is.
    pub(in crate::source) fn only(&self, spans: &[SourceSpan]) -> Option<Span> {
        let [span] = spans else { return None };
        Some(self.span(span))
    }

    pub(in crate::source) fn span(&self, span: &SourceSpan) -> Span {
        let file = span.file.strip_prefix(self.package).unwrap_or(&span.file).to_owned();
        let SourceSpan { line, column, end_line, end_column, .. } = *span;
        Span { file, line, column, end_line, end_column }
    }

    pub(in crate::source) fn text(&self, remark: Remark) -> String {
        remark.within(self.package)
    }
}

/// The directory of a package.
fn dir(package: &Package) -> &Path {
    let manifest = package.manifest_path.as_std_path();
    manifest.parent().unwrap_or(manifest)
}

fn file(action: &'static str, path: impl AsRef<Path>, source: std::io::Error) -> BuildError {
    BuildError::File { action, path: path.as_ref().to_owned(), source }
}
