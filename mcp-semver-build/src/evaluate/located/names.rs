//! The names that fields and variants may have in a contract.

use syn::{Attribute, Ident};

use crate::evaluate::case::Rule;
use crate::evaluate::cfg::Cfg;
use crate::evaluate::error::Result;
use crate::evaluate::metas::{Item, Metas};
use crate::evaluate::program::{active, unraw};
use crate::evaluate::renames::{Both, Renames, Rules};
use crate::evaluate::types::Adt;

/// What the attributes of a type, field or variant say of names.
#[derive(Default)]
pub(super) struct Named {
    /// What it may be called.
    names: Vec<String>,
    /// The rules for what is inside.
    pub(super) rules: Rules,
    pub(super) tag: Option<String>,
    pub(super) content: Option<String>,
    pub(super) is_untagged: bool,
    pub(super) is_flat: bool,
    pub(super) is_transparent: bool,
    /// Whether another type or a function gives its schema.
    pub(super) is_replaced: bool,
    /// Whether a derive gives its schema.
    pub(super) is_derived: bool,
}

impl Named {
    /// Reads the attributes of something, on or in a type, that is compiled and has a name.
    pub(super) fn read(
        adt: Adt<'_>,
        cfg: &Cfg,
        ident: Option<&Ident>,
        attributes: &[Attribute],
        rules: Both,
        apply: fn(Rule, &str) -> String,
    ) -> Result<Option<Self>> {
        if active(cfg, attributes) != Some(true) {
            return Ok(None);
        }
        let metas = Metas::new(attributes, cfg, adt)?;
        let mut named = Self::default();
        let mut renames = Renames::default();
        let mut is_skipped = false;
        for item in &metas.shared {
            match item.name.as_str() {
                "rename" => renames.read(item)?,
                "rename_all" => named.rules.all.read(item)?,
                "rename_all_fields" => named.rules.fields.read(item)?,
                "tag" => named.tag = Some(item.string()?.value()),
                "content" => named.content = Some(item.string()?.value()),
                "untagged" => named.is_untagged = true,
                "flatten" => named.is_flat = true,
                "transparent" => named.is_transparent = true,
                "skip" => is_skipped = true,
                "from" | "into" | "remote" | "try_from" => named.is_replaced = true,
                _ => {}
            }
        }
        let replaces = |item: &Item| matches!(item.name.as_str(), "schema_with" | "with");
        named.is_replaced |= metas.schemars.iter().chain(&metas.serde).any(replaces);
        let derives = |meta: &syn::Meta| match meta {
            syn::Meta::List(list) => {
                crate::scan::any_ident(list.tokens.clone(), &mut |ident| ident == "JsonSchema")
            }
            _ => false,
        };
        named.is_derived = metas.of("derive").any(derives);
        if let Some(ident) = ident {
            // Some derives read fewer attributes than serde; the contract tells by its names.
            let ident = unraw(ident);
            let name = renames.or(&ident, rules, apply)?;
            named.names = vec![name.deserialize, name.serialize, ident];
        }
        Ok(Some(named).filter(|_| !is_skipped))
    }

    /// The first of its names that a contract has.
    pub(super) fn of(&self, has: &dyn Fn(&str) -> bool) -> Option<&str> {
        self.names.iter().map(String::as_str).find(|name| has(name))
    }
}
