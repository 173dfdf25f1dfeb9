//! How the author of a server goes on.

use std::path::PathBuf;

/// Where a version is raised and how it is locked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    /// The Cargo.toml that holds the version, as a person at the command line would write it;
    /// absent where there is no package.
    pub manifest: Option<PathBuf>,
    /// Whether the version stands in `[workspace.package]`, shared with other packages.
    pub shared_version: bool,
    /// The command that records the new contracts.
    pub lock_command: String,
}

impl Remedy {
    /// The command that records the new contracts whatever the version covers.
    pub fn force_command(&self) -> String {
        self.lock_command_with("--force")
    }

    /// The command that records the new contracts, and that a person has read what the texts of
    /// these tools tell a model.
    pub fn confirm_command<'a>(&self, tools: impl IntoIterator<Item = &'a str>) -> String {
        let flag = |tool: &str| {
            let sign = if tool.starts_with('-') { '=' } else { ' ' };
            format!("--confirm{sign}{}", quoted(tool))
        };
        let flags: Vec<String> = tools.into_iter().map(flag).collect();
        self.lock_command_with(&flags.join(" "))
    }

    fn lock_command_with(&self, flags: &str) -> String {
        match self.lock_command.split_once(" -- ") {
            Some((command, server)) => format!("{command} {flags} -- {server}"),
            None => format!("{} {flags}", self.lock_command),
        }
    }
}

/// An argument as a shell reads it back.
pub(crate) fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,:=@+\\".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_go_before_what_starts_the_server() {
        let remedy = |command: &str| Remedy {
            manifest: None,
            shared_version: false,
            lock_command: command.into(),
        };
        let serve = remedy("cargo mcp-semver lock --serve -- node a.js");
        assert_eq!(serve.force_command(), "cargo mcp-semver lock --serve --force -- node a.js");
        assert_eq!(
            remedy("cargo mcp-semver lock").confirm_command(["search", "it's", "-v"]),
            r"cargo mcp-semver lock --confirm search --confirm 'it'\''s' --confirm=-v"
        );
    }
}
