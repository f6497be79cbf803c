//! Objects as definitions.

use serde_json::{Value as Json, json};

use crate::objects::{Arguments, Binding, Destination, Exchange, Objects, Policy, Queue};

/// The definitions of these objects in a vhost.
///
/// Every object names the vhost: an import of the whole cluster needs it, and an import into one
/// vhost goes by its own address instead. The vhost itself is not listed, so it must exist: an
/// import that lists an existing vhost by its name alone wipes its description, its tags and its
/// default queue type (measured on RabbitMQ 3.10, 4.0 and 4.3).
pub fn write(objects: &Objects, vhost: &str) -> Json {
    let exchanges = objects.exchanges.iter().map(|(name, x)| exchange(vhost, name, x));
    let queues = objects.queues.iter().map(|(name, q)| queue(vhost, name, q));
    let bindings = objects.bindings.iter().map(|b| binding(vhost, b));
    let policies = objects.policies.iter().map(|(name, p)| policy(vhost, name, p));
    json!({
        "exchanges": exchanges.collect::<Vec<_>>(),
        "queues": queues.collect::<Vec<_>>(),
        "bindings": bindings.collect::<Vec<_>>(),
        "policies": policies.collect::<Vec<_>>(),
    })
}

fn exchange(vhost: &str, name: &str, exchange: &Exchange) -> Json {
    json!({
        "name": name,
        "vhost": vhost,
        "type": exchange.kind,
        "durable": exchange.durable,
        "auto_delete": exchange.auto_delete,
        "internal": exchange.internal,
        "arguments": arguments(&exchange.arguments),
    })
}

fn queue(vhost: &str, name: &str, queue: &Queue) -> Json {
    json!({
        "name": name,
        "vhost": vhost,
        "durable": queue.durable,
        "auto_delete": queue.auto_delete,
        "arguments": arguments(&queue.arguments),
    })
}

fn binding(vhost: &str, binding: &Binding) -> Json {
    let kind = match binding.destination {
        Destination::Queue(_) => "queue",
        Destination::Exchange(_) => "exchange",
    };
    json!({
        "source": binding.source,
        "vhost": vhost,
        "destination": binding.destination.name(),
        "destination_type": kind,
        "routing_key": binding.routing_key,
        "arguments": arguments(&binding.arguments),
    })
}

fn policy(vhost: &str, name: &str, policy: &Policy) -> Json {
    json!({
        "name": name,
        "vhost": vhost,
        "pattern": policy.pattern,
        "apply-to": policy.apply_to,
        "definition": arguments(&policy.definition),
        "priority": policy.priority,
    })
}

/// Types are kept: an integer stays one, and a float has a point.
fn arguments(arguments: &Arguments) -> Json {
    json!(arguments)
}
