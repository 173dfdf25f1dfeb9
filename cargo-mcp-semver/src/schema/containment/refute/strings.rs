//! Texts, by the search for a word that satisfies every condition.

use super::{Branch, Fact, Outcome, Refuter};
use crate::schema::containment::terms::Term;
use crate::schema::containment::words::{Wanted, Words};
use serde_json::Value;

impl Refuter<'_, '_> {
    pub(super) fn string(&mut self, branch: &Branch) -> Outcome {
        let mut wanted = Wanted::default();
        let mut understood = true;
        for fact in &branch.atoms {
            let Fact::Term((id, sign)) = fact else { continue };
            match (&*self.terms.term(*id), *sign) {
                (Term::MinLength(count), true) => wanted.at_least(*count),
                (Term::MaxLength(count), true) => wanted.at_most(*count),
                (Term::MinLength(0), false) => return Outcome::Closed,
                (Term::MinLength(count), false) => wanted.at_most(count - 1),
                (Term::MaxLength(count), false) => wanted.at_least(count + 1),
                (Term::Pattern(pattern), sign) => match self.pattern(pattern) {
                    Some(pattern) => wanted.patterns.push((pattern, sign)),
                    // Left out, which only adds texts.
                    None => understood = false,
                },
                (Term::Listed(listed), true) => {
                    wanted.listed = Some(match wanted.listed.take() {
                        Some(known) => known.intersection(&listed.strings).cloned().collect(),
                        None => listed.strings.clone(),
                    });
                }
                (Term::Listed(listed), false) => {
                    wanted.excluded.extend(listed.strings.iter().cloned())
                }
                _ => {}
            }
        }
        match wanted.shortest_word(self.budget) {
            Words::Empty => Outcome::Closed,
            Words::Word(word) if understood => Outcome::Open(Some(Value::String(word))),
            _ => Outcome::Open(None),
        }
    }
}
