//! Builds of a package whose source is hostile, or that somebody else builds.

use semver::Version;

use super::*;
use crate::digest::{Digest, Scheme};
use crate::lockfile::{LockedPackage, LockedTool};

const SERVER: &str = "use rmcp::{tool, tool_router};
struct S;
#[tool_router(server_handler)]
impl S {
    /// Does it.
    #[tool]
    fn t(&self) -> String { String::new() }
}
";

const LOCK: &str = "version = 4

[[package]]
name = \"rmcp\"
version = \"3.11.0\"
dependencies = [
 \"schemars\",
]

[[package]]
name = \"schemars\"
version = \"1.2.3\"

[[package]]
name = \"server\"
version = \"1.4.0\"
dependencies = [
 \"rmcp\",
]
";

/// Who builds it.
#[derive(Clone, Copy)]
enum Builder {
    /// Its author.
    Author,
    /// `cargo publish`, which verifies the package.
    Publishing,
    /// Somebody who depends on it: from a registry, vendored, and from git or by path.
    Registry,
    Vendored,
    Checkout,
}

/// A package that is built.
struct Package {
    root: tempfile::TempDir,
    directory: &'static str,
}

impl Package {
    fn new(builder: Builder) -> Self {
        let (directory, more) = match builder {
            Builder::Author => ("server", &[][..]),
            Builder::Publishing => ("target/package/server-1.4.0", &["Cargo.toml.orig"][..]),
            Builder::Registry => ("registry/server-1.4.0", &["Cargo.toml.orig"][..]),
            Builder::Vendored => {
                ("target/package/server-1.4.0", &["Cargo.toml.orig", ".cargo-checksum.json"][..])
            }
            Builder::Checkout => ("target/package/server-1.4.0", &[][..]),
        };
        let package = Self { root: tempfile::tempdir().unwrap(), directory };
        fs::create_dir_all(package.root.path().join("target/debug/build/out")).unwrap();
        let manifest = "[package]\nname = \"server\"\nversion = \"1.4.0\"\nedition = \"2024\"\n\
                        [dependencies]\nrmcp = \"3\"\n";
        package.write("Cargo.toml", manifest);
        package.write("Cargo.lock", LOCK);
        package.write("src/main.rs", SERVER);
        package.write("build.rs", "fn main() { mcp_semver_build::snapshot() }");
        more.iter().for_each(|file| package.write(file, ""));
        package
    }

    fn path(&self, file: &str) -> std::path::PathBuf {
        self.root.path().join(self.directory).join(file)
    }

    fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), text).unwrap();
    }

    fn environment(&self) -> Environment {
        let text = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
        let variables = [
            ("CARGO_MANIFEST_DIR", text(self.path(""))),
            ("CARGO_PKG_NAME", "server".to_owned()),
            ("CARGO_PKG_VERSION", "1.4.0".to_owned()),
            ("OUT_DIR", text(self.root.path().join("target/debug/build/out"))),
        ];
        Environment::new(variables.map(|(name, value)| (name.to_owned(), value)).into()).unwrap()
    }

    /// Runs the build script and returns why it fails.
    fn build(&self) -> Vec<String> {
        let environment = self.environment();
        run(&environment).unwrap_or_else(|error| unrecorded(&environment, error.to_string()))
    }

    /// What the last build recorded.
    fn snapshot(&self) -> Snapshot {
        let path = self.environment().out_dir.join(SNAPSHOT_FILE);
        Snapshot::from_json(&fs::read_to_string(path).unwrap()).unwrap()
    }

    /// What a guard could not check of it.
    fn unchecked(&self) -> Vec<String> {
        guard::unchecked(&self.snapshot(), &self.path(""))
    }

    /// Locks what the last build recorded.
    fn lock(&self) {
        let version = Version::new(1, 4, 0);
        let snapshot = self.snapshot();
        let tools = versions::contracts(&snapshot).map(|contract| {
            let digest = Digest::of(Scheme::default(), &contract);
            let rest = serde_json::Map::new();
            let semver = version.clone();
            (contract.name.clone(), LockedTool { semver, digest, contract: None, rest })
        });
        let lockfile = Lockfile {
            generated_for: "server".into(),
            package: Some(LockedPackage {
                name: "server".into(),
                version: version.clone(),
                reviewed: None,
            }),
            sdk: [].into(),
            tools: tools.collect(),
            rest: serde_json::Map::new(),
        };
        self.write(FILE_NAME, lockfile.to_yaml().unwrap());
    }
}

#[test]
fn hostile_source_fails_no_build_and_hides_no_change_from_the_guard() {
    let large = format!("pub const LARGE: &str = \"{}\";", "x".repeat(5 << 20));
    let operators = format!("const A: bool = {}true;", "!".repeat(100_000));
    let plain = |text: &str| Some(text.as_bytes().to_vec());
    for (what, declared, module, is_told) in [
        ("a syntax error", "mod more;", plain("fn ) {"), true),
        ("no file", "mod more;", None, true),
        ("no text", "mod more;", Some(b"\xff\xfe\x00".to_vec()), true),
        ("left out", "#[cfg(feature = \"off\")] mod more;", plain("fn ) {"), false),
        ("five megabytes", "mod more;", plain(&large), false),
        ("a circle", "#[path = \"main.rs\"] mod again;", None, true),
        ("nested without end", "mod more;", plain(&"mod m {".repeat(100_000)), true),
        ("operators without end", "mod more;", plain(&operators), true),
    ] {
        for builder in [Builder::Author, Builder::Registry, Builder::Publishing] {
            let package = Package::new(builder);
            package.write("src/main.rs", format!("{SERVER}{declared}"));
            if let Some(module) = &module {
                package.write("src/more.rs", module);
            }
            let is_guarded = matches!(builder, Builder::Publishing);
            let fails = |says: &str| {
                let faults = package.build();
                assert_eq!(faults.len(), usize::from(is_guarded), "{what}: {faults:?}");
                assert!(faults.iter().all(|fault| fault.contains(says)), "{what}: {faults:?}");
            };
            fails("is not in the package");
            assert_eq!(!package.unchecked().is_empty(), is_told, "{what}");
            package.lock();
            assert_eq!(package.build(), [""; 0], "{what}");
            let source = fs::read_to_string(package.path("src/main.rs")).unwrap();
            package.write("src/main.rs", source.replace("Does it.", "Does more."));
            fails("tool `t` is not what tool-versions.lock.yaml says");
        }
    }
}

#[test]
fn a_member_is_built_with_the_lock_of_its_workspace() {
    let workspace = "[workspace]\nmembers = [\"server\"]\n";
    let newer = LOCK.replace("1.2.3", "1.2.4");
    for (what, above, own, expected) in [
        ("a lock left in a member", workspace, "", Some(LOCK)),
        ("no workspace", "", "", Some(&*newer)),
        ("excluded", "[workspace]\nexclude = [\"server\"]\n", "", Some(&*newer)),
        ("a workspace of its own", workspace, "[workspace]\n", Some(&*newer)),
    ] {
        let package = Package::new(Builder::Author);
        package.write("Cargo.lock", &newer);
        fs::write(package.root.path().join("Cargo.toml"), above).unwrap();
        fs::write(package.root.path().join("Cargo.lock"), LOCK).unwrap();
        let manifest = fs::read_to_string(package.path("Cargo.toml")).unwrap();
        package.write("Cargo.toml", manifest + own);
        let environment = package.environment();
        let manifest = Manifest::read(&environment.directory).unwrap();
        let lock = environment.cargo_lock(&manifest.workspace).map(|(_, text)| text);
        assert_eq!(lock.as_deref(), expected, "{what}");
    }
    let package = Package::new(Builder::Author);
    fs::create_dir(package.root.path().join("root")).unwrap();
    fs::write(package.root.path().join("root/Cargo.toml"), workspace).unwrap();
    package.write("Cargo.toml", "[package]\nname = \"server\"\nworkspace = \"../root\"\n");
    let manifest = Manifest::read(&package.path("")).unwrap();
    assert!(manifest.workspace.ends_with("../root"), "{}", manifest.workspace.display());
}

#[test]
fn a_build_that_knows_no_contract_says_why() {
    for (file, text, expected) in [
        ("Cargo.lock", "<<<<<<< HEAD\n", Some("Cargo.lock does not parse: ")),
        ("Cargo.lock", "version = 4\n", Some("Cargo.lock names no rmcp below `server`")),
        ("src/main.rs", "use rmcp as _; fn ) {", Some("src/main.rs:1:19: it does not parse: ")),
        ("src/main.rs", "fn main() {}", None),
        ("src/main.rs", SERVER, None),
        (
            "src/main.rs",
            &SERVER.replace("&self", "&self, p: rmcp::handler::server::wrapper::Parameters<X>"),
            Some("src/main.rs:7:20: tool `t`: `X`"),
        ),
    ] {
        let package = Package::new(Builder::Author);
        package.write(file, text);
        assert_eq!(package.build(), [""; 0]);
        let told = guard::nothing_known(&package.snapshot(), &package.path(""));
        let start = "the contract of no tool is known to this build: ";
        let told = told.map(|told| told.strip_prefix(start).unwrap().to_owned());
        match (told, expected) {
            (Some(told), Some(expected)) => assert!(told.starts_with(expected), "{told}"),
            (told, expected) => assert_eq!(told.as_deref(), expected, "{text}"),
        }
    }
}

#[cfg(unix)]
#[test]
fn a_module_that_is_a_link_to_itself_is_told() {
    let package = Package::new(Builder::Publishing);
    package.write("src/main.rs", format!("{SERVER}mod more;"));
    let link = package.path("src/more.rs");
    std::os::unix::fs::symlink(&link, &link).unwrap();
    package.build();
    package.lock();
    assert_eq!(package.build(), [""; 0]);
    assert!(!package.unchecked().is_empty());
}

#[test]
fn what_cannot_be_checked_is_not_published_and_fails_no_other_build() {
    for (file, text) in
        [("Cargo.toml", "[package"), (FILE_NAME, "<<<<<<< HEAD\n"), (FILE_NAME, "\u{0}")]
    {
        for (builder, expected) in [
            (Builder::Author, 0),
            (Builder::Registry, 0),
            (Builder::Vendored, 0),
            (Builder::Checkout, 0),
            (Builder::Publishing, 1),
        ] {
            let package = Package::new(builder);
            package.write(file, text);
            let faults = package.build();
            assert_eq!(faults.len(), expected, "{file}: {faults:?}");
            ensure_module(&package.environment());
            assert!(package.environment().out_dir.join(MODULE_FILE).exists(), "{file}");
        }
    }
}

#[test]
fn a_tool_that_is_gone_is_told_beside_one_that_is_not_resolved() {
    let tool = |name: &str, attributes: &str| {
        format!(
            "    #[tool({attributes})]\n    fn {name}(&self) -> String {{ String::new() }}\n}}\n"
        )
    };
    let server = SERVER.trim_end().strip_suffix('}').unwrap();
    let odd = "description = other()";
    for (attributes, says) in [
        (odd, "tool `gone` of tool-versions.lock.yaml is gone"),
        ("description = other(), name = other()", "some of the tools `gone`, `odd` of"),
    ] {
        let package = Package::new(Builder::Publishing);
        let whole = format!("{server}{}", tool("gone", ""));
        let with = |source: &str, more: &str| {
            format!("{}{more}", source.trim_end().strip_suffix('}').unwrap())
        };
        package.write("src/main.rs", with(&whole, &tool("odd", "")));
        package.build();
        package.lock();
        assert_eq!(package.build(), [""; 0]);
        package.write("src/main.rs", format!("{server}{}", tool("odd", attributes)));
        let faults = package.build();
        assert!(faults.iter().any(|fault| fault.contains(says)), "{attributes}: {faults:?}");
    }
}
