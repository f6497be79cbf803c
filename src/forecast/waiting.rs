//! How many messages wait where, over time.

use serde::Serialize;

use crate::simulate::{Peak, Place};

/// A series has at most this many samples.
pub const BUCKETS_MAX: usize = 200;

/// Steps of time that people count in, in microseconds.
const WIDTHS_US: [u64; 22] = {
    const S: u64 = 1_000_000;
    const M: u64 = 60 * S;
    const H: u64 = 60 * M;
    [
        1000,
        5000,
        10_000,
        50_000,
        100_000,
        500_000,
        S,
        2 * S,
        5 * S,
        10 * S,
        15 * S,
        30 * S,
        M,
        2 * M,
        5 * M,
        10 * M,
        15 * M,
        30 * M,
        H,
        2 * H,
        6 * H,
        12 * H,
    ]
};
const DAY_US: u64 = 86_400_000_000;

/// The width of a bucket when so much time is to be covered, in microseconds.
pub(super) fn bucket_us(span_us: u64) -> u64 {
    let least = span_us.div_ceil(BUCKETS_MAX as u64 - 1).max(1);
    let nice = WIDTHS_US.into_iter().find(|width| *width >= least);
    nice.unwrap_or_else(|| least.div_ceil(DAY_US) * DAY_US)
}

/// How many wait in one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// The queue's or the exchange's name.
    pub place: String,
    /// Whether it is a delayed-message exchange.
    pub exchange: bool,
    /// The most at any moment.
    pub peak: u64,
    /// When that was first, in milliseconds.
    pub peak_at_ms: f64,
    /// How many are left at the end.
    pub left: u64,
    /// The most in each bucket of time.
    pub samples: Vec<u64>,
}

/// Gathers series, bucket by bucket.
#[derive(Debug, Default)]
pub(super) struct Waiting<'a> {
    series: Vec<Gathered<'a>>,
    buckets: usize,
}

#[derive(Debug)]
struct Gathered<'a> {
    place: Place<'a>,
    peak: Peak,
    samples: Vec<u64>,
}

impl<'a> Waiting<'a> {
    /// Adds a bucket with the peak of each place, always the same places in the same order; new
    /// ones may follow.
    pub fn add(&mut self, peaks: impl Iterator<Item = (Place<'a>, Peak)>) {
        for (place, peak) in peaks {
            let known = self.series.iter().position(|series| series.place == place);
            let index = known.unwrap_or_else(|| {
                let samples = vec![0; self.buckets];
                self.series.push(Gathered { place, peak: Peak::default(), samples });
                self.series.len() - 1
            });
            self.series[index].samples.push(peak.count);
            self.series[index].peak.raise(peak);
        }
        self.buckets += 1;
    }

    /// The places in which something ever waited.
    pub fn finish(self, left: impl Fn(Place<'a>) -> u64) -> Vec<Series> {
        let all = self.series.into_iter().map(|Gathered { place, peak, samples }| {
            let (name, exchange) = match place {
                Place::Queue(name) => (name, false),
                Place::Exchange(name) => (name, true),
            };
            Series {
                place: name.to_owned(),
                exchange,
                peak: peak.count,
                peak_at_ms: peak.at_us as f64 / 1000.0,
                left: left(place),
                samples,
            }
        });
        all.filter(|series| series.peak > 0).collect()
    }
}
