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

/// The message for a file that is not sound, without the path in front.
fn complaint(text: &str) -> String {
    let message = parse(text).unwrap_err().to_string();
    message.strip_prefix("tool-versions.lock.yaml:").expect("the path comes first").to_owned()
}

const V2: &str = "mcp-contract-v2-sha256:\
                  9aaf5ff606591ef611788a262874bbe58aa57d39e751c10527aa894d984cb47e";

fn with_tool(lines: &str) -> String {
    format!("version: 1\ntools:\n  search:\n{lines}")
}

#[test]
fn unsound_files_say_what_and_where() {
    let good = lockfile([tool(search())]).to_yaml().unwrap();
    let digest_only = format!("    semver: 1.0.0\n    contract_digest: {V2}\n");
    let rows: &[(String, &str)] = &[
        (String::new(), " the file is empty"),
        ("\u{feff}\n  \n# nothing\n".into(), " the file is empty"),
        ("version: 1\ntools: {\0}".into(), "2: not a text file"),
        ("\u{7f}ELF\u{2}".into(), "1: "),
        (good.replace("tools:\n", "tools:\n<<<<<<< HEAD\n"), "6: merge conflict markers at line 6"),
        (format!("{good}=======\n"), "17: merge conflict markers at line 17"),
        (format!("{good}>>>>>>> theirs\n"), "17: merge conflict markers at line 17"),
        (good.replace("generated_for", "version"), "2: the key `version` appears twice"),
        (format!("{good}tools: {{}}\n"), "17: the key `tools` appears twice"),
        (
            with_tool(&format!("{digest_only}    semver: 1.0.0\n")),
            "6: the key `semver` appears twice",
        ),
        (with_tool(&format!("{digest_only}  search: {{}}\n")), "6: the key `search` appears twice"),
        (
            good.replace(
                "            type: string",
                "            type: string\n            type: string",
            ),
            "16: the key `type` appears twice",
        ),
        (good.replace("version: 1\n", "version: 2\n"), "1: lockfile format version 2 is not known"),
        (
            good.replace("version: 1\n", "version: '1'\n"),
            "1: `version` must be the number 1, found a string",
        ),
        (good.replace("version: 1\n", ""), "1: `version` is missing"),
        ("version: 1\n".into(), "1: `tools` is missing"),
        ("version: 1\ntools:\n".into(), "2: a mapping is expected"),
        ("version: 1\ntools: []\n".into(), "2: "),
        ("- version: 1\n".into(), "1: "),
        ("lockfile".into(), "1: "),
        ("version: 1\ntools:\n  search:\n".into(), "3: "),
        ("version: 1\ntools:\n  '': {semver: 1.0.0}\n".into(), "3: a tool's name is empty"),
        (with_tool("    semver: 1.0.0\n"), "3: tool `search`: `contract_digest` is missing"),
        (
            with_tool(&format!("    contract_digest: {V2}\n")),
            "3: tool `search`: `semver` is missing",
        ),
        (
            with_tool(&digest_only.replace("1.0.0", "1.0")),
            "4: tool `search`: `semver` must be text",
        ),
        (
            with_tool(&digest_only.replace("1.0.0", "v1.0.0")),
            "4: tool `search`: `semver` is not a semantic version: `v1.0.0`",
        ),
        (
            with_tool(&digest_only.replace("v2-", "v3-")),
            "5: tool `search`: `contract_digest`: unknown digest scheme `mcp-contract-v3-sha256`",
        ),
        (
            with_tool(&digest_only.replace("47e", "")),
            "5: tool `search`: `contract_digest`: a digest is",
        ),
        (
            with_tool(&format!("{digest_only}    contract: {{name: other}}\n")),
            "6: tool `search`: the contract is named `other`",
        ),
        (
            with_tool(&format!("{digest_only}    contract: {{title: other}}\n")),
            "6: tool `search`: `contract`: a tool needs a `name`",
        ),
        (
            with_tool(&format!("{digest_only}    contract: text\n")),
            "6: tool `search`: `contract`: a tool must be a JSON object",
        ),
        (
            with_tool(&format!("{digest_only}    contract: {{name: search}}\n")),
            "5: tool `search`: the contract does not match its `contract_digest`",
        ),
        (good.replace("public", "private"), "8: tool `search`: the contract does not match"),
        (good.replace("1.4.0", "1.4"), "3: `version` is not a semantic version"),
        (good.replace("3.11.0", "three"), "4: `rmcp` is not a semantic version"),
        (
            good.replace("{name: my-server, version: \"1.4.0\"}", "my-server"),
            "3: `package` must be a mapping",
        ),
        (format!("{good}---\n{good}"), "18: more than one YAML document"),
        (format!("{good}x: !custom 1\n"), "17: "),
        (format!("{good}x: .nan\n"), "17: "),
        (format!("{good}x: *nowhere\n"), "17: "),
        (format!("{good}x: {}", "[".repeat(100_000)), "17: "),
        (format!("{good}x: {}", "{a: ".repeat(100_000)), "17: "),
        (
            format!(
                "{good}x:\n{}",
                (1..2000).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>()
            ),
            "1",
        ),
        (format!("{good}x:\n  {}a", "- ".repeat(100_000)), "18: "),
    ];
    let wrong: Vec<String> = rows
        .iter()
        .map(|(text, expected)| (complaint(text), expected))
        .filter(|(found, expected)| {
            !found.starts_with(**expected) || found.len() > 600 || found.contains('\n')
        })
        .map(|(found, expected)| format!("{expected:?} expected, found {found:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_alias_bomb_is_refused_soon() {
    let mut bomb = "version: 1\ntools: {}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let line = vec![format!("*a{}", n - 1); 10].join(", ");
        bomb.push_str(&format!("a{n}: &a{n} [{line}]\n"));
    }
    let started = std::time::Instant::now();
    parse(&bomb).unwrap_err();
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

#[test]
fn reads_what_others_write() {
    let sbproxy = format!(
        "# A comment\nversion: 1\ngenerated_for: mcp.example.com\ntools:\n  search:\n    semver: \
         \"1.0.0\"\n    contract_digest: \"{V2}\"\n    contract:\n      name: search\n      \
         description: search public repositories\n      inputSchema:\n        type: object\n        \
         properties:\n          q:\n            type: string\n"
    );
    let read = parse(&sbproxy).unwrap();
    assert_eq!(read.generated_for, "mcp.example.com");
    assert_eq!(read.tools["search"].contract, Some(Contract::from_wire(search()).unwrap()));

    let digest_only = format!("    semver: 1.0.0\n    contract_digest: {V2}\n    contract: ~\n");
    let read = parse(&with_tool(&digest_only)).unwrap();
    assert_eq!((read.generated_for.as_str(), read.package), (UNSPECIFIED, None));
    assert_eq!(read.tools["search"].contract, None);

    let written =
        lockfile([tool(search()), tool(json!({"name": "ü\"\\ \n😀/", "title": "\u{1}"}))]);
    let json: Value = serde_saphyr::from_str(&written.to_yaml().unwrap()).unwrap();
    for text in [json.to_string(), serde_json::to_string_pretty(&json).unwrap().replace("  ", "\t")]
    {
        assert_eq!(parse(&text).unwrap(), written, "{text}");
    }
    let surrogates =
        r#"{"version":1,"tools":{"\ud83d\ude00\/":{"semver":"1.0.0","contract_digest":"V2"}}}"#;
    assert!(parse(&surrogates.replace("V2", V2)).unwrap().tools.contains_key("😀/"));
}

#[test]
fn a_digest_over_null_fields_is_recognised() {
    let mut wire = search();
    wire["title"] = Value::Null;
    wire["outputSchema"] = Value::Null;
    for scheme in [Scheme::Sha256, Scheme::ContractV2] {
        let digest = Digest::of_wire(scheme, &wire);
        let contract = Contract::from_wire(wire.clone()).unwrap();
        assert!(!digest.matches(&contract));
        let text = with_tool(&format!(
            "    semver: 1.0.0\n    contract_digest: {digest}\n    contract: {wire}\n"
        ));
        assert!(parse(&text).unwrap().tools["search"].digest.matches(&contract));
    }
}

#[test]
fn files_that_cannot_be_read_are_not_missing() {
    let dir = tempfile::tempdir().unwrap();
    let missing = Lockfile::read(&dir.path().join("none")).unwrap_err();
    assert!(matches!(missing, LockfileError::Missing { .. }), "{missing}");
    let directory = Lockfile::read(dir.path()).unwrap_err();
    assert!(matches!(directory, LockfileError::Read { .. }), "{directory}");
    assert!(directory.to_string().contains("directory"), "{directory}");
    let file = dir.path().join("file");
    std::fs::write(&file, b"version: 1\n\xff\xfe").unwrap();
    let latin = Lockfile::read(&file).unwrap_err().to_string();
    assert!(latin.contains("file:2: not a text file in UTF-8"), "{latin}");
    let below = Lockfile::read(&file.join("lock")).unwrap_err();
    assert!(!matches!(below, LockfileError::Missing { .. }), "{below}");
    std::fs::File::create(&file).unwrap().set_len(SIZE_LIMIT + 1).unwrap();
    let large = Lockfile::read(&file).unwrap_err().to_string();
    assert!(large.contains("larger than 64 MiB"), "{large}");
}
