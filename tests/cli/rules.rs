//! `rules` and `explain`.

use serde_json::Value;

use crate::Place;

#[test]
fn rules_are_listed_and_explained() {
    let place = Place::new();
    insta::assert_snapshot!(place.run(&["mcp-semver", "rules"]));
    insta::assert_snapshot!(place.run(&["explain", "input_enum_narrowed"]));
    insta::assert_snapshot!(place.run(&["explain", "instruction_text"]));
}

#[test]
fn a_misspelt_rule_suggests_the_right_one() {
    let place = Place::new();
    insta::assert_snapshot!(place.run(&["explain", "input-enum-narowed"]));
    let strange = place.run(&["explain", "x\u{1b}[2J"]);
    assert_eq!(strange.code, Some(101), "{strange}");
    assert!(strange.stderr.starts_with("error: there is no rule `x\\u{1b}[2J`\n"), "{strange}");
}

#[test]
fn programs_get_the_rules_as_json() {
    let place = Place::new();
    let json = |arguments: &[&str]| -> Value {
        let done = place.run(&[arguments, &["--message-format", "json"]].concat());
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done}");
        serde_json::from_str(&done.stdout).unwrap()
    };
    let all = json(&["rules"]);
    let one = json(&["explain", "tool_removed"]);
    let rules = all["rules"].as_array().unwrap();
    assert!(rules.len() > 40);
    assert_eq!(one["rules"].as_array().unwrap().len(), 1);
    assert!(rules.contains(&one["rules"][0]));
    let completions = place.run(&["completions", "bash"]).stdout;
    for rule in rules {
        assert!(completions.contains(rule["id"].as_str().unwrap()), "{rule}");
    }
}
