//! The `cargo-mcp-semver` command.

/// A big catalogue is some million small allocations, a quarter of the time with the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cargo_mcp_semver::source::build::wrapper().unwrap_or_else(cargo_mcp_semver::cli::main)
}
