//! The types of queues, and the policy keys that each does not support.

use crate::objects::Queue;
use crate::version::Version;

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

    /// Whether a queue of this type supports a policy key; for the sake of one that it does not, a
    /// whole policy is passed over. Without a version, as the newest broker does.
    pub fn supports(self, key: &str, version: Option<Version>) -> bool {
        let lists: &[&[&str]] = match (self, version) {
            (Kind::Classic, Some(version)) if version < Version::new(4, 0) => {
                &[&NOT_CLASSIC, &NOT_CLASSIC_BEFORE_4]
            }
            (Kind::Classic, _) => &[&NOT_CLASSIC, &NOT_CLASSIC_FROM_4],
            (Kind::Quorum, _) => &[&NOT_QUORUM],
            (Kind::Stream, _) => &[&NOT_STREAM],
        };
        !lists.iter().any(|list| list.contains(&key))
    }
}

// As RabbitMQ 3.10.8, 4.0.5 and 4.3.6 list them: `unsupported_policies` of each type's
// capabilities. A version between two of them is taken to do as the older. A key that a version does not
// know, and refuses in a policy, is in the list for all: `target-group-size` came after 3.10, and
// `selector-fields` after 4.0.
const NOT_CLASSIC: [&str; 8] = [
    "max-age",
    "stream-max-segment-size-bytes",
    "initial-cluster-size",
    "delivery-limit",
    "dead-letter-strategy",
    "target-group-size",
    "selector-fields",
    "selector-field-max-bytes",
];
const NOT_CLASSIC_BEFORE_4: [&str; 1] = ["queue-leader-locator"];
const NOT_CLASSIC_FROM_4: [&str; 2] = ["max-in-memory-length", "max-in-memory-bytes"];
const NOT_QUORUM: [&str; 14] = [
    "max-priority",
    "queue-mode",
    "single-active-consumer",
    "ha-mode",
    "ha-params",
    "ha-sync-mode",
    "ha-promote-on-shutdown",
    "ha-promote-on-failure",
    "queue-master-locator",
    "max-age",
    "stream-max-segment-size-bytes",
    "initial-cluster-size",
    "selector-fields",
    "selector-field-max-bytes",
];
const NOT_STREAM: [&str; 22] = [
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
    "single-active-consumer",
    "delivery-limit",
    "target-group-size",
    "ha-mode",
    "ha-params",
    "ha-sync-mode",
    "ha-promote-on-shutdown",
    "ha-promote-on-failure",
    "queue-master-locator",
    "selector-fields",
    "selector-field-max-bytes",
];
