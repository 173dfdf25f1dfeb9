//! What the evaluation of 100 tools from their source costs, files and all.
//!
//! Prints the least and the median of several runs. Reports, asserts nothing.
#![allow(clippy::unwrap_used)] // a bench may stop at what it did not expect

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use mcp_semver_build::evaluate::{Cfg, Dependency, Sdk, Unit, evaluate};
use semver::Version;

const RUNS: usize = 50;
const MODULES: usize = 10;
/// Tools of one module.
const TOOLS: usize = 10;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let (unit, sdk) = (unit(&folder.path().join("main.rs")), sdk());
    let mut costs: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            let evaluation = evaluate(black_box(std::slice::from_ref(&unit)), &sdk, &[]).unwrap();
            let cost = start.elapsed().as_secs_f64() * 1000.0;
            assert_eq!((evaluation.tools.len(), evaluation.unresolved.len()), (MODULES * TOOLS, 0));
            cost
        })
        .collect();
    costs.sort_by(f64::total_cmp);
    let tools = MODULES * TOOLS;
    println!("{tools} tools: least {:.2} ms, median {:.2} ms", costs[0], costs[RUNS / 2]);
}

/// A server whose tools stand in several modules, each with arguments and a result of its own.
fn write(folder: &Path) {
    let mut main = String::from("struct Server;\n");
    let mut sum = Vec::new();
    for module in 0..MODULES {
        writeln!(main, "mod m{module};").unwrap();
        sum.push(format!("Self::m{module}()"));
        let mut text = format!(
            "use rmcp::{{Json, schemars::JsonSchema, tool, tool_router}};
use rmcp::handler::server::wrapper::Parameters;
use serde::{{Deserialize, Serialize}};
use super::Server;
#[tool_router(router = m{module}, vis = \"pub(super)\")]
impl Server {{\n"
        );
        for tool in 0..TOOLS {
            let name = format!("m{module}_{tool}");
            writeln!(
                text,
                "    /// Does number {tool}.
    #[tool(annotations(read_only_hint = true))]
    async fn t{name}(&self, _: Parameters<In{name}>) -> Json<Out{name}> {{ todo!() }}"
            )
            .unwrap();
        }
        text.push_str("}\n");
        for tool in 0..TOOLS {
            let name = format!("m{module}_{tool}");
            writeln!(
                text,
                "/// What it takes.
#[derive(Deserialize, JsonSchema)] #[serde(rename_all = \"camelCase\")]
struct In{name} {{
    /// The query.
    #[schemars(length(min = 1, max = 200))] search_query: String,
    /// How many.
    #[serde(default)] page_size: Option<u32>,
    sort_by: Sort{name},
    #[serde(flatten)] place: Place{name},
    tags: Vec<std::collections::BTreeMap<String, Sort{name}>>,
}}
#[derive(Serialize, Deserialize, JsonSchema)] #[serde(tag = \"kind\")]
enum Sort{name} {{ /// By name.\n Name, Size {{ ascending: bool }} }}
#[derive(Deserialize, JsonSchema)] struct Place{name} {{ latitude: f64, longitude: f64 }}
#[derive(Serialize, JsonSchema)] struct Out{name} {{ found: Vec<Sort{name}>, total: usize }}"
            )
            .unwrap();
        }
        fs::write(folder.join(format!("m{module}.rs")), text).unwrap();
    }
    let sum = sum.join(" + ");
    write!(main, "#[rmcp::tool_handler(router = {sum})] impl rmcp::ServerHandler for Server {{}}")
        .unwrap();
    fs::write(folder.join("main.rs"), main).unwrap();
}

fn unit(root: &Path) -> Unit {
    let package = |name: &str| {
        let version = Version::new(1, 0, 0);
        (name.to_owned(), Dependency::Package { name: name.to_owned(), version })
    };
    Unit {
        root: root.to_owned(),
        name: "server".into(),
        edition: 2024,
        cfg: Cfg::host(BTreeSet::new()),
        dependencies: ["rmcp", "serde"].map(package).into(),
        environment: BTreeMap::new(),
        serves: true,
    }
}

fn sdk() -> Sdk {
    let (rmcp, schemars) = (Version::new(3, 11, 0), Version::new(1, 2, 3));
    Sdk { rmcp, schemars, keeps_order: false, keeps_digits: false }
}
