//! What a collector evaluates: the link between a scan and the records of a probe.

use semver::Version;

use super::ProbeTarget;
use crate::scan::{
    Call, CrateScan, DeclaredTool, Expression, FieldEvent, FieldUse, Handler, RouterFn, Serves,
    SourceSpan,
};

/// From this version on `#[tool_handler]` without a router serves `Self::tool_router()`; before,
/// the field `tool_router`.
const STATIC_DEFAULT_ROUTER: Version = Version::new(1, 4, 0);

/// One thing a collector evaluates.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// A declared tool: its description.
    Tool(&'a DeclaredTool),
    /// A router function: the tools it lists.
    Router(&'a RouterFn),
    /// A handler: the tools its router expression lists, or only that it exists.
    Handler(&'a Handler),
    /// A field's initialiser: the tools it lists.
    Init(&'a FieldUse),
}

impl<'a> Subject<'a> {
    /// What identifies it in the records. The same file yields the same key in whichever target
    /// it is compiled, so that a module two targets share is counted once.
    pub(crate) fn key(self) -> String {
        let (kind, span, owner, name) = match self {
            Self::Tool(tool) => ("tool", &tool.span, tool.self_type.as_deref(), &*tool.function),
            Self::Router(router) => {
                ("router", &router.span, Some(&*router.self_type), &*router.name)
            }
            Self::Handler(handler) => ("handler", &handler.span, Some(&*handler.self_type), ""),
            Self::Init(field) => ("init", &field.span, field.self_type.as_deref(), &*field.field),
        };
        let owner = owner.unwrap_or_default();
        let SourceSpan { file, line, column, .. } = span;
        let key = format!("{kind}|{owner}|{name}|{}:{line}:{column}", file.display());
        key.escape_debug().to_string()
    }

    /// Index of the module whose collector evaluates it.
    pub(crate) fn module(self) -> usize {
        match self {
            Self::Tool(tool) => tool.module,
            Self::Router(router) => router.module,
            Self::Handler(handler) => handler.module,
            Self::Init(field) => field.module,
        }
    }

    /// The conditions it is compiled under.
    pub(crate) fn cfgs(self) -> &'a [String] {
        match self {
            Self::Tool(tool) => &tool.cfgs,
            Self::Router(router) => &router.cfgs,
            Self::Handler(handler) => &handler.cfgs,
            Self::Init(_) => &[],
        }
    }
}

/// Everything the collectors of one target evaluate.
pub(crate) fn subjects<'a>(target: &ProbeTarget<'a>) -> Vec<Subject<'a>> {
    let scan = target.scan;
    let mut out: Vec<_> = scan.tools.iter().map(Subject::Tool).collect();
    out.extend(scan.handlers.iter().map(Subject::Handler));
    for field in &scan.fields {
        let Some(owner) = &field.self_type else { continue };
        let served = target.scans().flat_map(|scan| &scan.handlers).any(|handler| {
            handler.self_type == *owner
                && served_field(handler, target.version.as_ref()) == Some(&field.field)
        });
        if served && matches!(&field.what, FieldEvent::Init(init) if evaluable(target, init, owner))
        {
            out.push(Subject::Init(field));
        }
    }
    // A router function is user code: it is called only where nothing says what is served.
    for router in &scan.routers {
        let exact = scan
            .handlers
            .iter()
            .filter(|handler| handler.self_type == router.self_type)
            .any(|handler| !matches!(handler.serves, Serves::Opaque(_)));
        if router.call.is_some() && !exact {
            out.push(Subject::Router(router));
        }
    }
    out
}

/// The field whose router a handler serves.
pub(super) fn served_field<'a>(handler: &'a Handler, rmcp: Option<&Version>) -> Option<&'a str> {
    match &handler.serves {
        Serves::Field(field) => Some(field),
        Serves::Default(_) if rmcp.is_some_and(|version| *version < STATIC_DEFAULT_ROUTER) => {
            Some("tool_router")
        }
        _ => None,
    }
}

/// The router expression a handler serves.
pub(super) fn served_expression<'a>(
    handler: &'a Handler,
    rmcp: Option<&Version>,
) -> Option<&'a Expression> {
    match &handler.serves {
        Serves::Router(expression) => Some(expression),
        Serves::Default(expression) if served_field(handler, rmcp).is_none() => Some(expression),
        _ => None,
    }
}

/// Whether a collector can evaluate a router expression: it calls only known functions of a type
/// that is not generic.
pub(super) fn evaluable(
    target: &ProbeTarget<'_>,
    expression: &Expression,
    self_type: &str,
) -> bool {
    expression
        .calls
        .iter()
        .all(|name| router(target, name, self_type).is_some_and(|router| router.call.is_some()))
}

/// The router function of a name and a type, wherever in the build it is declared.
pub(super) fn router<'a>(
    target: &ProbeTarget<'a>,
    name: &str,
    self_type: &str,
) -> Option<&'a RouterFn> {
    target
        .scans()
        .flat_map(|scan| &scan.routers)
        .find(|router| router.name == name && router.self_type == self_type)
}

impl<'a> ProbeTarget<'a> {
    /// What every target of the build declares, this one first.
    pub(crate) fn scans(&self) -> impl Iterator<Item = &'a CrateScan> {
        std::iter::once(self.scan).chain(self.siblings.iter().copied())
    }
}

impl<'a> Subject<'a> {
    /// The router expression whose tools it stands for.
    pub(crate) fn expression(self, target: &ProbeTarget<'a>) -> Option<&'a Expression> {
        match self {
            Self::Tool(_) => None,
            Self::Router(router) => router.returns.as_ref(),
            Self::Handler(handler) => served_expression(handler, target.version.as_ref()),
            Self::Init(field) => match &field.what {
                FieldEvent::Init(expression) => Some(expression),
                _ => None,
            },
        }
    }

    /// The expression of type `Tool` or `Vec<Tool>` to serialise, with the items it needs;
    /// `None` where the record only says that the subject is compiled in.
    pub(super) fn value(self, target: &ProbeTarget<'_>) -> Option<(String, String)> {
        let listed = |text: &str| (String::new(), format!("({text}).list_all()"));
        match self {
            Self::Tool(tool) => match &tool.call {
                Call::Direct(expr) => Some((String::new(), expr.clone())),
                Call::Stub { items, expr } => Some((items.clone(), expr.clone())),
                Call::Unreadable(_) => None,
            },
            Self::Router(router) => router.call.as_deref().map(listed),
            Self::Handler(Handler { serves: Serves::Listing(list), .. }) => {
                Some((String::new(), list.clone()))
            }
            Self::Handler(handler) => {
                let expression = served_expression(handler, target.version.as_ref())?;
                evaluable(target, expression, &handler.self_type).then(|| listed(&expression.text))
            }
            Self::Init(field) => match &field.what {
                FieldEvent::Init(expression) => Some(listed(&expression.text)),
                _ => None,
            },
        }
    }
}
