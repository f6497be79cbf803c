//! A topology as the text of a file.
//!
//! The reverse of [`parse`](super::parse): an argument for which the format has a field is written
//! as that field, all others under `arguments`, as they are. So are those that the format's own
//! checks refuse and a broker does not: a dead-letter exchange that is not there, for example.

use serde_json::{Map, Value as Json, json};

use super::{values, yaml};
use crate::duration::Millis;
use crate::objects::{
    Arguments, Binding, Destination, Exchange, Objects, Policy, Queue, Value, argument,
};
use crate::strategy::{Delay, Overflow, QueueType, Target};

/// What a file is to say.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// The vhost it is meant for.
    pub vhost: Option<&'a str>,
    /// What it writes out.
    pub plain: &'a Objects,
    /// Its delays, which declare the rest.
    pub delays: &'a [Delay],
    /// Every exchange that there will be, for telling which references lead somewhere.
    pub all: &'a Objects,
}

/// The text. Sections without content are left out; a file with none says `exchanges: {}`.
pub fn write(document: &Document<'_>) -> String {
    let Document { vhost, plain, delays, all } = document;
    let mut sections = Vec::new();
    if let Some(vhost) = vhost {
        sections.push(format!("vhost: {}\n", yaml::scalar(vhost)));
    }
    let exchanges = plain.exchanges.iter().map(|(name, x)| (name.clone(), exchange(x, all)));
    let queues = plain.queues.iter().map(|(name, q)| (name.clone(), queue(q, all)));
    let bindings = plain.bindings.iter().map(binding_as_json);
    let policies = plain.policies.iter().map(|(name, p)| (name.clone(), policy(p)));
    let delays = delays.iter().map(|d| (d.name.clone(), delay(d)));
    let written = [
        ("exchanges", Json::Object(exchanges.collect())),
        ("queues", Json::Object(queues.collect())),
        ("bindings", Json::Array(bindings.collect())),
        ("policies", Json::Object(policies.collect())),
        ("delays", Json::Object(delays.collect())),
    ];
    for (name, content) in &written {
        let empty = content.as_array().is_some_and(Vec::is_empty)
            || content.as_object().is_some_and(Map::is_empty);
        if !empty {
            sections.push(yaml::section(name, content));
        }
    }
    if sections.is_empty() { "exchanges: {}\n".to_owned() } else { sections.join("\n") }
}

/// A delay as the file writes it.
fn delay(delay: &Delay) -> Json {
    json!({ "target": target_as_json(&delay.target), delay.strategy.key(): delay.strategy.to_json() })
}

/// A delay's target as the file writes it.
pub(crate) fn target_as_json(target: &Target) -> Json {
    match target {
        Target::Exchange { exchange, routing_key } if routing_key.is_empty() => {
            json!({ "exchange": exchange })
        }
        Target::Exchange { exchange, routing_key } => {
            json!({ "exchange": exchange, "routing_key": routing_key })
        }
        Target::Queue(queue) => json!({ "queue": queue }),
    }
}

/// A binding as the file writes it.
pub(crate) fn binding_as_json(binding: &Binding) -> Json {
    let mut written = Fields::default();
    written.set("source", binding.source.as_str());
    match &binding.destination {
        Destination::Queue(name) => written.set("queue", name.as_str()),
        Destination::Exchange(name) => written.set("exchange", name.as_str()),
    }
    if !binding.routing_key.is_empty() {
        written.set("routing_key", binding.routing_key.as_str());
    }
    written.arguments(binding.arguments.clone());
    written.mapping()
}

fn policy(policy: &Policy) -> Json {
    let mut written = Fields::default();
    written.set("pattern", policy.pattern.as_str());
    if policy.apply_to != "all" {
        written.set("apply_to", policy.apply_to.as_str());
    }
    if policy.priority != 0 {
        written.set("priority", policy.priority);
    }
    written.set("definition", json!(policy.definition));
    written.mapping()
}

/// The type alone where that says it all.
fn exchange(exchange: &Exchange, all: &Objects) -> Json {
    let mut written = Fields::default();
    let mut rest = exchange.arguments.clone();
    written.set("type", exchange.kind.as_str());
    if !exchange.durable {
        written.set("durable", false);
    }
    if exchange.auto_delete {
        written.set("auto_delete", true);
    }
    if exchange.internal {
        written.set("internal", true);
    }
    if let Some(alternate) = exchange.alternate().filter(|name| all.has_exchange(name)) {
        written.set("alternate", alternate);
        rest.remove(argument::ALTERNATE_EXCHANGE);
    }
    written.arguments(rest);
    match written.0.len() {
        1 => json!(exchange.kind),
        _ => written.mapping(),
    }
}

fn queue(queue: &Queue, all: &Objects) -> Json {
    let mut written = Fields::default();
    let mut rest = queue.arguments.clone();
    let kind: Option<QueueType> = known(&rest, argument::QUEUE_TYPE);
    written.take(&mut rest, argument::QUEUE_TYPE, "type", |_| kind.map(|kind| json!(kind)));
    if !queue.durable {
        written.set("durable", false);
    }
    if queue.auto_delete {
        written.set("auto_delete", true);
    }
    written.take(&mut rest, argument::MESSAGE_TTL, "message_ttl", span);
    written.take(&mut rest, argument::EXPIRES, "expires", span);
    written.take(&mut rest, argument::MAX_LENGTH, "max_length", number);
    written.take(&mut rest, argument::MAX_LENGTH_BYTES, "max_length_bytes", number);
    let overflow: Option<Overflow> = known(&rest, argument::OVERFLOW);
    written.take(&mut rest, argument::OVERFLOW, "overflow", |_| overflow.map(|o| json!(o)));
    dead_letter(&mut written, &mut rest, queue, all);
    written.take(&mut rest, argument::DELIVERY_LIMIT, "delivery_limit", number);
    written.take(&mut rest, argument::SINGLE_ACTIVE_CONSUMER, "single_active_consumer", flag);
    delayed_retry(&mut written, &mut rest, queue);
    written.arguments(rest);
    written.mapping()
}

fn dead_letter(written: &mut Fields, rest: &mut Arguments, queue: &Queue, all: &Objects) {
    let Some(to) = queue.dead_letter().filter(|to| all.has_exchange(to.exchange)) else { return };
    let mut inner = Fields::default();
    inner.set("exchange", to.exchange);
    rest.remove(argument::DEAD_LETTER_EXCHANGE);
    inner.take(rest, argument::DEAD_LETTER_ROUTING_KEY, "routing_key", |key| {
        key.as_str().map(Json::from)
    });
    let known = ["at-most-once", "at-least-once"];
    if values::at_least_once(queue).is_empty() {
        inner.take(rest, argument::DEAD_LETTER_STRATEGY, "strategy", |value| {
            value.as_str().filter(|value| known.contains(value)).map(Json::from)
        });
    }
    written.set("dead_letter", inner.mapping());
}

fn delayed_retry(written: &mut Fields, rest: &mut Arguments, queue: &Queue) {
    let kind = queue.text(argument::DELAYED_RETRY_TYPE);
    let known = kind.is_some_and(|k| ["all", "failed", "returned", "disabled"].contains(&k));
    if !known || matches!(queue.queue_type(), Some("classic" | "stream")) {
        return;
    }
    let mut inner = Fields::default();
    inner.take(rest, argument::DELAYED_RETRY_TYPE, "type", |kind| kind.as_str().map(Json::from));
    inner.take(rest, argument::DELAYED_RETRY_MIN, "min", span);
    inner.take(rest, argument::DELAYED_RETRY_MAX, "max", span);
    written.set("delayed_retry", inner.mapping());
}

/// A time with its units; a number that is no time stays an argument.
fn span(value: &Value) -> Option<Json> {
    value.as_u64().map(|ms| json!(Millis(ms)))
}

/// A number that is not negative.
fn number(value: &Value) -> Option<Json> {
    value.as_u64().map(Json::from)
}

fn flag(value: &Value) -> Option<Json> {
    matches!(value, Value::Bool(_)).then(|| json!(value))
}

/// A text argument, as one of the words that a field takes.
fn known<T: serde::de::DeserializeOwned>(arguments: &Arguments, name: &str) -> Option<T> {
    let text = arguments.get(name)?.as_str()?;
    serde_json::from_value(Json::from(text)).ok()
}

/// The fields of a mapping, as they come.
#[derive(Default)]
struct Fields(Map<String, Json>);

impl Fields {
    fn set(&mut self, field: &str, value: impl Into<Json>) {
        self.0.insert(field.to_owned(), value.into());
    }

    /// Moves an argument to the field that stands for it, if the field can say it.
    fn take(
        &mut self,
        rest: &mut Arguments,
        argument: &str,
        field: &str,
        say: impl FnOnce(&Value) -> Option<Json>,
    ) {
        if let Some(said) = rest.get(argument).and_then(say) {
            rest.remove(argument);
            self.set(field, said);
        }
    }

    fn arguments(&mut self, rest: Arguments) {
        if !rest.is_empty() {
            self.set("arguments", json!(rest));
        }
    }

    fn mapping(self) -> Json {
        Json::Object(self.0)
    }
}
