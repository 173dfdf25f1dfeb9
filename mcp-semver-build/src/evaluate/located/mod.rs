//! Where the parts of known contracts stand in the source that they were made from.
//!
//! Where only a build or a run tells contracts, the syntax still shows what each part comes from.
//! The names in a contract are looked up in the types that its tool is written with;
//! nothing that does not have the same name in both is given a place of its own, so that it has that
//! of what it stands in.

use proc_macro2::Span;
use serde_json::Value;
use syn::Type;

use super::program::{ModuleId, Program, Unit};
use super::types::Scope;
use super::{EvaluateError, EvaluatedTool};
use crate::framework::written::{Input, Parameter, Written};
use crate::probe::ReadTool;
use crate::scan::{self, ScanError, SourceSpan};

mod names;
mod types;

use types::{Finder, property};

#[cfg(test)]
mod tests;

/// Finds the places of tools whose contracts are known, in the crates of [`evaluate`](super::evaluate).
/// Where a tool itself stands may be known too; otherwise its name has to tell. Those that are not
/// found, or more than once, are left out.
///
/// # Errors
/// [`EvaluateError`] when a root file cannot be read.
pub fn locate(units: &[Unit], tools: &[ReadTool]) -> Result<Vec<EvaluatedTool>, EvaluateError> {
    let located = scan::depth::with_stack(|| located(units, tools));
    located.map_err(ScanError::Thread)?
}

fn located(units: &[Unit], tools: &[ReadTool]) -> Result<Vec<EvaluatedTool>, EvaluateError> {
    let parsed = super::parsed(units)?;
    let program = Program::new(units, &parsed, false);
    let mut all = Vec::new();
    for module in program.modules().filter(|module| units[module.unit].serves) {
        let krate = program.krate(module);
        let Some(framework) = krate.scan.framework else { continue };
        if krate.active[module.module] != Some(false) {
            let written = (framework.written)(&parsed[module.unit].1[module.module]);
            let compiled =
                written.into_iter().filter(|it| krate.unit.cfg.all(&it.cfgs) != Some(false));
            all.extend(compiled.map(|written| Declared { program: &program, module, written }));
        }
    }
    let located = tools.iter().filter_map(|tool| {
        let name = tool.wire.get("name")?.as_str()?;
        let is_meant = |declared: &&Declared<'_, '_>| match &tool.span {
            Some(span) => declared.place(declared.written.span) == *span,
            None => declared.written.name == name,
        };
        let mut meant: Vec<_> = all.iter().filter(is_meant).collect();
        if meant.len() > 1 {
            meant.retain(|declared| !declared.written.is_bare());
        }
        let [declared] = meant.as_slice() else { return None };
        Some(declared.located(&tool.wire))
    });
    Ok(located.collect())
}

/// A tool with the module that it is declared in.
struct Declared<'p, 't> {
    program: &'p Program<'t>,
    module: ModuleId,
    written: Written,
}

impl<'p, 't> Declared<'p, 't> {
    fn place(&self, span: Span) -> SourceSpan {
        self.program.place(self.module, span)
    }

    fn located(&self, wire: &Value) -> EvaluatedTool {
        let Written { span, block, texts, input, output, .. } = &self.written;
        let mut finder = Finder::new(self.program, wire);
        match input {
            Input::Type(ty) => self.find(&mut finder, ty, "/inputSchema"),
            Input::Parameters(parameters) => {
                parameters.iter().for_each(|parameter| self.argument(&mut finder, parameter));
            }
        }
        if let Some(ty) = output {
            self.find(&mut finder, ty, "/outputSchema");
        }
        let mut places = finder.places;
        places.insert(String::new(), self.place(*span));
        let texts = texts.iter().filter(|(part, _)| wire.pointer(part).is_some());
        places.extend(texts.map(|(part, span)| ((*part).to_owned(), self.place(*span))));
        EvaluatedTool {
            wire: wire.clone(),
            span: self.place(*span),
            block: block.map(|span| self.place(span)),
            places,
        }
    }

    fn find(&self, finder: &mut Finder<'_, 'p, 't>, ty: &Type, pointer: &str) {
        if let Ok(ty) = self.program.ty(&Scope::of(self.module), ty) {
            finder.start(&ty, pointer);
        }
    }

    fn argument(&self, finder: &mut Finder<'_, 'p, 't>, parameter: &Parameter) {
        let pointer = property("/inputSchema", &parameter.name);
        if finder.wire.pointer(&pointer).is_some() {
            self.find(finder, &parameter.ty, &pointer);
            let description = parameter.description.map(|span| self.place(span));
            let description = description.map(|place| (format!("{pointer}/description"), place));
            finder.places.extend(description);
            finder.places.insert(pointer, self.place(parameter.span));
        }
    }
}
