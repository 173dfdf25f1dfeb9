//! What a build script may tell the compiler beside what cargo does (The Cargo Book, "Build
//! Scripts"): variables and features.

use std::fs;
use std::path::Path;

use super::program::Unit;

impl Unit {
    /// The same where its package has the build script in this file, by whose text goes what it may
    /// set. One that cannot be read, or is not all in one file, may set anything.
    #[must_use]
    pub fn built_by(mut self, script: &Path) -> Self {
        let text = fs::read_to_string(script).ok();
        let text = text.filter(|text| !["mod ", "include!"].iter().any(|it| text.contains(it)));
        let may_set = |words: &[&str]| {
            text.as_ref().is_none_or(|text| words.iter().all(|word| text.contains(word)))
        };
        if may_set(&["rustc-env"]) {
            self.environment.clear();
        }
        self.cfg.more_features |= may_set(&["rustc-cfg", "feature"]);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Cfg;

    #[test]
    fn what_a_build_script_may_set_is_not_told() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("build.rs");
        let built = || {
            let unit = Unit {
                root: folder.path().join("main.rs"),
                name: "server".into(),
                edition: 2024,
                cfg: Cfg::default(),
                dependencies: Default::default(),
                environment: [("CARGO_PKG_VERSION".to_owned(), "1.0.0".to_owned())].into(),
                serves: true,
            };
            let unit = unit.built_by(&script);
            (unit.environment.is_empty(), unit.cfg.more_features)
        };
        assert_eq!(built(), (true, true), "it is not there");
        for (text, expected) in [
            ("fn main() { mcp_semver_build::snapshot() }", (false, false)),
            ("println!(\"cargo:rustc-env=CARGO_PKG_VERSION={v}\");", (true, false)),
            ("println!(\"cargo::rustc-cfg=feature=\\\"extra\\\"\");", (false, true)),
            ("println!(\"cargo::rustc-cfg=has_it\");", (false, false)),
            ("mod more; fn main() { more::run() }", (true, true)),
            ("include!(\"more.rs\");", (true, true)),
        ] {
            fs::write(&script, text).unwrap();
            assert_eq!(built(), expected, "{text}");
        }
    }
}
