//! This program as cargo's workspace wrapper: it swaps the root file of the planned units for its
//! instrumented copy and passes everything else on.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};

use super::expand::Expansion;
use super::overlay::write_if_changed;

/// The environment variable that names the plan; empty where nothing is to be swapped.
pub(super) const PLAN_VAR: &str = "MCP_SEMVER_PLAN";

/// How the message of a wrapper starts that finds no compiler to run.
pub(super) const CANNOT_RUN: &str = "as rustc wrapper: cannot run";

/// What the wrapper does in one cargo build.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The user's own workspace wrapper.
    pub(super) chain: Option<PathBuf>,
    /// The units to swap.
    pub(super) units: Vec<PlannedUnit>,
}

/// One unit to swap. Other units of the same package (tests, build scripts, a binary beside the
/// library) are left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlannedUnit {
    /// Absolute path of the root file.
    pub(super) root: PathBuf,
    /// The crate's name.
    pub(super) crate_name: String,
    /// Whether it is built as an executable.
    pub(super) bin: bool,
    /// Absolute path of the instrumented root file.
    pub(super) swapped: PathBuf,
    /// Names of the libraries that the instrumented code calls. A unit that is compiled without
    /// one of them (the same library built for a build script, with fewer features) is not meant.
    pub(super) libraries: Vec<String>,
    /// How to find tools that only expansion shows.
    pub(super) expansion: Option<Expansion>,
    /// How to tell that the unit was swapped.
    pub(super) stamp: Stamp,
}

/// The proof that a unit was swapped: an executable without one is the user's own, and running
/// that would run their `main`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    /// The file.
    pub(super) path: PathBuf,
    /// Its text: the hash of the probe.
    pub(super) text: String,
}

impl Stamp {
    /// Whether the last swap was of this probe.
    pub(super) fn holds(&self) -> bool {
        std::fs::read_to_string(&self.path).is_ok_and(|text| text == self.text)
    }

    /// Takes the stamp away, so that only a swap brings it back; returns whether it held.
    pub(super) fn take(&self) -> io::Result<bool> {
        let held = self.holds();
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(held),
        }
    }

    /// Records a swap.
    pub(super) fn set(&self) -> io::Result<()> {
        write_if_changed(&self.path, &self.text)
    }
}

/// Runs this process as the wrapper, where cargo started it as one.
pub(super) fn run() -> Option<ExitCode> {
    let plan = std::env::var_os(PLAN_VAR)?;
    let mut args = std::env::args_os().skip(1);
    let rustc = args.next().filter(|rustc| is_program(rustc))?;
    Some(wrap(&plan, rustc, args.collect()).unwrap_or_else(|message| {
        eprintln!("error: cargo-mcp-semver {message}");
        ExitCode::from(101)
    }))
}

/// Whether the first argument is a compiler rather than a subcommand: the variable is inherited by
/// whatever cargo starts, and that may be this very command.
fn is_program(arg: &OsStr) -> bool {
    let path = Path::new(arg);
    path.components().count() > 1
        || path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains("rustc"))
}

fn wrap(plan: &OsStr, rustc: OsString, given: Vec<OsString>) -> Result<ExitCode, String> {
    let plan = load(plan)?;
    let command = || {
        let mut command = Command::new(plan.chain.as_deref().unwrap_or(rustc.as_ref()));
        if plan.chain.is_some() {
            command.arg(&rustc);
        }
        command
    };
    let cwd = std::env::current_dir().map_err(|error| format!("no working directory: {error}"))?;
    let flat = flatten(&given)?;
    let mut compile = command();
    match planned(&plan, &flat, &cwd) {
        None => compile.args(&given),
        Some((unit, root)) => {
            if let Some(expansion) = &unit.expansion {
                let mut expand = command();
                expansion.expand(unit, expand.args(expanding(&flat)))?;
            }
            unit.stamp
                .set()
                .map_err(|error| format!("cannot write {}: {error}", unit.stamp.path.display()))?;
            let args = swapped(&flat, root, unit);
            if flat == given {
                compile.args(args)
            } else {
                compile.arg(argument_file(&args, unit)?)
            }
        }
    };
    execute(compile)
}

fn load(plan: &OsStr) -> Result<Plan, String> {
    if plan.is_empty() {
        return Ok(Plan::default());
    }
    let path = Path::new(plan);
    let fail = |error: &dyn std::fmt::Display| {
        format!("the plan {} cannot be read: {error}", path.display())
    };
    let text = std::fs::read(path).map_err(|error| fail(&error))?;
    serde_json::from_slice(&text).map_err(|error| fail(&error))
}

/// The arguments with argument files read: `@path`, which cargo writes when a command line is too
/// long, one argument a line.
fn flatten(given: &[OsString]) -> Result<Vec<OsString>, String> {
    let mut flat = Vec::with_capacity(given.len());
    for arg in given {
        match arg.to_str().and_then(|arg| arg.strip_prefix('@')) {
            None => flat.push(arg.clone()),
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| format!("the argument file {path} cannot be read: {error}"))?;
                flat.extend(text.lines().map(OsString::from));
            }
        }
    }
    Ok(flat)
}

/// Writes an argument file for the unit; returns the argument that names it.
fn argument_file(args: &[OsString], unit: &PlannedUnit) -> Result<OsString, String> {
    let path = unit.swapped.with_extension("args");
    let lines: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
    std::fs::write(&path, lines.join("\n"))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let mut arg = OsString::from("@");
    arg.push(path);
    Ok(arg)
}

/// The planned unit that a rustc call compiles, and which of its arguments is the root file.
fn planned<'p>(plan: &'p Plan, args: &[OsString], cwd: &Path) -> Option<(&'p PlannedUnit, usize)> {
    let name = values(args, "--crate-name").next()?;
    let types: Vec<&str> =
        values(args, "--crate-type").flat_map(|types| types.split(',')).collect();
    if types.contains(&"proc-macro") || args.iter().any(|arg| arg == "--test") {
        return None;
    }
    // `name=path`, with options and a colon before the name.
    let externs: Vec<&str> = values(args, "--extern")
        .filter_map(|value| value.split('=').next()?.rsplit(':').next())
        .collect();
    plan.units.iter().find_map(|unit| {
        let root = args.iter().position(|arg| same_file(&cwd.join(arg), &unit.root))?;
        let same = unit.crate_name == name
            && unit.bin == types.contains(&"bin")
            && unit.libraries.iter().all(|library| externs.contains(&library.as_str()));
        same.then_some((unit, root))
    })
}

/// Whether two paths name one file, perhaps one of them through a link.
fn same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    one == other
        || one.file_name() == other.file_name()
            && real(one).is_some_and(|one| Some(one) == real(other))
}

/// The values of an option, written `--name value` or `--name=value`.
fn values<'a>(args: &'a [OsString], name: &'a str) -> impl Iterator<Item = &'a str> {
    args.iter().enumerate().filter_map(move |(at, arg)| {
        let arg = arg.to_str()?;
        if arg == name {
            return args.get(at + 1)?.to_str();
        }
        arg.strip_prefix(name)?.strip_prefix('=')
    })
}

/// The arguments that compile the instrumented copy.
fn swapped(args: &[OsString], root: usize, unit: &PlannedUnit) -> Vec<OsString> {
    let mut args = args.to_vec();
    // `file!()` says what it says without us: the path as cargo gave it.
    let given = PathBuf::from(&args[root]);
    let mirror = unit.swapped.ancestors().nth(given.components().count());
    if let Some(mirror) = mirror.filter(|_| unit.swapped.ends_with(&given)) {
        let mut remap = mirror.join("").into_os_string();
        remap.push("=");
        args.extend(["--remap-path-prefix".into(), remap]);
    }
    args[root] = unit.swapped.clone().into();
    let mut args = without(&args, |arg, _| takes(arg, "--cap-lints"));
    // Lints do not concern the probe, not even those that forbid `unsafe_code`; and most of the
    // time to link would go into debug information that nobody reads.
    args.extend(["--cap-lints", "allow", "-Cdebuginfo=0"].map(OsString::from));
    if unit.bin {
        args.push("-Cstrip=debuginfo".into());
    }
    args
}

/// The arguments that print the expanded source and compile nothing.
fn expanding(args: &[OsString]) -> Vec<OsString> {
    let mut args = without(args, |arg, next| match (arg, next) {
        ("-C", Some(next)) if next.starts_with("incremental=") => 2,
        (arg, _) if arg.starts_with("-Cincremental=") => 1,
        (arg, _) => takes(arg, "--emit"),
    });
    args.extend(["--cap-lints", "allow", "-Zunpretty=expanded"].map(OsString::from));
    args
}

/// How many arguments the option `name` takes up where `arg` stands: itself and its value, itself
/// with its value, or none.
fn takes(arg: &str, name: &str) -> usize {
    match arg.strip_prefix(name) {
        Some("") => 2,
        Some(value) if value.starts_with('=') => 1,
        _ => 0,
    }
}

/// The arguments without those that `drop` counts, asked for each argument and the next one.
fn without(args: &[OsString], drop: impl Fn(&str, Option<&str>) -> usize) -> Vec<OsString> {
    let mut kept = Vec::with_capacity(args.len());
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let next = args.get(at + 1).and_then(|next| next.to_str());
        match arg.to_str().map_or(0, |arg| drop(arg, next)) {
            0 => {
                kept.push(arg.clone());
                at += 1;
            }
            dropped => at += dropped,
        }
    }
    kept
}

/// Becomes the command where the system can do that, else runs it.
fn execute(mut command: Command) -> Result<ExitCode, String> {
    let program = PathBuf::from(command.get_program());
    let failed = |error: std::io::Error| format!("{CANNOT_RUN} {}: {error}", program.display());
    #[cfg(unix)]
    {
        Err(failed(std::os::unix::process::CommandExt::exec(&mut command)))
    }
    #[cfg(not(unix))]
    {
        let status = command.status().map_err(failed)?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(101).into())
    }
}

#[cfg(test)]
#[path = "tests/wrapper.rs"]
mod tests;
