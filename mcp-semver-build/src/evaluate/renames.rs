//! Names on the wire: `rename`, `rename_all` and `rename_all_fields`.

use super::case::Rule;
use super::error::{Result, unresolved};
use super::metas::{self, Value};

/// A name on the wire: the one that is written, and the one that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) serialize: String,
    pub(super) deserialize: String,
}

/// The renaming rules of a container.
#[derive(Clone, Copy, Default)]
pub(super) struct Rules {
    pub(super) all: Both,
    pub(super) fields: Both,
}

/// A rule for what is written, and one for what is read.
#[derive(Clone, Copy, Default)]
pub(super) struct Both {
    serialize: Option<Rule>,
    deserialize: Option<Rule>,
}

impl Both {
    pub(super) fn read(&mut self, item: &metas::Item) -> Result<()> {
        let names = Renames::of(item)?;
        let rule = |name: Option<String>| match name.as_deref().map(Rule::named) {
            Some(None) => unresolved("a rule of `rename_all` that serde does not have"),
            rule => Ok(rule.flatten()),
        };
        self.serialize = rule(names.serialize)?.or(self.serialize);
        self.deserialize = rule(names.deserialize)?.or(self.deserialize);
        Ok(())
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self {
            serialize: self.serialize.or(other.serialize),
            deserialize: self.deserialize.or(other.deserialize),
        }
    }
}

/// The names that `rename` gives.
#[derive(Default)]
pub(super) struct Renames {
    serialize: Option<String>,
    deserialize: Option<String>,
}

impl Renames {
    fn of(item: &metas::Item) -> Result<Self> {
        let mut names = Self::default();
        if let Value::List(_) = item.value {
            for item in item.nested()? {
                let name = match item.name.as_str() {
                    "serialize" => &mut names.serialize,
                    "deserialize" => &mut names.deserialize,
                    other => return unresolved(format!("`{other}` in a rename")),
                };
                // Further names that are read are aliases.
                name.get_or_insert(item.string()?.value());
            }
        } else {
            let name = item.string()?.value();
            names = Self { serialize: Some(name.clone()), deserialize: Some(name) };
        }
        Ok(names)
    }

    pub(super) fn read(&mut self, item: &metas::Item) -> Result<()> {
        let names = Self::of(item)?;
        self.serialize = self.serialize.take().or(names.serialize);
        self.deserialize = self.deserialize.take().or(names.deserialize);
        Ok(())
    }

    /// These names, else those that the rules make of the Rust name.
    pub(super) fn or(
        self,
        ident: &str,
        rules: Both,
        apply: fn(Rule, &str) -> String,
    ) -> Result<Name> {
        let ruled =
            |rule: Option<Rule>| rule.map_or_else(|| ident.to_owned(), |rule| apply(rule, ident));
        let name = Name {
            serialize: self.serialize.unwrap_or_else(|| ruled(rules.serialize)),
            deserialize: self.deserialize.unwrap_or_else(|| ruled(rules.deserialize)),
        };
        if [&name.serialize, &name.deserialize].iter().any(|name| name.starts_with('\0')) {
            return unresolved("a name that starts with NUL");
        }
        Ok(name)
    }
}
