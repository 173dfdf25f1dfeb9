//! The source that compiles nothing: contracts evaluated from the source code.

use std::collections::BTreeMap;
use std::path::Path;

use mcp_semver_build::evaluate::{self, EvaluateError, EvaluatedTool, Evaluation};
use mcp_semver_build::probe::{ReadTool, Remark};
use mcp_semver_build::{Catalogue, Contract};

use super::build::{self, BuildError, BuildRequest, Failed, Places, Plan, Plans, Server, Servers};
use super::{Origins, Sourced};
use crate::finding::Span;

/// Evaluates every selected server. What is wrong with one package keeps no other from being read.
///
/// # Errors
/// [`BuildError`] where no package can be read; no package with tools among those selected is an
/// error too.
pub fn read(request: &BuildRequest) -> Result<Servers, BuildError> {
    let Plans { plans, failed, skipped } = build::plans(request)?;
    let mut servers = Servers { servers: Vec::new(), failed, skipped };
    for plan in plans {
        let Server { name, version, manifest_path, .. } = plan.server.clone();
        match evaluated(plan) {
            Ok(server) => servers.servers.push(server),
            Err(error) => servers.failed.push(Failed { name, version, manifest_path, error }),
        }
    }
    Ok(servers)
}

/// The source of one package, as far as that can be read, for the places in it alone. Where it does
/// not tell contracts, they are those of `catalogue`.
pub fn places(request: &BuildRequest, manifest_path: &Path, catalogue: &Catalogue) -> Sourced {
    let plans = build::plans(request).map(|plans| plans.plans).unwrap_or_default();
    let is_same = |plan: &Plan| plan.server.manifest_path == manifest_path;
    let Some(plan) = plans.into_iter().find(is_same) else { return Sourced::default() };
    if plan.framework.is_none_or(|framework| framework.evaluated) {
        return evaluated(plan).map(|server| server.sourced).unwrap_or_default();
    }
    let tools = catalogue.iter().map(|tool| ReadTool { wire: tool.to_wire(), span: None });
    let located = evaluate::locate(&plan.units, &tools.collect::<Vec<_>>()).unwrap_or_default();
    let package = manifest_path.parent().unwrap_or(manifest_path);
    let places = Places { package };
    let name = |tool: &EvaluatedTool| tool.wire["name"].as_str().unwrap_or_default().to_owned();
    Sourced {
        catalogue: catalogue.clone(),
        spans: located.iter().map(|tool| (name(tool), places.span(&tool.span))).collect(),
        origins: Origins::new(package, located),
        ..Sourced::default()
    }
}

fn evaluated(plan: Plan) -> Result<Server, BuildError> {
    let Plan { mut server, units, framework, sdk, named } = plan;
    let Some(sdk) = sdk else {
        let name = &server.name;
        let why = match framework.filter(|framework| !framework.evaluated) {
            Some(framework) => format!("`{name}`: {}", framework.known_to_builds()),
            None => format!(
                "`{name}` is not built with rmcp, so that its source does not tell its tools"
            ),
        };
        return Err(BuildError::Selection(why));
    };
    let evaluation = evaluate::evaluate(&units, &sdk, &named).map_err(|error| match error {
        EvaluateError::Scan(error) => BuildError::Scan(error.into()),
        error => BuildError::Selection(format!("in `{}` {error}", server.name)),
    })?;
    let directory = server.manifest_path.parent().unwrap_or(&server.manifest_path).to_owned();
    let known = std::mem::take(&mut server.sourced);
    let read = sourced(&server.name, Places { package: &directory }, evaluation)?;
    // An empty catalogue of which nothing is unread would pass every comparison.
    if read.catalogue.is_empty() && read.unresolved.is_empty() && read.unread.is_empty() {
        let notes: String = read.notes.iter().map(|note| format!("; {note}")).collect();
        return Err(BuildError::Selection(format!("`{}` serves no tools{notes}", server.name)));
    }
    server.sourced = Sourced {
        sdk: known.sdk,
        notes: [known.notes, read.notes].concat(),
        unread: [known.unread, read.unread].concat(),
        ..read
    };
    Ok(server)
}

fn sourced(
    package: &str,
    places: Places<'_>,
    evaluation: Evaluation,
) -> Result<Sourced, BuildError> {
    let texts =
        |remarks: Vec<Remark>| remarks.into_iter().map(|remark| places.text(remark)).collect();
    let contract = |source| BuildError::Contract { package: package.to_owned(), source };
    let mut contracts: BTreeMap<String, Contract> = BTreeMap::new();
    let mut spans: BTreeMap<String, Span> = BTreeMap::new();
    let names = evaluation.tools.iter().filter_map(|tool| tool.wire["name"].as_str());
    let unresolved = evaluation.unresolved.iter().map(|tool| tool.name.as_str());
    if let Some(name) = twice(names.chain(unresolved)) {
        let tools = evaluation.tools.iter().filter(|tool| tool.wire["name"] == *name);
        let unresolved = evaluation.unresolved.iter().filter(|tool| tool.name == name);
        let declared = tools.map(|tool| &tool.span).chain(unresolved.map(|tool| &tool.span));
        let spans = declared.map(|span| places.span(span)).collect();
        return Err(BuildError::Duplicate { package: package.to_owned(), name, spans });
    }
    for tool in &evaluation.tools {
        let read = Contract::from_wire(tool.wire.clone()).map_err(contract)?;
        spans.insert(read.name.clone(), places.span(&tool.span));
        contracts.insert(read.name.clone(), read);
    }
    let unresolved = evaluation.unresolved.into_iter().map(|tool| {
        let span = Some(tool.why.span.unwrap_or(tool.span));
        let text = format!("`{}` is not resolved: {}", tool.name, tool.why.reason);
        (tool.name, places.text(Remark { span, text }))
    });
    Ok(Sourced {
        unresolved: unresolved.collect(),
        spans,
        handler: places.only(&evaluation.handlers),
        origins: Origins::new(places.package, evaluation.tools),
        notes: texts(evaluation.notes),
        unread: texts(evaluation.unread),
        run_time: texts(evaluation.run_time),
        catalogue: Catalogue::new(contracts.into_values()).map_err(contract)?,
        ..Sourced::default()
    })
}

/// A name that comes more than once.
fn twice<'n>(names: impl Iterator<Item = &'n str>) -> Option<String> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].to_owned())
}
