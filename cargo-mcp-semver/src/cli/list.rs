//! `list`: the tools as an agent sees them.

use mcp_semver_build::{Contract, Digest, Scheme};
use serde_json::{Value, json};

use crate::cli::args::{Format, List};
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::servers;
use crate::cli::shell::Shell;
use crate::report::human::style::{HEADLINE, paint};
use crate::report::signature::arguments;
use crate::report::visible::visible;
use crate::source::build::Server;

/// How many hexadecimal digits of a digest are shown.
const DIGITS: usize = 12;

/// Lists the tools of every selected package.
pub(super) fn run(args: &List, shell: Shell) -> Result<Exit, CommandError> {
    let servers = servers::read(&args.build, shell)?;
    for server in &servers {
        for note in &server.sourced.notes {
            shell.note(note);
        }
        for unread in &server.sourced.unread {
            shell.warning(unread);
        }
    }
    match args.format.format {
        Format::Human => shell.print(&human(&servers))?,
        Format::Json => shell.print_raw(&json(&servers))?,
    }
    Ok(Exit::Ok)
}

/// The catalogue as a `tools/list` result; of several packages, one such object each in a list.
fn json(servers: &[Server]) -> String {
    let tools = |server: &Server| -> Vec<Value> {
        server.sourced.catalogue.iter().map(Contract::to_wire).collect()
    };
    let value = match servers {
        [server] => json!({ "tools": tools(server) }),
        servers => {
            let packages: Vec<Value> = servers
                .iter()
                .map(|server| json!({ "package": server.name, "tools": tools(server) }))
                .collect();
            json!({ "packages": packages })
        }
    };
    format!("{value:#}\n")
}

fn human(servers: &[Server]) -> String {
    let mut text = String::new();
    for server in servers {
        let count = server.sourced.catalogue.len();
        let tools = if count == 1 { "tool" } else { "tools" };
        let name = visible(&server.name);
        text += &format!("{} v{}: {count} {tools}\n", paint(HEADLINE, name), server.version);
        for contract in server.sourced.catalogue.iter() {
            text.push('\n');
            text += &tool(contract);
        }
    }
    text
}

/// Name and digest, what it does, its arguments in columns.
fn tool(contract: &Contract) -> String {
    let digest = Digest::of(Scheme::ContractV2, contract).to_string();
    let hex = digest.rsplit(':').next().unwrap_or_default();
    let short = hex.get(..DIGITS).unwrap_or(hex);
    let mut text = format!("{}  [{short}]\n", paint(HEADLINE, visible(&contract.name)));
    if let Some(summary) = summary(contract) {
        text += &format!("    {}\n", visible(summary));
    }
    let arguments = arguments(contract);
    let width = |text: &str| visible(text).to_string().chars().count();
    let names = arguments.iter().map(|argument| width(&argument.name)).max().unwrap_or(0);
    let kinds = arguments.iter().map(|argument| width(&argument.kind)).max().unwrap_or(0);
    for argument in &arguments {
        let name = visible(&argument.name).to_string();
        let kind = visible(&argument.kind).to_string();
        let required = if argument.required { "  required" } else { "" };
        let line = format!("    {name:names$}  {kind:kinds$}{required}");
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// The title, or the first line of the description.
fn summary(contract: &Contract) -> Option<&str> {
    let description = contract.description.as_deref().and_then(|text| text.trim().lines().next());
    contract.title.as_deref().or(description).filter(|text| !text.is_empty())
}
