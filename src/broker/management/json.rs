//! The API's JSON as this crate's values. It is read leniently: what is not as expected is not
//! there.

use std::collections::BTreeMap;

use rabbitmq_http_client::commons::PolicyTarget;
use rabbitmq_http_client::responses;
use serde_json::{Map, Value as Json};

use crate::objects::{Arguments, Binding, Destination, Exchange, Float, Policy, Queue, Value};

/// A string field.
pub(super) fn text<'a>(row: &'a Json, name: &str) -> Option<&'a str> {
    row.get(name)?.as_str()
}

fn flag(row: &Json, name: &str) -> bool {
    row.get(name).and_then(Json::as_bool).unwrap_or_default()
}

/// The rows of a list, or of one page of it.
pub(super) fn rows(list: Option<Json>) -> Vec<Json> {
    match list {
        Some(Json::Array(rows)) => rows,
        Some(Json::Object(mut page)) => match page.remove("items") {
            Some(Json::Array(rows)) => rows,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// A queue; `None` for an exclusive one, which belongs to another connection.
pub(super) fn queue(row: &Json) -> Option<Queue> {
    if flag(row, "exclusive") {
        return None;
    }
    Some(Queue {
        durable: flag(row, "durable"),
        auto_delete: flag(row, "auto_delete"),
        arguments: arguments(row.get("arguments")),
    })
}

/// An exchange.
pub(super) fn exchange(row: &Json) -> Option<Exchange> {
    Some(Exchange {
        kind: text(row, "type")?.to_owned(),
        durable: flag(row, "durable"),
        auto_delete: flag(row, "auto_delete"),
        internal: flag(row, "internal"),
        arguments: arguments(row.get("arguments")),
    })
}

/// A binding.
pub(super) fn binding(row: &Json) -> Option<Binding> {
    let name = text(row, "destination")?.to_owned();
    let destination = match text(row, "destination_type")? {
        "queue" => Destination::Queue(name),
        _ => Destination::Exchange(name),
    };
    Some(Binding {
        source: text(row, "source")?.to_owned(),
        destination,
        routing_key: text(row, "routing_key").unwrap_or_default().to_owned(),
        arguments: arguments(row.get("arguments")),
    })
}

/// A policy.
pub(super) fn policy(found: responses::Policy) -> Policy {
    let apply_to = match found.apply_to {
        PolicyTarget::Queues => "queues",
        PolicyTarget::ClassicQueues => "classic_queues",
        PolicyTarget::QuorumQueues => "quorum_queues",
        PolicyTarget::Streams => "streams",
        PolicyTarget::Exchanges => "exchanges",
        PolicyTarget::All => "all",
    };
    Policy {
        pattern: found.pattern,
        apply_to: apply_to.to_owned(),
        priority: found.priority.into(),
        definition: found.definition.0.map(|map| table(&map)).unwrap_or_default(),
    }
}

/// Arguments. RabbitMQ writes none at all as an empty list sometimes.
pub(super) fn arguments(json: Option<&Json>) -> Arguments {
    json.and_then(Json::as_object).map(table).unwrap_or_default()
}

fn table(map: &Map<String, Json>) -> BTreeMap<String, Value> {
    map.iter().filter_map(|(name, json)| Some((name.clone(), value(json)?))).collect()
}

fn value(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => return None,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Value::Int(number),
            (None, Some(number)) => Value::from(number),
            (None, None) => Value::Float(Float(number.as_f64()?)),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::List(items.iter().filter_map(value).collect()),
        Json::Object(map) => Value::Table(table(map)),
    })
}
