mod faults;
mod round_trip;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::digest::Scheme;

fn tool(wire: Value) -> LockedTool {
    let contract = Contract::from_wire(wire).unwrap();
    LockedTool {
        semver: Version::new(1, 2, 0),
        digest: Digest::of(Scheme::ContractV2, &contract),
        contract: Some(contract.into()),
        rest: Map::new(),
    }
}

fn lockfile(tools: impl IntoIterator<Item = LockedTool>) -> Lockfile {
    let tools = tools.into_iter().map(|tool| (tool.contract.as_ref().unwrap().name.clone(), tool));
    Lockfile {
        generated_for: "my-server".into(),
        package: Some(LockedPackage {
            name: "my-server".into(),
            version: Version::new(1, 4, 0),
            reviewed: None,
        }),
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

/// Read alone and beside the tool that most tests lock, which comes to the same.
fn parse(text: &str) -> Result<Lockfile, LockfileError> {
    let path = Path::new("tool-versions.lock.yaml");
    let read = Lockfile::parse(text, path);
    let known = Catalogue::new([Contract::from_wire(search()).unwrap()]).unwrap();
    let beside = beside::parse(text, path, &known);
    assert_eq!(format!("{read:?}"), format!("{beside:?}"), "{text}");
    read
}

/// The schema holds `value` and comes back as it was, from text that gives the same text again.
fn survives(value: &Value) {
    let wire = json!({"name": "t", "inputSchema": {"default": value, "list": [value]}});
    let written = lockfile([tool(wire.clone())]);
    let text = written.to_yaml().unwrap();
    let read = parse(&text).unwrap();
    assert_eq!(read.tools["t"].contract.as_ref().unwrap().to_json(), wire, "{text}");
    assert_eq!(read.to_yaml().unwrap(), text);
    let known = Catalogue::new([Contract::from_wire(wire.clone()).unwrap()]).unwrap();
    let beside = beside::parse(&text, Path::new("beside"), &known).unwrap();
    assert_eq!(beside, read);
    let shared = beside.tools["t"].contract.as_ref().unwrap();
    let has_long_key = text.contains("\n          ? ");
    let is_known = shared.is_shared(&known.pinned("t").unwrap().contract);
    assert!(is_known || has_long_key || has_high_key(&wire), "it was read again: {text}");
    let crlf = parse(&text.replace('\n', "\r\n")).unwrap();
    assert_eq!(crlf, written, "a checkout with Windows line ends reads the same");
}

/// Whether there is a key of which the canonical form may have another order than that of bytes.
fn has_high_key(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_high_key),
        Value::Object(map) => map
            .iter()
            .any(|(key, value)| key.chars().any(|char| char >= '\u{d000}') || has_high_key(value)),
        _ => false,
    }
}

#[test]
fn only_what_is_as_it_was_written_is_not_read() {
    let wire = json!({"name": "a", "title": "A", "execution": {"taskSupport": "optional"}});
    let locked = lockfile([tool(wire.clone()), tool(search())]);
    let text = locked.to_yaml().unwrap();
    let beside = |text: &str, known: [Value; 2]| {
        let known = known.map(|wire| Contract::from_wire(wire).unwrap());
        beside::parse(text, Path::new("beside"), &Catalogue::new(known).unwrap())
    };
    // What the digest does not reach is what was locked, not what is known.
    for (field, value) in [("title", json!("B")), ("execution", json!({})), ("title", json!(null))]
    {
        let mut moved = wire.clone();
        moved[field] = value;
        assert_eq!(beside(&text, [moved, search()]).unwrap(), locked);
    }
    // An edited contract is told of, though its digest is the known one's.
    for (from, to) in [("public", "private"), ("title: A", "title: B"), ("type: string", "type: a")]
    {
        let edited = text.replace(from, to);
        assert_ne!(edited, text);
        let read = format!("{:?}", Lockfile::parse(&edited, Path::new("beside")));
        assert_eq!(format!("{:?}", beside(&edited, [wire.clone(), search()])), read);
    }
    let twice = format!("{text}  search:\n    semver: \"1.0.0\"\n");
    let error = beside(&twice, [wire.clone(), search()]).unwrap_err().to_string();
    assert!(error.contains("the key `search` appears twice"), "{error}");
    // What looks like a tool and lies in a text is none.
    let block = text.split_once("  search:").unwrap().1;
    let note = |name: &str| format!("  {name}:\n    semver: \"1.0.0\"\n    note: 'text\n");
    for hidden in [
        text.replace("\ntools:", "\nlater: '\ntools:") + "'\ntools: {}\n",
        text.replace("  search:", &(note("hides") + "  search:")) + "'\n",
        text.replace("  search:", &(note("hides") + "  search:")) + &note("z"),
        text.replace("  search:", "   search:"),
        text.replace("  search:", &format!("  hides: {{\n  search:{block}  search:")) + "  }\n",
    ] {
        let read = format!("{:?}", Lockfile::parse(&hidden, Path::new("beside")));
        assert_eq!(format!("{:?}", beside(&hidden, [wire.clone(), search()])), read, "{hidden}");
    }
    let mut carried = search();
    carried["icons"] = json!([]);
    let read = beside(&text, [wire, carried]).unwrap();
    assert_eq!(read.to_yaml().unwrap(), text);
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
