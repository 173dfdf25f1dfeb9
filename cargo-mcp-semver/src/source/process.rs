//! A child process and whatever it starts, all of which end with it.
//!
//! The child leads a process group of its own. What leaves the group (a daemon) is found on Linux
//! by a mark in its environment, and escapes on other systems; on Windows the child alone is ended.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

#[cfg(unix)]
use crate::interrupt::Guard;

/// How often an ending process is looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// A child in a process group of its own. The group ends when this is dropped, and when this
/// process is told to end meanwhile.
#[derive(Debug)]
pub(super) struct Group {
    child: Child,
    /// Ends the group, until the child was waited for.
    #[cfg(unix)]
    guard: Option<Guard>,
    /// How the child ended, once it has been waited for.
    ended: Option<ExitStatus>,
}

impl Group {
    /// Starts `command`.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        let (child, guard) = unix::start(command)?;
        #[cfg(not(unix))]
        let child = command.spawn()?;
        Ok(Self {
            child,
            #[cfg(unix)]
            guard: Some(guard),
            ended: None,
        })
    }

    /// The child itself, for its pipes.
    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until the child has ended, but no longer than `limit`.
    pub(super) fn wait(&mut self, limit: Duration) -> bool {
        let started = Instant::now();
        while !self.has_ended() {
            if started.elapsed() > limit {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
        true
    }

    /// Ends what is left of the group, politely at first where `patience` allows it, and returns
    /// how the child ended.
    pub(super) fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        if self.ended.is_some() {
            return self.ended;
        }
        #[cfg(unix)]
        if !patience.is_zero() && !self.has_ended() {
            unix::signal(self.child.id(), rustix::process::Signal::TERM);
            self.wait(patience);
        }
        // While the child is not waited for, its id, which is the group's, cannot be another's.
        #[cfg(unix)]
        drop(self.guard.take());
        let _ = (patience, self.child.kill());
        self.ended = self.child.wait().ok();
        self.ended
    }

    /// Whether the child has ended; it is not waited for.
    pub(super) fn has_ended(&mut self) -> bool {
        #[cfg(unix)]
        return unix::has_ended(self.child.id());
        #[cfg(not(unix))]
        return matches!(self.child.try_wait(), Ok(Some(_)));
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};
    use std::sync::atomic::{AtomicU32, Ordering};

    use crate::interrupt::{self, Guard};
    use rustix::process::{
        Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
    };

    /// The environment variable that marks what was started.
    const MARK: &str = "MCP_SEMVER_STARTED_BY";

    fn pid(id: u32) -> Option<Pid> {
        i32::try_from(id).ok().and_then(Pid::from_raw)
    }

    /// Sends a signal to a group; one that is gone already is as well.
    pub(super) fn signal(group: u32, signal: Signal) {
        if let Some(group) = pid(group) {
            let _ = kill_process_group(group, signal);
        }
    }

    /// Ends a group, and what carries the mark outside of it.
    fn end(group: u32, mark: &str) {
        signal(group, Signal::KILL);
        // What is found may have started more before it ended.
        for _ in 0..8 {
            let marked = marked(mark);
            if marked.is_empty() {
                return;
            }
            for process in marked {
                let _ = kill_process(process, Signal::KILL);
            }
        }
    }

    /// The processes that carry a mark; those that have ended have no environment.
    #[cfg(target_os = "linux")]
    fn marked(mark: &str) -> Vec<Pid> {
        let holds = |entry: &std::fs::DirEntry| {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        };
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        processes
            .filter(holds)
            .filter_map(|entry| pid(entry.file_name().to_str()?.parse().ok()?))
            .collect()
    }

    #[cfg(not(target_os = "linux"))]
    fn marked(_: &str) -> Vec<Pid> {
        Vec::new()
    }

    pub(super) fn has_ended(child: u32) -> bool {
        let Some(child) = pid(child) else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(child), options), Ok(None))
    }

    /// Starts the child that leads a group: one of its own gets no Ctrl-C from the terminal, and
    /// its id may be another's once the child was waited for.
    pub(super) fn start(command: &mut Command) -> io::Result<(Child, Guard)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let value = format!("{}-{count}", std::process::id());
        command.process_group(0).env(MARK, &value);
        interrupt::begin(|| {
            let child = command.spawn()?;
            let (group, mark) = (child.id(), format!("{MARK}={value}"));
            Ok((child, Box::new(move || end(group, &mark))))
        })
    }
}
