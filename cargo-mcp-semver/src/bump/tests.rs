use std::fs;

use super::*;

/// A workspace of these files, each `Cargo.toml` under its directory; the first is the root.
struct Workspace {
    directory: tempfile::TempDir,
    members: Vec<PathBuf>,
}

impl Workspace {
    fn new(manifests: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut members = Vec::new();
        for (member, text) in manifests {
            let manifest = directory.path().join(member).join("Cargo.toml");
            fs::create_dir_all(manifest.parent().unwrap()).unwrap();
            fs::write(&manifest, text).unwrap();
            members.push(manifest);
        }
        Self { directory, members }
    }

    fn manifest(&self, member: &str) -> PathBuf {
        self.directory.path().join(member).join("Cargo.toml")
    }

    fn wanted(&self, member: &str, version: Option<&str>, tools: &[(&str, &str)]) -> Wanted {
        let tools = tools.iter().map(|(tool, version)| ((*tool).into(), version.parse().unwrap()));
        Wanted {
            manifest: self.manifest(member),
            package: version.map(|version| version.parse().unwrap()),
            tools: tools.collect(),
        }
    }

    fn plan(&self, wanted: &[Wanted]) -> Result<Plan, BumpError> {
        plan(&self.members[0], &self.members, wanted)
    }

    fn text(&self, plan: &Plan, member: &str) -> Option<String> {
        plan.files.get(&self.manifest(member)).cloned()
    }
}

const COMMENTED: &str = r#"# a server
[package]   # not much
name = 'srv'
version   = '1.4.0' # keep in step with the docs
edition = "2024"

[dependencies]
rmcp={version="3", features = [ "server",
    "macros" ]}

[package.metadata.mcp-semver.versions] # tools
search = "1.0.0"  # the old one
"odd.name"='0.1.0'
"#;

#[test]
fn only_the_version_changes() {
    let workspace = Workspace::new(&[("", COMMENTED)]);
    let plan = workspace.plan(&[workspace.wanted("", Some("2.0.0"), &[])]).unwrap();
    let expected = COMMENTED.replace("'1.4.0'", "'2.0.0'");
    assert_eq!(workspace.text(&plan, "").unwrap(), expected);
    let [edit] = plan.edits.as_slice() else { panic!("{plan:?}") };
    assert_eq!(edit.what, What::Package("srv".into()));
    assert_eq!((edit.from.as_deref(), edit.to.as_str()), (Some("1.4.0"), "2.0.0"));
}

#[test]
fn line_ends_and_a_byte_order_mark_stay() {
    let text = format!("\u{feff}{}", COMMENTED.replace('\n', "\r\n"));
    let workspace = Workspace::new(&[("", &text)]);
    let plan = workspace.plan(&[workspace.wanted("", Some("2.0.0"), &[])]).unwrap();
    assert_eq!(workspace.text(&plan, "").unwrap(), text.replace("'1.4.0'", "'2.0.0'"));
}

#[test]
fn versions_of_tools_are_set_or_added() {
    let workspace = Workspace::new(&[("", COMMENTED)]);
    let tools = [("search", "2.0.0"), ("odd.name", "0.2.0"), ("plan/new", "1.0.1")];
    let plan = workspace.plan(&[workspace.wanted("", None, &tools)]).unwrap();
    let expected =
        COMMENTED.replace("search = \"1.0.0\"", "search = \"2.0.0\"").replace("'0.1.0'", "'0.2.0'")
            + "\"plan/new\" = \"1.0.1\"\n";
    assert_eq!(workspace.text(&plan, "").unwrap(), expected);
    let froms: Vec<_> = plan.edits.iter().map(|edit| edit.from.as_deref()).collect();
    assert_eq!(froms, [Some("0.1.0"), None, Some("1.0.0")]);

    let inline = "[package]\nname = \"srv\"\nversion = \"1.0.0\"\n\
                  metadata = { mcp-semver = { versions = { a = \"1.0.0\" } } }\n";
    let workspace = Workspace::new(&[("", inline)]);
    let tools = [("a", "1.1.0"), ("b", "1.0.1")];
    let plan = workspace.plan(&[workspace.wanted("", None, &tools)]).unwrap();
    let text = workspace.text(&plan, "").unwrap();
    assert!(text.contains("versions = { a = \"1.1.0\" , b = \"1.0.1\" }"), "{text}");
    assert!(!inherits_version(&workspace.manifest("")));
}

#[test]
fn a_shared_version_is_raised_where_it_stands_and_covers_everyone() {
    let root = "[workspace]\nmembers = [\"a\", \"b\", \"c\"]\n\n[workspace.package]\n\
                version = \"0.3.0\" # one for all\n\n[workspace.dependencies]\n\
                b = { path = \"b\", version = \"0.3.0\" }\nc = { path = \"c\", version = \"1\" }\n";
    let heir = |name: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion.workspace = true\n\n[dependencies]\n\
                 b.workspace = true\nc = {{ workspace = true }}\n"
        )
    };
    let (a, b) = (heir("a"), heir("b"));
    let c = "[package]\nname = \"c\"\nversion = \"1.0.0\"\n[target.'cfg(unix)'.dev-dependencies]\n\
             b = { path = \"../b\", version = \"=0.3.0\" }\nd = { path = \"../b\" }\n";
    let workspace = Workspace::new(&[("", root), ("a", &a), ("b", &b), ("c", c)]);
    let wanted =
        [workspace.wanted("a", Some("0.3.1"), &[]), workspace.wanted("b", Some("0.4.0"), &[])];
    let plan = workspace.plan(&wanted).unwrap();
    assert!(inherits_version(&workspace.manifest("a")));
    let expected = root
        .replace("\"0.3.0\" # one", "\"0.4.0\" # one")
        .replace("version = \"0.3.0\" }", "version = \"0.4.0\" }");
    assert_eq!(workspace.text(&plan, "").unwrap(), expected);
    let expected = c.replace("=0.3.0", "=0.4.0");
    assert_eq!(workspace.text(&plan, "c").unwrap(), expected);
    assert_eq!(plan.files.len(), 2);
    let whats: Vec<_> = plan.edits.iter().map(|edit| &edit.what).collect();
    let requirement = What::Requirement("b".into());
    assert_eq!(whats, [&What::Workspace, &requirement, &requirement]);
}

#[test]
fn a_requirement_that_still_holds_stays() {
    let root = "[workspace]\nmembers = [\"a\", \"b\"]\n";
    let a = "[package]\nname = \"a\"\nversion = \"1.4.0\"\n";
    let b = "[package]\nname = \"b\"\nversion = \"1.0.0\"\n[dependencies]\n\
             a = { path = \"../a\", version = \"1.2\" }\n";
    let workspace = Workspace::new(&[("", root), ("a", a), ("b", b)]);
    let plan = workspace.plan(&[workspace.wanted("a", Some("1.5.0"), &[])]).unwrap();
    assert_eq!(plan.files.keys().collect::<Vec<_>>(), [&workspace.manifest("a")]);
    let plan = workspace.plan(&[workspace.wanted("a", Some("2.0.0"), &[])]).unwrap();
    let expected = b.replace("\"1.2\"", "\"2.0.0\"");
    assert_eq!(workspace.text(&plan, "b").unwrap(), expected);
}

#[test]
fn what_cannot_be_edited_is_said() {
    let heir = "[package]\nname = \"a\"\nversion.workspace = true\n";
    let workspace = Workspace::new(&[("", "[workspace]\n"), ("a", heir)]);
    let error = workspace.plan(&[workspace.wanted("a", Some("2.0.0"), &[])]).unwrap_err();
    assert!(error.to_string().ends_with("no `version` to raise in [workspace.package]"), "{error}");
    let workspace = Workspace::new(&[("", "[package]\nname = \"a\"\n")]);
    let error = workspace.plan(&[workspace.wanted("", Some("2.0.0"), &[])]).unwrap_err();
    assert!(error.to_string().ends_with("no `version` to raise in [package]"), "{error}");
    let workspace = Workspace::new(&[("", "[package\n")]);
    let error = workspace.plan(&[workspace.wanted("", Some("2.0.0"), &[])]).unwrap_err();
    assert!(error.to_string().contains("Cargo.toml: TOML parse error at line 1"), "{error}");
    fs::remove_file(workspace.manifest("")).unwrap();
    let error = workspace.plan(&[]).unwrap_err();
    assert!(error.to_string().starts_with("cannot read "), "{error}");
}
