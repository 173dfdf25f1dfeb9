//! The frameworks that MCP servers are written with: one file each.
//!
//! A framework says how its tools and handlers look in source and which expression of the probe
//! yields what they list; all that follows from that (which files are walked, which module an
//! expression is evaluated in, what is served and what is only declared) is the same for all of
//! them. `docs/frameworks.md` tells how one is added.

use std::collections::BTreeMap;
use std::fmt;

use semver::Version;
use syn::Item;

use crate::scan::{CrateScan, Place};
use written::Written;

mod functions;
mod mcp_attr;
mod pmcp;
mod poem_mcpserver;
mod redeclared;
pub(crate) mod rmcp;
mod rust_mcp_sdk;
mod straight;
mod turbomcp;
pub(crate) mod written;

/// A framework, by what has to be known of it.
pub struct Framework {
    /// The crate as it is published.
    pub name: &'static str,
    /// The crate as code names it.
    pub ident: &'static str,
    /// Whether its macros find out what a server calls the crate; those of others name it
    /// [`Framework::ident`], so that a server has to, too.
    pub renamable: bool,
    /// The crates that make its schemas, besides itself, as they are published.
    pub generators: &'static [&'static str],
    /// The crates that its probe names beside itself, as code names them: the server's own code
    /// has to know them by these names.
    pub needs: &'static [&'static str],
    /// The first and the last version that were tried, each `(major, minor)`.
    pub tried: ((u64, u64), (u64, u64)),
    /// Whether its contracts can be evaluated from source; those of the others are known to a build
    /// only.
    pub evaluated: bool,
    /// Why none of its servers can be read without running it, where that is so.
    pub(crate) impossible: Option<&'static str>,
    /// Words of which at least one stands wherever its tools are made: attributes, macros, types.
    pub(crate) words: &'static [&'static str],
    /// Its own item macros, which [`Framework::collect`] reads.
    pub(crate) macros: &'static [&'static str],
    /// Functions and methods that start a server, and types that do.
    pub(crate) starts: &'static [&'static str],
    /// Adds to a scan what the items of one module declare.
    pub(crate) collect: fn(&mut CrateScan, &Place, &[Item]),
    /// Where the items of one module say what their tools are: for places in reports, where the
    /// evaluation of contracts does not tell them.
    pub(crate) written: fn(&[Item]) -> Vec<Written>,
    /// An expression of type `String`: the JSON of the value of an expression, which is a tool or
    /// a list of tools.
    pub(crate) json: fn(&str) -> String,
}

/// What the code of a crate calls the crates of frameworks, where that is another name: the
/// [`Framework::ident`] by the name in code.
pub type Renamed = BTreeMap<String, String>;

/// The names among those of a crate's dependencies, each with the name it is published under, that
/// are other names of a framework.
pub fn renamed<'d>(dependencies: impl IntoIterator<Item = (&'d str, &'d str)>) -> Renamed {
    let mut renamed = Renamed::new();
    for (name, package) in dependencies {
        let package = package.replace('-', "_");
        let framework = FRAMEWORKS.iter().find(|it| it.renamable && it.ident == package);
        let framework = framework.filter(|it| it.ident != name);
        renamed.extend(framework.map(|it| (name.to_owned(), it.ident.to_owned())));
    }
    renamed
}

/// Every framework that is known, the most used first.
pub static FRAMEWORKS: [&Framework; 6] = [
    &rmcp::RMCP,
    &rust_mcp_sdk::RUST_MCP_SDK,
    &mcp_attr::MCP_ATTR,
    &poem_mcpserver::POEM_MCPSERVER,
    &turbomcp::TURBOMCP,
    &pmcp::PMCP,
];

impl Framework {
    /// What to say where its contracts would have to be evaluated; one sentence.
    pub fn known_to_builds(&self) -> String {
        match self.impossible {
            Some(why) => format!("{why}; only the running server tells them (`--serve`)"),
            None => format!(
                "what {} makes is told by a build only (`check` without `--source scan`), or by the \
                 running server (`--serve`)",
                self.name
            ),
        }
    }

    /// Why a version of it cannot be read, where that is so; one sentence.
    pub fn refused(&self, version: &Version) -> Option<String> {
        let ((first, _), (last, _)) = self.tried;
        let why = match self.impossible {
            Some(why) => why.to_owned(),
            None if version.major < first && !self.evaluated => {
                format!("{} {version} is older than what is known of it ({first}.x)", self.name)
            }
            None if version.major > last && !self.evaluated => {
                format!("{} {version} is newer than what is known of it ({last}.x)", self.name)
            }
            None => return None,
        };
        Some(format!("{why}; ask the running server with `--serve`"))
    }

    /// Why a version of it may be read wrongly, where it was not tried; one sentence.
    pub fn untried(&self, version: &Version) -> Option<String> {
        let ((major, first), (last_major, last)) = self.tried;
        let found = (version.major, version.minor);
        let known = (major, first) <= found && found <= (last_major, last);
        (!known && !self.evaluated).then(|| {
            format!(
                "{} {version} was not tried ({major}.{first} to {last_major}.{last} were); `check \
                 --serve --compare-build` tells whether it is read rightly",
                self.name
            )
        })
    }
}

impl PartialEq for Framework {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Framework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The JSON of a value through the `to_string` of a `serde_json` that `path` leads to.
fn through_serde_json(path: &str, value: &str) -> String {
    format!(
        "match {path}::to_string(&{value}) {{ \
         ::std::result::Result::Ok(json) => json, \
         ::std::result::Result::Err(error) => ::std::panic!(\"{{}}\", error) }}"
    )
}

#[cfg(test)]
mod tests;
