use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::digest::Scheme;

fn tool(wire: Value) -> LockedTool {
    let contract = Contract::from_wire(wire).unwrap();
    LockedTool {
        semver: Version::new(1, 2, 0),
        digest: Digest::of(Scheme::ContractV2, &contract),
        contract: Some(contract),
        rest: Map::new(),
    }
}

fn lockfile(tools: impl IntoIterator<Item = LockedTool>) -> Lockfile {
    let tools = tools.into_iter().map(|tool| (tool.contract.as_ref().unwrap().name.clone(), tool));
    Lockfile {
        generated_for: "my-server".into(),
        package: Some(LockedPackage { name: "my-server".into(), version: Version::new(1, 4, 0) }),
        sdk: BTreeMap::from([
            ("rmcp".into(), Version::new(3, 11, 0)),
            ("schemars".into(), Version::new(1, 2, 3)),
        ]),
        tools: tools.collect(),
        rest: Map::new(),
    }
}

fn search() -> Value {
    json!({
        "name": "search", "description": "search public repositories",
        "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
    })
}

fn parse(text: &str) -> Result<Lockfile, LockfileError> {
    Lockfile::parse(text, Path::new("tool-versions.lock.yaml"))
}

/// The schema holds `value` and comes back as it was, from text that gives the same text again.
fn survives(value: &Value) {
    let wire = json!({"name": "t", "inputSchema": {"default": value, "list": [value]}});
    let written = lockfile([tool(wire.clone())]);
    let text = written.to_yaml().unwrap();
    let read = parse(&text).unwrap();
    assert_eq!(read.tools["t"].contract.as_ref().unwrap().to_json(), wire, "{text}");
    assert_eq!(read.to_yaml().unwrap(), text);
    let crlf = parse(&text.replace('\n', "\r\n")).unwrap();
    assert_eq!(crlf, written, "a checkout with Windows line ends reads the same");
}

#[test]
fn writes_the_documented_form() {
    let titled = json!({
        "name": "a_tool", "annotations": {"readOnlyHint": true}, "title": "A", "zebra": 1,
        "inputSchema": {"type": "object", "properties": {"b": {}, "a": {"enum": ["yes", 1.0]}}},
        "description": "First line.\n\n  Second: \"x\" # no comment\n",
    });
    let mut written = lockfile([tool(search()), tool(titled)]);
    written.rest.insert("later".into(), json!({"b": 1, "a": [true, null]}));
    written.tools.get_mut("search").unwrap().rest.insert("owner".into(), json!("me"));
    let expected = r##"version: 1
generated_for: my-server
package: {name: my-server, version: "1.4.0"}
sdk: {rmcp: "3.11.0", schemars: "1.2.3"}
tools:
  a_tool:
    semver: "1.2.0"
    contract_digest: "mcp-contract-v2-sha256:ea65f10b0fa77063e8dae367fe4f53856d7dae73704239a2cf8a75c5fc1078ef"
    contract:
      name: a_tool
      title: A
      description: |
        First line.

          Second: "x" # no comment
      inputSchema:
        properties:
          a:
            enum:
            - "yes"
            - 1.0
          b: {}
        type: object
      annotations:
        readOnlyHint: true
      zebra: 1
  search:
    semver: "1.2.0"
    contract_digest: "mcp-contract-v2-sha256:9aaf5ff606591ef611788a262874bbe58aa57d39e751c10527aa894d984cb47e"
    contract:
      name: search
      description: search public repositories
      inputSchema:
        properties:
          q:
            type: string
        type: object
    owner: me
later:
  a:
  - true
  - null
  b: 1
"##;
    let text = written.to_yaml().unwrap();
    assert_eq!(text, expected);
    assert_eq!(parse(&text).unwrap(), written);
}

/// Texts that some reader of YAML takes for something else.
const TRAPS: &[&str] = &[
    "",
    " ",
    "  ",
    "~",
    "null",
    "NULL",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "n",
    "true",
    "True",
    "FALSE",
    "1.0",
    "1",
    "-1",
    "+1",
    "0x1F",
    "0o17",
    "017",
    "1e3",
    "1_000",
    ".5",
    "5.",
    ".inf",
    "-.INF",
    ".nan",
    "12:30:45",
    "190:20:30",
    "2024-01-01",
    "2001-12-14t21:59:43.10-05:00",
    "=",
    "<<",
    "-",
    "- a",
    "?",
    "? a",
    ":",
    ": a",
    "a: b",
    "a:",
    "a #b",
    "#b",
    "&a",
    "*a",
    "!a",
    "!!int 1",
    "|",
    ">",
    "%YAML",
    "@a",
    "`a",
    "'",
    "\"",
    "'a'",
    "\"a\"",
    "[a]",
    "{a}",
    ",",
    "---",
    "...",
    "--- a",
    "a\nb",
    "a\n",
    "a\n\n",
    "\na",
    "\n",
    "\n\n",
    "\n\n\n",
    " a",
    "a ",
    "  a\nb",
    "a\n  b\n",
    "a \nb",
    "a\n \nb",
    " \n a",
    "\ta",
    "a\t",
    "a\tb",
    "\t\na",
    "a\n\t",
    "a\rb",
    "a\r\nb",
    "\r",
    "\0",
    "a\0b",
    "\u{1}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{feff}",
    "\u{feff}a",
    "a\u{feff}",
    "a\u{2028}b",
    "a\u{2029}b\n",
    "\u{fffe}",
    "\u{ffff}",
    "😀",
    "\u{10ffff}",
    "\u{200b}",
    "\\",
    "\\n",
    "a\\",
    "a\n---\nb",
    "---\na",
    "a\n...\n",
    "<<<<<<< ours",
    "a\n<<<<<<< ours\n=======\n>>>>>>> theirs\n",
    "a\n# b",
    "a,b",
    "é",
    "\u{301}",
];

#[test]
fn traps_survive_as_values_and_keys() {
    for trap in TRAPS {
        survives(&json!(trap));
        survives(&json!({*trap: {*trap: [trap, {*trap: trap}]}}));
    }
    let all: Map<String, Value> = TRAPS.iter().map(|t| ((*t).to_owned(), json!([t]))).collect();
    survives(&Value::Object(all));
    let long = "word ".repeat(2000);
    survives(&json!({long.clone(): [long.clone(), format!("{long}\n{long}")]}));
}

#[test]
fn numbers_survive() {
    for number in [
        json!(u64::MAX),
        json!(i64::MIN),
        json!(i64::MAX),
        json!(0),
        json!(-1),
        json!(1.0),
        json!(1),
        json!(-0.0),
        json!(0.1),
        json!(1e300),
        json!(-1e-300),
        json!(f64::MAX),
        json!(f64::MIN_POSITIVE),
        json!(5e-324),
        json!(1e20),
        json!(1e16),
        json!(123456789.125),
        json!(9007199254740993_u64),
    ] {
        survives(&number);
    }
    let text = lockfile([tool(json!({"name": "t", "inputSchema": {"a": 1.0, "b": 1, "c": -0.0}}))]);
    let text = text.to_yaml().unwrap();
    assert!(text.contains("a: 1.0\n") && text.contains("b: 1\n"), "{text}");
}

#[test]
fn deep_schemas_survive_or_are_refused() {
    let deep = |depth: usize| (0..depth).fold(json!({}), |inner, _| json!({"a": [inner]}));
    survives(&deep(60));
    survives(&json!([[], {}, [[]], [{}], {"a": []}, {"a": {}}, [[[{"b": [[]]}]]]]));
    let written = lockfile([tool(json!({"name": "t", "inputSchema": deep(200)}))]);
    assert!(matches!(written.to_yaml(), Err(LockfileError::Unwritable { .. })));
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(TRAPS).prop_map(str::to_owned),
        prop::collection::vec(prop::sample::select(TRAPS), 0..4).prop_map(|parts| parts.concat()),
        prop::collection::vec(
            prop::sample::select(&[" ", "\n", "a", ":", "#", "-", "\t", "'"][..]),
            0..12
        )
        .prop_map(|parts| parts.concat()),
        any::<String>(),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..5)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_survives(value in any_json()) {
        survives(&value);
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), cut in any::<prop::sample::Index>()) {
        let _ = parse(&text);
        let mut damaged = lockfile([tool(search())]).to_yaml().unwrap();
        damaged.insert_str(cut.index(damaged.len()), &text);
        let _ = parse(&damaged);
    }

    #[test]
    fn half_a_file_never_reads_as_the_whole(cut in any::<prop::sample::Index>()) {
        let whole = lockfile([tool(search()), tool(json!({"name": "z", "inputSchema": {"type": "object"}}))]);
        let text = whole.to_yaml().unwrap();
        let cut = cut.index(text.trim_end().len());
        if let Ok(read) = parse(&text[..cut]) {
            prop_assert_ne!(read, whole);
        }
    }
}
