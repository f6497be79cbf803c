//! The queues in which messages wait.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::Target;
use crate::duration::Millis;
use crate::objects::{DELAYED_MESSAGE_TYPE, Queue, TTL_MAX_MS, argument, overflow};

/// The type of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QueueType {
    /// Replicated, and able to dead-letter at least once.
    #[default]
    Quorum,
    /// On one node, and a little faster.
    Classic,
}

impl QueueType {
    /// The value of `x-queue-type`.
    pub fn as_str(self) -> &'static str {
        match self {
            QueueType::Quorum => "quorum",
            QueueType::Classic => "classic",
        }
    }
}

/// What to say of a queue that is to have the type of an exchange.
pub const QUEUE_OF_EXCHANGE_TYPE: &str = "`x-delayed-message` is a type of exchange, not of queue, \
    and needs its inner type: declare an exchange with `type: x-delayed-message` and `arguments: \
    {x-delayed-type: direct}`, or give a delay the strategy `delayed_exchange`";

impl<'de> Deserialize<'de> for QueueType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(QueueTypeVisitor)
    }
}

struct QueueTypeVisitor;

impl Visitor<'_> for QueueTypeVisitor {
    type Value = QueueType;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(QUEUE_TYPES)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<QueueType, E> {
        match name {
            "quorum" => Ok(QueueType::Quorum),
            "classic" => Ok(QueueType::Classic),
            DELAYED_MESSAGE_TYPE => Err(E::custom(QUEUE_OF_EXCHANGE_TYPE)),
            _ => Err(E::custom(format!("`{name}` is no type of queue: take {QUEUE_TYPES}"))),
        }
    }
}

const QUEUE_TYPES: &str = "`quorum` or `classic`";

/// What a full queue does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Overflow {
    /// Drops the oldest message, or dead-letters it: out of a waiting queue, too early.
    DropHead,
    /// Refuses the new message with a nack.
    RejectPublish,
    /// Refuses the new message with a nack, and dead-letters it (classic queues only).
    RejectPublishDlx,
}

impl Overflow {
    /// The overflow of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Overflow::DropHead, Overflow::RejectPublish, Overflow::RejectPublishDlx];
        all.into_iter().find(|overflow| overflow.as_str() == name)
    }

    /// The value of `x-overflow`.
    pub fn as_str(self) -> &'static str {
        match self {
            Overflow::DropHead => overflow::DROP_HEAD,
            Overflow::RejectPublish => overflow::REJECT_PUBLISH,
            Overflow::RejectPublishDlx => "reject-publish-dlx",
        }
    }
}

/// How a waiting queue is made.
pub struct Waiting<'a> {
    /// Where its messages go when their time is up.
    pub target: &'a Target,
    /// Every message's TTL; `None`: messages bring their own.
    pub ttl: Option<Millis>,
    /// Its type.
    pub queue_type: QueueType,
    /// How many messages may wait.
    pub max_length: Option<u64>,
    /// What happens to one more; `None`: it is refused.
    pub overflow: Option<Overflow>,
}

impl Waiting<'_> {
    /// The queue. A quorum queue dead-letters at least once, which RabbitMQ does only together
    /// with `reject-publish`; nothing that waits is lost. A classic queue gets an overflow only
    /// with a limit, so that it is equal to those that people have already.
    pub fn queue(&self) -> Queue {
        let mut queue = Queue::default()
            .with(argument::QUEUE_TYPE, self.queue_type.as_str())
            .with(argument::DEAD_LETTER_EXCHANGE, self.target.exchange())
            .with(argument::DEAD_LETTER_ROUTING_KEY, self.target.routing_key());
        if let Some(ttl) = self.ttl {
            queue = queue.with(argument::MESSAGE_TTL, ttl.0);
        }
        if let Some(max_length) = self.max_length {
            queue = queue.with(argument::MAX_LENGTH, max_length);
        }
        let overflow = self.overflow.unwrap_or(Overflow::RejectPublish);
        let quorum = self.queue_type == QueueType::Quorum;
        if quorum || self.max_length.is_some() {
            queue = queue.with(argument::OVERFLOW, overflow.as_str());
        }
        if quorum && overflow == Overflow::RejectPublish {
            queue = queue.with(argument::DEAD_LETTER_STRATEGY, "at-least-once");
        }
        queue
    }
}

/// What is wrong with a delay that is to become a queue's TTL, if anything.
pub fn ttl_problem(delay: Millis) -> Option<String> {
    if delay.0 == 0 {
        return Some("a delay of zero needs no queue: it goes straight to the target".to_owned());
    }
    let max = Millis(TTL_MAX_MS);
    (delay > max).then(|| format!("{delay} is longer than {max}, RabbitMQ's longest TTL"))
}
