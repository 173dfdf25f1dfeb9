//! How each version of rmcp turns a tool function into a contract.

use semver::Version;

use super::generator::{Contract, Settings};

/// The versions that make the contracts, as in Cargo.lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sdk {
    /// rmcp's.
    pub rmcp: Version,
    /// That of the schemars that this rmcp uses.
    pub schemars: Version,
    /// Whether that schemars depends on indexmap, which may be to keep properties in the order they
    /// are declared in.
    pub keeps_order: bool,
    /// Whether serde_json may keep numbers to the digit (its feature `arbitrary_precision`): then
    /// `0.1_f32` is written so.
    pub keeps_digits: bool,
}

/// What a tool without parameters takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Empty {
    /// The schema of a struct without fields, with a doc comment or without.
    Struct { described: bool },
    /// `{}`.
    Nothing,
    /// `{"type": "object", "properties": {}}`.
    Object,
}

impl Sdk {
    /// The newest versions whose source was read for this module.
    const NEWEST: (Version, Version) = (Version::new(3, 11, 0), Version::new(1, 2, 3));

    fn since(&self, major: u64, minor: u64) -> bool {
        self.rmcp >= Version::new(major, minor, 0)
    }

    /// Why contracts of these versions are not known, where they are not.
    pub(super) fn unknown(&self) -> Option<String> {
        let Self { rmcp, schemars, keeps_order, .. } = self;
        let known = [(0, 1), (0, 2)].contains(&(rmcp.major, rmcp.minor)) == (schemars.major == 0);
        let newest = |version: &Version, newest: &Version| {
            (version.major, version.minor) <= (newest.major, newest.minor)
        };
        if !newest(rmcp, &Self::NEWEST.0) {
            Some(format!("rmcp {rmcp} is newer than what is known of it"))
        } else if !newest(schemars, &Self::NEWEST.1) {
            Some(format!("schemars {schemars} is newer than what is known of it"))
        } else if !known || (schemars.major == 0 && schemars.minor != 8) {
            Some(format!("rmcp {rmcp} with schemars {schemars} is not known"))
        } else if schemars.major == 0 && *keeps_order {
            Some("schemars 0.8 may keep the order of properties here".to_owned())
        } else if !rmcp.pre.is_empty() || !schemars.pre.is_empty() {
            Some("a pre-release of rmcp or schemars is not known".to_owned())
        } else {
            None
        }
    }

    /// Whether tools are declared with `#[tool(tool_box)]`.
    pub(super) fn has_tool_boxes(&self) -> bool {
        !self.since(0, 2)
    }

    pub(super) fn input(&self) -> Settings {
        Settings {
            contract: Contract::Deserialize,
            draft07: !self.since(0, 9),
            nullable: !self.since(0, 17),
            nullable_options: self.since(0, 2),
        }
    }

    pub(super) fn output(&self) -> Settings {
        let contract = if self.since(3, 9) { Contract::Serialize } else { Contract::Deserialize };
        Settings { contract, ..self.input() }
    }

    /// Whether the name and the doc comment of the argument type are left out.
    pub(super) fn strips(&self) -> bool {
        self.since(1, 8)
    }

    /// Whether arguments that are no object are refused.
    pub(super) fn checks_input(&self) -> bool {
        self.since(1, 8)
    }

    /// Whether results that are no object are refused.
    pub(super) fn checks_output(&self) -> bool {
        self.since(0, 11) && !self.since(3, 0)
    }

    /// Whether the result type gives an output schema; `None` where that is not known.
    pub(super) fn has_output(&self) -> Option<bool> {
        if self.rmcp == Version::new(0, 4, 0) { None } else { Some(self.since(0, 4)) }
    }

    /// What a tool without parameters takes; `None` where that is not known.
    pub(super) fn empty(&self) -> Option<Empty> {
        match (self.rmcp.major, self.rmcp.minor, self.rmcp.patch) {
            (0, minor @ 0..=5, _) => Some(Empty::Struct { described: minor > 1 }),
            (0, 6..=7, _) => Some(Empty::Nothing),
            (0, 8, 0..=4) => None,
            _ => Some(Empty::Object),
        }
    }

    /// Whether doc comments may hold macros.
    pub(super) fn has_doc_macros(&self) -> bool {
        self.since(0, 6)
    }
}
