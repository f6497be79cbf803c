//! Why messages move and where they end, in words.

use crate::simulate::{Answer, Loss, Reason};

/// Why a message is lost, or stuck.
pub fn loss_in_words(why: Loss) -> &'static str {
    match why {
        Loss::NoExchange => "the exchange is not there: the broker closes the channel",
        Loss::Unroutable => "no binding takes it",
        Loss::NoDeadLetterExchange => "it leaves as a dead letter, and there is no exchange for it",
        Loss::Cycle => "it would come back to a queue that it has left before: a cycle",
        Loss::Refused => "a full queue refuses it",
        Loss::QueueExpired => "the queue was unused for its `x-expires` and is deleted",
    }
}

/// Why it left a queue as a dead letter.
pub(super) fn death_in_words(queue: &str, reason: Reason) -> String {
    match reason {
        Reason::Expired => format!("expired in `{queue}`"),
        Reason::Rejected => format!("rejected from `{queue}`"),
        Reason::MaxLength => format!("pushed out of `{queue}`, which is full"),
        Reason::DeliveryLimit => format!("delivered too often from `{queue}`"),
    }
}

pub(super) fn answer_in_words(answer: Answer) -> &'static str {
    match answer {
        Answer::Ack => "acknowledged",
        Answer::Reject => "rejected",
        Answer::Requeue => "rejected, to be requeued",
        Answer::NackRequeue => "nacked, to be requeued",
    }
}

/// A moment or a span: `2.50 s`, `30m`, `1h2s`.
pub(super) fn span(us: u64) -> String {
    crate::timing::Span(i64::try_from(us).unwrap_or(i64::MAX)).to_string()
}

/// An exchange's name, where the default exchange has none.
pub(super) fn exchange(name: &str) -> String {
    if name.is_empty() { "the default exchange".to_owned() } else { format!("exchange `{name}`") }
}
