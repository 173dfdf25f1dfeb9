//! What is known of crates whose source is not read: paths, types, glob imports.

use super::names::{Namespace, Target};

/// Crates that other crates re-export under their own name.
const REEXPORTED: [&str; 4] = ["schemars", "serde", "serde_derive", "serde_json"];

/// The crates whose macros are known by their names.
pub(super) const OF_KNOWN_MACROS: [&str; 5] = ["core", "rmcp", "schemars", "serde_json", "std"];

/// Crates whose macros have none of the names of those.
pub(super) const WITHOUT_KNOWN_MACROS: [&str; 7] =
    ["anyhow", "lazy_static", "log", "serde", "serde_derive", "thiserror", "tracing"];

/// Types with names of their own that neither the standard library nor serde_json has.
pub(super) const OF_OTHER_CRATES: [&str; 7] =
    ["DateTime", "NaiveDate", "NaiveDateTime", "NaiveTime", "Url", "Uuid", "Weekday"];

/// Derives and attributes of the standard prelude.
const MACROS: [&str; 10] =
    ["Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd", "derive"];

/// Types of the standard prelude, with their paths.
const PRELUDE: [(&str, &[&str]); 5] = [
    ("Box", &["boxed", "Box"]),
    ("Option", &["option", "Option"]),
    ("Result", &["result", "Result"]),
    ("String", &["string", "String"]),
    ("Vec", &["vec", "Vec"]),
];

const PRIMITIVES: [&str; 17] = [
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16",
    "u32", "u64", "u8", "usize",
];

/// Names that many modules use and that a glob import would have to shadow on purpose.
const COMMON: [&str; 44] = [
    "Arc",
    "BTreeMap",
    "BTreeSet",
    "Box",
    "Clone",
    "Cow",
    "Debug",
    "Default",
    "Deserialize",
    "HashMap",
    "HashSet",
    "Json",
    "JsonSchema",
    "None",
    "Option",
    "Parameters",
    "PathBuf",
    "Rc",
    "Result",
    "Serialize",
    "Some",
    "String",
    "Value",
    "Vec",
    "VecDeque",
    "alloc",
    "chrono",
    "concat",
    "core",
    "env",
    "include_str",
    "json",
    "matches",
    "module_path",
    "rmcp",
    "schemars",
    "serde",
    "serde_json",
    "std",
    "stringify",
    "tokio",
    "url",
    "uuid",
    "vec",
];

/// Crates whose names nobody gives to anything else: where a module exports one, it is the crate.
const CRATES: [&str; 7] = ["alloc", "core", "rmcp", "schemars", "serde", "serde_json", "std"];

/// A module of another crate that is imported whole.
struct Glob {
    path: &'static [&'static str],
    /// Which of [`COMMON`] it exports, or all that it does.
    exports: &'static [&'static str],
    /// Whether it exports nothing else.
    is_all: bool,
}

const fn glob(path: &'static [&'static str], exports: &'static [&'static str]) -> Glob {
    Glob { path, exports, is_all: false }
}

const fn all(path: &'static [&'static str], exports: &'static [&'static str]) -> Glob {
    Glob { path, exports, is_all: true }
}

/// Of a module of `std` that is told whole, a name that is left out is not found.
const GLOBS: [Glob; 34] = [
    all(
        &["std", "collections"],
        &[
            "BTreeMap",
            "BTreeSet",
            "BinaryHeap",
            "Bound",
            "HashMap",
            "HashSet",
            "LinkedList",
            "TryReserveError",
            "TryReserveErrorKind",
            "VecDeque",
            "binary_heap",
            "btree_map",
            "btree_set",
            "hash_map",
            "hash_set",
            "linked_list",
            "vec_deque",
        ],
    ),
    all(&["std", "borrow"], &["Borrow", "BorrowMut", "Cow", "ToOwned"]),
    all(
        &["std", "net"],
        &[
            "IpAddr",
            "Ipv4Addr",
            "Ipv6Addr",
            "SocketAddr",
            "SocketAddrV4",
            "SocketAddrV6",
            "TcpListener",
            "TcpStream",
            "UdpSocket",
        ],
    ),
    all(
        &["std", "num"],
        &[
            "FpCategory",
            "IntErrorKind",
            "NonZero",
            "NonZeroI128",
            "NonZeroI16",
            "NonZeroI32",
            "NonZeroI64",
            "NonZeroI8",
            "NonZeroIsize",
            "NonZeroU128",
            "NonZeroU16",
            "NonZeroU32",
            "NonZeroU64",
            "NonZeroU8",
            "NonZeroUsize",
            "ParseFloatError",
            "ParseIntError",
            "Saturating",
            "TryFromIntError",
            "Wrapping",
        ],
    ),
    all(&["std", "rc"], &["Rc", "UniqueRc", "Weak"]),
    all(
        &["std", "sync"],
        &[
            "Arc",
            "Barrier",
            "Condvar",
            "Exclusive",
            "LazyLock",
            "Mutex",
            "MutexGuard",
            "Once",
            "OnceLock",
            "PoisonError",
            "RwLock",
            "Weak",
            "atomic",
            "mpmc",
            "mpsc",
            "nonpoison",
            "poison",
        ],
    ),
    all(&["std", "time"], &["Duration", "Instant", "SystemTime", "SystemTimeError", "UNIX_EPOCH"]),
    glob(&["std", "cell"], &[]),
    glob(&["std", "error"], &[]),
    glob(&["std", "io"], &["Result"]),
    glob(&["std", "str"], &[]),
    glob(&["tokio", "fs"], &[]),
    glob(&["tokio", "io"], &["Result"]),
    glob(&["tokio", "net"], &[]),
    glob(&["tokio", "sync"], &[]),
    glob(&["tokio", "time"], &[]),
    glob(&["anyhow"], &["Result"]),
    glob(&["futures", "prelude"], &[]),
    glob(&["rayon", "prelude"], &[]),
    glob(&["std", "fmt"], &["Debug", "Result"]),
    glob(&["std", "io", "prelude"], &[]),
    glob(&["std", "path"], &["PathBuf"]),
    glob(
        &["std", "prelude", "v1"],
        &["Box", "Clone", "Default", "None", "Option", "Result", "Some", "String", "Vec"],
    ),
    glob(&["mcp_attr", "server"], &[]),
    glob(&["rmcp"], &["Json", "schemars", "serde", "serde_json"]),
    glob(&["rmcp", "handler", "server", "tool"], &["Parameters"]),
    glob(&["rmcp", "handler", "server", "wrapper"], &["Json", "Parameters"]),
    glob(&["rmcp", "model"], &[]),
    glob(&["schemars"], &["JsonSchema"]),
    glob(&["serde"], &["Deserialize", "Serialize"]),
    glob(&["serde_aux", "prelude"], &[]),
    glob(&["serde_json"], &["Result", "Value", "json"]),
    glob(&["tracing"], &[]),
    glob(&["turbomcp", "prelude"], &["Deserialize", "Json", "Serialize", "serde_json"]),
];

/// The path of `next` in what `path` leads to, the same whichever way it is written; an empty path
/// makes `next` a crate.
pub(super) fn canonical(mut path: Vec<String>, next: &str) -> Vec<String> {
    match (path.as_slice(), next) {
        ([], "core" | "alloc") => return vec!["std".into()],
        ([], "serde_core" | "serde_derive") => return vec!["serde".into()],
        ([krate], _) if krate == "rmcp" && REEXPORTED.contains(&next) => path.clear(),
        _ => {}
    }
    path.push(next.to_owned());
    path
}

/// What the standard prelude and the language itself give a name to.
pub(super) fn prelude<'t>(name: &str, namespace: Namespace) -> Option<Target<'t>> {
    let extern_path = |path: &[&str]| {
        let std = std::iter::once(&"std").chain(path);
        Target::Extern(std.map(|segment| (*segment).to_owned()).collect())
    };
    match namespace {
        Namespace::Type => {
            let known = PRELUDE.iter().find(|(known, _)| *known == name);
            let primitive = || PRIMITIVES.iter().find(|primitive| **primitive == name);
            known
                .map(|(_, path)| extern_path(path))
                .or_else(|| primitive().map(|primitive| Target::Primitive(primitive)))
                .or_else(|| MACROS.contains(&name).then(|| extern_path(&["prelude", name])))
        }
        Namespace::Macro => MACROS.contains(&name).then(|| extern_path(&["prelude", name])),
        Namespace::Value => matches!(name, "None" | "Some").then(|| extern_path(&["option", name])),
    }
}

/// Whether a module of another crate exports a name; `None` where that is not known.
pub(super) fn exports(path: &[String], name: &str) -> Option<bool> {
    if CRATES.contains(&name) && path.first().is_none_or(|krate| krate != "rmcp") {
        return Some(false);
    }
    let glob = GLOBS.iter().find(|glob| glob.path.iter().eq(path.iter()))?;
    if PRIMITIVES.contains(&name) {
        return Some(false);
    }
    if path == ["rmcp", "model"] && name == "JsonObject" {
        return Some(true);
    }
    (glob.is_all || COMMON.contains(&name)).then(|| glob.exports.contains(&name))
}

/// What a type of another crate is to schemars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A type without parameters that matter.
    Leaf(&'static str),
    /// Its first type argument takes its place.
    Pointer,
    Option,
    /// A sequence of its first type argument.
    Sequence,
    Set,
    Map,
    Result,
    Range,
    Bound,
    /// `NonZero<T>`.
    NonZero,
    /// `serde_json::Map<String, Value>`, whatever is written.
    Object,
}

/// What the type at a canonical path is; `None` where that is not known.
pub(super) fn kind(path: &[String]) -> Option<Kind> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    Some(match path.as_slice() {
        ["std", rest @ ..] => standard(rest)?,
        ["serde_json", "Value"] | ["serde_json", "value", "Value"] => Kind::Leaf("Value"),
        ["serde_json", "Number"] | ["serde_json", "value", "Number"] => Kind::Leaf("Number"),
        ["serde_json", "Map"] | ["serde_json", "map", "Map"] | ["serde_json", "value", "Map"] => {
            Kind::Map
        }
        ["rmcp", "model", "JsonObject"] => Kind::Object,
        ["chrono", "DateTime"] | ["chrono", "prelude", "DateTime"] => Kind::Leaf("DateTime"),
        ["chrono", "NaiveDate"] | ["chrono", "prelude" | "naive", "NaiveDate"] => {
            Kind::Leaf("NaiveDate")
        }
        ["chrono", "NaiveTime"] | ["chrono", "prelude" | "naive", "NaiveTime"] => {
            Kind::Leaf("NaiveTime")
        }
        ["chrono", "NaiveDateTime"] | ["chrono", "prelude" | "naive", "NaiveDateTime"] => {
            Kind::Leaf("NaiveDateTime")
        }
        ["chrono", "Weekday"] | ["chrono", "prelude", "Weekday"] => Kind::Leaf("Weekday"),
        ["uuid", "Uuid"] => Kind::Leaf("Uuid"),
        ["url", "Url"] => Kind::Leaf("Url"),
        ["indexmap", "IndexMap"] | ["indexmap", "map", "IndexMap"] => Kind::Map,
        ["indexmap", "IndexSet"] | ["indexmap", "set", "IndexSet"] => Kind::Set,
        _ => return None,
    })
}

fn standard(path: &[&str]) -> Option<Kind> {
    Some(match path {
        ["option", "Option"] => Kind::Option,
        ["result", "Result"] => Kind::Result,
        ["string", "String"] => Kind::Leaf("String"),
        ["vec", "Vec"] | ["collections", "BinaryHeap" | "LinkedList" | "VecDeque"] => {
            Kind::Sequence
        }
        ["collections", "BTreeSet" | "HashSet"]
        | ["collections", "btree_set", "BTreeSet"]
        | ["collections", "hash_set", "HashSet"] => Kind::Set,
        ["collections", "BTreeMap" | "HashMap"]
        | ["collections", "btree_map", "BTreeMap"]
        | ["collections", "hash_map", "HashMap"] => Kind::Map,
        ["boxed", "Box"]
        | ["rc", "Rc"]
        | ["sync", "Arc" | "Mutex" | "RwLock"]
        | ["borrow", "Cow"]
        | ["cell", "Cell" | "RefCell"]
        | ["num", "Wrapping"]
        | ["cmp", "Reverse"] => Kind::Pointer,
        ["marker", "PhantomData"] => Kind::Leaf("()"),
        ["ops", "Range" | "RangeInclusive"] => Kind::Range,
        ["ops", "Bound"] | ["collections", "Bound"] => Kind::Bound,
        ["path", "Path" | "PathBuf"] => Kind::Leaf("Path"),
        ["net", "Ipv4Addr"] => Kind::Leaf("Ipv4Addr"),
        ["net", "Ipv6Addr"] => Kind::Leaf("Ipv6Addr"),
        ["net", "IpAddr"] => Kind::Leaf("IpAddr"),
        ["net", "SocketAddr" | "SocketAddrV4" | "SocketAddrV6"] => Kind::Leaf("SocketAddr"),
        ["time", "Duration"] => Kind::Leaf("Duration"),
        ["time", "SystemTime"] => Kind::Leaf("SystemTime"),
        ["num", "NonZero"] => Kind::NonZero,
        ["num", name] => Kind::Leaf(non_zero(name)?),
        _ => return None,
    })
}

const NON_ZERO: [&str; 12] = [
    "NonZeroI8",
    "NonZeroI16",
    "NonZeroI32",
    "NonZeroI64",
    "NonZeroI128",
    "NonZeroIsize",
    "NonZeroU8",
    "NonZeroU16",
    "NonZeroU32",
    "NonZeroU64",
    "NonZeroU128",
    "NonZeroUsize",
];

fn non_zero(name: &str) -> Option<&'static str> {
    NON_ZERO.into_iter().find(|known| *known == name)
}

/// What `NonZero<T>` is another name of.
pub(super) fn non_zero_of(primitive: &str) -> Option<&'static str> {
    let of = |name: &&str| name.strip_prefix("NonZero").map(str::to_ascii_lowercase);
    NON_ZERO.into_iter().find(|name| of(name).as_deref() == Some(primitive))
}
