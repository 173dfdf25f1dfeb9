//! HTTP servers that misbehave, on loopback. Whatever they do, no header comes out again.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::{command, names, said};

const TOKEN: &str = "Bearer very-secret";
const SESSION: &str = "abc-123";

/// What came in.
struct Request {
    head: String,
    body: String,
}

impl Request {
    fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut bytes = Vec::new();
        let mut byte = [0];
        while !bytes.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).ok()?;
            bytes.push(byte[0]);
        }
        let head = String::from_utf8(bytes).ok()?.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.trim().parse().unwrap())];
        stream.read_exact(&mut body).ok()?;
        Some(Self { head, body: String::from_utf8(body).ok()? })
    }

    fn is(&self, method: &str) -> bool {
        self.body.contains(&format!("\"method\":\"{method}\""))
    }

    fn id(&self) -> &str {
        let rest = self.body.split_once("\"id\":").map_or("0", |(_, rest)| rest);
        rest.split(',').next().unwrap_or_default()
    }

    fn answer(&self, result: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, self.id())
    }
}

fn respond(stream: &mut TcpStream, status: &str, headers: &str, body: &str) {
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    let _ = stream.write_all(text.as_bytes());
}

const JSON: &str = "content-type: application/json\r\n";
const EVENTS: &str = "content-type: text/event-stream\r\n";
const INITIALIZED: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"loopback","version":"1"}}"#;
const TOOLS: &str = r#"{"tools":[{"name":"ping","inputSchema":{"type":"object"}}]}"#;

/// One answer of a server in a mode. Unless the mode says otherwise it serves one tool.
fn serve(mode: &str, stream: &mut TcpStream) {
    let Some(request) = Request::read(stream) else { return };
    let is_list = request.is("tools/list");
    match mode {
        "unauthorized" => {
            let body = format!("who are you? {}", request.head);
            return respond(stream, "401 Unauthorized", "", &body);
        }
        "not-found" => return respond(stream, "404 Not Found", "", "nothing here"),
        "down" => return respond(stream, "503 Service Unavailable", "", ""),
        "type" => {
            return respond(stream, "200 OK", "content-type: text/url-secret\r\n", "");
        }
        "address" => {
            let to = "location: http://env-secret.example.com/\r\n";
            return respond(stream, "308 Permanent Redirect", to, "");
        }
        "cursor" if is_list => {
            let result = r#"{"tools":[],"nextCursor":"very-secret"}"#;
            return respond(stream, "200 OK", JSON, &request.answer(result));
        }
        "revision" if request.is("initialize") => {
            let result = INITIALIZED.replace("2025-06-18", "env-secret").replace("loopback", TOKEN);
            return respond(stream, "200 OK", JSON, &request.answer(&result));
        }
        "changes" | "changes-between" if is_list => {
            let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
            let page = match mode {
                "changes-between" if !request.body.contains("cursor") => {
                    &TOOLS.replace("]", r#"],"nextCursor":"2""#)
                }
                _ => TOOLS,
            };
            let body = format!("data: {}\r\rdata: {changed}\r\r", request.answer(page));
            return respond(stream, "200 OK", EVENTS, &body);
        }
        "changes-in-a-batch" if is_list => {
            let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
            let body = format!("[{},{changed}]", request.answer(TOOLS));
            return respond(stream, "200 OK", JSON, &body);
        }
        "answers-twice-in-a-batch" if is_list => {
            let answer = request.answer(TOOLS);
            return respond(stream, "200 OK", EVENTS, &format!("data: [{answer},{answer}]\n\n"));
        }
        "answers-before-the-question" if is_list && !request.body.contains("cursor") => {
            let page = TOOLS.replace("]", r#"],"nextCursor":"2""#);
            let early = r#"{"jsonrpc":"2.0","id":3,"result":{"tools":[]}}"#;
            let body = format!("data: {}\n\ndata: {early}\n\n", request.answer(&page));
            return respond(stream, "200 OK", EVENTS, &body);
        }
        "encoded" => {
            let headers = format!("{JSON}content-encoding: br\r\n");
            return respond(stream, "200 OK", &headers, "\u{1f}\u{8b}");
        }
        "untyped" => return respond(stream, "200 OK", "", &request.answer(INITIALIZED)),
        "odd-revision" | "long-revision" if request.is("initialize") => {
            let revision =
                if mode == "odd-revision" { r"1\u0007\n2" } else { &"9".repeat(200_000) };
            let result = INITIALIZED.replace("2025-06-18", revision);
            return respond(stream, "200 OK", JSON, &request.answer(&result));
        }
        "page" => return respond(stream, "200 OK", "content-type: text/html\r\n", "<p>Hello</p>"),
        "no-json" => return respond(stream, "200 OK", JSON, "hello"),
        "no-http" => return drop(stream.write_all(b"SSH-2.0-OpenSSH_9.6\r\n")),
        "hang" => std::thread::sleep(Duration::from_secs(20)),
        "closes" => return,
        "elsewhere" => {
            let to = "location: https://example.com/mcp?token=other-secret\r\n";
            return respond(stream, "307 Temporary Redirect", to, "");
        }
        "slash" if !request.head.starts_with("post /mcp/ ") => {
            return respond(stream, "307 Temporary Redirect", "location: /mcp/\r\n", "");
        }
        "relative" if !request.head.starts_with("post /mcp/ ") => {
            return respond(stream, "307 Temporary Redirect", "location: mcp/\r\n", "");
        }
        "query" if !request.head.starts_with("post /mcp?v=1 ") => {
            return respond(stream, "308 Permanent Redirect", "location: ?v=1\r\n", "");
        }
        "same-host" if !request.head.starts_with("post /a/ ") => {
            let to = format!("location: //{}/b/../a/\r\n", stream.local_addr().unwrap());
            return respond(stream, "307 Temporary Redirect", &to, "");
        }
        "other-host" => {
            let to = "location: //example.com/mcp?token=other-secret\r\n";
            return respond(stream, "307 Temporary Redirect", to, "");
        }
        "in-circles" => {
            return respond(stream, "308 Permanent Redirect", "location: /mcp\r\n", "");
        }
        "cut-off" if is_list => {
            let text =
                format!("HTTP/1.1 200 OK\r\n{JSON}content-length: 1000\r\n\r\n{{\"jsonrpc\"");
            return drop(stream.write_all(text.as_bytes()));
        }
        "drips" if is_list => {
            let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\n").as_bytes());
            while stream.write_all(b": still here\n\n").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
            return;
        }
        "endless" if is_list => {
            let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{JSON}\r\n").as_bytes());
            while stream.write_all(&[b' '; 1 << 16]).is_ok() {}
            return;
        }
        "endless-events" if is_list => {
            let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\n").as_bytes());
            let event = "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n".repeat(1000);
            while stream.write_all(event.as_bytes()).is_ok() {}
            return;
        }
        "refuses" if is_list => {
            let message = format!(
                "no licence for {TOKEN}, very-secret, nor for env-secret at ?key=url-secret"
            );
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":2,"error":{{"code":-32000,"message":"{message}"}}}}"#
            );
            return respond(stream, "400 Bad Request", JSON, &body);
        }
        "stateless" => {
            let modern = request.head.contains("mcp-protocol-version: 2026-07-28\r\n")
                && request.body.contains("io.modelcontextprotocol/protocolVersion");
            let method = if is_list { "tools/list" } else { "server/discover" };
            if !modern || !request.head.contains(&format!("mcp-method: {method}\r\n")) {
                let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"unsupported","data":{"supported":["2026-07-28"]}}}"#;
                return respond(stream, "400 Bad Request", JSON, body);
            }
        }
        "session" if !request.is("initialize") => {
            let known = request.head.contains(&format!("mcp-session-id: {SESSION}\r\n"))
                && request.head.contains("mcp-protocol-version: 2025-06-18\r\n")
                && request.head.contains("authorization: bearer very-secret\r\n")
                && request.head.contains("x-from: env-secret\r\n");
            if !known {
                return respond(stream, "400 Bad Request", "", "");
            }
        }
        "refuses-notifications" if !request.body.contains("\"id\":") => {
            return respond(stream, "405 Method Not Allowed", "", "");
        }
        _ => {}
    }
    if request.body.is_empty()
        || !request.body.contains("\"method\"")
        || !request.body.contains("\"id\":")
    {
        respond(stream, "202 Accepted", "", "");
    } else if is_list && mode == "asks-back" {
        let ask = r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#;
        let body = format!(
            "retry: 10\nid: 1\ndata:\n\ndata: {ask}\n\nevent: message\ndata: {}\n\n",
            request.answer(TOOLS)
        );
        respond(stream, "200 OK", EVENTS, &body);
    } else if is_list {
        respond(stream, "200 OK", JSON, &request.answer(TOOLS));
    } else {
        let headers = format!("{JSON}mcp-session-id: {SESSION}\r\n");
        respond(stream, "200 OK", &headers, &request.answer(INITIALIZED));
    }
}

/// Starts a server in a mode; it stays until the tests end. Returns its port.
fn start(mode: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(mode, &mut stream));
        }
    });
    port
}

fn list(mode: &'static str) -> crate::support::Said {
    let port = start(mode);
    let url = format!("http://127.0.0.1:{port}/mcp?key=url-secret");
    let arguments =
        ["-v", "list", "--message-format", "json", "--url", &url, "--limit", "answer-seconds=2"];
    let header = format!("Authorization: {TOKEN}");
    let mut command = command(Path::new("."), &arguments);
    command.args(["--header", &header]).env("MCP_SEMVER_HEADERS", "\n X-From: env-secret\n");
    let started = Instant::now();
    let mut said = said(&mut command);
    assert!(started.elapsed() < Duration::from_secs(20), "{mode} took {:?}", started.elapsed());
    let all = format!("{}{}", said.stdout, said.stderr);
    assert!(!all.contains("secret"), "{mode}: {all}");
    said.stderr = said.stderr.replace(&format!(":{port}"), ":PORT");
    said
}

#[test]
fn what_the_protocol_allows_is_read() {
    for mode in [
        "good",
        "session",
        "asks-back",
        "stateless",
        "slash",
        "relative",
        "query",
        "same-host",
        "refuses-notifications",
        "revision",
    ] {
        let listed = list(mode);
        assert_eq!(listed.code, 0, "{mode}: {}", listed.stderr);
        assert_eq!(names(&listed.json()), ["ping"], "{mode}");
        let is_noted = listed.stderr.contains("the protocol revision `..`");
        assert_eq!(is_noted, mode == "revision", "{mode}: {}", listed.stderr);
    }
}

#[test]
fn a_name_that_holds_a_secret_is_none() {
    let url = format!("http://127.0.0.1:{}/mcp", start("revision"));
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["lock", "--url", &url, "--header", &format!("Authorization: {TOKEN}")];
    said(&mut command(directory.path(), &arguments)).expect(0);
    let lockfile =
        std::fs::read_to_string(directory.path().join("tool-versions.lock.yaml")).unwrap();
    let address = url.trim_end_matches("/mcp");
    assert!(lockfile.contains(&format!("generated_for: {address}\n")), "{lockfile}");
}

#[test]
fn what_it_does_not_has_a_name() {
    let mut text = String::new();
    for mode in [
        "unauthorized",
        "not-found",
        "down",
        "page",
        "no-json",
        "no-http",
        "hang",
        "closes",
        "elsewhere",
        "in-circles",
        "cut-off",
        "drips",
        "endless",
        "endless-events",
        "refuses",
        "type",
        "address",
        "cursor",
        "changes",
        "changes-between",
        "changes-in-a-batch",
        "answers-twice-in-a-batch",
        "answers-before-the-question",
        "encoded",
        "untyped",
        "odd-revision",
        "long-revision",
        "other-host",
    ] {
        let listed = list(mode).expect(101);
        text += &format!(
            "-- {mode}\n{}",
            listed.stderr.replacen("      Asking http://127.0.0.1:PORT\n", "", 1)
        );
    }
    insta::assert_snapshot!(text);
}

#[test]
fn what_is_no_url_or_header_is_named_without_its_value() {
    let mut text = String::new();
    for (url, header) in [
        ("nonsense secret", "A: b"),
        ("ftp://secret@localhost/", "A: b"),
        ("http://127.0.0.1:1/", "Authorization very secret"),
        ("http://127.0.0.1:1/", "Bad Name: secret"),
        ("http://127.0.0.1:1/", "Authorization: very\u{7f}secret"),
        ("http://127.0.0.1:1/", "Mcp-Session-Id: secret"),
        ("http://secret@127.0.0.1:1/secret?secret#secret", "A: secret"),
    ] {
        let arguments = ["check", "--url", url, "--header", header];
        let refused = said(&mut command(Path::new("/"), &arguments)).expect(101);
        text += &refused.stderr;
    }
    assert!(!text.contains("secret"), "{text}");
    insta::assert_snapshot!(text);
}
