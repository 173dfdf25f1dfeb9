//! `--compare-build`: what is served against what is declared.

use crate::support::Copy;

#[test]
fn tools_that_are_removed_at_run_time_are_seen() {
    let copy = Copy::new("compare-build", &["article", "router-run-time"]);
    let compare = |package: &str, flags: &[&str]| {
        copy.run(&[&["check", "-p", package, "--serve", "--compare-build"], flags].concat())
    };
    let same = compare("article", &[]).expect(0);
    assert!(
        same.stdout.starts_with("article: declared by the build -> served: "),
        "{}",
        same.stdout
    );
    let differs = compare("router-run-time", &[]).expect(2);
    insta::assert_snapshot!(differs.stdout);
    let report = compare("router-run-time", &["--message-format", "json"]).expect(2).json();
    assert_eq!(report["exit_code"], 2);
}

#[test]
fn a_dump_is_compared_as_well() {
    let copy = Copy::new("compare-build-dump", &["article"]);
    let listed = copy.run(&["list", "-p", "article", "--message-format", "json"]).expect(0);
    copy.write("served.json", &listed.stdout);
    let compare = ["check", "-p", "article", "--compare-build", "--tools", "served.json"];
    copy.run(&compare).expect(0);
    let mut served = listed.json();
    served["tools"][0]["title"] = "Another title".into();
    copy.write("served.json", &served.to_string());
    copy.run(&compare).expect(2);
    let usage = copy.run(&["check", "-p", "article", "--compare-build"]).expect(101);
    assert!(usage.stderr.contains("--serve"), "{}", usage.stderr);
}
