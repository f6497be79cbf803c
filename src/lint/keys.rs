//! Routing keys that are only partly known.
//!
//! A file tells with which keys messages *can* reach a queue: exactly, as a topic pattern, or not at
//! all. For each of these two questions have an answer: may a binding take such a message, and does
//! it take every such message?

use crate::objects::Binding;
use crate::routing::{Headers, matches, topic_matches};

/// What is known of the routing key of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key<'a> {
    /// This one.
    Exact(&'a str),
    /// One that this topic pattern matches.
    Pattern(&'a str),
    /// Nothing.
    Any,
}

impl<'a> Key<'a> {
    /// The keys that a binding of an exchange of this type lets through.
    pub fn through(kind: &str, binding: &'a Binding) -> Self {
        let key = binding.routing_key.as_str();
        match kind {
            "direct" => Key::Exact(key),
            "topic" if has_wildcard(key) => Key::Pattern(key),
            "topic" => Key::Exact(key),
            _ => Key::Any,
        }
    }

    /// Whether such a message may match the binding. Headers are not known, so a headers binding
    /// may match unless nothing ever matches it; an exchange type that is not known may do anything.
    pub fn may_match(self, kind: &str, binding: &Binding) -> bool {
        let pattern = binding.routing_key.as_str();
        match (kind, self) {
            ("fanout", _) => true,
            ("headers", _) => !is_never(binding),
            ("direct" | "topic", Key::Any) => true,
            ("direct" | "topic", Key::Exact(key)) => matches(kind, binding, key, &Headers::new()),
            ("direct", Key::Pattern(keys)) => topic_matches(keys, pattern),
            ("topic", Key::Pattern(keys)) => intersect(keys, pattern),
            _ => true,
        }
    }

    /// Whether every such message matches the binding, whatever its headers.
    pub fn must_match(self, kind: &str, binding: &Binding) -> bool {
        let pattern = binding.routing_key.as_str();
        match (kind, self) {
            ("fanout", _) => true,
            ("headers", _) => is_always(binding),
            ("direct" | "topic", Key::Exact(key)) => matches(kind, binding, key, &Headers::new()),
            ("topic", Key::Pattern(keys)) => covers(pattern, keys),
            ("topic", Key::Any) => covers(pattern, "#"),
            _ => false,
        }
    }
}

/// Whether a topic pattern has words that stand for others.
pub(super) fn has_wildcard(pattern: &str) -> bool {
    pattern.split('.').any(|word| word == "*" || word == "#")
}

fn mode(binding: &Binding) -> (&str, usize) {
    let mode = binding.arguments.get("x-match").and_then(|value| value.as_str()).unwrap_or("all");
    let with_x = mode.ends_with("-with-x");
    let counts = |name: &&String| *name != "x-match" && (with_x || !name.starts_with("x-"));
    (mode, binding.arguments.keys().filter(counts).count())
}

/// `any` of nothing matches nothing.
fn is_never(binding: &Binding) -> bool {
    matches!(mode(binding), (mode, 0) if mode.starts_with("any"))
}

/// `all` of nothing matches everything.
fn is_always(binding: &Binding) -> bool {
    matches!(mode(binding), (mode, 0) if mode.starts_with("all"))
}

/// Whether some key matches both patterns.
pub(super) fn intersect(a: &str, b: &str) -> bool {
    compare(a, b, |a, b| a == "*" || b == "*" || a == b, true)
}

/// Whether every key that `narrow` matches is one that `wide` matches. It may say no where the truth
/// is yes (`#.*` and `*.#`), never the other way round.
pub(super) fn covers(wide: &str, narrow: &str) -> bool {
    compare(wide, narrow, |wide, narrow| narrow != "#" && (wide == "*" || wide == narrow), false)
}

/// Word by word from the end, with a table so that patterns of many `#` stay cheap: cell (i, j)
/// says whether what remains from word i of `a` and word j of `b` fits. A `#` of `a` takes any word
/// of `b`; a `#` of `b` takes words of `a` only if `both`.
fn compare(a: &str, b: &str, word: impl Fn(&str, &str) -> bool, both: bool) -> bool {
    let words = |text: &'_ str| -> Vec<String> {
        if text.is_empty() { Vec::new() } else { text.split('.').map(str::to_owned).collect() }
    };
    let (a, b) = (words(a), words(b));
    let mut fits = vec![vec![false; b.len() + 1]; a.len() + 1];
    for i in (0..=a.len()).rev() {
        for j in (0..=b.len()).rev() {
            let (x, y) = (a.get(i).map(String::as_str), b.get(j).map(String::as_str));
            fits[i][j] = match (x, y) {
                (None, None) => true,
                (Some("#"), _) if fits[i + 1][j] || (j < b.len() && fits[i][j + 1]) => true,
                (_, Some("#")) if both => fits[i][j + 1] || (i < a.len() && fits[i + 1][j]),
                (Some("#"), _) => false,
                (Some(x), Some(y)) => word(x, y) && fits[i + 1][j + 1],
                _ => false,
            };
        }
    }
    fits[0][0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_share_a_key() {
        for (a, b, expected) in [
            ("order.*", "order.paid", true),
            ("order.*", "*.paid", true),
            ("order.*", "stock.#", false),
            ("order.#", "#.paid", true),
            ("order.*.a", "order.b", false),
            ("#", "", true),
            ("*", "", false),
            ("a.#.z", "a.b.#", true),
            ("a.#.z", "#.y", false),
            ("*.*.x", "1.#.y", false),
        ] {
            assert_eq!(intersect(a, b), expected, "`{a}` and `{b}`");
            assert_eq!(intersect(b, a), expected, "`{b}` and `{a}`");
        }
    }

    #[test]
    fn patterns_that_contain_others() {
        for (wide, narrow, expected) in [
            ("order.#", "order.*", true),
            ("order.*", "order.#", false),
            ("#", "a.#", true),
            ("a.#", "#", false),
            ("*.paid", "order.paid", true),
            ("*.paid", "*.*", false),
            ("a.#.z", "a.b.#.z", true),
            ("", "#", false),
        ] {
            assert_eq!(covers(wide, narrow), expected, "`{wide}` over `{narrow}`");
        }
    }
}
