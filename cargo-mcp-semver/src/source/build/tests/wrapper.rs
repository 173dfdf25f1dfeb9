use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::*;

fn args(text: &str) -> Vec<OsString> {
    text.split_whitespace().map(OsString::from).collect()
}

fn unit(root: &str, crate_name: &str, bin: bool) -> PlannedUnit {
    PlannedUnit {
        root: root.into(),
        crate_name: crate_name.into(),
        bin,
        swapped: format!("/o{root}").into(),
        libraries: Vec::new(),
        expansion: None,
        stamp: Stamp { path: "/stamp".into(), text: "h".into() },
    }
}

fn is_planned(units: Vec<PlannedUnit>, line: &str) -> Option<PathBuf> {
    let plan = Plan { chain: None, units };
    let args = args(line);
    planned(&plan, &args, Path::new("/ws")).map(|(unit, root)| {
        assert!(Path::new(&args[root]).ends_with("src/main.rs") || args[root] == "src/lib.rs");
        unit.swapped.clone()
    })
}

#[test]
fn the_planned_units_are_found_and_no_others() {
    let bin = || vec![unit("/ws/src/main.rs", "my_server", true)];
    let found = Some(PathBuf::from("/o/ws/src/main.rs"));
    let line =
        "--crate-name my_server --edition=2024 src/main.rs --crate-type bin --cap-lints warn";
    assert_eq!(is_planned(bin(), line), found);
    assert_eq!(is_planned(bin(), &line.replace("src/main.rs", "/ws/src/main.rs")), found);
    assert_eq!(is_planned(bin(), &line.replace("--crate-type bin", "--crate-type=bin")), found);
    for other in [
        line.replace("--crate-type bin", "--test"),
        line.replace("--crate-type bin", "--crate-type lib"),
        line.replace("--crate-type bin", "--crate-type proc-macro"),
        line.replace("my_server", "build_script_main"),
        line.replace("src/main.rs", "other/src/main.rs"),
        line.replace("src/main.rs", "-"),
        "-vV".to_owned(),
        "- --crate-name ___ --print=file-names --crate-type bin --print=cfg".to_owned(),
    ] {
        assert_eq!(is_planned(bin(), &other), None, "{other}");
    }
}

#[test]
fn a_library_and_a_binary_with_one_name_are_told_apart() {
    let units = vec![unit("/ws/src/main.rs", "same", true), unit("/ws/src/lib.rs", "same", false)];
    let lib = "--crate-name same src/lib.rs --crate-type lib --crate-type cdylib";
    assert_eq!(is_planned(units.clone(), lib), Some("/o/ws/src/lib.rs".into()));
    let bin = "--crate-name same src/main.rs --crate-type bin";
    assert_eq!(is_planned(units, bin), Some("/o/ws/src/main.rs".into()));
}

#[test]
fn a_unit_without_the_libraries_it_would_call_is_not_meant() {
    let mut lib = unit("/ws/src/lib.rs", "api", false);
    lib.libraries = vec!["core_tools".into()];
    let line = "--crate-name api src/lib.rs --crate-type lib --extern serde=/d/libserde.rlib";
    assert_eq!(is_planned(vec![lib.clone()], line), None);
    for with in ["--extern core_tools=/d/x.rlib", "--extern=priv:core_tools=/d/x.rlib"] {
        assert!(is_planned(vec![lib.clone()], &format!("{line} {with}")).is_some(), "{with}");
    }
}

#[test]
fn lints_and_debug_information_go_and_the_rest_stays() {
    let line = "--crate-name s src/main.rs --crate-type bin --cap-lints warn -C debuginfo=2 \
                --cap-lints=deny -L dependency=/d --extern a=b";
    let unit = unit("/ws/src/main.rs", "s", true);
    let expected = "--crate-name s /o/ws/src/main.rs --crate-type bin -C debuginfo=2 \
                    -L dependency=/d --extern a=b --remap-path-prefix /o/ws/= \
                    --cap-lints allow -Cdebuginfo=0 -Cstrip=debuginfo";
    assert_eq!(swapped(&args(line), 2, &unit), args(expected));
}

#[test]
fn expansion_compiles_nothing() {
    let line = "--crate-name s src/main.rs --emit=dep-info,link -C incremental=/i -C metadata=1 \
                --emit link -Cincremental=/i --out-dir /d";
    let expected = "--crate-name s src/main.rs -C metadata=1 --out-dir /d --cap-lints allow \
                    -Zunpretty=expanded";
    assert_eq!(expanding(&args(line)), args(expected));
}

#[test]
fn argument_files_are_read_and_written() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("args");
    std::fs::write(&file, "--crate-name\ns\n/with space/main.rs\n").unwrap();
    let given = vec![OsString::from(format!("@{}", file.display()))];
    let flat = flatten(&given).unwrap();
    assert_eq!(flat, ["--crate-name", "s", "/with space/main.rs"].map(OsString::from));
    let mut unit = unit("/ws/src/main.rs", "s", true);
    unit.swapped = dir.path().join("main.rs");
    let written = argument_file(&flat, &unit).unwrap();
    assert_eq!(flatten(&[written]).unwrap(), flat);
    let error = flatten(&args("@/nowhere/args")).unwrap_err();
    assert!(error.contains("/nowhere/args"), "{error}");
}

#[test]
fn a_plan_that_cannot_be_read_is_an_error() {
    assert_eq!(load(OsStr::new("")).unwrap(), Plan::default());
    let error = load(OsStr::new("/nowhere/plan.json")).unwrap_err();
    assert!(error.contains("/nowhere/plan.json"), "{error}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("plan.json");
    std::fs::write(&path, "{\"chain\":").unwrap();
    assert!(load(path.as_os_str()).is_err());
    let plan = Plan { chain: Some("/w".into()), units: vec![unit("/a", "a", true)] };
    std::fs::write(&path, serde_json::to_string(&plan).unwrap()).unwrap();
    assert_eq!(load(path.as_os_str()).unwrap(), plan);
}

#[test]
fn a_compiler_is_told_from_a_subcommand() {
    for program in ["rustc", "/usr/bin/rustc", "rustc.exe", "./my-compiler", "clippy/rustc-nightly"]
    {
        assert!(is_program(OsStr::new(program)), "{program}");
    }
    for word in ["mcp-semver", "check", "--help", "-"] {
        assert!(!is_program(OsStr::new(word)), "{word}");
    }
}

#[test]
fn a_stamp_holds_for_the_probe_that_set_it() {
    let dir = tempfile::tempdir().unwrap();
    let stamp = Stamp { path: dir.path().join("key"), text: "one".into() };
    assert!(!stamp.holds());
    stamp.set().unwrap();
    assert!(stamp.holds());
    assert!(stamp.take().unwrap());
    assert!(!stamp.holds() && !stamp.take().unwrap());
    stamp.set().unwrap();
    assert!(!Stamp { text: "two".into(), ..stamp }.holds());
}
