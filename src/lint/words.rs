//! Phrases that several findings share.

use crate::duration::Millis;

/// Names in backticks, three at most.
pub(super) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.len() {
        0..=3 => names.join(", "),
        more => format!("{} and {} more", names[..3].join(", "), more - 3),
    }
}

/// A span of milliseconds.
pub(super) fn span(ms: u64) -> String {
    Millis(ms).to_string()
}

/// An exchange in a sentence.
pub(super) fn exchange(name: &str) -> String {
    if name.is_empty() { "the default exchange".to_owned() } else { format!("exchange `{name}`") }
}

/// Of several names the one most like this, if one is like it at all.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |other: &str| strsim::damerau_levenshtein(name, other);
    let (distance, nearest) = known.into_iter().map(|other| (distance(other), other)).min()?;
    // A third of the letters wrong is another word, not a slip.
    (distance <= 2.max(name.len() / 4)).then_some(nearest)
}
