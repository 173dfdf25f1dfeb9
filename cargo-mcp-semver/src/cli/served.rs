//! `check --compare-build`: whether a server serves what its build declares.

use std::path::PathBuf;

use crate::baseline::Baseline;
use crate::cli::args::Check;
use crate::cli::error::CommandError;
use crate::cli::exit::Exit;
use crate::cli::servers;
use crate::cli::shell::Shell;
use crate::cli::source::Kind;
use crate::cli::{output, remedy};
use crate::compare::compare;
use crate::gate::{self, Declared};
use crate::report::{Failure, Run, Subject};
use crate::source::Sourced;
use crate::source::build::Server;
use crate::verdict::{Outcome, Status};

/// Compares every selected package with what it serves.
pub(super) fn run(args: &Check, shell: Shell) -> Result<Exit, CommandError> {
    let servers::Read { servers: built, failed } = servers::read(&args.build, shell)?;
    let served = match args.source.kind() {
        Kind::Own => servers::started(&args.build, &args.source, shell)?
            .servers
            .into_iter()
            .map(|server| (server.name, server.sourced))
            .collect(),
        Kind::Other | Kind::Build | Kind::Scan => match built.as_slice() {
            [] => Vec::new(),
            [one] => vec![(one.name.clone(), args.source.read(shell)?)],
            several => {
                let packages = several.iter().map(|server| server.name.clone()).collect();
                return Err(CommandError::OneServer { packages });
            }
        },
    };
    let subjects = built
        .iter()
        .map(|server| {
            let served = served.iter().find(|(name, _)| *name == server.name);
            subject(server, served.map(|(_, served)| served))
        })
        .chain(failed)
        .collect::<Vec<_>>();
    output::report(&Run { subjects }, args.format.format, shell)
}

fn subject(server: &Server, served: Option<&Sourced>) -> Subject {
    let directory = server.manifest_path.parent().map_or_else(PathBuf::new, remedy::near);
    Subject {
        name: format!("{}: declared by the build -> served", server.name),
        version: None,
        directory,
        result: served.map_or_else(
            || Err(not_started(&server.name)),
            |served| differences(&server.sourced, served),
        ),
        remedy: None,
    }
}

fn not_started(package: &str) -> Failure {
    Failure {
        messages: vec![format!("`{package}` has no binary of its own that could be started")],
        causes: Vec::new(),
        help: vec![format!("start what serves its tools: `-p {package} --serve -- COMMAND`")],
    }
}

/// Any difference asks for 2. What the build could not read may be one.
fn differences(built: &Sourced, served: &Sourced) -> Result<Outcome, Failure> {
    let declared = Baseline::from(&built.catalogue);
    let changes = compare(&declared, &Baseline::from(&served.catalogue));
    let mut outcome = gate::decide(&declared, &Declared::default(), changes);
    let differs = outcome.tools.iter().any(|tool| tool.status != Status::Unchanged);
    outcome.exit_code = if differs { Exit::Violation } else { Exit::Ok } as u8;
    if !differs && !built.unread.is_empty() {
        return Err(Failure { messages: built.unread.clone(), causes: vec![], help: vec![] });
    }
    let only = |status| {
        let tools = outcome.tools.iter().filter(|tool| tool.status == status);
        let names: Vec<String> = tools.map(|tool| format!("`{}`", tool.name)).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let missing = only(Status::Removed).map(|names| format!("declared and not served: {names}"));
    let more = only(Status::Added).map(|names| format!("served and not declared: {names}"));
    let known = [&built.unread, &built.run_time, &built.notes, &served.notes];
    let known = known.into_iter().flatten().cloned();
    outcome.notes = missing.into_iter().chain(more).chain(known).collect();
    built.locate(&mut outcome.tools);
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_semver_build::{Catalogue, Contract};
    use serde_json::{Value, json};

    fn sourced(tools: Value) -> Sourced {
        let Value::Array(tools) = tools else { unreachable!("a list of tools") };
        let contracts = tools.into_iter().map(|tool| Contract::from_wire(tool).unwrap());
        Sourced { catalogue: Catalogue::new(contracts).unwrap(), ..Sourced::default() }
    }

    #[test]
    fn the_same_tools_are_no_difference() {
        let one = sourced(json!([{"name": "a", "_meta": {"x": 1}}]));
        let other = sourced(json!([{"name": "a"}]));
        assert_eq!(differences(&one, &other).unwrap().exit_code, 0, "`_meta` is no part of it");
        let unread = Sourced { unread: vec!["`b` cannot be read".into()], ..one };
        assert_eq!(differences(&unread, &other).unwrap_err().messages, ["`b` cannot be read"]);
    }

    #[test]
    fn every_field_that_differs_counts() {
        let full = json!({"name": "a", "title": "A", "description": "d", "inputSchema": {},
            "outputSchema": {}, "annotations": {}, "execution": {}});
        for field in
            ["title", "description", "inputSchema", "outputSchema", "annotations", "execution"]
        {
            let mut less = full.clone();
            less.as_object_mut().unwrap().remove(field);
            let outcome = differences(&sourced(json!([full])), &sourced(json!([less]))).unwrap();
            assert_eq!((outcome.exit_code, outcome.tools.len()), (2, 1), "{field}");
            assert!(!outcome.tools[0].findings.is_empty(), "{field}");
        }
    }

    #[test]
    fn tools_of_one_side_are_named() {
        let built = Sourced {
            run_time: vec!["edited".into()],
            ..sourced(json!([{"name": "a"}, {"name": "b"}]))
        };
        let outcome = differences(&built, &sourced(json!([{"name": "b"}, {"name": "c"}]))).unwrap();
        assert_eq!(outcome.exit_code, 2);
        assert_eq!(
            outcome.notes,
            ["declared and not served: `a`", "served and not declared: `c`", "edited"]
        );
    }
}
