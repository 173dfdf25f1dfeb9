use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::Overlay;

/// A tree with a package, and the overlay of its workspace in `target` beside it.
struct Tree {
    dir: TempDir,
}

impl Tree {
    fn new() -> Self {
        let tree = Self { dir: TempDir::new().unwrap() };
        for (path, text) in [
            ("ws/Cargo.toml", "[package]"),
            ("ws/README.md", "read me"),
            ("ws/src/main.rs", "mod tools; mod other;"),
            ("ws/src/tools.rs", "tools"),
            ("ws/src/other.rs", "other"),
            ("ws/src/data/a.json", "{}"),
            ("beside/note.txt", "note"),
        ] {
            tree.write(path, text);
        }
        tree
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn overlay(&self) -> Overlay {
        Overlay::new(self.path("ws/target/mcp-semver/overlay/k"), self.path("ws"))
    }

    fn lay(&self, files: &[(&str, &str)]) {
        let files: BTreeMap<PathBuf, String> =
            files.iter().map(|(path, text)| (self.path(path), (*text).to_owned())).collect();
        self.overlay().lay(&files).unwrap();
    }

    /// What the overlay shows at a path of the tree.
    fn seen(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.overlay().mirror(&self.path(path))).ok()
    }
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}

#[test]
fn everything_but_the_instrumented_files_is_the_users() {
    let tree = Tree::new();
    tree.lay(&[("ws/src/main.rs", "instrumented")]);
    assert_eq!(tree.seen("ws/src/main.rs").unwrap(), "instrumented");
    assert_eq!(tree.seen("ws/src/tools.rs").unwrap(), "tools");
    assert_eq!(tree.seen("ws/src/../README.md").unwrap(), "read me");
    assert_eq!(tree.seen("ws/src/data/a.json").unwrap(), "{}");
    assert_eq!(fs::read_to_string(tree.path("ws/src/main.rs")).unwrap(), "mod tools; mod other;");
}

#[test]
fn relative_paths_climb_out_of_the_workspace() {
    let tree = Tree::new();
    tree.lay(&[("ws/src/main.rs", "instrumented")]);
    let src = tree.overlay().mirror(&tree.path("ws/src"));
    assert_eq!(fs::read_to_string(src.join("../../beside/note.txt")).unwrap(), "note");
}

#[test]
fn only_what_changed_is_written() {
    let tree = Tree::new();
    tree.lay(&[("ws/src/main.rs", "one")]);
    let root = tree.overlay().mirror(&tree.path("ws/src/main.rs"));
    let old = fs::File::options().append(true).open(&root).unwrap();
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    old.set_modified(long_ago).unwrap();
    tree.lay(&[("ws/src/main.rs", "one")]);
    assert_eq!(root.metadata().unwrap().modified().unwrap(), long_ago);
    tree.lay(&[("ws/src/main.rs", "two")]);
    assert_ne!(root.metadata().unwrap().modified().unwrap(), long_ago);
    assert_eq!(tree.seen("ws/src/main.rs").unwrap(), "two");
}

#[test]
fn the_next_run_follows_the_users_tree() {
    let tree = Tree::new();
    tree.lay(&[("ws/src/main.rs", "x"), ("ws/src/tools.rs", "y"), ("ws/src/data/b.rs", "z")]);
    fs::remove_file(tree.path("ws/src/other.rs")).unwrap();
    tree.write("ws/src/new.rs", "new");
    // A directory that was on the way, a file that was instrumented: links again.
    tree.lay(&[("ws/src/main.rs", "x")]);
    let mirror = |path: &str| tree.overlay().mirror(&tree.path(path));
    assert!(!is_link(&mirror("ws/src/other.rs")) && !mirror("ws/src/other.rs").exists());
    assert_eq!(tree.seen("ws/src/new.rs").unwrap(), "new");
    assert!(is_link(&mirror("ws/src/tools.rs")));
    assert_eq!(tree.seen("ws/src/tools.rs").unwrap(), "tools");
    assert!(is_link(&mirror("ws/src/data")));
    // And the other way round.
    tree.lay(&[("ws/src/main.rs", "x"), ("ws/src/data/b.rs", "z")]);
    assert!(!is_link(&mirror("ws/src/data")));
    assert_eq!(tree.seen("ws/src/data/a.json").unwrap(), "{}");
    assert!(!tree.path("ws/src/data/b.rs").exists());
}

#[test]
fn an_overlay_never_links_to_itself() {
    let tree = Tree::new();
    tree.lay(&[("ws/src/main.rs", "x")]);
    assert!(!is_link(&tree.overlay().mirror(&tree.path("ws/target"))));
}

#[test]
fn crowded_directories_above_the_workspace_are_left_out() {
    let tree = Tree::new();
    for number in 0..=super::CROWDED {
        tree.write(&format!("{number}"), "");
    }
    tree.write("ws/crowd/0", "");
    for number in 0..=super::CROWDED {
        tree.write(&format!("ws/src/{number}"), "");
    }
    tree.lay(&[("ws/src/main.rs", "x")]);
    assert!(!tree.overlay().mirror(&tree.path("0")).exists());
    assert!(tree.overlay().mirror(&tree.path("ws/src/0")).exists());
}
