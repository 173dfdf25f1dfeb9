//! A running server as a source: a command that is started and spoken to over stdio, or a URL over
//! streamable HTTP.
//!
//! The client is our own, and small, because what it is for is what a client library leaves out:
//! - A contract is compared by what stands on the wire. `rmcp`'s `Tool` has no `execution`, its
//!   annotations keep the known hints alone, and neither a key that stands twice in a schema nor a
//!   second tool of the same name is noticed.
//! - Whatever a server does has to end in an error that says so. `rmcp` (3.11) passes over a message
//!   that it cannot read, that is too long, or that is a batch, so that all a person would see is a
//!   timeout, and follows a cursor that repeats for ever.
//! - A server and all it starts have to be gone afterwards, also when we are interrupted.
//! - It is built on each `cargo install`. What this one depends on takes 21 s of processor time to
//!   compile, `rmcp`'s client with tokio and reqwest 109 s (both unoptimised, on the same machine);
//!   neither an executor nor hyper is needed to ask one question at a time.
//!
//! That both hear the same from the same servers is tested with the fixture `rmcp-client`.

mod error;
mod http;
mod limits;
mod message;
mod session;
mod stdio;

pub use error::{Phase, ServeError, ServeProblem};
pub use http::{Endpoint, Header};
pub use limits::{Limit, Limits};
pub use stdio::Program;

use self::error::masked;
use self::http::Http;
use self::limits::Deadline;
use self::session::{Session, Transport};
use self::stdio::Pipes;
use super::Sourced;

/// Starts a server, asks it for its tools, and ends it and whatever it started.
///
/// # Errors
/// [`ServeError`]; reading ends within the limits, whatever the server does.
pub fn stdio(program: &Program, limits: Limits) -> Result<Sourced, ServeError> {
    let server = format!("`{program}`");
    let fail = |phase, problem, noise, stderr| ServeError {
        server: server.clone(),
        phase,
        problem: Box::new(problem),
        noise,
        stderr,
    };
    let deadline = Deadline::of_all(limits);
    let mut pipes = Pipes::start(program, limits)
        .map_err(|problem| fail(Phase::Start, problem, None, String::new()))?;
    converse(&mut pipes, limits, deadline).map_err(|(phase, problem)| {
        let (noise, stderr) = pipes.stop();
        fail(phase, problem, noise, stderr)
    })
}

/// Asks the server at a URL for its tools.
///
/// # Errors
/// As [`stdio`].
pub fn http(endpoint: &Endpoint, limits: Limits) -> Result<Sourced, ServeError> {
    let deadline = Deadline::of_all(limits);
    let secrets = endpoint.secrets();
    let fail = |(phase, problem): (Phase, ServeProblem)| ServeError {
        server: endpoint.origin(),
        phase,
        problem: Box::new(problem.without(&secrets)),
        noise: None,
        stderr: String::new(),
    };
    let mut http = Http::new(endpoint, limits).map_err(|problem| fail((Phase::Start, problem)))?;
    let mut sourced = converse(&mut http, limits, deadline).map_err(fail)?;
    // The tools are what they are; notes are only shown.
    for note in &mut sourced.notes {
        *note = masked(note, &secrets);
    }
    // A lockfile says whose tools it holds: better by the address than by what is left of a name.
    sourced.server_name = sourced.server_name.filter(|name| masked(name, &secrets) == *name);
    Ok(sourced)
}

fn converse(
    transport: &mut impl Transport,
    limits: Limits,
    deadline: Deadline,
) -> Result<Sourced, (Phase, ServeProblem)> {
    let mut session = Session::new(transport, limits, deadline);
    session.run().map_err(|problem| (session.phase, problem))
}
