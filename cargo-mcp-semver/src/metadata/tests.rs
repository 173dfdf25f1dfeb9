use serde_json::json;

use super::*;
use crate::grade::Grade;

/// Reads a manifest as cargo would hand it over: the `metadata` of `section`.
fn read(toml: &str) -> Result<Settings, MetadataError> {
    let directory = tempfile::tempdir().unwrap();
    let manifest = directory.path().join("Cargo.toml");
    std::fs::write(&manifest, toml).unwrap();
    let document: toml_edit::DocumentMut = toml.parse().unwrap();
    let metadata = |section: &str| {
        document.get(section).and_then(|item| item.get("metadata")).map_or(Value::Null, json)
    };
    Settings::new((&metadata("package"), &manifest), (&metadata("workspace"), &manifest)).map_err(
        |mut error| {
            error.place.manifest = "Cargo.toml".into();
            error
        },
    )
}

fn json(item: &toml_edit::Item) -> Value {
    match item {
        toml_edit::Item::Value(value) => match value {
            toml_edit::Value::String(text) => json!(text.value()),
            toml_edit::Value::Integer(number) => json!(number.value()),
            toml_edit::Value::InlineTable(table) => table
                .iter()
                .map(|(key, value)| (key.to_owned(), json(&value.clone().into())))
                .collect(),
            _ => Value::Null,
        },
        toml_edit::Item::Table(table) => {
            table.iter().map(|(key, item)| (key.to_owned(), json(item))).collect()
        }
        _ => Value::Null,
    }
}

#[test]
fn nothing_said_is_the_default() {
    for toml in [
        "",
        "[package]\nname = \"x\"",
        "[package.metadata.docs]\nx = 1",
        "[package.metadata.mcp-server]\nx = 1",
        "[package.metadata.cargo-semver-checks.lints]",
        "[package.metadata.mcp-semver]",
    ] {
        assert_eq!(read(toml).unwrap(), Settings::default(), "{toml}");
    }
    assert_eq!(Settings::default().runtime_router, RuntimeRouter::Unread);
}

#[test]
fn everything_that_can_be_said_is_read() {
    let settings = read(
        "[package.metadata.mcp-semver]\ntarget = \"srv\"\nruntime-router = \"declared\"\n\
         [package.metadata.mcp-semver.versions]\nsearch = \"1.2.0\"\n\"a.b/c\" = \"0.1.0-rc.1\"\n",
    )
    .unwrap();
    assert_eq!(settings.target.as_deref(), Some("srv"));
    assert_eq!(settings.runtime_router, RuntimeRouter::Declared);
    let versions = settings.versions.unwrap();
    assert_eq!(versions["search"], Version::new(1, 2, 0));
    assert_eq!(versions["a.b/c"].to_string(), "0.1.0-rc.1");
    let empty = read("package.metadata.mcp-semver.versions = {}").unwrap();
    assert_eq!(
        empty.versions,
        Some(BTreeMap::new()),
        "tools are versioned, none has a version yet"
    );
    let shared = read("[workspace.metadata.mcp-semver]\nruntime-router = \"declared\"").unwrap();
    assert_eq!(shared.runtime_router, RuntimeRouter::Declared);
    assert_eq!(shared.gate, Gate::Always);
    let both = "[workspace.metadata.mcp-semver]\ngate = \"release\"\n\
                [package.metadata.mcp-semver]\n";
    assert_eq!(read(both).unwrap().gate, Gate::Release);
    assert_eq!(read(&format!("{both}gate = \"always\"")).unwrap().gate, Gate::Always);
}

#[test]
fn grades_are_read_with_their_lines() {
    let grading = read(
        "[workspace.metadata.mcp-semver.rules]\ntitle_changed = \"allow\"\n\
         [package.metadata.mcp-semver.rules]\n\ndescription_changed = \"minor\"\n\
         [package.metadata.mcp-semver.tools.search.rules]\ninput_closed = \"patch\"\n\
         [package.metadata.mcp-semver.tools.search]\narguments.mode.rules.input_closed = \"major\"\n\
         [package.metadata.mcp-semver.tools.search.arguments.'[\"a.b\"].c'.rules]\nunproven = \"allow\"\n\
         [package.metadata.mcp-semver.tools.search.results.\"items[].id\".rules]\n",
    )
    .unwrap()
    .grading;
    let line = |settings: &crate::gate::RuleSettings, id: &str| {
        (settings[id].grade, settings[id].place.line)
    };
    assert_eq!(line(&grading.workspace, "title_changed"), (Grade::None, Some(2)));
    assert_eq!(line(&grading.package, "description_changed"), (Grade::Minor, Some(5)));
    let search = &grading.tools["search"];
    assert_eq!(line(&search.rules, "input_closed"), (Grade::Patch, Some(7)));
    assert_eq!(line(&search.arguments["mode"].1, "input_closed"), (Grade::Major, Some(9)));
    assert_eq!(line(&search.arguments["[\"a.b\"].c"].1, "unproven"), (Grade::None, Some(11)));
    assert!(search.results.contains_key("items[].id"));
}

#[test]
fn what_is_not_understood_is_an_error_with_its_line() {
    for (toml, expected) in [
        (
            "[package]\nname = \"x\"\n[package.metadata.mcp-semver]\ntarget = \"a\"\nversion = {}",
            "Cargo.toml:5: unknown key `version` in [package.metadata.mcp-semver]; did you mean `versions`?",
        ),
        (
            "[package.metadata.mcp-semver]\nruntime_router = \"declared\"",
            "Cargo.toml:2: unknown key `runtime_router` in [package.metadata.mcp-semver]; did you mean `runtime-router`?",
        ),
        (
            "[package.metadata.mcp-semver]\nlockfile = \"x\"",
            "Cargo.toml:2: unknown key `lockfile` in [package.metadata.mcp-semver]; known keys are gate, rules, runtime-router, server, target, tools, versions",
        ),
        (
            "\n[workspace.metadata.mcp-semver.versions]\na = \"1.0.0\"",
            "Cargo.toml:2: `versions` is a package's own",
        ),
        (
            "[workspace.metadata.mcp-semver]\nrouter = \"x\"",
            "Cargo.toml:2: unknown key `router` in [workspace.metadata.mcp-semver]; known keys are gate, rules, runtime-router",
        ),
        (
            "[package.metadata.mcp_semver]\ntarget = \"x\"",
            "Cargo.toml:1: [package.metadata.mcp_semver] is not read; did you mean [package.metadata.mcp-semver]?",
        ),
        (
            "[package.metadata.mcp-semvr]\ntarget = \"x\"",
            "Cargo.toml:1: [package.metadata.mcp-semvr] is not read; did you mean [package.metadata.mcp-semver]?",
        ),
        (
            "[package.metadata.cargo-mcp-semver]",
            "Cargo.toml:1: [package.metadata.cargo-mcp-semver] is not read",
        ),
        (
            "[package]\nname = \"x\"\n\n[package.metadata]\nmcp-semver = 1",
            "Cargo.toml:5: `mcp-semver` must be a table",
        ),
        (
            "[package.metadata.mcp-semver.versions]\nok = \"1.0.0\"\nsearch = \"1.0\"",
            "Cargo.toml:3: the version of tool `search` is not a semantic version: `1.0`: ",
        ),
        (
            "[package.metadata]\nmcp-semver = { versions = { search = 1 } }",
            "Cargo.toml:2: `search` must be a version in quotes",
        ),
        (
            "[package.metadata.mcp-semver]\nversions = \"1.0.0\"",
            "Cargo.toml:2: `versions` must be a table",
        ),
        (
            "[package.metadata.mcp-semver]\nruntime-router = \"ignore\"",
            "Cargo.toml:2: `runtime-router` must be \"declared\", or left out",
        ),
        (
            "[package.metadata.mcp-semver.rules]\ntitle_changed = \"minor\"\ninput-enum-narowed = \"allow\"",
            "Cargo.toml:3: there is no rule `input-enum-narowed`; did you mean `input_enum_narrowed`?",
        ),
        (
            "[workspace.metadata.mcp-semver.rules]\nmine = \"allow\"",
            "Cargo.toml:2: there is no rule `mine`; `cargo mcp-semver rules` lists them",
        ),
        (
            "[package.metadata.mcp-semver.rules]\ntitle_changed = \"warn\"",
            "Cargo.toml:2: `title_changed` must be \"allow\", \"patch\", \"minor\" or \"major\"",
        ),
        (
            "[package.metadata.mcp-semver]\nrule = {}",
            "Cargo.toml:2: unknown key `rule` in [package.metadata.mcp-semver]; did you mean `rules`?",
        ),
        (
            "[workspace.metadata.mcp-semver.tools.search.rules]",
            "Cargo.toml:1: `tools` is a package's own",
        ),
        (
            "[package.metadata.mcp-semver.tools.\"a.b\"]\nrulse = {}",
            "Cargo.toml:2: unknown key `rulse` in [package.metadata.mcp-semver.tools.\"a.b\"]; did you mean `rules`?",
        ),
        (
            "[package.metadata.mcp-semver.tools.search.argument.mode.rules]",
            "Cargo.toml:1: unknown key `argument` in [package.metadata.mcp-semver.tools.search]; did you mean `arguments`?",
        ),
        (
            "[package.metadata.mcp-semver.tools.search.arguments]\nmode.tool_added = \"allow\"",
            "Cargo.toml:2: unknown key `tool_added` in [package.metadata.mcp-semver.tools.search.arguments.mode]; known keys are rules",
        ),
        (
            "[package.metadata.mcp-semver.tools.search.arguments.\"a..b\".rules]",
            "Cargo.toml:1: `a..b` is no path of an argument",
        ),
        (
            "[package.metadata.mcp-semver]\ntools = { search = { rules = \"allow\" } }",
            "Cargo.toml:2: `rules` must be a table of rule = \"level\"",
        ),
        (
            "[package.metadata.mcp-semver]\ngate = true",
            "Cargo.toml:2: `gate` must be \"always\" or \"release\"",
        ),
        ("[package.metadata.mcp-semver]\ntarget = \"\"", "Cargo.toml:2: `target` must be the name"),
    ] {
        let found = read(toml).unwrap_err().to_string();
        assert!(found.starts_with(expected), "{expected:?} expected, found {found:?}");
    }
}

#[test]
fn a_manifest_that_is_gone_costs_the_line_alone() {
    let metadata = json!({"mcp-semver": {"targets": "x"}});
    let gone = Path::new("/nonexistent/Cargo.toml");
    let error = Settings::new((&metadata, gone), (&Value::Null, gone)).unwrap_err();
    assert!(
        error.to_string().starts_with("/nonexistent/Cargo.toml: unknown key `targets`"),
        "{error}"
    );
}

#[test]
fn the_settings_that_explain_a_rule_are_understood() {
    for rule in crate::rules::ALL {
        let toml = crate::explain::settings(rule);
        let grading = read(&toml).unwrap().grading;
        assert!(grading.package.contains_key(rule.id), "{toml}");
        let tool = grading.tools.values().next().unwrap();
        assert!(tool.rules.contains_key(rule.id), "{toml}");
        let fields = tool.arguments.values().chain(tool.results.values());
        assert!(fields.into_iter().all(|(_, rules)| rules.contains_key(rule.id)), "{toml}");
    }
}
