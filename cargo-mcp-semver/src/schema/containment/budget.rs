//! How much work may be spent, counted in steps so that every run decides alike.

use std::cell::Cell;

/// What is left of the work that one comparison may cost. A step is about a microsecond in a
/// release build.
#[derive(Debug)]
pub(crate) struct Budget(Cell<usize>);

impl Budget {
    pub(crate) fn new(steps: usize) -> Self {
        Self(Cell::new(steps))
    }

    /// Takes `steps`; false when they are not left, and then nothing is.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        let left = self.0.get().checked_sub(steps);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Whether so many steps are left.
    pub(crate) fn has(&self, steps: usize) -> bool {
        self.0.get() >= steps
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }

    /// A part of what is left, which is given back as far as it is not used.
    pub(crate) fn within<T>(&self, most: usize, work: impl FnOnce(&Self) -> T) -> T {
        let part = Self::new(most.min(self.0.get()));
        let granted = part.0.get();
        let done = work(&part);
        self.spend(granted - part.0.get());
        done
    }
}
