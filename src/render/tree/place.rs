//! Where a line of the tree stands.

/// Where a line stands.
pub struct Place {
    /// What stands before it: `│  └─ `.
    pub before: String,
    /// What stands before the lines below it: `│     `.
    below: String,
    /// How many objects stand above it.
    pub depth: usize,
}

impl Place {
    /// The left margin.
    pub fn root() -> Self {
        Place { before: String::new(), below: String::new(), depth: 0 }
    }

    /// One step in, as the last of its siblings or not.
    pub fn child(&self, last: bool) -> Self {
        let (branch, trunk) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        Place {
            before: format!("{}{branch}", self.below),
            below: format!("{}{trunk}", self.below),
            depth: self.depth + 1,
        }
    }
}
