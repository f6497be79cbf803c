//! Message ids that were seen before.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// Remembers message ids by their hashes: eight bytes each, and no mistake to speak of (among a
/// million ids, two share a hash once in 37 million runs).
#[derive(Default)]
pub struct Seen {
    hasher: RandomState,
    hashes: HashSet<u64>,
}

impl Seen {
    /// Whether this id was seen before. A message without id is never a duplicate.
    pub fn again(&mut self, id: Option<&str>) -> bool {
        id.is_some_and(|id| !self.hashes.insert(self.hasher.hash_one(id)))
    }
}
