use std::fs;
use std::path::Path;

use super::*;

/// Writes files into a fresh folder and scans `main.rs` there.
fn scanned(files: &[(&str, &str)]) -> (tempfile::TempDir, CrateScan) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let scan = scan(&folder.path().join("main.rs")).unwrap();
    (folder, scan)
}

/// Scans one file in which `rmcp`'s attributes are in scope.
fn one(text: &str) -> CrateScan {
    scanned(&[("main.rs", &format!("use rmcp::{{tool, tool_router, tool_handler}};{text}"))]).1
}

fn tool_block(function: &str) -> String {
    format!("use rmcp::tool; #[tool_router] impl S {{ #[tool] fn {function}(&self) {{}} }}")
}

/// `module path::function` of every tool.
fn tool_paths(scan: &CrateScan) -> Vec<String> {
    let path = |mut module: usize| {
        let mut names = vec![scan.modules[module].name.clone()];
        while let Some(parent) = scan.modules[module].parent {
            names.insert(0, scan.modules[parent].name.clone());
            module = parent;
        }
        names.join("::")
    };
    scan.tools.iter().map(|tool| format!("{}::{}", path(tool.module), tool.function)).collect()
}

fn serves(text: &str) -> Serves {
    one(text).handlers.remove(0).serves
}

#[test]
fn module_files_are_found_where_rustc_looks() {
    let (_, scan) = scanned(&[
        (
            "main.rs",
            "mod flat; mod nested; #[path = \"odd/place.rs\"] mod odd; mod missing;
             mod inline { mod child; #[path = \"x.rs\"] mod far; mod r#type; }
             #[cfg_attr(unix, path = \"unix.rs\")] mod os;",
        ),
        ("flat.rs", &format!("mod below; {}", tool_block("flat"))),
        ("flat/below.rs", &tool_block("below")),
        ("nested/mod.rs", &format!("mod deep; #[path = \"p.rs\"] mod p; {}", tool_block("nested"))),
        ("nested/deep.rs", &tool_block("deep")),
        ("nested/p.rs", &tool_block("p")),
        ("odd/place.rs", &format!("mod beside; {}", tool_block("odd"))),
        ("odd/beside.rs", &tool_block("beside")),
        ("inline/child.rs", &tool_block("child")),
        ("inline/x.rs", &tool_block("far")),
        ("inline/type.rs", &tool_block("raw")),
        ("unix.rs", &tool_block("unix")),
        ("os.rs", &tool_block("elsewhere")),
    ]);
    assert_eq!(scan.unread, []);
    let mut paths = tool_paths(&scan);
    paths.sort();
    assert_eq!(
        paths,
        [
            "crate::flat::below::below",
            "crate::flat::flat",
            "crate::inline::child::child",
            "crate::inline::far::far",
            "crate::inline::r#type::raw",
            "crate::nested::deep::deep",
            "crate::nested::nested",
            "crate::nested::p::p",
            "crate::odd::beside::beside",
            "crate::odd::odd",
            "crate::os::elsewhere",
            "crate::os::unix",
        ]
    );
}

#[test]
fn a_module_in_a_file_that_is_not_mod_rs_resolves_paths_beside_it() {
    let (_, scan) = scanned(&[
        ("main.rs", "mod a;"),
        ("a.rs", "#[path = \"b.rs\"] mod b; mod inline { #[path = \"c.rs\"] mod c; }"),
        ("b.rs", &tool_block("b")),
        ("a/inline/c.rs", &tool_block("c")),
    ]);
    assert_eq!(tool_paths(&scan), ["crate::a::b::b", "crate::a::inline::c::c"]);
}

#[test]
fn a_file_that_includes_itself_ends() {
    let (_, scan) = scanned(&[("main.rs", "#[path = \"main.rs\"] mod again; use rmcp as _;")]);
    assert_eq!(scan.modules.len(), 1);
}

#[test]
fn spans_are_the_source_s() {
    let text =
        "\u{feff}// rmcp\n#[tool_router]\nimpl S {\n    #[tool]\n    async fn find(&self) {}\n}\n";
    let (_, scan) = scanned(&[("main.rs", text)]);
    let span = &scan.tools[0].span;
    assert_eq!((span.line, span.column), (5, 14));
    assert_eq!(scan.modules[0].end, text.len());
    let (_, scan) = scanned(&[("main.rs", &format!("#!/usr/bin/env cargo\n{}", &text[3..]))]);
    assert_eq!(scan.tools[0].span.line, 6);
}

#[test]
fn what_cannot_be_parsed_is_unread_and_not_skipped() {
    let (_, scan) = scanned(&[("main.rs", "mod bad; use rmcp::tool;"), ("bad.rs", "fn (")]);
    assert_eq!(scan.unread.len(), 1);
    assert!(scan.unread[0].span.file.ends_with("bad.rs"), "{:?}", scan.unread);
    let deep = format!("// rmcp\nfn f() {{ {}{} }}", "(".repeat(50_000), ")".repeat(50_000));
    let (_, scan) = scanned(&[("main.rs", &deep)]);
    assert!(scan.unread[0].reason.contains("nested more than"), "{:?}", scan.unread);
    let (_, scan) = scanned(&[("main.rs", "mod raw; use rmcp::tool;")]);
    assert_eq!(scan.unread, []);
}

#[test]
fn a_module_file_that_is_not_text_is_unread() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("main.rs"), "mod raw; use rmcp::tool;").unwrap();
    fs::write(folder.path().join("raw.rs"), [0xff, 0xfe]).unwrap();
    let scan = scan(&folder.path().join("main.rs")).unwrap();
    assert!(scan.unread[0].reason.starts_with("it cannot be read"), "{:?}", scan.unread);
}

#[test]
fn a_missing_root_is_an_error() {
    let error = scan(Path::new("/nowhere/main.rs")).unwrap_err();
    assert_eq!(error.to_string(), "cannot read the crate root /nowhere/main.rs");
}

#[test]
fn conditions_of_function_block_and_module_are_kept() {
    let scan =
        one("#[cfg(feature = \"a\")] mod m { use rmcp::tool; #[cfg(unix)] #[tool_router] impl S {
             #[cfg(feature = \"b\")] #[tool] fn x(&self) {}
             #[cfg_attr(feature = \"c\", tool(name = \"y\"))] fn y(&self) {}
         } }
         #[cfg(test)] mod tests { #[tool_router] impl T { #[tool] fn z(&self) {} } }");
    assert_eq!(scan.tools.len(), 2, "{:?}", scan.tools);
    assert_eq!(scan.tools[0].cfgs, ["unix", "feature = \"b\""]);
    assert_eq!(scan.tools[1].cfgs, ["unix", "feature = \"c\""]);
    assert_eq!(scan.modules[scan.tools[0].module].cfgs, ["feature = \"a\""]);
}

#[test]
fn other_crates_attributes_of_the_same_name_are_left_alone() {
    let none = "use other::tool; impl S { #[tool] fn x(&self) {} } #[tool] fn free() {}";
    assert_eq!(scanned(&[("main.rs", none)]).1.tools, []);
    let no_import = format!("use rmcp::ServerHandler; {none}");
    assert_eq!(scanned(&[("main.rs", &no_import)]).1.tools, []);
    let qualified = "impl S { #[rmcp::tool] fn x(&self) {} #[::rmcp::tool] fn y(&self) {} }";
    assert_eq!(scanned(&[("main.rs", qualified)]).1.tools.len(), 2);
}

#[test]
fn generic_types_are_read_through_a_stub_unless_the_signature_mentions_the_parameter() {
    let scan = one("#[tool_router] impl<B: Backend, const N: usize> Server<B, N> {
             #[tool] async fn fine(&self, Parameters(p): Parameters<Args>) -> String { self.b.go() }
             #[tool] fn typed(&self, p: Parameters<B::Args>) {}
             #[tool] fn own(&self) -> Result<Self, E> {}
         }
         #[tool_router] impl<'a> Borrowed<'a> { #[tool] fn direct(&self) {} }");
    assert!(matches!(&scan.tools[0].call, Call::Stub { items, .. } if items.contains("loop { }")));
    for (tool, name) in [(1, "`B`"), (2, "`Self`")] {
        let Call::Unreadable(why) = &scan.tools[tool].call else { panic!("{:?}", scan.tools) };
        assert!(why.contains(name), "{why}");
    }
    let Call::Direct(call) = &scan.tools[3].call else { panic!("{:?}", scan.tools[3]) };
    assert_eq!(
        call.split_whitespace().collect::<String>(),
        "<Borrowed<'static>>::direct_tool_attr()"
    );
}

#[test]
fn tools_where_no_path_leads_are_named() {
    let scan = one("fn main() { struct L; #[tool_router] impl L { #[tool] fn x(&self) {} } }
                    trait T { #[tool] fn y(&self); }");
    let reasons: Vec<_> = scan.unread.iter().map(|unread| unread.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "the tool `x` cannot be read: it is declared inside a function; move its type to a module",
            "the tool `y` cannot be read: it is declared in a trait",
        ]
    );
}

#[test]
fn own_main_symbols_are_found() {
    for text in [
        "#[no_mangle] pub extern \"C\" fn main() {}",
        "#[unsafe(no_mangle)] pub extern \"C\" fn main() {}",
        "#[unsafe(export_name = \"main\")] extern \"C\" fn begin() {}",
    ] {
        assert!(one(text).main_symbol.is_some(), "{text}");
    }
    assert_eq!(one("#[no_mangle] pub extern \"C\" fn other() {} fn main() {}").main_symbol, None);
}

#[test]
fn what_a_handler_serves() {
    let router =
        |text: &str| Serves::Router(Expression { text: text.into(), calls: Vec::new(), sum: None });
    let default = "#[tool_handler] impl ServerHandler for S {}";
    assert!(matches!(serves(default), Serves::Default(_)));
    let field = "#[tool_handler(router = self.router)] impl ServerHandler for S {}";
    assert_eq!(serves(field), Serves::Field("router".into()));
    let fixed = "#[tool_handler(router = ROUTER)] impl ServerHandler for S {}";
    assert_eq!(serves(fixed), router("ROUTER"));
    let sum = "#[tool_handler(router = (Self::a() + Self::b()))] impl ServerHandler for S {}";
    let Serves::Router(sum) = serves(sum) else { panic!() };
    assert_eq!(sum.calls, ["a", "b"]);
    assert_eq!(serves("impl ServerHandler for S { fn get_info(&self) {} }"), Serves::Nothing);
    assert_eq!(serves("#[tool(tool_box)] impl ServerHandler for S {}"), Serves::ToolBox);
    for opaque in [
        "#[tool_handler(router = self.make(1))] impl ServerHandler for S {}",
        "#[mystery] impl ServerHandler for S {}",
        "impl ServerHandler for S { mystery!(); }",
    ] {
        assert!(matches!(serves(opaque), Serves::Opaque(_)), "{opaque}");
    }
    let both = "#[tool_router(router = r, server_handler)] impl S { #[tool] fn x(&self) {} }";
    let Serves::Router(both) = serves(both) else { panic!() };
    assert_eq!(both.calls, ["r"]);
}

#[test]
fn a_list_written_by_hand_counts_only_where_it_passes_a_router_on() {
    let by_hand = |body: &str| {
        serves(&format!(
            "impl ServerHandler for S {{ async fn list_tools(&self) -> R {{ {body} }} }}"
        ))
    };
    let plain = "Ok(ListToolsResult { tools: self.tool_router.list_all(), next_cursor: None })";
    assert_eq!(by_hand(plain), Serves::Field("tool_router".into()));
    for more in [
        "let mut tools = self.tool_router.list_all(); tools.pop(); Ok(tools)",
        "Ok(self.tool_router.list_all().into_iter().filter(keep).collect())",
        "if self.ro { Ok(vec![]) } else { Ok(self.tool_router.list_all()) }",
        "Ok(ListToolsResult::with_all_items(vec![tool()]))",
    ] {
        assert!(matches!(by_hand(more), Serves::Opaque(_)), "{more}");
    }
}

#[test]
fn fields_are_followed_to_their_routers() {
    let init = |body: &str| {
        let scan = one(&format!("impl S {{ fn new(c: C) -> Self {{ {body} }} }}"));
        scan.fields.into_iter().find(|used| used.field == "tool_router").unwrap().what
    };
    let calls = |body: &str| match init(body) {
        FieldEvent::Init(expression) => expression.calls,
        other => panic!("{body}: {other:?}"),
    };
    assert_eq!(calls("Self { tool_router: Self::a() }"), ["a"]);
    assert_eq!(calls("Self { tool_router: Arc::new(Self::a() + b()) }"), ["a", "b"]);
    assert_eq!(calls("let tool_router = Self::a(); Self { c, tool_router }"), ["a"]);
    assert_eq!(
        calls("let mut r = Self::a(); r.merge(Self::b()); r += S::c(); S { tool_router: r }"),
        ["a", "b", "c"]
    );
    let FieldEvent::Init(shadowed) = init(
        "let r = Self::a(); #[cfg(x)] let r = r + Self::b(); r.remove_route(\"t\"); S { tool_router: r }",
    ) else {
        panic!()
    };
    let text: String = shadowed.text.split_whitespace().collect();
    assert_eq!(text, "{letmutr=S::a();#[cfg(x)]letmutr=r+S::b();r.remove_route(\"t\");r}");
    for closed in [
        "let mut r = Self::a(); for t in r.map.values_mut() { t.x = Some(Kind::Safe.into()); } Self { tool_router: r }",
        "let mut r = Self::a(); normalize(&mut r); Self { tool_router: r }",
        "let mut r = Self::a(); if cfg!(unix) { r.remove_route(\"w\"); } Self { tool_router: r }",
        "let mut r = Self::a(); r.map.retain(|name, _| name != HIDDEN); Self { tool_router: r }",
        "let mut r = Self::a(); if let Some(t) = r.map.get_mut(\"w\") { t.attr.title = None; } Self { tool_router: r }",
    ] {
        assert_eq!(calls(closed), ["a"], "{closed}");
    }
    assert_eq!(calls("Self { tool_router: Self::a().with_disabled(\"x\") }"), ["a"]);
    for opaque in [
        "let mut r = Self::a(); if c.ro { r.remove_route(\"w\"); } Self { tool_router: r }",
        "let mut r = Self::a(); if read_only() { r.remove_route(\"w\"); } Self { tool_router: r }",
        "let mut r = Self::a(); r.remove_route(&std::env::var(\"X\").unwrap()); Self { tool_router: r }",
        "let mut r = Self::a(); r.remove_route(&format!(\"{c}\")); Self { tool_router: r }",
        "let mut r = Self::a(); for t in r.map.values_mut() { t.x = c.x; } Self { tool_router: r }",
        "let mut r = Self::a(); prune(&mut r, &c); Self { tool_router: r }",
        "let mut r = Self::a(); r.hide_for(&c); Self { tool_router: r }",
        "let mut r = Self::a(); r.remove_route(&c.name); Self { tool_router: r }",
        "Self { tool_router: Self::routers_for(&c) }",
    ] {
        assert!(matches!(init(opaque), FieldEvent::OpaqueInit(_)), "{opaque}: {:?}", init(opaque));
    }
}

#[test]
fn edits_of_a_router_in_a_field_are_found() {
    for body in [
        "self.tool_router.remove_route(\"x\")",
        "self.tool_router.map.retain(|_, _| false)",
        "self.tool_router.map.get_mut(\"x\")",
        "self.tool_router += Self::more()",
        "self.tool_router = Self::more()",
        "self.tool_router.hide_by_extension_trait()",
        "prune(&mut self.tool_router)",
        "self.tool_router.write().unwrap().map.remove(\"x\")",
        "self.tool_router.write().await.map.clear()",
        "let S { tool_router: r, .. } = self; r.map.remove(\"x\")",
        "let Self { tool_router, .. } = self; tool_router.map.clear()",
        "let Self { ref mut tool_router, .. } = *self; prune(tool_router)",
        "let Self { tool_router: ToolRouter { map, .. }, .. } = self; map.clear()",
        "if let S { tool_router } = self { let other = tool_router; other.map.clear() }",
        "edit!(self.tool_router)",
        "edit!(remove self.tool_router.map)",
        "println!(\"{}\", self.tool_router.map.remove(\"x\").is_some())",
        "macro_rules! ed { ($s:ident) => { $s.tool_router.map.remove(\"x\"); } } ed!(self)",
        "fn f(s: &mut S) { s.tool_router.map.clear() } f(self)",
        "trait E { fn f(s: &mut S) { s.tool_router.map.clear() } }",
        "impl Other { fn f(S { tool_router }: &mut S) { tool_router.map.clear() } }",
    ] {
        let scan = one(&format!("impl S {{ fn edit(&mut self) {{ {body}; }} }}"));
        assert!(
            scan.fields.iter().any(|used| used.field == "tool_router"
                && matches!(used.what, FieldEvent::Edit(_))),
            "{body}: {:?}",
            scan.fields
        );
    }
    let reads = one(
        "impl S { fn n(&self) -> usize { self.tool_router.map.len() + self.tool_router.map.keys().count() } }",
    );
    assert_eq!(reads.fields, []);
    for items in [
        "macro_rules! ed { ($s:ident) => { $s.tool_router.map.remove(\"x\"); } }",
        "fn f(S { tool_router }: &mut S) { tool_router.map.clear() }",
        "trait E { fn f(s: &mut S) { s.tool_router.map.clear() } }",
    ] {
        let scan = one(items);
        assert!(scan.fields.iter().any(|used| used.field == "tool_router"), "{items}");
    }
    for body in [
        "let S { tool_router: r, .. } = self; r.map.len() + r.list_all().len()",
        "let S { tool_router, .. } = self; count(&tool_router.map)",
        "let S { tool_router: _, .. } = self; 0",
        "println!(\"{:?} {}\", self.tool_router, self.tool_router.map.len())",
        "select! { _ = self.tool_router.list_all() => {} }",
    ] {
        let scan = one(&format!("impl S {{ fn n(&self) -> usize {{ {body} }} }}"));
        assert_eq!(scan.fields, [], "{body}");
    }
}

#[test]
fn routers_are_named_with_the_type_they_route() {
    let scan = one(
        "impl S { fn a() -> ToolRouter<Self> {} fn needs(&self) -> ToolRouter<Self> {} fn b(x: u8) -> ToolRouter<S> {} }
         fn free() -> rmcp::handler::server::router::tool::ToolRouter<S> {}
         #[tool_router(router = \"named\")] impl S { #[tool] fn x(&self) {} }",
    );
    let found: Vec<_> = scan
        .routers
        .iter()
        .map(|router| (router.self_type.as_str(), router.name.as_str(), router.generated))
        .collect();
    assert_eq!(found, [("S", "a", false), ("S", "free", false), ("S", "named", true)]);
}

#[test]
fn expansion_is_needed_where_macros_may_make_tools() {
    let needs = |text: &str| one(text).needs_expansion;
    assert!(needs("macro_rules! m { () => { #[tool_router] impl S {} } } m!();"));
    assert!(needs("make_server! { #[tool] fn x() {} }"));
    assert!(needs("include!(concat!(env!(\"OUT_DIR\"), \"/tools.rs\"));"));
    assert!(needs("unknown_macro!(S);"));
    assert!(needs("#[make::server] impl S {}"));
    assert!(!needs("#[rustfmt::skip] #[cfg_attr(test, allow(x))] #[async_trait] impl T for S {}"));
    assert!(!needs(
        "macro_rules! m { () => { fn f() {} } } m!(); thread_local! { static X: u8 = 0; } rmcp::elicit_safe!(X);"
    ));
    assert!(!needs("fn f() { println!(\"tool\"); }"));
}

#[test]
fn a_handler_in_a_module_that_a_macro_declares_needs_expansion() {
    let (_, scan) = scanned(&[
        ("main.rs", "use rmcp as _; cfg_if::cfg_if! { if #[cfg(unix)] { mod a; } }"),
        ("a.rs", "impl ServerHandler for S { fn list_tools(&self) {} }"),
    ]);
    assert!(scan.needs_expansion);
}

#[test]
fn attributes_that_a_prelude_brings_are_seen() {
    let prelude =
        format!("use common::prelude::*; {}", tool_block("x").replace("use rmcp::tool;", ""));
    assert_eq!(scanned(&[("main.rs", &prelude)]).1.tools.len(), 1);
    let renamed = "use rmcp as m; #[m::tool_router] impl S { #[m::tool] fn x(&self) {} }";
    assert_eq!(scanned(&[("main.rs", renamed)]).1.tools.len(), 1);
}

#[test]
fn modules_declared_in_macros_wait_for_expansion() {
    let (_, scan) = scanned(&[
        (
            "main.rs",
            "use rmcp as _; cfg_if::cfg_if! { if #[cfg(unix)] { mod a; } else { mod b; } }",
        ),
        ("a.rs", &tool_block("x")),
        ("b.rs", &tool_block("y")),
    ]);
    assert!(scan.needs_expansion);
    let real = scan_expanded(
        &scan,
        "mod a { struct S; impl S { fn x_tool_attr() -> rmcp::model::Tool { todo() } } }",
    )
    .unwrap();
    let state: Vec<_> = real.modules.iter().map(|m| (m.name.as_str(), m.from_macro)).collect();
    assert_eq!(state, [("crate", false), ("a", false), ("b", true)]);
    assert_eq!(real.tools, scan.tools, "known tools are not found again");
}

#[test]
fn expansion_shows_what_macros_make() {
    let scan = one("lamps!(Lamps);");
    let expanded = scan_expanded(
        &scan,
        "impl Lamps { pub fn on_tool_attr() -> rmcp::model::Tool { x() } fn on(&self) {}
             fn tool_router() -> rmcp::handler::server::router::tool::ToolRouter<Self> { y() } }
         impl ::rmcp::ServerHandler for Lamps {
             async fn list_tools(&self) -> R { Ok(R { tools: Self::tool_router().list_all() }) }
         }",
    )
    .unwrap();
    assert_eq!(expanded.tools[0].function, "on");
    assert!(expanded.tools[0].made_by_macro);
    assert_eq!(expanded.routers[0].name, "tool_router");
    assert!(matches!(expanded.handlers[0].serves, Serves::Router(_)));
    let error = scan_expanded(&scan, "fn f() {\n )").unwrap_err();
    assert_eq!(error.line, 2);
}

#[test]
fn a_module_that_a_macro_makes_whole_is_unread_where_it_holds_tools() {
    let scan = one("server!(m);");
    let text = "mod m { impl S { pub fn x_tool_attr() -> rmcp::model::Tool { x() } } }";
    let expanded = scan_expanded(&scan, text).unwrap();
    assert!(expanded.unread[0].reason.starts_with("the module `m` is made by a macro"));
}
