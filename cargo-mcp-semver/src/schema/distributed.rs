//! Unions of which each variant says itself what stands beside them on the other side: `c` beside
//! `a` or `b` is `c` and `a`, or `c` and `b`.

use super::apart::exclusive;
use super::document::Document;
use super::keywords::{CONTEXTUAL, EVALUATING};
use super::variants::{Branch, Variants};
use super::view::View;

/// So many members are repeated in all variants together.
const MAX_REPEATED: usize = 20_000;

/// A union with what stands beside it in each of its variants.
pub(super) struct Distributed<'a> {
    pub(super) union: Variants<'a>,
    /// It says the same as union and rest together; else it may refuse what matches several
    /// variants.
    pub(super) is_exact: bool,
    /// There was none.
    pub(super) is_lifted: bool,
}

impl<'a> View<'a> {
    /// The one union of a view with all the rest of it in each variant; the view itself where there
    /// is none. The words of the rest are left where they are.
    pub(super) fn distributed(&self, document: &Document<'a>) -> Option<Distributed<'a>> {
        let union = match self.unions.as_slice() {
            [] => {
                let union = Variants::one(document, self)?;
                return Some(Distributed { union, is_exact: true, is_lifted: true });
            }
            [union] => union,
            _ => return None,
        };
        let beside = 1 + self.properties.len() + self.required.len() + self.rest.len();
        let repeated = beside.saturating_mul(union.branches.len());
        if repeated > MAX_REPEATED || !document.spend(repeated) {
            return None;
        }
        let evaluates = CONTEXTUAL[..EVALUATING].iter().any(|it| self.rest.contains_key(it));
        let rest = Self {
            unions: Vec::new(),
            complete: false,
            title: None,
            description: None,
            defaults: Vec::new(),
            ..self.clone()
        };
        let mut union = Variants::of(document, union);
        let is_exact = !evaluates || exclusive(union.branches.iter().map(Branch::view));
        let branches = union.branches.into_iter();
        union.branches = branches.map(|it| it.beside(document, &rest, evaluates)).collect();
        Some(Distributed { union, is_exact, is_lifted: false })
    }
}
