//! The `cargo-mcp-semver` command.

fn main() -> std::process::ExitCode {
    cargo_mcp_semver::source::build::wrapper().unwrap_or_else(cargo_mcp_semver::cli::main)
}
