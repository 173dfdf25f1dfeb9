//! From records to a catalogue: which of the declared tools a server really serves.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::code::probe_key;
use super::output::{self, Outcome, OutputError, Records};
use super::subject::{Subject, evaluable, router, served_expression, served_field};
use super::{ProbeTarget, ReadTool, Reading, Remark};
use crate::scan::{
    Block, Call, DeclaredTool, Expression, FieldEvent, FieldUse, Handler, Serves, SourceSpan,
};

/// Draws the conclusion from the records a probe wrote to the file named by
/// [`OUTPUT_VAR`](super::OUTPUT_VAR): what is served, what is declared but not served, what could
/// not be read.
///
/// `targets` are the instrumented targets; `hashes` their
/// [`Instrumented::hash`](super::Instrumented::hash), in the same order. `named` are the types that
/// the author says serve tools; where there are none, the source has to tell.
///
/// # Errors
/// [`OutputError`] when the records are incomplete, stale or malformed, or when it cannot be told
/// which of several servers is meant.
pub fn conclude(
    targets: &[ProbeTarget<'_>],
    hashes: &[String],
    named: &[String],
    output: &str,
) -> Result<Reading, OutputError> {
    let probes: Vec<_> = targets
        .iter()
        .zip(hashes)
        .map(|(target, hash)| (probe_key(&target.scan.root), hash.as_str()))
        .collect();
    conclude_records(targets, named, &output::parse(output, &probes)?)
}

/// As [`conclude`], from the records themselves.
pub(crate) fn conclude_records(
    targets: &[ProbeTarget<'_>],
    named: &[String],
    records: &Records,
) -> Result<Reading, OutputError> {
    let mut reading = Reading::default();
    for unread in targets.iter().flat_map(|target| &target.scan.unread) {
        reading.unread.push(remark(&unread.span, unread.reason.clone()));
    }
    let mut servers = Servers::new();
    for target in targets {
        sort_by_type(target, records, &mut servers, &mut reading);
    }
    let others = others(targets, named, &servers)?;
    let framework = targets.iter().find_map(|target| target.scan.framework);
    if let Some(framework) = framework.filter(|framework| !framework.evaluated)
        && let Some((tool, _)) = servers.values().flat_map(|it| it.declared.values()).next()
        && servers.values().all(|server| server.handlers.is_empty())
    {
        let text = format!(
            "tools are declared through {}, and nothing was found that serves them; ask the \
             running server with `--serve`",
            framework.name
        );
        reading.unread.push(remark(&tool.span, text));
    }
    conclude_servers(servers, &others, &mut reading);
    reading.tools = without_copies(std::mem::take(&mut reading.tools));
    for remarks in [&mut reading.notes, &mut reading.unread, &mut reading.run_time] {
        remarks.sort();
        remarks.dedup();
    }
    Ok(reading)
}

/// The servers by their types; what is declared outside of any has none.
type Servers<'a, 'r> = BTreeMap<Option<&'a str>, Server<'a, 'r>>;

/// Everything that is compiled in about one type, over all targets.
#[derive(Default)]
struct Server<'a, 'r> {
    /// Declared tools with their descriptions, by key.
    declared: BTreeMap<String, (&'a DeclaredTool, &'r Value)>,
    /// Whether a declared tool could not be described.
    broken: bool,
    /// What each handler serves, by key.
    handlers: BTreeMap<String, (&'a Handler, Served<'r>)>,
    /// Tools that routers list, asked only where no handler says what is served.
    listed: Vec<&'r Value>,
    /// Whether rmcp's `Router` wraps servers in this type's crate.
    wrapped: bool,
}

/// What a handler serves.
enum Served<'r> {
    /// Exactly these tools, in the wire's form.
    Exactly(&'r [Value]),
    /// The tools that `#[tool_router]` blocks of these router names declare.
    Blocks(Vec<String>),
    /// The declared tools of tool boxes.
    ToolBox,
    /// Nothing.
    Nothing,
    /// Its router panicked, with this message.
    Panicked(String),
    /// It cannot be told, and why.
    Unknown(String),
}

fn remark(span: &SourceSpan, text: String) -> Remark {
    Remark { span: Some(span.clone()), text }
}

fn sort_by_type<'a, 'r>(
    target: &ProbeTarget<'a>,
    records: &'r Records,
    servers: &mut Servers<'a, 'r>,
    reading: &mut Reading,
) {
    let scan = target.scan;
    let record = |subject: Subject<'_>| {
        let key = subject.key();
        records.get(&key).map(|outcome| (key, outcome))
    };
    for tool in &scan.tools {
        let Some((key, outcome)) = record(Subject::Tool(tool)) else { continue };
        let server = servers.entry(tool.self_type.as_deref()).or_default();
        let failure = match (outcome, &tool.call) {
            (_, Call::Unreadable(why)) => why.clone(),
            (Outcome::Panic(message), _) => format!("its schema function panicked: {message}"),
            (Outcome::Value(value), _) => {
                server.declared.insert(key, (tool, value));
                continue;
            }
        };
        server.broken = true;
        let text = format!("the tool `{}` cannot be read: {failure}", tool.function);
        reading.unread.push(remark(&tool.span, text));
    }
    for handler in &scan.handlers {
        let Some((key, outcome)) = record(Subject::Handler(handler)) else { continue };
        let served = served(target, handler, outcome, records);
        let server = servers.entry(Some(&handler.self_type)).or_default();
        server.wrapped |= scan.wraps_servers;
        server.handlers.insert(key, (handler, served));
    }
    for router in &scan.routers {
        if let Some((_, Outcome::Value(Value::Array(tools)))) = record(Subject::Router(router)) {
            let server = servers.entry(Some(&router.self_type)).or_default();
            server.listed.extend(tools);
        }
    }
}

fn served<'r>(
    target: &ProbeTarget<'_>,
    handler: &Handler,
    outcome: &'r Outcome,
    records: &'r Records,
) -> Served<'r> {
    let version = target.version.as_ref();
    if let Some(field) = served_field(handler, version) {
        return field_served(target, &handler.self_type, field, records);
    }
    if let Some(expression) = served_expression(handler, version) {
        return expression_served(target, &handler.self_type, expression, outcome);
    }
    if let Some(why) = edited(target) {
        return Served::Unknown(why);
    }
    match &handler.serves {
        Serves::ToolBox => Served::ToolBox,
        Serves::Nothing => Served::Nothing,
        Serves::Opaque(why) => Served::Unknown(why.clone()),
        Serves::Listing(_) => match outcome {
            Outcome::Value(Value::Array(tools)) => Served::Exactly(tools),
            Outcome::Value(_) => Served::Unknown("its list was not evaluated".into()),
            Outcome::Panic(message) => Served::Panicked(message.clone()),
        },
        Serves::Field(_) | Serves::Router(_) | Serves::Default(_) => {
            Served::Unknown("its router is not known".into())
        }
    }
}

/// How the list of a framework without routers is edited, where it is.
fn edited(target: &ProbeTarget<'_>) -> Option<String> {
    target.scan.framework.filter(|framework| !framework.evaluated)?;
    let mut fields = target.scans().flat_map(|scan| &scan.fields);
    fields.find_map(|used| match &used.what {
        FieldEvent::Edit(text) => {
            Some(format!("its list is edited at run time: `{text}` ({})", place(used)))
        }
        _ => None,
    })
}

/// `main.rs:12`.
fn place(used: &FieldUse) -> String {
    let name = used.span.file.file_name().unwrap_or_default().to_string_lossy();
    format!("{name}:{}", used.span.line)
}

fn expression_served<'r>(
    target: &ProbeTarget<'_>,
    self_type: &str,
    expression: &Expression,
    outcome: &'r Outcome,
) -> Served<'r> {
    if evaluable(target, expression, self_type) {
        return match outcome {
            Outcome::Value(Value::Array(tools)) => Served::Exactly(tools),
            Outcome::Value(_) => Served::Unknown("its router was not evaluated".into()),
            Outcome::Panic(message) => Served::Panicked(message.clone()),
        };
    }
    let function = |name: &String| router(target, name, self_type);
    let generated = |name: &&String| function(name).is_some_and(|router| router.generated);
    match expression.calls.iter().find(|name| !generated(name)) {
        None => Served::Blocks(expression.calls.clone()),
        Some(name) if function(name).is_some() => Served::Unknown(format!(
            "its type is generic and its router function `{name}` is written by hand"
        )),
        Some(name) => Served::Unknown(format!("its router function `{name}` was not found")),
    }
}

fn field_served<'r>(
    target: &ProbeTarget<'_>,
    self_type: &str,
    field: &str,
    records: &'r Records,
) -> Served<'r> {
    let uses = target
        .scans()
        .flat_map(|scan| &scan.fields)
        .filter(|used| used.field == field)
        .filter(|used| used.self_type.as_deref().is_none_or(|name| name == self_type));
    let mut result: Option<Served<'_>> = None;
    for used in uses {
        let next = match &used.what {
            FieldEvent::Edit(text) => {
                return Served::Unknown(format!(
                    "its router is edited at run time: `{text}` ({})",
                    place(used)
                ));
            }
            FieldEvent::OpaqueInit(text) => {
                return Served::Unknown(format!(
                    "its router is made at run time: `{text}` ({})",
                    place(used)
                ));
            }
            FieldEvent::Init(init) => match records.get(&Subject::Init(used).key()) {
                Some(outcome) => expression_served(target, self_type, init, outcome),
                None if evaluable(target, init, self_type) => continue,
                None => expression_served(target, self_type, init, &Outcome::Value(Value::Null)),
            },
        };
        result = Some(match result {
            None => next,
            Some(previous) if same(&previous, &next) => previous,
            Some(_) => return Served::Unknown("its constructors make different routers".into()),
        });
    }
    result.unwrap_or_else(|| {
        Served::Unknown(format!("nothing was found that initialises its field `{field}`"))
    })
}

fn same(left: &Served<'_>, right: &Served<'_>) -> bool {
    let set = |tools: &[Value]| tools.iter().map(Value::to_string).collect::<BTreeSet<_>>();
    match (left, right) {
        (Served::Exactly(left), Served::Exactly(right)) => set(left) == set(right),
        (Served::Blocks(left), Served::Blocks(right)) => left == right,
        _ => false,
    }
}

/// The servers whose tools are not this target's: all but the named ones, or all but the one that
/// the source starts.
fn others(
    targets: &[ProbeTarget<'_>],
    named: &[String],
    servers: &Servers<'_, '_>,
) -> Result<BTreeSet<String>, OutputError> {
    let serving: BTreeSet<String> = servers
        .iter()
        .filter(|(_, server)| server.serves())
        .filter_map(|(name, _)| name.map(str::to_owned))
        .collect();
    let all = || serving.iter().cloned().collect();
    if let Some(server) = named.iter().find(|name| !serving.contains(*name)) {
        return Err(OutputError::NoSuchServer { server: server.clone(), servers: all() });
    }
    if !named.is_empty() {
        return Ok(serving.into_iter().filter(|name| !named.contains(name)).collect());
    }
    if serving.len() < 2 {
        return Ok(BTreeSet::new());
    }
    let mut started = BTreeSet::new();
    for start in targets.iter().flat_map(|target| &target.scan.starts) {
        let mut types = start.types.intersection(&serving).peekable();
        if types.peek().is_none() {
            // Something is started here, and nobody knows what.
            return Err(OutputError::SeveralServers { servers: all() });
        }
        started.extend(types.cloned());
    }
    match started.len() {
        1 => Ok(serving.difference(&started).cloned().collect()),
        _ => Err(OutputError::SeveralServers { servers: all() }),
    }
}

fn conclude_servers(servers: Servers<'_, '_>, others: &BTreeSet<String>, reading: &mut Reading) {
    let started =
        || servers.iter().filter(|(name, _)| name.is_none_or(|name| !others.contains(name)));
    let handlers = || started().flat_map(|(_, server)| server.handlers.values());
    let known = handlers().next().is_some()
        && handlers()
            .all(|(_, served)| !matches!(served, Served::Unknown(_) | Served::Panicked(_)))
        && !started().any(|(_, server)| server.wrapped);
    let mut free = Vec::new();
    for (name, server) in servers {
        match name {
            Some(name) if others.contains(name) => server.passed_over(name, reading),
            Some(name) => server.conclude(name, known, reading),
            None => free.extend(server.declared.into_values()),
        }
    }
    // A free function is served through some type's router, which has listed it by now.
    let served: BTreeMap<String, usize> = reading
        .tools
        .iter()
        .enumerate()
        .map(|(index, tool)| (wire_name(&tool.wire).to_owned(), index))
        .collect();
    for (tool, wire) in free {
        match served.get(wire_name(wire)) {
            Some(&index) => reading.tools[index].span = span_of(tool),
            None if known => reading.notes.push(not_served(tool, wire)),
            None => reading.tools.push(read_tool(wire, Some(tool))),
        }
    }
}

impl<'r> Server<'_, 'r> {
    /// Whether any of its handlers may serve a tool.
    fn serves(&self) -> bool {
        self.handlers.values().any(|(_, served)| match served {
            Served::Exactly(tools) => !tools.is_empty(),
            Served::Nothing => self.wrapped,
            _ => true,
        })
    }

    /// Says that its tools are another server's.
    fn passed_over(self, name: &str, reading: &mut Reading) {
        if let Some((handler, _)) = self.handlers.values().next() {
            let text = format!(
                "`{name}` serves tools too, but it is not the server that this target starts: they are not counted"
            );
            reading.notes.push(remark(&handler.span, text));
        }
    }

    fn conclude(self, name: &str, known: bool, reading: &mut Reading) {
        if self.handlers.is_empty() {
            return self.without_handler(name, known, reading);
        }
        let mut served: BTreeMap<&str, &Value> = BTreeMap::new();
        for (handler, what) in self.handlers.values() {
            reading.handlers.push(handler.span.clone());
            let block = |wanted: &dyn Fn(&Block) -> bool| {
                self.declared
                    .values()
                    .filter(|(tool, _)| wanted(&tool.block))
                    .map(|(_, wire)| *wire)
                    .collect()
            };
            let mut unknown = |why: &str| {
                let text = format!("what `{name}` serves is not known: {why}");
                reading.run_time.push(remark(&handler.span, text));
                self.everything()
            };
            let tools = match what {
                Served::Exactly(tools) => tools.iter().collect(),
                Served::Blocks(names) => block(&|block| match block {
                    Block::Router(of) => of.iter().any(|it| names.contains(&it.name)),
                    _ => false,
                }),
                Served::ToolBox => block(&|block| *block == Block::ToolBox),
                Served::Nothing if self.wrapped => {
                    unknown("rmcp's `Router` adds tools to servers in this crate")
                }
                Served::Nothing => Vec::new(),
                // A description that cannot be read has been reported, and is why.
                Served::Panicked(_) if self.broken => self.everything(),
                Served::Panicked(message) => unknown(&format!("its router panicked: {message}")),
                Served::Unknown(why) => unknown(why),
            };
            for wire in tools {
                // A list may hold two tools of one name; whoever reads both says so.
                if let Some(other) = served.insert(wire_name(wire), wire).filter(|it| *it != wire) {
                    reading.tools.push(read_tool(other, None));
                }
            }
        }
        self.report(&served, reading);
    }

    /// Every tool that anything of this type declares or lists.
    fn everything(&self) -> Vec<&'r Value> {
        let declared = self.declared.values().map(|(_, wire)| *wire);
        self.listed.iter().copied().chain(declared).collect()
    }

    fn without_handler(self, name: &str, known: bool, reading: &mut Reading) {
        if known {
            for (tool, wire) in self.declared.values() {
                reading.notes.push(not_served(tool, wire));
            }
            return;
        }
        if let Some((tool, _)) = self.declared.values().next() {
            let text = format!(
                "no `impl ServerHandler for {name}` was found; its tools are counted as served"
            );
            reading.notes.push(remark(&tool.span, text));
        }
        let all = self.everything();
        self.report(&all.into_iter().map(|wire| (wire_name(wire), wire)).collect(), reading);
    }

    /// Adds the served tools, and what is declared twice or not served.
    fn report(&self, served: &BTreeMap<&str, &Value>, reading: &mut Reading) {
        let mut declared: BTreeMap<&str, Vec<(&DeclaredTool, &Value)>> = BTreeMap::new();
        for (tool, wire) in self.declared.values() {
            declared.entry(wire_name(wire)).or_default().push((tool, wire));
        }
        for (name, tools) in &declared {
            if !served.contains_key(*name) {
                let notes = tools.iter().map(|(tool, wire)| not_served(tool, wire));
                reading.notes.extend(notes);
            }
        }
        for (name, wire) in served {
            match declared.get(name).map(Vec::as_slice).unwrap_or_default() {
                [] => reading.tools.push(read_tool(wire, None)),
                [(tool, _)] => reading.tools.push(read_tool(wire, Some(tool))),
                // The router keeps one of them; which one is an accident.
                several => reading
                    .tools
                    .extend(several.iter().map(|(tool, wire)| read_tool(wire, Some(tool)))),
            }
        }
    }
}

fn read_tool(wire: &Value, declared: Option<&DeclaredTool>) -> ReadTool {
    ReadTool { wire: wire.clone(), span: declared.and_then(span_of) }
}

fn span_of(tool: &DeclaredTool) -> Option<SourceSpan> {
    (!tool.made_by_macro).then(|| tool.span.clone())
}

fn not_served(tool: &DeclaredTool, wire: &Value) -> Remark {
    let owner = tool.self_type.as_ref().map(|name| format!(" of `{name}`")).unwrap_or_default();
    let text = format!(
        "the tool `{}`{owner} is declared but no handler serves it: agents cannot call it, and it \
         is not counted",
        wire_name(wire)
    );
    Remark { span: span_of(tool), text }
}

/// The name of a tool in the wire's form.
pub(crate) fn wire_name(wire: &Value) -> &str {
    wire.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// Sorts by name and drops copies: two types that serve the very same contract are no conflict.
fn without_copies(mut tools: Vec<ReadTool>) -> Vec<ReadTool> {
    tools.sort_by(|a, b| (wire_name(&a.wire), &a.span).cmp(&(wire_name(&b.wire), &b.span)));
    tools.dedup_by(|next, previous| next.wire == previous.wire);
    tools
}
