//! Which type parameters the schema of a type depends on.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Macro, Path, Type};

use super::container::{Container, Data, Field, With};

/// The type parameters that fields mention, sorted; not those in `PhantomData` or skipped fields.
pub(super) fn parameters(container: &Container<'_>) -> BTreeSet<String> {
    let all: BTreeSet<String> =
        container.adt.generics().type_params().map(|param| param.ident.to_string()).collect();
    let mut mentions = Mentions { all, found: BTreeSet::new() };
    if mentions.all.is_empty() {
        return mentions.found;
    }
    if container.is_format {
        let named = |name: &&String| container.name.deserialize.contains(&format!("{{{name}}}"));
        mentions.found.extend(mentions.all.iter().filter(named).cloned());
    }
    let mut field = |field: &Field<'_>| {
        if !(field.skip_serializing && field.skip_deserializing) {
            match &field.with {
                Some(With::Type(with)) => mentions.visit_type(with),
                Some(With::Function(_)) => {}
                None => mentions.visit_type(field.ty),
            }
        }
    };
    match &container.data {
        Data::Struct(_, fields) => fields.iter().for_each(&mut field),
        Data::Enum(variants) => variants
            .iter()
            .filter(|variant| !(variant.skip_serializing && variant.skip_deserializing))
            .for_each(|variant| variant.fields.iter().for_each(&mut field)),
    }
    mentions.found
}

/// Whether a type mentions any of these names.
pub(super) fn mentions(ty: &Type, names: BTreeSet<String>) -> bool {
    let mut mentions = Mentions { all: names, found: BTreeSet::new() };
    mentions.visit_type(ty);
    !mentions.found.is_empty()
}

struct Mentions {
    all: BTreeSet<String>,
    found: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Mentions {
    fn visit_path(&mut self, path: &'ast Path) {
        if path.segments.last().is_some_and(|last| last.ident == "PhantomData") {
            return;
        }
        if let Some(first) = path.segments.first().filter(|_| path.leading_colon.is_none()) {
            let name = first.ident.to_string();
            if self.all.contains(&name) {
                self.found.insert(name);
            }
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, _: &'ast Macro) {}
}
