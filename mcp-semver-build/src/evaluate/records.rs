//! What a probe would write, evaluated instead: the tools of each declaration and router.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use syn::{ImplItem, Item};

use super::error::Unresolved;
use super::places::Places;
use super::program::ModuleId;
use super::sdk::Sdk;
use super::tool::{Described, Describer, ToolFn};
use super::world::World;
use crate::probe::{Outcome, ProbeTarget, Records, Subject, subjects, wire_name};
use crate::scan::signature::parameters;
use crate::scan::{Added, Block, DeclaredTool, Expression, RouterFn, SourceSpan};

/// Marks a tool in the records that is not resolved, with whether its name is told.
const UNRESOLVED: &str = "\0unresolved";
/// More routers in terms of one another than any crate has.
const MAX_DEPTH: usize = 16;

/// What became of each declared tool.
pub(super) struct Evaluated {
    pub(super) records: Records,
    /// The places in each resolved contract, by the tool's place.
    pub(super) places: BTreeMap<SourceSpan, Places>,
    /// The `impl` that a resolved tool stands in, by the tool's place.
    pub(super) blocks: BTreeMap<SourceSpan, SourceSpan>,
    /// Why a tool is not resolved, by its place.
    pub(super) unresolved: BTreeMap<SourceSpan, Unresolved>,
}

/// Evaluates everything that a probe of these targets would; the targets are units of the world,
/// by index.
pub(super) fn evaluate(
    world: &World<'_, '_>,
    sdk: &Sdk,
    targets: &[(usize, ProbeTarget<'_>)],
) -> Evaluated {
    let mut evaluation = Evaluation {
        describer: Describer { world, sdk },
        targets,
        tools: BTreeMap::new(),
        result: Evaluated {
            records: Records::new(),
            places: BTreeMap::new(),
            blocks: BTreeMap::new(),
            unresolved: BTreeMap::new(),
        },
    };
    for (unit, target) in targets {
        for tool in &target.scan.tools {
            evaluation.tool(*unit, tool);
        }
    }
    for (unit, target) in targets {
        for subject in subjects(target) {
            evaluation.subject(*unit, target, subject);
        }
    }
    evaluation.result
}

struct Evaluation<'e, 'w, 'p, 't, 's> {
    describer: Describer<'w, 'p, 't>,
    targets: &'e [(usize, ProbeTarget<'s>)],
    /// The record of each tool, by its place; not of those that are not compiled.
    tools: BTreeMap<SourceSpan, (&'s DeclaredTool, Value)>,
    result: Evaluated,
}

impl<'t, 's> Evaluation<'_, '_, '_, 't, 's> {
    /// Whether something in a module is compiled.
    fn is_compiled(&self, unit: usize, module: usize, cfgs: &[String]) -> Option<bool> {
        let krate = &self.describer.world.program.crates[unit];
        match (krate.active.get(module).copied().flatten(), krate.unit.cfg.all(cfgs)) {
            (Some(true), own) => own,
            (Some(false), _) | (_, Some(false)) => Some(false),
            (None, _) => krate.active.get(module).copied().flatten(),
        }
    }

    fn tool(&mut self, unit: usize, tool: &'s DeclaredTool) {
        let described = match self.is_compiled(unit, tool.module, &tool.cfgs) {
            Some(false) => return,
            None => {
                Err((None, failure("whether it is compiled depends on what is not known", tool)))
            }
            Some(true) => self.describe(unit, tool),
        };
        let wire = match described {
            Ok(Described { wire, places, block }) => {
                self.result.places.insert(tool.span.clone(), places);
                self.result.blocks.extend(block.map(|block| (tool.span.clone(), block)));
                wire
            }
            Err((name, error)) => {
                let is_named = name.is_some();
                let name = name.unwrap_or_else(|| tool.function.clone());
                self.result.unresolved.insert(tool.span.clone(), error);
                json!({ "name": name, UNRESOLVED: is_named })
            }
        };
        self.tools.insert(tool.span.clone(), (tool, wire));
    }

    fn describe(
        &self,
        unit: usize,
        tool: &DeclaredTool,
    ) -> Result<Described, (Option<String>, Unresolved)> {
        if let Some(why) = self.describer.sdk.unknown() {
            return Err((None, failure(&why, tool)));
        }
        let Some(function) = self.function(unit, tool) else {
            return Err((None, failure("its function is not found", tool)));
        };
        let described = self.describer.describe(&function);
        described.map_err(|error| (self.describer.name(&function), *error))
    }

    /// The function of a declared tool.
    fn function(&self, unit: usize, tool: &DeclaredTool) -> Option<ToolFn<'t>> {
        let program = self.describer.world.program;
        let module = ModuleId { unit, module: tool.module };
        let names = program.names(module);
        let here = |ident: &syn::Ident| {
            *ident == tool.function && program.place(module, ident.span()) == tool.span
        };
        let methods = names.impls.iter().flat_map(|block| {
            let generics = parameters(&block.generics);
            block.items.iter().filter_map(move |item| match item {
                ImplItem::Fn(method) => Some(ToolFn {
                    module,
                    attributes: &method.attrs,
                    sig: &method.sig,
                    generics: generics.clone(),
                    block: Some(&block.self_ty),
                }),
                _ => None,
            })
        });
        let free = names.entries.get(tool.function.trim_start_matches("r#")).into_iter().flatten();
        let free = free.filter_map(|entry| match entry.what {
            super::program::What::Item(Item::Fn(item)) => Some(ToolFn {
                module,
                attributes: &item.attrs,
                sig: &item.sig,
                generics: Vec::new(),
                block: None,
            }),
            _ => None,
        });
        methods.chain(free).find(|function| here(&function.sig.ident))
    }

    fn subject(&mut self, unit: usize, target: &ProbeTarget<'s>, subject: Subject<'s>) {
        if let Subject::Tool(tool) = subject {
            if let Some((_, wire)) = self.tools.get(&tool.span) {
                self.result.records.insert(subject.key(), Outcome::Value(wire.clone()));
            }
            return;
        }
        let compiled = self.is_compiled(unit, subject.module(), subject.cfgs());
        if compiled == Some(false) {
            return;
        }
        let self_type = match subject {
            Subject::Router(router) => Some(router.self_type.as_str()),
            Subject::Handler(handler) => Some(handler.self_type.as_str()),
            Subject::Init(field) => field.self_type.as_deref(),
            Subject::Tool(_) => None,
        };
        let value = match (subject.expression(target), self_type) {
            (Some(expression), Some(self_type)) => {
                let listed = if compiled.is_some() {
                    self.listed(unit, expression, self_type, 0)
                } else {
                    None
                };
                Value::Array(listed.unwrap_or_else(|| self.everything(self_type)))
            }
            _ => Value::Null,
        };
        self.result.records.insert(subject.key(), Outcome::Value(value));
    }

    /// The tools that a sum of routers lists.
    fn listed(
        &self,
        unit: usize,
        expression: &Expression,
        self_type: &str,
        depth: usize,
    ) -> Option<Vec<Value>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut tools: BTreeMap<String, Value> = BTreeMap::new();
        let cfg = &self.describer.world.program.crates[unit].unit.cfg;
        for summand in expression.sum.as_ref()? {
            if !cfg.all(&summand.cfgs)? {
                continue;
            }
            let added = match &summand.what {
                Added::Router(name) if name == "new" => Vec::new(),
                Added::Router(name) => {
                    let (unit, router) = self.router(name, self_type)?;
                    if router.generated {
                        self.block(unit, name, self_type)
                    } else {
                        self.listed(unit, router.returns.as_ref()?, self_type, depth + 1)?
                    }
                }
                Added::Tool(function) => {
                    let free = |tool: &DeclaredTool| {
                        tool.self_type.is_none() && tool.function == *function
                    };
                    self.tools_where(&free)
                }
                Added::Variable => return None,
            };
            tools.extend(added.into_iter().map(|wire| (wire_name(&wire).to_owned(), wire)));
        }
        Some(tools.into_values().collect())
    }

    /// The one router function of a name that is compiled.
    fn router(&self, name: &str, self_type: &str) -> Option<(usize, &'s RouterFn)> {
        let mut found = None;
        for (unit, target) in self.targets {
            for router in &target.scan.routers {
                if router.name != name || router.self_type != self_type {
                    continue;
                }
                let same =
                    found.is_some_and(|(_, known): (usize, &RouterFn)| known.span == router.span);
                if !self.is_compiled(*unit, router.module, &router.cfgs)? || same {
                    continue;
                }
                if found.is_some() {
                    return None;
                }
                found = Some((*unit, router));
            }
        }
        found
    }

    fn tools_where(&self, wanted: &dyn Fn(&DeclaredTool) -> bool) -> Vec<Value> {
        let tools = self.tools.values().filter(|(tool, _)| wanted(tool));
        tools.map(|(_, wire)| wire.clone()).collect()
    }

    /// The tools of the `#[tool_router]` blocks that generate a router function.
    fn block(&self, unit: usize, name: &str, self_type: &str) -> Vec<Value> {
        let cfg = &self.describer.world.program.crates[unit].unit.cfg;
        self.tools_where(&|tool| {
            let Block::Router(routers) = &tool.block else { return false };
            tool.self_type.as_deref() == Some(self_type)
                && routers.iter().any(|it| it.name == name && cfg.all(&it.cfgs) == Some(true))
        })
    }

    /// Every tool of a type, none of them resolved: code decides what its router holds.
    fn everything(&mut self, self_type: &str) -> Vec<Value> {
        let mut all = Vec::new();
        for (tool, wire) in self.tools.values_mut() {
            if tool.self_type.as_deref() == Some(self_type) {
                let reason = "its router is made or changed by code that only a build runs";
                let error = self.result.unresolved.entry(tool.span.clone());
                error.or_insert_with(|| failure(reason, tool));
                let is_named = unresolved(wire) != Some(false);
                *wire = json!({ "name": wire_name(wire), UNRESOLVED: is_named });
                let key = Subject::Tool(tool).key();
                self.result.records.insert(key, Outcome::Value(wire.clone()));
                all.push(wire.clone());
            }
        }
        all
    }
}

/// Whether the name of a tool is told that is not resolved; `None` where it is.
pub(super) fn unresolved(wire: &Value) -> Option<bool> {
    wire.get(UNRESOLVED)?.as_bool()
}

fn failure(reason: &str, tool: &DeclaredTool) -> Unresolved {
    Unresolved { reason: reason.to_owned(), span: Some(tool.span.clone()) }
}
