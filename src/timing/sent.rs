//! The moment at which a message was published.

use std::fmt;

use serde::{Serialize, Serializer};

use super::lateness::{Precision, clamp};
use super::{Unmeasurable, number};
use crate::message::{Delivered, SENT_AT_HEADER};

/// Header with the moment of publishing, in milliseconds since the Unix epoch, as RabbitMQ's own
/// timestamp interceptor sets it.
pub const TIMESTAMP_IN_MS_HEADER: &str = "timestamp_in_ms";

/// How far clocks may differ: a message sent later than this after its delivery carries no time.
const SKEW_MAX_US: u64 = 86_400_000_000;

/// A moment of publishing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The moment, in milliseconds since the Unix epoch; publishers round it down.
    pub at_ms: u64,
    /// How it is known.
    pub from: SentFrom,
}

/// How the moment of publishing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentFrom {
    /// delayctl's own header, in milliseconds.
    Delayctl,
    /// The header `timestamp_in_ms`.
    TimestampInMs,
    /// The property `timestamp`, in whole seconds.
    Timestamp,
}

impl SentFrom {
    /// How precise this is.
    pub fn precision(self) -> Precision {
        match self {
            SentFrom::Delayctl | SentFrom::TimestampInMs => Precision::Exact,
            SentFrom::Timestamp => Precision::Second,
        }
    }

    fn unit_ms(self) -> u64 {
        if self == SentFrom::Timestamp { 1000 } else { 1 }
    }
}

impl fmt::Display for SentFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SentFrom::Delayctl => SENT_AT_HEADER,
            SentFrom::TimestampInMs => TIMESTAMP_IN_MS_HEADER,
            SentFrom::Timestamp => "timestamp",
        })
    }
}

impl Serialize for SentFrom {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Sent {
    /// The microseconds from this moment to a later one; negative when the clocks disagree.
    pub fn until_us(&self, seen_at_us: u64) -> i64 {
        clamp(i128::from(seen_at_us) - i128::from(self.at_ms) * 1000)
    }
}

pub(super) fn sent(message: &Delivered) -> Result<Sent, Unmeasurable> {
    let header = |name| {
        let value = message.headers.get(name).and_then(number)?;
        u64::try_from(value).ok()
    };
    let sources = [
        (header(SENT_AT_HEADER), SentFrom::Delayctl),
        (header(TIMESTAMP_IN_MS_HEADER), SentFrom::TimestampInMs),
        (message.timestamp_s, SentFrom::Timestamp),
    ];
    let mut known = sources.into_iter().filter_map(|(value, from)| Some((value?, from)));
    // Some clients write a zero for a property that was never set.
    let (value, from) = known.find(|(value, _)| *value != 0).ok_or(Unmeasurable::NoSentTime)?;
    let at_ms = value.saturating_mul(from.unit_ms());
    if at_ms.saturating_mul(1000) > message.seen_at_us.saturating_add(SKEW_MAX_US) {
        return Err(Unmeasurable::SentInTheFuture { from, value });
    }
    Ok(Sent { at_ms, from })
}
