//! How the tree words an object, a way out of an exchange, and a death.

use super::Named;
use super::graph::{Edge, Graph};
use crate::duration::Millis;
use crate::objects::{DELAYED_MESSAGE_TYPE, Exchange, Queue, argument, overflow, predeclared_type};
use crate::render::escape::escape;

/// So many keys of one destination are named; of more, the number is.
const KEYS_SHOWN: usize = 3;

/// `order.delay.exchange (direct)`, `order.delay.queue — quorum, ttl 30m`.
pub fn object(graph: &Graph<'_>, named: Named<'_>) -> String {
    match named {
        Named::Exchange(name) => {
            let kind = match graph.objects.exchanges.get(name) {
                Some(declared) => exchange(declared),
                None => predeclared_type(name).unwrap_or("missing").to_owned(),
            };
            format!("{} ({kind})", self::name(name))
        }
        Named::Queue(name) => match graph.objects.queues.get(name).map(queue) {
            None => format!("{} — missing", escape(name)),
            Some(traits) if traits.is_empty() => escape(name).into_owned(),
            Some(traits) => format!("{} — {}", escape(name), traits.join(", ")),
        },
    }
}

/// An object's name; the default exchange has none of its own.
pub fn name(name: &str) -> String {
    if name.is_empty() { "(default exchange)".to_owned() } else { escape(name).into_owned() }
}

fn exchange(exchange: &Exchange) -> String {
    let mut words = vec![escape(&exchange.kind).into_owned()];
    if exchange.kind == DELAYED_MESSAGE_TYPE {
        words.push(escape(exchange.routing_type()).into_owned());
    }
    let flags = [
        ("transient", !exchange.durable),
        ("auto-delete", exchange.auto_delete),
        ("internal", exchange.internal),
    ];
    words.extend(flags.iter().filter(|(_, is)| *is).map(|(word, _)| (*word).to_owned()));
    words.join(", ")
}

fn queue(queue: &Queue) -> Vec<String> {
    let number = |name| queue.arguments.get(name);
    let span = |name| number(name).and_then(|value| value.as_u64()).map(Millis);
    let mut words: Vec<_> = queue.queue_type().map(str::to_owned).into_iter().collect();
    let flags = [("transient", !queue.durable), ("auto-delete", queue.auto_delete)];
    words.extend(flags.iter().filter(|(_, is)| *is).map(|(word, _)| (*word).to_owned()));
    words.extend(span(argument::MESSAGE_TTL).map(|ttl| format!("ttl {ttl}")));
    words.extend(span(argument::EXPIRES).map(|expires| format!("expires {expires}")));
    words.extend(number(argument::MAX_LENGTH).map(|max| format!("max {max}")));
    words.extend(number(argument::MAX_LENGTH_BYTES).map(|max| format!("max {max} bytes")));
    words.extend(number(argument::DELIVERY_LIMIT).map(|limit| format!("delivery limit {limit}")));
    if queue.arguments.contains_key(argument::SINGLE_ACTIVE_CONSUMER) {
        words.push("single active consumer".to_owned());
    }
    words.into_iter().map(|word| escape(&word).into_owned()).collect()
}

/// What leads from a queue to its dead-letter exchange: `after 30m → `. A queue without a TTL may
/// hold messages that bring their own.
pub fn death(queue: &Queue) -> String {
    match queue.message_ttl() {
        Some(ttl) => format!("after {} → ", Millis(ttl)),
        None => "rejected or expired → ".to_owned(),
    }
}

/// What becomes of dead letters that nothing takes. A quorum queue that dead-letters at least once
/// keeps them; of any other queue they are dropped.
pub fn fate(queue: &Queue) -> &'static str {
    let at_least_once = queue.text(argument::DEAD_LETTER_STRATEGY) == Some("at-least-once")
        && queue.queue_type() == Some("quorum")
        && queue.text(argument::OVERFLOW) == Some(overflow::REJECT_PUBLISH);
    if at_least_once { "dead letters are stuck" } else { "dead letters are lost" }
}

/// What leads from an exchange to one destination: `order.paid → `; nothing where every message
/// goes, or where the one key has been said or is the destination's name.
pub fn way(kind: Option<&str>, edges: &[Edge<'_>], said: Option<&str>) -> String {
    let mut keys = Vec::new();
    for edge in edges {
        match edge {
            Edge::Alternate(_) => keys.push("otherwise".to_owned()),
            Edge::Binding(binding) if kind == Some("headers") => {
                let pairs: Vec<_> = binding
                    .arguments
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                keys.push(pairs.join(" "));
            }
            Edge::Binding(_) if kind == Some("fanout") => {}
            Edge::Binding(binding) => keys.push(binding.routing_key.clone()),
        }
    }
    let end = edges.first().map(|edge| edge.end().name());
    match keys.as_slice() {
        [] => return String::new(),
        [only] if Some(only.as_str()) == said || Some(only.as_str()) == end => {
            return String::new();
        }
        _ => {}
    }
    let shown = keys.iter().take(KEYS_SHOWN).map(|key| key_text(key)).collect::<Vec<_>>();
    let more = match keys.len().saturating_sub(KEYS_SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more} → ", shown.join(", "))
}

fn key_text(key: &str) -> String {
    if key.is_empty() { "\"\"".to_owned() } else { escape(key).into_owned() }
}
