//! The command line's grammar. Flags that cargo has mean what they mean in cargo.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use crate::cli::baseline::{BaselineArgs, GateArgs};
use crate::cli::bump::Bump;
use crate::cli::format::{Format, ListingFormat, MessageFormat};
use crate::cli::generate::{Completions, Man};
use crate::cli::init::Init;
use crate::cli::publish::Publish;
use crate::cli::rules::{Explain, Rules};
use crate::cli::source::{IdentityArgs, SourceArgs};
use crate::source::build::{BuildRequest, TargetChoice};

/// Exit codes as `--help` shows them.
const EXIT_CODES: &str = "\
Exit codes:
    0  nothing changed, or the declared version covers the changes
    1  tools are only new or removed, and that is covered
    2  the declared version does not cover the changes, or a person has to confirm a text
  101  could not be checked: wrong usage, a failed build, an unreadable file, no tool found";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "cargo-mcp-semver",
    bin_name = "cargo mcp-semver",
    version,
    about = "cargo-semver-checks for the tools of an MCP server",
    long_about = "cargo-semver-checks for the tools of an MCP server.\n\n\
        Reads what an agent sees of each tool (name, description, schemas, annotations) out of the \
        crate, compares it with the committed tool-versions.lock.yaml, and fails when the version \
        in Cargo.toml does not cover what changed.",
    after_help = EXIT_CODES,
    styles = clap_cargo::style::CLAP_STYLING,
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// How to talk about it.
    #[command(flatten)]
    pub talk: Talk,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the first lockfile, and the hook in build.rs where it is wanted
    Init(Init),
    /// Compare the tools with the lockfile and fail when the version does not cover the changes
    #[command(after_help = EXIT_CODES)]
    Check(Check),
    /// Record the tools and their versions in the lockfile
    #[command(after_help = "\
Exit codes:
    0  the lockfile says what the tools are
    2  not written: the declared version does not cover the changes, or a person has to confirm a
       text
  101  not written: the tools or the old lockfile could not be read")]
    Lock(Lock),
    /// Raise the versions in Cargo.toml to the smallest ones that cover the changes
    #[command(after_help = "\
Exit codes:
    0  the versions cover the changes
  101  nothing was written: the tools or what they are compared with could not be read")]
    Bump(Bump),
    /// Run `cargo publish`, once the tools are locked, confirmed and covered by the version
    #[command(after_help = "\
Exit codes:
    0  published
    2  not published: the version does not cover the changes, they are not locked, or a person has
       to confirm a text
  101  not published: it could not be checked, or cargo failed")]
    Publish(Publish),
    /// Show the tools as an agent sees them
    List(List),
    /// Compare two `tools/list` dumps or lockfiles
    #[command(after_help = "\
Exit codes:
    0  nothing changed
    1  tools were only added or removed
    2  a tool changed
  101  could not be compared")]
    Diff(Diff),
    /// List what can be observed about a change, and what it weighs
    Rules(Rules),
    /// Explain one rule, with an example and how to set it
    Explain(Explain),
    /// Print the JSON Schema of the JSON report
    Schema,
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page
    Man(Man),
}

impl Command {
    /// The format of its report; absent for a command that reports no comparison.
    pub fn report_format(&self) -> Option<Format> {
        match self {
            Self::Check(Check { format, .. })
            | Self::Lock(Lock { format, .. })
            | Self::Diff(Diff { format, .. }) => Some(format.format),
            Self::Init(_)
            | Self::Bump(_)
            | Self::Publish(_)
            | Self::List(_)
            | Self::Rules(_)
            | Self::Explain(_)
            | Self::Schema
            | Self::Completions(_)
            | Self::Man(_) => None,
        }
    }
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Compare what --serve, --url or --tools gives with what the build declares: exit 2 where they differ
    #[arg(
        long,
        requires = "elsewhere",
        conflicts_with_all = ["path", "measured-against", "gate", "declared", "generated_for"]
    )]
    pub compare_build: bool,
    /// How to report.
    #[command(flatten)]
    pub format: MessageFormat,
    /// When versions must cover changes.
    #[command(flatten)]
    pub gate: GateArgs,
    /// The lockfile.
    #[command(flatten)]
    pub lockfile: Lockfile,
    /// What to compare with.
    #[command(flatten)]
    pub baseline: BaselineArgs,
    /// Where the tools come from.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Whose tools they are.
    #[command(flatten)]
    pub identity: IdentityArgs,
    /// What to build.
    #[command(flatten)]
    pub build: Build,
}

/// Arguments of `lock`.
#[derive(Debug, Args)]
pub struct Lock {
    /// Write the lockfile even if the version in Cargo.toml does not cover the changes
    #[arg(long)]
    pub force: bool,
    /// Confirm that the texts of this tool that tell a model what to do are read and meant
    #[arg(long, value_name = "TOOL")]
    pub confirm: Vec<String>,
    /// Decide about each change at the terminal; what is not accepted keeps its entry
    #[arg(long)]
    pub review: bool,
    /// How to report.
    #[command(flatten)]
    pub format: MessageFormat,
    /// The lockfile.
    #[command(flatten)]
    pub lockfile: Lockfile,
    /// What the version must cover the changes since.
    #[command(flatten)]
    pub baseline: BaselineArgs,
    /// When versions must cover changes.
    #[command(flatten)]
    pub gate: GateArgs,
    /// Where the tools come from.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Whose tools they are.
    #[command(flatten)]
    pub identity: IdentityArgs,
    /// What to build.
    #[command(flatten)]
    pub build: Build,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct List {
    /// How to report.
    #[command(flatten)]
    pub format: ListingFormat,
    /// Where the tools come from.
    #[command(flatten)]
    pub source: SourceArgs,
    /// What to build.
    #[command(flatten)]
    pub build: Build,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// Dump or lockfile to compare against; `-` is standard input
    pub old: PathBuf,
    /// Dump or lockfile that may have changed; `-` is standard input
    pub new: PathBuf,
    /// How to report.
    #[command(flatten)]
    pub format: MessageFormat,
}

/// `--lockfile`.
#[derive(Debug, Default, Args)]
pub struct Lockfile {
    /// Lockfile to use instead of tool-versions.lock.yaml beside Cargo.toml (one package only)
    #[arg(long = "lockfile", value_name = "PATH")]
    pub path: Option<PathBuf>,
}

/// What to build and how, in cargo's words.
#[derive(Debug, Args)]
pub struct Build {
    /// Which packages.
    #[command(flatten, next_help_heading = "Package Selection")]
    pub workspace: clap_cargo::Workspace,
    /// Read the tools of the library
    #[arg(long, conflicts_with = "bin", help_heading = "Target Selection")]
    pub lib: bool,
    /// Read the tools of this binary
    #[arg(long, value_name = "NAME", help_heading = "Target Selection")]
    pub bin: Option<String>,
    /// Which features.
    #[command(flatten, next_help_heading = "Feature Selection")]
    pub features: clap_cargo::Features,
    /// Build with the release profile
    #[arg(short = 'r', long, conflicts_with = "profile", help_heading = "Compilation Options")]
    pub release: bool,
    /// Build with the given profile
    #[arg(long, value_name = "PROFILE-NAME", help_heading = "Compilation Options")]
    pub profile: Option<String>,
    /// Number of parallel jobs
    #[arg(
        short,
        long,
        value_name = "N",
        allow_hyphen_values = true,
        help_heading = "Compilation Options"
    )]
    pub jobs: Option<String>,
    /// Directory for all generated artifacts
    #[arg(long, value_name = "DIRECTORY", help_heading = "Compilation Options")]
    pub target_dir: Option<PathBuf>,
    /// Where the workspace is.
    #[command(flatten, next_help_heading = "Manifest Options")]
    pub manifest: clap_cargo::Manifest,
    /// Assert that `Cargo.lock` will remain unchanged
    #[arg(long, help_heading = "Manifest Options")]
    pub locked: bool,
    /// Run without accessing the network
    #[arg(long, help_heading = "Manifest Options")]
    pub offline: bool,
    /// Equivalent to specifying both --locked and --offline
    #[arg(long, help_heading = "Manifest Options")]
    pub frozen: bool,
    /// Override a configuration value of cargo
    #[arg(long, value_name = "KEY=VALUE|PATH", help_heading = "Manifest Options")]
    pub config: Vec<String>,
}

/// How to talk to the person.
#[derive(Debug, Clone, Copy, Args)]
pub struct Talk {
    /// Show every change in full, and what cargo does (-vv for more)
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Show only what fails and the result
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Colours: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", value_enum, hide_possible_values = true)]
    pub color: Option<Color>,
}

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal that has them
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Build {
    /// The flags that decide where and whether cargo looks for published packages.
    pub(crate) fn registry_flags(&self) -> Vec<String> {
        let offline = (self.offline || self.frozen).then(|| "--offline".to_owned());
        let config = self.config.iter().flat_map(|value| ["--config".to_owned(), value.clone()]);
        offline.into_iter().chain(config).collect()
    }

    /// The flags as `cargo package` and `cargo publish` take them: where the workspace is, and, to
    /// publish, which packages with which features.
    pub(crate) fn packaging_flags(&self, to_publish: bool) -> Vec<OsString> {
        let mut flags: Vec<OsString> = Vec::new();
        let mut add = |flag: &str, values: &[&OsStr]| {
            flags.push(flag.into());
            flags.extend(values.iter().map(OsString::from));
        };
        let Self { workspace, features, .. } = self;
        let switches = [
            (self.locked, "--locked"),
            (self.offline, "--offline"),
            (self.frozen, "--frozen"),
            (to_publish && (workspace.workspace || workspace.all), "--workspace"),
            (to_publish && features.all_features, "--all-features"),
            (to_publish && features.no_default_features, "--no-default-features"),
        ];
        switches.into_iter().filter(|(on, _)| *on).for_each(|(_, flag)| add(flag, &[]));
        self.config.iter().for_each(|value| add("--config", &[value.as_ref()]));
        if let Some(path) = &self.manifest.manifest_path {
            add("--manifest-path", &[path.as_ref()]);
        }
        if let Some(path) = &self.target_dir {
            add("--target-dir", &[path.as_ref()]);
        }
        if to_publish {
            workspace.package.iter().for_each(|spec| add("-p", &[spec.as_ref()]));
            workspace.exclude.iter().for_each(|spec| add("--exclude", &[spec.as_ref()]));
            features.features.iter().for_each(|names| add("--features", &[names.as_ref()]));
            self.jobs.iter().for_each(|jobs| add(&format!("--jobs={jobs}"), &[]));
        }
        flags
    }

    /// The same as a request to the `build` source.
    pub fn request(&self, talk: Talk) -> BuildRequest {
        let target = match (&self.bin, self.lib) {
            (Some(name), _) => TargetChoice::Bin(name.clone()),
            (None, true) => TargetChoice::Lib,
            (None, false) => TargetChoice::Auto,
        };
        BuildRequest {
            manifest_path: self.manifest.manifest_path.clone(),
            packages: self.workspace.package.clone(),
            workspace: self.workspace.workspace || self.workspace.all,
            exclude: self.workspace.exclude.clone(),
            target,
            features: self.features.features.clone(),
            all_features: self.features.all_features,
            no_default_features: self.features.no_default_features,
            profile: if self.release { Some("release".into()) } else { self.profile.clone() },
            jobs: self.jobs.clone(),
            target_dir: self.target_dir.clone(),
            locked: self.locked,
            offline: self.offline,
            frozen: self.frozen,
            config: self.config.clone(),
            quiet: talk.quiet,
            verbose: talk.verbose,
            color: talk.color.and_then(|color| match color {
                Color::Auto => None,
                Color::Always => Some(true),
                Color::Never => Some(false),
            }),
            ..BuildRequest::default()
        }
    }
}
