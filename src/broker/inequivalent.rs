//! What the broker says when something is declared again and differs.
//!
//! The same on RabbitMQ 3.10, 4.0 and 4.3, after `PRECONDITION_FAILED - `:
//!
//! ```text
//! inequivalent arg 'x-expires' for queue 'q' in vhost '/': received none but current is the value '1000' of type 'long'
//! inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '5000' but current is '10000'
//! ```
//!
//! The types are told only when one side has no value at all. The words are an AMQP short string,
//! so with long names they are cut off somewhere.

use crate::objects::Value;
use crate::plan::{Difference, Object};

/// The difference that RabbitMQ's `words` tell of `object`. It stops at the first one it meets,
/// so there may be more.
pub(super) fn difference(words: &str, object: &Object) -> Difference {
    let cut = || "something else; the broker's words are cut short".to_owned();
    let Some((argument, rest)) = argument(words) else {
        let wanted = "as in the file".to_owned();
        return Difference { argument: "?".to_owned(), wanted, found: words.to_owned() };
    };
    let sides =
        rest.split_once(": received ").and_then(|(_, rest)| rest.split_once(" but current is "));
    let in_file = in_file(object, argument).map(|value| format!("{value} ({})", value.kind()));
    let (received, found) = match sides {
        Some((received, found)) => (Some(side(received)), side(found)),
        None => (None, cut()),
    };
    // Two sides that read alike differ in their type, as the integer 5000 and the string "5000".
    let alike = received.as_ref() == Some(&found);
    Difference {
        argument: argument.to_owned(),
        wanted: in_file.or(received).unwrap_or_else(|| "as in the file".to_owned()),
        found: if alike { format!("{found} of another type") } else { found },
    }
}

fn argument(words: &str) -> Option<(&str, &str)> {
    let (_, rest) = words.split_once("inequivalent arg '")?;
    rest.split_once("' for ")
}

fn in_file<'a>(object: &'a Object, argument: &str) -> Option<&'a Value> {
    match object {
        Object::Exchange(_, exchange) => exchange.arguments.get(argument),
        Object::Queue(_, queue) => queue.arguments.get(argument),
        Object::Binding(binding) => binding.arguments.get(argument),
        Object::Policy(_, policy) => policy.definition.get(argument),
    }
}

/// One side in the words of a plan's differences, `10000 (integer)`, as far as its type is told.
fn side(words: &str) -> String {
    let typed = words.strip_prefix("the value '").and_then(|rest| rest.rsplit_once("' of type '"));
    let Some((value, kind)) = typed else {
        let inside = words.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        return inside.unwrap_or(words).to_owned();
    };
    match kind.trim_end_matches('\'') {
        "longstr" => format!("\"{value}\" (string)"),
        "bool" => format!("{value} (boolean)"),
        "float" | "double" => format!("{value} (float)"),
        "byte" | "short" | "signedint" | "long" | "unsignedbyte" | "unsignedshort"
        | "unsignedint" => format!("{value} (integer)"),
        other => format!("{value} ({other})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::{Exchange, Queue};

    fn shown(words: &str, object: &Object) -> String {
        difference(&format!("PRECONDITION_FAILED - {words}"), object).to_string()
    }

    #[test]
    fn the_words_about_a_queue() {
        let queue = Queue::default().with("x-message-ttl", "5000").with("x-overflow", "drop-head");
        let object = Object::Queue("q".to_owned(), queue);
        for (words, expected) in [
            (
                "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '5000' but current is '10000'",
                "x-message-ttl: wanted \"5000\" (string), found 10000",
            ),
            (
                "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '5000' but current is '5000'",
                "x-message-ttl: wanted \"5000\" (string), found 5000 of another type",
            ),
            (
                "inequivalent arg 'x-expires' for queue 'it's' in vhost 'a': \
                 received none but current is the value '10000' of type 'signedint'",
                "x-expires: wanted none, found 10000 (integer)",
            ),
            (
                "inequivalent arg 'x-overflow' for queue 'q' in vhost '/': \
                 received the value 'drop-head' of type 'longstr' but current is none",
                "x-overflow: wanted \"drop-head\" (string), found none",
            ),
            (
                "inequivalent arg 'x-dead-letter-exchange' for queue 'q' in vhost '/': \
                 received none but current is the value 'it's 'x'' of type 'longstr'",
                "x-dead-letter-exchange: wanted none, found \"it's 'x'\" (string)",
            ),
            (
                "inequivalent arg 'durable' for queue 'q' in vhost '/': received 'true' but current is 'false'",
                "durable: wanted true, found false",
            ),
            (
                "inequivalent arg 'x-message-ttl' for queue 'a-long-na",
                "x-message-ttl: wanted \"5000\" (string), found something else; the broker's words are cut short",
            ),
            (
                "of a new kind",
                "?: wanted as in the file, found PRECONDITION_FAILED - of a new kind",
            ),
        ] {
            assert_eq!(shown(words, &object), expected);
        }
    }

    #[test]
    fn the_words_about_an_exchange() {
        let object = Object::Exchange("e".to_owned(), Exchange::durable("direct"));
        let words = "inequivalent arg 'type' for exchange 'e' in vhost '/': received 'direct' but current is 'topic'";
        assert_eq!(shown(words, &object), "type: wanted direct, found topic");
    }
}
