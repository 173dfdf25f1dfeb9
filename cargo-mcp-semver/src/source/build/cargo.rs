//! Starting the user's cargo.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::Metadata;
use cargo_platform::Cfg;

use super::request::BuildRequest;
use super::{BuildError, wrapper};

/// The user's cargo, and this program as its rustc wrapper.
#[derive(Debug, Clone)]
pub(super) struct Cargo {
    program: OsString,
    wrapper: PathBuf,
}

/// What code is compiled for.
#[derive(Debug)]
pub(super) struct Platform {
    /// The target triple.
    pub(super) triple: String,
    /// What a `cfg(..)` is asked of.
    pub(super) cfg: Vec<Cfg>,
}

/// The user's cargo, as the environment names it.
pub(crate) fn cargo_program() -> OsString {
    std::env::var_os("CARGO").filter(|cargo| !cargo.is_empty()).unwrap_or_else(|| "cargo".into())
}

impl Cargo {
    /// Cargo as the environment names it.
    pub(super) fn find() -> Result<Self, BuildError> {
        let wrapper = std::env::current_exe().map_err(|source| BuildError::File {
            action: "find",
            path: "the running program".into(),
            source,
        })?;
        Ok(Self { program: cargo_program(), wrapper })
    }

    /// Cargo without a wrapper, for tests: a test program is none.
    #[cfg(test)]
    pub(super) fn without_wrapper() -> Self {
        Self { program: "cargo".into(), wrapper: PathBuf::new() }
    }

    /// A cargo command as the user would start it.
    pub(super) fn plain(&self, subcommand: &str, request: &BuildRequest) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(subcommand).args(request.common_args());
        if let Some(path) = &request.manifest_path {
            command.arg("--manifest-path").arg(path);
        }
        command
    }

    /// A cargo command that runs this program as its workspace wrapper, with the plan at `plan`;
    /// without one nothing is swapped.
    pub(super) fn wrapped(
        &self,
        subcommand: &str,
        request: &BuildRequest,
        plan: Option<&Path>,
    ) -> Command {
        let mut command = self.plain(subcommand, request);
        command
            .env("RUSTC_WORKSPACE_WRAPPER", &self.wrapper)
            .env(wrapper::PLAN_VAR, plan.map_or(OsStr::new(""), Path::as_os_str));
        command
    }

    /// Runs `cargo metadata` for the request; with `platform`, only what that target needs.
    pub(super) fn metadata(
        &self,
        request: &BuildRequest,
        platform: Option<&str>,
    ) -> Result<Metadata, BuildError> {
        // The wrapper is set here as well because cargo caches what it learns of rustc by wrapper:
        // two commands that differ in it would each start rustc anew.
        let mut command = self.wrapped("metadata", request, None);
        command.args(["--format-version", "1"]);
        command.args(request.features.iter().flat_map(|features| ["--features", features]));
        let flags = [
            (request.all_features, "--all-features"),
            (request.no_default_features, "--no-default-features"),
        ];
        command.args(flags.into_iter().filter(|(on, _)| *on).map(|(_, flag)| flag));
        if let Some(platform) = platform {
            command.args(["--filter-platform", platform]);
        }
        if let Some(dir) = &request.target_dir {
            command.env("CARGO_TARGET_DIR", dir);
        }
        let output = command.output().map_err(|source| self.not_started(source))?;
        let stderr = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        if !output.status.success() {
            // The first is cargo's, the second this program's as its wrapper.
            let no_rustc = ["could not execute process", wrapper::CANNOT_RUN];
            return Err(if no_rustc.iter().any(|text| stderr.contains(text)) {
                BuildError::NoRustc { stderr }
            } else {
                BuildError::Metadata { stderr }
            });
        }
        serde_json::from_slice(&output.stdout).map_err(|error| BuildError::Metadata {
            stderr: format!("its output could not be understood: {error}"),
        })
    }

    /// The target triple of this machine.
    pub(super) fn host(&self) -> Result<String, BuildError> {
        let output = Command::new(&self.program).arg("-vV").output();
        let output = output.map_err(|source| self.not_started(source))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let triple = text.lines().find_map(|line| line.strip_prefix("host: "));
        triple
            .map(str::to_owned)
            .ok_or_else(|| BuildError::Metadata { stderr: "`cargo -vV` names no host".to_owned() })
    }

    /// What code is compiled for on this machine.
    pub(super) fn platform(&self) -> Result<Platform, BuildError> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let no_rustc = |stderr: String| BuildError::NoRustc { stderr };
        let output = Command::new(rustc).args(["--print", "cfg"]).output();
        let output = output.map_err(|error| no_rustc(error.to_string()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        // A newer rustc may print what is no condition of a dependency.
        let cfg: Vec<Cfg> = text.lines().filter_map(|line| line.parse().ok()).collect();
        if cfg.is_empty() {
            return Err(no_rustc(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(Platform { triple: self.host()?, cfg })
    }

    /// The error of a cargo that could not be started.
    pub(super) fn not_started(&self, source: io::Error) -> BuildError {
        BuildError::NoCargo { program: self.program.to_string_lossy().into_owned(), source }
    }
}
