//! Head-of-line blocking, explained in the words of a run in which it was seen.

use super::{Lane, Track, clock};

/// The arrival of a message that was blocked and leaves with its blocker differs from the
/// blocker's by less than this.
const TOGETHER_MS: f64 = 250.0;

/// Two sentences on why messages left together, from the first lane in which a message was seen
/// to be blocked; `None` when there is no such lane.
pub fn why(lanes: &[Lane]) -> Option<String> {
    lanes.iter().find_map(why_in)
}

fn why_in(lane: &Lane) -> Option<String> {
    let first = lane.messages.iter().find(|track| blocker(lane, track).is_some())?;
    let ahead = blocker(lane, first)?;
    let is_behind = |track: &&Track| blocker(lane, track).is_some_and(|b| b.label == ahead.label);
    let behind: Vec<_> = lane.messages.iter().filter(is_behind).collect();
    let names: Vec<_> = behind.iter().map(|track| track.label.clone()).collect();
    let dues: Vec<_> = behind.iter().enumerate().map(due).collect();
    let (were, they) = if behind.len() == 1 { ("was", "it") } else { ("were", "they") };
    Some(format!(
        "In `{}`, {} ({}) stood at the head of the queue, and RabbitMQ looks for expired messages \
         at the head only: {} {were} stuck behind it. {}, yet {they} left only together with {}, \
         at {}.",
        lane.name,
        ahead.label,
        ahead.delay,
        list(&names),
        list(&dues),
        ahead.label,
        clock(lane.left_ms(ahead)?),
    ))
}

fn due((index, track): (usize, &&Track)) -> String {
    let was_due = if index == 0 { " was due" } else { "" };
    format!("{}{was_due} at {}", track.label, clock(track.expected_ms))
}

/// The message that visibly held this one back.
fn blocker<'a>(lane: &'a Lane, track: &Track) -> Option<&'a Track> {
    let label = track.blocked_by.as_ref()?;
    let ahead = lane.messages.iter().find(|other| other.label == *label)?;
    let (left, ahead_left) = (lane.left_ms(track)?, lane.left_ms(ahead)?);
    let together = (left - ahead_left).abs() < TOGETHER_MS;
    let waited_for_it = left - track.expected_ms > (ahead.expected_ms - track.expected_ms) / 2.0;
    (together && waited_for_it).then_some(ahead)
}

/// `A`, `A and B`, `A, B and C`.
fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;
    use crate::render::lanes::tests::demo;

    #[test]
    fn why_they_left_together() {
        let mut lanes = demo();
        assert_snapshot!(why(&lanes).unwrap(), @"In `blocked`, A (3s) stood at the head of the queue, and RabbitMQ looks for expired messages at the head only: B and C were stuck behind it. B was due at 0.50 s and C at 1.00 s, yet they left only together with A, at 3.00 s.");
        lanes[0].messages.pop();
        assert_snapshot!(why(&lanes).unwrap(), @"In `blocked`, A (3s) stood at the head of the queue, and RabbitMQ looks for expired messages at the head only: B was stuck behind it. B was due at 0.50 s, yet it left only together with A, at 3.00 s.");
        lanes[0].messages[1].observed_ms = Some(510.0);
        assert_eq!(why(&lanes), None);
        assert_eq!(why(&lanes[1..]), None);
    }
}
