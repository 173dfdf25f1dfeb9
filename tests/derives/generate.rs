//! Type definitions at random: everything that serde and schemars can say of a type, in one crate.

use std::fmt::Write as _;

/// Numbers that are the same in every run (xorshift64*).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(drawn).unwrap() % bound
    }

    /// True once in so many times.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// A type that later ones can be made of.
struct Made {
    name: String,
    has_default: bool,
    /// Whether its values are JSON objects with fields of their own.
    is_object: bool,
}

const LEAVES: [&str; 20] = [
    "bool", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "f32", "f64", "char",
    "String", "String", "PathBuf", "Value", "Uuid", "Duration", "()",
];
const CASES: [&str; 8] = [
    "lowercase",
    "UPPERCASE",
    "PascalCase",
    "camelCase",
    "snake_case",
    "SCREAMING_SNAKE_CASE",
    "kebab-case",
    "SCREAMING-KEBAB-CASE",
];

/// The items of a crate root, and of a server that takes and gives each type.
pub(super) fn server(random: &mut Random, types: usize) -> String {
    let mut made: Vec<Made> = Vec::new();
    let mut source = HEAD.to_owned();
    let mut tools = String::new();
    for number in 0..types {
        let name = format!("T{number}");
        let item = if random.once_in(3) {
            enumeration(random, &name, &made, &mut source)
        } else {
            structure(random, &name, &made, &mut source)
        };
        let argument = if item.is_object { name } else { format!("Wrap<{name}>") };
        let doc = documented(random, "    ");
        write!(
            tools,
            "{doc}    #[tool]\n    fn t{number}(&self, _: Parameters<{argument}>) -> Json<{argument}> {{ unimplemented!() }}\n"
        )
        .unwrap();
        made.push(item);
    }
    source + "#[tool_router(server_handler)]\nimpl Server {\n" + &tools + "}\n"
}

fn documented(random: &mut Random, indent: &str) -> String {
    let text = match random.below(6) {
        0 => "/// One line.\n",
        1 => "/// # A title\n///\n/// And text.\n",
        2 => "/// Two\n///   lines.\n",
        _ => return String::new(),
    };
    text.lines().fold(String::new(), |doc, line| doc + indent + line + "\n")
}

/// A type, and whether it has a default.
fn ty(random: &mut Random, made: &[Made], depth: usize) -> (String, bool) {
    let inner = |random: &mut Random| ty(random, made, depth + 1).0;
    match random.below(if depth > 2 { 2 } else { 12 }) {
        0..=3 => (random.pick(&LEAVES).to_owned(), true),
        4 | 5 if !made.is_empty() => {
            let made = &made[random.below(made.len())];
            (made.name.clone(), made.has_default)
        }
        4..=6 => (format!("Option<{}>", inner(random)), true),
        7 => (format!("Vec<{}>", inner(random)), true),
        8 => (format!("BTreeMap<String, {}>", inner(random)), true),
        9 => {
            let (boxed, has_default) = ty(random, made, depth + 1);
            (format!("Box<{boxed}>"), has_default)
        }
        10 => {
            let ((one, first), (other, second)) =
                (ty(random, made, depth + 1), ty(random, made, depth + 1));
            (format!("({one}, {other})"), first && second)
        }
        _ => {
            let (item, has_default) = ty(random, made, depth + 1);
            (format!("[{item}; 2]"), has_default)
        }
    }
}

/// Attributes that any field may have, and its type.
fn field(random: &mut Random, made: &[Made]) -> (String, String, bool) {
    let (ty, has_default) = ty(random, made, 0);
    let mut attributes = documented(random, "    ");
    let mut add = |attribute: &str| attributes += &format!("    #[{attribute}]\n");
    if random.once_in(8) {
        add("schemars(title = \"Title\", description = \"By attribute\")");
    }
    if random.once_in(12) {
        add("deprecated");
    }
    if random.once_in(12) {
        add("schemars(extend(\"x-order\" = [1, {\"a\": null}]))");
    }
    if random.once_in(12) {
        add("schemars(example = 5)");
    }
    match ty.as_str() {
        "String" if random.once_in(3) => add(random.pick(&[
            "schemars(length(min = 1, max = 9))",
            "schemars(regex(pattern = \"^a+$\"))",
            "schemars(email)",
            "schemars(contains(pattern = \"a.b\"))",
        ])),
        "u8" | "i32" | "f64" | "Option<u32>" if random.once_in(2) => {
            add("schemars(range(min = 1, max = 100))");
        }
        _ if ty.starts_with("Vec<") && random.once_in(3) => add("schemars(length(max = 3))"),
        _ if ty.starts_with("Option<") && random.once_in(6) => add("schemars(required)"),
        _ if random.once_in(15) => add("schemars(with = \"Option<u16>\")"),
        _ => {}
    }
    (attributes, ty, has_default)
}

/// Fields with names, and whether they all have defaults.
fn fields(random: &mut Random, made: &[Made], may_flatten: bool) -> (String, bool) {
    let mut text = String::new();
    let mut all_default = true;
    let objects: Vec<&Made> = made.iter().filter(|made| made.is_object).collect();
    for number in 0..1 + random.below(5) {
        let (attributes, ty, has_default) = field(random, made);
        all_default &= has_default;
        text += &attributes;
        let mut add = |attribute: &str| text += &format!("    #[serde({attribute})]\n");
        if random.once_in(6) {
            add(&format!("rename = \"renamed-{number}\""));
        }
        match random.below(10) {
            0 | 1 if has_default => add("default"),
            2 if ty.starts_with("Option<") => add("skip_serializing_if = \"Option::is_none\""),
            3 if ty.starts_with("Option<") => {
                add("default, skip_serializing_if = \"Option::is_none\"");
            }
            4 if has_default => add(random.pick(&["skip", "skip_deserializing"])),
            5 => add("skip_serializing"),
            _ => {}
        }
        writeln!(text, "    field_{number}: {ty},").unwrap();
    }
    if may_flatten && random.once_in(4) && !objects.is_empty() {
        let flat = objects[random.below(objects.len())];
        all_default &= flat.has_default;
        writeln!(text, "    #[serde(flatten)]\n    flat: {},", flat.name).unwrap();
    }
    (text, all_default)
}

fn structure(random: &mut Random, name: &str, made: &[Made], source: &mut String) -> Made {
    let doc = documented(random, "");
    if random.once_in(6) {
        let (attributes, ty, has_default) = field(random, made);
        let transparent = if random.once_in(2) { "#[serde(transparent)]\n" } else { "" };
        *source += &format!(
            "{doc}{}{transparent}struct {name}(\n{attributes}    {ty},\n);\n",
            derive(has_default)
        );
        return Made { name: name.to_owned(), has_default, is_object: false };
    }
    let closed = random.once_in(6);
    let (body, has_default) = fields(random, made, !closed);
    let mut attributes = String::new();
    let mut add = |attribute: &str| attributes += &format!("#[{attribute}]\n");
    if random.once_in(3) {
        add(&format!("serde(rename_all = \"{}\")", random.pick(&CASES)));
    }
    if closed {
        add("serde(deny_unknown_fields)");
    }
    if has_default && random.once_in(4) {
        add("serde(default)");
    }
    if random.once_in(8) {
        add(&format!("schemars(rename = \"Renamed{name}\")"));
    }
    if random.once_in(10) {
        add("schemars(inline)");
    }
    *source += &format!("{doc}{}{attributes}struct {name} {{\n{body}}}\n", derive(has_default));
    Made { name: name.to_owned(), has_default, is_object: true }
}

fn derive(has_default: bool) -> &'static str {
    if has_default {
        "#[derive(Default, Serialize, Deserialize, JsonSchema)]\n"
    } else {
        "#[derive(Serialize, Deserialize, JsonSchema)]\n"
    }
}

fn enumeration(random: &mut Random, name: &str, made: &[Made], source: &mut String) -> Made {
    let doc = documented(random, "");
    let tagging =
        random.pick(&["", "", "tag = \"kind\"", "tag = \"t\", content = \"c\"", "untagged"]);
    let mut attributes = String::new();
    if !tagging.is_empty() {
        attributes += &format!("#[serde({tagging})]\n");
    }
    if random.once_in(2) {
        attributes += &format!("#[serde(rename_all = \"{}\")]\n", random.pick(&CASES));
    }
    if random.once_in(4) {
        attributes += "#[serde(rename_all_fields = \"camelCase\")]\n";
    }
    if random.once_in(6) {
        attributes += "#[serde(deny_unknown_fields)]\n";
    }
    let objects: Vec<&Made> = made.iter().filter(|made| made.is_object).collect();
    let mut body = String::new();
    let only_units = random.once_in(3);
    for number in 0..1 + random.below(4) {
        body += &documented(random, "    ");
        if random.once_in(8) {
            body += &format!("    #[serde(rename = \"variant {number}\")]\n");
        }
        let variant = format!("VariantNumber{number}");
        match random.below(if only_units { 1 } else { 4 }) {
            0 => writeln!(body, "    {variant},").unwrap(),
            1 if tagging == "tag = \"kind\"" && objects.is_empty() => {
                writeln!(body, "    {variant},").unwrap();
            }
            1 => {
                let (_, mut ty, _) = field(random, made);
                if tagging == "tag = \"kind\"" {
                    ty.clone_from(&objects[random.below(objects.len())].name);
                }
                writeln!(body, "    {variant}({ty}),").unwrap();
            }
            2 if tagging != "tag = \"kind\"" => {
                let (one, other) = (ty(random, made, 1).0, ty(random, made, 1).0);
                writeln!(body, "    {variant}({one}, {other}),").unwrap();
            }
            _ => {
                let (fields, _) = fields(random, made, false);
                writeln!(body, "    {variant} {{\n{fields}    }},").unwrap();
            }
        }
    }
    *source += &format!("{doc}{}{attributes}enum {name} {{\n{body}}}\n", derive(false));
    Made { name: name.to_owned(), has_default: false, is_object: false }
}

const HEAD: &str = "//! Types at random.
#![allow(dead_code, deprecated)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::schemars::{self, JsonSchema};
use rmcp::serde_json::Value;
use rmcp::{ServiceExt, tool, tool_router};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Wrap<T> {
    inner: T,
    list: Vec<T>,
    maybe: Option<T>,
}

#[tokio::main(flavor = \"current_thread\")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Server.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}

#[derive(Clone)]
struct Server;

";
