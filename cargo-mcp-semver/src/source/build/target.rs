//! Which target of a package serves its tools.

use std::collections::BTreeSet;
use std::path::Path;

use cargo_metadata::{Edition, Package, PackageId, Target};
use mcp_semver_build::framework::{FRAMEWORKS, Framework, Renamed, renamed};
use mcp_semver_build::probe::Role;
use mcp_semver_build::scan::{CrateScan, Serves, SourceSpan};

use super::features::Active;
use super::request::{BuildRequest, TargetChoice};
use super::scans::Scans;
use super::sdk;
use super::workspace::{Workspace, crate_name, is_linkable, library};

/// One target that takes part in a probe build.
#[derive(Debug, Clone)]
pub(super) struct Unit<'w> {
    pub(super) package: &'w Package,
    pub(super) target: &'w Target,
    pub(super) role: Role,
    pub(super) scan: &'w CrateScan,
    /// The names by which its code knows the libraries it has to call.
    pub(super) libraries: Vec<String>,
}

impl<'w> Unit<'w> {
    /// The framework that its tools are declared through, and the crate that it is built with.
    pub(super) fn framework(
        &self,
        workspace: &'w Workspace,
    ) -> Option<(&'static Framework, &'w Package)> {
        match self.scan.framework {
            None => sdk::framework(workspace, self.package),
            Some(framework) => {
                sdk::package(workspace, self.package, framework).map(|found| (framework, found))
            }
        }
    }

    /// Whether the target is a binary by itself.
    pub(super) fn is_bin(&self) -> bool {
        self.target.is_bin()
    }

    /// The edition as a number.
    pub(super) fn edition(&self) -> u16 {
        Self::edition_of(self.target)
    }

    /// The edition of a target as a number.
    pub(super) fn edition_of(target: &Target) -> u16 {
        match target.edition {
            Edition::E2015 => 2015,
            Edition::E2018 => 2018,
            Edition::E2021 => 2021,
            _ => 2024,
        }
    }
}

/// One server: the target to build and what has to be swapped for that.
#[derive(Debug, Clone)]
pub(super) struct Choice<'w> {
    /// The entry, then every library on a path from it to tools.
    pub(super) units: Vec<Unit<'w>>,
    /// Every local package of the build.
    pub(super) local: Vec<&'w Package>,
    /// See [`crate::source::Sourced::notes`].
    pub(super) notes: Vec<String>,
    /// See [`crate::source::Sourced::unread`].
    pub(super) unread: Vec<String>,
}

impl<'w> Choice<'w> {
    /// The target that becomes the probe.
    pub(super) fn entry(&self) -> &Unit<'w> {
        // `Candidate::choice` puts the entry first.
        &self.units[0]
    }

    /// The framework that its tools are declared through.
    pub(super) fn framework(&self) -> Option<&'static Framework> {
        let declaring = self.units.iter().filter(|unit| unit.scan.holds_tools());
        declaring.chain(&self.units).find_map(|unit| unit.scan.framework)
    }

    /// Why its tools cannot be read by a build: the framework or its version does not allow it, or
    /// the probe would name a crate that the code does not know.
    pub(super) fn refused(&self, workspace: &Workspace) -> Option<String> {
        self.units.iter().filter(|unit| unit.scan.holds_tools()).find_map(|unit| {
            let (framework, found) = unit.framework(workspace)?;
            let package = unit.package;
            let known = |need: &str| workspace.deps(&package.id).any(|(name, _)| name == need);
            let why = framework.refused(&found.version).or_else(|| {
                let need = framework.needs.iter().find(|need| !known(need))?;
                Some(format!(
                    "to read what is declared through {} `{need}` has to be among its \
                     dependencies; add it, or ask the running server with `--serve`",
                    framework.name
                ))
            });
            why.map(|why| format!("the tools of `{}` cannot be read: {why}", package.name))
        })
    }
}

/// Why no target of a package was chosen. Each message is one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Rejection {
    /// None has any.
    #[error("{brief}; {detail}")]
    NoTools {
        /// What a person must know even where other packages have tools.
        brief: String,
        /// Where was looked, and what to do.
        detail: String,
    },
    /// The request names one that is not there.
    #[error("{0}")]
    NoSuchTarget(String),
    /// The package does not settle it.
    #[error("{0}")]
    Undecided(String),
}

/// A selected package before its source was looked at.
#[derive(Debug)]
pub(super) struct Candidate<'w> {
    workspace: &'w Workspace,
    pub(super) package: &'w Package,
    asked: TargetChoice,
    /// Whether it is the package's metadata that asks, rather than the command line.
    by_metadata: bool,
    active: Active<'w>,
    /// Every local package whose library is linked, the package itself first.
    pub(super) local: Vec<&'w Package>,
}

impl<'w> Candidate<'w> {
    pub(super) fn new(
        workspace: &'w Workspace,
        package: &'w Package,
        request: &BuildRequest,
    ) -> Self {
        let active = Active::new(workspace, package, request);
        let mut local = vec![package];
        let mut at = 0;
        while let Some(next) = local.get(at) {
            for (_, dep) in active.local_deps(&next.id) {
                if !local.iter().any(|known| known.id == dep.id) {
                    local.push(dep);
                }
            }
            at += 1;
        }
        let asked = asked(request, package);
        let by_metadata = asked != request.target;
        Self { workspace, package, asked, by_metadata, active, local }
    }

    /// The root files that have to be scanned for a choice.
    pub(super) fn roots(&self) -> Vec<&'w Path> {
        self.sources().into_iter().map(|(root, _)| root).collect()
    }

    /// Those files, each with what its code calls frameworks.
    pub(super) fn sources(&self) -> Vec<(&'w Path, Renamed)> {
        let bins = self.bins().into_iter().map(|bin| (self.package, bin));
        let libraries = self.local.iter().filter_map(|package| Some((*package, library(package)?)));
        let source = |(package, target): (&'w Package, &'w Target)| {
            let dependencies = self.workspace.deps(&package.id);
            let dependencies = dependencies.map(|(name, found)| (name, found.name.as_str()));
            (target.src_path.as_std_path(), renamed(dependencies))
        };
        bins.chain(libraries).map(source).collect()
    }

    /// Chooses the target.
    pub(super) fn choose(&self, scans: &'w Scans) -> Result<Choice<'w>, Rejection> {
        let leading = self.leading(scans);
        let entry = match &self.asked {
            TargetChoice::Auto => self.pick(scans, &leading)?,
            TargetChoice::Lib => library(self.package).ok_or_else(|| self.absent("library"))?,
            TargetChoice::Bin(name) => {
                *self.bins().first().ok_or_else(|| self.absent(&format!("binary `{name}`")))?
            }
        };
        let choice = self.choice(entry, scans, &leading);
        if choice.units.iter().any(|unit| self.may_have_tools(unit.package, unit.scan)) {
            Ok(choice)
        } else {
            Err(self.no_tools(scans))
        }
    }

    fn absent(&self, what: &str) -> Rejection {
        let name = &self.package.name;
        let has = list("; it has ", bins(self.package).map(|bin| bin.name.as_str()));
        if self.by_metadata {
            let manifest = &self.package.manifest_path;
            return Rejection::Undecided(format!(
                "`target` under [package.metadata.mcp-semver] in {manifest} names a {what}, which `{name}` does not have{has}"
            ));
        }
        Rejection::NoSuchTarget(format!("`{name}` has no {what}{has}"))
    }

    /// The binaries that come into question: the one that was asked for, or those whose features
    /// are on.
    pub(super) fn bins(&self) -> Vec<&'w Target> {
        match &self.asked {
            TargetChoice::Auto => {
                bins(self.package).filter(|bin| self.active.allows(self.package, bin)).collect()
            }
            TargetChoice::Lib => Vec::new(),
            TargetChoice::Bin(name) => bins(self.package).filter(|bin| bin.name == *name).collect(),
        }
    }

    /// The members whose library has tools or leads to one that has, through members alone: only
    /// members pass through the wrapper.
    fn leading(&self, scans: &Scans) -> BTreeSet<&'w PackageId> {
        let mut leading = BTreeSet::new();
        loop {
            let before = leading.len();
            for package in &self.local {
                let Some(scan) = library_scan(package, scans) else { continue };
                if !library(package).is_some_and(is_linkable) {
                    continue;
                }
                let leads = self.may_have_tools(package, scan)
                    || self
                        .active
                        .local_deps(&package.id)
                        .iter()
                        .any(|(_, dep)| leading.contains(&dep.id));
                if leads && self.workspace.is_member(&package.id) {
                    leading.insert(&package.id);
                }
            }
            if leading.len() == before {
                return leading;
            }
        }
    }

    fn choice(
        &self,
        entry: &'w Target,
        scans: &'w Scans,
        leading: &BTreeSet<&PackageId>,
    ) -> Choice<'w> {
        let mut units = Vec::new();
        if let Some(scan) = scans.get(entry.src_path.as_std_path()) {
            let own = library(self.package).filter(|_| entry.is_bin());
            let own = own.filter(|_| leading.contains(&self.package.id)).map(crate_name);
            let libraries = own.into_iter().chain(self.forwards(self.package, leading)).collect();
            units.push(Unit {
                package: self.package,
                target: entry,
                role: Role::Entry,
                scan,
                libraries,
            });
        }
        let reached = self.reached(leading);
        for package in self.local.iter().filter(|package| reached.contains(&package.id)) {
            let (Some(target), Some(scan)) = (library(package), library_scan(package, scans))
            else {
                continue;
            };
            if package.id == self.package.id && !entry.is_bin() {
                continue;
            }
            let libraries = self.forwards(package, leading).collect();
            units.push(Unit { package, target, role: Role::Library, scan, libraries });
        }
        let (mut notes, mut unread) = (self.notes(entry), self.unread(scans, &reached));
        let mut used: Vec<&Framework> = Vec::new();
        for unit in units.iter().filter(|unit| unit.scan.holds_tools()) {
            let Some((framework, found)) = unit.framework(self.workspace) else { continue };
            if !used.contains(&framework) {
                used.push(framework);
                notes.extend(framework.untried(&found.version));
            }
        }
        if used.len() > 1 {
            let name = &self.package.name;
            let used = list("", used.iter().map(|framework| framework.name));
            unread.push(format!(
                "`{name}` is built of crates that declare tools through {used}, and one catalogue cannot be told from all of them; ask the running server with `--serve`"
            ));
        }
        Choice { units, local: self.local.clone(), notes, unread }
    }

    /// The leading members that the package's code can call, itself or through one another.
    fn reached(&self, leading: &BTreeSet<&'w PackageId>) -> BTreeSet<&'w PackageId> {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&PackageId> = vec![&self.package.id];
        while let Some(id) = next.pop() {
            for (_, dep) in self.active.local_deps(id) {
                if leading.contains(&dep.id) && reached.insert(&dep.id) {
                    next.push(&dep.id);
                }
            }
        }
        reached.extend(leading.get(&self.package.id));
        reached
    }

    /// Whether a target has tools, or macros or unreadable files that may have some: only where
    /// a framework is at hand.
    fn may_have_tools(&self, package: &Package, scan: &CrateScan) -> bool {
        let hidden = scan.needs_expansion || !scan.unread.is_empty();
        scan.holds_tools() || (hidden && sdk::framework(self.workspace, package).is_some())
    }

    /// The names of the dependencies that a package's code has to call.
    pub(super) fn forwards(
        &self,
        package: &Package,
        leading: &BTreeSet<&PackageId>,
    ) -> impl Iterator<Item = String> {
        let deps = self.active.local_deps(&package.id).into_iter();
        deps.filter(|(_, dep)| leading.contains(&dep.id)).map(|(name, _)| name.to_owned())
    }

    pub(super) fn no_tools(&self, scans: &Scans) -> Rejection {
        let root = &self.workspace.metadata().workspace_root;
        let roots: Vec<String> = self
            .roots()
            .iter()
            .map(|file| file.strip_prefix(root).unwrap_or(file).display().to_string())
            .collect();
        let mut brief = format!("`{}` declares no tools", self.package.name);
        for note in self.off().into_iter().chain(self.unread(scans, &BTreeSet::new())) {
            brief.push_str("; ");
            brief.push_str(&note);
        }
        let place = if roots.is_empty() {
            "it has neither a binary nor a library that could serve any".to_owned()
        } else {
            let what = match sdk::framework(self.workspace, self.package) {
                None => "none of the known frameworks is among its dependencies, and there is no `#[tool]` function".to_owned(),
                Some((framework, _)) if framework.evaluated => "there is no `#[tool]` function".to_owned(),
                Some((framework, _)) => format!("there is no server on {}", framework.name),
            };
            format!("{what} in the modules of {}", roots.join(", "))
        };
        let place = std::iter::once(place).chain(self.hints(scans)).collect::<Vec<_>>().join("; ");
        let detail = format!(
            "{place}; a server that registers its tools at run time, or through another framework than {}, can be asked while it runs, with `--serve`",
            FRAMEWORKS.map(|framework| framework.name).join(", ")
        );
        Rejection::NoTools { brief, detail }
    }

    /// What the source says of tools that it does not show.
    fn hints(&self, scans: &Scans) -> Vec<String> {
        let root = &self.workspace.metadata().workspace_root;
        let at = |span: &SourceSpan| {
            let file = span.file.strip_prefix(root).unwrap_or(&span.file);
            format!("{}:{}:{}", file.display(), span.line, span.column)
        };
        let roots = self.roots();
        let scans = || roots.iter().filter_map(|root| scans.get(root));
        let by_hand = scans().flat_map(|scan| &scan.handlers).filter_map(|handler| {
            let Serves::Opaque(why) = &handler.serves else { return None };
            Some(format!(
                "what `{}` serves is not known: {why} ({})",
                handler.self_type,
                at(&handler.span)
            ))
        });
        let unread = scans().flat_map(|scan| &scan.unread);
        by_hand.chain(unread.map(|it| format!("{} ({})", it.reason, at(&it.span)))).collect()
    }

    fn notes(&self, entry: &Target) -> Vec<String> {
        if entry.is_bin() || self.asked != TargetChoice::Auto { Vec::new() } else { self.off() }
    }

    /// The binaries whose features are off, each one sentence.
    fn off(&self) -> Vec<String> {
        bins(self.package)
            .filter(|bin| !self.active.allows(self.package, bin))
            .map(|bin| {
                let features = bin.required_features.join(",");
                format!("binary `{}` was passed over: it needs `--features {features}`", bin.name)
            })
            .collect()
    }

    /// Libraries with tools that the wrapper does not see or the probe cannot call, because they
    /// are outside the workspace or behind such a one.
    fn unread(&self, scans: &Scans, reached: &BTreeSet<&PackageId>) -> Vec<String> {
        // The first is the package itself.
        let dependencies = self.local.iter().skip(1);
        let unseen = dependencies.filter(|package| !reached.contains(&package.id));
        let tools =
            unseen.filter_map(|package| Some((package, library_scan(package, scans)?.tools.len())));
        tools
            .filter(|(_, tools)| *tools > 0)
            .map(|(package, tools)| {
                format!(
                    "the path dependency `{}` declares tools ({tools}) that cannot be read, because it or what depends on it is outside the workspace at {}: add it to `members` under [workspace]",
                    package.name,
                    self.workspace.metadata().workspace_root,
                )
            })
            .collect()
    }
}

pub(super) fn library_scan<'s>(package: &Package, scans: &'s Scans) -> Option<&'s CrateScan> {
    scans.get(library(package)?.src_path.as_std_path())
}

fn bins(package: &Package) -> impl Iterator<Item = &Target> {
    package.targets.iter().filter(|target| target.is_bin())
}

pub(super) fn list<'a>(before: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!("{before}{}", names.join(", ")) }
}

/// The target that the request or the package's metadata names, where one does.
fn asked(request: &BuildRequest, package: &Package) -> TargetChoice {
    if request.target != TargetChoice::Auto {
        return request.target.clone();
    }
    let table = package.metadata.get("mcp-semver");
    match table.and_then(|table| table.get("target")).and_then(|target| target.as_str()) {
        None => TargetChoice::Auto,
        Some("lib") => TargetChoice::Lib,
        Some(name) => TargetChoice::Bin(name.to_owned()),
    }
}
