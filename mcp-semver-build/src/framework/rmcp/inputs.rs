//! Whether a statement depends on nothing but one variable and items.
//!
//! Such an edit of a router can be evaluated at build time: it says the same on every machine.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Expr, ExprPath, PatIdent, Stmt};

/// Modules of the standard library that read the machine the server runs on.
const MACHINE: [&str; 5] = ["env", "fs", "io", "net", "process"];

/// Whether a statement mentions no local name but `variable` and those it binds itself, reads
/// nothing of the machine, and takes no decision that a function call makes.
pub(crate) fn takes_none(stmt: &Stmt, variable: &str) -> bool {
    let mut bound = Bound(BTreeSet::from([variable.to_owned()]));
    bound.visit_stmt(stmt);
    let mut inputs = Inputs { bound: bound.0, found: false };
    inputs.visit_stmt(stmt);
    !inputs.found
}

/// Every name that a pattern binds.
struct Bound(BTreeSet<String>);

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.0.insert(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }
}

struct Inputs {
    bound: BTreeSet<String>,
    found: bool,
}

impl<'ast> Visit<'ast> for Inputs {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Call(call) => {
                // A plain function's name is an item, not a variable.
                match call.func.as_ref() {
                    Expr::Path(path) => self.found |= reads_machine(path),
                    other => self.visit_expr(other),
                }
                return call.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            Expr::If(choice) => self.found |= calls_functions(&choice.cond),
            Expr::While(choice) => self.found |= calls_functions(&choice.cond),
            Expr::Match(choice) => self.found |= calls_functions(&choice.expr),
            Expr::Macro(call) => self.found |= !call.mac.path.is_ident("cfg"),
            Expr::Try(_) | Expr::Await(_) | Expr::Return(_) | Expr::Unsafe(_) => self.found = true,
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        self.found |= reads_machine(path)
            || path.path.get_ident().is_some_and(|ident| {
                let name = ident.to_string();
                name.starts_with(|first: char| first.is_lowercase() || first == '_')
                    && !self.bound.contains(&name)
            });
    }
}

fn reads_machine(path: &ExprPath) -> bool {
    path.path.segments.iter().any(|segment| MACHINE.iter().any(|name| segment.ident == name))
}

/// Whether an expression calls a function, other than a constructor.
fn calls_functions(expr: &Expr) -> bool {
    struct Calls(bool);
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            self.0 |= match call.func.as_ref() {
                Expr::Path(path) => path
                    .path
                    .segments
                    .last()
                    .is_none_or(|last| last.ident.to_string().starts_with(char::is_lowercase)),
                _ => true,
            };
            visit::visit_expr_call(self, call);
        }
    }
    let mut calls = Calls(false);
    calls.visit_expr(expr);
    calls.0
}
