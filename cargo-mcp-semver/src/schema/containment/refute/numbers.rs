//! Numbers: a range, steps that they are on or off, and numbers that they are not.

use std::collections::BTreeSet;

use super::{Branch, Fact, Outcome, Refuter};
use crate::schema::containment::terms::{Fixed, ONE, Term, number};

/// So many numbers are tried one by one.
const MAX_TRIED: i128 = 2_000;
/// Numbers beyond this are not calculated with.
const MAX: Fixed = i128::MAX / 8;

#[derive(Default)]
struct Wanted {
    low: Option<(Fixed, bool)>,
    high: Option<(Fixed, bool)>,
    on: Vec<Fixed>,
    off: Vec<Fixed>,
    excluded: BTreeSet<Fixed>,
}

impl Wanted {
    fn holds(&self, it: Fixed) -> bool {
        self.low.is_none_or(|(low, open)| it > low || (it == low && !open))
            && self.high.is_none_or(|(high, open)| it < high || (it == high && !open))
            && self.on.iter().all(|step| it % step == 0)
            && self.off.iter().all(|step| it % step != 0)
            && !self.excluded.contains(&it)
    }

    /// The smallest step that all have in common; `None` without any, or out of range.
    fn step(&self) -> Result<Option<Fixed>, ()> {
        let mut common: Option<Fixed> = None;
        for step in &self.on {
            common = Some(match common {
                None => *step,
                Some(known) => {
                    let quotient = known / greatest_common_divisor(known, *step);
                    quotient.checked_mul(*step).filter(|it| *it < MAX).ok_or(())?
                }
            });
        }
        Ok(common)
    }
}

impl Refuter<'_, '_> {
    /// A range of reals that is more than a point holds more numbers than finitely many steps and
    /// exclusions take away. On a step, the numbers can be counted; where there are few, each is
    /// tried, and where the step is one of those to keep off, none is left.
    pub(super) fn number(&mut self, branch: &Branch) -> Outcome {
        let mut wanted = Wanted::default();
        let mut listed: Option<BTreeSet<Fixed>> = None;
        for fact in &branch.atoms {
            let Fact::Term((id, sign)) = fact else { continue };
            match (&*self.terms.term(*id), sign) {
                (Term::AtLeast(limit, open), true) | (Term::AtMost(limit, open), false) => {
                    // What is not at most a limit is above it, and at it where that is excluded.
                    let low = (*limit, *sign == *open);
                    wanted.low = Some(wanted.low.map_or(low, |known| known.max(low)));
                }
                (Term::AtMost(limit, open), true) | (Term::AtLeast(limit, open), false) => {
                    let high = (*limit, *sign == *open);
                    wanted.high = Some(wanted.high.map_or(high, |known| tighter(known, high)));
                }
                (Term::MultipleOf(step), true) => wanted.on.push(*step),
                (Term::MultipleOf(step), false) => wanted.off.push(*step),
                (Term::Listed(it), true) => {
                    listed = Some(match listed {
                        Some(known) => known.intersection(&it.numbers).copied().collect(),
                        None => it.numbers.clone(),
                    });
                }
                (Term::Listed(it), false) => wanted.excluded.extend(&it.numbers),
                _ => {}
            }
        }
        let open = |it: Fixed| Outcome::Open(Some(number(it)));
        if let Some(listed) = listed {
            return listed.into_iter().find(|it| wanted.holds(*it)).map_or(Outcome::Closed, open);
        }
        match wanted.step() {
            Err(()) => Outcome::Open(None),
            Ok(None) => self.real(&wanted),
            Ok(Some(step)) => self.stepped(&wanted, step),
        }
    }

    fn real(&self, wanted: &Wanted) -> Outcome {
        let mut tried = vec![ONE, 0, -ONE, ONE / 2, 3 * ONE / 2];
        for (end, _) in [wanted.low, wanted.high].into_iter().flatten() {
            tried.extend([0, 1, -1].map(|by| end + by * ONE));
            tried.extend([end + ONE / 2, end - ONE / 2, end + ONE / 100, end - ONE / 100]);
        }
        for half in wanted.off.iter().map(|step| step / 2) {
            let ends = [wanted.low, wanted.high].into_iter().flatten();
            tried.extend(ends.flat_map(|(end, _)| [end + half, end - half]).chain([half]));
        }
        if let (Some((low, _)), Some((high, _))) = (wanted.low, wanted.high) {
            // No room, or a point that is taken.
            if low > high || (low == high && !wanted.holds(low)) {
                return Outcome::Closed;
            }
            tried.extend([(low + high) / 2, low + (high - low) / 3]);
        }
        let found = tried.into_iter().find(|it| wanted.holds(*it));
        Outcome::Open(found.map(number))
    }

    fn stepped(&self, wanted: &Wanted, step: Fixed) -> Outcome {
        if wanted.off.iter().any(|off| step % off == 0) {
            return Outcome::Closed;
        }
        let first = wanted.low.map(|(low, open)| {
            let first = low.div_euclid(step) + i128::from(low.rem_euclid(step) != 0);
            first + i128::from(open && first.checked_mul(step) == Some(low))
        });
        let last = wanted.high.map(|(high, open)| {
            let last = high.div_euclid(step);
            last - i128::from(open && last.checked_mul(step) == Some(high))
        });
        let (from, to, all) = match (first, last) {
            (Some(first), Some(last)) => {
                (first, last.min(first + MAX_TRIED), last - first <= MAX_TRIED)
            }
            (Some(first), None) => (first, first + MAX_TRIED, false),
            (None, Some(last)) => (last - MAX_TRIED, last, false),
            (None, None) => (-MAX_TRIED / 2, MAX_TRIED / 2, false),
        };
        if !self.budget.spend(1) {
            return Outcome::Open(None);
        }
        // Small numbers first, as far as they are in reach.
        let near = |it: &i128| (from..=to).contains(it);
        let small = [1, 0, 2, 3, -1].into_iter().filter(near);
        let mut each = small.chain(from..=to).filter_map(|it| it.checked_mul(step));
        match each.find(|it| wanted.holds(*it)) {
            Some(found) => Outcome::Open(Some(number(found))),
            None if all => Outcome::Closed,
            None => Outcome::Open(None),
        }
    }
}

fn tighter(one: (Fixed, bool), other: (Fixed, bool)) -> (Fixed, bool) {
    match one.0.cmp(&other.0) {
        std::cmp::Ordering::Less => one,
        std::cmp::Ordering::Greater => other,
        std::cmp::Ordering::Equal => (one.0, one.1 || other.1),
    }
}

fn greatest_common_divisor(mut one: Fixed, mut other: Fixed) -> Fixed {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
