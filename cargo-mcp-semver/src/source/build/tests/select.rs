use std::fs;

use tempfile::TempDir;

use super::super::cargo::Cargo;
use super::super::request::TargetChoice;
use super::*;

/// A workspace of crates without dependencies outside it.
struct Project(TempDir);

const TOOL: &str = "struct S; impl S { #[rmcp::tool] fn one(&self) {} }";
const OTHER: &str = "struct S; impl S { #[rmcp::tool] fn two(&self) {} }";

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(TempDir::new().unwrap());
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn choose(&self, change: impl FnOnce(&mut BuildRequest)) -> Result<Vec<String>, String> {
        self.whole(change).map(|(chosen, _)| chosen)
    }

    /// Each choice as `package/target: unit(libraries) ..., unread`, and what was passed over.
    fn whole(
        &self,
        change: impl FnOnce(&mut BuildRequest),
    ) -> Result<(Vec<String>, Vec<String>), String> {
        let mut request = BuildRequest {
            manifest_path: Some(self.0.path().join("Cargo.toml")),
            offline: true,
            ..BuildRequest::default()
        };
        change(&mut request);
        let cargo = Cargo::without_wrapper();
        let workspace = Workspace::load(&cargo, &request).map_err(|error| error.to_string())?;
        let candidates: Vec<_> = packages(&workspace, &request)
            .map_err(|error| error.to_string())?
            .into_iter()
            .map(|package| Candidate::new(&workspace, package, &request))
            .collect();
        let scans = Scans::new(candidates.iter().flat_map(Candidate::sources));
        let selection = select(&candidates, &request, &scans).map_err(|error| error.to_string())?;
        if let Some(failed) = selection.failed.first() {
            return Err(failed.error.to_string());
        }
        Ok((selection.choices.iter().map(shown).collect(), selection.skipped))
    }
}

fn shown(choice: &Choice<'_>) -> String {
    let units: Vec<String> = choice
        .units
        .iter()
        .map(|unit| format!("{}({})", unit.target.name, unit.libraries.join(" ")))
        .collect();
    let mut text = format!("{}: {}", choice.entry().package.name, units.join(", "));
    for extra in choice.notes.iter().chain(&choice.unread) {
        text.push_str(&format!("; {extra}"));
    }
    text
}

fn package(name: &str, rest: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"1.2.0\"\nedition = \"2021\"\n{rest}")
}

fn auto(_: &mut BuildRequest) {}

fn bin(name: &str) -> impl FnOnce(&mut BuildRequest) {
    move |request| request.target = TargetChoice::Bin(name.to_owned())
}

fn named(names: &[&str]) -> impl FnOnce(&mut BuildRequest) {
    move |request| request.packages = names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_binary_with_tools_is_preferred_to_one_without() {
    let manifest = package("one", "");
    let project = Project::new(&[
        ("Cargo.toml", &manifest),
        ("src/main.rs", "fn main() {}"),
        ("src/bin/server/main.rs", "mod tools; fn main() {}"),
        ("src/bin/server/tools.rs", TOOL),
    ]);
    assert_eq!(project.choose(auto).unwrap(), ["one: server()"]);
    let error = project.choose(bin("one")).unwrap_err();
    assert!(error.contains("declares no tools") && error.contains("src/main.rs"), "{error}");
    let error = project.choose(bin("none")).unwrap_err();
    assert!(error.contains("no binary `none`; it has `one`, `server`"), "{error}");
    let error = project.choose(|request| request.target = TargetChoice::Lib).unwrap_err();
    assert!(error.contains("has no library"), "{error}");
}

#[test]
fn a_binary_serves_the_library_of_its_package() {
    let manifest = package("my-server", "");
    let project = Project::new(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", TOOL),
        ("src/main.rs", "fn main() { my_server::run() }"),
    ]);
    assert_eq!(project.choose(auto).unwrap(), ["my-server: my-server(my_server), my_server()"]);
    let library = project.choose(|request| request.target = TargetChoice::Lib).unwrap();
    assert_eq!(library, ["my-server: my_server()"]);
    fs::remove_file(project.0.path().join("src/main.rs")).unwrap();
    assert_eq!(project.choose(auto).unwrap(), ["my-server: my_server()"]);
}

#[test]
fn of_binaries_that_reach_one_library_the_likeliest_is_taken() {
    let files = |rest: &str| {
        Project::new(&[
            ("Cargo.toml", &package("p", rest)),
            ("src/lib.rs", TOOL),
            ("src/bin/a.rs", "fn main() {}"),
            ("src/bin/b.rs", "use p::S; fn main() {}"),
            ("src/bin/c.rs", "fn main() {}"),
        ])
    };
    assert_eq!(files("").choose(auto).unwrap(), ["p: b(p), p()"]);
    let project = files("");
    project.write("src/main.rs", "fn main() {}");
    assert_eq!(project.choose(auto).unwrap(), ["p: p(p), p()"]);
    assert_eq!(files("default-run = \"c\"").choose(auto).unwrap(), ["p: c(p), p()"]);
    let table = "[package.metadata.mcp-semver]\ntarget = ";
    assert_eq!(files(&format!("{table}\"a\"")).choose(auto).unwrap(), ["p: a(p), p()"]);
    assert_eq!(files(&format!("{table}\"lib\"")).choose(auto).unwrap(), ["p: p()"]);
    assert_eq!(files(&format!("{table}\"a\"")).choose(bin("c")).unwrap(), ["p: c(p), p()"]);
    let error = files(&format!("{table}\"z\"")).choose(auto).unwrap_err();
    assert!(error.contains("[package.metadata.mcp-semver]") && error.contains("`z`"), "{error}");
}

#[test]
fn binaries_with_different_tools_have_to_be_chosen() {
    let project = Project::new(&[
        ("Cargo.toml", &package("p", "")),
        ("src/bin/a.rs", TOOL),
        ("src/bin/b.rs", OTHER),
    ]);
    let error = project.choose(auto).unwrap_err();
    assert!(error.contains("`a`, `b`") && error.contains("--bin a"), "{error}");
    assert!(error.contains("target = \"a\""), "{error}");
    assert_eq!(project.choose(bin("b")).unwrap(), ["p: b()"]);

    // The same modules twice are the same tools.
    for name in ["a", "b"] {
        project.write(&format!("src/bin/{name}.rs"), "#[path = \"../tools.rs\"] mod tools;");
    }
    project.write("src/tools.rs", TOOL);
    assert_eq!(project.choose(auto).unwrap(), ["p: a()"]);

    // A binary of its own beside one that serves the library.
    project.write("src/lib.rs", OTHER);
    project.write("src/bin/b.rs", "use p::S;");
    assert!(project.choose(auto).unwrap_err().contains("`a`, `b`"));
    // A second declaration of the library's modules adds nothing.
    project.write("src/lib.rs", "mod tools;");
    assert_eq!(project.choose(auto).unwrap(), ["p: b(p), p()"]);
}

#[test]
fn binaries_without_their_features_are_passed_over() {
    let project = Project::new(&[
        (
            "Cargo.toml",
            &package(
                "p",
                "[features]\nserver = [\"net\"]\nnet = []\n[[bin]]\nname = \"s\"\npath = \"s.rs\"\nrequired-features = [\"net\"]",
            ),
        ),
        ("s.rs", "fn main() {}"),
        ("src/lib.rs", TOOL),
    ]);
    let chosen = project.choose(auto).unwrap().remove(0);
    assert!(chosen.starts_with("p: p(); binary `s` was passed over"), "{chosen}");
    assert!(chosen.contains("--features net"), "{chosen}");
    let with = project.choose(|request| request.features = vec!["server".to_owned()]);
    assert_eq!(with.unwrap(), ["p: s(p), p()"]);
    let all = project.choose(|request| request.all_features = true);
    assert_eq!(all.unwrap(), ["p: s(p), p()"]);
}

/// An application that knows the library `tools` as `kit`, through the library `middle`.
fn members() -> Project {
    Project::new(&[
        (
            "Cargo.toml",
            "[workspace]\nresolver = \"2\"\nmembers = [\"app\", \"middle\", \"tools\", \"plain\"]",
        ),
        (
            "app/Cargo.toml",
            &package(
                "app",
                "[dependencies]\nmiddle = { path = \"../middle\" }\nplain = { path = \"../plain\" }",
            ),
        ),
        ("app/src/main.rs", "fn main() {}"),
        (
            "middle/Cargo.toml",
            &package(
                "middle",
                "[dependencies]\nkit = { package = \"tools\", path = \"../tools\" }",
            ),
        ),
        ("middle/src/lib.rs", ""),
        ("tools/Cargo.toml", &package("tools", "")),
        ("tools/src/lib.rs", TOOL),
        ("plain/Cargo.toml", &package("plain", "")),
        ("plain/src/lib.rs", ""),
    ])
}

#[test]
fn tools_of_member_libraries_are_reached_by_their_local_names() {
    let project = members();
    let (chosen, skipped) = project.whole(auto).unwrap();
    // `tools` and `middle` are no servers of their own beside the binary that serves them.
    assert_eq!(chosen, ["app: app(middle), middle(kit), tools()"]);
    assert_eq!(skipped, ["`plain` declares no tools"]);
    assert_eq!(project.choose(named(&["tools"])).unwrap(), ["tools: tools()"]);
    assert_eq!(
        project.choose(named(&["t*", "app@1.2"])).unwrap(),
        ["app: app(middle), middle(kit), tools()", "tools: tools()"]
    );
    project.write("tools/tool-versions.lock.yaml", "version: 1");
    assert_eq!(project.choose(auto).unwrap().len(), 2);
}

#[test]
fn packages_are_selected_as_cargo_does() {
    let project = members();
    let error = project.choose(named(&["plain"])).unwrap_err();
    assert!(error.contains("`plain` declares no tools"), "{error}");
    let error = project.choose(named(&["nobody"])).unwrap_err();
    assert!(error.contains("no package `nobody`") && error.contains("app, middle"), "{error}");
    assert!(project.choose(named(&["app@2"])).is_err());
    let chosen = project.choose(|request| {
        request.workspace = true;
        request.exclude = vec!["app".to_owned()];
    });
    assert_eq!(chosen.unwrap(), ["middle: middle(kit), tools()", "tools: tools()"]);
    let member = project.0.path().join("tools/Cargo.toml");
    let chosen = project.choose(|request| request.manifest_path = Some(member));
    assert_eq!(chosen.unwrap(), ["tools: tools()"]);
    let error = project
        .choose(|request| {
            request.workspace = true;
            request.exclude = vec!["app".to_owned(), "middle".to_owned(), "tools".to_owned()];
        })
        .unwrap_err();
    assert!(error.contains("`plain` declares no tools"), "{error}");
}

#[test]
fn an_optional_library_counts_where_its_feature_is_on() {
    let project = Project::new(&[
        ("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"app\", \"other\", \"tools\"]"),
        (
            "app/Cargo.toml",
            &package(
                "app",
                "[dependencies]\ntools = { path = \"../tools\", optional = true }\n[features]\nmcp = [\"dep:tools\"]",
            ),
        ),
        ("app/src/lib.rs", OTHER),
        ("tools/Cargo.toml", &package("tools", "")),
        ("tools/src/lib.rs", TOOL),
        // This member turns the feature on when the whole workspace is built.
        (
            "other/Cargo.toml",
            &package("other", "[dependencies]\napp = { path = \"../app\", features = [\"mcp\"] }"),
        ),
        ("other/src/lib.rs", ""),
    ]);
    assert_eq!(project.choose(named(&["app"])).unwrap(), ["app: app()"]);
    let with = project.choose(|request| {
        request.packages = vec!["app".to_owned()];
        request.features = vec!["mcp".to_owned()];
    });
    assert_eq!(with.unwrap(), ["app: app(tools), tools()"]);
    let other = project.choose(named(&["other"])).unwrap();
    assert_eq!(other, ["other: other(app), app(tools), tools()"]);
}

#[test]
fn what_is_for_another_platform_turns_nothing_on() {
    let other = if cfg!(windows) { "unix" } else { "windows" };
    let manifest = |platform: &str| {
        let rest = format!(
            "[dependencies]\nmiddle = {{ path = \"../middle\" }}\n\
             [target.'cfg({platform})'.dependencies]\n\
             middle = {{ path = \"../middle\", features = [\"mcp\"] }}"
        );
        package("app", &rest)
    };
    let project = Project::new(&[
        ("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"app\", \"middle\", \"tools\"]"),
        ("app/Cargo.toml", &manifest(other)),
        ("app/src/lib.rs", OTHER),
        (
            "middle/Cargo.toml",
            &package(
                "middle",
                "[dependencies]\ntools = { path = \"../tools\", optional = true }\n\
                 [features]\nmcp = [\"dep:tools\"]",
            ),
        ),
        ("middle/src/lib.rs", ""),
        ("tools/Cargo.toml", &package("tools", "")),
        ("tools/src/lib.rs", TOOL),
    ]);
    let chosen = || project.choose(named(&["app"])).unwrap();
    assert_eq!(chosen(), ["app: app()"]);
    project.write("app/Cargo.toml", &manifest(&format!("not({other})")));
    assert_eq!(chosen(), ["app: app(middle), middle(tools), tools()"]);
}

#[test]
fn tools_outside_the_workspace_are_reported() {
    let project = Project::new(&[
        (
            "Cargo.toml",
            &package("app", "[dependencies]\ntools = { path = \"../outside\" }\n[workspace]"),
        ),
        ("src/main.rs", OTHER),
    ]);
    let other = Project::new(&[("Cargo.toml", &package("tools", "")), ("src/lib.rs", TOOL)]);
    let path = other.0.path().display().to_string();
    let manifest = fs::read_to_string(project.0.path().join("Cargo.toml")).unwrap();
    project.write("Cargo.toml", &manifest.replace("../outside", &path));
    let chosen = project.choose(auto).unwrap().remove(0);
    assert!(
        chosen.starts_with("app: app(); the path dependency `tools` declares tools (1)"),
        "{chosen}"
    );
    project.write("src/main.rs", "fn main() {}");
    let error = project.choose(auto).unwrap_err();
    assert!(error.contains("path dependency `tools`"), "{error}");
}

#[test]
fn a_library_for_other_languages_is_read_by_itself() {
    let project = Project::new(&[
        ("Cargo.toml", &package("p", "[lib]\ncrate-type = [\"cdylib\"]")),
        ("src/lib.rs", TOOL),
        ("src/main.rs", "fn main() {}"),
    ]);
    assert_eq!(project.choose(auto).unwrap(), ["p: p()"]);
}

#[test]
fn macros_make_no_tools_where_rmcp_is_not_at_hand() {
    let project = Project::new(&[
        ("Cargo.toml", &package("p", "")),
        ("src/main.rs", "table! { users } fn main() {}"),
    ]);
    assert!(project.choose(auto).unwrap_err().contains("declares no tools"));
}

#[test]
fn where_tools_are_locked_there_must_be_some() {
    let project = Project::new(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"app\", \"other\"]\nresolver = \"2\""),
        ("app/Cargo.toml", &package("app", "")),
        ("app/src/main.rs", TOOL),
        ("other/Cargo.toml", &package("other", "")),
        ("other/src/main.rs", "fn main() {}"),
    ]);
    let (chosen, skipped) = project.whole(auto).unwrap();
    assert_eq!((chosen.len(), skipped.len()), (1, 1));
    project.write("other/tool-versions.lock.yaml", "");
    assert!(project.choose(auto).unwrap_err().starts_with("`other` declares no tools"));
}
