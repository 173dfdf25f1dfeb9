//! Where the tools come from when they are not built: a dump, a command, a URL.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{ArgGroup, Args, ValueEnum};

use crate::cli::args::Build;
use crate::cli::error::CommandError;
use crate::cli::shell::Shell;
use crate::source::Sourced;
use crate::source::serve::{self, Endpoint, Header, Limit, Limits, Program};

/// Headers for `--url`, one a line.
const HEADERS: &str = "MCP_SEMVER_HEADERS";

/// `--tools`, `--serve`, `--url`.
#[derive(Debug, Default, Args)]
#[command(
    group = ArgGroup::new("elsewhere"),
    next_help_heading = "Source (default: build the package)"
)]
pub struct SourceArgs {
    /// How the package is read: `build` compiles it, `scan` evaluates its source and compiles nothing
    #[arg(long, value_name = "build|scan", value_enum, conflicts_with = "elsewhere")]
    pub source: Option<PackageSource>,
    /// Go on without the tools that a scan does not resolve: they are not checked and stay as locked
    #[arg(long, requires = "source")]
    pub allow_unresolved: bool,
    /// Read the tools from a `tools/list` dump; `-` is standard input
    #[arg(long, value_name = "FILE", group = "elsewhere")]
    pub tools: Option<PathBuf>,
    /// Start the package's own binary, or the command after `--`, and ask it over stdio
    #[arg(long, group = "elsewhere")]
    pub serve: bool,
    /// Ask the server at this URL over streamable HTTP
    #[arg(long, value_name = "URL", group = "elsewhere")]
    pub url: Option<Secret>,
    /// Header for --url, never shown; more in MCP_SEMVER_HEADERS, one a line
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    pub header: Vec<Secret>,
    /// Limit for --serve and --url: answer-seconds, total-seconds, message-bytes, total-bytes, pages or tools
    #[arg(long, value_name = "NAME=N")]
    pub limit: Vec<Limit>,
    /// Command that starts the server, for --serve
    #[arg(last = true, value_name = "COMMAND", requires = "serve")]
    pub command: Vec<OsString>,
}

/// `--source`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PackageSource {
    /// Compile the package with a probe
    Build,
    /// Evaluate its source
    Scan,
}

/// A value that is not shown.
#[derive(Clone)]
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

impl FromStr for Secret {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

/// Which of the sources the flags name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The package is built.
    Build,
    /// The package's source is evaluated.
    Scan,
    /// The package's own binary is started.
    Own,
    /// Something that need not be the package's: a dump, a command, a URL.
    Other,
}

impl SourceArgs {
    /// Which source is meant.
    pub(super) fn kind(&self) -> Kind {
        match (self.serve && self.command.is_empty(), self.serve || self.url.is_some()) {
            (true, _) => Kind::Own,
            (false, true) => Kind::Other,
            (false, false) if self.tools.is_some() => Kind::Other,
            (false, false) if self.source == Some(PackageSource::Scan) => Kind::Scan,
            (false, false) => Kind::Build,
        }
    }

    /// Whether the tools come from standard input.
    pub(super) fn is_stdin(&self) -> bool {
        self.tools.as_deref() == Some(Path::new("-"))
    }

    /// What a person calls the source; absent for a build.
    pub(super) fn name(&self) -> Option<String> {
        let url = self.url.as_ref().map(|url| self.endpoint(url, Vec::new()).origin());
        let command = self.command.first().map(|program| program.display().to_string());
        let file = || match (self.is_stdin(), &self.tools) {
            (true, _) => Some("standard input".to_owned()),
            (false, tools) => tools.as_ref().map(|path| path.display().to_string()),
        };
        url.or(command).or_else(file)
    }

    /// Reads a dump, a command's tools, or a URL's.
    pub(super) fn read(&self, shell: Shell) -> Result<Sourced, CommandError> {
        let sourced = match (&self.tools, &self.url, self.command.split_first()) {
            (Some(path), ..) => {
                let catalogue = crate::baseline::read_dump(path)?;
                Sourced { catalogue, ..Sourced::default() }
            }
            (None, Some(url), _) => {
                let endpoint = self.endpoint(url, self.headers()?);
                shell.status("Asking", &endpoint.origin());
                serve::http(&endpoint, Limits::with(&self.limit))?
            }
            (None, None, command) => {
                let (program, args) =
                    command.map(|(program, args)| (program.clone(), args)).unwrap_or_default();
                return self.start(&Program { program, args: args.to_vec(), cwd: None }, shell);
            }
        };
        self.some(sourced)
    }

    /// Starts a program and reads its tools.
    pub(super) fn start(&self, program: &Program, shell: Shell) -> Result<Sourced, CommandError> {
        shell.status("Starting", &program.to_string());
        self.some(serve::stdio(program, Limits::with(&self.limit))?)
    }

    /// No tool at all is no catalogue to check or lock.
    fn some(&self, sourced: Sourced) -> Result<Sourced, CommandError> {
        if sourced.catalogue.is_empty() {
            let name = self.name().unwrap_or_else(|| "the server".to_owned());
            return Err(CommandError::NoTools { name });
        }
        Ok(sourced)
    }

    fn endpoint(&self, url: &Secret, headers: Vec<Header>) -> Endpoint {
        Endpoint { url: url.0.clone(), headers }
    }

    fn headers(&self) -> Result<Vec<Header>, CommandError> {
        let environment = std::env::var(HEADERS).unwrap_or_default();
        let lines = environment.lines().map(str::trim).filter(|line| !line.is_empty());
        let texts = self.header.iter().map(|header| header.0.as_str()).chain(lines);
        Ok(texts.map(Header::from_str).collect::<Result<_, _>>()?)
    }

    /// The flags, for a command that a person is told to run. What may hold a token is left out.
    pub(super) fn flags(&self) -> String {
        let mut flags = String::new();
        if self.kind() == Kind::Scan {
            flags += " --source scan";
        }
        if self.allow_unresolved {
            flags += " --allow-unresolved";
        }
        if let Some(path) = &self.tools {
            flags += &format!(" --tools {}", crate::report::quoted(&path.to_string_lossy()));
        }
        if self.url.is_some() {
            flags += " --url ..";
        }
        if self.serve {
            flags += " --serve";
        }
        if let Some((program, args)) = self.command.split_first() {
            flags += &format!(" -- {}", crate::report::quoted(&program.to_string_lossy()));
            flags += if args.is_empty() { "" } else { " .." };
        }
        flags
    }
}

/// Whether there is a Cargo.toml that the flags name or that cargo would find.
pub(super) fn has_manifest(build: &Build) -> bool {
    let here = std::env::current_dir().unwrap_or_default();
    build.manifest.manifest_path.is_some()
        || !build.workspace.package.is_empty()
        || here.ancestors().any(|directory| directory.join("Cargo.toml").is_file())
}

/// `--declared`, `--generated-for`.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Identity")]
pub struct IdentityArgs {
    /// Versions of tools, a YAML map `tool: version`, instead of those in Cargo.toml
    #[arg(long, value_name = "FILE")]
    pub declared: Option<PathBuf>,
    /// What the lockfile is for when it is not the package here, whose version then gates nothing
    #[arg(long, value_name = "NAME")]
    pub generated_for: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::{Cli, Command};

    fn source(arguments: &[&str]) -> SourceArgs {
        let arguments = ["cargo-mcp-semver", "list"].iter().chain(arguments);
        let Command::List(list) = Cli::try_parse_from(arguments).unwrap().command else {
            unreachable!("`list` was given")
        };
        list.source
    }

    #[test]
    fn each_source_is_told_apart() {
        for (arguments, kind, name, flags) in [
            (&[][..], Kind::Build, None, ""),
            (&["--tools", "-"], Kind::Other, Some("standard input"), " --tools -"),
            (&["--tools", "a b"], Kind::Other, Some("a b"), " --tools 'a b'"),
            (&["--source", "build"], Kind::Build, None, ""),
            (&["--source", "scan"], Kind::Scan, None, " --source scan"),
            (
                &["--source", "scan", "--allow-unresolved"],
                Kind::Scan,
                None,
                " --source scan --allow-unresolved",
            ),
            (&["--serve"], Kind::Own, None, " --serve"),
            (&["--serve", "--", "npx"], Kind::Other, Some("npx"), " --serve -- npx"),
            (
                &["--serve", "--", "npx", "--key", "k"],
                Kind::Other,
                Some("npx"),
                " --serve -- npx ..",
            ),
            (&["--url", "https://u:p@h:8/k?t"], Kind::Other, Some("https://h:8"), " --url .."),
        ] {
            let source = source(arguments);
            assert_eq!(source.kind(), kind, "{arguments:?}");
            assert_eq!(source.name().as_deref(), name, "{arguments:?}");
            assert_eq!(source.flags(), flags, "{arguments:?}");
        }
    }

    #[test]
    fn what_may_be_secret_is_not_shown() {
        let source = source(&["--url", "https://h/secret", "--header", "A: secret"]);
        assert!(!format!("{source:?}").contains("secret"), "{source:?}");
        let endpoint = source.endpoint(source.url.as_ref().unwrap(), source.headers().unwrap());
        assert!(!format!("{endpoint:?}").contains("secret"), "{endpoint:?}");
    }
}
