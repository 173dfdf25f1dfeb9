//! Packages whose tools are given, so that commands are tested without a build.

use std::path::Path;

use mcp_semver_build::{Catalogue, Contract};
use serde_json::{Value, json};

use crate::cli::args::Talk;
use crate::cli::servers::Pinned;
use crate::cli::shell::Shell;
use crate::report::Remedy;
use crate::source::Sourced;
use crate::source::build::{BuildRequest, Server};

pub(super) fn quiet() -> Shell {
    Shell::new(Talk { verbose: 0, quiet: true, color: None })
}

/// A package at `version` in `directory` with one tool of this name and description.
pub(super) fn package(directory: &Path, version: &str, tool: &str, description: &str) -> Pinned {
    let contract = Contract::from_wire(json!({"name": tool, "description": description})).unwrap();
    Pinned {
        server: Server {
            name: "my-server".into(),
            version: version.parse().unwrap(),
            manifest_path: directory.join("Cargo.toml"),
            metadata: Value::Null,
            workspace_manifest_path: directory.join("Cargo.toml"),
            workspace_metadata: Value::Null,
            hooked_script: None,
            sourced: Sourced {
                catalogue: Catalogue::new([contract]).unwrap(),
                ..Sourced::default()
            },
        },
        declared: None,
        cargo_flags: Vec::new(),
        request: BuildRequest::default(),
        source: None,
        lockfile: directory.join("tool-versions.lock.yaml"),
        remedy: Remedy {
            manifest: Some("Cargo.toml".into()),
            shared_version: false,
            lock_command: "cargo mcp-semver lock".into(),
        },
    }
}
