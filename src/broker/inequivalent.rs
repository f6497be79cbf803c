//! What the broker says when something is declared again and differs.
//!
//! `inequivalent arg 'ARG' for queue 'NAME' in vhost 'VHOST': received WANTED but current is
//! FOUND`, where a side is `none`, `'true'`, or `the value '5000' of type 'signedint'`.

use crate::plan::Difference;

/// The difference that RabbitMQ's `words` tell. It stops at the first one it meets, so there may
/// be more. `None` when the words are not about a difference.
pub(super) fn difference(words: &str) -> Option<Difference> {
    let (_, rest) = words.split_once("inequivalent arg '")?;
    let (argument, rest) = rest.split_once("' for ")?;
    let (_, rest) = rest.split_once(": received ")?;
    let (wanted, found) = rest.split_once(" but current is ")?;
    Some(Difference { argument: argument.to_owned(), wanted: side(wanted), found: side(found) })
}

/// One side as a value is written in a file: a string in quotation marks, an integer bare.
fn side(words: &str) -> String {
    let words = words.trim();
    let Some(rest) = words.strip_prefix("the value '") else {
        return words.trim_matches('\'').to_owned();
    };
    match rest.rsplit_once("' of type '") {
        Some((value, kind)) => match kind.trim_end_matches('\'') {
            "longstr" => format!("\"{value}\""),
            "bool" | "byte" | "short" | "signedint" | "unsignedint" | "long" | "unsignedbyte"
            | "unsignedshort" | "timestamp" => value.to_owned(),
            other => format!("{value} ({other})"),
        },
        // Newer brokers may leave the type out.
        None => rest.trim_end_matches('\'').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_brokers_words_are_read() {
        for (words, expected) in [
            (
                "PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': \
                 received the value '5000' of type 'long' but current is the value '10000' of type 'long'",
                Some("x-message-ttl: wanted 5000, found 10000"),
            ),
            (
                "PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': \
                 received the value '5000' of type 'longstr' but current is the value '5000' of type 'signedint'",
                Some("x-message-ttl: wanted \"5000\", found 5000"),
            ),
            (
                "PRECONDITION_FAILED - inequivalent arg 'x-expires' for queue 'it's' in vhost 'a': \
                 received none but current is the value '10000' of type 'signedint'",
                Some("x-expires: wanted none, found 10000"),
            ),
            (
                "PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'q' in vhost '/': \
                 received 'true' but current is 'false'",
                Some("durable: wanted true, found false"),
            ),
            (
                "PRECONDITION_FAILED - inequivalent arg 'type' for exchange 'e' in vhost '/': \
                 received 'direct' but current is 'topic'",
                Some("type: wanted direct, found topic"),
            ),
            ("PRECONDITION_FAILED - invalid arg 'x-message-ttl'", None),
            ("", None),
        ] {
            let shown = difference(words).map(|difference| difference.to_string());
            assert_eq!(shown.as_deref(), expected, "{words}");
        }
    }
}
