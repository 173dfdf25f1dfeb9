//! The packages of a request and their own binaries, as plain cargo builds them.

use std::io::BufReader;
use std::path::PathBuf;
use std::process::Stdio;

use cargo_metadata::{Dependency, DependencyKind, Message, Package, Target};

use super::cargo::Cargo;
use super::request::{BuildRequest, TargetChoice};
use super::workspace::Workspace;
use super::{BuildError, Server, select};
use crate::hook;
use crate::source::Sourced;

/// The packages a request selects, nothing read of their tools yet. Nothing is built.
///
/// # Errors
/// [`BuildError`] when cargo does not know them.
pub fn packages(request: &BuildRequest) -> Result<Vec<Server>, BuildError> {
    let workspace = Workspace::load(&Cargo::find()?, request)?;
    let packages = select::packages(&workspace, request)?;
    Ok(packages.into_iter().map(|package| server(&workspace, package)).collect())
}

/// Builds the binary of every selected package as `cargo build` would, and returns its path beside
/// the package, nothing read of its tools yet.
///
/// # Errors
/// [`BuildError`] when it does not build, or which binary is meant cannot be told.
pub fn binaries(request: &BuildRequest) -> Result<Vec<(Server, PathBuf)>, BuildError> {
    let cargo = Cargo::find()?;
    let workspace = Workspace::load(&cargo, request)?;
    let packages = select::packages(&workspace, request)?;
    let named = !request.packages.is_empty();
    let mut binaries = Vec::new();
    for package in &packages {
        match binary(package, request) {
            Ok(target) => {
                let path = build(&cargo, request, package, target)?;
                binaries.push((server(&workspace, package), path));
            }
            Err(why) if named || packages.len() == 1 => return Err(BuildError::Selection(why)),
            // A library among servers.
            Err(_) if !package.targets.iter().any(Target::is_bin) => {}
            Err(why) => return Err(BuildError::Selection(why)),
        }
    }
    if binaries.is_empty() {
        let why = "no selected package has a binary that could be started";
        return Err(BuildError::Selection(why.to_owned()));
    }
    Ok(binaries)
}

/// A package, nothing read of its tools yet.
pub(super) fn server(workspace: &Workspace, package: &Package) -> Server {
    let metadata = workspace.metadata();
    Server {
        name: package.name.to_string(),
        version: package.version.clone(),
        manifest_path: package.manifest_path.clone().into(),
        metadata: package.metadata.clone(),
        workspace_manifest_path: metadata.workspace_root.join("Cargo.toml").into(),
        workspace_metadata: metadata.workspace_metadata.clone(),
        hooked_script: hooked_script(package),
        sourced: Sourced {
            sdk: super::sdk::versions(workspace, package, None),
            ..Sourced::default()
        },
    }
}

/// The build script, where it can call the hook.
fn hooked_script(package: &Package) -> Option<PathBuf> {
    let is_hook = |dependency: &Dependency| {
        dependency.kind == DependencyKind::Build && dependency.name == hook::LIBRARY
    };
    package.dependencies.iter().find(|dependency| is_hook(dependency))?;
    let script = package.targets.iter().find(|target| target.is_custom_build())?;
    Some(script.src_path.strip_prefix(package.manifest_path.parent()?).ok()?.into())
}

/// The binary that is the server: the one that is named here or in Cargo.toml, or the only one.
fn binary<'p>(package: &'p Package, request: &BuildRequest) -> Result<&'p Target, String> {
    let name = &package.name;
    let bins: Vec<&Target> = package.targets.iter().filter(|target| target.is_bin()).collect();
    let setting = package.metadata.get("mcp-semver").and_then(|table| table.get("target"));
    let wanted = match &request.target {
        TargetChoice::Bin(wanted) => Some(wanted.as_str()),
        TargetChoice::Lib => return Err("a library cannot be started; name a binary".to_owned()),
        TargetChoice::Auto => {
            setting.and_then(|name| name.as_str()).or(package.default_run.as_deref())
        }
    };
    match (wanted, bins.as_slice()) {
        (_, []) => Err(format!("`{name}` has no binary that could be started")),
        (None, [bin]) => Ok(bin),
        (Some(wanted), bins) => bins
            .iter()
            .find(|bin| bin.name == wanted)
            .copied()
            .ok_or_else(|| format!("`{name}` has no binary `{wanted}`")),
        (None, bins) => {
            let names: Vec<_> = bins.iter().map(|bin| bin.name.as_str()).collect();
            Err(format!(
                "`{name}` has several binaries ({}); say with --bin which of them is the server",
                names.join(", ")
            ))
        }
    }
}

fn build(
    cargo: &Cargo,
    request: &BuildRequest,
    package: &Package,
    target: &Target,
) -> Result<PathBuf, BuildError> {
    let mut command = cargo.plain("build", request);
    command.args(["--message-format=json-render-diagnostics", "--bin", &target.name, "-p"]);
    command.arg(format!("{}@{}", package.name, package.version));
    command.args(request.features.iter().flat_map(|features| ["--features", features]));
    let flags = [
        (request.all_features, "--all-features"),
        (request.no_default_features, "--no-default-features"),
        (request.quiet, "--quiet"),
    ];
    command.args(flags.into_iter().filter(|(on, _)| *on).map(|(_, flag)| flag));
    command.args(request.profile.iter().flat_map(|profile| ["--profile", profile]));
    command.args(request.jobs.iter().map(|jobs| format!("--jobs={jobs}")));
    if let Some(directory) = &request.target_dir {
        command.arg("--target-dir").arg(directory);
    }
    command.args((0..request.verbose).map(|_| "--verbose"));
    if let Some(color) = request.color {
        command.args(["--color", if color { "always" } else { "never" }]);
    }
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|source| cargo.not_started(source))?;
    let mut executable = None;
    let stream = child.stdout.take().map(BufReader::new);
    for message in stream.into_iter().flat_map(Message::parse_stream) {
        let message = message.map_err(|source| cargo.not_started(source))?;
        if let Message::CompilerArtifact(artifact) = message
            && artifact.package_id == package.id
            && artifact.target.is_bin()
            && artifact.target.name == target.name
        {
            executable = artifact.executable.map(PathBuf::from).or(executable);
        }
    }
    let status = child.wait().map_err(|source| cargo.not_started(source))?;
    let name = package.name.to_string();
    if !status.success() {
        let command = format!("cargo build -p {name} --bin {}", target.name);
        return Err(BuildError::DoesNotCompile { package: name, command });
    }
    let root = target.src_path.clone().into();
    executable.ok_or(BuildError::NoExecutable { package: name, root })
}
