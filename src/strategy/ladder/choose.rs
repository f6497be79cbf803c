//! Which radix: a larger one has fewer hops and more queues.

use std::fmt;

use super::Shape;
use crate::duration::Millis;

/// The smallest and the largest radix.
pub const RADICES: std::ops::RangeInclusive<u64> = 2..=256;

/// What a ladder of some radix costs. A queue costs memory and its declaration; a hop costs the
/// broker a write of the message and the message some milliseconds of lateness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The radix.
    pub radix: u64,
    /// Its levels.
    pub levels: u32,
    /// Waiting queues.
    pub queues: u64,
    /// The most waiting queues that one message passes.
    pub worst_hops: u64,
    /// The mean of that over all delays up to the longest, each equally likely.
    pub mean_hops: f64,
}

impl Cost {
    /// The cost of a ladder.
    pub fn of(shape: &Shape) -> Self {
        let queues = shape.descending().map(|level| shape.top_digit(level)).sum();
        // u128: the sum is up to `levels` times the largest number of steps.
        let hops: u128 = shape.descending().map(|level| u128::from(nonzero(shape, level))).sum();
        #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
        let mean_hops = hops as f64 / shape.top as f64;
        // 1…1 is the smallest number whose digits are all non-zero.
        let ones: u64 = shape.descending().map(|level| shape.weight(level)).sum();
        let worst_hops = u64::from(shape.levels) - u64::from(ones > shape.top);
        Cost { radix: shape.radix, levels: shape.levels, queues, worst_hops, mean_hops }
    }
}

impl fmt::Display for Cost {
    /// `radix 16: 61 queues; hops: 5 at most, 4.1 on average`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { radix, queues, worst_hops, mean_hops, .. } = self;
        write!(
            f,
            "radix {radix}: {queues} queues; hops: {worst_hops} at most, {mean_hops:.1} on average"
        )
    }
}

/// How many of the numbers 1 to `top` have a digit at this level that is not zero.
fn nonzero(shape: &Shape, level: u32) -> u64 {
    let weight = shape.weight(level);
    let numbers = shape.top + 1;
    // Of each run of `radix × weight` numbers the first `weight` have a zero here. The run may be
    // longer than a u64 holds; then there is less than one.
    let Some(run) = weight.checked_mul(shape.radix) else { return numbers.saturating_sub(weight) };
    numbers / run * (run - weight) + (numbers % run).saturating_sub(weight)
}

/// What a ladder may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// At most so many waiting queues.
    Queues(u64),
    /// At most so many hops, whatever the delay.
    Hops(u64),
}

/// A bound that no radix keeps.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("no radix needs so few; the closest is {closest}")]
pub struct Unattainable {
    /// The bound.
    pub bound: Bound,
    /// The cost closest to it.
    pub closest: Cost,
}

/// The best radix within a bound: for [`Bound::Queues`] the one with the fewest hops on average,
/// for [`Bound::Hops`] the one with the fewest queues; of equals, the other number decides, then
/// the smaller radix.
///
/// # Errors
/// [`Unattainable`] when no radix keeps the bound.
pub fn choose(resolution: Millis, max: Millis, bound: Bound) -> Result<Cost, Unattainable> {
    let all = RADICES.map(|radix| Cost::of(&Shape::new(resolution, max, radix)));
    let bounded = |cost: &Cost| match bound {
        Bound::Queues(_) => cost.queues,
        Bound::Hops(_) => cost.worst_hops,
    };
    let limit = match bound {
        Bound::Queues(limit) | Bound::Hops(limit) => limit,
    };
    let order = |a: &Cost, b: &Cost| {
        let (queues, hops) = (a.queues.cmp(&b.queues), a.mean_hops.total_cmp(&b.mean_hops));
        match bound {
            Bound::Queues(_) => hops.then(queues),
            Bound::Hops(_) => queues.then(hops),
        }
    };
    let all: Vec<_> = all.collect();
    let fitting = all.iter().filter(|cost| bounded(cost) <= limit);
    fitting.min_by(|a, b| order(a, b)).copied().ok_or_else(|| {
        let closest = all.iter().min_by(|a, b| bounded(a).cmp(&bounded(b)).then(order(a, b)));
        // There are 255 radices, so there is a closest one.
        Unattainable { bound, closest: *closest.unwrap_or(&all[0]) }
    })
}

/// The radices worth choosing from: each has fewer hops on average than all that need as few
/// queues. From the fewest queues to the fewest hops.
pub fn frontier(resolution: Millis, max: Millis) -> Vec<Cost> {
    let mut all: Vec<_> =
        RADICES.map(|radix| Cost::of(&Shape::new(resolution, max, radix))).collect();
    all.sort_by(|a, b| a.queues.cmp(&b.queues).then(a.mean_hops.total_cmp(&b.mean_hops)));
    let mut best = f64::INFINITY;
    all.retain(|cost| {
        let better = cost.mean_hops < best;
        best = best.min(cost.mean_hops);
        better
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts digit by digit what [`Cost::of`] computes.
    fn counted(shape: &Shape) -> (u64, f64) {
        let hops =
            |units| shape.descending().filter(|l| shape.digit(units, *l) != 0).count() as u64;
        let all: Vec<_> = (1..=shape.top).map(hops).collect();
        let sum: u64 = all.iter().sum();
        (all.iter().copied().max().unwrap(), sum as f64 / all.len() as f64)
    }

    #[test]
    fn costs_are_those_counted() {
        for radix in [2, 3, 10, 16, 255, 256] {
            for max in [1, 2, 15, 16, 17, 255, 256, 257, 1000, 4095, 4096, 70_000] {
                let shape = Shape::new(Millis(1), Millis(max), radix);
                let cost = Cost::of(&shape);
                let (worst, mean) = counted(&shape);
                assert_eq!((cost.worst_hops, cost.mean_hops), (worst, mean), "{radix}, {max}");
            }
        }
    }

    #[test]
    fn choices_for_a_day_of_seconds() {
        let choose = |bound| choose(Millis(1000), Millis(86_400_000), bound);
        let table = [
            (Bound::Queues(17), "radix 2: 17 queues; hops: 16 at most, 8.0 on average"),
            (Bound::Queues(50), "radix 12: 48 queues; hops: 5 at most, 4.4 on average"),
            (Bound::Hops(3), "radix 45: 130 queues; hops: 3 at most, 2.9 on average"),
        ];
        for (bound, expected) in table {
            assert_eq!(choose(bound).unwrap().to_string(), expected);
        }
        let error = choose(Bound::Hops(1)).unwrap_err();
        assert_eq!(error.closest.worst_hops, 3);
        let costs = frontier(Millis(1000), Millis(86_400_000));
        assert!(costs.windows(2).all(|w| w[0].queues < w[1].queues));
        assert!(costs.windows(2).all(|w| w[0].mean_hops > w[1].mean_hops));
    }
}
