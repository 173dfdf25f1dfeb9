use std::fs;

use crate::scan::{CrateScan, Serves, scan};

use super::*;

fn scanned(text: &str) -> CrateScan {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("main.rs");
    fs::write(&root, text).unwrap();
    scan(&root).unwrap()
}

/// What a handler on rust-mcp-sdk with this body serves: its list, or why that is not known.
fn listed(body: &str) -> Result<String, String> {
    let scan = scanned(&format!(
        "use rust_mcp_sdk::x; impl ServerHandler for S {{
         async fn handle_list_tools_request(&self) -> R {{ {body} }} }}"
    ));
    match scan.handlers.into_iter().next().unwrap().serves {
        Serves::Listing(list) => Ok(list.split_whitespace().collect()),
        Serves::Opaque(why) => Err(why),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_list_that_depends_on_items_alone_is_evaluated() {
    for (body, list) in [
        ("Ok(ListToolsResult { tools: T::tools(), next_cursor: None })", "T::tools()"),
        (
            "Ok(ListToolsResult { tools: vec![A::tool(), b::B::tool()], .. D })",
            "::std::vec![A::tool(),b::B::tool()]",
        ),
        ("log(); let tools = T::tools(); return Ok(ListToolsResult { tools });", "T::tools()"),
        (
            "let r = ListToolsResult { tools: [A::tools(), B::tools()].concat() }; Ok(r.into())",
            "([A::tools(),B::tools()]).concat()",
        ),
        ("use crate::t::T; Ok(ListToolsResult { tools: T::tools() })", "usecrate::t::T;T::tools()"),
        ("Box::pin(async move { Ok(ListToolsResult { tools: Self::all() }) })", "{S::all()}"),
        ("Ok(ListToolsResult { tools: TOOLS.clone() })", "(TOOLS).clone()"),
    ] {
        assert_eq!(listed(body), Ok(format!("{{{list}}}")), "{body}");
    }
}

#[test]
fn a_list_that_a_run_decides_is_not() {
    for body in [
        "Ok(ListToolsResult { tools: self.tools.clone() })",
        "Ok(ListToolsResult { tools: T::tools(self.mode) })",
        "Ok(ListToolsResult { tools: T::tools(), next_cursor: next() })",
        "if quiet() { return Ok(ListToolsResult { tools: vec![] }); }
         Ok(ListToolsResult { tools: T::tools() })",
        "if quiet() { return stop(); } Ok(ListToolsResult { tools: T::tools() })",
        "let mut tools = T::tools(); tools.pop(); Ok(ListToolsResult { tools })",
        "let tools = T::tools(); let tools = cut(tools); Ok(ListToolsResult { tools })",
        "let tools = tools; Ok(ListToolsResult { tools })",
        "let mut r = ListToolsResult { tools: T::tools() }; r.tools.pop(); Ok(r)",
        "Ok(cut(ListToolsResult { tools: T::tools() }))",
        "bail!(return ListToolsResult { tools: A::tools() }); Ok(ListToolsResult { tools: T::tools() })",
        "match mode() { A => Ok(ListToolsResult { tools: T::tools() }), B => stop() }",
        "Ok(ListToolsResult { tools: T::tools().into_iter().take(2).collect() })",
        "self.list().await",
    ] {
        let why = listed(body).expect_err(body);
        assert!(why.starts_with("its "), "{why}");
    }
}

#[test]
fn a_handler_of_all_requests_lists_in_one_arm() {
    let serves = |arms: &str| {
        let scan = scanned(&format!(
            "use rust_mcp_sdk::x; impl ServerHandlerCore for S {{ async fn handle_request(&self) {{
             match request {{ {arms} _ => stop() }} }} }}"
        ));
        scan.handlers.into_iter().next().unwrap().serves
    };
    let list = "F::ListToolsRequest(_) => Ok(ListToolsResult { tools: T::tools() }.into()),";
    assert!(matches!(serves(list), Serves::Listing(_)));
    let guarded = "F::ListToolsRequest(_) if f() => Ok(ListToolsResult { tools: T::tools() }),";
    assert!(matches!(serves(guarded), Serves::Opaque(_)));
    assert_eq!(serves(""), Serves::Nothing);
}

const POEM: &str = "use poem_mcpserver::Tools; struct S; #[Tools] impl S { async fn x(&self) {} }";
const MCP_ATTR: &str = "use mcp_attr::server::*; struct A;
    #[mcp_server] impl McpServer for A { #[tool] async fn y(&self, n: u8) {} async fn z(&self) {} }";

fn names(scan: &CrateScan) -> Vec<&str> {
    scan.tools.iter().map(|tool| tool.function.as_str()).collect()
}

#[test]
fn each_framework_is_known_by_its_name() {
    let cases = [
        ("use rmcp::tool; #[tool_router] impl S { #[tool] fn x(&self) {} }", "rmcp"),
        ("#[rust_mcp_sdk::macros::mcp_tool(name = \"x\")] struct X;", "rust-mcp-sdk"),
        (POEM, "poem-mcpserver"),
        (MCP_ATTR, "mcp-attr"),
        ("use turbomcp::*; #[server] impl S { #[tool] async fn x(&self) {} }", "turbomcp"),
        ("#[pmcp::mcp_tool(description = \"x\")] async fn x() {}", "pmcp"),
    ];
    assert_eq!(cases.len(), FRAMEWORKS.len());
    for (text, name) in cases {
        let scan = scanned(text);
        assert_eq!(scan.framework.unwrap().name, name);
        assert_eq!((scan.tools.len(), scan.unread), (1, Vec::new()), "{text}");
        // The same attributes of a crate that nobody knows.
        let other = text.replace(scan.framework.unwrap().ident, "other");
        assert!(name == "rmcp" || !scanned(&other).holds_tools(), "{other}");
    }
    // A name in a comment says nothing: nothing is declared through that framework.
    let scan = scanned(&format!("// moved away from rmcp\n{POEM}"));
    assert_eq!((scan.framework.unwrap().name, names(&scan)), ("poem-mcpserver", vec!["x"]));
}

#[test]
fn a_framework_is_known_by_another_name_where_its_macros_know_it() {
    let packages =
        ["poem-mcpserver", "turbomcp", "rmcp", "mcp_attr", "pmcp", "rust-mcp-sdk", "poem"];
    let given = packages.map(|name| (format!("of_{}", name.replace('-', "_")), name));
    let renamed = renamed(given.iter().map(|(name, package)| (name.as_str(), *package)));
    let known: Vec<_> = renamed.iter().map(|(name, ident)| (&**name, &**ident)).collect();
    assert_eq!(known, [("of_poem_mcpserver", "poem_mcpserver"), ("of_turbomcp", "turbomcp")]);
    let text = POEM.replace("poem_mcpserver", "of_poem_mcpserver");
    assert!(!scanned(&text).holds_tools());
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("main.rs");
    std::fs::write(&root, &text).unwrap();
    let scan = crate::scan::scan_renamed(&root, &renamed).unwrap();
    assert_eq!((scan.framework.unwrap().name, names(&scan)), ("poem-mcpserver", vec!["x"]));
    assert_eq!((scan.alias(), scan.needs_expansion), (Some("of_poem_mcpserver"), false));
}

#[test]
fn two_frameworks_in_one_crate_are_no_catalogue() {
    let scan = scanned(&format!("{MCP_ATTR}{POEM}"));
    let [unread] = scan.unread.as_slice() else { panic!("{:?}", scan.unread) };
    for part in ["`mcp-attr` and `poem-mcpserver`", "--serve"] {
        assert!(unread.reason.contains(part), "{}", unread.reason);
    }
}

#[test]
fn what_no_path_reaches_is_told() {
    let hidden = scanned(&format!("fn main() {{ {MCP_ATTR} }}"));
    assert!(hidden.unread[0].reason.contains("inside a function"), "{:?}", hidden.unread);
    let made = scanned("use mcp_attr::server::*; make_server!();");
    assert!(made.unread[0].reason.contains("macros may make a server"), "{:?}", made.unread);
    let other = format!("{MCP_ATTR} make_server!(); fn main() {{ serve_stdio(B) }}");
    assert!(scanned(&other).unread[0].reason.contains("macros may make a server"));
    let own = format!("{MCP_ATTR} make_errors!(); fn main() {{ serve_stdio(A) }}");
    assert_eq!(scanned(&own).unread, []);
}

#[test]
fn a_signature_that_mentions_its_server_cannot_be_declared_again() {
    let scan = scanned(&MCP_ATTR.replace("n: u8", "n: Self"));
    let crate::scan::Call::Unreadable(why) = &scan.tools[0].call else { panic!() };
    assert!(why.contains("`Self`") && why.contains("--serve"), "{why}");
}

#[test]
fn versions_beyond_what_was_tried_are_noted_or_refused() {
    let version = |text: &str| text.parse::<Version>().unwrap();
    let turbomcp = &turbomcp::TURBOMCP;
    assert_eq!(turbomcp.untried(&version("3.6.2")), None);
    assert!(turbomcp.untried(&version("3.9.0")).unwrap().contains("3.9.0"));
    assert!(turbomcp.refused(&version("4.0.0-alpha.5")).unwrap().contains("--serve"));
    assert!(turbomcp.refused(&version("2.3.3")).unwrap().contains("older"));
    assert_eq!(rmcp::RMCP.refused(&version("9.0.0")), None);
    assert!(pmcp::PMCP.refused(&version("2.0.0")).unwrap().contains("--serve"));
}

#[test]
fn a_tool_behind_a_condition_counts_where_its_macro_sees_it() {
    let inside = MCP_ATTR.replace("async fn z", "#[cfg_attr(unix, tool)] async fn z");
    assert_eq!(names(&scanned(&inside)), ["y"]);
    let server =
        "use turbomcp::*; #[server] impl S { #[tool] async fn y(&self) {} fn z(&self) {} }";
    let inside = server.replace("fn z", "#[cfg_attr(unix, tool)] fn z");
    assert_eq!(names(&scanned(&inside)), ["y"]);
    let free = format!("{MCP_ATTR} #[cfg_attr(unix, mcp_attr::server::tool)] async fn f() {{}}");
    assert_eq!(names(&scanned(&free)), ["y"], "the macros know no path");
    let free = free.replace("mcp_attr::server::tool", "tool");
    assert_eq!(scanned(&free).tools[1].cfgs, ["unix"]);
    let whole = server.replace("#[server]", "#[cfg_attr(unix, server)]");
    assert_eq!(scanned(&whole).tools[0].cfgs, ["unix"]);
    let poem = POEM.replace("#[Tools]", "#[cfg_attr(unix, Tools)]");
    assert_eq!(scanned(&poem).tools[0].cfgs, ["unix"]);
}

/// What the items of one module say of their tools: name, arguments, texts, output.
fn written(framework: &Framework, text: &str) -> Vec<String> {
    let items = syn::parse_file(text).unwrap().items;
    let shown = |tool: Written| {
        let input = match &tool.input {
            written::Input::Type(ty) => quote::quote!(#ty).to_string(),
            written::Input::Parameters(list) => {
                let names = list.iter().map(|it| match it.description {
                    Some(_) => format!("{}*", it.name),
                    None => it.name.clone(),
                });
                names.collect::<Vec<_>>().join(" ")
            }
        };
        let texts: Vec<&str> = tool.texts.iter().map(|(part, _)| *part).collect();
        let output = tool.output.map(|ty| quote::quote!(-> #ty).to_string()).unwrap_or_default();
        format!("{}({input}) {} {output}", tool.name, texts.join(" ")).trim().to_owned()
    };
    (framework.written)(&items).into_iter().map(shown).collect()
}

#[test]
fn arguments_are_found_where_each_framework_has_them() {
    let title = "/title /annotations/title";
    assert_eq!(
        written(
            &turbomcp::TURBOMCP,
            "#[server] impl S { /// Doc.
             #[tool(title = \"T\", read_only = true, output_schema = Vec<O>)]
             async fn a(&self, #[description(\"d\")] r#x: u8, y: u8) -> Json<P> {}
             #[tool(\"d\")] fn b(&self, /// Doc.
             z: u8) -> McpResult<Json<P>> {} fn c(&self) {} } impl S { #[tool] fn d(&self) {} }"
        ),
        [
            format!("a(x* y) /description {title} /annotations/readOnlyHint -> Vec < O >"),
            "b(z*) /description -> P".to_owned(),
        ]
    );
    assert_eq!(
        written(
            &mcp_attr::MCP_ATTR,
            "#[mcp_server] impl McpServer for S { #[tool(\"n\")] fn a(#[arg(\"b\")] c: u8, _d: u8) {} }
             #[tool] fn free(a: u8) {}"
        ),
        ["n(b d) /name", "free(a)"]
    );
    assert_eq!(
        written(
            &poem_mcpserver::POEM_MCPSERVER,
            "#[Tools] impl S { #[mcp(name = \"n\")] async fn a(&self, b: u8)
             -> Result<StructuredContent<O>, E> {} async fn c(&self) -> Text<u8> {} }"
        ),
        ["n(b) /name -> O", "c()"]
    );
    assert_eq!(
        written(
            &rust_mcp_sdk::RUST_MCP_SDK,
            "#[mcp_tool(name = \"n\", description = concat!(\"a\", \"b\"), open_world_hint = false,)]
             struct A { b: u8 } struct C { d: u8 }"
        ),
        ["n(A) /name /description /annotations/openWorldHint"]
    );
    assert_eq!(
        written(
            &rmcp::RMCP,
            "impl S { #[tool(annotations(title = \"T\", read_only_hint = true))]
             fn a(&self, Parameters(p): Parameters<P>) -> Result<Json<O>, E> {} fn b(&self) {} }"
        ),
        ["a(P) /annotations /annotations/title /annotations/readOnlyHint -> O"]
    );
}

#[test]
fn tools_that_a_builder_is_handed_have_the_types_of_their_handlers() {
    let body = |body: &str| {
        written(&pmcp::PMCP, &format!("async fn free(a: A, e: Extra) {{}} fn main() {{ {body} }}"))
    };
    for (text, tools) in [
        ("b.tool(\"n\", Tide).build()", vec!["n()"]),
        ("b.tool(NAME, Tide)", vec![]),
        ("b.tool_typed(\"n\", |a: A, _| f(a)).tool_typed(\"m\", free)", vec!["m(A)", "n(A)"]),
        ("b.tool_typed_sync::<A, _>(\"n\", f)", vec!["n(A)"]),
        ("b.tool_typed_with_description(\"n\", \"d\", |a: A, _| f(a))", vec!["n(A) /description"]),
        (
            "b.tool(\"n\", TypedTool::new(\"m\", |a: A, _| f(a)).with_description(D).read_only())",
            vec!["n(A) /annotations/readOnlyHint /description"],
        ),
        ("let t = TypedTool::<A, _>::new(\"n\", f); b.tool(\"n\", t)", vec!["n(A)", "n()"]),
    ] {
        assert_eq!(body(text), tools, "{text}");
    }
    assert_eq!(
        written(
            &pmcp::PMCP,
            "#[mcp_tool(description = \"d\", annotations(destructive = true))]
             async fn a(s: State<S>, b: B, e: RequestHandlerExtra) -> Result<O> {}"
        ),
        ["a(B) /description /annotations /annotations/destructiveHint -> O"]
    );
}
