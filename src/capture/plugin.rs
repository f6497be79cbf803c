//! Recognises exchanges of the delayed-message plugin.

use std::collections::HashSet;

use crate::objects::{Binding, DELAYED_MESSAGE_TYPE, Destination};
use crate::strategy::{Delay, DelayedExchange, Strategy, Target};

use super::claim::Claims;
use super::names;

/// One delay for each routing key of each exchange. Of several queues with one key the first is
/// the target; the bindings of the others stay as they are, and get the messages as well.
pub fn find(claims: &mut Claims<'_>) {
    let objects = claims.objects;
    for (name, exchange) in &objects.exchanges {
        if exchange.kind != DELAYED_MESSAGE_TYPE {
            continue;
        }
        let inner = exchange.routing_type();
        let bindings: Vec<_> = claims.from(name).to_vec();
        let mut keys = HashSet::new();
        for binding in &bindings {
            let key = binding.routing_key.as_str();
            // A pattern is no key to publish with.
            let pattern = inner == "topic" && key.split('.').any(|word| matches!(word, "*" | "#"));
            if pattern || keys.contains(key) {
                continue;
            }
            let delay = delay(claims, name, inner, binding, bindings.len());
            if claims.claim(delay) {
                keys.insert(key);
            }
        }
    }
}

fn delay(
    claims: &Claims<'_>,
    exchange: &str,
    inner: &str,
    binding: &Binding,
    siblings: usize,
) -> Delay {
    let key = binding.routing_key.clone();
    let (target, routing_key) = match &binding.destination {
        Destination::Queue(queue) => {
            (Target::Queue(queue.clone()), (key != *queue).then(|| key.clone()))
        }
        Destination::Exchange(to) => {
            (Target::Exchange { exchange: to.clone(), routing_key: key.clone() }, None)
        }
    };
    let wanted = match names::without(exchange, ".delay") {
        Some(name) => name,
        None if siblings > 1 && !key.is_empty() => &key,
        None => binding.destination.name(),
    };
    let name = claims.name(wanted);
    let exchange = (exchange != format!("{name}.delay")).then(|| exchange.to_owned());
    let strategy = DelayedExchange { exchange, r#type: inner.to_owned(), routing_key };
    Delay { name, target, strategy: Strategy::DelayedExchange(strategy) }
}
