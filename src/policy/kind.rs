//! The types of queues, and the policy keys that each does not support.

use crate::objects::Queue;

/// The type of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `classic`.
    Classic,
    /// `quorum`.
    Quorum,
    /// `stream`.
    Stream,
}

impl Kind {
    /// The type by its name in `x-queue-type`.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "classic" => Some(Kind::Classic),
            "quorum" => Some(Kind::Quorum),
            "stream" => Some(Kind::Stream),
            _ => None,
        }
    }

    /// A queue's type: its own, else the vhost's default. One that is transient or auto-delete is classic
    /// where the default is another type, which could not be so (measured on RabbitMQ 3.10, 4.0 and
    /// 4.3).
    pub fn in_force(queue: &Queue, default: Option<&str>) -> Option<Self> {
        match (queue.queue_type(), default) {
            (Some(own), _) => Kind::of(own),
            (None, Some(_)) if !queue.durable || queue.auto_delete => Some(Kind::Classic),
            (None, default) => default.and_then(Kind::of),
        }
    }

    /// Its name in `x-queue-type`.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Classic => "classic",
            Kind::Quorum => "quorum",
            Kind::Stream => "stream",
        }
    }

    /// The policy keys for whose sake a whole policy is passed over.
    pub fn unsupported(self) -> &'static [&'static str] {
        match self {
            Kind::Classic => &NOT_CLASSIC,
            Kind::Quorum => &NOT_QUORUM,
            Kind::Stream => &NOT_STREAM,
        }
    }
}

// As the three brokers list them: `unsupported_policies` of each type's capabilities. They agree on
// every key that a topology of delays has a use for. 3.10 alone lists `queue-leader-locator` for
// classic queues, and does not list `max-in-memory-length` and `max-in-memory-bytes` for them.
const NOT_CLASSIC: [&str; 8] = [
    "max-age",
    "stream-max-segment-size-bytes",
    "initial-cluster-size",
    "delivery-limit",
    "dead-letter-strategy",
    "max-in-memory-length",
    "max-in-memory-bytes",
    "target-group-size",
];
const NOT_QUORUM: [&str; 11] = [
    "max-priority",
    "queue-mode",
    "ha-mode",
    "ha-params",
    "ha-sync-mode",
    "ha-promote-on-shutdown",
    "ha-promote-on-failure",
    "queue-master-locator",
    "max-age",
    "stream-max-segment-size-bytes",
    "initial-cluster-size",
];
const NOT_STREAM: [&str; 19] = [
    "expires",
    "message-ttl",
    "dead-letter-exchange",
    "dead-letter-routing-key",
    "dead-letter-strategy",
    "max-length",
    "max-in-memory-length",
    "max-in-memory-bytes",
    "max-priority",
    "overflow",
    "queue-mode",
    "delivery-limit",
    "target-group-size",
    "ha-mode",
    "ha-params",
    "ha-sync-mode",
    "ha-promote-on-shutdown",
    "ha-promote-on-failure",
    "queue-master-locator",
];
