//! A run's deliveries in a few figures, gathered in constant memory.

use std::fmt;

use hdrhistogram::Histogram;
use serde::Serialize;

use super::lateness::{Lateness, Precision};
use super::{Measured, Span};
use crate::duration::Millis;

/// Ten years in microseconds, RabbitMQ's longest TTL: what is more counts as this.
const HIGHEST_US: u64 = 315_360_000_000_000;

/// Gathers measured deliveries.
#[derive(Clone, Debug)]
pub struct Summary {
    late_bound: Millis,
    /// Lateness of what was not early, and earliness of what was: a histogram has no negatives.
    late: Histogram<u64>,
    early: Histogram<u64>,
    worst_early_us: i64,
    worst_late_us: Option<i64>,
    figures: Figures,
}

/// A run in figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Deliveries.
    pub count: u64,
    /// Those whose lateness is known.
    pub measured: u64,
    /// Those among them known to the second only.
    pub measured_to_the_second: u64,
    /// Those whose lateness is not known.
    pub unmeasured: u64,
    /// Why the first of those is not known.
    pub unmeasured_because: Option<String>,
    /// Deliveries before their time.
    pub early: u64,
    /// How early the worst of those was.
    pub worst_early_ms: Option<f64>,
    /// Deliveries later than the bound.
    pub late: u64,
    /// The bound.
    pub late_bound_ms: u64,
    /// The median lateness; negative: early.
    pub lateness_p50_ms: Option<f64>,
    /// The lateness that 99 of 100 stay within.
    pub lateness_p99_ms: Option<f64>,
    /// The worst lateness.
    pub lateness_max_ms: Option<f64>,
    /// Deliveries of a message id seen before.
    pub duplicates: u64,
    /// Deliveries that the broker marked as redelivered.
    pub redelivered: u64,
}

impl Summary {
    /// Nothing yet. A delivery later than `late_bound` counts as late.
    pub fn new(late_bound: Millis) -> Self {
        let empty = Histogram::new_with_bounds(1, HIGHEST_US, 3).expect("the bounds are valid");
        Summary {
            late_bound,
            late: empty.clone(),
            early: empty,
            worst_early_us: 0,
            worst_late_us: None,
            figures: Figures { late_bound_ms: late_bound.0, ..Figures::default() },
        }
    }

    /// Adds a delivery.
    pub fn record(&mut self, measured: &Measured, duplicate: bool, redelivered: bool) {
        let figures = &mut self.figures;
        figures.count += 1;
        figures.duplicates += u64::from(duplicate);
        figures.redelivered += u64::from(redelivered);
        let lateness = match &measured.lateness {
            Ok(lateness) => lateness,
            Err(reason) => {
                figures.unmeasured += 1;
                figures.unmeasured_because.get_or_insert_with(|| reason.to_string());
                return;
            }
        };
        self.note(*lateness);
    }

    /// Adds one whose lateness is known, and of which all else was noted.
    fn note(&mut self, lateness: Lateness) {
        let figures = &mut self.figures;
        figures.measured += 1;
        figures.measured_to_the_second += u64::from(lateness.precision == Precision::Second);
        figures.early += u64::from(lateness.us < 0);
        figures.late += u64::from(i128::from(lateness.us) > i128::from(self.late_bound.0) * 1000);
        let histogram = if lateness.us < 0 { &mut self.early } else { &mut self.late };
        histogram.saturating_record(lateness.us.unsigned_abs());
        self.worst_early_us = self.worst_early_us.min(lateness.us);
        self.worst_late_us = self.worst_late_us.max(Some(lateness.us));
    }

    /// Adds a delivery of which nothing but the lateness matters.
    pub fn record_lateness(&mut self, lateness: Lateness) {
        self.figures.count += 1;
        self.note(lateness);
    }

    /// The figures so far.
    pub fn figures(&self) -> Figures {
        let ms = |us: i64| Span(us).ms();
        Figures {
            worst_early_ms: (self.figures.early > 0)
                .then(|| ms(self.worst_early_us.saturating_neg())),
            lateness_p50_ms: self.quantile(50).map(ms),
            lateness_p99_ms: self.quantile(99).map(ms),
            lateness_max_ms: self.worst_late_us.map(ms),
            ..self.figures.clone()
        }
    }

    /// The lateness, in microseconds, that so many percent stay within.
    fn quantile(&self, percent: u64) -> Option<i64> {
        let max = self.worst_late_us?;
        let (early, late) = (self.early.len(), self.late.len());
        let rank = (u128::from(early + late) * u128::from(percent)).div_ceil(100);
        let rank = u64::try_from(rank).unwrap_or(u64::MAX);
        let us = if rank <= early {
            -at_rank(&self.early, early - rank + 1).max(self.worst_early_us)
        } else {
            at_rank(&self.late, rank - early)
        };
        // A histogram rounds up, by a thousandth.
        Some(us.clamp(self.worst_early_us.min(max), max))
    }
}

fn at_rank(histogram: &Histogram<u64>, rank: u64) -> i64 {
    let value = histogram.value_at_quantile(rank as f64 / histogram.len() as f64);
    i64::try_from(value).unwrap_or(i64::MAX)
}

impl fmt::Display for Figures {
    /// Two to four lines, without a final line feed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = Span::from_ms;
        write!(f, "{} {}, {} early", self.count, deliveries(self.count), self.early)?;
        if let Some(worst) = self.worst_early_ms {
            write!(f, " (the worst by {})", span(worst))?;
        }
        write!(f, ", {} more than {} late", self.late, Millis(self.late_bound_ms))?;
        if let (Some(p50), Some(p99), Some(max)) =
            (self.lateness_p50_ms, self.lateness_p99_ms, self.lateness_max_ms)
        {
            let (p50, p99, max) = (span(p50), span(p99), span(max));
            write!(f, "\nlateness: p50 {p50}, p99 {p99}, max {max}")?;
        }
        if self.measured_to_the_second > 0 {
            write!(f, " ({} of them to the second only)", self.measured_to_the_second)?;
        }
        if let Some(reason) = &self.unmeasured_because {
            write!(f, "\n{} not measured: {reason}", self.unmeasured)?;
        }
        if self.duplicates + self.redelivered > 0 {
            write!(f, "\n{} duplicate, {} redelivered", self.duplicates, self.redelivered)?;
        }
        Ok(())
    }
}

fn deliveries(count: u64) -> &'static str {
    if count == 1 { "delivery" } else { "deliveries" }
}
