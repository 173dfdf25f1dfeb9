//! The same servers, listed by rmcp's own client and by ours.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::over_http::Server;
use crate::support::{Copy, Said};
use crate::{run, said};

/// What rmcp's model of a tool has a field for.
const KEPT: [&str; 8] = [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "icons",
    "_meta",
];

/// The tools of a listing, sorted by name.
fn tools(said: Said) -> Vec<Value> {
    let Value::Array(mut tools) = said.expect(0).json()["tools"].take() else {
        panic!("a listing without tools")
    };
    tools.sort_by_key(|tool| tool["name"].as_str().unwrap().to_owned());
    tools
}

fn by_rmcp(client: &Path, server: &[&str]) -> Vec<Value> {
    tools(said(Command::new(client).args(server)))
}

fn by_us(source: &[&str]) -> Vec<Value> {
    let list = ["list", "--message-format", "json"];
    tools(run(Path::new("."), &[&list, source].concat()))
}

/// The same tools with the fields that rmcp keeps.
fn kept(mut tools: Vec<Value>) -> Vec<Value> {
    for tool in &mut tools {
        tool.as_object_mut().unwrap().retain(|field, _| KEPT.contains(&field.as_str()));
    }
    tools
}

#[test]
fn two_clients_hear_the_same() {
    let copy = Copy::new("rmcp-client", &["rmcp-client", "article", "chaos", "schemas", "texts"]);
    let client = copy.build_binary("rmcp-client");
    // In one page, and in two between which the cursor is the empty string.
    for (server, mode, count) in
        [("article", "", 2), ("schemas", "", 4), ("texts", "", 7), ("chaos", "empty-cursor", 2)]
    {
        let binary = copy.build_binary(server);
        let start = [binary.to_str().unwrap(), mode];
        let ours = by_us(&[&["--serve", "--"], &start[..]].concat());
        assert_eq!(ours.len(), count, "{server}");
        assert_eq!(kept(ours.clone()), by_rmcp(&client, &start), "{server}");
        if server == "chaos" {
            assert_eq!(ours[0]["execution"], json!({"taskSupport": "optional"}));
        }
    }
    for mode in ["sessions", "without-sessions", "json"] {
        let server = Server::start(mode);
        let ours = by_us(&["--url", &server.url]);
        assert_eq!(kept(ours), by_rmcp(&client, &[&server.url]), "{mode}");
    }
}
