//! The head-of-line demo's values: lanes that the same messages went through, and who blocked whom.

mod why;

use serde::Serialize;

use super::forecast::outcome;
use crate::duration::Millis;
use crate::forecast::Fate;

pub use why::why;

/// One way of delaying, and what became of the messages in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lane {
    /// Its name in the file.
    pub name: String,
    /// The strategy in words.
    pub how: String,
    /// Why it was not run on a broker; then only simulated times are known, if any.
    pub skipped: Option<String>,
    /// The messages, in sending order.
    pub messages: Vec<Track>,
}

/// One message. All times are in milliseconds on the demo's clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Track {
    /// `A`, `B`, …
    pub label: String,
    /// The delay asked for.
    pub delay: Millis,
    /// When it was sent.
    pub sent_ms: f64,
    /// When it was due.
    pub expected_ms: f64,
    /// When it arrives by the simulator.
    pub simulated_ms: Option<f64>,
    /// When it arrived; `None` in a lane that was run: never.
    pub observed_ms: Option<f64>,
    /// The label of the message that stood before it in the queue and was due later.
    pub blocked_by: Option<String>,
    /// When it changes queues on its way, by the simulator.
    pub hops_ms: Vec<f64>,
    /// Why it does not arrive, by the simulator.
    pub lost: Option<String>,
    /// When it is lost, by the simulator.
    pub lost_ms: Option<f64>,
}

impl Track {
    /// A message of which nothing is known yet but when it is due.
    pub fn new(index: usize, delay: Millis, sent_ms: f64, expected_ms: f64) -> Self {
        Track {
            label: label(index),
            delay,
            sent_ms,
            expected_ms,
            simulated_ms: None,
            observed_ms: None,
            blocked_by: None,
            hops_ms: Vec::new(),
            lost: None,
            lost_ms: None,
        }
    }

    /// Notes what becomes of it by the simulator.
    pub fn foresee(&mut self, fate: &Fate) {
        let ms = |us: u64| us as f64 / 1000.0;
        self.simulated_ms = fate.arrival.as_ref().map(|arrival| ms(arrival.at_us));
        self.hops_ms = fate.hops_us().into_iter().map(ms).collect();
        self.lost = fate.arrival.is_none().then(|| outcome(fate));
        let lost = fate.lost.first().filter(|_| fate.arrival.is_none());
        self.lost_ms = lost.map(|lost| ms(lost.at_us));
    }
}

/// A strategy in words, by its key.
pub fn how(key: &str) -> &str {
    match key {
        "tiers" => "one queue per delay",
        "per_message_ttl" => "one queue, per-message TTL",
        "delayed_exchange" => "the delayed-message plugin",
        "ladder" => "levels of queues, any delay",
        other => other,
    }
}

/// `A`, `B`, … `Z`, `A2`, …
pub fn label(index: usize) -> String {
    let letter = char::from(b'A' + (index % 26) as u8);
    match index / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{}", round + 1),
    }
}

impl Lane {
    /// When a message of this lane left: as observed, or as simulated where nothing was run.
    pub fn left_ms(&self, track: &Track) -> Option<f64> {
        if self.skipped.is_some() { track.simulated_ms } else { track.observed_ms }
    }

    /// Whether there are times to show.
    pub fn has_times(&self) -> bool {
        let known = |track: &Track| track.simulated_ms.is_some() || track.lost.is_some();
        self.skipped.is_none() || self.messages.iter().any(known)
    }

    /// Notes for each message which one before it, in the same queue, is due later.
    pub fn mark_blocked(&mut self, one_queue: bool) {
        let due: Vec<_> = self.messages.iter().map(|track| track.expected_ms).collect();
        let labels: Vec<_> = self.messages.iter().map(|track| track.label.clone()).collect();
        for (track, blocker) in self.messages.iter_mut().zip(blocked_by(&due, one_queue)) {
            track.blocked_by = blocker.map(|index| labels[index].clone());
        }
    }
}

/// Who blocks whom: for each message, in sending order and by due time, the one sent before it
/// that is due last, if that is later than itself. Nobody blocks unless all share one queue, of
/// which RabbitMQ looks at the head only.
pub fn blocked_by(due_ms: &[f64], one_queue: bool) -> Vec<Option<usize>> {
    let mut latest: Option<usize> = None;
    let mut blockers = Vec::with_capacity(due_ms.len());
    for (index, due) in due_ms.iter().enumerate() {
        let blocker = latest.filter(|&latest| due_ms[latest] > *due);
        blockers.push(blocker.filter(|_| one_queue));
        if blocker.is_none() {
            latest = Some(index);
        }
    }
    blockers
}

/// From here on moments are told in minutes and hours, too.
const CLOCK_IN_SECONDS_MS: f64 = 120_000.0;

/// A moment on the demo's clock: `3.00 s`, `30m`, `1h30m5ms`.
pub(super) fn clock(ms: f64) -> String {
    if ms < CLOCK_IN_SECONDS_MS || !ms.is_finite() {
        return format!("{:.2} s", ms / 1000.0);
    }
    // A cast from a float saturates.
    Millis(ms.round() as u64).to_string()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn lane(name: &str, how: &str, sends: &[(&str, u64, f64)]) -> Lane {
        let track = |&(label, delay, left): &(&str, u64, f64)| Track {
            label: label.to_owned(),
            observed_ms: Some(left),
            ..Track::new(0, Millis(delay), 0.0, delay as f64)
        };
        let messages = sends.iter().map(track).collect();
        Lane { name: name.to_owned(), how: how.to_owned(), skipped: None, messages }
    }

    /// The demo of topologies/head-of-line.yaml at a tenth of the time.
    pub fn demo() -> Vec<Lane> {
        let mut lanes = vec![
            lane(
                "blocked",
                "one queue, per-message TTL",
                &[("A", 3000, 3003.2), ("B", 500, 3004.1), ("C", 1000, 3004.9)],
            ),
            lane(
                "tiers",
                "a queue per delay",
                &[("A", 3000, 3002.7), ("B", 500, 503.9), ("C", 1000, 1002.4)],
            ),
            lane("plugin", "delayed-message exchange", &[]),
            lane(
                "rising",
                "one queue, delays that never decrease",
                &[("B", 500, 502.0), ("C", 1000, 1003.0), ("A", 3000, 3001.9)],
            ),
        ];
        lanes[2].skipped = Some("RabbitMQ 4.3 has no `x-delayed-message`".to_owned());
        for (index, blocker) in [(1, "A"), (2, "A")] {
            lanes[0].messages[index].blocked_by = Some(blocker.to_owned());
        }
        lanes
    }

    /// Due times, whether there is one queue, and the blockers.
    type Case = (&'static [f64], bool, &'static [Option<usize>]);

    #[test]
    fn who_blocks_whom() {
        let table: [Case; 6] = [
            (&[], true, &[]),
            (&[30.0, 5.0, 10.0], true, &[None, Some(0), Some(0)]),
            (&[30.0, 5.0, 10.0], false, &[None, None, None]),
            (&[5.0, 10.0, 30.0], true, &[None, None, None]),
            (&[5.0, 30.0, 10.0, 40.0, 35.0], true, &[None, None, Some(1), None, Some(3)]),
            (&[5.0, 5.0], true, &[None, None]),
        ];
        for (due, one_queue, expected) in table {
            assert_eq!(blocked_by(due, one_queue), expected, "{due:?} {one_queue}");
        }
    }
}
