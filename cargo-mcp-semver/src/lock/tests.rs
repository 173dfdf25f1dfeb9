use std::fs;
use std::path::Path;

use mcp_semver_build::{Digest, Scheme};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

fn catalogue(tools: &[Value]) -> Catalogue {
    let contracts = tools.iter().map(|tool| Contract::from_wire(tool.clone()).unwrap());
    Catalogue::new(contracts).unwrap()
}

fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "icons": [], "_meta": {"x": 1}})
}

fn pin(package: &str) -> Pin {
    let package = LockedPackage { name: "pkg".into(), version: version(package), reviewed: None };
    Pin { package: Some(package), ..Pin::default() }
}

fn versions(lockfile: &Lockfile) -> Vec<(&str, String)> {
    lockfile.tools.iter().map(|(name, tool)| (name.as_str(), tool.semver.to_string())).collect()
}

#[test]
fn a_package_pins_each_tool_at_the_version_it_changed_in() {
    let first = plan(None, &catalogue(&[tool("a", "1"), tool("b", "1")]), &pin("1.0.0"));
    assert_eq!(versions(&first), [("a", "1.0.0".into()), ("b", "1.0.0".into())]);
    assert!(first.tools["a"].contract.as_ref().unwrap().rest.is_empty(), "`_meta` is not locked");
    let second = [tool("a", "1"), tool("b", "2"), tool("c", "1")];
    let second = plan(Some(&first), &catalogue(&second), &pin("1.1.0"));
    assert_eq!(
        versions(&second),
        [("a", "1.0.0".into()), ("b", "1.1.0".into()), ("c", "1.1.0".into())]
    );
    assert_eq!(second.package.as_ref().unwrap().version, version("1.1.0"));
    let mut titled = tool("a", "1");
    titled["title"] = json!("no digest sees this");
    let third = plan(Some(&second), &catalogue(&[titled]), &pin("1.1.1"));
    assert_eq!(versions(&third), [("a", "1.1.1".into())]);
}

#[test]
fn a_dump_starts_at_one_and_carries_over() {
    let first = plan(None, &catalogue(&[tool("a", "1")]), &Pin::default());
    assert_eq!(
        (versions(&first), first.generated_for.as_str()),
        (vec![("a", "1.0.0".into())], "unspecified")
    );
    let mut previous = first.clone();
    previous.tools.get_mut("a").unwrap().semver = version("2.3.4");
    previous.generated_for = "mcp.example.com".into();
    let second =
        plan(Some(&previous), &catalogue(&[tool("a", "2"), tool("b", "1")]), &Pin::default());
    assert_eq!(versions(&second), [("a", "2.3.4".into()), ("b", "1.0.0".into())]);
    assert_eq!(second.generated_for, "mcp.example.com");
}

#[test]
fn a_declared_version_is_the_tools_version() {
    let first = plan(None, &catalogue(&[tool("a", "1"), tool("b", "1")]), &pin("1.0.0"));
    let mut declared = pin("1.4.0");
    declared.tools.insert("a".into(), version("3.0.0"));
    let second = plan(Some(&first), &catalogue(&[tool("a", "1"), tool("b", "2")]), &declared);
    assert_eq!(versions(&second), [("a", "3.0.0".into()), ("b", "1.4.0".into())]);
}

#[test]
fn what_it_is_for_follows_the_package_unless_somebody_said() {
    let tools = catalogue(&[tool("a", "1")]);
    let first = plan(None, &tools, &pin("1.0.0"));
    assert_eq!(first.generated_for, "pkg");
    let mut renamed = pin("1.0.0");
    renamed.package.as_mut().unwrap().name = "renamed".into();
    assert_eq!(plan(Some(&first), &tools, &renamed).generated_for, "renamed");
    assert_eq!(plan(Some(&first), &tools, &Pin::default()).generated_for, "pkg");
    let said = Pin { generated_for: Some("mcp.example.com".into()), ..pin("1.0.0") };
    let second = plan(Some(&first), &tools, &said);
    assert_eq!(second.generated_for, "mcp.example.com");
    assert_eq!(plan(Some(&second), &tools, &renamed).generated_for, "mcp.example.com");
}

#[test]
fn an_old_digest_is_renewed_and_unknown_keys_stay() {
    let tools = catalogue(&[tool("a", "1")]);
    let contract = tools.get("a").unwrap();
    let old = format!(
        "version: 1\ntools:\n  a:\n    semver: 1.0.0\n    contract_digest: {}\n    owner: me\nlater: [1]\n",
        Digest::of(Scheme::Sha256, contract)
    );
    let old = Lockfile::parse(&old, Path::new("x")).unwrap();
    let renewed = plan(Some(&old), &tools, &pin("1.5.0"));
    assert_eq!(renewed.tools["a"].semver, version("1.0.0"), "unchanged under the old digest");
    assert_eq!(renewed.tools["a"].digest, Digest::of(Scheme::ContractV2, contract));
    assert_eq!(
        (&renewed.tools["a"].rest["owner"], &renewed.rest["later"]),
        (&json!("me"), &json!([1]))
    );
}

fn any_catalogue() -> impl Strategy<Value = Catalogue> {
    prop::collection::btree_map("[a-d]", "[12]", 0..4).prop_map(|tools| {
        catalogue(&tools.iter().map(|(name, text)| tool(name, text)).collect::<Vec<_>>())
    })
}

proptest! {
    #[test]
    fn locking_again_changes_nothing(
        old in any_catalogue(), new in any_catalogue(), declared in prop::option::of("[1-3]\\.0\\.0"),
    ) {
        let previous = plan(None, &old, &pin("1.0.0"));
        let mut pin = pin("1.1.0");
        pin.tools.extend(declared.map(|text| ("a".to_owned(), version(&text))));
        let once = plan(Some(&previous), &new, &pin);
        let twice = plan(Some(&once), &new, &pin);
        prop_assert_eq!(once.to_yaml().unwrap(), twice.to_yaml().unwrap());
        let read = Lockfile::parse(&once.to_yaml().unwrap(), Path::new("x")).unwrap();
        prop_assert_eq!(&read, &once);
    }
}

fn some(version: &str) -> Lockfile {
    plan(None, &catalogue(&[tool("a", "1")]), &pin(version))
}

/// Everything in a directory, temporary files included.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn writes_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lock.yaml");
    assert_eq!(write(&path, &some("1.0.0")).unwrap(), Written::Written);
    assert_eq!(write(&path, &some("1.0.0")).unwrap(), Written::Unchanged);
    let crlf = fs::read_to_string(&path).unwrap().replace('\n', "\r\n");
    fs::write(&path, &crlf).unwrap();
    assert_eq!(write(&path, &some("1.0.0")).unwrap(), Written::Unchanged);
    assert_eq!(fs::read_to_string(&path).unwrap(), crlf);
    assert_eq!(write(&path, &some("1.0.1")).unwrap(), Written::Written);
    assert_eq!(Lockfile::read(&path).unwrap(), some("1.0.1"));
    assert_eq!(names(directory.path()), ["lock.yaml"]);
}

#[test]
fn what_cannot_be_written_leaves_everything_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let fail = |path: &Path| write(path, &some("1.0.0")).unwrap_err().to_string();
    let occupied = directory.path().join("lock.yaml");
    fs::create_dir(&occupied).unwrap();
    let message = fail(&occupied);
    assert!(message.contains("lock.yaml: it is a directory; no file was written"), "{message}");
    let file = directory.path().join("file");
    fs::write(&file, "precious").unwrap();
    let message = fail(&file.join("lock.yaml"));
    assert!(message.contains("no file was written"), "{message}");
    let message = fail(&directory.path().join("none/lock.yaml"));
    assert!(message.contains("none/lock.yaml: "), "{message}");
    let mut permissions = fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).unwrap();
    let message = fail(&file);
    assert!(message.contains("file: it is read-only; the old file is unchanged"), "{message}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    assert_eq!(names(directory.path()), ["file", "lock.yaml"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::Command;

    use super::*;

    #[test]
    fn links_and_permissions_stay() {
        let directory = tempfile::tempdir().unwrap();
        let [real, link, chain] =
            ["real/lock.yaml", "link.yaml", "chain.yaml"].map(|name| directory.path().join(name));
        fs::create_dir(directory.path().join("real")).unwrap();
        symlink("real/lock.yaml", &link).unwrap();
        symlink(&link, &chain).unwrap();
        write(&chain, &some("1.0.0")).unwrap();
        assert_eq!(Lockfile::read(&real).unwrap(), some("1.0.0"), "through links to nothing yet");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let plain = directory.path().join("plain");
        fs::write(&plain, "").unwrap();
        assert_eq!(mode(&real), mode(&plain), "a new file has the permissions of any new file");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        write(&link, &some("1.0.1")).unwrap();
        assert_eq!((Lockfile::read(&real).unwrap(), mode(&real)), (some("1.0.1"), 0o640));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let looped = directory.path().join("loop");
        symlink(&looped, &looped).unwrap();
        write(&looped, &some("1.0.0")).unwrap_err();
    }

    #[test]
    fn a_directory_without_permission_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let closed = directory.path().join("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
        if fs::write(closed.join("probe"), "").is_ok() {
            eprintln!("SKIPPED: this user may write to read-only directories");
            return;
        }
        let message = write(&closed.join("lock.yaml"), &some("1.0.0")).unwrap_err().to_string();
        assert!(message.contains("ermission denied"), "{message}");
    }

    const PATH: &str = "MCP_SEMVER_TEST_LOCK";

    /// Not a test of its own: what the shell below runs with no room for a file.
    #[test]
    fn writer() {
        let Some(path) = std::env::var_os(PATH) else { return };
        let error = write(Path::new(&path), &some("9.9.9")).unwrap_err();
        eprintln!("{error}");
        std::process::exit(3);
    }

    /// A limit on file sizes stands for a full disk: the system either refuses the write or kills
    /// the process in the middle of it.
    #[test]
    fn a_full_disk_or_a_kill_leaves_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock.yaml");
        write(&path, &some("1.0.0")).unwrap();
        let run = |shell: &str| {
            Command::new("sh")
                .args(["-c", &format!("{shell} ulimit -f 0; exec \"$0\" --exact lock::tests::unix::writer --nocapture")])
                .arg(std::env::current_exe().unwrap())
                .env(PATH, &path)
                .output()
                .unwrap()
        };
        let refused = run("trap '' XFSZ;");
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(3), "{message}");
        assert!(message.contains("the old file is unchanged"), "{message}");
        assert_eq!(names(directory.path()), ["lock.yaml"]);
        let killed = run("");
        assert!(killed.status.signal().is_some(), "{:?}", killed.status);
        assert_eq!(Lockfile::read(&path).unwrap(), some("1.0.0"));
    }
}
