use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn complaint(text: &str) -> String {
    complaint_of(text.as_bytes())
}

fn complaint_of(bytes: &[u8]) -> String {
    let message = read(bytes, "tools.json").unwrap_err().to_string();
    message.strip_prefix("tools.json").expect("the origin comes first").to_owned()
}

fn two() -> Value {
    json!([
        {"name": "b", "inputSchema": {"type": "object"}, "icons": [1]},
        {"name": "a", "description": null, "annotations": {"readOnlyHint": true}},
    ])
}

#[test]
fn every_form_gives_the_same_catalogue() {
    let tools = two();
    let result = json!({"tools": tools, "nextCursor": null, "_meta": {}});
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": result, "error": null});
    let plain = read(tools.to_string().as_bytes(), "x").unwrap();
    assert_eq!(plain.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(plain.get("b").unwrap().to_wire(), tools[0]);
    for text in [result.to_string(), response.to_string(), format!("\u{feff} {response:#}\r\n")] {
        assert_eq!(read(text.as_bytes(), "x").unwrap(), plain, "{text}");
    }
    assert!(read(br#"{"tools": []}"#, "x").unwrap().is_empty());
}

#[test]
fn unsound_dumps_say_what_and_where() {
    let named = |tools: &[Value]| json!({"tools": tools}).to_string();
    let deep = "[".repeat(100_000);
    let rows: &[(String, &str)] = &[
        (String::new(), ": the dump is empty"),
        (" \r\n\t".into(), ": the dump is empty"),
        ("\u{feff}".into(), ": the dump is empty"),
        ("{\"tools\": [\n {\"name\": \"a\",".into(), ":2:14: the dump ends in the middle"),
        (deep.clone(), ":1:128: nested deeper than 128"),
        (format!("{{\"tools\":[{{\"name\":\"a\",\"inputSchema\":{}", "{\"a\":".repeat(100_000)), ":1:"),
        ("{\"tools\": []} x".into(), ":1:15: not JSON: trailing characters"),
        ("{\"tools\": []}{\"tools\": []}".into(), ":1:14: not JSON: trailing characters"),
        ("tools: []".into(), ":1:2: not JSON"),
        ("[{\"name\": \"\\ud800\"}]".into(), ":1:"),
        ("[{\"name\": 1e999}]".into(), ":1:15: not JSON: number out of range"),
        ("\0\0".into(), ":1:1: not JSON"),
        ("null".into(), ": no list of tools: expected"),
        ("{}".into(), ": no list of tools"),
        ("{\"tools\": {}}".into(), ": no list of tools"),
        ("{\"result\": []}".into(), ": no list of tools"),
        ("{\"resources\": []}".into(), ": no list of tools"),
        (json!({"error": {"code": -32601, "message": "Method not found"}}).to_string(), ": the server answered with an error: Method not found"),
        (json!({"error": "no"}).to_string(), ": the server answered with an error: \"no\""),
        (json!({"tools": two(), "nextCursor": "p2"}).to_string(), ": the catalogue is incomplete"),
        (json!({"tools": two(), "nextCursor": ""}).to_string(), ": the catalogue is incomplete"),
        (json!({"result": {"tools": [], "nextCursor": 0}}).to_string(), ": the catalogue is incomplete"),
        (named(&[json!({"name": "a"}), json!({"title": "b"})]), ": tool number 2 of the list: a tool needs a `name`"),
        (named(&[json!({"name": ""})]), ": tool number 1 of the list: a tool needs a `name`"),
        (named(&[json!({"name": 5})]), ": tool number 1 of the list: a tool needs a `name`"),
        (named(&[json!("a")]), ": tool number 1 of the list: a tool must be a JSON object"),
        (named(&[json!({"name": "a", "inputSchema": true})]), ": tool number 1 of the list: tool `a`: `inputSchema` must be a JSON object"),
        (named(&[json!({"name": "x"}), json!({"name": "a"}), json!({"name": "x"})]), ": tools number 1 and 3 of the list are both named `x`"),
        ("{\"tools\": [], \"tools\": []}".into(), ":1:21: the key `tools` appears twice in one object, at /tools"),
        (
            "{\"result\":{\"tools\":[{\"name\":\"a\"},\n{\"inputSchema\":{\"properties\":{\"q/r\":{\"x\":1},\"q/r\":{}}},\"name\":\"b\"}]}}".into(),
            ":2:49: tool `b`: the key `q/r` appears twice in one object, at /result/tools/1/inputSchema/properties/q~1r",
        ),
        ("[{\"name\":\"a\",\"description\":\"x\",\"description\":\"y\"}]".into(), ":1:44: tool `a`: the key `description` appears twice"),
        ("[{\"name\":\"a\",\"na\\u006de\":\"b\"}]".into(), ":1:24: tool `b`: the key `name` appears twice"),
    ];
    let wrong: Vec<String> = rows
        .iter()
        .map(|(text, expected)| (complaint(text), expected))
        .filter(|(found, expected)| {
            !found.starts_with(**expected) || found.contains('\n') || found.len() > 500
        })
        .map(|(found, expected)| format!("{expected:?} expected, found {found:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_encodings_are_named() {
    assert_eq!(complaint_of(b"[{\"name\":\"\xff\"}]"), ": not a text file in UTF-8");
    assert_eq!(complaint_of(b"\x7fELF\x02\x01\xff"), ": not a text file in UTF-8");
    let utf16: Vec<u8> = "\u{feff}[]".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(complaint_of(&utf16).contains("UTF-16"), "{}", complaint_of(&utf16));
}

#[test]
fn real_depths_are_read() {
    let schema = (0..60).fold(json!({}), |inner, _| json!({"properties": {"a": inner}}));
    let dump = json!({"result": {"tools": [{"name": "a", "inputSchema": schema}]}});
    assert_eq!(read(dump.to_string().as_bytes(), "x").unwrap().len(), 1);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), at in any::<prop::sample::Index>()) {
        let _ = read(text.as_bytes(), "x");
        let whole = json!({"result": {"tools": two()}}).to_string();
        let (head, tail) = whole.split_at(at.index(whole.len()));
        prop_assert!(read(head.as_bytes(), "x").is_err(), "half a dump is none");
        let _ = read(format!("{head}{text}{tail}").as_bytes(), "x");
    }

    /// What is read is what `serde_json` reads.
    #[test]
    fn values_come_through(text in any::<String>(), a in any::<u64>(), b in any::<i64>(), c in any::<f64>()) {
        let schema = json!({"x": [text, a, b, c, true, null, {}, []], "y": {"z": {}}});
        let text = json!([{"name": "t", "inputSchema": schema}]).to_string();
        let expected: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read(text.as_bytes(), "x").unwrap().get("t").unwrap().to_wire(), expected[0].clone());
    }
}
