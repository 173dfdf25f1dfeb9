//! Contracts that are kept as the text they were read from.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use serde_json::Map;

use crate::contract::Contract;

/// A contract, shared, that is read again from its text each time until somebody wants to keep it.
///
/// Read into values it takes ten times as much memory, and of most tools of a big catalogue nobody
/// wants more than the digest.
#[derive(Clone)]
pub struct Held(Arc<Inner>);

struct Inner {
    text: Option<Text>,
    contract: OnceLock<Contract>,
}

/// One tool in a longer text.
#[derive(Clone)]
struct Text {
    whole: Arc<String>,
    range: Range<usize>,
    /// Its name, which most want to know who want nothing else.
    name: String,
    /// Whether [`Contract::rest`] counts.
    has_rest: bool,
}

impl Held {
    /// Keeps only the text of a contract with this name, which can be read: what stands at `range`
    /// in `whole`.
    pub(crate) fn as_text(
        name: String,
        has_rest: bool,
        whole: &Arc<String>,
        range: Range<usize>,
    ) -> Self {
        let text = Text { whole: Arc::clone(whole), range, name, has_rest };
        Self(Arc::new(Inner { text: Some(text), contract: OnceLock::new() }))
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        self.0.text.as_ref().map_or_else(|| &*self.name, |text| &*text.name)
    }

    /// Looks at the contract without keeping it.
    pub fn look<T>(&self, at: impl FnOnce(&Contract) -> T) -> T {
        match (&self.0.text, self.0.contract.get()) {
            (Some(text), None) => at(&text.read()),
            _ => at(self),
        }
    }

    /// The contract without [`Contract::rest`], of which nothing is locked; no copy where there is
    /// none.
    pub fn compared(&self) -> Self {
        match &self.0.text {
            Some(text) if !text.has_rest => self.clone(),
            Some(text) => {
                let text = Some(Text { has_rest: false, ..text.clone() });
                Self(Arc::new(Inner { text, contract: OnceLock::new() }))
            }
            None if self.rest.is_empty() => self.clone(),
            None => Contract { rest: Map::new(), ..Contract::clone(self) }.into(),
        }
    }

    /// Whether both are kept in one place or as one text, so that they must be equal.
    pub fn is_shared(&self, other: &Self) -> bool {
        let same_text = || match (&self.0.text, &other.0.text) {
            (Some(one), Some(other)) => {
                one.has_rest == other.has_rest && one.as_str() == other.as_str()
            }
            _ => false,
        };
        Arc::ptr_eq(&self.0, &other.0) || same_text()
    }
}

impl Text {
    fn as_str(&self) -> &str {
        &self.whole[self.range.clone()]
    }

    fn read(&self) -> Contract {
        let value = serde_json::from_str(self.as_str());
        let contract = value.ok().and_then(|value| Contract::from_wire(value).ok());
        let contract = contract.expect("it was read from this text before");
        if self.has_rest { contract } else { Contract { rest: Map::new(), ..contract } }
    }
}

impl From<Contract> for Held {
    fn from(contract: Contract) -> Self {
        Self(Arc::new(Inner { text: None, contract: contract.into() }))
    }
}

impl Deref for Held {
    type Target = Contract;

    /// The contract, from now on kept.
    fn deref(&self) -> &Contract {
        let read = || {
            let text = self.0.text.as_ref();
            text.expect("what is not read has a text").read()
        };
        self.0.contract.get_or_init(read)
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.is_shared(other) || **self == **other
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.look(|contract| contract.fmt(f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_as_text_is_the_contract() {
        let tool = r#"{"name": "a", "title": "A", "icons": [], "inputSchema": {"type": "object"}}"#;
        let whole = Arc::new(format!("[ {tool} ]"));
        let contract = Contract::from_wire(serde_json::from_str(tool).unwrap()).unwrap();
        let held = Held::as_text("a".to_owned(), true, &whole, 2..2 + tool.len());
        assert_eq!(held.name(), "a");
        assert!(held.look(|read| *read == contract) && held.0.contract.get().is_none());
        assert_eq!(held, Held::from(contract.clone()));

        let bare = Contract { rest: Map::new(), ..contract.clone() };
        let again = Held::as_text("a".to_owned(), true, &whole, 2..2 + tool.len());
        assert!(held.is_shared(&again) && !held.is_shared(&held.compared()));
        for held in [held, contract.into()] {
            let compared = held.compared();
            assert!(compared.is_shared(&compared.compared()) && !compared.is_shared(&held));
            assert_eq!(*compared, bare);
        }
    }

    #[test]
    fn what_is_the_same_text_elsewhere_is_shared() {
        let held = |before: &str, tool: &str| {
            let whole = Arc::new(format!("{before}{tool}"));
            Held::as_text("a".to_owned(), false, &whole, before.len()..whole.len())
        };
        let (one, other) = (r#"{"name": "a"}"#, r#"{"name": "a" }"#);
        assert!(held("[", one).is_shared(&held("", one)));
        assert!(!held("", one).is_shared(&held("", other)));
        assert_eq!(held("", one), held("", other));
    }
}
