//! Conditional compilation (Rust Reference, "Conditional compilation").

use std::collections::{BTreeMap, BTreeSet};

use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, Lit, Meta, Token};

/// What is known of the configuration a crate is compiled with. What is not known makes a
/// condition undecided, never false.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cfg {
    /// The features of the package that are on.
    pub features: BTreeSet<String>,
    /// Whether others may be on too; else they are off.
    pub more_features: bool,
    /// All values of options such as `target_os`; an option without a value is on with the value
    /// `""` and off where its set is empty.
    pub values: BTreeMap<String, BTreeSet<String>>,
}

impl Cfg {
    /// The configuration of a crate that is compiled for this machine.
    pub fn host(features: BTreeSet<String>) -> Self {
        let one = |value: &str| BTreeSet::from([value.to_owned()]);
        let flag = |on: bool| if on { one("") } else { BTreeSet::new() };
        let values = [
            ("target_os", one(std::env::consts::OS)),
            ("target_arch", one(std::env::consts::ARCH)),
            ("target_family", one(std::env::consts::FAMILY)),
            ("target_pointer_width", one(&usize::BITS.to_string())),
            ("target_endian", one(if cfg!(target_endian = "big") { "big" } else { "little" })),
            ("unix", flag(cfg!(unix))),
            ("windows", flag(cfg!(windows))),
        ];
        let values = values.into_iter().map(|(name, set)| (name.to_owned(), set)).collect();
        Self { features, more_features: false, values }
    }

    /// Whether all of these conditions hold, each the text inside a `cfg(..)`; `None` where that
    /// cannot be told.
    pub(super) fn all(&self, conditions: &[String]) -> Option<bool> {
        all(conditions.iter().map(|condition| self.text(condition)))
    }

    fn text(&self, condition: &str) -> Option<bool> {
        self.holds(&syn::parse_str::<Meta>(condition).ok()?)
    }

    /// Whether a condition holds.
    pub(super) fn holds(&self, condition: &Meta) -> Option<bool> {
        match condition {
            Meta::Path(path) => self.option(&path.get_ident()?.to_string()),
            Meta::NameValue(pair) => {
                let Expr::Lit(syn::ExprLit { lit: Lit::Str(value), .. }) = &pair.value else {
                    return None;
                };
                let name = pair.path.get_ident()?.to_string();
                let value = value.value();
                if name == "feature" {
                    return match self.features.contains(&value) {
                        false if self.more_features => None,
                        is_on => Some(is_on),
                    };
                }
                Some(self.values.get(&name)?.contains(&value))
            }
            Meta::List(list) => {
                let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
                let parts = parse.parse2(list.tokens.clone()).ok()?;
                let mut parts = parts.iter().map(|part| self.holds(part));
                match list.path.get_ident()?.to_string().as_str() {
                    "all" => all(parts),
                    "any" => Some(!all(parts.map(|part| Some(!part?)))?),
                    "not" => Some(!parts.next()??),
                    _ => None,
                }
            }
        }
    }

    fn option(&self, name: &str) -> Option<bool> {
        match name {
            // Never in a build of the server itself.
            "test" | "doc" | "doctest" | "miri" | "proc_macro" | "false" => Some(false),
            "true" => Some(true),
            _ => self.values.get(name).map(|set| !set.is_empty()),
        }
    }
}

/// A conjunction in which one false decides and one unknown leaves the rest undecided.
fn all(parts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => result = None,
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_decided_where_they_can_be() {
        let mut cfg = Cfg::host(BTreeSet::from(["net".to_owned()]));
        cfg.values.insert("target_os".into(), BTreeSet::from(["linux".to_owned()]));
        for (condition, expected) in [
            ("feature = \"net\"", Some(true)),
            ("feature = \"gui\"", Some(false)),
            ("not(feature = \"gui\")", Some(true)),
            ("all(feature = \"net\", target_os = \"linux\")", Some(true)),
            ("any(feature = \"gui\", target_os = \"macos\")", Some(false)),
            ("any()", Some(false)),
            ("all()", Some(true)),
            ("test", Some(false)),
            ("tokio_unstable", None),
            ("any(tokio_unstable, feature = \"net\")", Some(true)),
            ("all(tokio_unstable, feature = \"gui\")", Some(false)),
            ("all(tokio_unstable, feature = \"net\")", None),
            ("version(\"1.80\")", None),
            ("not a condition", None),
        ] {
            assert_eq!(cfg.all(&[condition.to_owned()]), expected, "{condition}");
        }
        cfg.more_features = true;
        for (condition, expected) in
            [("feature = \"net\"", Some(true)), ("feature = \"gui\"", None)]
        {
            assert_eq!(cfg.all(&[condition.to_owned()]), expected, "{condition}");
        }
    }
}
