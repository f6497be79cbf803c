//! `tiers`: one queue per fixed delay, each with a TTL of its own.
//!
//! Within a queue all delays are equal, so first in is first due and no message waits behind a
//! longer one. The price: only the listed delays.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::waiting::{Waiting, ttl_problem};
use super::{
    CannotDelay, Contract, Overflow, QueueType, Rounding, Target, count, is_default, names,
};
use crate::duration::Millis;
use crate::message::Route;
use crate::objects::{Binding, Clash, Exchange, Objects};

const DEFAULT_QUEUE: &str = "{name}.{delay}";

/// `tiers`: one queue per fixed delay, each with a TTL of its own. Only the listed delays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a mapping of its fields, like `{delays: [5s, 30s]}`")]
pub struct Tiers {
    /// The delays offered.
    #[schemars(length(min = 1))]
    pub delays: Vec<Tier>,
    /// The direct exchange that messages are published to, with a tier's queue as the routing
    /// key; default `{name}.delay`; `""` is the default exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchange: Option<String>,
    /// Template of the queues' names; default `{name}.{delay}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// The queues' type.
    #[serde(default, skip_serializing_if = "is_default")]
    pub queue_type: QueueType,
    /// How many messages each queue may hold.
    #[serde(default, deserialize_with = "count")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// What a full queue does; default `reject-publish`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overflow: Option<Overflow>,
}

/// One delay: `30s`, or `{delay: 30s, queue: delay.30s.q}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tier {
    /// The delay.
    pub delay: Millis,
    /// Its queue's name, where the template does not serve.
    pub queue: Option<String>,
}

impl Tiers {
    /// These tiers, with everything else left to the defaults.
    pub fn of(delays: Vec<Tier>) -> Self {
        Tiers {
            delays,
            exchange: None,
            queue: None,
            queue_type: QueueType::default(),
            max_length: None,
            overflow: None,
        }
    }

    fn queue_name(&self, tier: &Tier, name: &str) -> String {
        let template = self.queue.as_deref().unwrap_or(DEFAULT_QUEUE);
        tier.queue.clone().unwrap_or_else(|| names::fill(template, name, tier.delay))
    }

    fn nearest(&self, delay: Millis) -> Millis {
        let all = self.delays.iter().map(|tier| tier.delay);
        all.min_by_key(|tier| tier.0.abs_diff(delay.0)).unwrap_or_default()
    }
}

impl Contract for Tiers {
    fn problems(&self, name: &str, _target: &Target) -> Vec<(String, String)> {
        let mut found = names::problems(&[
            ("exchange", self.exchange.as_ref(), names::DELAY),
            ("queue", self.queue.as_ref(), names::DELAY_AND_TIME),
        ]);
        if self.delays.is_empty() {
            found.push((
                "delays".to_owned(),
                "no delay is listed: write some, like `[5s, 30s]`".to_owned(),
            ));
        }
        let (mut delays, mut queues) = (HashMap::new(), HashMap::new());
        for (index, tier) in self.delays.iter().enumerate() {
            let field = format!("delays[{index}]");
            let queue = self.queue_name(tier, name);
            if let Some(problem) = ttl_problem(tier.delay) {
                found.push((field, problem));
            } else if let Some(first) = delays.insert(tier.delay, index) {
                let delay = tier.delay;
                found.push((field, format!("{delay} is listed twice: see `delays[{first}]`")));
            } else if let Some(first) = queues.insert(queue.clone(), tier.delay) {
                let delay = tier.delay;
                let message = format!(
                    "{first} and {delay} would share the queue `{queue}`: put `{{delay}}` in the \
                     name, or name each tier's queue"
                );
                found.push((field, message));
            }
        }
        found
    }

    fn compile(&self, name: &str, target: &Target) -> Result<Objects, Clash> {
        let mut objects = Objects::default();
        let exchange = names::exchange(self.exchange.as_ref(), name);
        if !exchange.is_empty() {
            objects.add_exchange(&exchange, Exchange::durable("direct"))?;
        }
        for tier in &self.delays {
            let queue = self.queue_name(tier, name);
            let waiting = Waiting {
                target,
                ttl: Some(tier.delay),
                queue_type: self.queue_type,
                max_length: self.max_length,
                overflow: self.overflow,
            };
            objects.add_queue(&queue, waiting.queue())?;
            if !exchange.is_empty() {
                objects.add_binding(Binding::to_queue(&exchange, &queue, &queue));
            }
        }
        Ok(objects)
    }

    fn route(
        &self,
        name: &str,
        _target: &Target,
        delay: Millis,
        rounding: Rounding,
    ) -> Result<Route, CannotDelay> {
        let fitting = self.delays.iter().filter(|tier| tier.delay >= delay);
        let longer = fitting.min_by_key(|tier| tier.delay);
        match longer {
            Some(tier) if tier.delay == delay || rounding == Rounding::Up => {
                let exchange = names::exchange(self.exchange.as_ref(), name);
                Ok(Route::plain(&exchange, &self.queue_name(tier, name), tier.delay))
            }
            _ => Err(CannotDelay::NoTier {
                delay,
                offered: self.offers(),
                nearest: self.nearest(delay),
                longer: longer.map(|tier| tier.delay),
            }),
        }
    }

    fn offers(&self) -> String {
        let all: Vec<_> = self.delays.iter().map(|tier| tier.delay.to_string()).collect();
        all.join(", ")
    }
}

/// A tier with its queue's name.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenOut {
    /// The delay.
    delay: Millis,
    /// Its queue's name, where the template does not serve.
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<String>,
}

impl JsonSchema for Tier {
    fn schema_name() -> Cow<'static, str> {
        "Tier".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A delay, or a delay with its queue's name.",
            "anyOf": [
                generator.subschema_for::<Millis>(),
                generator.subschema_for::<WrittenOut>(),
            ],
        })
    }
}

impl Serialize for Tier {
    /// The short form where it says it all.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.queue {
            None => self.delay.serialize(serializer),
            queue => WrittenOut { delay: self.delay, queue: queue.clone() }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Tier {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TierVisitor)
    }
}

struct TierVisitor;

impl<'de> Visitor<'de> for TierVisitor {
    type Value = Tier;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a delay like `30s`, or `{delay: 30s, queue: delay.30s.q}`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Tier, E> {
        Ok(Tier { delay: text.parse().map_err(E::custom)?, queue: None })
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Tier, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Tier, A::Error> {
        let tier = WrittenOut::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Tier { delay: tier.delay, queue: tier.queue })
    }
}
