//! What happens to messages, told as it happens.

use super::input::Answer;
use super::message::Message;

/// One step of one message.
#[derive(Debug)]
pub struct Step<'a, 's> {
    /// When, in microseconds of virtual time.
    pub at_us: u64,
    /// What happened.
    pub what: What<'a>,
    /// The message, as it is after the step.
    pub message: &'s Message<'a>,
}

/// What happened to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What<'a> {
    /// A delayed-message exchange holds it until the moment given, in microseconds.
    Held {
        /// The exchange.
        exchange: &'a str,
        /// When it is due.
        until_us: u64,
    },
    /// It came into a queue.
    Entered {
        /// The queue.
        queue: &'a str,
    },
    /// It left a queue as a dead letter.
    DeadLettered {
        /// The queue that it left.
        queue: &'a str,
        /// Why.
        reason: Reason,
    },
    /// An at-least-once queue cannot pass it on: no target takes it. The queue keeps it, among
    /// its `messages_dlx`, and tries again every three minutes.
    Stuck {
        /// The queue.
        queue: &'a str,
        /// What keeps it.
        why: Loss,
    },
    /// It was given to a consumer.
    Delivered {
        /// The queue.
        queue: &'a str,
        /// The consumer's index in the order of [`super::Simulation::add_reader`].
        reader: usize,
    },
    /// A consumer answered.
    Answered {
        /// The queue.
        queue: &'a str,
        /// The answer. After [`Answer::Ack`] the message is done.
        answer: Answer,
    },
    /// It went back into its queue: at once, or later when the queue holds back what is returned.
    Returned {
        /// The queue.
        queue: &'a str,
        /// When it can be delivered again, in microseconds.
        again_us: u64,
    },
    /// It is gone from here. Its copies elsewhere are not.
    Lost {
        /// The queue or the exchange.
        place: &'a str,
        /// Why.
        why: Loss,
    },
}

/// Why a message becomes a dead letter: the reasons in `x-death`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Its TTL was over.
    Expired,
    /// A consumer rejected it.
    Rejected,
    /// Its queue was full.
    MaxLength,
    /// It was delivered too often.
    DeliveryLimit,
}

impl Reason {
    /// As `x-death` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::Expired => "expired",
            Reason::Rejected => "rejected",
            Reason::MaxLength => "maxlen",
            Reason::DeliveryLimit => "delivery_limit",
        }
    }
}

/// Why a message is lost, or cannot leave an at-least-once queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loss {
    /// Published to an exchange that is not there: the broker closes the channel.
    NoExchange,
    /// No binding took it. A publisher that sent it as mandatory gets it back.
    Unroutable,
    /// It left its queue as a dead letter, and the queue has no dead-letter exchange.
    NoDeadLetterExchange,
    /// It would have come back to a queue that it had left before.
    Cycle,
    /// The queue was full and refused it. A publisher is told by a negative confirm; a dead
    /// letter sent at most once is gone.
    Refused,
    /// Its queue was unused for its `x-expires` and deleted.
    QueueExpired,
}

impl Loss {
    /// A name for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Loss::NoExchange => "no_exchange",
            Loss::Unroutable => "unroutable",
            Loss::NoDeadLetterExchange => "no_dead_letter_exchange",
            Loss::Cycle => "cycle",
            Loss::Refused => "refused",
            Loss::QueueExpired => "queue_expired",
        }
    }
}

/// Where messages wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place<'a> {
    /// In a queue: ready, held back after a return, or kept as a dead letter.
    Queue(&'a str),
    /// In a delayed-message exchange.
    Exchange(&'a str),
}
