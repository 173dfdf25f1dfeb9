//! The upgrade of an SDK as the one cause of many changes, instead of each of them.

use crate::gate::SdkMove;
use crate::report::conclusion::upgraded;
use crate::report::human::gutter::Gutter;
use crate::report::human::style::{HEADLINE, NOTE, paint};
use crate::report::human::{Comparison, Detail, finding, line};
use crate::report::level::Level;
use crate::report::visible::visible;

/// Leads the report with the upgrade, where there is one: among what fails if anything that it
/// explains does, else among the notes.
pub(super) fn render(
    report: &Comparison<'_>,
    gated: bool,
    errors: &mut String,
    notes: &mut String,
) {
    let Some(sdk) = &report.outcome.sdk else { return };
    let explained = report.outcome.tools.iter().flat_map(|tool| {
        let findings = tool.findings.iter();
        let findings = findings.filter(|finding| sdk.explains(&tool.name, finding));
        findings.map(|finding| Level::of(gated, report.outcome, tool, finding))
    });
    let shown = explained.into_iter().filter(|level| level.is_shown_whole());
    match shown.max_by_key(|level| weight(*level)) {
        Some(level) => {
            let word = paint(finding::style(level), format!("{}[sdk]", level.word()));
            headline(errors, word, sdk);
            details(errors, sdk, report.detail);
            errors.push('\n');
        }
        None if report.detail != Detail::Quiet => {
            headline(notes, paint(NOTE, "note[sdk]".to_owned()), sdk);
        }
        None => {}
    }
}

fn weight(level: Level) -> Option<crate::grade::Grade> {
    match level {
        Level::Graded(grade) => Some(grade),
        _ => None,
    }
}

fn headline(text: &mut String, word: impl std::fmt::Display, sdk: &SdkMove) {
    let sentence = format!(": {}", visible(&sdk.sentence()));
    line(text, format_args!("{word}{}", paint(HEADLINE, sentence)));
}

fn details(text: &mut String, sdk: &SdkMove, detail: Detail) {
    Gutter::NARROW.empty(text);
    sdk.changes.iter().for_each(|change| Gutter::NARROW.bar(text, upgraded(change)));
    Gutter::NARROW.empty(text);
    Gutter::NARROW.property(
        text,
        "why",
        "these crates write the schemas, so an upgrade rewrites many at once though no argument \
         was touched; an agent gets the new ones all the same",
    );
    if let Some(grade) = sdk.changes.iter().map(|change| change.grade).max() {
        Gutter::NARROW.property(text, "needs", format_args!("a {grade} step"));
    }
    if detail != Detail::Verbose {
        Gutter::NARROW.property(text, "help", "`--verbose` shows each of them");
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use mcp_semver_build::{Catalogue, Contract};
    use semver::Version;
    use serde_json::{Value, json};

    use crate::baseline::Baseline;
    use crate::compare::compare;
    use crate::gate::{self, Declared};
    use crate::report::human::{self, Detail};
    use crate::report::place::Repository;
    use crate::report::realistic::validity::assert_valid_sarif;
    use crate::report::sources::Sources;
    use crate::report::{Run, Subject, github, json as json_report, sarif};

    /// Six tools as schemars 0.8 wrote them, or as 1.x does; one of them edited besides.
    fn tools(upgraded: bool) -> Baseline {
        let tool = |name: &str| {
            let mut schema = json!({"$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object", "properties": {"limit": {"type": "integer", "format": "uint"}}});
            if upgraded {
                schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
                schema["properties"]["limit"]["minimum"] = json!(0);
            }
            if upgraded && name == "search" {
                schema["required"] = json!(["limit"]);
            }
            Contract::from_wire(json!({"name": name, "inputSchema": schema})).unwrap()
        };
        let names = ["add", "drop", "edit", "find", "list", "read", "search"];
        Baseline::from(&Catalogue::new(names.map(tool)).unwrap())
    }

    fn run(version: Version) -> Run {
        let sdk = |version: &str| [("schemars".to_owned(), version.parse().unwrap())].into();
        let mut old = tools(false);
        old.package = Some(("srv".into(), Version::new(1, 4, 0)));
        old.sdk = sdk("0.8.22");
        let declared = Declared {
            package: Some(("srv".into(), version.clone())),
            sdk: sdk("1.2.3"),
            ..Declared::default()
        };
        let outcome = gate::decide(&old, &declared, compare(&old, &tools(true)));
        let subject = Subject {
            name: "srv".into(),
            version: Some(version),
            directory: PathBuf::new(),
            result: Ok(outcome),
            remedy: None,
        };
        Run { subjects: vec![subject] }
    }

    fn text(version: Version, detail: Detail) -> String {
        anstream::adapter::strip_str(&human::render(&run(version), detail, &Sources::none()))
            .to_string()
    }

    #[test]
    fn one_upgrade_leads_and_what_it_does_not_explain_follows() {
        insta::assert_snapshot!(text(Version::new(1, 4, 0), Detail::Normal));
    }

    #[test]
    fn a_workflow_is_told_once() {
        let repository = Repository::around(&std::env::temp_dir(), None);
        let run = run(Version::new(1, 4, 0));
        let text = github::render(&run, &repository, Detail::Normal);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[1].starts_with("::error title=srv v1.4.0::schemars went from"), "{text}");
        assert!(lines[1].contains("%0Adialect_changed (patch) in 7 tools: add, drop"), "{text}");
        assert!(lines[2].contains("title=input_required_added in search"), "{text}");
    }

    #[test]
    fn code_scanning_has_one_alert_with_all_places() {
        let repository = Repository::around(&std::env::temp_dir(), None);
        let sarif = |version: Version| -> Value {
            let report = sarif::render(&run(version), &repository);
            serde_json::from_str::<Value>(&report).unwrap()["runs"][0].take()
        };
        let report = sarif(Version::new(1, 4, 0));
        let results = report["results"].as_array().unwrap();
        let rules: Vec<&str> = results.iter().map(|it| it["ruleId"].as_str().unwrap()).collect();
        assert_eq!(rules, ["not_covered", "sdk_upgraded", "input_required_added"]);
        let text = results[1]["message"]["text"].as_str().unwrap();
        assert!(text.starts_with("schemars went from 0.8.22 to 1.2.3"), "{text}");
        assert!(text.contains("\ndialect_changed (patch) in 7 tools: add, drop"), "{text}");
        assert_eq!(results[1]["level"], "error");
        let related = results[1]["relatedLocations"].as_array().unwrap();
        assert!(related.iter().all(|it| it["message"]["text"].is_string()), "{related:?}");
        let names: std::collections::BTreeSet<&str> = related
            .iter()
            .map(|it| it["logicalLocations"][0]["fullyQualifiedName"].as_str().unwrap())
            .map(|name| name.split('/').nth(1).unwrap())
            .collect();
        assert_eq!(names.len(), 7, "{names:?}");
        let notes = &report["invocations"][0]["toolExecutionNotifications"];
        assert!(!notes.to_string().contains("schemars went from"), "told once: {notes}");
        assert_valid_sarif(&run(Version::new(1, 4, 0)));
        let covered = sarif(Version::new(2, 0, 0));
        assert_eq!(covered["results"][0]["level"], "note");
        let print = |run: &Value, at: usize| run["results"][at]["partialFingerprints"].clone();
        assert_eq!(print(&covered, 0), print(&report, 1), "whatever the version covers");
    }

    #[test]
    fn what_is_covered_is_one_line() {
        let text = text(Version::new(2, 0, 0), Detail::Normal);
        assert_eq!(text.matches("note[sdk]: schemars went from 0.8.22 to 1.2.3").count(), 1);
        assert_eq!(text.matches("dialect_changed").count(), 0, "{text}");
        assert_eq!(text.matches("input_required_added").count(), 1, "{text}");
    }

    #[test]
    fn verbose_shows_each_and_a_program_sees_all() {
        let text = text(Version::new(1, 4, 0), Detail::Verbose);
        assert!(text.matches("[dialect_changed]").count() == 7, "{text}");
        let report: Value =
            serde_json::from_str(&json_report::render(&run(Version::new(1, 4, 0)))).unwrap();
        let crates = json!([{"name": "schemars", "from": "0.8.22", "to": "1.2.3"}]);
        assert_eq!(report["sdk"]["crates"], crates);
        assert_eq!(report["sdk"]["changes"][0]["tools"].as_array().unwrap().len(), 7);
        let findings = report["tools"][6]["findings"].as_array().unwrap();
        for finding in findings {
            let by_source = finding["rule"] == "input_required_added";
            assert_eq!(finding.get("sdk").is_some(), !by_source, "{finding}");
        }
    }
}
