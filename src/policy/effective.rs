//! What a queue really does: its arguments together with the policy that applies to it.

use super::applied::Candidate;
use super::combine::{By, in_force};
use super::kind::Kind;
use crate::objects::{Arguments, Queue, Value, argument, overflow};

/// A setting that is in force, and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting<'a, T> {
    /// The setting.
    pub value: T,
    /// The policy it comes from; `None`: the queue's own argument.
    pub policy: Option<&'a str>,
}

impl<'a, T> Setting<'a, T> {
    fn and_then<U>(self, read: impl FnOnce(T) -> Option<U>) -> Option<Setting<'a, U>> {
        Some(Setting { value: read(self.value)?, policy: self.policy })
    }
}

/// Where a queue's dead letters really go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadLetters<'a> {
    /// The exchange; `""` is the default exchange.
    pub exchange: Setting<'a, &'a str>,
    /// `None`: a message keeps its own key.
    pub key: Option<Setting<'a, &'a str>>,
}

/// What a full queue does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// Its oldest message is dropped or dead-lettered.
    DropHead,
    /// The new message is refused: its publisher confirm is a nack.
    Reject,
    /// The same, and the refused message is dead-lettered.
    RejectAndDeadLetter,
}

/// A queue and the policy that applies to it.
#[derive(Clone, Copy, Debug)]
pub struct Effective<'a> {
    /// The queue's name.
    pub name: &'a str,
    /// The queue as it is declared.
    pub queue: &'a Queue,
    /// Its type, where it is known; else it is the vhost's default.
    pub kind: Option<Kind>,
    policy: Option<(&'a str, &'a Arguments)>,
}

impl<'a> Effective<'a> {
    /// A queue of this type, and the policy that applies to it, if one does.
    pub fn new(
        name: &'a str,
        queue: &'a Queue,
        kind: Option<Kind>,
        policy: Option<&Candidate<'a>>,
    ) -> Self {
        let policy = policy.map(|candidate| (candidate.name, &candidate.policy.definition));
        Effective { name, queue, kind, policy }
    }

    /// The value in force under an argument's name, such as `x-message-ttl`.
    pub fn value(&self, argument: &str) -> Option<Setting<'a, &'a Value>> {
        let own = self.queue.arguments.get(argument);
        let key = argument.trim_start_matches("x-");
        let given = self.policy.and_then(|(_, definition)| definition.get(key));
        let (value, by) = in_force(argument, own, given, self.kind)?;
        let policy = self.policy.filter(|_| by == By::Policy).map(|(name, _)| name);
        Some(Setting { value, policy })
    }

    /// The number in force, if it is one that is not negative.
    pub fn number(&self, argument: &str) -> Option<Setting<'a, u64>> {
        self.value(argument)?.and_then(Value::as_u64)
    }

    /// The text in force, if it is one.
    pub fn text(&self, argument: &str) -> Option<Setting<'a, &'a str>> {
        self.value(argument)?.and_then(Value::as_str)
    }

    /// How long a message may wait, in milliseconds.
    pub fn ttl(&self) -> Option<Setting<'a, u64>> {
        self.number(argument::MESSAGE_TTL)
    }

    /// What it is told to do when it is full; `None`: nothing says so.
    pub fn overflow(&self) -> Option<Setting<'a, &'a str>> {
        self.text(argument::OVERFLOW)
    }

    /// What it really does when it is full. A quorum queue takes `reject-publish-dlx` and does as
    /// with `drop-head` (measured on RabbitMQ 3.10, 4.0 and 4.3).
    pub fn full(&self) -> Full {
        match self.overflow().map(|setting| setting.value) {
            Some(overflow::REJECT_PUBLISH) => Full::Reject,
            Some(overflow::REJECT_PUBLISH_DLX) if self.kind != Some(Kind::Quorum) => {
                Full::RejectAndDeadLetter
            }
            _ => Full::DropHead,
        }
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

    /// Whether it really dead-letters at least once. With `drop-head` at-least-once silently means
    /// at-most-once (measured on RabbitMQ 3.10, 4.0 and 4.3).
    pub fn is_at_least_once(&self) -> bool {
        self.wants_at_least_once()
            && self.kind == Some(Kind::Quorum)
            && self.full() == Full::Reject
            && self.dead_letters().is_some()
    }

    /// How many times a message may be returned, where something says so.
    pub fn delivery_limit(&self) -> Option<Setting<'a, u64>> {
        self.number(argument::DELIVERY_LIMIT)
    }
}
