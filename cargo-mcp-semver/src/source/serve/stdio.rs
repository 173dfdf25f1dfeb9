//! The stdio transport: a child process, a message a line.
//!
//! One thread reads, one writes, one keeps the end of standard error, so that no pipe that fills up
//! can hold up the conversation. They are not waited for: what the server started may hold a pipe
//! open for ever.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::error::ServeProblem;
use super::limits::{Deadline, Limits};
use super::message::may_be_message;
use super::session::Transport;
use crate::source::process::Group;

/// How many messages may wait for a server that does not read.
const UNSENT: usize = 256;
/// How many lines are kept for a reader that is busy; each is as long as the limits allow.
const UNREAD: usize = 1;
/// How much of the end of standard error is kept, in bytes.
const TAIL: usize = 4096;
/// How much of a line that is no message is shown, in bytes.
const NOISE: usize = 200;
/// How long a server may take to end by itself once its input is closed, and once it is told to.
const GRACE: Duration = Duration::from_secs(1);

/// How long the rest of standard error is waited for.
const FLUSH: Duration = Duration::from_millis(200);

/// A command that starts a server.
#[derive(Debug, Clone)]
pub struct Program {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Where it runs; absent for the current directory.
    pub cwd: Option<PathBuf>,
}

impl fmt::Display for Program {
    /// The command without its arguments, which may hold a token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.program.display())
    }
}

/// A server that was started and is spoken to.
pub(super) struct Pipes {
    group: Group,
    input: Option<SyncSender<Vec<u8>>>,
    output: Receiver<Line>,
    /// Disconnected once standard error has come to its end.
    errors_end: Receiver<()>,
    heard: Arc<Mutex<Heard>>,
    limits: Limits,
}

/// What the threads know beside the messages.
#[derive(Debug, Default)]
struct Heard {
    /// The beginning of the first line that was no message.
    noise: Option<Vec<u8>>,
    /// Whether a line has begun.
    half: bool,
    /// The end of standard error.
    errors: Vec<u8>,
}

/// What comes out of a server.
#[derive(Debug)]
enum Line {
    /// A line that may be a message.
    Whole(Vec<u8>),
    /// No more; `true` in the middle of a line.
    End(bool),
    /// More in one line than is allowed.
    TooLong,
    /// More in all than is allowed.
    TooMuch,
    /// The system refused.
    Failed(io::Error),
}

impl Pipes {
    /// Starts the server.
    pub(super) fn start(program: &Program, limits: Limits) -> Result<Self, ServeProblem> {
        let mut command = Command::new(&program.program);
        command.args(&program.args);
        if let Some(cwd) = &program.cwd {
            command.current_dir(cwd);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = Group::start(&mut command).map_err(ServeProblem::NotStarted)?;
        let child = group.child();
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(ServeProblem::NotStarted(io::ErrorKind::BrokenPipe.into()));
        };
        let heard = Arc::new(Mutex::new(Heard::default()));
        let (input, unsent) = sync_channel(UNSENT);
        let (lines, output) = sync_channel(UNREAD);
        let (reader, errors) = (Arc::clone(&heard), Arc::clone(&heard));
        spawn("server input", move || write(stdin, &unsent))?;
        spawn("server output", move || Reader { lines, heard: reader, limits }.read(stdout))?;
        let (open, errors_end) = sync_channel::<()>(0);
        spawn("server errors", move || {
            keep_tail(stderr, &errors);
            drop(open);
        })?;
        Ok(Self { group, input: Some(input), output, errors_end, heard, limits })
    }

    /// Ends the server; returns the first line that was no message, and the end of standard error.
    pub(super) fn stop(mut self) -> (Option<String>, String) {
        self.group.end(Duration::ZERO);
        // What it wrote last is on its way through the pipe.
        let _ = self.errors_end.recv_timeout(FLUSH);
        let heard = lock(&self.heard);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (heard.noise.as_deref().map(text), text(&heard.errors))
    }

    /// Why there is no more to read.
    fn ended(&mut self, half: bool) -> ServeProblem {
        if half {
            return ServeProblem::HalfLine;
        }
        // A moment, since the end of its output comes before the end of the process.
        if !self.group.wait(GRACE) {
            return ServeProblem::Closed;
        }
        self.group.end(Duration::ZERO).map_or(ServeProblem::Closed, ServeProblem::Exited)
    }
}

impl Transport for Pipes {
    fn send(&mut self, message: &Value, _: Deadline) -> Result<(), ServeProblem> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        match self.input.as_ref().map(|input| input.try_send(line)) {
            Some(Err(TrySendError::Full(_))) => Err(ServeProblem::NotReading),
            // Whoever has closed its input may have answered before; if not, the output says why.
            Some(Ok(()) | Err(TrySendError::Disconnected(_))) | None => Ok(()),
        }
    }

    fn receive(&mut self, deadline: Deadline) -> Result<Vec<u8>, ServeProblem> {
        match self.output.recv_timeout(deadline.left()) {
            Ok(Line::Whole(line)) => Ok(line),
            Ok(Line::End(half)) => Err(self.ended(half)),
            Ok(Line::TooLong) => Err(ServeProblem::MessageTooLong(self.limits)),
            Ok(Line::TooMuch) => Err(ServeProblem::TooMuch(self.limits)),
            Ok(Line::Failed(error)) => Err(ServeProblem::Read(error)),
            Err(RecvTimeoutError::Timeout) => Err(deadline.problem(lock(&self.heard).half)),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended(false)),
        }
    }

    /// Lines that follow one another may be answers to what was asked meanwhile.
    fn rest(&mut self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn agreed(&mut self, _: &str) -> Result<(), ServeProblem> {
        Ok(())
    }

    /// As the specification asks: closes its input, then tells it to end, then ends it.
    fn end(&mut self) -> Vec<Vec<u8>> {
        self.input = None;
        let mut lines = Vec::new();
        let deadline = Deadline::of_all(Limits { total: GRACE, ..self.limits });
        while let Ok(line) = self.receive(deadline) {
            lines.push(line);
        }
        self.group.end(GRACE);
        lines
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), ServeProblem> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map(drop).map_err(ServeProblem::NotStarted)
}

fn lock(heard: &Mutex<Heard>) -> std::sync::MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes what is sent until there is no more or nobody reads; its input is closed then.
fn write(mut stdin: ChildStdin, unsent: &Receiver<Vec<u8>>) {
    for line in unsent {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn keep_tail(mut stderr: impl Read, heard: &Mutex<Heard>) {
    let mut chunk = [0; TAIL];
    while let Ok(length @ 1..) = stderr.read(&mut chunk) {
        let errors = &mut lock(heard).errors;
        errors.extend_from_slice(&chunk[..length]);
        errors.drain(..errors.len().saturating_sub(TAIL));
    }
}

/// Cuts the output of a server into lines.
struct Reader {
    lines: SyncSender<Line>,
    heard: Arc<Mutex<Heard>>,
    limits: Limits,
}

impl Reader {
    fn read(self, stdout: impl Read) {
        let end = self.cut(BufReader::with_capacity(1 << 16, stdout));
        if let Some(end) = end {
            let _ = self.lines.send(end);
        }
    }

    /// Sends every line that may be a message; returns how it ended, unless nobody listens.
    fn cut(&self, mut stdout: impl BufRead) -> Option<Line> {
        let mut line = Vec::new();
        let mut total = 0;
        loop {
            let (taken, is_whole) = {
                let available = match stdout.fill_buf() {
                    Ok([]) => return Some(Line::End(!line.trim_ascii().is_empty())),
                    Ok(available) => available,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Some(Line::Failed(error)),
                };
                let newline = available.iter().position(|byte| *byte == b'\n');
                let taken = newline.map_or(available.len(), |at| at + 1);
                total += taken as u64;
                if line.len() + taken > self.limits.message_bytes {
                    return Some(Line::TooLong);
                }
                line.extend_from_slice(&available[..taken]);
                (taken, newline.is_some())
            };
            stdout.consume(taken);
            if total > self.limits.total_bytes {
                return Some(Line::TooMuch);
            }
            if !is_whole {
                lock(&self.heard).half = true;
                continue;
            }
            self.whole(std::mem::take(&mut line)).ok()?;
        }
    }

    /// Passes on a line, or keeps it as noise; fails when nobody listens.
    fn whole(&self, line: Vec<u8>) -> Result<(), ()> {
        let mut heard = lock(&self.heard);
        heard.half = false;
        if may_be_message(&line) {
            drop(heard);
            return self.lines.send(Line::Whole(line)).map_err(drop);
        }
        let text = line.trim_ascii();
        if heard.noise.is_none() && !text.is_empty() {
            heard.noise = Some(text[..text.len().min(NOISE)].to_vec());
        }
        Ok(())
    }
}
