//! Files of earlier revisions, through the `git` command. Nothing here touches the work tree.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::interrupt::Scratch;

/// One commit of the repository that a directory lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// What the user called it.
    name: String,
    /// Its object id.
    commit: String,
    /// The directory that paths are relative to.
    directory: PathBuf,
}

/// Why a revision could not be read.
#[derive(Debug, thiserror::Error)]
pub enum VcsError {
    /// Git could not be started.
    #[error("cannot run `git`, which is needed to read the revision `{revision}`: {source}")]
    NoGit {
        /// What was asked for.
        revision: String,
        /// What the system said.
        source: io::Error,
    },
    /// The directory is in no repository, or git refuses to look at it.
    #[error("cannot read the revision `{revision}` in {}: {said}", directory.display())]
    NoRepository {
        /// What was asked for.
        revision: String,
        /// Where it was looked for.
        directory: PathBuf,
        /// What git said.
        said: String,
    },
    /// The history ends before it.
    #[error(
        "the revision `{revision}` is not in this clone, which is shallow: its history was cut \
         off when it was fetched"
    )]
    Shallow {
        /// What was asked for.
        revision: String,
    },
    /// Nothing has that name.
    #[error("there is no revision `{revision}` in the repository")]
    Unknown {
        /// What was asked for.
        revision: String,
    },
    /// A commit that is there could not be read.
    #[error("cannot read {path} at the revision `{revision}`: {said}")]
    Read {
        /// The file, as it was asked for.
        path: String,
        /// What was asked for.
        revision: String,
        /// What git said.
        said: String,
    },
}

impl VcsError {
    /// What to do about it, where the message does not say it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Shallow { revision } => Some(match revision.split_once('/') {
                Some((remote, branch)) if !branch.contains(['~', '^', '@', ':']) => format!(
                    "fetch it with `git fetch --depth=1 {remote} \
                     +{branch}:refs/remotes/{remote}/{branch}`, or all of the history with `git \
                     fetch --unshallow` (GitHub's checkout action: `fetch-depth: 0`)"
                ),
                _ => format!(
                    "fetch it with `git fetch --depth=1 origin {revision}` if it is a commit or a \
                     tag (then `--baseline-rev FETCH_HEAD`), or all of the history with `git fetch \
                     --unshallow` (GitHub's checkout action: `fetch-depth: 0`)"
                ),
            }),
            Self::Unknown { .. } => Some(
                "name a commit, a tag, or a branch that was fetched; `git fetch --tags` brings \
                 tags, and a branch of the remote is called `origin/<branch>`"
                    .to_owned(),
            ),
            Self::NoGit { .. } | Self::NoRepository { .. } | Self::Read { .. } => None,
        }
    }
}

impl Revision {
    /// Finds the commit that `name` means in the repository around `directory`.
    ///
    /// # Errors
    /// [`VcsError`] when there is no git, no repository, or no such commit.
    pub fn find(directory: &Path, name: &str) -> Result<Self, VcsError> {
        let revision = Self {
            name: name.to_owned(),
            commit: String::new(),
            directory: if directory.as_os_str().is_empty() { ".".into() } else { directory.into() },
        };
        let inside = revision.git(&["rev-parse", "--is-shallow-repository"])?;
        if !inside.status.success() {
            return Err(VcsError::NoRepository {
                revision: name.to_owned(),
                directory: revision.directory,
                said: said(&inside),
            });
        }
        let unknown = || VcsError::Unknown { revision: name.to_owned() };
        // A name never starts with a dash, and git would take it for a flag.
        if name.is_empty() || name.starts_with('-') {
            return Err(unknown());
        }
        let found =
            revision.git(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")])?;
        let commit = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        if found.status.success() && !commit.is_empty() {
            return Ok(Self { commit, ..revision });
        }
        let shallow = String::from_utf8_lossy(&inside.stdout).trim() == "true";
        Err(if shallow { VcsError::Shallow { revision: name.to_owned() } } else { unknown() })
    }

    /// What the user called it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes of a file, its path relative to the directory; `None` where the commit has no
    /// such file.
    ///
    /// # Errors
    /// [`VcsError::Read`] when the commit is there and its contents are not.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, VcsError> {
        let object = format!("{}:./{path}", self.commit);
        // A missing file and a broken repository exit alike where the contents are asked for.
        let listed = self.run(path, &["ls-tree", "-z", &self.commit, "--", path])?;
        if listed.stdout.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.run(path, &["cat-file", "blob", &object])?.stdout))
    }

    /// The paths of all files with this name in the commit, relative to the repository's root.
    ///
    /// # Errors
    /// As [`Revision::read`].
    pub fn named(&self, file_name: &str) -> Result<Vec<String>, VcsError> {
        let listed = self
            .run(file_name, &["ls-tree", "-r", "-z", "--full-tree", "--name-only", &self.commit])?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let has_name = |path: &&str| path.rsplit('/').next() == Some(file_name);
        Ok(listed.split('\0').filter(has_name).map(str::to_owned).collect())
    }

    /// The files of the commit that have moved into the directory since, whether git was told or
    /// not; their paths then, relative to the repository's root.
    ///
    /// # Errors
    /// As [`Revision::read`].
    pub fn moved_here(&self) -> Result<Vec<String>, VcsError> {
        let scratch = Scratch::new().map_err(|error| VcsError::Read {
            path: ".".to_owned(),
            revision: self.name.clone(),
            said: error.to_string(),
        })?;
        let index = scratch.path().join("index");
        self.run_on(&index, &["read-tree", &self.commit])?;
        // Names alone: nothing is written into the repository.
        self.run_on(&index, &["add", "--intent-to-add", "--", "."])?;
        let flags = ["diff", "--no-relative", "--name-status", "--find-renames", "-z"];
        let flags = [&flags[..], &["--diff-filter=R", &self.commit]].concat();
        let listed = self.run_on(&index, &flags)?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let fields: Vec<&str> = listed.split_terminator('\0').collect();
        let here = self.prefix()?;
        let moved = fields.chunks_exact(3).filter(|it| Path::new(it[2]).starts_with(&here));
        Ok(moved.map(|it| it[1].to_owned()).collect())
    }

    /// As [`Revision::read`], the path relative to the repository's root.
    ///
    /// # Errors
    /// As [`Revision::read`].
    pub fn read_from_root(&self, path: &str) -> Result<Vec<u8>, VcsError> {
        let object = format!("{}:{path}", self.commit);
        Ok(self.run(path, &["cat-file", "blob", &object])?.stdout)
    }

    /// Writes every file of the commit below `tree`, by way of an index at `index`; there must be
    /// nothing at either. Neither the work tree nor the index of the repository is touched, and no
    /// hook runs.
    ///
    /// # Errors
    /// As [`Revision::read`].
    pub fn export(&self, tree: &Path, index: &Path) -> Result<(), VcsError> {
        let root = Self { directory: self.root()?, ..self.clone() };
        root.run_on(index, &["read-tree", &self.commit])?;
        let files = format!("--prefix={}/", tree.display());
        root.run_on(index, &["checkout-index", "--all", "--quiet", &files]).map(drop)
    }

    /// The directory that paths are relative to, from the repository's root.
    ///
    /// # Errors
    /// As [`Revision::read`].
    pub fn prefix(&self) -> Result<PathBuf, VcsError> {
        self.said(&["--show-prefix"]).map(PathBuf::from)
    }

    /// The root of the work tree.
    ///
    /// # Errors
    /// As [`Revision::read`].
    pub fn root(&self) -> Result<PathBuf, VcsError> {
        self.said(&["--show-toplevel"]).map(PathBuf::from)
    }

    /// What `git rev-parse` says to these flags.
    fn said(&self, flags: &[&str]) -> Result<String, VcsError> {
        let output = self.run(".", &[&["rev-parse"], flags].concat())?;
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// As [`Revision::run`], with an index of our own.
    fn run_on(&self, index: &Path, arguments: &[&str]) -> Result<Output, VcsError> {
        let mut command = self.command(arguments);
        let output = command.env("GIT_INDEX_FILE", index).output();
        self.done(".", output)
    }

    fn run(&self, path: &str, arguments: &[&str]) -> Result<Output, VcsError> {
        self.done(path, self.command(arguments).output())
    }

    fn done(&self, path: &str, output: io::Result<Output>) -> Result<Output, VcsError> {
        let output = self.started(output)?;
        if output.status.success() {
            return Ok(output);
        }
        let (path, revision) = (path.to_owned(), self.name.clone());
        Err(VcsError::Read { path, revision, said: said(&output) })
    }

    fn git(&self, arguments: &[&str]) -> Result<Output, VcsError> {
        self.started(self.command(arguments).output())
    }

    fn started(&self, output: io::Result<Output>) -> Result<Output, VcsError> {
        output.map_err(|source| VcsError::NoGit { revision: self.name.clone(), source })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        // A hook names the repository in its environment, relative to where git started it.
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(variable);
        }
        // An index of our own is no reason for anybody's hooks to run.
        command.env("LC_ALL", "C").args(["-c", "core.hooksPath=/dev/null", "-C"]);
        command.arg(&self.directory).args(arguments);
        command
    }
}

/// What git said on standard error, in one line.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    first.map_or_else(|| format!("git ended with {}", output.status), str::to_owned)
}

#[cfg(test)]
pub(crate) mod tests;
