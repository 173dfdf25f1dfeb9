//! What a check costs beside the build a person runs anyway.
//!
//! For three servers of different size, in one run: `cargo build` after a one-line edit, `check`
//! after the same edit, `cargo build` and `check` with nothing changed. Prints medians of
//! `MCP_SEMVER_ROUNDS` rounds (7 by default). The edits keep the contracts.
#![allow(clippy::unwrap_used)] // a bench may stop at what it did not expect

#[path = "../../tests/support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::process::Command;
use std::time::Instant;

use support::Copy;

/// Modules of ten tools each that are added to make the largest server.
const MODULES: usize = 8;

fn main() {
    let rounds: usize = match std::env::var("MCP_SEMVER_ROUNDS") {
        Ok(rounds) => rounds.parse().expect("MCP_SEMVER_ROUNDS must be a number"),
        Err(_) => 7,
    };
    println!("median of {rounds} rounds, milliseconds\n");
    println!(
        "| server | tools | build, edited | check, edited | ratio | build, fresh | check, fresh | more |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let (mut ratios, mut more) = (Vec::new(), Vec::new());
    for (name, server) in [
        ("strict-lints", Copy::with_own_build("bench-small", &["strict-lints"])),
        ("article", Copy::with_own_build("bench-medium", &["article"])),
        ("article", large()),
    ] {
        let tools = server.run(&["list", "--message-format=json"]).json()["tools"]
            .as_array()
            .map_or(0, Vec::len);
        server.run(&["lock"]).expect(0);
        let (ratio, difference) = measure(name, tools, &server, rounds);
        ratios.push(ratio);
        more.push(difference);
    }
    println!("\nmedian of the servers: ratio {:.2}, {:+.0} ms", median(ratios), median(more));
}

/// Prints one row; returns the ratio of the edited ones and the difference of the fresh ones.
fn measure(name: &str, tools: usize, server: &Copy, rounds: usize) -> (f64, f64) {
    let source = format!("{name}/src/main.rs");
    let text = server.read(&source);
    let [mut build_edited, mut check_edited, mut build_fresh, mut check_fresh] =
        [const { Vec::new() }; 4];
    for round in 0..rounds {
        let main = "async fn main() -> Result<(), Box<dyn std::error::Error>> {\n";
        let line = format!("{main}    eprintln!(\"round {round}\");\n");
        server.write(&source, &text.replacen(main, &line, 1));
        // Whoever comes first finds colder caches: they take turns.
        if round % 2 == 0 {
            build_edited.push(time(server.cargo(&["build"])));
            check_edited.push(time(server.command(&["check"])));
        } else {
            check_edited.push(time(server.command(&["check"])));
            build_edited.push(time(server.cargo(&["build"])));
        }
        build_fresh.push(time(server.cargo(&["build"])));
        check_fresh.push(time(server.command(&["check"])));
    }
    let [build_edited, check_edited, build_fresh, check_fresh] =
        [build_edited, check_edited, build_fresh, check_fresh].map(median);
    let (ratio, more) = (check_edited / build_edited, check_fresh - build_fresh);
    println!(
        "| {name} | {tools} | {build_edited:.0} | {check_edited:.0} | {ratio:.2} | {build_fresh:.0} | {check_fresh:.0} | {more:+.0} |"
    );
    (ratio, more)
}

/// Runs to a successful end and returns how many milliseconds that took.
fn time(mut command: Command) -> f64 {
    let start = Instant::now();
    let output = command.output().unwrap();
    let elapsed = start.elapsed().as_secs_f64() * 1000.0;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    elapsed
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// `article` with many tools more.
fn large() -> Copy {
    let server = Copy::with_own_build("bench-large", &["article"]);
    let mut routers = String::from("Self::tool_router()");
    for module in 0..MODULES {
        let mut tools = String::new();
        let mut arguments = String::new();
        for tool in 0..10 {
            let name = format!("tool_{module}_{tool}");
            let type_name = format!("Tool{module}{tool}");
            writeln!(
                arguments,
                "/// Arguments.\n#[derive(Debug, Deserialize, JsonSchema)]\nstruct {type_name} {{\n\
                 /// What it is about.\nsubject: String,\n#[serde(default)]\nlimit: u32,\n\
                 tags: Option<Vec<String>>,\n}}"
            )
            .unwrap();
            writeln!(
                tools,
                "/// Do the thing called {name}.\n#[tool]\nasync fn {name}(&self, \
                 Parameters(it): Parameters<{type_name}>) -> String {{ format!(\"{{it:?}}\") }}"
            )
            .unwrap();
        }
        let router = format!("tools_{module}");
        server.write(
            &format!("article/src/{router}.rs"),
            &format!(
                "use rmcp::handler::server::wrapper::Parameters;\nuse rmcp::schemars::{{self, \
                 JsonSchema}};\nuse rmcp::{{tool, tool_router}};\nuse serde::Deserialize;\n\
                 use super::Server;\n{arguments}\n#[tool_router(router = {router}, vis = \
                 \"pub(super)\")]\nimpl Server {{\n{tools}}}\n"
            ),
        );
        write!(routers, " + Self::{router}()").unwrap();
        server.edit(
            "article/src/main.rs",
            "\n#[derive(Clone)]\nstruct Server;",
            &format!("\nmod {router};\n\n#[derive(Clone)]\nstruct Server;"),
        );
    }
    server.edit(
        "article/src/main.rs",
        "#[tool_router(server_handler)]",
        &format!(
            "#[rmcp::tool_handler(router = ({routers}))]\nimpl rmcp::ServerHandler for Server \
             {{}}\n\n#[tool_router]"
        ),
    );
    server
}
