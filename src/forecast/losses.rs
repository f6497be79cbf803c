//! What is lost and what is stuck, by place and reason.

use std::collections::BTreeMap;

use serde::Serialize;

use super::fate::as_code;
use super::words::loss_in_words;
use crate::simulate::Loss;

/// How many messages end in one place for one reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Count {
    /// The queue or the exchange.
    pub place: String,
    /// Why.
    #[serde(serialize_with = "as_code")]
    pub why: Loss,
    /// The same in words.
    pub because: &'static str,
    /// How many messages, or copies.
    pub count: u64,
    /// When the first was, in milliseconds.
    pub first_at_ms: f64,
}

/// Gathers losses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses<'a> {
    counts: BTreeMap<(&'a str, Loss), (u64, u64)>,
}

impl<'a> Losses<'a> {
    /// One more.
    pub fn note(&mut self, place: &'a str, why: Loss, at_us: u64) {
        self.counts.entry((place, why)).or_insert((0, at_us)).0 += 1;
    }

    /// The counts, by place.
    pub fn finish(self) -> Vec<Count> {
        let all = self.counts.into_iter();
        all.map(|((place, why), (count, first_us))| Count::of(place, why, count, first_us))
            .collect()
    }
}

impl Count {
    pub(super) fn of(place: &str, why: Loss, count: u64, first_us: u64) -> Self {
        let first_at_ms = first_us as f64 / 1000.0;
        Count { place: place.to_owned(), why, because: loss_in_words(why), count, first_at_ms }
    }
}
