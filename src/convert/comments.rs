//! Comments that a conversion leaves as they are, and that may be untrue now.
//!
//! What a comment says cannot be told from its words, so none is taken out: the person who converts
//! is told where to look.

use super::edit;

/// What comments about the plugin name.
const WORDS: [&str; 4] = ["plugin", "x-delay", "delayed_exchange", "delayed-message"];

/// The lines, counted from 1, whose comments speak of the plugin.
pub fn on_the_plugin(text: &str) -> Vec<usize> {
    let comments = edit::comments(text);
    let speak = comments.into_iter().filter(|comment| {
        let words = text[comment.clone()].to_lowercase();
        WORDS.iter().any(|word| words.contains(word))
    });
    speak.map(|comment| text[..comment.start].matches('\n').count() + 1).collect()
}
