//! `per_message_ttl`: one queue, and each message brings its TTL in its `expiration` property.
//!
//! RabbitMQ looks for expired messages at the head of a queue only: a message waits until every
//! message before it has left, however short its own delay. Right only while delays never
//! decrease.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::waiting::{Waiting, ttl_problem};
use super::{
    CannotDelay, Contract, Overflow, QueueType, Rounding, Target, count, is_default, names,
};
use crate::duration::Millis;
use crate::message::Route;
use crate::objects::{Binding, Clash, Exchange, Objects, TTL_MAX_MS};

const DEFAULT_QUEUE: &str = "{name}.wait";

/// `per_message_ttl`: one queue, and each message brings its own TTL. Long delays block short ones
/// behind them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a mapping of its fields, like `{queue: wait}` or `{}`")]
pub struct PerMessageTtl {
    /// The direct exchange that messages are published to, with the queue as the routing key;
    /// default `{name}.delay`; `""` is the default exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchange: Option<String>,
    /// The queue's name; default `{name}.wait`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// The longest delay, which becomes the queue's own TTL: of the two the smaller counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Millis>,
    /// The queue's type.
    #[serde(default, skip_serializing_if = "is_default")]
    pub queue_type: QueueType,
    /// How many messages it may hold.
    #[serde(default, deserialize_with = "count")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// What it does when it is full; default `reject-publish`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overflow: Option<Overflow>,
}

impl PerMessageTtl {
    fn queue_name(&self, name: &str) -> String {
        let template = self.queue.as_deref().unwrap_or(DEFAULT_QUEUE);
        template.replace("{name}", name)
    }
}

impl Contract for PerMessageTtl {
    fn problems(&self, _name: &str, _target: &Target) -> Vec<(String, String)> {
        let mut found = names::problems(&[
            ("exchange", self.exchange.as_ref(), names::DELAY),
            ("queue", self.queue.as_ref(), names::DELAY),
        ]);
        let max = self.max.and_then(ttl_problem);
        found.extend(max.map(|problem| ("max".to_owned(), problem)));
        found
    }

    fn compile(&self, name: &str, target: &Target) -> Result<Objects, Clash> {
        let mut objects = Objects::default();
        let queue = self.queue_name(name);
        let waiting = Waiting {
            target,
            ttl: self.max,
            queue_type: self.queue_type,
            max_length: self.max_length,
            overflow: self.overflow,
        };
        objects.add_queue(&queue, waiting.queue())?;
        let exchange = names::exchange(self.exchange.as_ref(), name);
        if !exchange.is_empty() {
            objects.add_exchange(&exchange, Exchange::durable("direct"))?;
            objects.add_binding(Binding::to_queue(&exchange, &queue, &queue));
        }
        Ok(objects)
    }

    fn route(
        &self,
        name: &str,
        _target: &Target,
        delay: Millis,
        _rounding: Rounding,
    ) -> Result<Route, CannotDelay> {
        let (max, why) = match self.max {
            Some(max) => (max, "the TTL of the queue itself"),
            None => (Millis(TTL_MAX_MS), "RabbitMQ's longest TTL"),
        };
        if delay > max {
            return Err(CannotDelay::TooLong { delay, max, why });
        }
        let exchange = names::exchange(self.exchange.as_ref(), name);
        let route = Route::plain(&exchange, &self.queue_name(name), delay);
        Ok(Route { expiration: Some(delay.0), ..route })
    }

    fn offers(&self) -> String {
        match self.max {
            Some(max) => format!("any up to {max}"),
            None => "any".to_owned(),
        }
    }
}
