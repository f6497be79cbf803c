//! A queue's arguments, and the policy that applies to it, in the units of the simulation.

use super::profile::Profile;
use crate::objects::{Value, argument};
use crate::policy::{Effective, Full, Kind};

/// Which returned messages a quorum queue of 4.3 holds back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Retry {
    /// Those that count as failed: `basic.reject`.
    pub failed: bool,
    /// Those that do not: `basic.nack`.
    pub returned: bool,
    pub min_us: u64,
    pub max_us: u64,
}

/// Everything that decides what a queue does with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings<'a> {
    pub quorum: bool,
    pub ttl_us: Option<u64>,
    pub expires_us: Option<u64>,
    pub max_length: Option<u64>,
    pub max_bytes: Option<u64>,
    pub full: Full,
    /// The exchange and, if any, the routing key.
    pub dead_letter: Option<(&'a str, Option<&'a str>)>,
    pub at_least_once: bool,
    pub delivery_limit: Option<u64>,
    pub retry: Option<Retry>,
}

impl<'a> Settings<'a> {
    /// What this queue will do on such a broker.
    pub fn of(queue: &Effective<'a>, profile: Profile) -> Self {
        let quorum = queue.kind == Some(Kind::Quorum);
        let dead_letter = queue.dead_letters();
        Settings {
            quorum,
            ttl_us: us(queue, argument::MESSAGE_TTL),
            expires_us: us(queue, argument::EXPIRES),
            max_length: number(queue, argument::MAX_LENGTH),
            max_bytes: number(queue, argument::MAX_LENGTH_BYTES),
            full: queue.full(),
            dead_letter: dead_letter.map(|to| (to.exchange.value, to.key.map(|key| key.value))),
            at_least_once: queue.is_at_least_once(),
            delivery_limit: if quorum { delivery_limit(queue, profile) } else { None },
            retry: if quorum && profile.has_delayed_retry() { retry(queue) } else { None },
        }
    }
}

fn number(queue: &Effective<'_>, argument: &str) -> Option<u64> {
    queue.number(argument).map(|setting| setting.value)
}

fn us(queue: &Effective<'_>, argument: &str) -> Option<u64> {
    number(queue, argument).map(|ms| ms.saturating_mul(1000))
}

/// −1 is none on RabbitMQ 4; 3.10 dead-letters at the first return then, whatever a policy says
/// (both measured).
fn delivery_limit(queue: &Effective<'_>, profile: Profile) -> Option<u64> {
    let is_negative = |value: &Value| matches!(value, Value::Int(number) if *number < 0);
    let own = queue.queue.arguments.get(argument::DELIVERY_LIMIT);
    if own.is_some_and(is_negative) && !profile.has_unlimited_deliveries() {
        return Some(0);
    }
    match queue.value(argument::DELIVERY_LIMIT) {
        Some(limit) if is_negative(limit.value) => None,
        _ => number(queue, argument::DELIVERY_LIMIT).or(profile.default_delivery_limit()),
    }
}

fn retry(queue: &Effective<'_>) -> Option<Retry> {
    let (failed, returned) = match queue.text(argument::DELAYED_RETRY_TYPE)?.value {
        "all" => (true, true),
        "failed" => (true, false),
        "returned" => (false, true),
        _ => return None,
    };
    let min_us = us(queue, argument::DELAYED_RETRY_MIN)?;
    let max_us = us(queue, argument::DELAYED_RETRY_MAX).unwrap_or(u64::MAX);
    Some(Retry { failed, returned, min_us, max_us })
}
