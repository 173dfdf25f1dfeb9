use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

mod foreign;
mod two_way;

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
    let long = r#"{"tools": [{"name": "a", "inputSchema": {"maximum": 18446744073709551617}}]}"#;
    let rows: &[(String, &str)] = &[
        (
            format!("\n {long}"),
            ":2:54: tool `a`: the number 18446744073709551617 at /tools/0/inputSchema/maximum is neither",
        ),
        (String::new(), ": the dump is empty"),
        (" \r\n\t".into(), ": the dump is empty"),
        ("\u{feff}".into(), ": the dump is empty"),
        ("{\"tools\": [\n {\"name\": \"a\",".into(), ":2:14: the dump ends in the middle"),
        (format!("{deep}{}", "]".repeat(100_000)), ":1:129: nested deeper than 128"),
        (deep.clone(), ":1:100000: the dump ends in the middle"),
        (format!("{{\"tools\":[{{\"name\":\"a\",\"inputSchema\":{}", "{\"a\":".repeat(100_000)), ":1:"),
        ("{\"tools\": []} x".into(), ":1:15: not JSON: expected value"),
        ("{\"tools\": []}\n{\"tools\": [".into(), ":2:11: the dump ends in the middle"),
        ("[] [{\"name\": \"a\"}]".into(), ": 2 whole lists of tools that are not the same"),
        ("{\"tools\": [], \"result\": {\"tools\": []}}".into(), ": 2 whole lists of tools"),
        ("{\"tools\": [], \"nextCursor\": \"\"} ".repeat(2), ": two pages of one list have the same `nextCursor` \"\""),
        ("{\"tools\": [], \"nextCursor\": \"\"} {\"error\": {\"message\": \"gone\"}}".into(), ": the server answered with an error: gone"),
        ("{\"jsonrpc\": \"2.0\", \"method\": \"ping\"}".into(), ": no list of tools: expected"),
        ("{\"tools\": []} {\"resources\": []}".into(), ": no list of tools: expected"),
        ("{\"method\": \"tools/list\", \"id\": 4} {\"jsonrpc\": \"2.0\", \"id\": 4, \"result\": {}}".into(), ": no list of tools: expected"),
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

#[test]
fn no_shape_takes_more_memory_than_is_spent_on_it() {
    let after = |value: &str| format!("{value} ").repeat(2_000_001);
    let within = |value: &str| format!("[{}{value}]", format!("{value},").repeat(2_000_000));
    let says = "more than 2000000 JSON values, which no list of tools needs";
    for text in [after("[]"), within("0"), within("{\"a\":0}"), format!("data: {}", within("{}"))] {
        let found = complaint(&text);
        assert!(found.ends_with(says), "{}: {found}", &text[..9]);
    }
    let twice = format!("{{\"a\":0,\"a\":{}}}", within("0"));
    assert!(complaint(&twice).contains("the key `a` appears twice"));
    // Ten thousand tools are many, and a list that somebody may have.
    let argument =
        |name: usize| (name.to_string(), json!({"type": ["string", "null"], "default": ""}));
    let properties: Map<String, Value> = (0..15).map(argument).collect();
    let tool =
        |name: usize| json!({"name": name.to_string(), "inputSchema": {"properties": properties}});
    let tools: Vec<Value> = (0..10_000).map(tool).collect();
    assert_eq!(read(Value::from(tools).to_string().as_bytes(), "x").unwrap().len(), 10_000);
}

/// The catalogue of some documents, each on its line.
fn session(documents: &[Value]) -> Result<Catalogue, DumpError> {
    let lines: Vec<String> = documents.iter().map(Value::to_string).collect();
    read(lines.join("\n").as_bytes(), "x")
}

fn response(id: u64, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

fn names(catalogue: &Catalogue) -> Vec<&str> {
    catalogue.iter().map(|tool| tool.name.as_str()).collect()
}

#[test]
fn pages_one_after_the_other_are_one_list() {
    let pages = [
        json!({"tools": [{"name": "c"}], "nextCursor": ""}),
        response(7, json!({"tools": [{"name": "a"}], "nextCursor": "x"})),
        json!({"tools": [{"name": "b"}]}),
    ];
    assert_eq!(names(&session(&pages).unwrap()), ["a", "b", "c"]);
    let together = pages.iter().map(Value::to_string).collect::<String>();
    assert_eq!(read(together.as_bytes(), "x").unwrap().len(), 3);
    let pretty = pages.iter().map(|page| format!("{page:#}\r\n")).collect::<String>();
    assert_eq!(read(pretty.as_bytes(), "x").unwrap().len(), 3);
    // As a shell puts together what another one wrote.
    let marked = pages.iter().map(|page| format!("\u{feff}{page}\r\n")).collect::<String>();
    assert_eq!(read(marked.as_bytes(), "x").unwrap().len(), 3);
    assert_eq!(complaint(&format!("{marked}\u{feff}[],\n")), ":4:6: not JSON: expected value");
    assert!(session(&pages[..2]).is_err(), "the last page is missing");
    assert!(session(&[&pages[..1], &pages[..]].concat()).is_err(), "a page twice");
    let twice = [&pages[..], &[json!([{"name": "b"}, {"name": "c"}, {"name": "a"}])]].concat();
    assert_eq!(session(&twice).unwrap().len(), 3, "the same list, in another form");
}

#[test]
fn of_a_session_the_answers_to_tools_list_count() {
    let ask = |id: u64, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params});
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    let log = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}),
        response(0, json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}})),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        ask(1, json!({})),
        json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no roots"}}),
    ];
    assert!(session(&log).unwrap_err().to_string().contains("no roots"));
    // The server's request has the same id; that it was refused does not count against the tools.
    let log = [
        &log[..],
        &[
            response(1, json!({"tools": [{"name": "a"}], "nextCursor": "2"})),
            ask(2, json!({"cursor": "2"})),
            json!([
                response(2, json!({"tools": [{"name": "b"}]})),
                response(3, json!({"prompts": []}))
            ]),
            json!({"jsonrpc": "2.0", "id": 4, "error": {"code": -1, "message": "another call"}}),
        ],
    ]
    .concat();
    assert_eq!(names(&session(&log).unwrap()), ["a", "b"]);
    let later = [ask(5, Value::Null), response(5, json!({"tools": [{"name": "z"}]}))];
    let silent = session(&[&log[..], &later].concat()).unwrap_err();
    assert!(silent.to_string().contains("2 whole lists"), "{silent}");
    let announced = session(&[&log[..], &[changed], &later].concat()).unwrap();
    assert_eq!(names(&announced), ["z"]);
    let refusal = json!({"jsonrpc": "2.0", "id": 6, "error": {"code": -1, "message": "gone"}});
    let gone = session(&[&log[..], &[ask(6, Value::Null), refusal]].concat()).unwrap_err();
    assert!(gone.to_string().contains("gone"), "what came before is stale: {gone}");
    let broken_off = [&log[6..7], &later].concat();
    assert_eq!(names(&session(&broken_off).unwrap()), ["z"], "asked again from the start");
}

#[test]
fn a_session_that_goes_on_after_its_list_has_no_catalogue() {
    let ask = |id: u64, cursor: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"cursor": cursor}});
    let changed = || json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    let first = || response(1, json!({"tools": [{"name": "a"}], "nextCursor": "2"}));
    let second = |id: u64| response(id, json!({"tools": [{"name": "b"}]}));
    let start = Value::Null;
    for (log, expected) in [
        (vec![ask(2, "2".into()), second(2)], "there is the page that the cursor \"2\" asked for"),
        (vec![ask(1, start.clone()), ask(2, "2".into()), second(2)], "not the ones before it"),
        (
            vec![ask(1, start.clone()), first(), ask(2, "3".into()), second(2)],
            "the cursor \"3\" asked for",
        ),
        (vec![second(1), ask(2, "2".into()), second(2)], "not the ones before it"),
        (vec![second(1), ask(2, start.clone())], "after it they were asked for again"),
        (vec![second(1), changed()], "after it the server announced that its tools changed"),
        (vec![second(1), changed(), ask(2, start.clone())], "announced that its tools changed"),
        (
            vec![ask(1, start.clone()), first(), changed(), ask(2, "2".into()), second(2)],
            "announced that its tools changed",
        ),
    ] {
        let error = session(&log).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    for log in [
        // Announced before the list, or listed again afterwards.
        vec![ask(1, start.clone()), changed(), first(), ask(2, "2".into()), second(2)],
        vec![
            first(),
            changed(),
            ask(2, "2".into()),
            second(2),
            ask(1, start.clone()),
            first(),
            ask(3, "2".into()),
            second(3),
        ],
        // The first request was given up.
        vec![ask(7, start.clone()), ask(1, start.clone()), first(), ask(2, "2".into()), second(2)],
        vec![first(), ask(2, "2".into()), ask(3, "2".into()), second(3)],
    ] {
        assert_eq!(names(&session(&log).unwrap()), ["a", "b"], "{log:?}");
    }
}

#[test]
fn an_event_stream_is_a_session() {
    let page = response(1, json!({"tools": two()}));
    for before in [": ping - 12:00\n\n", "event: endpoint\ndata: /messages?session=1\n\n"] {
        let text = format!("{before}event: message\ndata: {page}\n\n");
        assert_eq!(names(&read(text.as_bytes(), "x").unwrap()), ["a", "b"], "{before}");
    }
    let text = format!("\u{feff}event: message\r\nid: 1\r\ndata:{page}\r\n\r\n: keep-alive\n\n");
    assert_eq!(names(&read(text.as_bytes(), "x").unwrap()), ["a", "b"]);
    let lines =
        format!("{page:#}").lines().map(|line| format!("data: {line}\n")).collect::<String>();
    assert_eq!(names(&read(lines.as_bytes(), "x").unwrap()), ["a", "b"]);
    assert_eq!(names(&read(lines.replace('\n', "\r").as_bytes(), "x").unwrap()), ["a", "b"]);
    assert_eq!(
        complaint("data: {\"tools\": [\n\n"),
        ": the dump ends in the middle of its JSON; was it cut off?"
    );
    assert!(complaint("data:\n\n").starts_with(": no list of tools"));
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
