//! What a queue really does: its arguments together with the policy that applies to it.
//!
//! How the two are combined was measured on RabbitMQ 3.10, 4.0 and 4.3, and is the same on all
//! three: of two numbers the smaller counts; a dead-letter exchange, routing key and strategy in
//! the arguments beat the policy's; and of two `overflow`s the argument counts on a classic queue,
//! but the *policy* on a quorum queue.

use super::applied::{Candidate, Kind};
use crate::objects::{Queue, Value, argument, overflow};

/// A setting that is in force, and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Setting<'a, T> {
    pub value: T,
    /// The policy it comes from; `None`: the queue's own argument.
    pub policy: Option<&'a str>,
}

/// Where a queue's dead letters really go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeadLetters<'a> {
    pub exchange: Setting<'a, &'a str>,
    /// `None`: a message keeps its own key.
    pub key: Option<Setting<'a, &'a str>>,
}

/// A queue and the policy that applies to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effective<'a> {
    pub name: &'a str,
    pub queue: &'a Queue,
    /// Its type, where the file says so; else it is the vhost's default.
    pub kind: Option<Kind>,
    policy: Option<(&'a str, &'a crate::objects::Arguments)>,
}

impl<'a> Effective<'a> {
    pub fn new(
        name: &'a str,
        queue: &'a Queue,
        kind: Option<Kind>,
        policy: Option<&Candidate<'a>>,
    ) -> Self {
        let policy = policy.map(|candidate| (candidate.name, &candidate.policy.definition));
        Effective { name, queue, kind, policy }
    }

    fn of_policy(&self, argument: &str) -> Option<Setting<'a, &'a Value>> {
        let (name, definition) = self.policy?;
        let value = definition.get(argument.trim_start_matches("x-"))?;
        Some(Setting { value, policy: Some(name) })
    }

    fn of_argument(&self, argument: &str) -> Option<Setting<'a, &'a Value>> {
        let value = self.queue.arguments.get(argument)?;
        Some(Setting { value, policy: None })
    }

    /// The number in force: the smaller of the argument's and the policy's.
    pub fn number(&self, argument: &str) -> Option<Setting<'a, u64>> {
        let both = [self.of_argument(argument), self.of_policy(argument)];
        let numbers = both.into_iter().flatten().filter_map(|setting| {
            let value = setting.value.as_u64()?;
            Some(Setting { value, policy: setting.policy })
        });
        numbers.min_by_key(|setting| setting.value)
    }

    /// The text in force where the argument beats the policy.
    pub fn text(&self, argument: &str) -> Option<Setting<'a, &'a str>> {
        let setting = self.of_argument(argument).or_else(|| self.of_policy(argument))?;
        Some(Setting { value: setting.value.as_str()?, policy: setting.policy })
    }

    /// How long a message may wait, in milliseconds.
    pub fn ttl(&self) -> Option<Setting<'a, u64>> {
        self.number(argument::MESSAGE_TTL)
    }

    /// What happens when it is full; `None` is `drop-head`.
    pub fn overflow(&self) -> Option<Setting<'a, &'a str>> {
        let (first, second) = match self.kind {
            Some(Kind::Quorum) => {
                (self.of_policy(argument::OVERFLOW), self.of_argument(argument::OVERFLOW))
            }
            _ => (self.of_argument(argument::OVERFLOW), self.of_policy(argument::OVERFLOW)),
        };
        let setting = first.or(second)?;
        Some(Setting { value: setting.value.as_str()?, policy: setting.policy })
    }

    /// What happens when it is full.
    pub fn overflow_or_default(&self) -> &'a str {
        self.overflow().map_or(overflow::DROP_HEAD, |setting| setting.value)
    }

    /// The limit on its length in messages or in bytes, with the argument that sets it.
    pub fn limit(&self) -> Option<(&'static str, Setting<'a, u64>)> {
        let arguments = [argument::MAX_LENGTH, argument::MAX_LENGTH_BYTES];
        arguments.into_iter().find_map(|name| Some((name, self.number(name)?)))
    }

    /// Where its dead letters go, if anywhere.
    pub fn dead_letters(&self) -> Option<DeadLetters<'a>> {
        let exchange = self.text(argument::DEAD_LETTER_EXCHANGE)?;
        Some(DeadLetters { exchange, key: self.text(argument::DEAD_LETTER_ROUTING_KEY) })
    }

    /// Whether it is told to dead-letter at least once.
    pub fn wants_at_least_once(&self) -> bool {
        let strategy = self.text(argument::DEAD_LETTER_STRATEGY);
        strategy.is_some_and(|setting| setting.value == "at-least-once")
    }

    /// Whether it really dead-letters at least once.
    pub fn is_at_least_once(&self) -> bool {
        self.wants_at_least_once()
            && self.kind == Some(Kind::Quorum)
            && self.overflow_or_default() == overflow::REJECT_PUBLISH
    }

    /// How many deliveries a message gets, where something says so.
    pub fn delivery_limit(&self) -> Option<Setting<'a, u64>> {
        self.number(argument::DELIVERY_LIMIT)
    }
}
