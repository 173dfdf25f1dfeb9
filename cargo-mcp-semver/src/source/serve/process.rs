//! A child process and whatever it starts, all of which end with it.
//!
//! The child leads a process group of its own. What leaves the group (a daemon) is found on Linux
//! by a mark in its environment, and escapes on other systems; on Windows the child alone is ended.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// How often an ending process is looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// A child in a process group of its own. The group ends when this is dropped, and when this
/// process is told to end meanwhile.
#[derive(Debug)]
pub(super) struct Group {
    child: Child,
    /// How the child ended, once it has been waited for.
    ended: Option<ExitStatus>,
    #[cfg(unix)]
    interrupt: unix::Interrupt,
}

impl Group {
    /// Starts `command`.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        {
            std::os::unix::process::CommandExt::process_group(command, 0);
            let interrupt = unix::Interrupt::new(command)?;
            let child = interrupt.start(command)?;
            Ok(Self { child, ended: None, interrupt })
        }
        #[cfg(not(unix))]
        Ok(Self { child: command.spawn()?, ended: None })
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
        self.interrupt.stop();
        let _ = (patience, self.child.kill());
        self.ended = self.child.wait().ok();
        self.ended
    }

    /// Whether the child has ended; it is not waited for.
    fn has_ended(&mut self) -> bool {
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
    use std::process::{Child, Command};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    use rustix::process::{
        Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
    };
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::{Handle, Signals};

    /// The environment variable that marks what was started.
    const MARK: &str = "MCP_SEMVER_SERVED_BY";

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

    /// Ends a group, and then this process as it would have ended anyway, when this process is told
    /// to end: a group of its own gets no Ctrl-C from the terminal.
    #[derive(Debug)]
    pub(super) struct Interrupt {
        /// The group, while there is one. Held while it comes and goes, so that no interruption
        /// falls between.
        group: Arc<Mutex<Option<u32>>>,
        /// What the environment of everything that was started holds.
        mark: Arc<str>,
        handle: Handle,
    }

    impl Interrupt {
        pub(super) fn new(command: &mut Command) -> io::Result<Self> {
            static COUNT: AtomicU32 = AtomicU32::new(0);
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let value = format!("{}-{count}", std::process::id());
            command.env(MARK, &value);
            let mark: Arc<str> = format!("{MARK}={value}").into();
            let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
            let interrupt =
                Self { group: Arc::default(), mark: mark.clone(), handle: signals.handle() };
            let group = Arc::clone(&interrupt.group);
            std::thread::Builder::new().name("interrupt".to_owned()).spawn(move || {
                for received in signals.forever() {
                    let group = lock(&group);
                    if let Some(group) = *group {
                        end(group, &mark);
                    }
                    let _ = signal_hook::low_level::emulate_default_handler(received);
                }
            })?;
            Ok(interrupt)
        }

        /// Starts the child that leads the group.
        pub(super) fn start(&self, command: &mut Command) -> io::Result<Child> {
            let mut group = lock(&self.group);
            let child = command.spawn()?;
            *group = Some(child.id());
            Ok(child)
        }

        /// Ends the group and forgets it: its id may be another's once the child is waited for.
        pub(super) fn stop(&self) {
            if let Some(group) = lock(&self.group).take() {
                end(group, &self.mark);
            }
        }
    }

    fn lock(group: &Mutex<Option<u32>>) -> MutexGuard<'_, Option<u32>> {
        group.lock().unwrap_or_else(PoisonError::into_inner)
    }

    impl Drop for Interrupt {
        fn drop(&mut self) {
            self.handle.close();
        }
    }
}
