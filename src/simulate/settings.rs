//! A queue's arguments, and the policy that applies to it, as the broker understands them.

use regex::Regex;

use super::profile::Profile;
use crate::objects::{Arguments, Objects, Queue, Value, argument, overflow};

/// What a full queue does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    DropHead,
    Reject,
    RejectAndDeadLetter,
}

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

/// Arguments and policy together.
struct Both<'a> {
    arguments: &'a Arguments,
    policy: Option<&'a Arguments>,
}

impl<'a> Both<'a> {
    /// Of a number that both give, the smaller counts (from the source).
    fn number(&self, name: &str) -> Option<u64> {
        let argument = self.arguments.get(name).and_then(Value::as_u64);
        let policy = self.policy_value(name).and_then(Value::as_u64);
        argument.into_iter().chain(policy).min()
    }

    /// Of a text that both give, the argument counts (from the source).
    fn text(&self, name: &str) -> Option<&'a str> {
        let argument = self.arguments.get(name).and_then(Value::as_str);
        argument.or_else(|| self.policy_value(name)?.as_str())
    }

    fn policy_value(&self, name: &str) -> Option<&'a Value> {
        self.policy?.get(name.trim_start_matches("x-"))
    }
}

impl<'a> Settings<'a> {
    /// What this queue will do.
    pub fn of(name: &str, queue: &'a Queue, objects: &'a Objects, profile: Profile) -> Self {
        let kind = queue.queue_type().unwrap_or(profile.default_type.as_str());
        let quorum = kind == "quorum";
        let both = Both { arguments: &queue.arguments, policy: policy(name, quorum, objects) };
        let ms = |name| both.number(name).map(|ms: u64| ms.saturating_mul(1000));
        let full = full(&both, quorum);
        let dead_letter = both
            .text(argument::DEAD_LETTER_EXCHANGE)
            .map(|exchange| (exchange, both.text(argument::DEAD_LETTER_ROUTING_KEY)));
        // Measured: with drop-head, at-least-once silently means at-most-once.
        let at_least_once = quorum
            && both.text(argument::DEAD_LETTER_STRATEGY) == Some("at-least-once")
            && full == Full::Reject
            && dead_letter.is_some();
        Settings {
            quorum,
            ttl_us: ms(argument::MESSAGE_TTL),
            expires_us: ms(argument::EXPIRES),
            max_length: both.number(argument::MAX_LENGTH),
            max_bytes: both.number(argument::MAX_LENGTH_BYTES),
            full,
            dead_letter,
            at_least_once,
            delivery_limit: if quorum { delivery_limit(&both, profile) } else { None },
            retry: if quorum && profile.has_delayed_retry() { retry(&both) } else { None },
        }
    }
}

/// Measured: on a quorum queue the policy's overflow beats the argument's, on a classic queue the
/// argument's wins.
fn full(both: &Both<'_>, quorum: bool) -> Full {
    let policy = both.policy_value(argument::OVERFLOW).and_then(Value::as_str);
    let text = both.text(argument::OVERFLOW);
    match if quorum { policy.or(text) } else { text } {
        Some(overflow::REJECT_PUBLISH) => Full::Reject,
        Some("reject-publish-dlx") => Full::RejectAndDeadLetter,
        _ => Full::DropHead,
    }
}

/// −1 is none (RabbitMQ 4).
fn delivery_limit(both: &Both<'_>, profile: Profile) -> Option<u64> {
    match both.arguments.get(argument::DELIVERY_LIMIT) {
        Some(Value::Int(-1)) => None,
        _ => both.number(argument::DELIVERY_LIMIT).or(profile.default_delivery_limit()),
    }
}

fn retry(both: &Both<'_>) -> Option<Retry> {
    let (failed, returned) = match both.text(argument::DELAYED_RETRY_TYPE)? {
        "all" => (true, true),
        "failed" => (true, false),
        "returned" => (false, true),
        _ => return None,
    };
    let ms = |name| both.number(name).map(|ms| ms.saturating_mul(1000));
    let min_us = ms(argument::DELAYED_RETRY_MIN)?;
    let max_us = ms(argument::DELAYED_RETRY_MAX).unwrap_or(u64::MAX);
    Some(Retry { failed, returned, min_us, max_us })
}

/// Of the policies that match, the one with the highest priority counts, alone. A pattern that is
/// no regular expression here (RabbitMQ's are Erlang's) matches nothing.
fn policy<'a>(name: &str, quorum: bool, objects: &'a Objects) -> Option<&'a Arguments> {
    let kind = if quorum { "quorum_queues" } else { "classic_queues" };
    let applies = |to: &str| matches!(to, "all" | "queues") || to == kind;
    let all = objects.policies.values().filter(|policy| applies(&policy.apply_to));
    let matching = all.filter(|p| Regex::new(&p.pattern).is_ok_and(|re| re.is_match(name)));
    matching.max_by_key(|policy| policy.priority).map(|policy| &policy.definition)
}
