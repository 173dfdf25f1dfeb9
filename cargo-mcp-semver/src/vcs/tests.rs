use std::fs;

use super::*;

/// Runs git in a directory, with nobody's configuration.
pub(crate) fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository with two commits of `a/file` (`one`, `two`), the first tagged `v1`.
fn repository(directory: &Path) {
    git(directory, &["init", "-q", "-b", "main"]);
    fs::create_dir(directory.join("a")).unwrap();
    for (text, tag) in [("one", Some("v1")), ("two", None)] {
        fs::write(directory.join("a/file"), text).unwrap();
        git(directory, &["add", "."]);
        git(directory, &["commit", "-q", "-m", text]);
        tag.map(|tag| git(directory, &["tag", tag]));
    }
}

#[test]
fn a_file_is_read_as_it_was_and_the_work_tree_stays() {
    let directory = tempfile::tempdir().unwrap();
    repository(directory.path());
    let a = directory.path().join("a");
    fs::write(a.join("file"), "edited").unwrap();
    let before = git(directory.path(), &["status", "--porcelain=v2", "--branch"]);
    for (name, expected) in [("v1", "one"), ("HEAD", "two"), ("main~1", "one"), ("v1^{}", "one")] {
        let revision = Revision::find(&a, name).unwrap();
        assert_eq!(revision.read("file").unwrap().unwrap(), expected.as_bytes(), "{name}");
        assert_eq!(revision.read("other").unwrap(), None);
        assert_eq!(revision.named("file").unwrap(), ["a/file"]);
        assert_eq!(revision.named("ile").unwrap(), [""; 0]);
        assert_eq!(revision.read_from_root("a/file").unwrap(), expected.as_bytes());
    }
    assert_eq!(git(directory.path(), &["status", "--porcelain=v2", "--branch"]), before);
    assert_eq!(fs::read_to_string(a.join("file")).unwrap(), "edited");
}

#[test]
fn what_is_no_revision_is_said_to_be_none() {
    let directory = tempfile::tempdir().unwrap();
    repository(directory.path());
    for name in ["v2", "origin/main", "", "--help", "HEAD~2", "HEAD:a/file", "a..b"] {
        let error = Revision::find(directory.path(), name).unwrap_err();
        assert!(matches!(error, VcsError::Unknown { .. }), "{name}: {error}");
        assert!(error.help().unwrap().contains("origin/<branch>"), "{name}");
    }
}

#[test]
fn outside_a_repository_git_speaks() {
    let directory = tempfile::tempdir().unwrap();
    let error = Revision::find(directory.path(), "HEAD").unwrap_err();
    assert!(error.to_string().contains("not a git repository"), "{error}");
}

#[test]
fn a_shallow_clone_says_what_to_fetch_and_that_works() {
    let directory = tempfile::tempdir().unwrap();
    let origin = directory.path().join("origin");
    fs::create_dir(&origin).unwrap();
    repository(&origin);
    git(&origin, &["branch", "release", "v1"]);
    let url = format!("file://{}", origin.display());
    let arguments = ["clone", "-q", "--depth=1", "--branch", "main", &url, "clone"];
    git(directory.path(), &arguments);
    let clone = directory.path().join("clone");
    assert!(Revision::find(&clone, "HEAD").is_ok());
    for (name, expected) in [
        ("v1", "git fetch --depth=1 origin v1"),
        ("HEAD~1", "fetch-depth: 0"),
        ("origin/release", "git fetch --depth=1 origin +release:refs/remotes/origin/release"),
    ] {
        let error = Revision::find(&clone, name).unwrap_err();
        assert!(error.to_string().contains("shallow"), "{name}: {error}");
        let help = error.help().unwrap();
        assert!(help.contains(expected), "{name}: {help}");
    }
    let refspec = "+release:refs/remotes/origin/release";
    git(&clone, &["fetch", "-q", "--depth=1", "origin", refspec]);
    let revision = Revision::find(&clone.join("a"), "origin/release").unwrap();
    assert_eq!(revision.read("file").unwrap().unwrap(), b"one");
}
