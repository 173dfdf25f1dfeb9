use std::fs;
use std::path::PathBuf;

use semver::Version;
use serde_json::json;

use super::subject::{Subject, subjects};
use super::*;
use crate::scan::scan;

struct Crate {
    _folder: tempfile::TempDir,
    scan: CrateScan,
}

fn source(text: &str) -> Crate {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("main.rs");
    fs::write(&root, text).unwrap();
    Crate { scan: scan(&root).unwrap(), _folder: folder }
}

/// Source in which rmcp's attributes are in scope.
fn server(text: &str) -> Crate {
    source(&format!("use rmcp::{{tool, tool_router, tool_handler}};\n{text}"))
}

fn target(scan: &CrateScan) -> ProbeTarget<'_> {
    ProbeTarget {
        scan,
        siblings: Vec::new(),
        role: Role::Entry,
        edition: 2024,
        version: None,
        libraries: Vec::new(),
        hash_var: "HASH".into(),
    }
}

fn root_text(target: &ProbeTarget<'_>) -> String {
    instrument(target).unwrap().files.remove(&target.scan.root).unwrap()
}

/// Runs `conclude` on records in which every subject `known` maps to JSON has it as its value.
fn concluded(target: &ProbeTarget<'_>, known: impl Fn(Subject<'_>) -> Option<String>) -> Reading {
    let mut output = format!("ok\tprobe|{}\th\n", target.scan.root.display());
    for subject in subjects(target) {
        if let Some(record) = known(subject) {
            let (kind, payload) = record.split_once(' ').unwrap();
            output += &format!("{kind}\t{}\t{payload}\n", subject.key());
        }
    }
    output += "end\n";
    conclude(std::slice::from_ref(target), &["h".into()], &[], &output).unwrap()
}

/// Every tool is described by its function's name; every router lists `listed`.
fn answer(listed: &'static [&'static str]) -> impl Fn(Subject<'_>) -> Option<String> {
    move |subject| {
        Some(match subject {
            Subject::Tool(tool) => format!("ok {}", json!({"name": tool.function})),
            Subject::Handler(handler)
                if matches!(
                    handler.serves,
                    crate::scan::Serves::Opaque(_)
                        | crate::scan::Serves::Nothing
                        | crate::scan::Serves::ToolBox
                        | crate::scan::Serves::Field(_)
                ) =>
            {
                "ok null".into()
            }
            _ => {
                let tools: Vec<_> = listed.iter().map(|name| json!({"name": name})).collect();
                format!("ok {}", json!(tools))
            }
        })
    }
}

fn names(reading: &Reading) -> Vec<&str> {
    reading.tools.iter().map(|tool| tool.wire["name"].as_str().unwrap()).collect()
}

fn texts(remarks: &[Remark]) -> Vec<&str> {
    remarks.iter().map(|remark| remark.text.as_str()).collect()
}

const TWO_TOOLS: &str = "#[tool_router] impl S { #[tool] fn a(&self) {} #[tool] fn b(&self) {} }";

#[test]
fn instrumented_text_keeps_every_line_where_it_was() {
    let original = format!(
        "use rmcp::tool;\nmod inner {{\n use rmcp::tool_router;\n {TWO_TOOLS}\n}}\nfn main() {{}} // end"
    );
    let krate = source(&original);
    let text = root_text(&target(&krate.scan));
    for (number, line) in original.lines().enumerate() {
        let found = text.lines().nth(number).unwrap();
        let found = found.trim_start_matches("#![no_main] ");
        assert!(
            line.starts_with(found) || found.starts_with(line.trim_end_matches('}')),
            "{found}"
        );
    }
    assert!(text.contains("export_name = \"main\""));
    assert!(syn::parse_file(&text).is_ok(), "{text}");
}

#[test]
fn the_prelude_of_a_file_stays_in_front() {
    for prelude in
        ["\u{feff}", "#!/usr/bin/env run\n", "\u{feff}#!/usr/bin/env run\n", "//! Doc.\n"]
    {
        let krate = source(&format!("{prelude}use rmcp::*;"));
        let text = root_text(&target(&krate.scan));
        let expected = if prelude.starts_with("//!") { String::new() } else { prelude.into() };
        assert!(text.starts_with(&format!("{expected}#![no_main] ")), "{text}");
    }
}

#[test]
fn a_library_gets_a_public_collector_and_no_main() {
    let krate = server(TWO_TOOLS);
    let library = ProbeTarget { role: Role::Library, ..target(&krate.scan) };
    let text = root_text(&library);
    assert!(text.contains("pub fn __mcp_semver_collect"), "{text}");
    assert!(!text.contains("no_main") && !text.contains("export_name"), "{text}");
    let binary = ProbeTarget { libraries: vec!["core_lib".into()], ..target(&krate.scan) };
    assert!(root_text(&binary).contains("::core_lib::__mcp_semver_collect(&mut *__sink);"));
}

#[test]
fn the_hash_covers_what_is_compiled() {
    let krate = server(TWO_TOOLS);
    let hash = |target: &ProbeTarget<'_>| instrument(target).unwrap().hash;
    let plain = target(&krate.scan);
    assert_eq!(hash(&plain), hash(&plain));
    assert_ne!(hash(&plain), hash(&ProbeTarget { role: Role::Library, ..plain.clone() }));
    let before = hash(&plain);
    fs::write(&krate.scan.root, format!("use rmcp::*;{TWO_TOOLS} // more")).unwrap();
    assert_ne!(before, hash(&target(&scan(&krate.scan.root).unwrap())));
}

#[test]
fn modules_without_tools_are_not_touched() {
    let krate = server("mod empty { pub fn f() {} }");
    let text = root_text(&target(&krate.scan));
    assert_eq!(text.matches("fn __mcp_semver_collect").count(), 1);
}

#[test]
fn the_router_decides_what_is_served() {
    let krate = server(&format!("{TWO_TOOLS} #[tool_handler] impl ServerHandler for S {{}}"));
    let reading = concluded(&target(&krate.scan), answer(&["a", "extra"]));
    assert_eq!(names(&reading), ["a", "extra"]);
    assert_eq!(
        texts(&reading.notes),
        [
            "the tool `b` of `S` is declared but no handler serves it: agents cannot call it, and it is not counted"
        ]
    );
    assert_eq!(reading.unread, []);
    assert_eq!(reading.tools[0].span.as_ref().unwrap().line, 2);
    assert_eq!(reading.tools[1].span, None);
}

#[test]
fn the_default_router_depends_on_the_sdk_version() {
    let krate = server(&format!(
        "{TWO_TOOLS} impl S {{ fn new() -> Self {{ Self {{ tool_router: Self::tool_router() }} }}
         fn edit(&mut self) {{ self.tool_router.remove_route(name); }} }}
         #[tool_handler] impl ServerHandler for S {{}}"
    ));
    let with = |version: Version| ProbeTarget { version: Some(version), ..target(&krate.scan) };
    let new = concluded(&with(Version::new(1, 4, 0)), answer(&["a", "b"]));
    assert_eq!(new.unread, []);
    let old = concluded(&with(Version::new(1, 3, 9)), |subject| {
        Some(match subject {
            Subject::Handler(_) => "ok null".into(),
            other => answer(&["a", "b"])(other)?,
        })
    });
    assert_eq!(names(&old), ["a", "b"]);
    assert!(
        texts(&old.run_time)[0]
            .contains("its router is edited at run time: `self.tool_router.remove_route(name)`"),
        "{old:?}"
    );
}

#[test]
fn a_handler_that_cannot_be_followed_is_unread_and_everything_declared_is_counted() {
    let krate = server(&format!(
        "{TWO_TOOLS} impl ServerHandler for S {{ fn list_tools(&self) -> R {{ self.some() }} }}"
    ));
    let reading = concluded(&target(&krate.scan), answer(&["a", "c"]));
    assert_eq!(names(&reading), ["a", "b", "c"]);
    assert_eq!(
        texts(&reading.run_time),
        ["what `S` serves is not known: its `list_tools` is written by hand"]
    );
}

#[test]
fn a_handler_without_tools_serves_none() {
    let krate = server(&format!("{TWO_TOOLS} impl ServerHandler for S {{}}"));
    let reading = concluded(&target(&krate.scan), answer(&[]));
    assert_eq!(names(&reading), [""; 0]);
    assert_eq!(reading.notes.len(), 2);
    let wrapped = server(&format!(
        "{TWO_TOOLS} impl ServerHandler for S {{}} fn f() {{ Router::new(S).with_tools(S::tool_router()); }}"
    ));
    let reading = concluded(&target(&wrapped.scan), answer(&[]));
    assert_eq!(names(&reading), ["a", "b"]);
    assert_eq!(reading.run_time.len(), 1);
}

#[test]
fn a_type_beside_the_server_is_not_served() {
    let krate = server(&format!(
        "{TWO_TOOLS} #[tool_handler] impl ServerHandler for S {{}}
         mod other {{ use rmcp::tool; #[tool_router] impl T {{ #[tool] fn t(&self) {{}} }} }}"
    ));
    let reading = concluded(&target(&krate.scan), answer(&["a", "b"]));
    assert_eq!(names(&reading), ["a", "b"]);
    assert!(texts(&reading.notes)[0].starts_with("the tool `t` of `T` is declared"));
    let alone = server("#[tool_router] impl T { #[tool] fn t(&self) {} }");
    let reading = concluded(&target(&alone.scan), answer(&["t"]));
    assert_eq!(names(&reading), ["t"]);
    assert!(texts(&reading.notes)[0].starts_with("no `impl ServerHandler for T` was found"));
}

#[test]
fn generic_servers_are_followed_by_name() {
    let krate = server(
        "#[tool_router] impl<B> S<B> { #[tool] fn a(&self) {} }
         #[tool_router(router = more)] impl<B> S<B> { #[tool] fn b(&self) {} }
         #[tool_router(router = unused)] impl<B> S<B> { #[tool] fn c(&self) {} }
         impl<B> S<B> { fn new() -> Self { Self { r: Self::tool_router() + Self::more() } } }
         #[tool_handler(router = self.r)] impl<B> ServerHandler for S<B> {}",
    );
    let reading = concluded(&target(&krate.scan), answer(&[]));
    assert_eq!(names(&reading), ["a", "b"]);
    assert_eq!(reading.unread, []);
    assert_eq!(reading.notes.len(), 1);
}

#[test]
fn a_panicking_schema_is_unread_and_names_the_tool() {
    let krate = server(&format!("{TWO_TOOLS} #[tool_handler] impl ServerHandler for S {{}}"));
    let reading = concluded(&target(&krate.scan), |subject| {
        Some(match subject {
            Subject::Tool(tool) if tool.function == "a" => "ok {\"name\":\"a\"}".into(),
            _ => "panic no schema".into(),
        })
    });
    assert_eq!(
        texts(&reading.unread),
        ["the tool `b` cannot be read: its schema function panicked: no schema"]
    );
    assert_eq!(names(&reading), ["a"]);
}

#[test]
fn two_tools_of_one_name_both_stay() {
    let krate = server(&format!("{TWO_TOOLS} #[tool_handler] impl ServerHandler for S {{}}"));
    let reading = concluded(&target(&krate.scan), |subject| {
        Some(match subject {
            Subject::Tool(tool) => format!("ok {}", json!({"name": "x", "title": tool.function})),
            _ => "ok [{\"name\":\"x\",\"title\":\"b\"}]".into(),
        })
    });
    assert_eq!(names(&reading), ["x", "x"]);
}

#[test]
fn what_is_compiled_out_is_neither_served_nor_reported() {
    let krate = server(&format!("{TWO_TOOLS} #[tool_handler] impl ServerHandler for S {{}}"));
    let reading = concluded(&target(&krate.scan), |subject| match subject {
        Subject::Tool(tool) if tool.function == "b" => None,
        other => answer(&["a"])(other),
    });
    assert_eq!(names(&reading), ["a"]);
    assert_eq!((reading.notes, reading.unread), (vec![], vec![]));
}

#[test]
fn a_module_that_two_targets_share_is_counted_once() {
    let krate = server(&format!("{TWO_TOOLS} #[tool_handler] impl ServerHandler for S {{}}"));
    let (first, second) = (target(&krate.scan), target(&krate.scan));
    let keys: Vec<_> = subjects(&first).iter().map(|subject| subject.key()).collect();
    let other: Vec<_> = subjects(&second).iter().map(|subject| subject.key()).collect();
    assert_eq!(keys, other);
    let mut output = format!("ok\tprobe|{}\th\n", krate.scan.root.display());
    for (key, value) in keys.iter().zip([
        "{\"name\":\"a\"}",
        "{\"name\":\"b\"}",
        "[{\"name\":\"a\"},{\"name\":\"b\"}]",
    ]) {
        output += &format!("ok\t{key}\t{value}\nok\t{key}\t{value}\n");
    }
    output += "end\n";
    let reading = conclude(&[first, second], &["h".into(), "h".into()], &[], &output).unwrap();
    assert_eq!(names(&reading), ["a", "b"]);
}

#[test]
fn a_binary_may_initialise_the_server_of_its_library() {
    let library = server(&format!(
        "{TWO_TOOLS} #[tool_handler(router = self.r)] impl ServerHandler for S {{}}"
    ));
    let binary = server("fn main() { core_lib::S { r: core_lib::S::tool_router() }; }");
    let targets = [
        ProbeTarget { siblings: vec![&library.scan], ..target(&binary.scan) },
        ProbeTarget { siblings: vec![&binary.scan], ..target(&library.scan) },
    ];
    let mut output = String::new();
    for target in &targets {
        output += &format!("ok\tprobe|{}\th\n", target.scan.root.display());
        for subject in subjects(target) {
            let record = match subject {
                Subject::Tool(tool) => json!({"name": tool.function}),
                Subject::Init(_) => json!([{"name": "a"}]),
                _ => json!(null),
            };
            output += &format!("ok\t{}\t{record}\n", subject.key());
        }
    }
    output += "end\n";
    let reading = conclude(&targets, &["h".into(), "h".into()], &[], &output).unwrap();
    assert_eq!(names(&reading), ["a"]);
    assert_eq!(reading.run_time, []);
    assert_eq!(reading.notes.len(), 1);
}

/// Two servers in one crate, and `start` somewhere in it.
fn two_servers(start: &str, named: &[&str]) -> Result<Vec<String>, OutputError> {
    let krate = server(&format!(
        "{TWO_TOOLS} #[tool_handler] impl ServerHandler for S {{}}
         mod mock {{ #[tool_router] impl Mock {{ #[tool] fn m(&self) {{}} }}
                     #[tool_handler] impl ServerHandler for Mock {{}} }} {start}"
    ));
    let target = target(&krate.scan);
    let mut output = format!("ok\tprobe|{}\th\n", krate.scan.root.display());
    for subject in subjects(&target) {
        let record = match subject {
            Subject::Tool(tool) => json!({"name": tool.function}),
            Subject::Handler(handler) if handler.self_type == "Mock" => json!([{"name": "m"}]),
            _ => json!([{"name": "a"}, {"name": "b"}]),
        };
        output += &format!("ok\t{}\t{record}\n", subject.key());
    }
    output += "end\n";
    let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
    let reading = conclude(&[target], &["h".into()], &named, &output)?;
    Ok(names(&reading).into_iter().map(str::to_owned).collect())
}

#[test]
fn of_two_servers_the_one_that_is_started_counts() {
    assert_eq!(two_servers("fn main() { S::new().serve(stdio()); }", &[]).unwrap(), ["a", "b"]);
    let http = "fn main() { let s = StreamableHttpService::new(|| Ok(Mock::new()), x); axum::serve(l, s); }";
    assert_eq!(two_servers(http, &[]).unwrap(), ["m"]);
    let method = "impl S { fn run(self) { serve_server(self, stdio()); } }";
    assert_eq!(two_servers(method, &[]).unwrap(), ["a", "b"]);
}

#[test]
fn two_servers_that_cannot_be_told_apart_are_an_error_that_a_setting_resolves() {
    for start in [
        "",
        "fn main() { S::new().serve(stdio()); Mock.serve(stdio()); }",
        "fn main() { make().serve(stdio()); }",
        "fn main() { S.serve(stdio()); } fn other() { make().serve(stdio()); }",
    ] {
        let error = two_servers(start, &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`Mock` and `S` serve tools, and the source does not tell which of them this target \
             starts; name the one with `server = \"Mock\"` under [package.metadata.mcp-semver], or \
             several as an array",
            "{start}"
        );
        assert_eq!(two_servers(start, &["S"]).unwrap(), ["a", "b"]);
        assert_eq!(two_servers(start, &["Mock", "S"]).unwrap(), ["a", "b", "m"]);
    }
    assert_eq!(
        two_servers("", &["T"]).unwrap_err().to_string(),
        "no type `T` serves tools; `Mock` and `S` do"
    );
}

#[test]
fn source_that_vanished_is_an_error() {
    let krate = server(TWO_TOOLS);
    let scan = CrateScan { root: PathBuf::from("/nowhere"), ..krate.scan.clone() };
    drop(krate);
    assert!(instrument(&target(&scan)).is_err());
}

#[test]
fn what_only_another_server_would_route_is_not_counted() {
    let krate = source(
        "use mcp_attr::server::*; #[mcp_server] impl McpServer for S { #[tool] async fn a(&self) {} }
         #[tool] async fn b() {} fn routed() { McpServerBuilder::new() }
         fn main() { serve_stdio(S) }",
    );
    let reading = concluded(&target(&krate.scan), answer(&[]));
    assert_eq!((names(&reading), texts(&reading.run_time)), (vec!["a"], vec![]));
    assert!(
        texts(&reading.notes).iter().any(|note| note.contains("`b` is declared but no handler"))
    );
}

#[test]
fn a_list_with_two_tools_of_one_name_keeps_both() {
    let krate = source(
        "use rust_mcp_sdk::x; impl ServerHandler for S { async fn handle_list_tools_request(&self) {
         Ok(ListToolsResult { tools: T::tools() }) } }",
    );
    let list = r#"ok [{"name":"a","title":"A"},{"name":"a"},{"name":"b"}]"#;
    let reading = concluded(&target(&krate.scan), |_| Some(list.into()));
    assert_eq!(names(&reading), ["a", "a", "b"]);
}
