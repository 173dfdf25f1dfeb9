//! `list`: the tools as an agent sees them.

use mcp_semver_build::{Contract, Digest, Scheme};
use semver::Version;
use serde_json::{Value, json};

use crate::cli::args::List;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::format::Listing;
use crate::cli::servers::{self, Read, settings};
use crate::cli::shell::Shell;
use crate::cli::source::Kind;
use crate::report::Failure;
use crate::report::human::style::{HEADLINE, paint};
use crate::report::signature::arguments;
use crate::report::visible::{visible, visible_json};
use crate::source::Sourced;
use crate::source::build::Server;

/// How many hexadecimal digits of a digest are shown.
const DIGITS: usize = 12;

/// Lists the tools of every selected package. A person sees what could be read; a dump, which every
/// command takes for the whole, is written only where everything could.
pub(super) fn run(args: &List, shell: Shell) -> Result<Exit, CommandError> {
    let (servers, failures) = match args.source.kind() {
        Kind::Build => packages(servers::read(&args.build, shell)?, shell),
        Kind::Scan => packages(servers::scanned(&args.build, &args.source, shell)?, shell),
        Kind::Own => packages(servers::started(&args.build, &args.source, shell)?, shell),
        Kind::Other => {
            let sourced = args.source.read(shell)?;
            let name = sourced.server_name.clone().or_else(|| args.source.name());
            let listed = Listed { name: name.unwrap_or_default(), version: None, sourced };
            (vec![listed], Vec::new())
        }
    };
    for note in servers.iter().flat_map(|server| &server.sourced.notes) {
        shell.note(note);
    }
    match args.format.format {
        Listing::Human => shell.print(&human(&servers))?,
        Listing::Json if failures.is_empty() => shell.print_raw(&json(&servers))?,
        Listing::Json => {}
    }
    failures.iter().for_each(|failure| shell.failure(failure));
    Ok(if failures.is_empty() { Exit::Ok } else { Exit::NotChecked })
}

/// What can be shown of packages, and why that is not all of it.
fn packages(read: Read, shell: Shell) -> (Vec<Listed>, Vec<Failure>) {
    let incomplete = read.servers.iter().filter_map(|server| settings(server, shell).err());
    let failed = read.failed.into_iter().filter_map(|subject| subject.result.err());
    let failures = incomplete.chain(failed).collect();
    (read.servers.into_iter().map(Listed::from).collect(), failures)
}

/// A server whose tools are listed.
struct Listed {
    name: String,
    /// Its package's version, where it is one here.
    version: Option<Version>,
    sourced: Sourced,
}

impl From<Server> for Listed {
    fn from(server: Server) -> Self {
        let Server { name, version, sourced, .. } = server;
        Self { name, version: Some(version), sourced }
    }
}

/// The catalogue as a `tools/list` result; of several packages, one such object each in a list.
fn json(servers: &[Listed]) -> String {
    let tools = |server: &Listed| -> Vec<Value> {
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
    visible_json(&format!("{value:#}\n"))
}

fn human(servers: &[Listed]) -> String {
    let mut text = String::new();
    for server in servers {
        if !text.is_empty() {
            text.push('\n');
        }
        let count = server.sourced.catalogue.len();
        let tools = if count == 1 { "tool" } else { "tools" };
        let name = visible(&server.name);
        let version = server.version.as_ref().map(|version| format!(" v{version}"));
        let version = version.unwrap_or_default();
        text += &format!("{}{version}: {count} {tools}\n", paint(HEADLINE, name));
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
    for line in texts(contract) {
        text += format!("    {}", visible(line)).trim_end();
        text.push('\n');
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

/// The lines of the title and of the description, both of which an agent reads.
fn texts(contract: &Contract) -> impl Iterator<Item = &str> {
    let texts = [&contract.title, &contract.description];
    texts.into_iter().flatten().flat_map(|text| text.trim().lines())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_semver_build::Catalogue;

    fn server(name: &str, tools: Value) -> Listed {
        let tools: Vec<Value> = serde_json::from_value(tools).unwrap();
        let contracts = tools.into_iter().map(|tool| Contract::from_wire(tool).unwrap());
        let catalogue = Catalogue::new(contracts).unwrap();
        let sourced = Sourced { catalogue, ..Sourced::default() };
        Listed { name: name.into(), version: Some("1.4.0".parse().unwrap()), sourced }
    }

    fn search() -> Value {
        json!([
            {"name": "search", "description": "search public repositories\n\nSlow.",
             "_meta": {"x": 1}, "inputSchema": {
                "type": "object", "required": ["q"],
                "properties": {"q": {"type": "string"}, "languages": {
                    "type": "array", "items": {"enum": ["rust", "c"]}}}}},
            {"name": "ping", "title": "Ping \u{1b}[2J", "inputSchema": {"type": "object"}},
        ])
    }

    #[test]
    fn a_person_sees_what_an_agent_sees() {
        let text = human(&[server("my-server", search()), server("other", json!([]))]);
        insta::assert_snapshot!(anstream::adapter::strip_str(&text));
    }

    #[test]
    fn json_is_a_dump_sorted_by_name_with_every_field() {
        let listed: Value = serde_json::from_str(&json(&[server("s", search())])).unwrap();
        let mut expected = search();
        expected.as_array_mut().unwrap().reverse();
        assert_eq!(listed, json!({ "tools": expected }));
    }

    #[test]
    fn json_of_several_packages_keeps_them_apart() {
        let listed = json(&[server("a", search()), server("b", json!([]))]);
        let listed: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(listed["packages"][0]["package"], "a");
        assert_eq!(listed["packages"][1], json!({"package": "b", "tools": []}));
    }
}
