//! Evaluating contracts from source, without compiling it.
//!
//! [`evaluate`] reads a server's source and says, of each tool it serves, either the complete
//! contract or why that cannot be told from the source alone. It follows what the derives of serde
//! and schemars and the macros of rmcp do, in the versions that Cargo.lock names. What is not
//! understood is never guessed: an unknown attribute, a type of another crate, an implementation by
//! hand whose code does more than it follows leave the tool [unresolved](UnresolvedTool).
//!
//! Every part of a contract knows the line it comes from, see [`EvaluatedTool::place`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::framework;
use crate::pointer::{target, unescaped};
use crate::probe::{self, OutputError, ProbeTarget, Remark, Role};
use crate::scan::{self, Parsed, ScanError, SourceSpan};

mod builtin;
mod case;
mod cfg;
mod code;
mod conditions;
mod constants;
mod container;
mod declared;
mod defaults;
mod docs;
mod error;
mod functions;
mod generator;
mod keywords;
mod known;
mod located;
mod lock;
mod map_keys;
mod marks;
mod matcher;
mod merge;
mod metas;
mod names;
mod nullable;
mod old;
mod owner;
mod places;
mod program;
mod reader;
mod records;
mod relevant;
mod renames;
mod script;
mod sdk;
mod shape;
mod tool;
mod tool_box;
mod transcriber;
mod types;
mod validation;
mod world;
mod written;

pub use cfg::Cfg;
pub use error::Unresolved;
pub use located::locate;
pub(crate) use lock::locked_versions;
pub use program::{Dependency, Unit};
pub use sdk::Sdk;

/// What the source says of a server's tools.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Evaluation {
    /// The served tools whose contract is known, sorted by name. A name repeats where the server
    /// declares two tools of one name.
    pub tools: Vec<EvaluatedTool>,
    /// The served tools whose contract is not known, sorted by name.
    pub unresolved: Vec<UnresolvedTool>,
    /// What a person must know though all of that is exact (declared but not served).
    pub notes: Vec<Remark>,
    /// What could not be read (a file that does not parse, macros that may make tools): while
    /// there is any, there may be more tools.
    pub unread: Vec<Remark>,
    /// Handlers of which the source does not tell what they serve; all they declare is counted.
    pub run_time: Vec<Remark>,
    /// Where the handlers stand that serve these tools.
    #[serde(default)]
    pub handlers: Vec<SourceSpan>,
    /// Every file that was read, absolute.
    pub files: BTreeSet<PathBuf>,
    /// Every file that was looked for and is not there: another source would be read with it.
    #[serde(skip)]
    pub absent: BTreeSet<PathBuf>,
}

/// What a use of a definition may say of itself.
const BESIDE_REFERENCES: [&str; 3] = ["default", "description", "title"];

/// A tool whose contract is known.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EvaluatedTool {
    /// The tool in the wire's own form, without `_meta` and `icons`.
    pub wire: Value,
    /// Where its function stands.
    pub span: SourceSpan,
    /// The type of the `impl` it stands in; absent for a free function.
    pub block: Option<SourceSpan>,
    /// Places of the parts of the contract, by JSON pointer (RFC 6901).
    #[serde(with = "places")]
    pub places: BTreeMap<String, SourceSpan>,
}

impl EvaluatedTool {
    /// Where the part of the contract at a JSON pointer comes from: the field of an argument, the
    /// variant of an `enum` value, the attribute of an annotation. Where nothing is known of the
    /// part itself, or where it is not there, the place of the nearest part around it: the struct,
    /// the enum, the function. References are followed.
    pub fn place(&self, pointer: &str) -> &SourceSpan {
        self.followed(pointer, 0).unwrap_or(&self.span)
    }

    fn followed(&self, pointer: &str, depth: usize) -> Option<&SourceSpan> {
        const MAX_DEPTH: usize = 32;
        let mut at = String::new();
        let mut schema = &self.wire;
        let mut nearest = self.places.get("");
        for (index, token) in pointer.match_indices('/').map(|(start, _)| {
            let rest = &pointer[start + 1..];
            (start, &rest[..rest.find('/').unwrap_or(rest.len())])
        }) {
            let key = unescaped(token);
            // What is not here may be where the schema refers to, unless it can be said beside that.
            if schema.get(&*key).is_none()
                && !BESIDE_REFERENCES.contains(&&*key)
                && let Some(target) = schema.as_object().and_then(|it| target(pointer, it))
                && depth < MAX_DEPTH
            {
                return self.followed(&(target + &pointer[index..]), depth + 1);
            }
            at.push('/');
            at.push_str(token);
            nearest = self.places.get(&at).or(nearest);
            schema = match schema {
                Value::Array(list) => {
                    key.parse().ok().and_then(|at: usize| list.get(at)).unwrap_or(&Value::Null)
                }
                other => other.get(&*key).unwrap_or(&Value::Null),
            };
        }
        nearest
    }
}

/// A tool whose contract the source does not tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnresolvedTool {
    /// Its name; that of its function where the name is not told.
    pub name: String,
    /// Whether its name is told.
    pub is_named: bool,
    /// Where its function stands.
    pub span: SourceSpan,
    /// Why, and where the cause stands.
    pub why: Unresolved,
}

/// Why nothing could be evaluated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The source could not be walked.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// It cannot be told which of several servers is meant.
    #[error(transparent)]
    Server(#[from] OutputError),
}

/// Evaluates the tools of one server from the source of its crates: the binary or library that
/// serves, and every local crate that it is built from. `servers` are the types that the author
/// says serve tools; where there are none, the source has to tell.
///
/// # Errors
/// [`EvaluateError`] when a root file cannot be read, or when it cannot be told which of several
/// servers is meant.
pub fn evaluate(
    units: &[Unit],
    sdk: &Sdk,
    servers: &[String],
) -> Result<Evaluation, EvaluateError> {
    let evaluation = scan::depth::with_stack(|| evaluated(units, sdk, servers));
    evaluation.map_err(ScanError::Thread)?
}

fn evaluated(units: &[Unit], sdk: &Sdk, servers: &[String]) -> Result<Evaluation, EvaluateError> {
    let mut parsed = parsed(units)?;
    let serving = || units.iter().zip(&parsed).filter(|(unit, _)| unit.serves);
    let mut frameworks = serving().filter_map(|(_, (scan, _))| scan.framework);
    if let Some(framework) = frameworks.find(|framework| !framework.evaluated) {
        let text = framework.known_to_builds();
        return Ok(Evaluation {
            unread: vec![Remark { span: None, text }],
            files: parsed.iter().flat_map(|(scan, _)| scan.files.iter().cloned()).collect(),
            ..Evaluation::default()
        });
    }
    if sdk.has_tool_boxes() {
        parsed.iter_mut().flat_map(|(_, trees)| trees).for_each(tool_box::expand);
    }
    let program = program::Program::new(units, &parsed, sdk.keeps_digits);
    let world = world::World::new(&program, sdk.schemars.clone());
    let targets = targets(units, &parsed, sdk);
    let evaluated = records::evaluate(&world, sdk, &targets);
    let plain: Vec<ProbeTarget<'_>> = targets.iter().map(|(_, target)| target.clone()).collect();
    let reading = probe::conclude_records(&plain, servers, &evaluated.records)?;
    let mut evaluation = Evaluation {
        notes: reading.notes,
        unread: Vec::new(),
        run_time: reading.run_time,
        handlers: reading.handlers,
        ..Evaluation::default()
    };
    for tool in reading.tools {
        let Some(span) = tool.span else { continue };
        if let Some(is_named) = records::unresolved(&tool.wire) {
            let why = evaluated.unresolved.get(&span).cloned();
            evaluation.unresolved.push(UnresolvedTool {
                name: probe::wire_name(&tool.wire).to_owned(),
                is_named,
                why: why.unwrap_or(Unresolved { reason: "it is not known".into(), span: None }),
                span,
            });
        } else {
            let places = evaluated.places.get(&span).cloned().unwrap_or_default();
            let block = evaluated.blocks.get(&span).cloned();
            evaluation.tools.push(EvaluatedTool { wire: tool.wire, span, block, places });
        }
    }
    for (unit, krate) in program.crates.iter().enumerate().filter(|(unit, _)| units[*unit].serves) {
        evaluation.unread.extend(unread(&program, unit));
        if krate.scan.needs_expansion {
            evaluation.unread.push(Remark {
                span: None,
                text: format!(
                    "macros in `{}` may make tools, and only a build shows what they make",
                    units[unit].name
                ),
            });
        }
    }
    let files = parsed.iter().flat_map(|(scan, _)| scan.files.iter().cloned());
    evaluation.files = files.chain(world.constants.included.borrow().iter().cloned()).collect();
    let missing = parsed.iter().flat_map(|(scan, _)| &scan.missing);
    evaluation.absent = missing.flat_map(|missing| missing.files.iter().cloned()).collect();
    Ok(evaluation)
}

/// Walks every crate.
fn parsed(units: &[Unit]) -> Result<Vec<Parsed>, ScanError> {
    let walk = |unit: &Unit| {
        let packages = unit.dependencies.iter().filter_map(|(name, found)| match found {
            Dependency::Package { name: package, .. } => Some((name.as_str(), &**package)),
            Dependency::Unit(_) => None,
        });
        scan::walk(&unit.root, &framework::renamed(packages))
    };
    units.iter().map(walk).collect()
}

/// The crates that serve, as a probe of them would be set up.
fn targets<'p>(units: &[Unit], parsed: &'p [Parsed], sdk: &Sdk) -> Vec<(usize, ProbeTarget<'p>)> {
    let serving = || (0..units.len()).filter(|unit| units[*unit].serves);
    serving()
        .map(|unit| {
            let siblings = serving().filter(|other| *other != unit);
            let target = ProbeTarget {
                scan: &parsed[unit].0,
                siblings: siblings.map(|other| &parsed[other].0).collect(),
                role: Role::Library,
                edition: units[unit].edition,
                version: Some(sdk.rmcp.clone()),
                libraries: Vec::new(),
                hash_var: String::new(),
            };
            (unit, target)
        })
        .collect()
}

/// What of a crate could not be read and may hold tools.
fn unread(program: &program::Program<'_>, unit: usize) -> Vec<Remark> {
    let krate = &program.crates[unit];
    let cfg = &krate.unit.cfg;
    let mut remarks = Vec::new();
    for unread in &krate.scan.unread {
        // A file that no compiled module is made of is not read by rustc either.
        let mut modules = (0..krate.active.len())
            .filter(|module| krate.scan.modules[*module].file == unread.span.file)
            .peekable();
        if modules.peek().is_none() || modules.any(|module| krate.active[module] != Some(false)) {
            remarks.push(Remark { span: Some(unread.span.clone()), text: unread.reason.clone() });
        }
    }
    for missing in &krate.scan.missing {
        let parent = missing.module.parent.map_or(Some(true), |parent| krate.active[parent]);
        if parent != Some(false) && cfg.all(&missing.module.cfgs) != Some(false) {
            let name = &missing.module.name;
            remarks.push(Remark {
                span: Some(missing.span.clone()),
                text: match missing.is_circular {
                    true => format!("the module `{name}` includes itself"),
                    false => format!("the module `{name}` has no file; tools in it cannot be seen"),
                },
            });
        }
    }
    remarks
}

#[cfg(test)]
mod tests;
