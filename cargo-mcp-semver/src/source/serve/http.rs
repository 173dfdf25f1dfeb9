//! The streamable HTTP transport: a POST for each message, answered by JSON or by an event stream.

use std::fmt;
use std::io::{self, BufReader, Read as _};
use std::str::FromStr;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use fluent_uri::UriRef;
use serde_json::Value;
use ureq::http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use ureq::http::{HeaderName, HeaderValue, Response, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, BodyReader};

use super::error::ServeProblem;
use super::limits::{Deadline, Limits};
use super::message::may_be_message;
use super::session::{Transport, refused};
use crate::source::events::{Events, Stop};

const SESSION: &str = "mcp-session-id";
const REVISION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// How often a redirection within one origin is followed.
const REDIRECTS: usize = 3;
/// How much of an answer with a status of failure is read, in bytes.
const FAILURE: u64 = 1 << 16;
/// How long the name of a revision may be, in bytes; they are dates.
const NAME: usize = 64;
/// How much of what a server sent is shown, in characters.
const SHOWN: usize = 80;
/// How long a server may take to hear that the session is over.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long an event stream is heard after the answer in it, where the server leaves it open.
const LINGER: Duration = Duration::from_millis(250);

/// A URL and the headers that go with it.
#[derive(Clone)]
pub struct Endpoint {
    /// The URL, as it was given.
    pub url: String,
    /// Headers for each request.
    pub headers: Vec<Header>,
}

/// A header, whose value is not shown.
#[derive(Debug, Clone)]
pub struct Header {
    name: HeaderName,
    value: HeaderValue,
}

impl FromStr for Header {
    type Err = ServeProblem;

    /// Reads `Name: value`.
    fn from_str(text: &str) -> Result<Self, ServeProblem> {
        let bad = |why: &str| ServeProblem::BadHeader(why.to_owned());
        let (name, value) =
            text.split_once(':').ok_or_else(|| bad("a header needs the form `Name: value`"))?;
        let name = HeaderName::from_str(name.trim())
            .map_err(|_| bad("what stands before the `:` of a header is not the name of one"))?;
        let ours = name == ACCEPT || name == CONTENT_TYPE || name == "content-length";
        if ours || [SESSION, REVISION, METHOD].contains(&name.as_str()) {
            return Err(bad(&format!("the header `{name}` is set by the protocol itself")));
        }
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| {
            bad(&format!("the value of the header `{name}` holds characters that none may hold"))
        })?;
        value.set_sensitive(true);
        Ok(Self { name, value })
    }
}

impl Endpoint {
    /// Scheme, host and port: what may be shown of a URL, whose rest often holds a token.
    pub fn origin(&self) -> String {
        self.url.parse().ok().and_then(|uri| origin(&uri)).unwrap_or_else(|| "the URL".to_owned())
    }
}

impl Endpoint {
    /// What must not come out again: the values of the headers and what follows the host in the
    /// URL or stands before it, whole and word by word. A short word is no secret, and would be
    /// found in others.
    pub(super) fn secrets(&self) -> Vec<&str> {
        let values = self.headers.iter().filter_map(|header| header.value.to_str().ok());
        let address = self.url.split_once("://").map_or("", |(_, address)| address);
        let (authority, path) =
            address.split_at(address.find(['/', '?', '#']).unwrap_or(address.len()));
        let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
        let ends = |end: char| !(end.is_ascii_alphanumeric() || "-._~+%".contains(end));
        let parts = values
            .chain([user, path])
            .flat_map(|value| [value].into_iter().chain(value.split(ends)));
        let mut secrets: Vec<&str> = parts.filter(|part| part.len() >= 8).collect();
        // A part of another is taken out after it.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &self.origin())
            .field("headers", &self.headers)
            .finish()
    }
}

/// The origin of a URL that can be asked.
fn origin(uri: &Uri) -> Option<String> {
    let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme))?;
    let host = uri.host().filter(|host| !host.is_empty())?;
    let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{scheme}://{host}{port}"))
}

/// A server that is asked over HTTP.
pub(super) struct Http {
    agent: Agent,
    uri: Uri,
    origin: String,
    headers: Vec<Header>,
    limits: Limits,
    session: Option<HeaderValue>,
    revision: Option<HeaderValue>,
    /// The answer to what was sent last.
    stream: Option<Stream>,
    /// How many bytes have been read.
    read: u64,
}

/// The body of an answer.
enum Stream {
    One(BodyReader<'static>),
    Events(Events<BufReader<Counted>>),
}

/// A reader that fails beyond a limit.
struct Counted {
    body: BodyReader<'static>,
    left: u64,
}

impl io::Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.body.read(buffer)?;
        let left = self.left.checked_sub(length as u64);
        self.left = left.ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(length)
    }
}

impl Http {
    pub(super) fn new(endpoint: &Endpoint, limits: Limits) -> Result<Self, ServeProblem> {
        let uri: Uri = endpoint.url.parse().map_err(|_| ServeProblem::BadUrl)?;
        let origin = origin(&uri).ok_or(ServeProblem::BadUrl)?;
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let mut config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")));
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let is_loopback =
            |host: &str| host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        if host == "localhost" || is_loopback(host) {
            config = config.proxy(None);
        }
        Ok(Self {
            agent: config.build().new_agent(),
            uri,
            origin,
            headers: endpoint.headers.clone(),
            limits,
            session: None,
            revision: None,
            stream: None,
            read: 0,
        })
    }

    /// Posts a message, following redirections within the origin.
    fn post(
        &mut self,
        message: &Value,
        deadline: Deadline,
    ) -> Result<Response<Body>, ServeProblem> {
        let body = message.to_string();
        for _ in 0..=REDIRECTS {
            let mut request = self
                .agent
                .post(self.uri.clone())
                .header(ACCEPT, format!("{JSON}, {EVENTS}"))
                .header(CONTENT_TYPE, JSON);
            for Header { name, value } in &self.headers {
                request = request.header(name, value);
            }
            if let Some(session) = &self.session {
                request = request.header(SESSION, session);
            }
            if let Some(revision) = &self.revision {
                request = request.header(REVISION, revision);
            }
            if let Some(method) = message.get("method").and_then(Value::as_str) {
                request = request.header(METHOD, method);
            }
            let request = request.config().timeout_global(Some(deadline.left())).build();
            let response =
                request.send(body.as_bytes()).map_err(|error| unreached(error, deadline))?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            self.uri = self.redirected(&response)?;
        }
        Err(ServeProblem::Redirect("itself, over and over".to_owned()))
    }

    /// Where a redirection leads, which must be the same origin.
    fn redirected(&self, response: &Response<Body>) -> Result<Uri, ServeProblem> {
        let status = ServeProblem::Status { code: response.status().as_u16() };
        // The others turn a POST into a GET.
        if ![307, 308].contains(&response.status().as_u16()) {
            return Err(status);
        }
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let Some(location) = location else { return Err(status) };
        let asked = self.uri.to_string();
        let resolved = fluent_uri::Uri::parse(asked.as_str())
            .ok()
            .zip(UriRef::parse(location).ok())
            .and_then(|(asked, location)| location.resolve_against(&asked).ok());
        let uri: Uri =
            resolved.and_then(|resolved| resolved.as_str().parse().ok()).ok_or(status)?;
        match origin(&uri) {
            Some(origin) if origin == self.origin => Ok(uri),
            Some(origin) => Err(ServeProblem::Redirect(origin)),
            None => Err(ServeProblem::Redirect("something that is no URL".to_owned())),
        }
    }

    /// The bytes of one body.
    fn one(
        &mut self,
        body: BodyReader<'static>,
        deadline: Deadline,
    ) -> Result<Vec<u8>, ServeProblem> {
        let mut bytes = Vec::new();
        body.take(self.limits.message_bytes as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unread(error, deadline, self.limits))?;
        if bytes.len() > self.limits.message_bytes {
            return Err(ServeProblem::MessageTooLong(self.limits));
        }
        self.read += bytes.len() as u64;
        if self.read > self.limits.total_bytes {
            return Err(ServeProblem::TooMuch(self.limits));
        }
        if may_be_message(&bytes) { Ok(bytes) } else { Err(ServeProblem::NotJson) }
    }
}

impl Transport for Http {
    fn send(&mut self, message: &Value, deadline: Deadline) -> Result<(), ServeProblem> {
        let is_request = message.get("id").is_some() && message.get("method").is_some();
        let response = self.post(message, deadline)?;
        let status = response.status();
        if !status.is_success() {
            return failure(response, is_request);
        }
        if let Some(session) = response.headers().get(SESSION) {
            self.session = Some(session.clone());
        }
        if !is_request {
            return Ok(());
        }
        let encoding = said(&response, CONTENT_ENCODING);
        if !["", "identity"].contains(&encoding.as_str()) {
            return Err(ServeProblem::Encoded(encoding));
        }
        let kind = said(&response, CONTENT_TYPE);
        let mut body = response.into_body().into_reader();
        self.stream = Some(match kind.as_str() {
            JSON => Stream::One(body),
            EVENTS => {
                let left = self.limits.total_bytes.saturating_sub(self.read);
                let counted = BufReader::new(Counted { body, left });
                Stream::Events(Events::new(counted, self.limits.message_bytes))
            }
            "" => {
                // Accepted, and nothing to say; unless there is more than nothing.
                let is_empty = matches!(body.read(&mut [0]), Ok(0) | Err(_));
                return Err(if is_empty {
                    ServeProblem::Closed
                } else {
                    ServeProblem::NoContentType
                });
            }
            _ => return Err(ServeProblem::ContentType(kind)),
        });
        Ok(())
    }

    fn receive(&mut self, deadline: Deadline) -> Result<Vec<u8>, ServeProblem> {
        match self.stream.take() {
            Some(Stream::One(body)) => self.one(body, deadline),
            Some(Stream::Events(mut events)) => {
                let event = events.next();
                self.stream = Some(Stream::Events(events));
                let limits = self.limits;
                event.map_err(|stop| match stop {
                    Stop::End => ServeProblem::Closed,
                    Stop::TooLong => ServeProblem::MessageTooLong(limits),
                    Stop::Failed(error) => unread(error, deadline, limits),
                })
            }
            None => Err(ServeProblem::Closed),
        }
    }

    /// What an event stream still brings after the answer in it.
    fn rest(&mut self) -> Vec<Vec<u8>> {
        let Some(Stream::Events(mut events)) = self.stream.take() else { return Vec::new() };
        let (sender, rest) = channel();
        // It ends with the stream, or when the request's time is over.
        let reader = move || while events.next().is_ok_and(|event| sender.send(event).is_ok()) {};
        if thread::Builder::new().name("server events".to_owned()).spawn(reader).is_err() {
            return Vec::new();
        }
        let end = Instant::now() + LINGER;
        let left = || end.saturating_duration_since(Instant::now());
        std::iter::from_fn(|| rest.recv_timeout(left()).ok()).collect()
    }

    fn agreed(&mut self, revision: &str) -> Result<(), ServeProblem> {
        let name = HeaderValue::from_str(revision).ok().filter(|_| revision.len() <= NAME);
        self.revision = Some(name.ok_or(ServeProblem::BadRevision(revision.len()))?);
        Ok(())
    }

    /// Ends the session, where there is one; whether the server cares is its own affair.
    fn end(&mut self) -> Vec<Vec<u8>> {
        let rest = self.rest();
        if let Some(session) = self.session.take() {
            let mut request = self.agent.delete(self.uri.clone()).header(SESSION, session);
            for Header { name, value } in &self.headers {
                request = request.header(name, value);
            }
            if let Some(revision) = &self.revision {
                request = request.header(REVISION, revision);
            }
            let _ = request.config().timeout_global(Some(FAREWELL)).build().call();
        }
        rest
    }
}

/// What a header says, without parameters and in lower case; empty where there is none.
fn said(response: &Response<Body>, header: HeaderName) -> String {
    let value = response.headers().get(header).and_then(|value| value.to_str().ok());
    let value = value.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    value.chars().take(SHOWN).collect::<String>().to_ascii_lowercase()
}

/// What an answer with a status of failure means: an error of JSON-RPC where its body is one.
fn failure(response: Response<Body>, is_request: bool) -> Result<(), ServeProblem> {
    let code = response.status().as_u16();
    let mut bytes = Vec::new();
    // A body that cannot be read says no more than the status.
    let _ = response.into_body().into_reader().take(FAILURE).read_to_end(&mut bytes);
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    match body.get("error").filter(|_| body.get("jsonrpc").is_some()) {
        Some(error) => Err(refused(error)),
        // A server that takes no notifications or answers serves its tools all the same.
        None if !is_request && code < 500 && ![401, 403].contains(&code) => Ok(()),
        None => Err(ServeProblem::Status { code }),
    }
}

/// Why a request could not be sent. Only texts that hold nothing of what was sent are passed on.
fn unreached(error: ureq::Error, deadline: Deadline) -> ServeProblem {
    use ureq::Error;
    let text = match error {
        Error::Timeout(_) => return deadline.problem(false),
        Error::Io(error) => error.to_string(),
        Error::HostNotFound => "no such host".to_owned(),
        Error::ConnectionFailed => "the connection failed".to_owned(),
        Error::Tls(why) => format!("no secure connection: {why}"),
        Error::Rustls(error) => format!("no secure connection: {error}"),
        Error::Protocol(error) => format!("what it answers is no HTTP: {error}"),
        Error::ConnectProxyFailed(_) | Error::InvalidProxyUrl => {
            "the proxy that the environment names does not connect".to_owned()
        }
        _ => "the HTTP request failed".to_owned(),
    };
    ServeProblem::Unreachable(text)
}

/// Why a body could not be read.
fn unread(error: io::Error, deadline: Deadline, limits: Limits) -> ServeProblem {
    if error.kind() == io::ErrorKind::FileTooLarge {
        return ServeProblem::TooMuch(limits);
    }
    match ureq::Error::from(error) {
        ureq::Error::Io(error) => ServeProblem::Read(error),
        error => unreached(error, deadline),
    }
}
