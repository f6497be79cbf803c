//! What a delivery says about its delay: how long it was to wait, how long it did, how late it is.
//!
//! Messages that delayctl published say so themselves, in headers. Those of other publishers are
//! judged by what they carry: the plugin's `x-delay`, the history in `x-death`, a timestamp. What
//! cannot be known is said to be unknown, with the reason; nothing is guessed.

mod asked;
mod lateness;
mod sent;
mod span;
mod summary;

use std::collections::HashMap;

use serde::{Serialize, Serializer};

use crate::message::{DELAY_HEADER, Delivered, PLUGIN_DELAY_HEADER, SENT_AT_HEADER};
use crate::objects::{Objects, Value};

pub use asked::{Asked, AskedFrom};
pub use lateness::{Lateness, Precision};
pub use sent::{Sent, SentFrom, TIMESTAMP_IN_MS_HEADER};
pub use span::Span;
pub use summary::{Figures, Summary};

/// The TTLs of the queues that messages wait in, in milliseconds, by queue name.
pub type Ttls = HashMap<String, u64>;

/// The TTL of each queue that has an `x-message-ttl`.
pub fn ttls(objects: &Objects) -> Ttls {
    let with_ttl = objects.queues.iter().filter_map(|(name, q)| Some((name, q.message_ttl()?)));
    with_ttl.map(|(name, ttl)| (name.clone(), ttl)).collect()
}

/// What is known of one delivery's delay.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The delay that was asked for.
    pub asked: Result<Asked, Unmeasurable>,
    /// The moment of publishing.
    pub sent: Result<Sent, Unmeasurable>,
    /// The delay seen, from publishing to delivery, in microseconds.
    pub seen_us: Option<i64>,
    /// How much the delay seen exceeds the delay asked for.
    pub lateness: Result<Lateness, Unmeasurable>,
}

/// Why a delivery's lateness is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmeasurable {
    /// Nothing says when it was published.
    #[error(
        "no sent time: the publisher set neither `timestamp` nor the headers \
         `{TIMESTAMP_IN_MS_HEADER}` or `{SENT_AT_HEADER}`"
    )]
    NoSentTime,
    /// It says that it was published long after it was delivered: most often milliseconds where
    /// seconds belong.
    #[error("no sent time: `{from}` is {value}, which lies in the future")]
    SentInTheFuture {
        /// What says so.
        from: SentFrom,
        /// What it says, in its own unit.
        value: u64,
    },
    /// Nothing says how long it was to wait.
    #[error(
        "delay unknown: neither `{DELAY_HEADER}` nor `{PLUGIN_DELAY_HEADER}` is set, \
         and `x-death` names no queue that it waited in"
    )]
    NoDelay,
    /// It expired in a queue whose TTL the file does not tell.
    #[error("delay unknown: the file gives no TTL for queue `{queue}`, in which it expired")]
    NoTtl {
        /// The queue.
        queue: String,
    },
}

/// Judges one delivery, with the TTLs of the queues that it may have waited in.
pub fn measure(message: &Delivered, ttls: &Ttls) -> Measured {
    let asked = asked::asked(message, ttls);
    let sent = sent::sent(message);
    let seen_us = sent.as_ref().ok().map(|sent| sent.until_us(message.seen_at_us));
    let lateness = match (&sent, seen_us, &asked) {
        (Ok(sent), Some(seen_us), Ok(asked)) => {
            Ok(Lateness::new(seen_us, asked.ms, sent.from.precision()))
        }
        (Err(reason), ..) | (.., Err(reason)) => Err(reason.clone()),
        (Ok(_), None, Ok(_)) => Err(Unmeasurable::NoSentTime),
    };
    Measured { asked, sent, seen_us, lateness }
}

impl Measured {
    /// The delay asked for, in milliseconds.
    pub fn asked_ms(&self) -> Option<u64> {
        self.asked.as_ref().ok().map(|asked| asked.ms)
    }

    /// The lateness in microseconds; negative: early.
    pub fn lateness_us(&self) -> Option<i64> {
        self.lateness.as_ref().ok().map(|lateness| lateness.us)
    }
}

/// A [`Measured`] as `-o json` shows it: flat, with units in the names.
#[derive(Serialize)]
struct Flat {
    delay_asked_ms: Option<u64>,
    delay_asked_from: Option<AskedFrom>,
    sent_at_ms: Option<u64>,
    sent_at_from: Option<SentFrom>,
    delay_seen_ms: Option<f64>,
    lateness_ms: Option<f64>,
    precision: Option<Precision>,
    unmeasurable: Option<String>,
}

impl Serialize for Measured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (asked, sent) = (self.asked.as_ref().ok(), self.sent.as_ref().ok());
        let lateness = self.lateness.as_ref().ok();
        let flat = Flat {
            delay_asked_ms: asked.map(|asked| asked.ms),
            delay_asked_from: asked.map(|asked| asked.from),
            sent_at_ms: sent.map(|sent| sent.at_ms),
            sent_at_from: sent.map(|sent| sent.from),
            delay_seen_ms: self.seen_us.map(|us| Span(us).ms()),
            lateness_ms: lateness.map(|lateness| Span(lateness.us).ms()),
            precision: lateness.map(|lateness| lateness.precision),
            unmeasurable: self.lateness.as_ref().err().map(ToString::to_string),
        };
        flat.serialize(serializer)
    }
}

/// The number that a header holds, as an integer or as a string of digits.
fn number(value: &Value) -> Option<i128> {
    match value {
        Value::Int(number) => Some(i128::from(*number)),
        Value::Str(text) => text.parse().ok(),
        // A cast from a float saturates.
        Value::Float(float) if float.0.is_finite() => Some(float.0 as i128),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
