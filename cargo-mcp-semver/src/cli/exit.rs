//! Exit codes: part of the command's public interface, like its flags.

/// What the process exits with.
///
/// Every command that compares uses all four; `list` uses [`Exit::Ok`] and [`Exit::NotChecked`].
/// Of several packages in one run the worst counts, in the order below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Exit {
    /// Nothing changed, or the declared version covers what did.
    Ok = 0,
    /// Tools are only new or removed, and that is covered.
    NewOrRemoved = 1,
    /// The declared version does not cover what changed; of `diff`: something changed.
    Violation = 2,
    /// It could not be checked: a usage error, a build failure, an unreadable lockfile, no tool
    /// found. Also what a panic of a Rust program exits with.
    NotChecked = 101,
}

impl From<u8> for Exit {
    /// The exit a code stands for; a code that stands for none is [`Exit::NotChecked`], so that it
    /// never passes for a success.
    fn from(code: u8) -> Self {
        match code {
            0 => Self::Ok,
            1 => Self::NewOrRemoved,
            2 => Self::Violation,
            _ => Self::NotChecked,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
