//! What the source tells in a roundabout way.

use super::*;

fn items(source: &str) -> Value {
    properties(source)["a"].clone()
}

#[test]
fn derives_are_known_under_other_names() {
    let source = "use rmcp::schemars::JsonSchema as Described; use serde as s;
use s::Serialize as Written; use std::default::Default as Zero;
#[derive(Described)] struct Input { #[serde(default)] a: Inner }
#[derive(Zero, Written, Described)] struct Inner { x: u8 }";
    assert_eq!(properties(source)["a"]["default"], json!({ "x": 0 }));
    let source = "mod m { pub use rmcp::schemars::JsonSchema as Described; }
use m::Described;
#[derive(Described)] struct Input { a: Inner }
struct Inner;
impl Described for Inner {
    fn schema_name() -> std::borrow::Cow<'static, str> { \"Own\".into() }
    fn inline_schema() -> bool { true }
    fn json_schema(_: &mut rmcp::schemars::SchemaGenerator) -> rmcp::schemars::Schema {
        rmcp::schemars::json_schema!({ \"type\": \"boolean\" })
    }
}";
    assert_eq!(items(source)["type"], "boolean");
    let source = "use other::JsonSchema as Described; #[derive(Described)] struct Input { a: u8 }";
    assert_eq!(reason(source).0, "`Input` does not derive `JsonSchema`");
}

#[test]
fn a_default_may_be_serialised_by_what_is_not_known() {
    for more in [
        "#[derive(Default, JsonSchema, other::Serialise)] struct Inner { x: u8 }",
        "#[derive(Default, JsonSchema)] struct Inner { x: u8 } other::serialise!(Inner);",
        "#[derive(Default, JsonSchema)] struct Inner { x: u8 } m!(Inner);
         macro_rules! m { ($t:ty) => { impl Serialize for $t {} } }",
    ] {
        let source =
            format!("#[derive(JsonSchema)] struct Input {{ #[serde(default)] a: Inner }}\n{more}");
        assert_eq!(reason(&source).0, "whether `Inner` is serialised is not told", "{more}");
    }
    let source = "#[derive(JsonSchema)] struct Input { #[serde(default)] a: Inner }
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema, clap::Args)]
struct Inner { x: u8 }";
    assert_eq!(items(source).get("default"), None);
}

#[test]
fn lengths_are_calculated() {
    for (len, value) in [
        ("{ 2 }", 2),
        ("{ K }", 3),
        ("K as usize + 1", 4),
        ("(K as usize) * 2 - 1", 5),
        ("13 % 8", 5),
        ("{ (S::K as u8) as usize }", 7),
    ] {
        let source = format!(
            "const K: u8 = 3; impl S {{ /// Seven.
pub const K: i64 = 7; }}\n#[derive(JsonSchema)] struct Input {{ a: [u8; {len}] }}"
        );
        assert_eq!(items(&source)["minItems"], value, "{len}");
    }
    for len in ["-1 as usize", "1.0 as usize", "300 as u8 as usize", "{ let a = 2; a }", "1 << 2"] {
        reason(&format!("#[derive(JsonSchema)] struct Input {{\n a: [u8; {len}] }}"));
    }
}

#[test]
fn constants_of_the_type_itself_are_told() {
    let source = "#[derive(JsonSchema)] struct Input {
#[schemars(range(max = Self::MOST), title = Self::TITLE, extend(\"x\" = [Self::MOST]))] a: u8 }
impl Input { const MOST: u8 = 9; #[doc = \"T.\"] const TITLE: &str = \"T\"; }";
    let a = items(source);
    assert_eq!((&a["maximum"], &a["title"], &a["x"]), (&json!(9), &json!("T"), &json!([9])));
    let source = "use rmcp::{tool, tool_router}; struct S;
#[tool_router(server_handler)]
impl S { #[tool(description = Self::TEXT)] fn t(&self) {} }
impl S { const TEXT: &str = \"Of a constant.\"; }";
    let evaluation = files(&[("main.rs", source.as_bytes())]).1;
    assert_eq!(evaluation.tools[0].wire["description"], "Of a constant.");
    let source =
        "#[derive(JsonSchema)] struct Input {\n#[schemars(range(max = Self::MOST))] a: u8 }
trait Most { const MOST: u8; } impl Most for Input { const MOST: u8 = 9; }";
    reason(source);
}

#[test]
fn constant_parameters_are_told() {
    let source = "type Few<T, const N: usize = 3> = [T; N];
const TWO: usize = 2;
#[derive(JsonSchema)] struct Page<const N: usize, T, const C: char> { #[serde(default)] rows: Vec<T>, next: Option<Box<Page<N, T, C>>> }
#[derive(JsonSchema)] struct Input { a: Few<u8>, b: Few<u8, TWO>, c: Few<u8, { TWO + 2 }>,
d: Page<1, u8, 'a'>, e: Page<TWO, u8, 'a'>, f: Page<{ 2 }, u8, 'a'> }";
    let input = properties(source);
    let lengths = ["a", "b", "c"].map(|field| input[field]["minItems"].clone());
    assert_eq!(lengths, [json!(3), json!(2), json!(4)]);
    let references = ["d", "e", "f"].map(|field| input[field]["$ref"].clone());
    assert_eq!(references, ["#/$defs/Page", "#/$defs/Page2", "#/$defs/Page2"]);
    for (declared, why) in [
        (
            "struct P<const N: usize> { #[schemars(range(max = N))] x: u8 } const N: u8 = 3;",
            "an attribute depends on a constant parameter",
        ),
        (
            "struct P<const N: usize> { #[serde(default)] x: Q<N> }
#[derive(Default, Serialize, JsonSchema)] struct Q<const N: usize>;",
            "whether its default is serialised depends on a constant parameter",
        ),
        ("struct P<const N: usize, const M: usize> { x: u8 }", "a constant argument is not told"),
        ("struct P { x: u8 }", "a type has more arguments than parameters"),
    ] {
        let source = format!(
            "#[derive(JsonSchema)] struct Input {{\na: P<2> }}\n#[derive(JsonSchema)] {declared}"
        );
        assert_eq!(reason(&source).0, why);
    }
}

#[test]
fn what_a_type_parameter_stands_for_is_no_item_of_its_name() {
    for attribute in [
        "schemars(range(max = T::MOST))",
        "schemars(extend(\"x\" = [T::MOST]))",
        "serde(default = \"T::new\")",
        "serde(default = \"<T>::new\")",
    ] {
        let source = format!(
            "#[derive(JsonSchema)] struct Input {{\na: P<Own> }}
#[derive(JsonSchema)] struct P<T: Most> {{ #[{attribute}] x: u8, #[serde(skip)] it: PhantomData<T> }}
use std::marker::PhantomData;
#[derive(JsonSchema)] struct Own; struct T; impl T {{ const MOST: u8 = 4; fn new() -> u8 {{ 4 }} }}
trait Most {{ const MOST: u8; fn new() -> u8; }}
impl Most for Own {{ const MOST: u8 = 7; fn new() -> u8 {{ 7 }} }}"
        );
        reason(&source);
    }
    // A bound, a type and a text are no such thing.
    let source = "#[derive(JsonSchema)] struct Input { a: P<u8> }
#[derive(JsonSchema)] #[schemars(bound = \"T: JsonSchema\", description = \"GET::T: T\")]
struct P<T> { #[schemars(with = \"Vec<T>\")] x: T }";
    properties(source);
}

#[test]
fn a_condition_knows_the_variants_of_option_from_others() {
    for (other, pattern) in [
        ("struct Some<T>(T);", "Some(_)"),
        ("fn Some(_: u8) {}", "Some(_)"),
        ("const None: u8 = 0;", "None"),
        ("struct None;", "None"),
        ("use Own::{None, Some}; enum Own { None, Some(u8) }", "None"),
        ("use Own::*; enum Own { None, Some(u8) }", "Some(_)"),
    ] {
        let source = |other| {
            format!(
                "#[derive(JsonSchema)] struct Input {{ #[schemars(transform = z::f)] a: u8 }}
mod z {{ {other} pub fn f(schema: &mut rmcp::schemars::Schema) {{
if let {pattern} = schema.get(\"format\") {{ schema.remove(\"format\"); }} }} }}"
            )
        };
        reason(&source(other));
        properties(&source(""));
    }
}

#[test]
fn what_a_parameter_of_a_function_stands_for_is_no_item_of_its_name() {
    let below = "struct T; impl T { const MOST: u8 = 4; } const N: u8 = 3; struct Own;
trait Most { const MOST: u8; } impl Most for Own { const MOST: u8 = 7; }
use schemars::{Schema, SchemaGenerator, json_schema};";
    for function in [
        "fn f<T: Most>(_: &mut SchemaGenerator) -> Schema { json_schema!({ \"maximum\": T::MOST }) }",
        "fn f<const N: u8>(_: &mut SchemaGenerator) -> Schema { json_schema!({ \"maximum\": N }) }",
    ] {
        let of = if function.contains("const N") { "5" } else { "Own" };
        let source = format!(
            "#[derive(JsonSchema)] struct Input {{\n#[schemars(schema_with = \"f::<{of}>\")] a: u8 }}\n{function}\n{below}"
        );
        reason(&source);
    }
    let source = format!(
        "#[derive(JsonSchema)] struct Input {{\n#[schemars(schema_with = \"P::<5>::f\")] a: u8 }}
struct P<const N: u8>; impl<const N: u8> P<N> {{
fn f(_: &mut SchemaGenerator) -> Schema {{ json_schema!({{ \"maximum\": N }}) }} }}\n{below}"
    );
    reason(&source);
}

#[test]
fn a_default_is_what_the_source_says_or_is_not_told() {
    let given = |attributes: &str, ty: &str, more: &str| {
        format!(
            "#[derive(Deserialize, JsonSchema)] struct Input {{ #[serde({attributes})] a: {ty} }}\n{more}"
        )
    };
    for (attributes, ty, more, why) in [
        (
            "serialize_with = \"f\", default",
            "Inner",
            "#[derive(Default, JsonSchema)] struct Inner(u32);",
            "its default is serialised by a function",
        ),
        (
            "default = \"f\", skip_serializing_if = \"Option::is_none\"",
            "Option<Option<u8>>",
            "fn f() -> Option<Option<u8>> { Some(None) }",
            "whether its default is `None` is not told",
        ),
        (
            "default = \"f\", skip_serializing_if = \"Option::is_some\"",
            "Option<Inner>",
            "fn f() -> Option<Inner> { Some(Inner::Nothing) }
             #[derive(Serialize, JsonSchema)] #[serde(untagged)] enum Inner { Nothing, Some(u8) }",
            "whether its default is `None` is not told",
        ),
        (
            "default, deserialize_with = \"f\"",
            "chrono::NaiveDate",
            "",
            "whether `NaiveDate` is serialised is not told",
        ),
    ] {
        assert_eq!(reason(&given(attributes, ty, more)).0, why, "{attributes}: {ty}");
    }
    let pair = "#[derive(Default, Serialize, Deserialize, JsonSchema)]
struct Pair(u8, #[serde(skip_serializing_if = \"Option::is_none\")] Option<u8>, u8);";
    assert_eq!(items(&given("default", "Pair", pair))["default"], json!([0, 0]));
    let none = "default, skip_serializing_if = \"Option::is_none\"";
    assert_eq!(items(&given(none, "Option<u8>", "")).get("default"), None);
}

#[test]
fn what_is_not_compiled_says_nothing() {
    let source = "#[derive(JsonSchema)] struct Input { #[schemars(range(max = W::K))] a: u32 }
struct W;
#[cfg(feature = \"off\")] mod off { impl super::W { pub const K: u32 = 5; } }
#[cfg(feature = \"on\")] mod on { impl super::W { pub const K: u32 = 6; } }";
    assert_eq!(items(source)["maximum"], 6);
    let source = source.replace("feature = \"on\"", "unknown");
    assert_eq!(reason(&source).0, "a condition cannot be evaluated");
}

#[test]
fn types_that_grow_without_end_are_left_alone() {
    let aliases: String =
        (0..30).map(|at| format!("type Z{at}<T> = Z{}<(T, T)>;", at + 1)).collect();
    for (source, why) in [
        (
            "#[derive(JsonSchema)] struct Input { a: G<u8> }
             #[derive(JsonSchema)] struct G<T> { n: Option<Box<G<(T, T)>>>, t: T }",
            "its type arguments have no end",
        ),
        (
            "#[derive(JsonSchema)] struct Input { a: G<u8> }
             #[derive(JsonSchema)] struct G<T> { n: Option<Box<G<Vec<T>>>>, t: T }",
            "types are nested too deep",
        ),
        (
            &format!(
                "#[derive(JsonSchema)] struct Input {{ a: Z0<u8> }} {aliases} type Z30<T> = Vec<T>;"
            ),
            "its type arguments have no end",
        ),
    ] {
        assert_eq!(reason(source).0, why, "{source}");
    }
}

#[test]
fn how_small_floats_are_written_depends_on_serde_json() {
    let evaluated = |keeps_digits: bool, value: &str| {
        let source = format!(
            "{SERVER}#[derive(Deserialize, JsonSchema)] struct Input {{ #[serde(default = \"f\")] a: f32 }}
             fn f() -> f32 {{ {value} }}"
        );
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("main.rs"), source).unwrap();
        let sdk = Sdk { keeps_digits, ..sdk() };
        evaluate(&[unit(&folder.path().join("main.rs"))], &sdk, &[]).unwrap()
    };
    for (keeps_digits, value, is_told) in
        [(false, "0.1", true), (true, "0.1", false), (true, "0.5", true), (true, "2.0", true)]
    {
        assert_eq!(evaluated(keeps_digits, value).unresolved.is_empty(), is_told, "{value}");
    }
}
