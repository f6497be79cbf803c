//! Which policy applies to a queue or an exchange.
//!
//! Of the policies whose pattern matches the name and that are meant for its kind, the one with the
//! highest priority applies, alone: policies are not combined. One more condition is easily missed:
//! a policy with even one key that the queue's type does not support is passed over as a whole
//! (measured on RabbitMQ 3.10, 4.0 and 4.3).

use std::collections::HashMap;

use fancy_regex::Regex;

use crate::objects::{Objects, Policy, Queue, argument};

/// The type of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Classic,
    Quorum,
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
    /// where the default is another type, which could not be so (measured on RabbitMQ 4.0 and 4.3).
    pub fn in_force(queue: &Queue, default: Option<&str>) -> Option<Self> {
        match (queue.queue_type(), default) {
            (Some(own), _) => Kind::of(own),
            (None, Some(_)) if !queue.durable || queue.auto_delete => Some(Kind::Classic),
            (None, default) => default.and_then(Kind::of),
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Classic => "classic",
            Kind::Quorum => "quorum",
            Kind::Stream => "stream",
        }
    }

    /// The policy keys for whose sake a whole policy is passed over.
    fn unsupported(self) -> &'static [&'static str] {
        match self {
            Kind::Classic => &NOT_CLASSIC,
            Kind::Quorum => &NOT_QUORUM,
            Kind::Stream => &NOT_STREAM,
        }
    }
}

// As the three brokers list them: `unsupported_policies` of each type's capabilities.
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
const NOT_STREAM: [&str; 13] = [
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
];

/// A policy with its pattern ready.
#[derive(Debug)]
pub(super) struct Candidate<'a> {
    pub name: &'a str,
    pub policy: &'a Policy,
    /// `None` for a pattern that is no regular expression: RabbitMQ refuses the policy.
    pattern: Option<Regex>,
}

impl Candidate<'_> {
    /// Whether its pattern can be read.
    pub fn is_readable(&self) -> bool {
        self.pattern.is_some()
    }

    /// Whether it is meant for a queue of this name and type, if its keys suit.
    pub fn is_meant_for_queue(&self, name: &str, kind: Kind) -> bool {
        let meant = match self.policy.apply_to.as_str() {
            "queues" | "all" => true,
            "classic_queues" => kind == Kind::Classic,
            "quorum_queues" => kind == Kind::Quorum,
            "streams" => kind == Kind::Stream,
            _ => false,
        };
        meant && self.matches(name)
    }

    /// Its keys that a queue of this type does not support.
    pub fn unsuited(&self, kind: Kind) -> Vec<&str> {
        let keys = self.policy.definition.keys().map(String::as_str);
        keys.filter(|key| kind.unsupported().contains(key)).collect()
    }

    fn matches(&self, name: &str) -> bool {
        // A pattern that backtracks without end counts as one that does not match.
        self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(name).unwrap_or(false))
    }
}

/// All policies, the highest priority first.
#[derive(Debug)]
pub(super) struct Policies<'a>(Vec<Candidate<'a>>);

impl<'a> Policies<'a> {
    pub fn of(objects: &'a Objects) -> Self {
        let ready = objects.policies.iter().map(|(name, policy)| Candidate {
            name,
            policy,
            pattern: Regex::new(&policy.pattern).ok(),
        });
        let mut all: Vec<_> = ready.collect();
        all.sort_by_key(|candidate| std::cmp::Reverse(candidate.policy.priority));
        Policies(all)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Candidate<'a>> {
        self.0.iter()
    }

    /// Those that could apply to a queue, the one that does first.
    pub fn for_queue(&self, name: &str, kind: Kind) -> Vec<&Candidate<'a>> {
        let meant = self.iter().filter(|candidate| candidate.is_meant_for_queue(name, kind));
        meant.filter(|candidate| candidate.unsuited(kind).is_empty()).collect()
    }

    /// The policy that applies to an exchange.
    pub fn for_exchange(&self, name: &str) -> Option<&Candidate<'a>> {
        self.iter().find(|candidate| {
            matches!(candidate.policy.apply_to.as_str(), "exchanges" | "all")
                && candidate.matches(name)
        })
    }
}

/// The alternate exchanges in force: an exchange's own argument beats the policy (measured on
/// RabbitMQ 3.10, 4.0 and 4.3).
pub(super) fn alternates<'a>(
    objects: &'a Objects,
    policies: &Policies<'a>,
) -> HashMap<&'a str, &'a str> {
    let mut alternates = HashMap::new();
    for (name, exchange) in &objects.exchanges {
        let of_policy = || {
            let policy = policies.for_exchange(name)?.policy;
            policy.definition.get(argument::ALTERNATE_EXCHANGE)?.as_str()
        };
        if let Some(alternate) = exchange.alternate().or_else(of_policy) {
            alternates.insert(name.as_str(), alternate);
        }
    }
    alternates
}
