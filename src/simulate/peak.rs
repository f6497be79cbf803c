//! The most that waited in one place.

/// The most messages that waited in a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peak {
    /// How many.
    pub count: u64,
    /// When so many waited first, in microseconds.
    pub at_us: u64,
}

impl Peak {
    /// So many wait at this moment.
    pub(super) fn note(&mut self, count: u64, at_us: u64) {
        self.raise(Peak { count, at_us });
    }

    /// Another peak, of the same time or later. An equal one is not the first.
    pub fn raise(&mut self, other: Peak) {
        if other.count > self.count {
            *self = other;
        }
    }
}
