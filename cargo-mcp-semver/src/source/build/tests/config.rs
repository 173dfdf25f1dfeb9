use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::CargoConfig;

/// A home, a directory `up/cwd`, and configuration files in them.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::create_dir_all(dir.path().join("up/cwd")).unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn wrapper(dir: &TempDir, cli: &[&str], vars: &[(&str, &str)]) -> Option<PathBuf> {
    let home = dir.path().join("home");
    let env = |name: &str| -> Option<OsString> {
        if name == "CARGO_HOME" {
            return Some(home.clone().into());
        }
        vars.iter().find(|(var, _)| *var == name).map(|(_, value)| value.into())
    };
    let cli: Vec<String> = cli.iter().map(|text| (*text).to_owned()).collect();
    let config = CargoConfig::read(&cli, &dir.path().join("up/cwd"), &env).unwrap();
    config.workspace_wrapper(&env)
}

const KEY: &str = "build.rustc-workspace-wrapper";

#[test]
fn nearer_files_win_and_paths_are_relative_to_them() {
    let home = ("home/config.toml", "[build]\nrustc-workspace-wrapper = \"from-home\"");
    let up = ("up/.cargo/config.toml", "build.rustc-workspace-wrapper = \"tools/up.sh\"");
    let near =
        ("up/cwd/.cargo/config.toml", "[build]\njobs = 1\nrustc-workspace-wrapper = \"./w\"");
    assert_eq!(wrapper(&tree(&[]), &[], &[]), None);
    assert_eq!(wrapper(&tree(&[home]), &[], &[]), Some("from-home".into()));
    let dir = tree(&[home, up]);
    assert_eq!(wrapper(&dir, &[], &[]), Some(dir.path().join("up/tools/up.sh")));
    let dir = tree(&[home, up, near]);
    assert_eq!(wrapper(&dir, &[], &[]), Some(dir.path().join("up/cwd/./w")));
    // The file without an extension is the older spelling, and cargo prefers it.
    let dir = tree(&[up, ("up/.cargo/config", "[build]\nrustc-workspace-wrapper = \"old\"")]);
    assert_eq!(wrapper(&dir, &[], &[]), Some("old".into()));
}

#[test]
fn the_command_line_wins_over_the_environment_and_that_over_files() {
    let dir = tree(&[
        ("up/.cargo/config.toml", "[build]\nrustc-workspace-wrapper = \"file\""),
        ("up/cwd/extra.toml", "[build]\nrustc-workspace-wrapper = \"extra\""),
    ]);
    let build = ("CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER", "env");
    let cli = format!("{KEY}=\"cli\"");
    assert_eq!(wrapper(&dir, &[], &[build]), Some("env".into()));
    assert_eq!(wrapper(&dir, &[&cli], &[build]), Some("cli".into()));
    assert_eq!(wrapper(&dir, &[&cli, "extra.toml"], &[build]), Some("extra".into()));
    let direct = ("RUSTC_WORKSPACE_WRAPPER", "direct");
    assert_eq!(wrapper(&dir, &[&cli], &[build, direct]), Some("direct".into()));
    assert_eq!(wrapper(&dir, &[&cli], &[("RUSTC_WORKSPACE_WRAPPER", "")]), None);
}

#[test]
fn included_files_count_after_the_one_that_includes_them() {
    let dir = tree(&[
        ("up/.cargo/config.toml", "include = [\"a.toml\", { path = \"b.toml\" }]"),
        ("up/.cargo/a.toml", "[build]\nrustc-workspace-wrapper = \"a\""),
        ("up/.cargo/b.toml", "[build]\nrustc-workspace-wrapper = \"b\""),
    ]);
    assert_eq!(wrapper(&dir, &[], &[]), Some("b".into()));
    fs::write(dir.path().join("up/.cargo/b.toml"), "include = \"config.toml\"").unwrap();
    assert_eq!(wrapper(&dir, &[], &[]), Some("a".into()));
}

#[test]
fn a_broken_file_is_named() {
    let dir = tree(&[("up/.cargo/config.toml", "[build")]);
    let error = CargoConfig::read(&[], &dir.path().join("up/cwd"), &|_| None).unwrap_err();
    assert!(error.to_string().contains("up/.cargo/config.toml"), "{error}");
}

#[test]
fn the_first_of_several_targets_is_named() {
    let dir = tree(&[("up/.cargo/config.toml", "build.target = [\"wasm32-wasip1\", \"x\"]")]);
    let config = CargoConfig::read(&[], &dir.path().join("up/cwd"), &|_| None).unwrap();
    assert_eq!(config.build_target(&|_| None).unwrap(), "wasm32-wasip1");
    assert_eq!(config.build_target(&|_| Some("host".into())).unwrap(), "host");
}
