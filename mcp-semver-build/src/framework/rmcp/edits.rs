//! Which methods change the tools of a router.

use syn::{Expr, Member};

/// Methods of a router that leave its tools alone; any other may change them.
pub(super) const READS: [&str; 19] = [
    "as_ref",
    "bind_peer_notifier",
    "borrow",
    "call",
    "clear_notifier",
    "clone",
    "expect",
    "get",
    "has_route",
    "into",
    "is_disabled",
    "is_empty",
    "len",
    "list_all",
    "lock",
    "read",
    "set_notifier",
    "to_owned",
    "unwrap",
];
/// Methods that lead to the router inside a lock or a handle.
pub(super) const GUARDS: [&str; 8] =
    ["as_mut", "blocking_write", "borrow_mut", "expect", "get_mut", "lock", "unwrap", "write"];
/// Methods of a router's `map` that leave it alone.
pub(super) const MAP_READS: [&str; 8] =
    ["clone", "contains_key", "get", "is_empty", "iter", "keys", "len", "values"];

/// Whether a method call on a router, or on its `map`, may change its tools.
pub(super) fn edits(call: &syn::ExprMethodCall) -> bool {
    let reads: &[&str] = if ends_in_map(&call.receiver) { &MAP_READS } else { &READS };
    !reads.iter().any(|read| call.method == read)
}

fn ends_in_map(expr: &Expr) -> bool {
    matches!(expr, Expr::Field(field) if matches!(&field.member, Member::Named(name) if name == "map"))
}
