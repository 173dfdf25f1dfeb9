use mcp_semver_build::{Catalogue, Contract};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::finding::Finding;
use crate::rules::contract_changed::RULE;

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

fn change(name: &str, status: Status, grades: &[Grade]) -> ToolChange {
    let finding = |grade: &Grade| Finding { grade: *grade, ..Finding::new(&RULE, String::new()) };
    let findings = grades.iter().map(finding).collect();
    ToolChange { name: name.into(), status, findings, old: None, new: None }
}

/// The tools `a` and `b` at 1.0.0, recorded for `pkg` at `package`.
fn baseline(package: Option<&str>) -> Baseline {
    let contracts = ["a", "b"].map(|name| Contract::from_wire(json!({"name": name})).unwrap());
    let mut baseline = Baseline::from(&Catalogue::new(contracts).unwrap());
    for tool in baseline.tools.values_mut() {
        tool.semver = Some(version("1.0.0"));
    }
    baseline.package = package.map(|text| ("pkg".to_owned(), version(text)));
    baseline
}

fn declared(package: Option<&str>, tools: Option<&[(&str, &str)]>) -> Declared {
    Declared {
        package: package.map(|text| ("pkg".to_owned(), version(text))),
        tools: tools.map(|tools| {
            tools.iter().map(|(name, text)| ((*name).to_owned(), version(text))).collect()
        }),
        ..Declared::default()
    }
}

use Grade::{Major, Minor, Patch};
use Status::{Added, Changed, Removed, Unchanged};
use Verdict::{Covered, Unlocked, Violation};

#[test]
fn the_package_step_decides() {
    for (from, to, status, grades, package, tool, exit) in [
        ("1.4.0", "1.4.0", Unchanged, &[][..], Covered, Covered, 0),
        ("1.4.0", "2.0.0", Unchanged, &[], Covered, Covered, 0),
        ("1.4.0", "1.4.0", Changed, &[Patch], Violation, Violation, 2),
        ("1.4.0", "1.4.1", Changed, &[Patch], Covered, Covered, 0),
        ("1.4.0", "1.4.1", Changed, &[Patch, Major, Minor], Violation, Violation, 2),
        ("1.4.0", "2.0.0", Changed, &[Patch, Major, Minor], Covered, Covered, 0),
        ("1.4.0", "1.4.0", Changed, &[Grade::None], Covered, Covered, 0),
        ("0.4.0", "0.4.1", Changed, &[Minor], Covered, Covered, 0),
        ("0.4.0", "0.4.1", Changed, &[Major], Violation, Violation, 2),
        ("0.4.0", "0.5.0", Changed, &[Major], Covered, Covered, 0),
        ("1.4.0", "1.5.0", Added, &[Minor], Covered, Unlocked, 1),
        ("1.4.0", "1.4.1", Added, &[Minor], Violation, Violation, 2),
        ("1.4.0", "2.0.0", Removed, &[Major], Covered, Verdict::Removed, 1),
        ("1.4.0", "1.5.0", Removed, &[Major], Violation, Violation, 2),
        ("1.4.0", "1.3.9", Unchanged, &[], Violation, Covered, 2),
        ("1.4.0", "1.4.0-rc.1", Changed, &[Patch], Violation, Violation, 2),
    ] {
        let outcome = decide(
            &baseline(Some(from)),
            &declared(Some(to), None),
            vec![change("a", status, grades), change("b", Unchanged, &[])],
        );
        let case = format!("{from} to {to}, {status:?} {grades:?}");
        assert_eq!(outcome.package.as_ref().unwrap().verdict, package, "{case}");
        assert_eq!(outcome.tools[0].verdict, tool, "{case}");
        assert_eq!(outcome.tools[1].verdict, Covered, "{case}");
        assert_eq!(outcome.exit_code, exit, "{case}");
    }
}

#[test]
fn what_only_a_release_has_to_cover_is_deferred_until_then() {
    for (to, deferred) in [("1.4.0", true), ("2.0.0", false)] {
        let declared = Declared { gate: Gate::Release, ..declared(Some(to), None) };
        let changes = vec![change("a", Changed, &[Major])];
        let outcome = decide(&baseline(Some("1.4.0")), &declared, changes);
        let package = outcome.package.unwrap();
        assert_eq!((package.verdict, package.deferred), (Covered, deferred), "{to}");
        assert_eq!((outcome.tools[0].verdict, outcome.exit_code), (Covered, 0), "{to}");
    }
}

#[test]
fn the_report_says_which_version_would_do() {
    let changes = vec![change("a", Changed, &[Minor]), change("b", Changed, &[Patch])];
    let outcome = decide(&baseline(Some("1.4.0")), &declared(Some("1.4.1"), None), changes);
    let package = outcome.package.unwrap();
    assert_eq!((package.required, package.declared), (Minor, Patch));
    assert_eq!(package.required_version, version("1.5.0"));
    assert_eq!(outcome.grade, Minor);
    assert_eq!(outcome.tools[1].verdict, Covered, "1.4.1 covers the patch of `b`");
}

#[test]
fn without_a_package_nothing_covers_a_change() {
    for (status, grades, verdict, exit) in [
        (Unchanged, &[][..], Covered, 0),
        (Changed, &[Grade::None], Covered, 0),
        (Changed, &[Patch], Violation, 2),
        (Added, &[Minor], Unlocked, 1),
        (Removed, &[Major], Violation, 2),
    ] {
        let changes = vec![change("a", status, grades)];
        let outcome = decide(&baseline(None), &Declared::default(), changes);
        assert_eq!(outcome.package, None);
        assert_eq!((outcome.tools[0].verdict, outcome.exit_code), (verdict, exit), "{status:?}");
    }
    // Whoever versions tools one by one takes out the entry of one that is meant to go.
    for (tools, verdict) in [(&[("b", "1.0.0")], Verdict::Removed), (&[("a", "1.0.0")], Violation)]
    {
        let changes = vec![change("a", Removed, &[Major])];
        let outcome = decide(&baseline(None), &declared(None, Some(tools)), changes);
        assert_eq!(outcome.tools[0].verdict, verdict);
    }
}

#[test]
fn a_baseline_that_does_not_say_its_package_version_covers_nothing() {
    for (status, grade) in [(Changed, Patch), (Added, Minor), (Removed, Major)] {
        let changes = vec![change("a", status, &[grade])];
        let outcome = decide(&baseline(None), &declared(Some("9.0.0"), None), changes);
        assert_eq!((outcome.tools[0].verdict, outcome.exit_code), (Violation, 2), "{status:?}");
        assert!(outcome.notes[0].contains("lock again"), "{:?}", outcome.notes);
    }
    let first = vec![change("a", Added, &[Minor])];
    let outcome = decide(&Baseline::default(), &declared(Some("0.1.0"), None), first);
    assert_eq!((outcome.exit_code, outcome.notes.len()), (1, 0));
}

#[test]
fn a_tool_with_a_version_of_its_own_is_judged_by_it() {
    for (tools, package, tool, exit) in [
        (&[("a", "2.0.0")][..], "2.0.0", Covered, 0),
        (&[("a", "1.1.0")], "2.0.0", Violation, 2),
        (&[("a", "2.0.0")], "1.4.1", Covered, 2),
        (&[("a", "0.9.0")], "2.0.0", Violation, 2),
        (&[], "2.0.0", Violation, 2),
    ] {
        let changes = vec![change("a", Changed, &[Major]), change("b", Unchanged, &[])];
        let declared = declared(Some(package), Some(tools));
        let outcome = decide(&baseline(Some("1.4.0")), &declared, changes);
        assert_eq!((outcome.tools[0].verdict, outcome.exit_code), (tool, exit), "{tools:?}");
        let versions = outcome.tools[0].versions.as_ref().unwrap();
        assert_eq!(versions.required, version("2.0.0"));
        assert_eq!(versions.declared.is_none(), tools.is_empty());
        assert_eq!(outcome.tools[1].versions, None);
    }
    let changes = vec![change("a", Changed, &[Major])];
    let outcome = decide(&baseline(None), &declared(None, Some(&[("a", "2.0.0")])), changes);
    assert_eq!((outcome.tools[0].verdict, outcome.exit_code), (Covered, 0));
}

#[test]
fn a_tool_whose_version_goes_back_is_no_pass() {
    let changes = || vec![change("a", Unchanged, &[]), change("b", Unchanged, &[])];
    for (tools, verdict, exit) in [
        (&[("a", "0.9.0")][..], Violation, 2),
        (&[("a", "1.0.0")], Covered, 0),
        (&[("a", "1.1.0"), ("b", "3.0.0")], Covered, 0),
        (&[], Covered, 0),
    ] {
        let outcome =
            decide(&baseline(Some("1.4.0")), &declared(Some("1.4.0"), Some(tools)), changes());
        assert_eq!((outcome.tools[0].verdict, outcome.exit_code), (verdict, exit), "{tools:?}");
    }
}

#[test]
fn a_version_of_a_tool_that_is_not_there_is_a_warning() {
    let declared = declared(Some("1.4.0"), Some(&[("b_tool", "1.0.0"), ("other", "1.0.0")]));
    let changes = vec![change("a", Unchanged, &[]), change("a_tool", Unchanged, &[])];
    assert_eq!(
        decide(&baseline(Some("1.4.0")), &declared, changes).warnings,
        [
            "a version is declared for `b_tool`, but there is no such tool; did you mean `a_tool`?",
            "a version is declared for `other`, but there is no such tool",
        ]
    );
}

#[test]
fn names_of_another_server_are_not_taken_for_slips() {
    let names: Vec<String> = (0..30).map(|number| format!("tool_{number}")).collect();
    let tools: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1.0.0")).collect();
    let declared = declared(Some("1.4.0"), Some(&tools));
    let changes = vec![change("tool_x", Unchanged, &[])];
    let warnings = decide(&baseline(Some("1.4.0")), &declared, changes).warnings;
    assert_eq!(warnings.len(), 30);
    assert!(warnings.iter().all(|warning| !warning.contains("did you mean")), "{warnings:#?}");
}

#[test]
fn notes_tell_what_is_no_finding() {
    let mut old = baseline(Some("1.4.0"));
    old.sdk.insert("rmcp".into(), version("3.10.0"));
    let mut now = declared(Some("1.3.0"), None);
    now.package.as_mut().unwrap().0 = "pkg".into();
    now.sdk.insert("rmcp".into(), version("3.11.0"));
    let changes = || vec![change("a", Changed, &[Patch]), change("b", Unchanged, &[])];
    let notes = decide(&old, &now, changes()).notes.join("\n");
    for part in ["version 1.3.0 is lower than 1.4.0", "rmcp went from 3.10.0 to 3.11.0"] {
        assert!(notes.contains(part), "{part:?} in {notes}");
    }
    now.package = Some(("renamed".into(), version("1.4.1")));
    let notes = decide(&old, &now, changes()).notes.join("\n");
    assert!(notes.contains("the package pkg, and this is renamed"), "{notes}");
    now = declared(Some("1.4.0"), None);
    now.sdk.insert("rmcp".into(), version("3.11.0"));
    let unchanged = vec![change("a", Unchanged, &[]), change("b", Unchanged, &[])];
    assert_eq!(decide(&old, &now, unchanged).notes, Vec::<String>::new());
}

fn any_change() -> impl Strategy<Value = ToolChange> {
    let status = prop::sample::select(&[Unchanged, Changed, Added, Removed][..]);
    let grade = prop::sample::select(&[Grade::None, Patch, Minor, Major][..]);
    (prop::sample::select(&["a", "b"][..]), status, grade).prop_map(|(name, status, grade)| {
        match status {
            Unchanged => change(name, status, &[]),
            Changed => change(name, status, &[grade]),
            Added => change(name, status, &[Minor]),
            Removed => change(name, status, &[Major]),
        }
    })
}

proptest! {
    /// The exit code is the worst verdict; a covered package has no violation among its tools, and
    /// one that is not has at least one.
    #[test]
    fn verdicts_and_exit_code_agree(
        changes in prop::collection::vec(any_change(), 0..4),
        from in prop::sample::select(&["1.4.0", "0.4.0", "0.0.4", "1.4.0-rc.1"][..]),
        to in prop::sample::select(&["1.4.0", "1.4.1", "1.5.0", "2.0.0", "0.4.1", "0.5.0"][..]),
    ) {
        let outcome = decide(&baseline(Some(from)), &declared(Some(to), None), changes);
        let package = outcome.package.unwrap();
        let violations = outcome.tools.iter().filter(|tool| tool.verdict == Violation).count();
        let downgrade = version(to) < version(from);
        prop_assert_eq!(package.verdict == Violation, violations > 0 || downgrade);
        prop_assert_eq!(outcome.exit_code == 2, package.verdict == Violation);
        prop_assert_eq!(
            outcome.exit_code == 0,
            package.verdict == Covered && outcome.tools.iter().all(|tool| tool.verdict == Covered)
        );
        prop_assert!(covered(&package.baseline_version, &package.required_version) >= Some(package.required));
    }
}
