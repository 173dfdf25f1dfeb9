//! What to build, in cargo's own terms.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Which target of a package to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TargetChoice {
    /// The one that serves tools, found in the source.
    #[default]
    Auto,
    /// The library.
    Lib,
    /// The binary of this name.
    Bin(String),
}

/// A request for the catalogues of the servers of a workspace. Every field means what cargo's flag
/// of that name means; the default is `cargo build` in the current directory.
#[derive(Debug, Clone)]
pub struct BuildRequest {
    /// `--manifest-path`.
    pub manifest_path: Option<PathBuf>,
    /// `-p`: package names, `name@version`, or globs.
    pub packages: Vec<String>,
    /// `--workspace`.
    pub workspace: bool,
    /// `--exclude`: as [`BuildRequest::packages`].
    pub exclude: Vec<String>,
    /// `--lib`, `--bin`.
    pub target: TargetChoice,
    /// `--features`: names, separated by commas or spaces within one entry.
    pub features: Vec<String>,
    /// `--all-features`.
    pub all_features: bool,
    /// `--no-default-features`.
    pub no_default_features: bool,
    /// `--profile`; `release` for `--release`.
    pub profile: Option<String>,
    /// `--jobs`: whatever cargo accepts.
    pub jobs: Option<String>,
    /// `--target-dir`.
    pub target_dir: Option<PathBuf>,
    /// `--locked`.
    pub locked: bool,
    /// `--offline`.
    pub offline: bool,
    /// `--frozen`.
    pub frozen: bool,
    /// `--config`: `key=value` or a file.
    pub config: Vec<String>,
    /// `--quiet`.
    pub quiet: bool,
    /// How often `--verbose` was given.
    pub verbose: u8,
    /// `--color always` or `never`; `None` follows the terminal.
    pub color: Option<bool>,
    /// How long a probe may run before it is stopped.
    pub timeout: Duration,
}

impl Default for BuildRequest {
    fn default() -> Self {
        Self {
            manifest_path: None,
            packages: Vec::new(),
            workspace: false,
            exclude: Vec::new(),
            target: TargetChoice::Auto,
            features: Vec::new(),
            all_features: false,
            no_default_features: false,
            profile: None,
            jobs: None,
            target_dir: None,
            locked: false,
            offline: false,
            frozen: false,
            config: Vec::new(),
            quiet: false,
            verbose: 0,
            color: None,
            timeout: Duration::from_secs(60),
        }
    }
}

impl BuildRequest {
    /// The features asked for, one by one.
    pub(super) fn feature_names(&self) -> impl Iterator<Item = &str> {
        self.features
            .iter()
            .flat_map(|entry| entry.split([',', ' ', '\t']))
            .filter(|f| !f.is_empty())
    }

    /// The flags every cargo command takes.
    pub(super) fn common_args(&self) -> Vec<OsString> {
        let mut args: Vec<OsString> = Vec::new();
        let flags =
            [(self.locked, "--locked"), (self.offline, "--offline"), (self.frozen, "--frozen")];
        args.extend(flags.into_iter().filter(|(on, _)| *on).map(|(_, flag)| flag.into()));
        for config in &self.config {
            args.extend(["--config".into(), config.into()]);
        }
        args
    }

    /// Whether diagnostics are rendered with colours.
    pub(super) fn colored(&self) -> bool {
        self.color.unwrap_or_else(|| {
            anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never
        })
    }
}
