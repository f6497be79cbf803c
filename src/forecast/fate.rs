//! What becomes of one message.

use serde::{Serialize, Serializer};

use crate::simulate::Loss;

/// All that will happen to one message and its copies. Times are in microseconds from the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// When it is sent.
    pub sent_us: u64,
    /// When it is due.
    pub due_us: u64,
    /// Where it goes, in order.
    pub moves: Vec<Move>,
    /// Whether it goes on beyond these moves.
    pub goes_on: bool,
    /// When it first comes to its target.
    pub arrival: Option<Arrival>,
    /// Where it is lost; copies can be lost in several places, and after another has arrived.
    pub lost: Vec<Lost>,
    /// Where it stays for good, if it neither arrives nor is lost.
    pub rest: Option<Rest>,
}

/// One move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Move {
    /// When.
    #[serde(rename = "at_ms", serialize_with = "as_ms")]
    pub at_us: u64,
    /// The queue or the exchange that it is at afterwards.
    pub place: String,
    /// What happened, and why.
    pub why: String,
    /// Whether it came into a queue, or into an exchange that holds it.
    pub entered: bool,
}

/// An arrival at the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Arrival {
    /// When.
    #[serde(rename = "at_ms", serialize_with = "as_ms")]
    pub at_us: u64,
    /// The queue.
    pub queue: String,
}

/// The end of a message, or of a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// When.
    #[serde(rename = "at_ms", serialize_with = "as_ms")]
    pub at_us: u64,
    /// The queue or the exchange.
    pub place: String,
    /// Why.
    #[serde(serialize_with = "as_code")]
    pub why: Loss,
}

/// Where a message stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rest {
    /// The queue or the exchange.
    pub place: String,
    /// Whether the queue tries to pass it on, and cannot.
    pub stuck: bool,
}

impl Fate {
    /// How late it arrives, in microseconds; negative: early.
    pub fn lateness_us(&self) -> Option<i64> {
        let at_us = self.arrival.as_ref()?.at_us;
        let us = i128::from(at_us) - i128::from(self.due_us);
        Some(i64::try_from(us).unwrap_or(if us < 0 { i64::MIN } else { i64::MAX }))
    }

    /// Whether it arrives, and no copy is lost.
    pub fn is_good(&self) -> bool {
        self.arrival.is_some() && self.lost.is_empty()
    }

    /// When it changes queues between its sending and its arrival, in microseconds.
    pub fn hops_us(&self) -> Vec<u64> {
        let end_us = self.arrival.as_ref().map_or(u64::MAX, |arrival| arrival.at_us);
        let entered = self.moves.iter().filter(|to| to.entered && to.at_us < end_us);
        entered.skip(1).map(|to| to.at_us).collect()
    }
}

/// Microseconds as milliseconds.
pub(super) fn as_ms<S: Serializer>(us: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(*us as f64 / 1000.0)
}

pub(super) fn as_code<S: Serializer>(why: &Loss, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(why.as_str())
}
