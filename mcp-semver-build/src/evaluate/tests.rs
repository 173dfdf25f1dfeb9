use std::fs;
use std::path::Path;

use semver::Version;
use serde_json::json;

use super::*;

mod macros;
mod told;

/// The start of a crate that serves one tool, `t`, which takes `Input`.
const SERVER: &str = "use rmcp::{tool, tool_router, handler::server::wrapper::Parameters};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
struct S;
#[tool_router(server_handler)]
impl S {
    /// Does it.
    #[tool]
    fn t(&self, Parameters(input): Parameters<Input>) -> String { String::new() }
}
";

fn unit(root: &Path) -> Unit {
    let package = |name: &str| {
        let version = Version::new(1, 0, 0);
        (name.to_owned(), Dependency::Package { name: name.to_owned(), version })
    };
    Unit {
        root: root.to_owned(),
        name: "server".into(),
        edition: 2024,
        cfg: Cfg::host(BTreeSet::from(["on".to_owned()])),
        dependencies: ["chrono", "clap", "other", "rmcp", "serde"].map(package).into(),
        environment: BTreeMap::new(),
        serves: true,
    }
}

fn sdk() -> Sdk {
    let (rmcp, schemars) = (Version::new(3, 11, 0), Version::new(1, 2, 3));
    Sdk { rmcp, schemars, keeps_order: false, keeps_digits: false }
}

/// Evaluates the crate whose files these are; the first is its root.
fn files(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Evaluation) {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let evaluation = evaluate(&[unit(&folder.path().join(files[0].0))], &sdk(), &[]).unwrap();
    (folder, evaluation)
}

/// Evaluates a server with this source behind [`SERVER`].
fn one(source: &str) -> Evaluation {
    files(&[("main.rs", format!("{SERVER}{source}").as_bytes())]).1
}

/// The properties of the input of the one tool.
fn properties(source: &str) -> Value {
    let evaluation = one(source);
    assert_eq!(evaluation.unresolved, []);
    evaluation.tools[0].wire["inputSchema"]["properties"].clone()
}

/// Why the one tool is not resolved, and the line of the cause.
fn reason(source: &str) -> (String, i64) {
    let evaluation = one(source);
    assert!(evaluation.tools.is_empty(), "{source}: {:?}", evaluation.tools);
    let why = evaluation.unresolved[0].why.clone();
    (why.reason, why.span.unwrap().line as i64 - SERVER.lines().count() as i64)
}

#[test]
fn what_a_block_s_macro_cannot_see_is_not_served() {
    for block in ["tool_router(server_handler)", "cfg_attr(all(), tool_router(server_handler))"] {
        let source = format!(
            "use rmcp::{{tool, tool_router}};
struct S;
#[{block}]
impl S {{
    /// Not seen.
    #[cfg_attr(feature = \"on\", tool(name = \"hidden\"))]
    fn a(&self) -> String {{ String::new() }}
    /// Not there.
    #[cfg_attr(feature = \"off\", tool)]
    fn b(&self) -> String {{ String::new() }}
    /// Seen.
    #[cfg_attr(feature = \"off\", tool)]
    #[tool]
    fn c(&self) -> String {{ String::new() }}
}}"
        );
        let evaluation = files(&[("main.rs", source.as_bytes())]).1;
        assert_eq!(evaluation.unresolved, []);
        let names: Vec<_> = evaluation.tools.iter().map(|tool| &tool.wire["name"]).collect();
        assert_eq!(names, ["c"]);
        let notes: Vec<_> = evaluation.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(
            notes,
            ["the tool `hidden` of `S` is declared but no handler serves it: agents cannot call \
              it, and it is not counted"]
        );
    }
}

#[test]
fn line_ends_of_a_file_are_no_part_of_what_it_says() {
    let source = format!(
        "{SERVER}/** One\n\n * two */\n#[derive(Deserialize, JsonSchema)] struct Input {{\n\
         #[schemars(title = r\"three\nfour\", description = TEXT)] a: u8,\n\
         #[doc = include_str!(\"note.txt\")] b: u8 }}\nconst TEXT: &str = r#\"five\nsix\"#;\n"
    );
    let read = |source: &str| {
        let files = files(&[("main.rs", source.as_bytes()), ("note.txt", b"seven\r\neight")]).1;
        assert_eq!(files.unresolved, []);
        let EvaluatedTool { wire, span, .. } = files.tools[0].clone();
        (wire, span.line, span.column)
    };
    let long = read(&source.replace('\n', "\r\n"));
    assert_eq!(long, read(&source));
    let b = &long.0["inputSchema"]["properties"]["b"]["description"];
    assert!(b.as_str().unwrap().contains('\r'), "rustc includes a text as it is: {b}");
}

#[test]
fn a_module_that_includes_itself_is_told_as_that() {
    let told = |source: &str| {
        let unread = one(&format!("{source} struct Input {{}}")).unread;
        unread.into_iter().map(|remark| remark.text).collect::<Vec<_>>()
    };
    assert_eq!(told("#[path = \"main.rs\"] mod me;"), ["the module `me` includes itself"]);
    assert_eq!(told("#[cfg(feature = \"off\")] #[path = \"main.rs\"] mod me;"), [""; 0]);
}

#[test]
fn what_is_not_understood_is_not_guessed() {
    let derive = "#[derive(Deserialize, JsonSchema)]";
    for (source, expected, line) in [
        ("struct Input { a: u8 }", "`Input` does not derive `JsonSchema`", 1),
        (
            "struct Input;\nimpl JsonSchema for Input {}",
            "how `Input` implements `JsonSchema` is not told",
            1,
        ),
        (
            "struct Input;\nimpl JsonSchema for Input {\n fn schema_name() -> Cow<'static, str> { \"I\".into() }\n\
             fn json_schema(_: &mut SchemaGenerator) -> Schema { other::f() } }",
            "what `other :: f ()` gives is not told",
            4,
        ),
        (
            "D struct Input;\nimpl other::JsonSchema for Input {}",
            "`Input` implements `JsonSchema` more than once",
            1,
        ),
        (
            "struct Input;\nimpl other::JsonSchema for Input {}",
            "`Input` does not derive `JsonSchema`",
            1,
        ),
        (
            "D #[schemars(transform = other::RecursiveTransform(f))]\nstruct Input { a: u8 }",
            "what the transform `other :: RecursiveTransform (f)` does is not told",
            1,
        ),
        (
            "D #[schemars(transform = f)]\nstruct Input { a: u8 }\n\
             fn f(schema: &mut Schema) { if let Some(TYPE) = schema.get(\"type\") { schema.remove(\"type\"); } }",
            "a pattern that is not understood",
            1,
        ),
        (
            "D #[schemars(transform = f)]\nstruct Input { a: u8 }\n\
             fn f(schema: &mut Schema) { if other(schema) { schema.remove(\"type\"); } }",
            "what `other (schema)` gives is not told",
            1,
        ),
        (
            "use other::JsonSchema as Mine; #[derive(Mine)] struct Input { a: u8 }",
            "`Input` does not derive `JsonSchema`",
            1,
        ),
        (
            "D\nstruct Input {\n a: u8,\n b: other::Thing }",
            "`other::Thing` is a type of another crate, whose schema is not known",
            4,
        ),
        (
            "#[other::rewrites]\nD struct Input { a: u8 }",
            "the attribute `other` may change the type",
            2,
        ),
        (
            "use other::rewrites;\n#[rewrites] D struct Input { a: u8 }",
            "the attribute `rewrites` may change the type",
            2,
        ),
        ("use other::*;\nD struct Input {\n a: String }", "`String` may come from `other::*`", 3),
        ("make!(String);\nD struct Input {\n a: String }", "`String` may be made by a macro", 3),
        (
            "D struct Input {\n #[cfg(tokio_unstable)]\n a: u8 }",
            "a condition cannot be evaluated",
            3,
        ),
        (
            "D struct Input {\n #[cfg_attr(tokio_unstable, serde(default))]\n a: u8 }",
            "a condition on an attribute cannot be evaluated",
            3,
        ),
        ("D struct Input {\n #[schemars(schema_with = \"f\")]\n a: u8 }", "`f` is not found", 3),
        (
            "D struct Input {\n #[schemars(schema_with = \"f\")]\n a: u8 }\n\
             fn f(_: &mut SchemaGenerator) -> Schema { other::f() }",
            "what `other :: f ()` gives is not told",
            3,
        ),
        (
            "D struct Input {\n #[schemars(schema_with = \"f\")]\n a: u8 }\n\
             fn f(_: &mut SchemaGenerator) -> Schema { f(g) }",
            "what `f (g)` gives is not told",
            3,
        ),
        (
            "D #[schemars(transform = f)]\nstruct Input { a: u8 }\n\
             fn f(schema: &mut Schema) { for key in KEYS { schema.remove(key); } }",
            "what `for key in KEYS { schema . remove (key) ..` gives is not told",
            1,
        ),
        (
            "D struct Input {\n #[schemars(transform = other::f)]\n a: u8 }",
            "`other::f` is no function",
            2,
        ),
        (
            "mod tools { pub type A = u8; } use tools::*; use other::*;\n\
             D struct Input {\n a: A, b: B }",
            "`B` may come from `other::*`",
            3,
        ),
        (
            "D struct Input {\n #[serde(default = \"f\")]\n a: u8 }\nfn f() -> u8 { g() + 1 }",
            "the value of `g ()` is not told",
            3,
        ),
        (
            "D struct Input {\n #[serde(default = \"f\")]\n a: u8 }\nfn f() -> u8 { std::env::args().count() as u8 }",
            "the value of `std :: env :: args () . count ()` is not told",
            3,
        ),
        (
            "D struct Input {\n #[serde(default)] a: A }\n#[derive(JsonSchema)] struct A;\nimpl Serialize for A {}",
            "`A` implements `Serialize` by hand",
            2,
        ),
        ("D struct Input<const N: usize> {\n a: u8 }", "a constant argument is not told", -1),
        ("D enum Input { A }", "its arguments are no object, so that the server panics", -1),
        (
            "D struct Input {\n a: [u8; length()] } const fn length() -> usize { 3 }",
            "the value of `length ()` is not told",
            2,
        ),
        (
            "D struct Input {\n a: [u8; L::N] } struct L;\n\
             impl L { #[cfg(feature = \"on\")] const N: usize = 3; }",
            "which `N` is meant is not told",
            2,
        ),
        (
            "D struct Input {\n #[serde(default)] a: A }\n#[derive(JsonSchema, Serialize)] struct A(u8);\n\
             impl Default for A { #[cfg(feature = \"off\")] fn default() -> A { A(1) }\n\
             #[cfg(not(feature = \"off\"))] fn default() -> A { A(2) } }",
            "the default of `A` is not told",
            2,
        ),
        ("use std::num::*;\nD struct Input {\n a: Gone }", "`Gone` is not found", 3),
        ("D struct Input {\n a: Gone }", "`Gone` is not found", 2),
        ("D struct Input {\n a: dyn Fn() }", "the type `dyn Fn ()` is not understood", 2),
    ] {
        let source =
            source.replace("D ", &format!("{derive} ")).replace("D\n", &format!("{derive}\n"));
        let (found, at) = reason(&source);
        assert_eq!((found.as_str(), at), (expected, line), "{source}");
    }
}

#[test]
fn a_name_that_shadows_the_standard_library_is_followed() {
    let derive = "#[derive(Deserialize, JsonSchema)]";
    let shadowed = format!(
        "{derive} struct Input {{ a: String, b: Option<u8> }}
         {derive} #[schemars(inline)] struct String {{ own: bool }}
         {derive} #[schemars(inline)] struct Option<T> {{ of: T }}"
    );
    let properties = properties(&shadowed);
    assert_eq!(properties["a"]["properties"]["own"], json!({"type": "boolean"}));
    assert_eq!(properties["b"]["required"], json!(["of"]));
}

#[test]
fn conditions_decide_what_a_transform_changes() {
    let changed = |body: &str| {
        properties(&format!(
            "#[derive(Deserialize, JsonSchema)] struct Input {{ #[schemars(transform = f)] a: u8 }}
             fn f(schema: &mut Schema) {{ {body} }}"
        ))["a"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let whole = ["format", "maximum", "minimum", "type"];
    let unformatted = ["maximum", "minimum", "type"];
    for condition in [
        "schema.get(\"format\").is_some()",
        "schema.get(\"gone\").is_none()",
        "let Some(schema) = schema.as_object_mut()",
        "let Some(\"uint8\") = schema.get(\"format\").and_then(|it| it.as_str())",
        "let Some(format) = schema.get(\"format\") && matches!(format, \"uint16\" | \"uint8\")",
        "matches!(schema.get(\"format\").and_then(rmcp::serde_json::Value::as_str), Some(\"x\") | Some(\"uint8\"))",
        "schema.get(\"gone\").is_some() || !(schema.get(\"type\").is_none())",
    ] {
        assert_eq!(
            changed(&format!("if {condition} {{ schema.remove(\"format\"); }}")),
            unformatted
        );
        let none = format!("if !({condition}) {{ schema.remove(\"format\"); }}");
        if !condition.contains("let") {
            assert_eq!(changed(&none), whole, "{none}");
        }
    }
    let otherwise = "if schema.get(\"x\").is_some() { schema.remove(\"type\"); } else { schema.remove(\"format\"); }";
    assert_eq!(changed(otherwise), unformatted);
    let moved = "if let Some(it) = schema.as_object_mut() && it.contains_key(\"gone\") {} schema.remove(\"format\");";
    assert_eq!(changed(moved), unformatted);
    let hidden = "let key = \"format\"; if schema.get(key).is_some() { let key = \"type\"; schema.remove(\"x\"); } schema.remove(key);";
    assert_eq!(changed(hidden), unformatted);
}

#[test]
fn an_implementation_by_hand_is_evaluated() {
    let properties = properties(
        "#[derive(Deserialize, JsonSchema)] struct Input { a: Own, b: Option<Own>, c: Inlined }
         struct Own; struct Inlined;
         impl schemars::JsonSchema for Own {
             fn schema_name() -> Cow<'static, str> { Cow::Borrowed(\"Mine\") }
             fn schema_id() -> Cow<'static, str> { concat!(module_path!(), \"::Own\").into() }
             fn json_schema(generator: &mut SchemaGenerator) -> Schema { u8::json_schema(generator) }
         }
         impl JsonSchema for Inlined {
             fn inline_schema() -> bool { true }
             fn schema_name() -> Cow<'static, str> { \"Inlined\".into() }
             fn json_schema(_: &mut SchemaGenerator) -> Schema { schemars::json_schema!({\"type\": \"null\"}) }
         }",
    );
    let expected = json!({
        "a": {"$ref": "#/$defs/Mine"},
        "b": {"anyOf": [{"$ref": "#/$defs/Mine"}, {"type": "null"}]},
        "c": {"type": "null"},
    });
    assert_eq!(properties, expected);
}

#[test]
fn what_one_glob_import_brings_no_other_does() {
    let source = "mod tools { pub type A = u8; } use tools::*; use other::*;
         #[derive(Deserialize, JsonSchema)] struct Input { a: A }";
    assert_eq!(properties(source)["a"]["format"], "uint8");
}

#[test]
fn conditions_choose_fields_and_types() {
    let properties = properties(
        "#[derive(Deserialize, JsonSchema)] struct Input { #[cfg(feature = \"on\")] a: A, #[cfg(feature = \"off\")] b: u8 }
         #[cfg(feature = \"on\")] type A = bool;
         #[cfg(not(feature = \"on\"))] type A = u8;",
    );
    assert_eq!(properties, json!({"a": {"type": "boolean"}}));
}

#[test]
fn conditions_choose_the_router_of_a_block() {
    // The configuration has the feature `on`; `both` is a router of the second block as well.
    for (first, second, served) in [
        ("feature = \"on\"", "not(feature = \"on\")", &["a", "b"][..]),
        ("not(feature = \"on\")", "feature = \"on\"", &["b"]),
        ("feature = \"on\"", "unknown", &["a", "b"]),
    ] {
        let source = format!(
            "use rmcp::{{tool, tool_router, tool_handler}};
             struct S;
             #[cfg_attr({first}, tool_router(router = own))]
             #[cfg_attr({second}, tool_router(router = other))]
             impl S {{ #[tool] fn a(&self) -> String {{}} }}
             #[tool_router(router = last)]
             impl S {{ #[tool] fn b(&self) -> String {{}} }}
             impl S {{ fn tool_router() -> rmcp::handler::server::router::tool::ToolRouter<Self> {{
                 let mut all = Self::last();
                 #[cfg({first})]
                 all.merge(Self::own());
                 all
             }} }}
             #[tool_handler]
             impl rmcp::ServerHandler for S {{}}"
        );
        let evaluation = files(&[("main.rs", source.as_bytes())]).1;
        let names = evaluation.tools.iter().map(|tool| tool.wire["name"].as_str().unwrap());
        assert_eq!(names.collect::<Vec<_>>(), served, "{first}");
        assert!(evaluation.unresolved.is_empty(), "{first}: {:?}", evaluation.unresolved);
    }
}

#[test]
fn the_doc_comment_is_lost_behind_another_attribute() {
    let described = |attributes: &str| {
        let source = format!(
            "use rmcp::{{tool, tool_router}}; struct S; #[tool_router(server_handler)] impl S {{ {attributes} fn t(&self) {{}} }}"
        );
        files(&[("main.rs", source.as_bytes())]).1.tools[0].wire.get("description").cloned()
    };
    assert_eq!(described("/// One.\n///\n/// Two.\n#[tool]"), Some("One.\nTwo.".into()));
    assert_eq!(described("#[tool] /// One.\n"), Some("One.".into()));
    assert_eq!(described("/// One.\n#[tool] #[allow(x)] /// Two.\n"), Some("Two.".into()));
    assert_eq!(described("/// One.\n#[tool] #[allow(x)]"), None);
    assert_eq!(described("#[tool(description = concat!(\"a\", 1))] /// One.\n"), Some("a1".into()));
}

#[test]
fn versions_that_are_not_known_resolve_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("main.rs");
    fs::write(&root, format!("{SERVER}#[derive(JsonSchema)] struct Input {{ a: u8 }}")).unwrap();
    for (rmcp, schemars, expected) in [
        ((3, 12, 0), (1, 2, 3), "rmcp 3.12.0 is newer than what is known of it"),
        ((3, 11, 0), (1, 3, 0), "schemars 1.3.0 is newer than what is known of it"),
        ((3, 11, 0), (0, 8, 22), "rmcp 3.11.0 with schemars 0.8.22 is not known"),
        ((0, 2, 1), (1, 0, 0), "rmcp 0.2.1 with schemars 1.0.0 is not known"),
        ((0, 2, 1), (0, 8, 22), "schemars 0.8 may keep the order of properties here"),
    ] {
        let version = |(major, minor, patch)| Version::new(major, minor, patch);
        let (rmcp, schemars) = (version(rmcp), version(schemars));
        let sdk = Sdk { rmcp, schemars, keeps_order: true, keeps_digits: false };
        let evaluation = evaluate(&[unit(&root)], &sdk, &[]).unwrap();
        assert_eq!(evaluation.unresolved[0].why.reason, expected);
    }
}

#[test]
fn every_part_has_its_place() {
    let evaluation = one("
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// What.
    text: String,
    #[serde(default)]
    mode: Mode,
    nested: Option<Nested>,
}
#[derive(Default, Serialize, Deserialize, JsonSchema)]
enum Mode {
    #[default]
    Fast,
    Slow,
}
#[derive(Deserialize, JsonSchema)]
struct Nested {
    deep: u8,
}");
    let tool = &evaluation.tools[0];
    let line = |pointer: &str| {
        let place = tool.place(pointer);
        (place.line as i64 - SERVER.lines().count() as i64, place.column)
    };
    assert_eq!(line(""), (-1, 8), "the function");
    assert_eq!(line("/description"), (-3, 5));
    assert_eq!(line("/inputSchema"), (3, 8), "the struct");
    assert_eq!(line("/inputSchema/properties/text"), (5, 5));
    assert_eq!(line("/inputSchema/properties/text/description"), (4, 5));
    assert_eq!(line("/inputSchema/properties/text/type"), (5, 5));
    assert_eq!(line("/inputSchema/properties/mode/default"), (6, 13));
    assert_eq!(line("/inputSchema/properties/mode/description"), (7, 5), "not said of its type");
    assert_eq!(line("/inputSchema/properties/mode/type"), (11, 6));
    assert_eq!(line("/inputSchema/$defs/Mode"), (11, 6));
    assert_eq!(line("/inputSchema/$defs/Mode/enum/1"), (14, 5));
    assert_eq!(line("/inputSchema/properties/mode/enum/0"), (13, 5), "through the reference");
    assert_eq!(line("/inputSchema/$defs/Nested/properties/deep"), (18, 5));
    assert_eq!(line("/inputSchema/properties/gone"), (3, 8), "what is not there: the struct");
    assert_eq!(line("/annotations/readOnlyHint"), (-1, 8));
    let text = serde_json::to_string(&tool.wire).unwrap();
    assert!(!text.contains("\\u0000"), "{text}");
}

mod hostile {
    use super::*;

    fn server(modules: &str) -> String {
        format!("{SERVER}{modules}\n#[derive(JsonSchema)] struct Input {{ a: u8 }}")
    }

    fn told(evaluation: &Evaluation) -> Vec<&str> {
        evaluation.unread.iter().map(|remark| remark.text.as_str()).collect()
    }

    #[test]
    fn a_module_that_does_not_parse_may_hold_tools() {
        let root =
            server("mod broken; #[cfg(feature = \"off\")] mod off; #[cfg(other)] mod maybe;");
        let (_folder, evaluation) = files(&[
            ("main.rs", root.as_bytes()),
            ("broken.rs", b"fn ) {"),
            ("off.rs", b"fn ) {"),
            ("maybe.rs", b"fn ) {"),
        ]);
        assert_eq!(evaluation.tools.len(), 1);
        let unread = told(&evaluation);
        assert_eq!(unread.len(), 2, "what is not compiled does not matter: {unread:?}");
        assert!(unread[0].starts_with("it does not parse"), "{unread:?}");
    }

    #[test]
    fn a_module_without_a_file_is_told_unless_it_is_left_out() {
        let root = server("mod gone; #[cfg(feature = \"off\")] mod off;");
        let evaluation = files(&[("main.rs", root.as_bytes())]).1;
        assert_eq!(
            told(&evaluation),
            ["the module `gone` has no file; tools in it cannot be seen"]
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_told() {
        let root = server("mod bytes;");
        let (_folder, evaluation) =
            files(&[("main.rs", root.as_bytes()), ("bytes.rs", b"\xff\xfe// \x00")]);
        assert!(told(&evaluation)[0].starts_with("it cannot be read"), "{:?}", evaluation.unread);
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("main.rs");
        fs::write(&root, server("mod circle; #[path = \"main.rs\"] mod again;")).unwrap();
        let circle = folder.path().join("circle.rs");
        std::os::unix::fs::symlink(&circle, &circle).unwrap();
        let evaluation = evaluate(&[unit(&root)], &sdk(), &[]).unwrap();
        assert!(!evaluation.unread.is_empty());
        assert_eq!(evaluation.tools.len(), 1);
    }

    #[test]
    fn a_file_of_five_megabytes_is_read() {
        let mut large = String::with_capacity(5 << 20);
        for number in 0..(5 << 20) / 44 {
            large += &format!("pub const NUMBER_{number:07}: u64 = {number:07};\n");
        }
        large += "use rmcp::schemars::JsonSchema; #[derive(JsonSchema)] pub struct Input { a: u8 }";
        let root = format!("mod large;\nuse large::Input;\n{SERVER}");
        let (_folder, evaluation) =
            files(&[("main.rs", root.as_bytes()), ("large.rs", large.as_bytes())]);
        assert_eq!((evaluation.tools.len(), evaluation.unread.len()), (1, 0));
    }

    #[test]
    fn what_is_nested_without_end_stays_in_bounds() {
        let deep = format!("type Deep = {}u8{};", "Vec<".repeat(200), ">".repeat(200));
        let source = format!(
            "{SERVER}{deep} type Loop = Loop; #[derive(JsonSchema)] struct Input {{ a: Deep }}"
        );
        let evaluation = files(&[("main.rs", source.as_bytes())]).1;
        assert_eq!(evaluation.unresolved[0].why.reason, "types are nested too deep");
        let circle = format!(
            "{SERVER}type Input = Other; type Other = Input; use self::a::A as B; mod a {{ pub use super::B as A; }}"
        );
        assert_eq!(files(&[("main.rs", circle.as_bytes())]).1.unresolved.len(), 1);
        let brackets = format!("{SERVER}mod deep; #[derive(JsonSchema)] struct Input {{ a: u8 }}");
        let nested = format!("fn f() {{ {}{} }}", "(".repeat(100_000), ")".repeat(100_000));
        let (_folder, evaluation) =
            files(&[("main.rs", brackets.as_bytes()), ("deep.rs", nested.as_bytes())]);
        assert!(told(&evaluation)[0].contains("is nested more than"), "{:?}", evaluation.unread);
        let growing = "#[derive(JsonSchema)] struct Input { a: Option<Box<Grow<u8>>> } #[derive(JsonSchema)] struct Grow<T> { next: Option<Box<Grow<Vec<T>>>>, t: T }";
        assert_eq!(reason(growing).0, "types are nested too deep");
    }
}

#[test]
fn functions_of_the_standard_library_are_told_from_others_of_their_name() {
    let default = |source: &str| properties(source)["a"]["default"].clone();
    for (ty, function, others, value) in [
        (
            "Vec<u8>",
            "presets::default",
            "mod presets { pub fn default() -> Vec<u8> { vec![1] } }",
            json!([1]),
        ),
        (
            "Vec<u8>",
            "presets::new",
            "mod presets { pub fn new() -> Vec<u8> { vec![1] } }",
            json!([1]),
        ),
        ("u8", "J::default", "struct J; impl J { fn default() -> u8 { 7 } }", json!(7)),
        (
            "u8",
            "f",
            "struct J; impl J { fn default() -> u8 { 7 } } fn f() -> u8 { J::default() }",
            json!(7),
        ),
        (
            "I",
            "p::default",
            "mod p { pub fn default() -> super::I { super::I { x: 3 } } }",
            json!({"x": 3}),
        ),
        (
            "I",
            "J::default",
            "struct J; impl J { fn default() -> I { I { x: 3 } } }",
            json!({"x": 3}),
        ),
        ("Vec<u8>", "Bytes::new", "type Bytes = Vec<u8>;", json!([])),
        ("u8", "f", "fn f() -> u8 { <u8 as std::default::Default>::default() }", json!(0)),
        ("u8", "f", "fn f() -> u8 { std::boxed::Box::new(3) }", json!(3)),
        ("Option<u8>", "f", "fn f() -> Option<u8> { Option::Some(3) }", json!(3)),
        ("String", "f", "fn f() -> String { std::string::String::from(\"b\") }", json!("b")),
        ("f32", "f", "fn f() -> f32 { X } type R = f32; const X: R = 0.1;", json!(0.1_f32)),
    ] {
        let source = format!(
            "#[derive(Deserialize, JsonSchema)] struct Input {{ #[serde(default = \"{function}\")] \
             a: {ty} }}\n\
             #[derive(Default, Serialize, Deserialize, JsonSchema)] struct I {{ x: u8 }}\n{others}"
        );
        assert_eq!(default(&source), value, "{source}");
    }
}

#[test]
fn what_shadows_a_name_of_the_standard_library_is_not_taken_for_it() {
    for (ty, others) in [
        (
            "Vec<u8>",
            "macro_rules! vec { ($($x:tt)*) => { Vec::from([9]) } } pub fn f() -> Vec<u8> { vec![1] }",
        ),
        ("Vec<u8>", "use other::vec; pub fn f() -> Vec<u8> { vec![1] }"),
        ("Vec<u8>", "use other::*; pub fn f() -> Vec<u8> { vec![1] }"),
        ("Vec<u8>", "use super::w::*; pub fn f() -> Vec<u8> { vec![1] }"),
        ("Vec<u8>", "m!(); pub fn f() -> Vec<u8> { vec![1] }"),
        (
            "u8",
            "struct Box; impl Box { fn new(x: u8) -> u8 { x + 1 } } pub fn f() -> u8 { Box::new(3) }",
        ),
        (
            "String",
            "struct String; impl String { fn from(_: &str) -> std::string::String { A } } pub fn f() -> std::string::String { String::from(\"b\") }",
        ),
        (
            "Option<u8>",
            "fn Some(_: u8) -> Option<u8> { None } pub fn f() -> Option<u8> { Some(3) }",
        ),
        ("u8", "mod u8 { pub const MAX: i64 = 3; } pub fn f() -> u8 { u8::MAX }"),
        ("u8", "trait Default { fn default() -> Self; } pub fn f() -> u8 { Default::default() }"),
        ("u8", "pub fn f() -> u8 { <u8>::default() } pub fn default() -> u8 { 4 }"),
    ] {
        let source = format!(
            "#[derive(Deserialize, JsonSchema)] struct Input {{ #[serde(default = \"z::f\")] \
             a: {ty} }}\nmod z {{ {others} }} mod w {{ pub use other::vec; }}
             macro_rules! m {{ () => {{ macro_rules! vec {{ ($x:tt) => {{ Vec::new() }} }} }} }}"
        );
        reason(&source);
    }
    let source =
        "mod sk { pub struct Vec; impl Vec { pub fn is_empty(_: &[u8]) -> bool { false } } }
#[derive(Default, Serialize, Deserialize, JsonSchema)]
struct I { #[serde(skip_serializing_if = \"sk::Vec::is_empty\")] x: Vec<u8> }
#[derive(Deserialize, JsonSchema)] struct Input { #[serde(default)] a: I }";
    assert_eq!(reason(source).0, "when it is left out is decided by a function");
}

#[test]
fn a_default_is_that_of_the_trait_of_the_standard_library() {
    let input = properties(
        "mod my { pub trait Default { fn default() -> Self; } }
#[derive(Serialize, Deserialize, JsonSchema)] #[serde(default)] struct Input { a: u8 }
impl my::Default for Input { fn default() -> Self { Input { a: 1 } } }
impl Default for Input { fn default() -> Self { Input { a: 2 } } }",
    );
    assert_eq!(input["a"]["default"], 2);
}

#[test]
fn an_element_under_a_condition_is_not_told() {
    for list in ["[#[cfg(feature = \"off\")] 1, 2]", "[#[cfg(feature = \"off\")] A, A]"] {
        let why = reason(&format!(
            "const A: u8 = 2;
#[derive(Deserialize, JsonSchema)] struct Input {{ #[serde(default = \"f\")] a: [u8; 1] }}
fn f() -> [u8; 1] {{ {list} }}"
        ));
        assert!(why.0.contains("is not told"), "{why:?}");
    }
}
