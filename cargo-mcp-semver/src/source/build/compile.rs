//! One cargo build of a server with the probe in it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use cargo_metadata::{Artifact, CrateType, Message, Package};
use mcp_semver_build::hook::SNAPSHOT_FILE;

use super::BuildError;
use super::diagnostics::{error_text, mapped};
use super::prepare::Prepared;
use super::session::Session;
use super::target::{Choice, Unit};
use super::workspace::library;
use super::wrapper::Plan;

/// What a build left.
#[derive(Debug)]
pub(super) struct Built {
    /// The probe.
    pub(super) executable: PathBuf,
    /// Where native libraries are that it may load.
    pub(super) libraries: Vec<PathBuf>,
    /// Where the build script of the entry's package left its snapshot, if it has the hook.
    pub(super) snapshot: Option<PathBuf>,
}

/// What cargo's messages say.
#[derive(Debug, Default)]
struct Heard {
    /// The targets that are built, by root file and whether as an executable; and whether each was
    /// fresh.
    built: BTreeMap<(PathBuf, bool), bool>,
    executable: Option<PathBuf>,
    libraries: Vec<PathBuf>,
    snapshot: Option<PathBuf>,
    errors: Vec<String>,
}

impl Heard {
    fn artifact(&mut self, artifact: Artifact, entry: &Unit<'_>) {
        let is_bin = artifact.target.is_bin();
        if is_bin
            && artifact.target.src_path == entry.target.src_path
            && artifact.package_id == entry.package.id
        {
            let executable = artifact.executable.or_else(|| artifact.filenames.first().cloned());
            self.executable = executable.map(PathBuf::from);
        }
        *self.built.entry((artifact.target.src_path.into(), is_bin)).or_insert(true) &=
            artifact.fresh;
    }

    /// The packages of units that were compiled without being swapped, in this build or in an
    /// earlier one whose work cargo kept. `held`: whether each unit's stamp held before.
    fn bypassed(&self, prepared: &[Prepared<'_>], held: &[bool]) -> io::Result<BTreeSet<String>> {
        let mut bypassed = BTreeSet::new();
        for (prepared, held) in prepared.iter().zip(held) {
            let (unit, stamp) = (prepared.planned(), prepared.stamp());
            if stamp.holds() {
                continue;
            }
            match self.built.get(&(unit.root, unit.bin)) {
                // Cargo kept what was swapped before, or did not get so far.
                Some(true) | None if *held => stamp.set()?,
                Some(_) => {
                    bypassed.insert(prepared.package().to_owned());
                }
                None => {}
            }
        }
        Ok(bypassed)
    }
}

/// Builds the entry of `choice` with every prepared unit swapped.
pub(super) fn compile(
    session: &Session<'_>,
    choice: &Choice<'_>,
    prepared: &[Prepared<'_>],
) -> Result<Built, BuildError> {
    let entry = choice.entry();
    let plan = Plan {
        chain: session.chain.clone(),
        units: prepared.iter().map(Prepared::planned).collect(),
    };
    let plan = session.write_plan(entry.package, &plan)?;
    let subcommand = if entry.is_bin() { "build" } else { "rustc" };
    let mut command = session.cargo.wrapped(subcommand, session.request, Some(&plan));
    command.args(arguments(session, choice)).args(target(entry));
    if !entry.is_bin() {
        command.args(["--crate-type", "bin"]);
    }
    command
        .arg(if session.request.colored() {
            "--message-format=json-diagnostic-rendered-ansi"
        } else {
            "--message-format=json"
        })
        .envs(prepared.iter().map(Prepared::variable))
        .stdout(Stdio::piped());
    let stamped = |source| BuildError::File { action: "write", path: plan.clone(), source };
    let held: Result<Vec<bool>, _> =
        prepared.iter().map(|prepared| prepared.stamp().take()).collect();
    let held = held.map_err(stamped)?;
    let (success, heard) = listen(session, command, entry)?;
    let package = entry.package.name.to_string();
    let bypassed = heard.bypassed(prepared, &held).map_err(stamped)?;
    if !bypassed.is_empty() {
        let bypassed = bypassed.into_iter().collect();
        return Err(BuildError::NotSwapped { package, bypassed });
    }
    if success {
        let root = entry.scan.root.clone();
        let executable = heard.executable.ok_or(BuildError::NoExecutable { package, root })?;
        let Heard { libraries, snapshot, .. } = heard;
        return Ok(Built { executable, libraries, snapshot });
    }
    explain(session, choice, heard.errors.is_empty())?;
    let overlays = prepared.iter().map(Prepared::overlay);
    let root = session.workspace.metadata().workspace_root.as_std_path();
    let errors = mapped(&heard.errors.concat(), overlays, root);
    anstream::eprint!("{errors}");
    Err(BuildError::ProbeDoesNotCompile { package })
}

/// Starts cargo and reads its messages.
fn listen(
    session: &Session<'_>,
    mut command: Command,
    entry: &Unit<'_>,
) -> Result<(bool, Heard), BuildError> {
    let mut child = command.spawn().map_err(|source| session.cargo.not_started(source))?;
    let mut heard = Heard::default();
    let stream = child.stdout.take().map(BufReader::new);
    for message in stream.into_iter().flat_map(Message::parse_stream) {
        match message.map_err(|source| session.cargo.not_started(source))? {
            Message::CompilerArtifact(artifact) => heard.artifact(artifact, entry),
            Message::CompilerMessage(message) => {
                heard.errors.extend(error_text(&message.message).map(str::to_owned));
            }
            Message::BuildScriptExecuted(script) => {
                if script.package_id == entry.package.id {
                    heard.snapshot = Some(script.out_dir.join(SNAPSHOT_FILE).into());
                }
                heard
                    .libraries
                    .extend(script.linked_paths.iter().map(|path| native(path.as_str())));
            }
            _ => {}
        }
    }
    let status = child.wait().map_err(|source| session.cargo.not_started(source))?;
    Ok((status.success(), heard))
}

/// The directory in `native=/usr/lib`.
fn native(path: &str) -> PathBuf {
    PathBuf::from(path.split_once('=').map_or(path, |(_, dir)| dir))
}

/// After a failure: builds the same target without a probe. When that fails too, cargo says why,
/// and the fault is not the probe's. `said`: cargo has said it all before, because no compiler was
/// concerned (a build script that failed, a missing network).
fn explain(session: &Session<'_>, choice: &Choice<'_>, said: bool) -> Result<(), BuildError> {
    let entry = choice.entry();
    let mut command = session.cargo.plain("build", session.request);
    command.args(arguments(session, choice)).args(target(entry)).stdout(Stdio::null());
    if said {
        command.stderr(Stdio::null());
    }
    let status = command.status().map_err(|source| session.cargo.not_started(source))?;
    if status.success() {
        return Ok(());
    }
    let target: Vec<_> =
        target(entry).iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let command = format!("cargo build -p {} {}", entry.package.name, target.join(" "));
    Err(BuildError::DoesNotCompile { package: entry.package.name.to_string(), command })
}

fn target(entry: &Unit<'_>) -> Vec<OsString> {
    if entry.is_bin() {
        vec!["--bin".into(), (&entry.target.name).into()]
    } else {
        vec!["--lib".into()]
    }
}

/// The arguments that the build with the probe and the plain one share.
fn arguments(session: &Session<'_>, choice: &Choice<'_>) -> Vec<OsString> {
    let request = session.request;
    let package = choice.entry().package;
    let mut args: Vec<OsString> =
        vec!["-p".into(), format!("{}@{}", package.name, package.version).into()];
    let flags = [
        (request.all_features, "--all-features"),
        (request.no_default_features, "--no-default-features"),
        (request.quiet, "--quiet"),
    ];
    args.extend(flags.into_iter().filter(|(on, _)| *on).map(|(_, flag)| flag.into()));
    let features: Vec<&str> = request
        .feature_names()
        .filter(|feature| session.single || concerns(package, feature))
        .collect();
    if !features.is_empty() {
        args.extend(["--features".into(), features.join(",").into()]);
    }
    if let Some(profile) = &request.profile {
        args.extend(["--profile".into(), profile.into()]);
    }
    if let Some(jobs) = &request.jobs {
        args.push(format!("--jobs={jobs}").into());
    }
    if let Some(host) = &session.host {
        args.extend(["--target".into(), host.into()]);
    }
    args.extend((0..request.verbose).map(|_| "--verbose".into()));
    if let Some(color) = request.color {
        args.extend(["--color".into(), if color { "always" } else { "never" }.into()]);
    }
    args.extend(["--target-dir".into(), session.target_dir().into()]);
    if let Some(dir) = build_dir(session, choice) {
        let value = toml_edit::Value::from(dir.to_string_lossy().into_owned());
        args.extend(["--config".into(), format!("build.build-dir={value}").into()]);
    }
    args
}

/// Whether a feature that was given for several packages means this one.
fn concerns(package: &Package, feature: &str) -> bool {
    match feature.split_once('/') {
        None => package.features.contains_key(feature),
        Some((name, _)) => {
            name == package.name.as_str()
                || package
                    .dependencies
                    .iter()
                    .any(|dep| dep.rename.as_deref().unwrap_or(&dep.name) == name)
        }
    }
}

/// The directory for intermediate files: the user's, so that dependencies are compiled once;
/// `None` where cargo has no such setting.
fn build_dir(session: &Session<'_>, choice: &Choice<'_>) -> Option<PathBuf> {
    let users = session.workspace.metadata().build_directory.as_ref()?;
    // A shared library's file has no hash in its name, nor has an executable of the MSVC
    // toolchain: they would be overwritten.
    let shared = |package: &&Package| {
        library(package).is_some_and(|library| {
            let types = &library.crate_types;
            types.contains(&CrateType::CDyLib) || types.contains(&CrateType::DyLib)
        })
    };
    // The package's own library is built as an executable where it is the entry.
    let own = usize::from(!choice.entry().is_bin());
    if cfg!(target_env = "msvc") || choice.local.iter().skip(own).any(shared) {
        Some(session.target_dir())
    } else {
        Some(users.into())
    }
}
